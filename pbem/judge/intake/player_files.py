"""Players' files once they are opened (protocol 3): received or refused, and stored ones opened again.

Files are orders for a game and answers to a league's call. Each is answered, and entered as received or
refused if its own player signed it. What differs between games and leagues stands in `Intake`:
whose key and which recipient is due, who has left, and which words the answer has. All this needs entries,
keys and seals, but no game: whoever takes in a file loads no rules.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pbem.errors import LedgerError
from pbem.judge.book import Book, LedgerBook, MissingReceipt, is_for_another, note_claim, receipt_name
from pbem.judge.club import Club
from pbem.play.history import Exchange
from pbem.trust import keys, sealing, signature
from pbem.trust.chance import Reveal
from pbem.trust.entries import AFTER_CLOSE, Received, Refused
from pbem.trust.faults import TrustFault
from pbem.trust.life import ExchangeLife
from pbem.trust.orderfile import (
    LATE,
    RECENT_EXCHANGES,
    ExpectedFile,
    LateReveal,
    OrderFile,
    Standing,
    check_counts,
    open_orders,
    own_orders,
    verify_late_reveal,
)
from pbem.trust.sealing import SealKey, open_orders_with


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of taking in one file: whether it was accepted, and a line about it in plain words."""

    is_accepted: bool
    text: str
    game: str = ""
    player: str = ""
    """The player whose orders the file holds, by the key that opened it; `text` is mailed to nobody else."""
    person: str = ""
    """The person who signs for the player's seat in the file's exchange."""
    new: bool = False
    """Whether the file was entered in the ledger, so that a receipt goes out."""
    is_signed: bool = True
    """Whether the file's player has signed it; an unsigned file may come from anybody."""
    is_elsewhere: bool = False
    """Whether the file is sealed to no key that is known in this club."""
    is_press: bool = False
    """Whether the file is sealed to the judge's own key, as messages between players are."""
    before: datetime | None = None
    """The time at which the same file was received before; None if it is new, or was refused."""
    is_reveal: bool = False
    """Whether the file holds no orders, but the secret that a player reveals after an exchange has closed."""
    apart: str = ""
    """The error that came up while the file was read, which is kept and tried again; "" if none."""


class Intake(ABC):
    """The intake of files for one ledger: the interface that games and leagues share."""

    club: Club
    book: LedgerBook

    @property
    def name(self) -> str:
        """The name of the ledger."""
        return self.book.name

    @property
    @abstractmethod
    def life(self) -> ExchangeLife[Any]:
        """The history of the ledger's exchanges or calls."""

    @abstractmethod
    def expected_file(self, number: int, player: str) -> ExpectedFile:
        """Return the description of the file that a player is expected to send in an exchange or call."""

    @abstractmethod
    def standing(self, number: int, player: str) -> Standing:
        """Return the facts in the ledger that decide whether a player's file for an exchange counts."""

    @abstractmethod
    def person(self, number: int, player: str) -> str:
        """Return the person who signs for a player's seat, and gets the receipt."""

    @abstractmethod
    def why_gone(self, player: str) -> str:
        """Return the reason why a player's files are not taken any more; "" if they are taken."""

    @abstractmethod
    def late(self, number: int) -> str:
        """Return a line that says that an exchange takes no more files, and which exchange does."""

    @abstractmethod
    def may_refuse(self, player: str) -> bool | None:
        """Tell whether a file that does not count is entered as refused; None if game or league is over."""

    @abstractmethod
    def answer(self, entry: Received, orders: OrderFile, sealed: bytes) -> str:
        """Answer a file that was just entered; return a line about it that anybody may read."""

    def own(self, plaintext: bytes, wanted: ExpectedFile) -> OrderFile:
        """Return the order file, if it is signed by its own player; raise TrustFault if it is not."""
        return own_orders(plaintext, wanted)


def take_file(at: Intake, key: SealKey, plaintext: bytes, sealed: bytes) -> Verdict:
    """Answer one opened file, and enter it in the ledger if its own player signed it, within a transaction.

    Raises:
        PbemError: the file is not its player's own; nothing is entered.
    """
    store, name, player = at.club.store, at.name, key.player
    if (verdict := _known_file(at, key, plaintext, sealed)) is not None:
        return verdict
    wanted = at.expected_file(key.exchange, player)
    orders = at.own(plaintext, wanted)
    if orders.seen is not None and orders.seen.size > at.book.size:
        note_claim(store, name, player, orders.seen.size)
    try:
        check_counts(orders, wanted, at.standing(key.exchange, player))
    except TrustFault as fault:
        told = at.late(key.exchange) if fault.reason == LATE else str(fault)
        return _refuse(at, key, sealed, fault.reason, told)
    if gone := at.why_gone(player):
        return Verdict(False, gone, name, player)
    if not at.life.files_left(player)[0]:
        return Verdict(False, _too_many(at, player), name, player)
    file = sealing.sealed_name(sealed)
    number = at.life.received_of(player) + 1
    receipt = MissingReceipt(at.person(key.exchange, player), receipt_name(name, number), file)
    if is_for_another(store, name, receipt):
        return Verdict(False, _send_first(receipt), name, player)
    store.add_sealed(file, sealed)
    entry = Received(exchange=key.exchange, player=player, rev=orders.rev, sealed=file, at=at.club.clock())
    at.book.append(entry)
    return Verdict(True, at.answer(entry, orders, sealed), name, player, new=True)


