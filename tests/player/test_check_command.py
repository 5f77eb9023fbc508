"""`pbem check`: orders are looked at by the last report alone."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from pbem.cli import main
from pbem.player import Home
from pbem.player.faults import Refused
from pbem.practice.table import Table
from pbem.reports.base import WIDTH
from pbem.titles import load
from tests.player.judge import GAME, Judge
from tests.player.tools import Play

ORDERS = """\
card 2
if first: move Wallace from Fife to Atholl
move Wallace to Garmoron
"""


@pytest.fixture
def table() -> Table:
    """A game at its first card."""
    return Table("hammer", {}, 3, {"scotland": "alice", "england": "bob"}, GAME)


Check = Callable[..., tuple[int, str, str]]


@pytest.fixture
def checked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Check:
    """The status of `pbem check`, and what it prints; `report`: by this report."""

    def check(text: str, *arguments: str, report: str | None = None) -> tuple[int, str, str]:
        words = [str(tmp_path / "orders.txt"), *arguments]
        (tmp_path / "orders.txt").write_text(text, encoding="utf-8")
        if report is not None:
            (tmp_path / "report.txt").write_text(report, encoding="utf-8")
            words += ["--report", str(tmp_path / "report.txt")]
        status = main(["check", *words])
        shown = capsys.readouterr()
        return status, shown.out, shown.err

    return check


def test_by_a_report_that_is_named(checked: Check, table: Table) -> None:
    status, told, _ = checked(ORDERS, report=table.report("scotland"))
    assert status == 1
    assert told.startswith("Orders for Scotland, not sent yet\n\nThis is what was understood, and it counts:")
    assert "line 3: no area called 'Garmoron' (1.1); did you mean Garmoran?" in told
    assert "Against the card 1, you move first:\n  Wallace: from Fife to Atholl, the main attack." in told


def test_by_the_report_that_is_pasted(checked: Check, table: Table) -> None:
    quoted = "".join(f"> {line}\n" for line in table.report("scotland").splitlines())
    filled = quoted.replace("card ____", "card 7\n> card 2", 1)
    status, told, _ = checked(filled)
    assert status == 1
    assert "no card called '7'" in told
    assert "You play the card 2." in told
    assert "WHAT HAPPENED" not in told
    line = next(number for number, line in enumerate(filled.splitlines(), 1) if "card 7" in line)
    assert f"line {line}: " in told


@pytest.mark.parametrize(
    ("game", "side", "orders"),
    [
        ("lords", "red", "then muster scott-4 up copy red/wemyss-5 on blue/#1"),
        ("first-war", "scots", "keep victory, strategy, raid, rest"),
    ],
)
def test_what_is_understood_is_no_wider_than_a_report(
    checked: Check, game: str, side: str, orders: str
) -> None:
    """The first line is too wide in one piece; what follows it stands further in."""
    seats = dict(zip(load(game).rules.sides({}), ("alice", "bob"), strict=True))
    _, told, _ = checked(orders, report=Table(game, {}, 3, seats, GAME).report(side))
    said = told.split("\n\n")[2].split("\n")
    assert len(" ".join(line.strip() for line in said)) > WIDTH
    assert max(map(len, said)) <= WIDTH
    assert said[1].startswith("  ")


def test_a_head_is_compared_with_the_report(checked: Check, table: Table) -> None:
    right = f"pbem1 orders\ngame {GAME}\nexchange 2\nside scotland\n---\ncard 1\n"
    status, told, _ = checked(right, report=table.report("scotland"))
    assert status == 0
    assert told.startswith(f"Game {GAME}, exchange 2: orders for Scotland, not sent yet\n")


def test_by_the_last_report_of_the_home(
    checked: Check, monkeypatch: pytest.MonkeyPatch, alice: Home, play: Play, invited: Judge, table: Table
) -> None:
    play(1)
    since, text = len(invited.entries), table.report("scotland")
    invited.close(2)
    invited.resolve(2, {"north": text})
    alice.receive(invited.mail(replace(invited.letter(2, since=since), report=text)).encode())
    monkeypatch.setenv("PBEM_HOME", str(alice.path))
    status, told, _ = checked("card 2\nmove none\n")
    assert status == 0
    assert "You play the card 2.\nNobody moves." in told


@pytest.mark.parametrize(
    ("text", "report", "told"),
    [
        ("card 2", None, "the orders do not say for which game; you play: none yet"),
        ("card 2", "nothing to see", "the report has no lines between 'begin view' and 'end view'"),
        ("", "nothing to see", "the file is empty"),
        (
            "pbem1 orders\nside scotland\ncard 2\n",
            "nothing",
            "line 3: 'card 2' cannot stand above the line ---",
        ),
    ],
)
def test_what_cannot_be_checked_is_told(text: str, report: str | None, told: str, checked: Check) -> None:
    status, _, shown = checked(text, report=report)
    assert status == 1
    assert told in shown


def test_before_the_game_has_begun_there_is_nothing_to_go_by(
    checked: Check, alice: Home, invited: Judge
) -> None:
    """The invitation is no report to check orders by."""
    with pytest.raises(
        Refused, match="has not begun, so you cannot order anything yet: answer the invitation"
    ):
        alice.check(ORDERS.encode(), game=GAME)
    status, told, error = checked(ORDERS, "--game", GAME)
    assert (status, told) == (1, "")
    assert "you play no game called hearth from this home" in error


def test_for_programs(checked: Check, table: Table) -> None:
    status, told, _ = checked(ORDERS, "--json", report=table.report("scotland"))
    facts = json.loads(told)
    assert (status, facts["faulty"]) == (1, True)
    assert facts["understood"][0] == "You play the card 2."
    assert [fault["line"] for fault in facts["faults"]] == [3]
    assert any("Wallace: from Fife to Atholl" in line for line in facts["forecast"])
