"""A judge's key signs letters of every kind with a word changed: a home raises nothing but its own faults."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from random import Random

import pytest

from pbem.errors import PbemError
from pbem.player import Home
from pbem.trust import sealing, signature
from pbem.trust.identifiers import Namespace
from pbem.trust.letters import ForecastLetter, OrdersCopy, sign_copy, sign_forecast
from tests.player.judge import GAME, Judge
from tests.player.tools import Play, tree

STRANGE = (
    *("", "0", "-1", "1", "99", "1e9", "9" * 30, "x", "x" * 10_000, "alice", "bob", "gm", "north", "public"),
    *("\u2028", "\u202e", "\x00", "\udcff", "../..", "%s", "{{7*7}}", "a" * 64, "AAAA", "=" * 8, "---"),
    *("pbem1 ledger", "pbem1 report", "begin view", "end view"),
)
"""What stands in a word's place."""
KINDS = ("report", "notice", "copy", "forecast", "receipt")


def letters(judge: Judge, home: Home) -> dict[str, bytes]:
    """Return an honest letter of each kind about exchange 2, which a home has not heard of yet; signed."""
    since = len(judge.entries)
    file = home.seal(None, game=GAME)
    judge.exchange(2, {"alice": file.sealed})
    seal = judge.seal_key(2, "bob").recipient
    armor = sealing.to_armor(sealing.seal(b"orders", [seal]))
    copy = OrdersCopy(game=GAME, exchange=2, player="bob", to="alice", armor=armor)
    forecast = ForecastLetter(game=GAME, exchange=2, player="alice", sealed=file.name, forecast="Nothing.\n")
    return {
        "report": judge.signed(judge.letter(2, since=since)),
        "notice": judge.signed(judge.notice(3, since=since)),
        "copy": sign_copy(copy, judge.key),
        "forecast": sign_forecast(forecast, judge.key),
        "receipt": judge.signed_receipt(judge.receipt(2, "alice", 1, file.sealed)),
    }


def changes(text: bytes) -> Iterator[bytes]:
    """Yield a letter's words with one of them changed, dropped or doubled; or a line of them."""
    lines = text.decode().split("\n")
    for place, line in enumerate(lines):
        yield "\n".join((*lines[:place], *lines[place + 1 :])).encode()
        yield "\n".join((*lines[:place], line, *lines[place:])).encode()
        words = line.split(" ")
        for number in range(len(words)):
            for strange in STRANGE:
                changed = " ".join((*words[:number], strange, *words[number + 1 :]))
                whole = "\n".join((*lines[:place], changed, *lines[place + 1 :]))
                yield whole.encode("utf-8", "surrogateescape")


def chosen(text: bytes, share: float, random: Random) -> list[bytes]:
    """Return a share of all changes that can be signed: they end with the end of a line."""
    every = [one for one in changes(text) if one.endswith(b"\n")]
    return random.sample(every, max(1, round(len(every) * share)))


@pytest.mark.parametrize("share", [pytest.param(0.2, marks=pytest.mark.ci), 0.01])
@pytest.mark.parametrize("kind", KINDS)
def test_a_letter_with_a_word_changed_raises_a_fault_of_the_program_or_none(
    alice: Home, play: Play, invited: Judge, kind: str, share: float
) -> None:
    play(1)
    signed = letters(invited, alice)[kind]
    namespace = Namespace.RECEIPT if kind == "receipt" else Namespace.REPORT
    before, told, taken = tree(alice.path), 0, 0
    for text in chosen(signature.split(signed).body, share, Random(kind)):
        data = invited.sealed(signature.sign_text(invited.key, namespace, text)).encode()
        try:
            alice.receive(data)
            taken += 1
        except PbemError:
            told += 1
        if tree(alice.path) != before:
            shutil.rmtree(alice.path)
            for name, content in before.items():
                (alice.path / name).parent.mkdir(parents=True, exist_ok=True)
                (alice.path / name).write_bytes(content)
    assert told > taken
    assert alice.receive(invited.sealed(signed).encode()) is not None
