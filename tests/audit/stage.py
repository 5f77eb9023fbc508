"""A game as its people play it, honest or not.

The stage uses the judge's own club, ledger and export, but goes through an exchange step by step, and at
every step whoever is on it may cheat: `crook` changes each entry that the judge is about to write, and
the players, who only see what they are shown, co-sign it in their next orders. Nothing is random: two
stages that are played alike give the same dice.
"""

from __future__ import annotations

import copy
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path

from pbem.judge.adjudication import adjudicate
from pbem.judge.book import Book
from pbem.judge.club import open_club
from pbem.judge.export import Bundle
from pbem.judge.newgame import new_game
from pbem.play.adjudicate import Adjudication, Adjudicator, Report, act_over_entry, over_entry, reported
from pbem.rules import Outcome
from pbem.titles import default_name, load
from pbem.trust import keys, signature
from pbem.trust.act_entries import AGREE_DRAW, CORRECT, LEAVING, ROLL_BACK, Act, Consent, sign_consent
from pbem.trust.chance import DRAW_CHAIN, OPEN_CHAIN, Chain, Reveal, make_chain
from pbem.trust.entries import (
    AFTER_CLOSE,
    EXTEND,
    WITH_ORDERS,
    Close,
    Entry,
    Extend,
    Open,
    Received,
    Refused,
    Revealed,
)
from pbem.trust.faults import LedgerFault
from pbem.trust.identifiers import Namespace
from pbem.trust.ledger import Checkpoint, Receipt, sign_statement
from pbem.trust.orderfile import LateReveal, OrderFile, Seen
from pbem.trust.player_statements import Join
from pbem.trust.rotations import GM, KeyChange, Rotation
from pbem.trust.sealing import sealed_name
from pbem.trust.times import utc_text
from tests.judge.table import Clock, Room, join_of
from tests.trust.sealed import orders_for, seal_late_reveal, seal_orders

GAME = "hearth"
START = datetime(2026, 1, 1, 12, tzinfo=UTC)
TITLE = load(default_name())
SEATS = dict(zip(("alice", "bob"), reversed(TITLE.rules.sides({})), strict=True))

Files = dict[str, bytes]
Crook = Callable[[Entry], Sequence[Entry]]


def honest(entry: Entry) -> Sequence[Entry]:
    """Write what is true."""
    return (entry,)


def otherwise(kind: type[Entry], exchange: int = 0, **parts: object) -> Crook:
    """Writes an entry of this kind with other parts, if one is named in that exchange alone."""

    def crook(entry: Entry) -> Sequence[Entry]:
        is_it = isinstance(entry, kind) and exchange in (0, getattr(entry, "exchange", 0))
        return (replace(entry, **parts) if is_it else entry,)  # type: ignore[arg-type]

    return crook


def key_of(name: str) -> keys.PrivateKey:
    """The key of somebody with this name, always the same."""
    return keys.PrivateKey(sha256(name.encode()).digest(), name)


@dataclass
class Person:
    """A player with a key and a chain."""

    name: str
    side: str
    family: str = ""
    """Tells people apart who bear the same name: the players of a forged game."""
    key: keys.PrivateKey = field(init=False)
    chain: Chain = field(init=False)
    between_chains: bool = False
    """No chain of his is in force: he reveals nothing."""

    def __post_init__(self) -> None:
        self.key = key_of(self.family + self.name)
        secret = sha256(f"chain {self.family}{self.name}".encode()).digest()
        self.chain = make_chain(GAME, f"{self.name}.1", secret)

    @property
    def recovery(self) -> keys.PrivateKey:
        """The key that may only replace his own."""
        return key_of(f"{self.family}{self.name} recovery")

    def reveal(self, step: int) -> Reveal:
        """A step of his chain."""
        return Reveal(self.chain.who, step, self.chain.reveal(step))

    def join(self) -> Join:
        """What he sends to take part."""
        recovery = self.recovery.public.fingerprint
        return join_of(GAME, self.name, self.key, self.chain.anchor, recovery=recovery)


