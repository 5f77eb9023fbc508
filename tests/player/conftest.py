"""Two players with homes of their own, and a judge."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from pbem.player import Home
from tests.player.judge import GAME, START, Judge


@dataclass(frozen=True)
class Made:
    """Homes that each test copies: below `keys` with a key, below `joined` after joining; and the joins."""

    folder: Path
    joins: dict[str, bytes]

    def home(self, folder: Path, name: str) -> Home:
        """A player's home with a key."""
        return Home(shutil.copytree(self.folder / "keys" / name, folder / name), clock=lambda: START)

    def join(self, home: Home) -> bytes:
        """They join the game; what they send."""
        shutil.copytree(self.folder / "joined" / home.path.name, home.path, dirs_exist_ok=True)
        return self.joins[home.path.name]


@pytest.fixture(autouse=True)
def _no_waiting_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Power does not fail here, and thousands of small files would each wait for the disk."""
    monkeypatch.setattr(os, "fsync", lambda _: None)


@pytest.fixture(scope="session")
def _made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """The homes, each made once."""
    folder = tmp_path_factory.mktemp("homes")
    joins = {}
    for name in ("alice", "bob"):
        home = Home(folder / "keys" / name, clock=lambda: START)
        home.keygen(name)
        shutil.copytree(home.path, folder / "joined" / name)
        joins[name] = Home(folder / "joined" / name, clock=lambda: START).join(GAME, player=name, judge=None)
    return Made(folder, joins)


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
def judge(joins: tuple[bytes, ...]) -> Judge:
    """A game that alice and bob have joined and nobody has been invited to."""
    judge = Judge()
    judge.begin(*joins)
    return judge


@pytest.fixture
def invited(alice: Home, bob: Home, judge: Judge) -> Judge:
    """A game to which alice and bob have received their invitations."""
    alice.receive(judge.mail(judge.letter(0)).encode())
    bob.receive(judge.mail(judge.letter(0, "bob")).encode())
    return judge


@pytest.fixture
def play(alice: Home, bob: Home, invited: Judge) -> Callable[[int], None]:
    """Plays the exchanges up to one, honestly; both players have received the last report."""

    def up_to(last: int) -> None:
        for exchange in range(1, last + 1):
            since = len(invited.entries)
            homes = {"alice": alice, "bob": bob}
            sent = {name: home.seal(None, game=GAME).sealed for name, home in homes.items()}
            invited.exchange(exchange, sent)
            for name, home in homes.items():
                home.receive(invited.mail(invited.letter(exchange, name, since=since)).encode())

    return up_to