def _known_file(at: Intake, key: SealKey, plaintext: bytes, sealed: bytes) -> Verdict | None:
    """Return the verdict on a file that was entered before, or None; a text sealed anew is no new file."""
    body = _body(plaintext)
    for one in at.life.exchanges[key.exchange - 1 :]:
        for entry in sorted(one.files.get(key.player, ()), key=lambda entry: isinstance(entry, Refused)):
            is_received = isinstance(entry, Received)
            if (entry.exchange if is_received else entry.of) != key.exchange:
                continue
            before = at.club.store.named_file(entry.sealed)
            if before == sealed or body == _body(sealing.open_orders_with(before, key)):
                text = f"these orders of {key.player} were received before"
                if isinstance(entry, Refused):
                    why = f": {at.late(key.exchange)}" if entry.reason == LATE else ""
                    text = f"this file of {key.player} was refused before{why}"
                moment = entry.at if is_received else None
                return Verdict(is_received, text, key.game, key.player, before=moment)
    return None


def _body(plaintext: bytes) -> bytes:
    """Return the signed text in a file, or the whole file if it is not signed."""
    try:
        return signature.split(plaintext).body
    except TrustFault:
        return plaintext


def _send_first(receipt: MissingReceipt) -> str:
    """Return the line that asks a player to send a file again that the judge lost, before any later one."""
    return (
        "the judge was restored from a backup, and does not have the file for which you got "
        f"{receipt.name} any more: send that file again, then these orders"
    )


def _too_many(at: Intake, player: str) -> str:
    return (
        f"the judge has entered so many files of {player} that it takes no more now (protocol 21); what it "
        f"received in exchange {at.life.exchanges[-1].number} counts"
    )


def _refuse(at: Intake, key: SealKey, sealed: bytes, reason: str, told: str) -> Verdict:
    """Enter a player's own file as refused, if the game or league goes on and their quota is not used up.

    What is for an exchange so long ago that no entry may name it is answered, and not entered.
    """
    store, may = at.club.store, at.may_refuse(key.player)
    if may is None or at.life.exchanges[-1].number - key.exchange >= RECENT_EXCHANGES:
        return Verdict(False, told, key.game, key.player)
    if not may or not at.life.files_left(key.player)[1]:
        return Verdict(
            False, f"{told}; it is not entered, because too many of {key.player} were", key.game, key.player
        )
    name = sealing.sealed_name(sealed)
    store.add_sealed(name, sealed)
    at.book.append(
        Refused(
            exchange=at.life.exchanges[-1].number,
            player=key.player,
            of=key.exchange,
            sealed=name,
            reason=reason,
            at=at.club.clock(),
        )
    )
    return Verdict(False, told, key.game, key.player)


def expected_file(club: Club, book: Book, exchange: int, player: str) -> ExpectedFile:
    """Return the description of the file that a player is expected to send in an exchange."""
    enrolled = next(one for one in book.history.genesis.players if one.name == player)
    recipient = club.seal(book.game, exchange, player).recipient
    return ExpectedFile(
        game=book.game,
        exchange=exchange,
        player=player,
        side=enrolled.side,
        key=key_of(club, book, player, exchange),
        seal=recipient,
    )


def key_of(club: Club, book: Book, player: str, exchange: int) -> keys.PublicKey:
    """Return the key with which a player signs in an exchange: the genesis' key, or a later one."""
    if (line := book.history.seats.key_line(player, exchange)) is not None:
        return keys.parse_public(line)
    enrolled = next(one for one in book.history.genesis.players if one.name == player)
    line = club.store.key_line(player, enrolled.fingerprint)
    if not line:
        raise LedgerError(f"the key of {player} is not the one that {book.game} was opened with")
    return keys.parse_public(line)


def counted_files(club: Club, book: Book, exchange: Exchange) -> dict[str, OrderFile]:
    """Return, by player, the order file that counts in an exchange, opened again."""
    return {player: open_file(club, book, entry) for player, entry in exchange.counted().items()}


def open_file(club: Club, book: Book, entry: Received) -> OrderFile:
    """Return the orders in a file that a ledger names as received, opened again from the database."""
    return open_orders(
        club.store.named_file(entry.sealed),
        club.seal(book.game, entry.exchange, entry.player),
        expected_file(club, book, entry.exchange, entry.player),
    )


def reveals(club: Club, book: Book, exchange: Exchange, files: dict[str, OrderFile]) -> dict[str, Reveal]:
    """Return each player's reveal for an exchange's dice: from the orders, or from a file after the close."""
    if book.history.genesis.mode == AFTER_CLOSE:
        late = {entry.player: club.store.named_file(entry.sealed) for entry in exchange.revealed}
        return {name: late_reveal(club, book, exchange, name, data).reveal for name, data in late.items()}
    return {player: file.reveal for player, file in files.items() if file.reveal is not None}


def late_reveal(club: Club, book: Book, exchange: Exchange, player: str, sealed: bytes) -> LateReveal:
    """Return a player's reveal that came after the close of an exchange, opened and checked."""
    plaintext = open_orders_with(sealed, club.seal(book.game, exchange.number, player))
    return verify_late_reveal(plaintext, expected_file(club, book, exchange.number, player))
