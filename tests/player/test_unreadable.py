"""A signed letter with an entry that cannot be read: told as that, kept as evidence, and no other judge's."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from pbem.player import Home
from pbem.player.faults import Contradiction
from pbem.trust import keys
from pbem.trust.entries import Open
from tests.player.judge import GAME, Judge
from tests.player.tools import Play, folder, refused


@dataclass(frozen=True)
class Strange:
    """An entry whose text no honest program writes."""

    text: bytes


def strange(judge: Judge, **changed: bytes) -> Judge:
    """The same judge, whose next entry is an `open` with words changed."""
    (before,) = judge.numbers(Open, 1)
    text = judge.entries[before - 1].text
    for name, value in changed.items():
        lines = [line for line in text.split(b"\n") if line.startswith(name.encode() + b" ")]
        assert lines
        text = text.replace(lines[0], value)
    other = judge.copy()
    other.add(Strange(text))  # type: ignore[arg-type]
    return other


@pytest.mark.parametrize(
    "changed",
    [
        {"open": b"open 1000000000"},
        {"deadline": b"deadline 0001-01-01T00:00:00Z"},
        {"deadline": b"deadline x"},
        {"seal": b"seal alice age1\nseal alice age1"},
    ],
)
def test_it_is_told_as_what_it_is_and_kept(
    alice: Home, play: Play, invited: Judge, changed: dict[str, bytes]
) -> None:
    play(1)
    known = len(invited.entries)
    other = strange(invited, **changed)
    fault = refused(alice, other.mail(other.notice(2, since=known)))
    assert isinstance(fault, Contradiction)
    assert "the judge has signed this, and the letter is kept as evidence" in str(fault)
    assert "nothing proves" not in str(fault)
    (kept,) = (folder(alice) / "held").glob("fault-*")
    assert (kept / "letter.txt").exists()


def test_another_s_letter_is_no_evidence_against_the_judge(alice: Home, play: Play, invited: Judge) -> None:
    play(1)
    known = len(invited.entries)
    other = strange(invited, open=b"open 1000000000")
    other.key = keys.generate("eve")
    fault = refused(alice, other.mail(other.notice(2, since=known)))
    assert not isinstance(fault, Contradiction)
    assert "this is signed with the key" in str(fault)
    assert not list((folder(alice) / "held").glob("fault-*"))
    assert GAME in str(fault)
