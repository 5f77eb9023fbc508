"""Two devices play one game from copies of one home, which is carried to and fro at moments drawn by a seed.

Letters and receipts come to each device late, and always in order. The judge takes files as protocol 3 and 4
say. Once a device has all letters, its states are those of the ledger, and no order that counts surprises it.
"""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest

from pbem.player import Home
from pbem.player.outgoing.ordering import SealedOrders
from pbem.trust.entries import Received, Refused
from pbem.web import homefile
from tests.player.conftest import Made
from tests.player.judge import GAME, START, Judge

Entered = TypeVar("Entered", Received, Refused)
EXCHANGES = 10
"""As many as a year of Braveheart has, about."""
STEPS = 8
WORDS = ("", "one\n", "two\n")


class Devices:
    """A desk and a telephone, and the judge to whom both write."""

    def __init__(self, place: Path, made: Made, seed: int) -> None:
        shutil.rmtree(place, ignore_errors=True)
        self.chance = random.Random(seed)
        desk = made.home(place / "desk", "alice")
        made.join(desk)
        self.judge: Judge = made.stage(0, desk)
        self.homes = [desk, Home(place / "telephone/alice", clock=lambda: START)]
        homefile.unpack(homefile.pack(desk.path), self.homes[1].path)
        self.letters: list[bytes] = []
        self.read = [0, 0]
        self.size = len(self.judge.entries)
        self.told: list[set[str]] = [set(), set()]
        """What each device was told of files from elsewhere, by all remarks."""

    def carry(self) -> None:
        """The home of one device takes the place of the other's."""
        here = self.chance.randrange(2)
        data, there = homefile.pack(self.homes[here].path), 1 - here
        shutil.rmtree(self.homes[there].path)
        homefile.unpack(data, self.homes[there].path)
        self.read[there], self.told[there] = self.read[here], set(self.told[here])

    def take_in(self, device: int, most: int) -> None:
        for letter in self.letters[self.read[device] :][:most]:
            for arrival in self.homes[device].receive(letter):
                self.told[device].update(arrival.remarks)
            self.read[device] += 1

    def seal(self, exchange: int) -> None:
        """A device seals what it may, stale or not, and mails it, or not yet."""
        home = self.homes[self.chance.randrange(2)]
        made = home.seal(f"pbem1 orders\n---\n{self.chance.choice(WORDS)}")
        if made.exchange == exchange and self.chance.random() < 0.8:
            self.enter(made)

    def enter(self, made: SealedOrders) -> None:
        entries = [one for one in self.judge.entries if isinstance(one, Received | Refused)]
        if any(one.sealed == made.name for one in entries):
            return
        taken = {one.rev for one in entries if isinstance(one, Received) and one.exchange == made.exchange}
        if made.rev in taken:
            number = made.exchange
            self.judge.add(
                Refused(
                    exchange=number, player="alice", of=number, sealed=made.name, reason="rev-taken", at=START
                )
            )
            return
        self.judge.receive(made.exchange, "alice", made.sealed)
        receipt = self.judge.receipt(made.exchange, "alice", made.rev, made.sealed)
        self.letters.append(self.judge.signed_receipt(receipt))

    def play(self) -> None:
        for exchange in range(1, EXCHANGES + 1):
            for _ in range(STEPS):
                act = self.chance.randrange(4)
                if act == 0:
                    self.carry()
                elif act == 1:
                    self.take_in(self.chance.randrange(2), self.chance.randrange(4))
                else:
                    self.seal(exchange)
            self._post(self.judge.mail(self.judge.notice(exchange, since=self.size)))
            self.look(exchange)
            self.judge.close(exchange)
            self.judge.resolve(exchange)
            self._post(self.judge.mail(self.judge.letter(exchange, since=self.size)))
            self.judge_is_no_surprise(exchange)

    def _post(self, mail: str) -> None:
        self.letters.append(mail.encode())
        self.size = len(self.judge.entries)

    def look(self, exchange: int) -> None:
        """With all letters, what each device says of each file is what the ledger says."""
        received = {one.sealed for one in self._of(Received, exchange)}
        refused = {one.sealed for one in self._of(Refused, exchange)}
        for device, home in enumerate(self.homes):
            if self.chance.random() < 0.5:
                continue
            self.take_in(device, len(self.letters))
            (status,) = home.games()
            states = {one.sealed: one.state for one in status.files}
            assert {name for name, state in states.items() if state == "receipted"} == received
            assert {name for name, state in states.items() if state == "refused"} == refused

    def judge_is_no_surprise(self, exchange: int) -> None:
        """What counts was sealed on this device, or told as another file of the player's."""
        counted = max(self._of(Received, exchange), key=lambda one: one.rev, default=None)
        for device, home in enumerate(self.homes):
            if counted is None or self.chance.random() < 0.5:
                continue
            self.take_in(device, len(self.letters))
            own = {one.name for one in home.folder(GAME).sent_files.orders()}
            told = any(counted.sealed[:16] in said and "another file" in said for said in self.told[device])
            assert counted.sealed in own or told

    def _of(self, kind: type[Entered], exchange: int) -> list[Entered]:
        return [one for one in self.judge.entries if isinstance(one, kind) and one.exchange == exchange]


Play = Callable[[int], None]


@pytest.fixture
def two_devices(tmp_path: Path, _made: Made) -> Play:
    """Plays the game of a seed, and names the seed if it fails."""

    def play(seed: int) -> None:
        try:
            Devices(tmp_path / "devices", _made, seed).play()
        except Exception as fault:
            raise AssertionError(f"two devices, seed {seed}") from fault

    return play


@pytest.mark.ci
@pytest.mark.parametrize("seed", range(1, 5))
def test_two_devices_play_a_few_games(two_devices: Play, seed: int) -> None:
    two_devices(seed)


@pytest.mark.slow
def test_two_devices_play_two_hundred_games(two_devices: Play) -> None:
    for seed in range(200):
        two_devices(seed)
