"""Takes in what arrives: raw bytes are stored first, then looked at, entered and receipted.

Who sent something is decided by the signature alone. Whatever tells a side's matters goes only to the
address enrolled for that player; whoever hands in a file learns no more than that it was received.
"""

from __future__ import annotations

from dataclasses import dataclass

from pbem.errors import PbemError
from pbem.judge.bench import due, late_reveal, replay
from pbem.judge.book import Book
from pbem.judge.club import Club
from pbem.judge.letters import echo_hash, send_receipt
from pbem.play.history import Exchange
from pbem.reports.base import Context, Echo
from pbem.trust import sealing
from pbem.trust.armor import find_sealed
from pbem.trust.entries import AFTER_CLOSE, Received, Refused, Revealed, utc_text
from pbem.trust.faults import TrustFault
from pbem.trust.ledger import Receipt
from pbem.trust.orderfile import OrderFile, check_order_reveal, check_seen, open_orders
from pbem.trust.sealing import SealKey

LARGEST_SUBMISSION = 1_000_000
RECENT_EXCHANGES = 3
"""Orders that come late are still recognised for so many exchanges, to say so."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of one file: accepted or not, and one line that anybody may read."""

    accepted: bool
    text: str
    game: str = ""


def submit(club: Club, raw: bytes, sender: str = "") -> list[Verdict]:
    """Store what arrived, then take it in."""
    with club.store.step():
        number = club.store.add_incoming(utc_text(club.clock()), raw[: LARGEST_SUBMISSION + 1], sender)
    return take_in(club, number, raw)


def take_in(club: Club, number: int, raw: bytes) -> list[Verdict]:
    """Look at something that has been stored. Looking twice changes nothing."""
    with club.store.step():
        if not club.store.is_waiting(number):
            return []
        verdicts = _look(club, raw)
        club.store.finish_incoming(number, "; ".join(verdict.text for verdict in verdicts))
    return verdicts


def take_in_waiting(club: Club) -> list[Verdict]:
    """Look at everything that was stored and, after a crash, not yet looked at."""
    return [verdict for row in club.store.waiting() for verdict in take_in(club, row.id, row.raw)]


def _look(club: Club, raw: bytes) -> list[Verdict]:
    if len(raw) > LARGEST_SUBMISSION:
        return [Verdict(False, f"the file has more than {LARGEST_SUBMISSION:,} bytes, too many for orders")]
    try:
        found = [raw] if raw.startswith(sealing.AGE_MAGIC) else list(find_sealed(raw))
    except PbemError as fault:
        return [Verdict(False, str(fault))]
    verdicts = []
    for sealed in found:
        try:
            verdicts.append(_take(club, sealed))
        except PbemError as fault:
            verdicts.append(Verdict(False, str(fault)))
    return verdicts


def _take(club: Club, sealed: bytes) -> Verdict:
    """Take in one sealed file."""
    candidates = _candidates(club)
    key, plaintext = sealing.find_key(sealed, candidates)
    book = candidates[key]
    exchange = book.history.exchanges[key.exchange - 1]
    if exchange.closed is not None and exchange.resolved is None and is_late_reveal(plaintext):
        return _take_reveal(club, book, exchange, key, sealed)
    if exchange.closed is not None:
        current = book.history.current
        now = f"; exchange {current.number} is open" if current else "; the game is over"
        return Verdict(False, f"exchange {key.exchange} of {key.game} is closed{now}", key.game)
    name = sealing.sealed_name(sealed)
    if any(entry.sealed == name for entry in exchange.received):
        return Verdict(True, f"these orders of {key.player} were received before", key.game)
    club.store.add_sealed(name, sealed)
    try:
        orders = _verified(club, book, exchange, key, sealed)
    except TrustFault as fault:
        book.append(Refused(exchange=exchange.number, sealed=name, reason=fault.reason, at=club.clock()))
        return Verdict(False, str(fault), key.game)
    book.append(
        Received(exchange=exchange.number, player=orders.player, rev=orders.rev, sealed=name, at=club.clock())
    )
    _receipt(club, book, exchange, orders, name)
    return Verdict(
        True, f"orders of {orders.player} for {key.game}, exchange {exchange.number}: received", key.game
    )


def is_late_reveal(plaintext: bytes) -> bool:
    """Is this a reveal after the close, rather than orders?"""
    return plaintext.startswith(b"pbem1 reveal")


