"""Adjudication: who is waited for, what a second pass does, what a changed row does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from pbem.errors import LedgerError
from pbem.judge import adjudication, game_status, shown_games
from pbem.judge.newgame import new_game
from pbem.play.adjudicate import Adjudication, Report
from pbem.rules import Outcome
from pbem.trust.chance import Die
from tests.judge.every_game import run_pass
from tests.judge.table import GAME, Table


def test_nothing_happens_before_all_have_sent(table: Table) -> None:
    table.send("alice")
    assert run_pass(table.club) == []
    assert game_status.status_line(table.club, GAME) == "demo: waiting for the ready of bob"


def test_a_second_pass_changes_nothing(table: Table) -> None:
    table.go()
    before = (table.ledger(), table.club.store.letters())
    assert run_pass(table.club) == []
    assert (table.ledger(), table.club.store.letters()) == before


def test_at_the_deadline_the_silent_are_absent(table: Table) -> None:
    table.go()
    table.send("alice")
    table.clock.pass_days(6.9)
    assert run_pass(table.club) == []
    table.clock.pass_days(0.1)
    assert len(run_pass(table.club)) == 1
    resolved = table.club.book(GAME).history.exchanges[1].resolved
    assert resolved is not None
    assert [reveal.who for reveal in resolved.reveals] == ["gm.1", "alice.1"]
    assert resolved.absent == ("bob.1",)


def test_a_report_says_of_whom_nothing_came_and_of_nobody_else(table: Table) -> None:
    """What counts by default would look like what they had ordered."""
    table.go()
    sides = [table.people[name].side for name in ("alice", "bob")]
    assert not any("Nothing came" in shown_games.last_report(table.club, GAME, one) for one in sides)
    for often in ("", ", for exchange 3 and 1 before it"):
        table.send("alice")  # a bare file orders nothing, and has come
        table.clock.pass_days(7)
        assert len(run_pass(table.club)) == 1
        other = sides[1].capitalize()
        for audience, who in ((sides[0], other), (sides[1], "you"), ("public", other)):
            words = " ".join(shown_games.last_report(table.club, GAME, audience).split())
            assert f"WHAT HAPPENED Nothing came from {who}{often}: what " in words
            assert words.count("Nothing came") == 1
    table.go()
    assert not any("Nothing came" in shown_games.last_report(table.club, GAME, one) for one in sides)


def test_one_pass_never_processes_a_heap_of_deadlines(table: Table) -> None:
    table.go()
    table.clock.pass_days(100)
    assert len(run_pass(table.club)) == 1


@pytest.mark.ci(but=("text",))
@pytest.mark.parametrize("column", ["text", "salt", "leaf", "head"])
def test_a_changed_row_is_named_and_stops_only_its_game(table: Table, column: str) -> None:
    table.go(2)
    other = {person.side: name for name, person in table.people.items()}
    new_game(table.club, "second", "hammer", {}, other)
    value = "x'00'" if column == "text" else f"'{'0' * 64}'"
    change = f"UPDATE entry SET {column} = {value} WHERE game = 'demo' AND number = 5"  # noqa: S608
    table.club.store.db.conn.execute(change)
    table.club.store.db.conn.commit()
    table.reopen()  # a pass reads every ledger once
    with pytest.raises(LedgerError, match="entry 5 of demo"):
        table.club.book(GAME)
    (done,) = run_pass(table.club)
    assert done.is_stopped
    assert "5 of demo" in done.text
    assert table.club.book("second").size == 2


def _with_a_die(result: Adjudication) -> Adjudication:
    die = Die(exchange=1, sides=6, label="1297.1/x", value=1)
    return replace(result, resolve=replace(result.resolve, dice=(die, *result.resolve.dice)))


def _ended(result: Adjudication) -> Adjudication:
    return replace(result, resolution=replace(result.resolution, outcome=Outcome("scotland", "x")))


OTHERWISE: dict[str, tuple[Callable[[Adjudication], Adjudication], str, bool]] = {
    "the die 1297.1/x": (_with_a_die, "as it was", True),
    "who contributed to its dice": (
        lambda result: replace(result, resolve=replace(result.resolve, reveals=())),
        "as it was",
        True,
    ),
    "what is drawn in secret": (lambda result: replace(result, drawn=()), "as it was", True),
    "whether the game ends with it": (_ended, "as it was", True),
    "the report to england": (lambda result: result, "in other words", False),
    "the position, as england sees it": (lambda result: result, "gone", True),
    "": (lambda result: result, "as it was", False),
}
"""What a release plays or writes otherwise in exchange 1, by the words for it, and whether that decides."""


def test_what_another_release_plays_otherwise_is_named(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    table.go(2)
    played, written = adjudication.adjudicate, adjudication.reports_of
    for what, (change, words, decides) in OTHERWISE.items():

        def adjudicate(*of: Any, change: Any = change) -> Adjudication:
            return change(played(*of)) if of[-1].number == 1 else played(*of)

        def reports_of(*of: Any, words: str = words) -> tuple[Report, ...]:
            found = written(*of)
            if of[-2].number != 1 or words == "as it was":
                return found
            said = [one.text.replace("exchange", "interchange") if words != "gone" else "" for one in found]
            return tuple(replace(one, text=text) for one, text in zip(found, said, strict=True))

        monkeypatch.setattr(adjudication, "adjudicate", adjudicate)
        monkeypatch.setattr(adjudication, "reports_of", reports_of)
        wanted = adjudication.Difference(GAME, 1, what, decides) if what else None
        assert next(adjudication.differences(table.club, table.book), None) == wanted
        assert adjudication.compare(table.club, table.book) == wanted


def test_the_judge_enters_no_resolution_that_leaves_somebody_out(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A fault of the program's own that drops a reveal holds the game: players would refuse the entry."""
    table.go()
    table.send("alice")
    table.send("bob")
    size = table.book.size
    monkeypatch.setattr(adjudication, "reveals", lambda *_: {})
    (done,) = run_pass(table.club)
    assert "who contributed to exchange 2: alice is left out, whose file was received" in done.text
    assert table.book.size == size


def test_the_judge_enters_no_file_twice(table: Table) -> None:
    """Whatever asks for it: the desk answers a file that came before, and the ledger has it once."""
    table.go()
    table.send("alice")
    (received,) = table.book.history.exchanges[1].received
    with table.club.store.step(keep=False), pytest.raises(LedgerError, match="was received before"):
        table.book.append(replace(received, rev=2))
