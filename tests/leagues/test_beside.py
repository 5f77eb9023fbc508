"""A league's long ledger stands beside its letters: one text for all, kept once, named by its hash."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import pytest

from pbem.judge.leagues import letters
from pbem.judge.leagues.desk import take_statement
from pbem.player.faults import Incomplete
from pbem.player.home import Home
from pbem.trust import letters as formats
from pbem.trust.armor import find_sealed
from pbem.trust.faults import LedgerFault
from pbem.trust.keys import generate
from pbem.trust.letters import ReportLetter, parse_report, sign_report
from pbem.trust.sealing import open_sealed
from tests.leagues.world import Entered, World, file_of, key_of, take_reply
from tests.trust.test_letters import JUDGE, letter

OTHERS = tuple(f"player-{number}" for number in range(5))


@pytest.fixture(autouse=True)
def long(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every ledger is too long for a letter, and the entries of five for one text."""
    monkeypatch.setattr(letters, "MAX_SIZE_WITHIN", 0)
    monkeypatch.setattr(formats, "MAX_SIZE_BESIDE", 3_000)


Begun = tuple[World, Home]


@pytest.fixture
def begun(entered: Entered, tmp_path: Path) -> Begun:
    """A league whose first call is open, and ann's home."""
    world = entered(file_of("swiss"))
    home = Home(tmp_path / "ann", clock=world.clock)
    home.keygen("ann")
    entry = home.league("cup").enter("ann", **world.which, now=world.clock())
    take_statement(world.club, entry)
    world.enter(*OTHERS)
    world.after(31)
    return world, home


def to_ann(world: World) -> list[bytes]:
    """Every letter to her that brings the ledger."""
    return [
        one.data for one in world.club.store.letters() if one.player == "ann" and "league.cup-0" in one.name
    ]


@pytest.mark.ci
def test_a_home_goes_on_by_what_stands_beside_its_letters(begun: Begun) -> None:
    """From the first call to the game, and read anew from what is kept."""
    world, home = begun
    for calls in (1, 2):
        assert len(world.book.season.calls) == calls
        for data in to_ann(world):
            assert len(find_sealed(data)) > 1
            arrivals = home.receive(data)
            assert [one.kind for one in arrivals] == ["notice"]
        (sealed,) = find_sealed(home.league("cup").reply())
        assert take_reply(world.club, sealed).is_accepted
        world.answer(OTHERS)
        world.run()
        world.end_games()
    home.receive(to_ann(world)[-1])
    kept = Home(home.path, clock=world.clock).league("cup").kept_ledger()
    assert [*kept.heads] == [row.head for row in world.book.rows][: kept.size]
    assert kept.size > 15


def test_what_stands_beside_is_kept_once_and_is_the_same_for_all(begun: Begun) -> None:
    world, _ = begun
    store = world.club.store
    calls = [one for one in store.letters() if "-notice-" in one.name and one.player in OTHERS]
    texts = [
        [open_sealed(part, [key_of(one.player)]).rstrip(b"\n") + b"\n" for part in find_sealed(one.data)]
        for one in calls
    ]
    assert len(texts) == len(OTHERS)
    assert len({tuple(beside) for _, *beside in texts}) == 1
    beside = texts[0][1:]
    assert len(beside) > 1
    assert all(text.startswith(b"pbem1 entries\ngame league.cup\nleaf ") for text in beside)
    for text in beside:
        assert store.named_file(hashlib.sha256(text).hexdigest()) == text
    (most,) = store.connection.execute(
        "SELECT max(length(data)) FROM letter WHERE name LIKE '%-notice-%'"
    ).fetchone()
    assert most < 2_000 < sum(map(len, beside))
    assert [one.data for one in store.letters()] == [one.data for one in store.letters()]


def test_a_letter_without_what_it_names_is_incomplete_and_can_come_again(begun: Begun) -> None:
    world, home = begun
    (whole,) = to_ann(world)
    first, *beside = find_sealed(whole)
    with pytest.raises(Incomplete, match="did not come with it"):
        home.receive(first)
    delivery = home.deliver({"entries": beside[0]})
    assert "belong to a letter that is not here" in str(delivery.faults[0][1])
    assert not (home.league("cup").path / "ledger.txt").exists()
    assert home.receive(whole)[0].new
    assert not home.receive(whole)[0].new


def named(*texts: bytes) -> ReportLetter:
    """A letter that names these texts, read again."""
    names = tuple(hashlib.sha256(text).hexdigest() for text in texts)
    made = replace(letter(), leaves=(), opened=(), proofs=(), beside=names)
    assert parse_report(made.text, JUDGE.public) == made
    assert sign_report(made, generate("else"))
    return made


def test_entries_beside_are_those_of_the_letter_and_no_others() -> None:
    whole = replace(letter(), proofs=())
    (text,) = whole.entries
    assert named(text).with_entries([text]) == whole
    with pytest.raises(LedgerFault, match="not the entries that the letter names"):
        named(text).with_entries([text.replace(b"leaf 1", b"leaf 2")])
    with pytest.raises(LedgerFault, match="not the entries that the letter names"):
        named(text).with_entries([])


def test_a_long_ledger_stands_in_several_texts() -> None:
    long = replace(letter(), leaves=letter().leaves * 40, proofs=(), opened=())
    texts = long.entries
    assert len(texts) > 1
    head = sum(map(len, texts[0].splitlines(keepends=True)[:2]))
    assert max(map(len, texts)) <= 3_000 + head
    assert named(*texts).with_entries(texts) == long