class Published(Bundle):
    """The bundle of a judge who shows what he did, rather than what he should have done."""

    def __init__(self, stage: Stage, audience: str) -> None:
        super().__init__(stage.club, stage.book, audience)
        self.stage = stage

    def _resolution_files(self) -> Iterator[tuple[str, bytes]]:
        dice = []
        for result, reports in self.stage.played:
            number = result.resolution.exchange
            if result.correction is None:
                yield f"mix/{number}.txt", result.mix.text
            if result.correction is None and self.audience == "all":
                yield f"mix/{number}.secret.txt", result.secret_mix.text
            dice += [f"{die.text}\n" for die in result.resolve.dice]
            for report in reports:
                if self.audience in ("all", report.audience) or report.audience == "public":
                    yield f"reports/{report.audience}/{number:04d}.txt", report.text.encode()
        yield "dice/all.txt", "".join(dice).encode()


class Stage(Room):
    """One game in progress."""

    def __init__(
        self,
        folder: Path,
        seed: int = 0,
        adjudicator: type[Adjudicator] = Adjudicator,
        crook: Crook = honest,
        family: str = "",
        mode: str = WITH_ORDERS,
        **options: object,
    ) -> None:
        self.folder, room = folder, Room.begun(folder, START)
        super().__init__(room.club, room.clock)
        self.club.store.db.conn.execute("PRAGMA synchronous = OFF")
        self.club.master = sha256(f"master {seed}".encode()).digest()
        self.club.unlocked_key = key_of(f"{family}gm")
        with self.club.store.step():
            self.club.store.put_note(f"judge {self.club.key.public.fingerprint}", self.club.key.public.line)
        self.people = {name: Person(name, side, family) for name, side in SEATS.items()}
        for person in self.people.values():
            self.club.add_player(person.name, person.key.public)
        seats = {person.side: person.join() for person in self.people.values()}
        settings = {**(TITLE.excerpt or {}), **options}
        self.book: Book = new_game(self.club, GAME, TITLE.name, settings, seats, mode)
        self.mode = mode
        self.crook = crook
        self.adjudicator = adjudicator(self.book.history.genesis)
        self.files: dict[str, OrderFile] = {}
        """Player -> the file of the open exchange that the judge goes by."""
        self.next_keys: dict[tuple[int, str], keys.PrivateKey] = {}
        """Exchange, player -> the key that he signs with from then on."""
        self.next_chains: dict[tuple[int, str], Chain] = {}
        """Exchange, player -> the chain that he reveals from from then on; from none in the one before."""
        self.opened: dict[int, dict[str, OrderFile]] = {}
        """Exchange -> the files that it was resolved by."""
        self.late: dict[str, Reveal] = {}
        """Player -> his reveal after the close of the open exchange."""
        self.held: Files = {}
        """What the players kept: receipts and checkpoints, by file name, each with its signature."""
        self.receipts = dict.fromkeys(SEATS, 0)
        self.played: list[tuple[Adjudication, tuple[Report, ...]]] = []
        self._keep_checkpoint(self.club.store.checkpoints(GAME)[-1].signature)

    # -- what is open

    @property
    def exchange(self) -> int:
        """The latest exchange."""
        return len(self.book.history.exchanges)

    @property
    def over(self) -> bool:
        """Has the game ended?"""
        return self.book.history.over

    # -- what people do

    def order_file(self, name: str, body: str = "", **changed: object) -> OrderFile:
        """What the program of a player would sign now; `changed` replaces parts of it."""
        person = self.people[name]
        chain = None if self.mode == AFTER_CLOSE or person.between_chains else person.chain
        return orders_for(self.book, name, chain, self.exchange, **{"body": body, **changed})

    def send(self, name: str, body: str = "", **changed: object) -> str:
        """A player's orders arrive, and he gets a receipt for them. The hash of the sealed file."""
        orders = self.order_file(name, body, **changed)
        return self.take_in(orders, seal_orders(orders, self.people[name].key))

    def take_in(self, orders: OrderFile, sealed: bytes) -> str:
        """The judge enters a sealed file as received, and goes by it."""
        digest = sealed_name(sealed)
        with self.club.store.step():
            self.club.store.add_sealed(digest, sealed)
            at = self.clock()
            self.enter(
                Received(exchange=self.exchange, player=orders.player, rev=orders.rev, sealed=digest, at=at)
            )
        self.files[orders.player] = orders
        self.give_receipt(orders, digest)
        return digest

    def give_receipt(self, orders: OrderFile, digest: str) -> None:
        """The judge signs that a file arrived; the player keeps it."""
        self.receipts[orders.player] += 1
        number = self.receipts[orders.player]
        of = {"exchange": orders.exchange, "player": orders.player, "rev": orders.rev}
        receipt = Receipt(game=GAME, **of, sealed=digest, number=number, echo="0" * 64)  # type: ignore[arg-type]
        signature = sign_statement(receipt, self.club.key)
        self.keep(f"receipt-{orders.player}-{number:04d}", receipt.text, signature)

    def refuse(self, sealed: bytes, reason: str, player: str = "bob", of: int = 0) -> None:
        """The judge enters a file of a player as refused; `of`: for which exchange, if not the open one."""
        number, name, at = self.exchange, sealed_name(sealed), self.clock()
        refused = {"exchange": number, "of": of or number, "player": player, "sealed": name, "at": at}
        with self.club.store.step():
            self.club.store.add_sealed(name, sealed)
            self.enter(Refused(**refused, reason=reason))  # type: ignore[arg-type]

    def extend(self, days: float, *lines: str, **consents: keys.PrivateKey) -> None:
        """The judge gives more time; `consents` are the keys that those of these people are signed with."""
        deadline = self.book.history.exchanges[-1].deadline
        assert deadline is not None
        later, given = deadline + timedelta(days=days), []
        with self.club.store.step():
            for name, key in consents.items():
                consent = self._consent(name, f"{EXTEND} {utc_text(later)}")
                self.club.store.add_sealed(consent.sha256, sign_consent(consent, key))
                given.append((name, consent.given))
            parts = {"exchange": self.exchange, "deadline": later, "at": self.clock(), "extra": lines}
            self.enter(Extend(**parts, consents=tuple(given)))  # type: ignore[arg-type]

    def wait(self, days: float) -> None:
        """Time passes."""
        self.clock.pass_days(days)

    def close(self) -> None:
        """Nothing that comes later counts; where reveals come after the close, the players are told."""
        late = self.mode == AFTER_CLOSE
        with self.club.store.step():
            deadline = self.club.next_deadline() if late else None
            self.enter(Close(exchange=self.exchange, at=self.clock(), deadline=deadline))
            if late:
                self.sign()

    def reveal(self, name: str, **changed: object) -> str:
        """A player's reveal after the close arrives. The hash of the sealed file."""
        number, seen = self.exchange, Seen(self.book.size, self.book.head)
        parts = {"exchange": number, "player": name, "seen": seen, "reveal": self.people[name].reveal(number)}
        late = LateReveal(**{"game": GAME, **parts, **changed})  # type: ignore[arg-type]
        sealed = seal_late_reveal(late, self.people[name].key, self.club.seal(GAME, number, name).recipient)
        return self.take_in_reveal(late, sealed)

    def take_in_reveal(self, late: LateReveal, sealed: bytes) -> str:
        """The judge enters a sealed reveal, and goes by it."""
        digest = sealed_name(sealed)
        with self.club.store.step():
            self.club.store.add_sealed(digest, sealed)
            at = self.clock()
            self.enter(Revealed(exchange=self.exchange, player=late.player, sealed=digest, at=at))
        self.late[late.player] = late.reveal
        return digest

    def resolve(self) -> Adjudication:
        """The judge closes the exchange, resolves it, reports, and opens the next or ends the game."""
        if self.book.history.exchanges[-1].closed is None:
            self.close()
        number, book = self.exchange, self.book
        with self.club.store.step():
            opened, secret = self.club.chains(GAME)
            signed = {name: file.reveal for name, file in self.files.items() if file.reveal is not None}
            result = self.adjudicator.resolve(
                book.history,
                book.history.exchanges[number - 1],
                self.files,
                signed | self.late,
                Reveal(OPEN_CHAIN, number, opened.reveal(number)),
                Reveal(DRAW_CHAIN, number, secret.reveal(number)),
            )
            self.opened[number] = self.files
            self._renew(number + 1)
            self.files, self.late = {}, {}
            self._finish(number, result)
        return result

    def _finish(self, number: int, result: Adjudication) -> None:
        """Enter how an exchange was resolved, report it, and open the next or end the game."""
        book = self.book
        for entry in result.decided:
            self.enter(entry)
        over = result.resolution.outcome is not None
        deadline = None if over else self.club.next_deadline()
        reports = self.adjudicator.reports(result, book.size, book.head, deadline)
        self.played.append((result, reports))
        for report, reporting in zip(reports, reported(number, reports), strict=True):
            self.club.store.add_sealed(report.sha256, report.text.encode())
            self.enter(reporting)
        if over:
            self.enter(over_entry(result.resolution))
        else:
            self.enter(self.club.opening(GAME, number + 1, list(SEATS), book.history.genesis.rules))
        self.sign()

    def act(
        self,
        what: str,
        of: str = "",
        change: str = "",
        said: str = "",
        seen: tuple[int, str] | None = None,
        **consents: keys.PrivateKey,
    ) -> None:
        """The game master acts; `consents` are the keys that the consents of these people are signed with.

        `said`: what they consent to, if it is something else. `seen`: the newest entry that they have seen,
        if it is not the last.
        """
        said = said or " ".join(word for word in (what, of, change) if word)
        number, given = self.exchange, []
        with self.club.store.step():
            for name, key in consents.items():
                consent = self._consent(name, said, seen)
                self.club.store.add_sealed(consent.sha256, sign_consent(consent, key))
                given.append((name, consent.given))
            done = {"what": what, "of": of, "change": change, "at": self.clock(), "reason": "as agreed"}
            act = Act(exchange=number, **done, consents=tuple(given))  # type: ignore[arg-type]
            self.enter(act)
            if what == AGREE_DRAW:
                self.enter(act_over_entry(act, None))
            if what in LEAVING:
                (winner,) = (one.side for one in self.book.history.genesis.players if one.name != of)
                self.enter(act_over_entry(act, Outcome(winner, "")))
            if what == ROLL_BACK:
                self._go_back()
                rules = self.book.history.genesis.rules
                self.enter(self.club.opening(GAME, number + 1, list(SEATS), rules))
            if what == CORRECT:
                self._play_again(number + 1, int(of))
            else:
                self.sign()

    def _consent(self, by: str, to: str, seen: tuple[int, str] | None = None) -> Consent:
        """What somebody signs in the open exchange. `seen`: their newest entry, if not the last."""
        seen = seen or (self.book.size, self.book.head)
        return Consent(game=GAME, genesis=self.genesis, seen=seen, exchange=self.exchange, by=by, to=to)

    def rotate(
        self,
        name: str,
        new: keys.PrivateKey,
        by: keys.PrivateKey | None,
        signer: keys.PrivateKey,
        *,
        chain: Chain | None = None,
        person: str = "",
        recovery: str = "",
        genesis: str = "",
        **consents: keys.PrivateKey,
    ) -> None:
        """A seat gets a new key for the next exchange; `by` signs for the old one, `signer` for the new.

        `genesis` is the first head of another game in which it was signed, and `consents` are the keys that
        the consents of these people are signed with.
        """
        number = self.exchange
        old = (self.club.key if name == GM else self.people[name].key).public.fingerprint
        anchor = Reveal(chain.who, 0, chain.anchor) if chain else None
        said = {"exchange": number, "player": name, "old": old, "anchor": anchor}
        said |= {"recovery": recovery, "person": person}
        change = KeyChange(game=GAME, genesis=genesis or self.genesis, **said, new=new.public.line)  # type: ignore[arg-type]
        signed = change.text
        if by is not None:
            namespace = Namespace.ROTATE if by.public.fingerprint == old else Namespace.RECOVER
            signed = signature.sign_text(by, namespace, change.text)
        given = []
        with self.club.store.step():
            for who, key in consents.items():
                consent = self._consent(who, change.consent)
                self.club.store.add_sealed(consent.sha256, sign_consent(consent, key))
                given.append((who, consent.given))
            proof = signed + signature.sign(signer, Namespace.ROTATE, change.text)
            self.club.store.add_sealed(change.sha256, proof)
            reason = {"consents": tuple(given), "reason": "as agreed" if given else ""}
            entry = Rotation(**said, **reason, at=self.clock(), key=change.new, text_sha256=change.sha256)  # type: ignore[arg-type]
            self.enter(entry)
            if name == GM:
                self.club.unlocked_key = new
            self.sign()
        if name == GM:
            return
        late = bool(given) and name not in consents
        self.next_keys[number + (2 if late else 1), name] = new
        if chain is not None:
            self.next_chains[number + 2, name] = chain

    def _renew(self, exchange: int) -> None:
        """Let the keys and chains count that count from an exchange on."""
        for (first, name), key in self.next_keys.items():
            if first == exchange:
                self.people[name].key = key
        for (first, name), chain in self.next_chains.items():
            if first == exchange:
                self.people[name].chain = chain
            self.people[name].between_chains = exchange < first

    def _go_back(self) -> None:
        """Play what has not become void once more."""
        self.files, self.late = {}, {}
        self.adjudicator = type(self.adjudicator)(self.book.history.corrected)
        for exchange in self.book.history.resolved:
            adjudicate(self.club, self.book, self.adjudicator, exchange)

    def _play_again(self, number: int, first: int) -> None:
        """Enter an exchange with the orders and dice of another."""
        self._go_back()
        source = self.book.history.source(self.book.history.exchanges[first - 1])
        rules = self.book.history.genesis.rules
        self.enter(Open(exchange=number, seals=(), rules=rules, again=source.number))
        self.enter(Close(exchange=number, at=self.clock()))
        last = self.book.history.exchanges[-1]
        self._finish(number, adjudicate(self.club, self.book, self.adjudicator, last))

    def go(self, **bodies: str) -> Adjudication:
        """An exchange in which everybody sends orders, empty ones if `bodies` has none."""
        for name in SEATS:
            self.send(name, bodies.get(name, ""))
        if self.mode == AFTER_CLOSE:
            self.close()
            for name in SEATS:
                self.reveal(name)
        return self.resolve()

    # -- the ledger

    def enter(self, entry: Entry) -> None:
        """Append what the judge writes of `entry`."""
        for written in self.crook(entry):
            self.append(written)

    def append(self, entry: Entry) -> None:
        """Append an entry, even one that the protocol does not allow here."""
        try:
            self.book.history.add(entry)
            self.book._keep(entry)  # dated as the judge pleases
        except LedgerFault:
            self.book._keep(entry)

    def sign(self) -> None:
        """The judge signs the head as it is, and the players keep that."""
        self._keep_checkpoint(self.book.sign(self.club.key).signature)

    def _keep_checkpoint(self, signature: bytes) -> None:
        checkpoint = Checkpoint(game=GAME, size=self.book.size, head=self.book.head)
        self.keep(f"checkpoint-{checkpoint.size:04d}", checkpoint.text, signature)

    def keep(self, name: str, text: bytes, signature: bytes) -> None:
        """Something signed by the judge reaches a player."""
        self.held[f"{name}.txt"] = text
        self.held[f"{name}.txt.sig"] = signature

    # -- what others get

    @property
    def genesis(self) -> str:
        """The first head, as the players were told it."""
        return str(self.book.head_at(1))

    def restored(self, folder: Path) -> Stage:
        """The judge as he comes back from a backup that was made now."""
        away = shutil.copytree(self.club.path, folder / "club", ignore=shutil.ignore_patterns("club.db*"))
        self.club.store.db.conn.execute("VACUUM INTO ?", [str(away / "club.db")])
        twin = copy.copy(self)
        twin.clock = Clock(self.clock.now)
        twin.club = open_club(away, twin.clock)
        twin.club.master, twin.club.unlocked_key = self.club.master, self.club.key
        twin.book = twin.club.book(GAME)
        twin.adjudicator = type(self.adjudicator)(twin.book.history.genesis)
        twin.held, twin.receipts = dict(self.held), dict(self.receipts)
        twin.files, twin.late = {}, {}
        twin.played = [
            (adjudicate(twin.club, twin.book, twin.adjudicator, exchange), reports)
            for exchange, (_, reports) in zip(twin.book.history.exchanges, self.played, strict=False)
        ]
        return twin

    def bundle(self, audience: str = "all") -> Files:
        """The bundle that this judge would export."""
        return dict(Published(self, audience).files())