def _take_reveal(club: Club, book: Book, exchange: Exchange, key: SealKey, sealed: bytes) -> Verdict:
    """Take in a reveal after the close (protocol 20)."""
    where = f"{key.game}, exchange {exchange.number}"
    if any(entry.player == key.player for entry in exchange.revealed):
        return Verdict(True, f"the reveal of {key.player} for {where} was received before", key.game)
    late = late_reveal(club, book, exchange, key.player, sealed)
    check_seen(late.seen, exchange.closed_at, book.head_at)
    known = book.history.known(late.reveal.who)
    if known is None:
        return Verdict(False, f"{key.player} has no share in the dice of {key.game}", key.game)
    check_order_reveal(late, known)
    name = sealing.sealed_name(sealed)
    club.store.add_sealed(name, sealed)
    book.append(Revealed(exchange=exchange.number, player=key.player, sealed=name, at=club.clock()))
    return Verdict(True, f"the reveal of {key.player} for {where}: received", key.game)


def _candidates(club: Club) -> dict[SealKey, Book]:
    """The keys that a file may be sealed to: open exchanges first, then those that closed lately."""
    found: dict[SealKey, Book] = {}
    for game in club.store.games():
        book = club.book(game)
        for exchange in reversed(book.history.exchanges[-RECENT_EXCHANGES:]):
            for player in exchange.seals:
                found[club.seal(game, exchange.number, player)] = book
    return dict(sorted(found.items(), key=lambda item: -item[0].exchange))


def _verified(club: Club, book: Book, exchange: Exchange, key: SealKey, sealed: bytes) -> OrderFile:
    """The order file, if everything about it holds (protocol 3 and 4)."""
    orders = open_orders(sealed, key, due(club, book, exchange.number, key.player))
    who = book.history.chain_of(key.player)
    if who is not None or orders.seen is not None:
        check_seen(orders.seen, exchange.opened_at, book.head_at)
    if book.history.genesis.mode == AFTER_CLOSE:
        if orders.reveal is not None:
            told = "in this game orders carry no reveal: it is sent after the close"
            raise TrustFault(told, reason="early-reveal")
    elif who is not None:
        known = book.history.known(who)
        assert known is not None
        check_order_reveal(orders, known)
    if any(entry.player == orders.player and entry.rev == orders.rev for entry in exchange.received):
        raise TrustFault(
            f"revision {orders.rev} of these orders was received before, with other content",
            reason="rev-taken",
        )
    return orders


def _receipt(club: Club, book: Book, exchange: Exchange, orders: OrderFile, name: str) -> None:
    number = sum(entry.player == orders.player for past in book.history.exchanges for entry in past.received)
    words = _words(club, book, exchange, orders)
    receipt = Receipt(
        game=book.game,
        exchange=exchange.number,
        player=orders.player,
        rev=orders.rev,
        sealed=name,
        number=number,
        echo=echo_hash(words),
    )
    send_receipt(club.store, receipt, words, club.key)


def _words(club: Club, book: Book, exchange: Exchange, orders: OrderFile) -> str:
    """The plain-words part of a receipt: what was understood, and every mistake that the side can see."""
    played = replay(club, book.game)
    setting = played.adjudicator.setting
    side = setting.side_of(orders.player)
    parsed = setting.language.parse(orders.body, side)
    faults = parsed.faults
    if played.adjudicator.play.begun:
        faults += setting.language.check(parsed.orders, played.adjudicator.play.game.view(side))
    return setting.style.receipt_words(
        Echo(
            game=book.game,
            exchange=exchange.number,
            player=orders.player,
            side=side,
            said=setting.language.say(parsed.orders),
            faults=faults,
            revision=orders.rev,
            deadline=utc_text(exchange.deadline) if exchange.deadline else "",
        )
    )


def status_line(club: Club, game: str) -> str:
    """A game in one line, from what is public."""
    played = replay(club, game)
    history, setting = played.book.history, played.adjudicator.setting
    if not played.adjudicator.play.begun:
        received = {entry.player for entry in history.exchanges[0].received}
        missing = sorted(set(history.exchanges[0].seals) - received)
        return f"{game}: waiting for the ready of {', '.join(missing) or 'nobody'}"
    exchange = history.current
    sent = {entry.player for entry in exchange.received} if exchange else set()
    context = Context(
        game=game,
        title=setting.rules.title,
        seats=setting.seats,
        open=exchange.number if exchange else 0,
        deadline=utc_text(exchange.deadline) if exchange and exchange.deadline else "",
        waiting=tuple(sorted(set(exchange.seals) - sent)) if exchange else (),
    )
    return setting.style.status(played.adjudicator.play.game.view("public"), context)
