"""The game from its installation to its end: by a judge and three players, audited, explained, practised."""

from __future__ import annotations

import io
import re
import subprocess
from datetime import timedelta
from pathlib import Path

import pytest

from pbem.cli import main
from pbem.judge.club import open_club
from pbem.judge.tables.database import wall_clock
from pbem.practice.table import Table
from pbem.titles import load
from tests.harvest.conftest import GAME, PLAYERS, RULES, Three

pytestmark = pytest.mark.ci


def test_no_file_elsewhere_names_it(project: Path) -> None:
    """But for the document that it comes from."""
    known = subprocess.run(["git", "ls-files", "-z"], cwd=project, capture_output=True, text=True, check=True)
    texts = [
        name
        for name in known.stdout.split("\0")
        if name.endswith((".py", ".toml", ".md", ".j2", "/run")) and not name.startswith(f"tests/{RULES}/")
    ]
    word = re.compile(rf"[\"'/`]{RULES}\b(?!/test_)|\b{RULES.title()}\b|(import|from) {RULES}\b")
    named = [name for name in texts if word.search((project / name).read_text(encoding="utf-8"))]
    assert named == ["pbem/docs/writing-a-game.md"]


def test_a_whole_game_by_the_judge(begun: Three) -> None:
    while "over" not in begun.bids(*PLAYERS):
        pass
    last = begun.last_report("carol")
    assert "THE GAME IS OVER" in last
    assert "points" in last
    begun.bundle()
    assert "played again, every exchange is as the ledger says" in begun.audit
    assert "refuted" not in begun.audit
    told = begun.pbem("explain", GAME, "bids west").out
    assert "die of 6" in told
    assert "R1 A farm that has left (3)" in told
    card = re.search(r"'bid (\d+)'", told)
    assert card, told
    assert f"bid {card[1]}" in begun.pbem("explain", GAME, "bid", card[1]).out, (
        "an order is found as it is written"
    )
    changed = begun.pbem("what-if", GAME, "2", "--side", "west", "--line", "bid 99").out
    assert "it decides nothing" in changed


def test_a_forecast_says_what_will_come_of_orders(begun: Three) -> None:
    begun.send("alice", f"bid {begun.hand('alice')[-1]}")
    begun.pbem("run")
    forecast = max((begun.folder / "club/out/alice").glob("*forecast*"))
    told = begun.pbem("receive", forecast, home="alice").out
    assert f"Which card do you bid (3): bid {begun.hand('alice')[-1]}." in told
    assert "Then it depends on the others." in told


def test_who_is_silent_can_be_claimed_and_the_others_play_on(
    begun: Three, monkeypatch: pytest.MonkeyPatch
) -> None:
    for exchange in (1, 2):
        for name in ("alice", "carol"):
            begun.send(name, f"bid {begun.hand(name)[0]}")
        later = timedelta(days=30 * exchange)
        monkeypatch.setattr(open_club, "__defaults__", (lambda: wall_clock() + later, None))  # noqa: B023
        assert "resolved" in begun.pbem("run", "--after-gap").out
    for letter in (begun.folder / "club/out").glob("*/*silence*"):
        assert "has sent nothing" in letter.read_text(), "it is for a person to read, and not for a program"
        letter.unlink()
    store = open_club(begun.folder / "club").store
    told = store.letter_text(GAME, "alice", f"{GAME}-0003-silence-of-bob.txt")
    assert told is not None
    assert "when all the others have claimed it" in told
    exchange = begun.open_exchange()
    consents = []
    for name in ("alice", "carol"):
        path = begun.folder / f"{name}.consent"
        begun.pbem("consent", GAME, exchange, "claim", "bob", "--as", name, "--out", path, home=name)
        consents += ["--consent", path]
    refused = begun.pbem("act", GAME, "claim", "bob", "--reason", "silent", *consents[:2], status=1).err
    assert "carol has not claimed" in refused
    begun.pbem("act", GAME, "claim", "bob", "--reason", "silent", *consents)
    begun.bids("alice", "carol")
    assert "the game is over" in begun.pbem("status").out
    begun.bundle()
    assert "refuted" not in begun.audit


def test_a_bot_answers_what_a_report_asks_though_the_game_brings_no_bot(begun: Three) -> None:
    report = begun.folder / "report.txt"
    report.write_text(begun.last_report("alice"))
    head, _, body = begun.pbem("bot", report).out.partition("---\n")
    assert "side north" in head
    assert body.removeprefix("bid ").rstrip() in begun.hand("alice")


def test_a_practice_game(
    installed: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("bid 99\nsend\nsend\nsend\nsend\nsend\nsend\n"))
    assert main(["practice", "--game", RULES, "--seed", "1"]) == 0
    shown = capsys.readouterr().out
    assert "Report to West (you)" in shown
    assert "'bid 99' was left out: you could choose bid" in " ".join(shown.split())
    assert "THE GAME IS OVER" in shown


def test_a_shared_win_is_told_with_its_places(installed: Path) -> None:
    table = Table(RULES, {}, 3)
    view = table.view("north")
    end = {"winner": None, "reason": "6 points", "places": [["north", "west"], ["south"]]}
    said = load(RULES).words.outcome({**view, "outcome": end})
    assert said == "North and West share the win: 6 points. 1. North and West. 2. South."
