"""A player's home against a judge who may lie: histories that part, harvests, receipts, old letters, kills.

The judge keeps several histories of one game and sends letters of any, in any order and of any age. What the
home has taken in is told beside it by leaves alone: a letter goes on from there, comes too soon, or proves
two histories. Whatever comes, no step leaves before a signed opening of its exchange, nothing is signed after
two histories, and what was held against the judge stays.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from functools import partial
from itertools import count
from pathlib import Path

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from pbem.errors import PbemError
from pbem.player.faults import Contradiction, Fork, Incomplete, Refused
from pbem.player.outgoing.ordering import SealedOrders
from pbem.trust import keys, orderfile
from pbem.trust.entries import Entry, Open, Other, Received
from pbem.trust.ledger import Receipt
from pbem.trust.letters import ReportLetter
from tests.player.conftest import Made
from tests.player.judge import GAME, START, Judge
from tests.player.tools import Stopped, folder, killed_at, tree
from tests.properties.machines import play

MALLORY = keys.generate("mallory")
MAX_HISTORIES = 3
histories = st.integers(0, MAX_HISTORIES - 1)
kills = st.just(0) | st.integers(1, 7)
"""At which written file the program is killed; 0: it is not."""


class HomeMachine(RuleBasedStateMachine):
    """Alice's home, and a judge of as many histories as he likes."""

    def __init__(self, place: Path, made: Made) -> None:
        super().__init__()
        shutil.rmtree(place, ignore_errors=True)
        self.alice = made.home(place, "alice")
        made.join(self.alice)
        self.judges = [made.stage(0, self.alice)]
        self.notes = count(1)
        self.kept: list[tuple[str, Entry]] = []
        """What the home has taken in: leaf and entry."""
        self._took(self.judges[0], len(self.judges[0].entries))
        self.sent: dict[str, SealedOrders] = {}
        self.held: dict[int, Receipt] = {}
        self.forked = False
        self.evidence: dict[str, bytes] = {}

    # -- what ought to be

    def _took(self, judge: Judge, size: int) -> None:
        self.kept += list(zip(judge.leaves, judge.entries, strict=True))[len(self.kept) : size]

    @property
    def opened(self) -> int:
        """The exchange that is open, by what was taken in."""
        return max(entry.exchange for _, entry in self.kept if isinstance(entry, Open))

    @property
    def denied(self) -> bool:
        """Is there a receipt for orders of a closed exchange that the ledger does not name?"""
        entered = {entry.sealed for _, entry in self.kept if isinstance(entry, Received)}
        return any(one.exchange < self.opened and one.sealed not in entered for one in self.held.values())

    def _verdict(self, judge: Judge, since: int, size: int) -> type[PbemError] | None:
        """What a letter with the entries after `since` up to `size` must be refused with."""
        known = len(self.kept)
        if since > known:
            return Incomplete
        both = min(size, known)
        is_same = judge.leaves[:both] == [leaf for leaf, _ in self.kept[:both]]
        return None if is_same else Fork

    # -- the judge

    def judge(self, number: int) -> Judge:
        return self.judges[number % len(self.judges)]

    @precondition(lambda self: len(self.judges) < MAX_HISTORIES)
    @rule(number=histories, back=st.integers(0, 2))
    def part(self, number: int, back: int) -> None:
        """Another history: it goes on from here in its own way, or from a backup."""
        new = self.judge(number).copy()
        openings = [at for at, entry in enumerate(new.entries, 1) if isinstance(entry, Open)]
        size = openings[-1 - min(back, len(openings) - 1)]
        del new.entries[size:], new.salts[size:]
        new.reveals.clear()
        new.add(Other(first=f"note history {next(self.notes)}"))
        self.judges.append(new)

    @rule(number=histories, takes=st.booleans())
    def resolve(self, number: int, takes: bool) -> None:
        """The open exchange ends, with the player's last orders, if they are taken, or without."""
        judge = self.judge(number)
        exchange = self._open(judge)
        files = [one for one in self.sent.values() if one.exchange == exchange]
        if takes and files:
            file = files[-1]
            judge.reveals["alice"] = self._opened(file).reveal  # type: ignore[assignment]
            judge.add(Received(exchange=exchange, player="alice", rev=file.rev, sealed=file.name, at=START))
        judge.close(exchange)
        judge.resolve(exchange)

    @rule(number=histories, body=st.sampled_from(("", "one\n")), lies=st.booleans())
    def exchange(self, number: int, body: str, lies: bool) -> None:
        """As it should go, but for a judge who leaves out what he has given a receipt for."""
        self.letter(number, None, 0, 0)
        self.seal(body)
        if self.sent:
            self._receipt(list(self.sent.values())[-1], max(self.held, default=0) + 1, 0)
        self.resolve(number, not lies)
        self.letter(number, None, 0, 0)

    @staticmethod
    def _open(judge: Judge) -> int:
        return max(entry.exchange for entry in judge.entries if isinstance(entry, Open))

    def _opened(self, file: SealedOrders) -> orderfile.OrderFile:
        """As a judge opens it."""
        judge = self.judges[0]
        key = judge.seal_key(file.exchange, "alice")
        return orderfile.open_orders(file.sealed, key, judge.due(file.exchange, "alice"))

    # -- his letters

    @rule(number=histories, since=st.none() | st.integers(0, 40), age=st.integers(0, 2), kill=kills)
    def letter(self, number: int, since: int | None, age: int, kill: int) -> None:
        """A letter of any history and age; `since`: from which entry on, if not just what is lacking."""
        judge = self.judge(number)
        exchange = max(0, self._open(judge) - 1 - age)
        size = judge.numbers(Open, exchange + 1)[-1] if age else len(judge.entries)
        start = min(size, len(self.kept) if since is None else since)
        wanted = self._verdict(judge, start, size)
        self._receive(judge.letter(exchange, since=start, size=size), judge, wanted, kill)

    @rule(number=histories, steps=st.integers(1, 6), closes=st.booleans())
    def harvest(self, number: int, steps: int, closes: bool) -> None:
        """An exchange is opened before its time, so that the player shows steps that are not due."""
        judge = self.judge(number).copy()
        exchange, since = self._open(judge), min(len(self.kept), len(judge.entries))
        if closes:
            judge.close(exchange)
            judge.add(judge.resolution(exchange))
        judge.open(exchange + steps + closes)
        wanted = self._verdict(judge, since, len(judge.entries)) or Contradiction
        self._receive(judge.notice(exchange, since=since), judge, wanted, 0)

    def _receive(self, letter: ReportLetter, judge: Judge, wanted: type[PbemError] | None, kill: int) -> None:
        """Take a letter in, twice if the program was killed at it."""
        mail = judge.mail(letter).encode()
        if kill:
            try:
                with killed_at(kill, after=bool(kill % 2)):
                    self.alice.receive(mail)
            except (Stopped, PbemError):
                pass
        if wanted is None:
            self._took(judge, letter.checkpoint.size)
            wanted = Contradiction if self.denied else None
        self.forked = self.forked or wanted is Fork
        self._taken(mail, wanted)

    def _taken(self, mail: bytes, wanted: type[PbemError] | None) -> None:
        if wanted is None:
            self.alice.receive(mail)
            return
        with pytest.raises(PbemError) as caught:
            self.alice.receive(mail)
        assert type(caught.value) is wanted, caught.value

    @rule(number=histories, since=st.integers(0, 9))
    def forge(self, number: int, since: int) -> None:
        """Somebody else signs a letter: nothing comes of it."""
        judge = self.judge(number).copy()
        judge.key = MALLORY
        before = tree(self.alice.path)
        with pytest.raises(PbemError, match="this is signed with the key"):
            self.alice.receive(judge.mail(judge.letter(0, since=min(since, len(judge.entries)))).encode())
        assert tree(self.alice.path) == before

    @precondition(lambda self: self.sent)
    @rule(data=st.data(), number=st.integers(1, 6), kill=kills)
    def receipt(self, data: st.DataObject, number: int, kill: int) -> None:
        """A receipt for a file that was sent, with a number that is due, is taken, or leaves a gap."""
        self._receipt(data.draw(st.sampled_from(list(self.sent.values()))), number, kill)

    def _receipt(self, file: SealedOrders, number: int, kill: int) -> None:
        judge = self.judges[0]
        judge.receipts["alice"] = number - 1
        receipt = judge.receipt(file.exchange, "alice", file.rev, file.sealed)
        mail = judge.signed_receipt(receipt)
        lies = any(
            (one.number == number or one.sealed == file.name)
            and (one.number, one.sealed) != (number, file.name)
            for one in self.held.values()
        )
        if kill:
            try:
                with killed_at(kill, after=bool(kill % 2)):
                    self.alice.receive(mail)
            except (Stopped, PbemError):
                pass
        if not lies:
            self.held[number] = receipt
        self._taken(mail, Contradiction if lies or self.denied else None)

    # -- the player

    @rule(body=st.sampled_from(("", "one\n", "two\n")))
    def seal(self, body: str) -> None:
        """Orders leave, of the exchange whose opening was taken in, with its step, and not after a fork."""
        if self.forked:
            with pytest.raises(Refused, match="has signed two histories"):
                self.alice.seal(f"pbem1 orders\n---\n{body}")
            return
        file = self.alice.seal(f"pbem1 orders\n---\n{body}")
        orders = self._opened(file)
        assert (file.exchange, orders.exchange) == (self.opened, self.opened)
        assert orders.reveal is not None
        assert orders.reveal.step == self.opened
        self.sent[file.name] = file

    @rule(exchange=st.integers(1, 9))
    def seal_ahead(self, exchange: int) -> None:
        """A draft that names an exchange to come bares nothing."""
        if exchange > self.opened:
            with pytest.raises(Refused):
                self.alice.seal(f"pbem1 orders\nexchange {exchange}\n---\n")

    # -- what stays

    @invariant()
    def what_proves_something_stays(self) -> None:
        """Signed heads, receipts and evidence, byte for byte."""
        held = {name: data for name, data in tree(folder(self.alice)).items() if name.startswith("held/")}
        assert {name: held.get(name) for name in self.evidence} == self.evidence
        self.evidence = held
        numbers = self.alice.folder(GAME).judge_statements.receipts()
        assert {number: one.receipt for number, one in numbers.items()} == self.held
        assert bool(self.alice.folder(GAME).judge_statements.forks()) == self.forked

    @invariant()
    def the_ledger_is_what_was_taken_in(self) -> None:
        """Nothing more, nothing less, and no step beyond it has left."""
        assert list(self.alice.folder(GAME).leaves()) == [leaf for leaf, _ in self.kept]
        assert all(file.exchange <= self.opened for file in self.alice.folder(GAME).sent_files.orders())


Play = Callable[..., None]


@pytest.fixture
def home(tmp_path: Path, _made: Made) -> Play:
    """Plays so many examples of so many steps."""
    return partial(play, lambda: HomeMachine(tmp_path / "example", _made))


@pytest.mark.ci
def test_a_home_whatever_its_judge_signs(home: Play) -> None:
    home(1, examples=30, steps=20)


@pytest.mark.slow
def test_many_homes(home: Play, seeds: range) -> None:
    for number in seeds:
        home(number, examples=20, steps=40)
