"""A club that plays the game, and three players; every step is a command of the program, as people run it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.disputes.story import Story
from tests.titles.installed import install_games

GAME = "stirling"
RULES = Path(__file__).parent.name
PLAYERS = {"alice": "north", "bob": "south", "carol": "west"}


@dataclass
class Three(Story):
    """A folder in which three play."""

    def begin(self, *options: str) -> None:
        """A club, three keys, a game."""
        self.pbem("init", self.folder / "club", "--name", "test")
        seats: list[str] = []
        for name, side in PLAYERS.items():
            self.pbem("keygen", name, home=name)
            join = self.folder / f"{name}.join"
            judge = self.folder / "club/keys/gm.pub"
            self.pbem("join", GAME, "--as", name, "--judge", judge, "--out", join, home=name)
            self.pbem("player", "add", name, join)
            seats += ["--seat", f"{side}={join}"]
        self.pbem("new", GAME, "--rules", RULES, *seats, *options)

    def orders(self, **bodies: str) -> str:
        """Those who are named send orders, and the judge adjudicates."""
        for name, body in bodies.items():
            self.send(name, body)
        return self.pbem("run").out

    def bids(self, *names: str) -> str:
        """Everybody who is named bids the lowest card in the last report, on purpose."""
        return self.orders(**{name: f"bid {self.hand(name)[0]}" for name in names})

    def hand(self, name: str) -> list[str]:
        """The cards that a player's last report shows."""
        report = self.last_report(name)
        rows = (line for line in report.splitlines() if " points; " in line)
        row = next(row for row in rows if row.startswith(PLAYERS[name].capitalize()))
        return row.partition("; ")[2].split(", ")

    def last_report(self, name: str) -> str:
        """The last report that a player was sent, as text."""
        self.receive(name)
        folder = self.folder / name / "games" / GAME / "reports"
        reports = (path.read_text(encoding="utf-8") for path in sorted(folder.iterdir(), reverse=True))
        return next(report for report in reports if "begin view" in report)

    def open_exchange(self) -> int:
        """The number of the exchange that is open."""
        from pbem.judge.club import open_club

        current = open_club(self.folder / "club").book(GAME).history.current
        assert current is not None
        return current.number

    def ledger(self) -> str:
        """Every entry as a bundle of everything tells it."""
        folder = self.bundle() / "log"
        return "\n".join(path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.entry")))


@pytest.fixture(scope="session")
def installed() -> Path:
    """Where the game is installed."""
    return install_games()


@pytest.fixture
def three(installed: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Iterator[Three]:
    """A game that waits for its players' ready."""
    before = dict(os.environ)
    story = Three(tmp_path, capsys)
    story.begin()
    yield story
    os.environ.clear()
    os.environ.update(before)


@pytest.fixture
def begun(three: Three) -> Three:
    """A game in its first round."""
    three.orders(alice="", bob="", carol="")
    return three
