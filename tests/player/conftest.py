"""Two players with homes of their own, and a judge."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from pbem.player import Home
from tests.conftest import chance
from tests.player.judge import GAME, START, Judge
from tests.player.tools import told


@dataclass(frozen=True)
class Made:
    """Folders that each test copies.

    Below `keys` are homes with a key, below `joined` homes after joining, with the joins. The stages of an
    honest game are named by their last exchange; each has the judge at that time.
    """

    folder: Path
    joins: dict[str, bytes]
    stages: dict[int, Judge] = field(default_factory=dict)

    def home(self, folder: Path, name: str) -> Home:
        """A player's home with a key."""
        return Home(shutil.copytree(self.folder / "keys" / name, folder / name), clock=lambda: START)

    def join(self, home: Home) -> bytes:
        """They join the game; what they send."""
        shutil.copytree(self.folder / "joined" / home.path.name, home.path, dirs_exist_ok=True)
        return self.joins[home.path.name]

    def stage(self, last: int, *homes: Home) -> Judge:
        """An honest game up to the report of this exchange, as the homes hold it; its judge."""
        if last not in self.stages:
            with chance.of(f"exchange {last}"):
                judge, since = self._exchange(last)
                self.stages[last] = told(judge, last, *self._homes(last), since=since)
        for home in homes:
            shutil.copytree(self.folder / str(last) / home.path.name, home.path, dirs_exist_ok=True)
        return self.stages[last].copy()

    def _exchange(self, last: int) -> tuple[Judge, int]:
        """The judge who has resolved this exchange, and the number of entries that the players know."""
        if last == 0:
            shutil.copytree(self.folder / "joined", self.folder / "0")
            judge = Judge()
            judge.begin(*self.joins.values())
            return judge, 0
        judge = self.stage(last - 1)
        since = len(judge.entries)
        shutil.copytree(self.folder / str(last - 1), self.folder / str(last))
        sent = {home.path.name: home.seal(None, game=GAME).sealed for home in self._homes(last)}
        judge.exchange(last, sent)
        return judge, since

    def _homes(self, last: int) -> list[Home]:
        return [Home(self.folder / str(last) / name, clock=lambda: START) for name in self.joins]


@pytest.fixture(autouse=True)
def _no_waiting_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Power does not fail here, and thousands of small files would each wait for the disk."""
    monkeypatch.setattr(os, "fsync", lambda _: None)


def make_homes(folder: Path) -> Made:
    """The homes, each made once."""
    joins = {}
    for name in ("alice", "bob"):
        home = Home(folder / "keys" / name, clock=lambda: START)
        home.keygen(name)
        shutil.copytree(home.path, folder / "joined" / name)
        joins[name] = Home(folder / "joined" / name, clock=lambda: START).join(GAME, player=name, judge=None)
    return Made(folder, joins)


@pytest.fixture(scope="session")
def _made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    return make_homes(tmp_path_factory.mktemp("homes"))


@pytest.fixture
def alice(tmp_path: Path, _made: Made) -> Home:
    """Alice's home with her key."""
    return _made.home(tmp_path, "alice")


@pytest.fixture
def bob(tmp_path: Path, _made: Made) -> Home:
    """Bob's home with his key."""
    return _made.home(tmp_path, "bob")


@pytest.fixture
def joins(alice: Home, bob: Home, _made: Made) -> tuple[bytes, ...]:
    """Alice and bob join the game; what they send to the judge."""
    return tuple(_made.join(home) for home in (alice, bob))


@pytest.fixture
def judge(joins: tuple[bytes, ...], _made: Made) -> Judge:
    """A game that alice and bob have joined and nobody has been invited to."""
    return _made.stage(0)


@pytest.fixture
def invited(alice: Home, bob: Home, judge: Judge, _made: Made) -> Judge:
    """A game to which alice and bob have received their invitations."""
    _made.stage(0, alice, bob)
    return judge


@pytest.fixture
def play(alice: Home, bob: Home, invited: Judge, _made: Made) -> Callable[[int], None]:
    """Plays the exchanges up to one, honestly; both players have received the last report."""

    def up_to(last: int) -> None:
        assert len(invited.entries) == 2, "the game has gone on already"
        vars(invited).update(vars(_made.stage(last, alice, bob)))

    return up_to
