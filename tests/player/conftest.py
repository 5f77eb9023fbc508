"""Two players with homes of their own, and a judge."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from pbem.player import Home
from tests.player.judge import GAME, START, Judge


@pytest.fixture(autouse=True)
def _no_waiting_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Power does not fail here, and thousands of small files would each wait for the disk."""
    monkeypatch.setattr(os, "fsync", lambda _: None)


@pytest.fixture
def alice(tmp_path: Path) -> Home:
    """Alice's home with her key."""
    return _player(tmp_path, "alice")


@pytest.fixture
def bob(tmp_path: Path) -> Home:
    """Bob's home with his key."""
    return _player(tmp_path, "bob")


@pytest.fixture
def judge(alice: Home, bob: Home) -> Judge:
    """A game that alice and bob have joined and nobody has been invited to."""
    judge = Judge()
    judge.begin(alice.join(GAME, player="alice", judge=None), bob.join(GAME, player="bob", judge=None))
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


def _player(folder: Path, name: str) -> Home:
    home = Home(folder / name, clock=lambda: START)
    home.keygen(name)
    return home