def write(files: Mapping[str, bytes], folder: Path) -> Path:
    """Put a bundle, or what was kept, into a folder."""
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return folder


def skirmish(stage: Stage, last: int = 4) -> None:
    """Up to exchange 4: a battle, a revision, a refused file, an extension and a silent player."""
    for number in range(stage.exchange, last + 1):
        (_ready, _attack, _silence, _fight)[number - 1](stage)


def _ready(stage: Stage) -> None:
    stage.go()


def _attack(stage: Stage) -> None:
    stage.send("alice", "card 1\nmove none\n")
    stage.extend(2)
    orders = stage.order_file("bob", side=SEATS["alice"])
    stage.refuse(seal_orders(orders, stage.people["bob"].key), "wrong-side")
    stage.send("bob", "card 2\nmove none\nplan any: fire\n")
    stage.send("alice", "card 3\nmove all from Fife to Mentieth\nplan any:\n  fire\n  regroup none\n", rev=2)
    stage.resolve()


def _silence(stage: Stage) -> None:
    stage.send("alice")
    stage.wait(8)
    stage.resolve()


def _fight(stage: Stage) -> None:
    stage.go()


def afterwards(stage: Stage) -> None:
    """A whole game with reveals after the close: from both players, from one of them, from none."""
    stage.go()
    stage.go(alice="card 3\nmove all from Fife to Mentieth\nplan any: fire\n", bob="card 2\nmove none\n")
    stage.send("alice")
    stage.wait(8)
    stage.close()
    stage.reveal("alice")
    stage.reveal("bob")
    stage.resolve()
    stage.send("alice")
    stage.send("bob")
    stage.close()
    stage.reveal("bob")
    finish(stage)


