"""Protocol 3: takes in an opened file, orders for a game or an answer to a league's call, in one place.

It is answered, and entered as received or refused if it is its player's own. What differs stands in `Intake`:
whose key and which recipient is due, who has left, and which words the answer has.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

from pbem.judge.book import LedgerBook, MissingReceipt, is_for_another, note_claim, receipt_name
from pbem.judge.club import Club
from pbem.trust import sealing, signature
from pbem.trust.entries import Received, Refused
from pbem.trust.faults import TrustFault
from pbem.trust.life import ExchangeLife
from pbem.trust.orderfile import LATE, ExpectedFile, OrderFile, Standing, check_counts, own_orders
from pbem.trust.sealing import SealKey


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of one file: whether it was accepted, and one line that anybody may read."""

    accepted: bool
    text: str
    game: str = ""
    player: str = ""
    """The player whose orders it holds, by the key that opened it; nobody else may read `text`."""
    person: str = ""
    """The person who signs for that seat in that exchange."""
    new: bool = False
    """Whether it was entered, so that a receipt goes out."""
    is_signed: bool = True
    """Whether its player has signed it; an unsigned file may come from anybody."""
    is_elsewhere: bool = False
    """Whether it is sealed to no key that is known here."""
    is_press: bool = False
    """The file is sealed to the judge's own key, as messages between players are."""
    apart: str = ""
    """The error while it was read; the file is kept and tried again."""


class Intake(ABC):
    """A ledger at the desk: the interface that games and leagues share."""

    club: Club
    book: LedgerBook

    @property
    def name(self) -> str:
        """The name of the ledger."""
        return self.book.name

    @property
    @abstractmethod
    def life(self) -> ExchangeLife[Any]:
        """The history of its exchanges or calls."""

    @abstractmethod
    def due(self, number: int, player: str) -> ExpectedFile:
        """Return what is expected of a player in an exchange."""

    @abstractmethod
    def standing(self, number: int, player: str) -> Standing:
        """Return the standing by which a player's file for an exchange counts."""

    @abstractmethod
    def person(self, number: int, player: str) -> str:
        """Return the person who signs for a player, and gets the receipt."""

    @abstractmethod
    def gone(self, player: str) -> str:
        """Say why nothing of a player is taken any more; "" if it is."""

    @abstractmethod
    def late(self, number: int) -> str:
        """Say that an exchange takes no more files, and which one does."""

    @abstractmethod
    def may_refuse(self, player: str) -> bool | None:
        """Tell whether a file that does not count is entered; None if game or league is over."""

    @abstractmethod
    def answer(self, entry: Received, orders: OrderFile, sealed: bytes) -> str:
        """Answer a file that was just entered; return a line about it that anybody may read."""

    def own(self, plaintext: bytes, wanted: ExpectedFile) -> OrderFile:
        """Return the order file, if it is its player's own. Raises TrustFault if not."""
        return own_orders(plaintext, wanted)


def take_file(at: Intake, key: SealKey, plaintext: bytes, sealed: bytes) -> Verdict:
    """Answer one opened file, and enter it if it is its player's own, within a step.

    Raises:
        PbemError: it is not; nothing is entered.
    """
    store, name, player = at.club.store, at.name, key.player
    if (verdict := _known_file(at, key, plaintext, sealed)) is not None:
        return verdict
    wanted = at.due(key.exchange, player)
    orders = at.own(plaintext, wanted)
    if orders.seen is not None and orders.seen.size > at.book.size:
        note_claim(store, name, player, orders.seen.size)
    try:
        check_counts(orders, wanted, at.standing(key.exchange, player))
    except TrustFault as fault:
        told = at.late(key.exchange) if fault.reason == LATE else str(fault)
        return _refuse(at, key, sealed, fault.reason, told)
    if gone := at.gone(player):
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
    """Return the verdict on a file or text that was entered before; sealed anew, a text is no other file."""
    body = _body(plaintext)
    for one in at.life.exchanges[key.exchange - 1 :]:
        for entry in sorted(one.files.get(key.player, ()), key=lambda entry: isinstance(entry, Refused)):
            is_received = isinstance(entry, Received)
            if (entry.exchange if is_received else entry.of) != key.exchange:
                continue
            before = at.club.store.sealed(entry.sealed)
            if before == sealed or body == _body(sealing.open_orders_with(before, key)):
                text = f"these orders of {key.player} were received before"
                if not is_received:
                    text = f"this file of {key.player} was refused before"
                return Verdict(is_received, text, key.game, key.player)
    return None


def _body(plaintext: bytes) -> bytes:
    """Return the signed text of a file, if it is signed at all."""
    try:
        return signature.split(plaintext).body
    except TrustFault:
        return plaintext


def _send_first(receipt: MissingReceipt) -> str:
    """Say why a file does not count yet: two receipts with one number would contradict each other."""
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
    """Enter a player's own file as refused, while game or league goes on and the quota lasts."""
    store, may = at.club.store, at.may_refuse(key.player)
    if may is None:
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
