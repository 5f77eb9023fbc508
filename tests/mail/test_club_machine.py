"""A club by mail, whatever order things come in: files, clock, kills, a mailbox that is away.

What players write, what the judge does and what befalls it are drawn; `club_model` says what ought to be in
the ledger, the checker of folders that nothing is wrong, and in the end every receipt has come.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from email.message import Message
from functools import partial
from itertools import count
from pathlib import Path

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from pbem.judge.deadlines.running_deadlines import BACKWARDS, MAX_GAP
from pbem.judge.letters.letter_files import resend
from pbem.mail.mail_problems import troubles
from pbem.trust.armor import find_blocks
from pbem.trust.chance import Reveal
from pbem.trust.ledger import Receipt, parse_receipt
from pbem.trust.orderfile import Seen
from pbem.trust.sealing import MAX_SEALED_REPORT_SIZE, open_sealed, sealed_name, to_armor
from tests.judge.table import GAME, START, Person
from tests.mail.club_model import FLAWS, File, Model, Sealed
from tests.mail.postal import make_postal
from tests.mail.servers import Post, smtp_server
from tests.mail.test_kill_mail import killed
from tests.properties.machines import play
from tests.trust.sealed import seal_orders

HOURS = (0, 1, 12, 40, 60, 7 * 24, -1, -30)
"""What the clock does before a pass."""
players = st.sampled_from(("alice", "bob"))


class ClubMachine(RuleBasedStateMachine):
    """A club with one game; its players write, and its judge makes passes."""

    def __init__(self, folder: Path, post: Post, port: int) -> None:
        super().__init__()
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        post.folder = folder / "post"
        self.postal = make_postal(folder, port, post)
        self.table, self.post, self.inbox = self.postal.table, post, post.box("judge")
        self.model = Model(tuple(sorted(self.table.people)))
        self.written: list[Sealed] = []
        self.armor: dict[str, bytes] = {}
        self.waiting: list[Sealed] = []
        """On their way to the mailbox, in no order."""
        self.lying: list[Sealed] = []
        """In the mailbox, in the order in which they came; nobody has looked at them."""
        self.looked_at = 0
        self.mails = count(1)
        self.looked = {self.table.clock.now}
        """When deadlines were looked at last; more than one time, if nobody can say."""
        self.searched = self.table.clock.now
        """When the mailbox was looked through last, by the clock as it is now."""
        self.receipts: dict[str, dict[int, set[str]]] = {name: {} for name in self.model.players}
        self.postal.run()

    # -- the players

    def _write(self, file: File, person: Person, *, signer: Person | None = None) -> Sealed:
        """The file, signed and sealed."""
        book, number = self.table.book, self.table.exchange
        reveal = Reveal(f"{file.player}.1", number, person.chain.reveal(number))
        if "bad-reveal" in file.flaws:
            reveal = replace(reveal, value="0" * 64)
        if "wrong-step" in file.flaws:
            reveal = Reveal(f"{file.player}.1", number + 1, person.chain.reveal(number + 1))
        seen = Seen(book.size, book.head)
        if "old-seen" in file.flaws:
            seen = Seen(1, self.table.genesis)
        if "bad-seen" in file.flaws:
            seen = Seen(book.size, "0" * 64)
        others = {"alice": "bob", "bob": "alice"}
        side = self.table.people[others[file.player] if "wrong-side" in file.flaws else file.player].side
        orders = self.table.order_file(
            file.player, file.body, rev=file.rev, reveal=reveal, seen=seen, side=side
        )
        data = seal_orders(orders, (signer or person).key)
        sealed = Sealed(file, sealed_name(data), owned=signer is None)
        self.armor[sealed.name] = to_armor(data).encode()
        return sealed

    @precondition(lambda self: not self.model.over)
    @rule(
        player=players,
        rev=st.integers(1, 4),
        body=st.sampled_from(("", "card 1\n")),
        flaws=st.just(frozenset()) | st.frozensets(st.sampled_from(FLAWS), max_size=2),
        held=st.booleans(),
    )
    def write(self, player: str, rev: int, body: str, flaws: frozenset[str], held: bool) -> None:
        """Orders for the open exchange, with or without flaws; `held`: they come later, if at all."""
        for one, hides in (("bad-seen", "old-seen"), ("wrong-step", "bad-reveal")):
            flaws -= {hides} if one in flaws else set()
        seen = 1 if "old-seen" in flaws else self.table.book.size
        file = File(player, self.model.exchange, rev, body, flaws, seen)
        self._posted(self._write(file, self.table.people[player]), held)

    @precondition(lambda self: not self.model.over and self.inbox.exists())
    @rule(hours=st.sampled_from(HOURS))
    def all_write(self, hours: int) -> None:
        """Nobody is at fault, and the exchange ends."""
        for player in self.model.players:
            self.write(player, 9, "", frozenset(), held=False)
        self.run_pass(hours, after_gap=False)

    @precondition(lambda self: not self.model.over)
    @rule(player=players)
    def forge(self, player: str) -> None:
        """Somebody signs for another player."""
        (other,) = (one for name, one in self.table.people.items() if name != player)
        file = File(player, self.model.exchange, 1, seen=self.table.book.size)
        self._posted(self._write(file, self.table.people[player], signer=other), held=False)

    @precondition(lambda self: self.written)
    @rule(data=st.data())
    def send_again(self, data: st.DataObject) -> None:
        """A mail comes twice, perhaps much later."""
        self._sent(data.draw(st.sampled_from(self.written)), held=False)

    @precondition(lambda self: self.written)
    @rule(data=st.data(), at=st.floats(0.2, 0.8))
    def garble(self, data: st.DataObject, at: float) -> None:
        """A mail whose file lost a line on its way."""
        one = data.draw(st.sampled_from(self.written))
        lines = self.armor[one.name].splitlines(keepends=True)
        del lines[int(len(lines) * at)]
        garbled = replace(one, name=f"{one.name} garbled {len(self.armor)}", owned=False)
        self.armor[garbled.name] = b"".join(lines)
        self._sent(garbled, held=False)

    def _posted(self, sealed: Sealed, held: bool) -> None:
        self.written.append(sealed)
        self._sent(sealed, held)

    def _sent(self, sealed: Sealed, held: bool) -> None:
        self.waiting.append(sealed)
        if self.inbox.exists() and not held:
            self._deliver(-1)

    @precondition(lambda self: self.waiting and self.inbox.exists())
    @rule(data=st.data())
    def deliver(self, data: st.DataObject) -> None:
        """One of the mails arrives, the first sent or another."""
        self._deliver(data.draw(st.integers(0, len(self.waiting) - 1)))

    def _deliver(self, at: int) -> None:
        sealed, number = self.waiting.pop(at), next(self.mails)
        there = set((self.inbox / "new").iterdir())
        sender = f"{sealed.file.player}@example.org"
        self.postal.send(self.armor[sealed.name], sender, Message_ID=f"<{number}@example.org>")
        (path,) = set((self.inbox / "new").iterdir()) - there
        os.utime(path, ns=(number, number))
        self.lying.append(sealed)

    # -- the judge, and what befalls it

    def _wait(self, hours: int) -> None:
        """Time passes, or the clock is set back."""
        self.table.clock.now += timedelta(hours=hours)
        if self.searched > self.table.clock.now:
            self.searched = START

    @rule(away=st.booleans())
    def mailbox(self, away: bool) -> None:
        """Its disk is not mounted, or is again."""
        off = self.inbox.with_name("unmounted")
        if away and self.inbox.exists():
            self.inbox.rename(off)
        elif not away and off.exists():
            off.rename(self.inbox)

    @rule(refusal=st.sampled_from(("", "451 try again later")))
    def server(self, refusal: str) -> None:
        """The mail server puts the judge off, or takes mail again."""
        self.post.refusal = refusal

    @rule(hours=st.sampled_from(HOURS), after_gap=st.booleans())
    def run_pass(self, hours: int, after_gap: bool) -> None:
        """A whole pass, some time later, or by a clock that was set back."""
        self._wait(hours)
        now = self.table.clock.now
        gaps = {one: now - one for one in self.looked if not after_gap}
        before = self.model.exchange
        self.postal.run(after_gap=after_gap)
        self._passed()
        long = {one for one, gap in gaps.items() if gap > MAX_GAP}
        back = {one for one, gap in gaps.items() if gap < -BACKWARDS}
        jumped = long | back
        if gaps and jumped == self.looked:
            assert self.model.exchange == before, "nobody has looked at the clock, and an exchange ended"
        if not jumped:
            assert self.model.over or not self.model.complete, "all have sent, and it waits"
        self.looked = jumped if gaps and jumped == back == self.looked else jumped | {now}

    @rule(count=st.integers(2, 8))
    def days_go_by(self, count: int) -> None:
        """A pass a day."""
        for _ in range(count):
            self.run_pass(24, after_gap=False)

    @rule(line=st.integers(1, 12))
    def kill(self, line: int) -> None:
        """The judge dies in a pass, between two of its steps."""
        club = self.table.club
        club.store.close()
        killed(club.path, self.table.clock, at_line=line)
        self.table.reopen()
        self.postal.watched[club.path].look()
        self.looked.add(self.table.clock.now)
        if self._closed():
            self._passed()  # it got as far as closing, so it had taken in all mail before

    def _passed(self) -> None:
        """The judge has looked at what lay in the mailbox, and perhaps closed an exchange."""
        sources = self.table.club.store.sources()  # by one who was killed then, perhaps: it is read once more
        fetched = sum(" " not in source for source in sources)
        if self.inbox.exists():
            self.searched = self.table.clock.now
        while self.lying and self.looked_at < fetched:
            self.model.take(self.lying.pop(0))
            self.looked_at += 1
        assert not (self.inbox.exists() and self.lying), "a mail was left lying"
        if not self._closed():
            return
        history = self.table.book.history
        exchange = history.exchanges[self.model.exchange - 1]
        assert exchange.closed is not None
        assert exchange.deadline is not None
        if not self.model.complete:
            assert exchange.closed.at is not None
            assert exchange.closed.at >= exchange.deadline, "closed early, and not all had sent"
            assert self.searched >= exchange.deadline, "nobody had looked for mail since its deadline"
        counted = {player: entry.sealed for player, entry in exchange.counted().items()}
        assert counted == self.model.counts(exchange.number), "other files count"
        self.model.exchange += 1
        self.model.over = history.current is None
        assert len(history.exchanges) <= self.model.exchange, "two exchanges were closed at once"

    def _closed(self) -> bool:
        """Has the judge closed an exchange that the model has open?"""
        history = self.table.book.history
        return not self.model.over and (
            history.current is None or len(history.exchanges) > self.model.exchange
        )

    # -- what is there

    @invariant()
    def the_ledger_is_what_it_ought_to_be(self) -> None:
        """All that ought to be entered, and nothing else; of what lies there as much as was looked at."""
        history = self.table.book.history
        received = [entry.sealed for one in history.exchanges for entry in one.received]
        refused = [
            (entry.sealed, entry.exchange, entry.reason) for one in history.exchanges for entry in one.refused
        ]
        wanted = (
            [one.name for one in self.model.received],
            [(one.name, *rest) for one, *rest in self.model.refused],
        )
        assert received[: len(wanted[0])] == wanted[0]
        assert refused[: len(wanted[1])] == wanted[1]
        if not self.lying:
            assert (received, refused) == wanted

    @invariant()
    def no_receipt_says_another_thing(self) -> None:
        """Each that came names the file of its number, however often it came."""
        for player in self.model.players:
            for message in self.postal.mails(player):
                for receipt in self._receipts(player, message):
                    self.receipts[player].setdefault(receipt.number, set()).add(receipt.sealed)

    def _receipts(self, player: str, message: Message) -> list[Receipt]:
        found = []
        for part in message.walk():
            if str(part.get_filename() or "").startswith(f"{GAME}-receipt-"):
                data = part.get_payload(decode=True)
                assert isinstance(data, bytes)
                first = next(block.sealed for block in find_blocks(data.decode()) if block.sealed)
                text = open_sealed(first, [self.table.people[player].key], MAX_SEALED_REPORT_SIZE)
                found.append(parse_receipt(text[: text.index(b"-----BEGIN")]))
        return found

    def teardown(self) -> None:
        """When all is well again, everything arrives, every receipt comes, and the game goes on."""
        try:
            self._all_is_well()
        finally:
            self.table.club.store.close()

    def _all_is_well(self) -> None:
        self.mailbox(away=False)
        self.server("")
        while self.waiting:
            self._deliver(0)
        self.run_pass(0, after_gap=True)
        exchange = self.model.exchange
        self._send_given_up_again()
        self.days_go_by(12)
        assert self.model.exchange > exchange or self.model.over, "its deadline passed, and it waits"
        self.the_ledger_is_what_it_ought_to_be()
        self.no_receipt_says_another_thing()
        for player in self.model.players:
            wanted = {number: {name} for number, name in self.model.receipts(player).items()}
            assert self.receipts[player] == wanted, "each receipt comes, and no other"

    def _send_given_up_again(self) -> None:
        """Do what `status` asks for after a server that put the judge off for many days."""
        club = self.table.club
        for player in sorted({one.player for one in club.store.letters() if one.failed and one.player}):
            assert any(f"to {player}: " in one and "given up" in one for one in troubles(club)), player
            resend(club, GAME, player)


Play = Callable[..., None]


@pytest.fixture
def club(tmp_path: Path) -> Iterator[Play]:
    """Plays so many examples of so many steps."""
    post = Post(tmp_path / "post")
    with smtp_server(post) as port:
        yield partial(play, lambda: ClubMachine(tmp_path / "example", post, port))


@pytest.mark.ci
@pytest.mark.parametrize("number", [1, 2])
def test_a_club_whatever_comes(club: Play, number: int) -> None:
    club(number, examples=6, steps=20)


@pytest.mark.slow
def test_many_clubs(club: Play, seeds: range) -> None:
    for number in seeds:
        club(number, examples=10, steps=40)