def interrupted(stage: Stage) -> None:
    """New keys, a substitute with a chain, a hold, a roll-back to which both consent, and a concession."""
    skirmish(stage, last=2)
    alice, bob = stage.people["alice"], stage.people["bob"]
    stage.rotate("alice", key_of("alice 2"), alice.key, key_of("alice 2"))
    stage.rotate("gm", key_of("gm 2"), stage.club.key, key_of("gm 2"))
    stage.rotate("bob", key_of("bob 2"), bob.recovery, key_of("bob 2"))
    skirmish(stage, last=3)
    stage.act("hold")
    stage.wait(30)
    stage.send("alice")
    stage.act("resume")
    stage.wait(8)
    stage.send("bob")
    stage.resolve()
    stage.act("look", SEATS["bob"])
    stage.act("roll-back", "3", alice=alice.key, bob=bob.key)
    stage.go(alice="forced retreat all to Fife")
    carol = key_of("carol")
    stage.rotate("bob", carol, None, carol, chain=chain_of("bob.2"), person="carol", alice=alice.key)
    for _ in range(3):
        stage.go()
    stage.send("bob")
    stage.act("concede", "bob", bob=bob.key)


def chain_of(who: str, name: str = "") -> Chain:
    """The chain of this name, always the same."""
    return make_chain(GAME, who, sha256(f"chain {name or who}".encode()).digest())


