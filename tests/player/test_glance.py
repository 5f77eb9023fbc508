"""A glance at the games says what a whole look says, and forgets it when a file has changed."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from pbem.cli import main
from pbem.errors import PbemError
from pbem.player import Home
from pbem.player.status import glance
from pbem.player.store import game_papers, game_store
from pbem.player.store.game_papers import _proven, read_ledger
from pbem.trust import ledger
from pbem.trust.letters import NOTICE
from pbem.web.table import GameLine, line_of
from tests.player.judge import DEADLINE, GAME, Judge
from tests.player.test_receipts import ordered
from tests.test_cli import HEAVY, HEAVY_FOR_A_GLANCE, modules_of


def same(home: Path, alice: Home) -> bool:
    """Does a glance say what a whole look says, the first time and from what was kept?"""
    return glance(home) == alice.games() == glance(home)


def on_the_page(alice: Home) -> GameLine:
    """Her game as the page lists it."""
    return line_of(alice.games()[0], {}, (), box="", push="", press="none")


def test_a_glance_is_a_look_at_each_stage_of_a_game(alice: Home, invited: Judge) -> None:
    assert same(alice.path, alice)
    _, receipt = ordered(alice, invited)
    assert same(alice.path, alice)
    assert glance(alice.path)[0].revs == (1,)
    alice.receive(receipt.encode())
    assert same(alice.path, alice)
    assert glance(alice.path)[0].receipted == (1,)
    alice.forget(GAME)
    assert glance(alice.path) == ()


def test_a_letter_s_ledger_is_proven_once(alice: Home, bob: Home, invited: Judge) -> None:
    """What comes next is said by what was proven before it was kept."""
    invited.exchange(1, {"alice": alice.seal(None).sealed, "bob": bob.seal(None).sealed})
    alice.receive(invited.mail(invited.letter(1, since=2)).encode())
    proven = _proven.cache_info().misses
    assert glance(alice.path)[0].exchange == 2
    assert _proven.cache_info().misses == proven


def test_of_the_kept_heads_the_last_is_looked_at(
    alice: Home, bob: Home, invited: Judge, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A ledger is checked against the head of its size; looked at twice, both are read once."""
    invited.exchange(1, {"alice": alice.seal(None).sealed, "bob": bob.seal(None).sealed})
    alice.receive(invited.mail(invited.letter(1, since=2)).encode())
    counts, (folder,) = Counter[str](), alice.folders()

    def counted(name: str, work: Callable[..., object]) -> Callable[..., object]:
        def counting(*given: object) -> object:
            counts[name] += 1
            return work(*given)

        return counting

    monkeypatch.setattr(ledger, "verify_checkpoint", counted("heads", ledger.verify_checkpoint))
    monkeypatch.setattr("pbem.player.store.game_store.read_ledger", counted("ledgers", read_ledger))
    game_store._chronicle.cache_clear()
    assert len(folder.judge_statements.checkpoints()) == counts.pop("heads") == 2
    game_papers._verify.cache_clear()
    assert folder.chronicle() is folder.chronicle()
    assert counts == {"heads": 1, "ledgers": 1}


def test_a_head_of_another_size_is_not_the_one_of_the_name(alice: Home, bob: Home, invited: Judge) -> None:
    """An older head, signed as it is, in the place of the newest."""
    invited.exchange(1, {"alice": alice.seal(None).sealed, "bob": bob.seal(None).sealed})
    alice.receive(invited.mail(invited.letter(1, since=2)).encode())
    older, newer = sorted((alice.path / "games" / GAME / "held").glob("checkpoint-*.txt"))
    for ending in ("", ".sig"):
        kept = older.with_name(f"{older.name}{ending}").read_bytes()
        newer.with_name(f"{newer.name}{ending}").write_bytes(kept)
    with pytest.raises(PbemError, match="has signed no such ledger"):
        alice.seal(None, game=GAME)


