"""A judge made of nothing but `pbem.trust`: he writes a ledger, signs it, and can be told to cheat."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from pbem.trust import keys, ledger, orderfile, sealing, signature
from pbem.trust.chance import (
    DRAW_CHAIN,
    OPEN_CHAIN,
    Chain,
    Die,
    Reveal,
    Roots,
    build_mix,
    commitment,
    die,
    make_chain,
)
from pbem.trust.entries import (
    AFTER_CLOSE,
    WITH_ORDERS,
    Close,
    Drawn,
    Enrolled,
    Entry,
    Extend,
    Genesis,
    Open,
    Received,
    Reported,
    Resolve,
    Revealed,
)
from pbem.trust.identifiers import Namespace
from pbem.trust.ledger import Checkpoint, Receipt
from pbem.trust.letters import NOTICE, REPORT, OpenEntry, ReportLetter, sign_report
from pbem.trust.orderfile import ExpectedFile, LateReveal, OrderFile
from pbem.trust.player_statements import Join, read_join
from pbem.trust.sealing import LETTER_SIZE

GAME = "hearth"
SIDES = {"alice": "north", "bob": "south"}
START = datetime(2026, 11, 21, 18, tzinfo=UTC)
DEADLINE = datetime(2026, 11, 28, 18, tzinfo=UTC)
LABEL = "1297.{}/battle-1/fife/round-1/wallace/die-1"


@dataclass
class Judge:
    """One judge of one game. Entries are added honestly; tests alter what he sends."""

    game: str = GAME
    mode: str = WITH_ORDERS
    key: keys.PrivateKey = field(default_factory=lambda: keys.generate("gm"))
    joins: dict[str, Join] = field(default_factory=dict)
    entries: list[Entry] = field(default_factory=list)
    salts: list[str] = field(default_factory=list)
    reveals: dict[str, Reveal] = field(default_factory=dict)
    receipts: dict[str, int] = field(default_factory=dict)
    roots: Roots = field(default_factory=lambda: Roots.of(b"m" * 32, GAME))

    def copy(self) -> Judge:
        """The same judge, whatever happens to this one from now on."""
        return replace(
            self,
            joins=dict(self.joins),
            entries=list(self.entries),
            salts=list(self.salts),
            reveals=dict(self.reveals),
            receipts=dict(self.receipts),
        )

    # The ledger

    @property
    def leaves(self) -> list[str]:
        return [ledger.leaf(salt, entry.text) for salt, entry in zip(self.salts, self.entries, strict=True)]

    @property
    def heads(self) -> list[str]:
        return ledger.fold(self.game, self.leaves)

    def chain(self, who: str) -> Chain:
        return make_chain(self.game, who, self.roots.chain if who == OPEN_CHAIN else self.roots.secret_chain)

    def add(self, *entries: Entry) -> int:
        """Append entries; the number of the last."""
        for entry in entries:
            self.entries.append(entry)
            self.salts.append(ledger.salt(self.roots.salt, self.game, len(self.entries)))
        return len(self.entries)

    def begin(self, *joins: bytes) -> None:
        """Genesis with these join files, and exchange 1."""
        for data in joins:
            join = read_join(data)
            self.joins[join.player] = join
        self.add(self.genesis())
        self.open(1)

    def genesis(self) -> Genesis:
        return Genesis(
            game=self.game,
            gm=self.key.public.fingerprint,
            rules="0" * 64,
            anchor=self.chain(OPEN_CHAIN).anchor,
            secret_anchor=self.chain(DRAW_CHAIN).anchor,
            salt_commitment=commitment(self.game, "salt-root", self.roots.salt),
            seal_commitment=commitment(self.game, "seal-root", self.roots.seal),
            mode=self.mode,
            players=tuple(
                Enrolled(
                    name=join.player,
                    fingerprint=join.key.fingerprint,
                    side=SIDES[join.player],
                    anchor=join.anchor.value if join.anchor else None,
                    recovery=join.recovery,
                )
                for join in self.joins.values()
            ),
        )

    def seal_key(self, exchange: int, player: str) -> sealing.SealKey:
        return sealing.seal_key(self.roots.seal, self.game, exchange, player)

    def open(self, exchange: int) -> None:
        seals = tuple((player, self.seal_key(exchange, player).recipient) for player in self.joins)
        self.add(Open(exchange=exchange, seals=seals, deadline=DEADLINE))

    def due(self, exchange: int, player: str) -> ExpectedFile:
        return ExpectedFile(
            game=self.game,
            exchange=exchange,
            player=player,
            side=SIDES[player],
            key=self.joins[player].key,
            seal=self.seal_key(exchange, player).recipient,
        )

    def read(self, exchange: int, player: str, sealed: bytes) -> OrderFile:
        """A sealed order file, opened and verified as a judge must."""
        orders = orderfile.open_orders(sealed, self.seal_key(exchange, player), self.due(exchange, player))
        opened = self.numbers(Open, exchange)[-1]
        orderfile.check_seen(orders.seen, opened, self._head_at)
        return orders

    def receive(self, exchange: int, player: str, sealed: bytes) -> OrderFile:
        """Enter a sealed order file as received."""
        orders = self.read(exchange, player, sealed)
        if self.mode == WITH_ORDERS:
            assert orders.reveal is not None
            self.reveals[player] = orders.reveal
        name = sealing.sealed_name(sealed)
        self.add(Received(exchange=exchange, player=player, rev=orders.rev, sealed=name, at=START))
        return orders

    def receive_reveal(self, exchange: int, player: str, sealed: bytes) -> LateReveal:
        """Enter a reveal after the close."""
        plaintext = sealing.open_sealed(sealed, [self.seal_key(exchange, player)])
        late = orderfile.verify_late_reveal(plaintext, self.due(exchange, player))
        orderfile.check_seen(late.seen, self.numbers(Close, exchange)[-1], self._head_at)
        self.reveals[player] = late.reveal
        name = sealing.sealed_name(sealed)
        self.add(Revealed(exchange=exchange, player=player, sealed=name, at=START))
        return late

    def close(self, exchange: int, at: datetime = DEADLINE) -> None:
        deadline = DEADLINE if self.mode == AFTER_CLOSE else None
        self.add(Close(exchange=exchange, at=at, deadline=deadline))

    def extend(self, exchange: int, deadline: datetime, at: datetime) -> None:
        self.add(Extend(exchange=exchange, deadline=deadline, at=at))

    def resolution(self, exchange: int) -> Resolve:
        """What the reveals that came in give, with one die."""
        own = Reveal(OPEN_CHAIN, exchange, self.chain(OPEN_CHAIN).reveal(exchange))
        players = [(f"{player}.1", self.reveals.get(player)) for player in self.joins]
        mix = build_mix(self.game, exchange, gm=own, players=players)
        label = LABEL.format(exchange)
        return Resolve(
            exchange=exchange,
            reveals=(own, *(reveal for _, reveal in players if reveal)),
            absent=tuple(who for who, reveal in players if reveal is None),
            mix=mix.name,
            dice=(Die(exchange, 6, label, die(mix.key, 6, label)),),
        )

    def resolve(self, exchange: int, texts: Mapping[str, str] | None = None) -> None:
        """Resolve, draw, report and open the next exchange."""
        self.add(self.resolution(exchange))
        self.reveals.clear()
        for number, side in enumerate(SIDES.values(), 1):
            self.add(
                Drawn(exchange=exchange, owner=side, label=f"hand/{side}/card-{number}", result="herald")
            )
        for audience in (*SIDES.values(), "public"):
            text = (texts or {}).get(audience, self.report_text(exchange, audience))
            digest = hashlib.sha256(text.encode()).hexdigest()
            self.add(Reported(exchange=exchange, audience=audience, sha256=digest))
        self.open(exchange + 1)

    def exchange(self, exchange: int, sent: Mapping[str, bytes]) -> None:
        """A whole exchange with these sealed orders."""
        for player, sealed in sent.items():
            self.receive(exchange, player, sealed)
        self.close(exchange)
        self.resolve(exchange)

    def numbers(self, kind: type[Entry], exchange: int) -> list[int]:
        """The entries of a kind and exchange."""
        return [
            number
            for number, entry in enumerate(self.entries, 1)
            if isinstance(entry, kind) and getattr(entry, "exchange", 0) == exchange
        ]

    def _head_at(self, size: int) -> str | None:
        return self.heads[size - 1] if 1 <= size <= len(self.entries) else None

    # Letters

    @staticmethod
    def report_text(exchange: int, audience: str) -> str:
        return f"Exchange {exchange}, as {audience} saw it.\n\nNothing happened.\n"

    def letter(
        self, exchange: int, player: str = "alice", *, since: int = 0, size: int = 0, kind: str = REPORT
    ) -> ReportLetter:
        """The letter that tells a player of an exchange: the entries after `since`, up to `size` or all."""
        audience = SIDES[player]
        size = size or len(self.entries)
        checkpoint = Checkpoint(game=self.game, size=size, head=self.heads[size - 1])
        leaves = tuple(enumerate(self.leaves, 1))[since:size]
        return ReportLetter(
            game=self.game,
            exchange=exchange,
            player=player,
            audience=audience,
            report=self.report_text(exchange, audience),
            leaves=leaves,
            opened=tuple(
                (number, OpenEntry(self.salts[number - 1], self.entries[number - 1].text))
                for number, _ in leaves
                if self._may_open(self.entries[number - 1], audience)
            ),
            checkpoint=checkpoint,
            signature=ledger.sign_statement(checkpoint, self.key),
            kind=kind,
        )

    def notice(self, exchange: int, *, since: int) -> ReportLetter:
        """A letter that only brings the ledger."""
        return replace(
            self.letter(exchange, since=since, kind=NOTICE), report=f"Exchange {exchange} goes on.\n"
        )

    def re_signed(self, letter: ReportLetter, leaves: Iterable[tuple[int, str]]) -> ReportLetter:
        """A letter with other leaves and a checkpoint that fits them: what a cheat would send."""
        new = tuple(leaves)
        first = new[0][0]
        heads = ledger.fold(
            self.game,
            [leaf for _, leaf in new],
            size=first - 1,
            start=self.heads[first - 2] if first > 1 else ledger.EMPTY_HEAD,
        )
        checkpoint = Checkpoint(game=self.game, size=new[-1][0], head=heads[-1])
        return replace(
            letter,
            leaves=new,
            checkpoint=checkpoint,
            signature=ledger.sign_statement(checkpoint, self.key),
        )

    def signed(self, letter: ReportLetter) -> bytes:
        """The letter as signed text, unsealed."""
        return sign_report(letter, self.key)

    def mail(self, letter: ReportLetter) -> str:
        """The letter as it goes out: signed, padded, sealed, armored."""
        return self.sealed(self.signed(letter), letter.player)

    def sealed(self, text: bytes, player: str = "alice") -> str:
        """Text sealed to a player."""
        padded = sealing.pad(text, LETTER_SIZE)
        return sealing.to_armor(sealing.seal(padded, [self.joins[player].key]))

    def receipt(self, exchange: int, player: str, rev: int, sealed: bytes, words: str = "") -> Receipt:
        """A receipt with the player's next number."""
        number = self.receipts[player] = self.receipts.get(player, 0) + 1
        return Receipt(
            game=self.game,
            exchange=exchange,
            player=player,
            rev=rev,
            sealed=sealing.sealed_name(sealed),
            number=number,
            echo=hashlib.sha256(words.encode()).hexdigest(),
        )

    def signed_receipt(self, receipt: Receipt) -> bytes:
        """A receipt as signed text."""
        return signature.sign_text(self.key, Namespace.RECEIPT, receipt.text)

    @staticmethod
    def _may_open(entry: Entry, audience: str) -> bool:
        if isinstance(entry, Drawn):
            return entry.owner == audience
        return not isinstance(entry, Reported) or entry.audience == audience