def corrected(stage: Stage) -> None:
    """Bob's herald decides in a wrong order, which is put right; then wrongly back, and right again."""
    alice, bob = stage.people["alice"], stage.people["bob"]
    herald(stage)
    stage.send("alice")
    stage.act("correct", "2", "herald_order=name_then_roll", alice=alice.key, bob=bob.key)
    stage.go(alice="move none\n")
    stage.act("correct", "5", "herald_order=roll_then_name", alice=alice.key, bob=bob.key)
    stage.act("correct", "8", "herald_order=name_then_roll", alice=alice.key, bob=bob.key)
    stage.go()
    stage.go()
    stage.act("roll-back", "12", alice=alice.key, bob=bob.key)
    stage.send("bob")
    stage.act("concede", "bob", bob=bob.key)


def herald(stage: Stage) -> None:
    """Up to exchange 4: bob plays a herald in the second."""
    stage.go()
    stage.go(
        alice="card 1\ncard 2\ncard 3\nmove none\n",
        bob="card herald\nherald Ross\nherald Comyn\nmove none\n",
    )
    stage.go()


def finish(stage: Stage) -> None:
    """Nobody sends anything until the game is over."""
    while not stage.over:
        stage.wait(8)
        if stage.mode == AFTER_CLOSE and stage.book.history.exchanges[-1].closed is None:
            stage.close()
            stage.wait(8)
        stage.resolve()