def test_a_file_damaged_on_the_sly_is_met(alice: Home, invited: Judge) -> None:
    """Its size and the time at which it was written are as before; the time of its change is not."""
    assert same(alice.path, alice)
    ledger = alice.path / "games" / GAME / "ledger.txt"
    before = ledger.stat()
    ledger.write_bytes(ledger.read_bytes()[:-2] + b"?\n")
    os.utime(ledger, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert same(alice.path, alice)
    assert glance(alice.path)[0].trouble


@pytest.mark.parametrize("kept", ["", "[]", '{"stamp": []}', "\x00"])
def test_what_is_kept_may_be_damaged(alice: Home, invited: Judge, kept: str) -> None:
    found = glance(alice.path)
    (alice.path / "glances" / f"{GAME}.json").write_text(kept)
    assert glance(alice.path) == found


def test_a_damaged_status_is_found_out_anew(alice: Home, invited: Judge) -> None:
    found, place = glance(alice.path), alice.path / "glances" / f"{GAME}.json"
    place.write_text(place.read_text().replace('"revs"', '"rev"'))
    assert glance(alice.path) == found


@pytest.mark.ci
def test_a_glance_reads_no_ledger_until_something_has_come(alice: Home, invited: Judge) -> None:
    reading, home = {"cryptography", "pbem.play.history"}, str(alice.path)
    assert reading <= modules_of("games", PBEM_HOME=home)
    assert not modules_of("games", PBEM_HOME=home) & {*reading, *HEAVY, *HEAVY_FOR_A_GLANCE}
    alice.seal(None, game=GAME)
    assert reading <= modules_of("games", PBEM_HOME=home)


def test_the_clock_is_told_as_the_invitation_says_it(
    alice: Home, bob: Home, judge: Judge, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    plain = judge.report_text
    clock = "2 days for each exchange; absences move no deadline"
    with monkeypatch.context() as patch:
        patch.setattr(judge, "report_text", lambda *about: f"{plain(*about)}The clock: {clock}.\n")
        alice.receive(judge.mail(judge.letter(0)).encode())
    assert alice.games()[0].clock == clock
    assert same(alice.path, alice)
    judge.exchange(1, {"alice": alice.seal(None).sealed})
    alice.receive(judge.mail(judge.letter(1, since=2)).encode())
    monkeypatch.setenv("PBEM_HOME", str(alice.path))
    assert main(["show", GAME]) == 0
    assert capsys.readouterr().out.endswith(f"\nThe clock: {clock}.\n")


def test_the_last_one_awaited_hears_so_where_the_ledger_that_came_shows_it(
    alice: Home,
    bob: Home,
    invited: Judge,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("PBEM_HOME", str(alice.path))
    said = "yours is the last file that is awaited"
    invited.receive(1, "bob", bob.seal(None).sealed)
    assert not alice.games()[0].is_last, "no letter has told it"
    invited.extend(1, DEADLINE + timedelta(days=1), DEADLINE - timedelta(days=1))
    notice = invited.letter(1, since=2, kind=NOTICE)
    alice.receive(invited.mail(notice).encode())
    assert alice.games()[0].is_last
    assert on_the_page(alice).is_last
    assert same(alice.path, alice)
    assert main(["games"]) == 0
    assert said in capsys.readouterr().out
    alice.seal(None)
    assert not on_the_page(alice).is_last
    assert main(["games"]) == 0
    assert said not in capsys.readouterr().out


def test_who_is_awaited_alone_is_not_the_last_of_several(alice: Home, invited: Judge) -> None:
    (folder,) = alice.folders()
    chronicle = folder.chronicle()
    assert chronicle is not None
    current = chronicle.history.current
    assert current is not None
    current.left.append("bob")
    assert not alice.games()[0].is_last


@pytest.mark.parametrize("orders", ["", "move fife stirling\n", "anything\n" * 40])
def test_what_is_said_of_the_last_one_is_the_same_whatever_is_sealed(
    alice: Home, bob: Home, invited: Judge, orders: str
) -> None:
    invited.receive(1, "bob", bob.seal(orders.encode() or None).sealed)
    invited.extend(1, DEADLINE + timedelta(days=1), DEADLINE - timedelta(days=1))
    alice.receive(invited.mail(invited.letter(1, since=2, kind=NOTICE)).encode())
    (found,) = alice.games()
    assert (found.is_last, found.files, found.exchange) == (True, (), 1)
