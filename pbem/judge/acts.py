"""What a game master does to a game: each thing is an entry with its reason, and a notice to every player.

Nothing here decides about play. What ends a game or makes exchanges void needs signed consent, which is
kept under the hash that the entry names, and goes into every bundle.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from pbem.errors import ConfigError
from pbem.judge.bench import key_of, replay, reports_after_roll_back
from pbem.judge.book import Book
from pbem.judge.club import Club
from pbem.judge.letters import notify
from pbem.play.adjudicate import act_over_entry
from pbem.play.history import Exchange
from pbem.trust import keys, signature
from pbem.trust.acts import ENDINGS, LOOK, ROLL_BACK, Act, Consent, lacking, parse_consent, verify_consent
from pbem.trust.entries import Extend, utc_text
from pbem.trust.faults import LedgerFault


def act(
    club: Club, game: str, what: str, of: str = "", *, reason: str, consents: Iterable[bytes] = ()
) -> str:
    """Enter an act of the game master; one line of what was done.

    Raises:
        ConfigError: it cannot be done now, or lacks a reason or a consent.
    """
    with club.store.step():
        book = club.book(game)
        exchange = _current(book)
        given = [kept_consent(club, book, exchange, f"{what} {of}".rstrip(), text) for text in consents]
        entry = Act(
            exchange=exchange.number,
            what=what,
            of=of,
            at=club.clock(),
            reason=reason_of(reason),
            consents=tuple((consent.by, consent.sha256) for consent in given),
        )
        if lack := lacking(entry, book.history.genesis):
            raise ConfigError(
                f"{entry.said} is not done: {lack}; a consent is made with "
                f"'pbem consent {game} {exchange.number} {entry.said}'"
            )
        try:
            book.append(entry)
        except LedgerFault as fault:
            raise ConfigError(str(fault)) from None
        if what in ENDINGS:
            book.append(act_over_entry(book.history.genesis, entry))
        if what == ROLL_BACK:
            _go_on(club, book)
        elif what != LOOK:
            notify(club.store, book, club.key, _told(entry))
    return f"{game}: {entry.said}"


def extend(club: Club, game: str, days: float, reason: str) -> datetime:
    """Move the deadline of the open exchange, before it has passed (12.8); the new one.

    Raises:
        ConfigError: it has passed, or there is none.
    """
    with club.store.step():
        book = club.book(game)
        exchange = _current(book)
        deadline, now = exchange.deadline, club.clock()
        if deadline is None or exchange.closed is not None:
            raise ConfigError(f"exchange {exchange.number} of {game} has no deadline to be moved")
        if now >= deadline:
            raise ConfigError(
                f"the deadline of exchange {exchange.number} of {game} has passed at {utc_text(deadline)}; "
                "it can be moved only before (protocol 12.8)"
            )
        later = deadline + timedelta(days=days)
        moved = later - exchange.paused  # what a hold has added stays added
        entry = Extend(
            exchange=exchange.number, deadline=moved, at=now, extra=(f"reason {reason_of(reason)}",)
        )
        book.append(entry)
        notify(
            club.store,
            book,
            club.key,
            f"The deadline of exchange {exchange.number} of {game} is moved to {utc_text(later)}.\n"
            f"Reason: {reason}\n",
        )
    return later


def look(club: Club, game: str, viewer: str, reason: str) -> None:
    """Enter that the game master is about to see what he could not see as a bystander.

    A game that is over hides nothing, and needs no entry.
    """
    if not club.book(game).history.over:
        act(club, game, LOOK, viewer, reason=reason)


def _current(book: Book) -> Exchange:
    exchange = book.history.current
    if exchange is None:
        raise ConfigError(f"{book.game} is over; nothing can be done to it")
    return exchange


def reason_of(text: str) -> str:
    reason = " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())
    if not reason:
        raise ConfigError("say why: the reason is shown to all players")
    return reason


def kept_consent(club: Club, book: Book, exchange: Exchange, to: str, text: bytes) -> Consent:
    """A consent to this very act, its signature checked; kept for the bundles."""
    signed = signature.split(text)
    consent = parse_consent(signed.body)
    if (consent.game, consent.exchange, consent.to) != (book.game, exchange.number, to):
        raise ConfigError(
            f"{consent.by} consents to '{consent.to}' in exchange {consent.exchange} of {consent.game}, "
            f"not to '{to}' in exchange {exchange.number} of {book.game}"
        )
    genesis = book.history.genesis
    if any(player.name == consent.by for player in genesis.players):
        key = key_of(club, book, consent.by, exchange.number)
    else:
        row = club.store.player(consent.by)
        if genesis.official is None or genesis.official[0] != consent.by or row is None:
            raise ConfigError(f"{consent.by} is neither a player nor the second official of {book.game}")
        key = keys.parse_public(row.key)
        if key.fingerprint != genesis.official[1]:
            raise ConfigError(f"the key of {consent.by} is not the one that {book.game} was opened with")
    verify_consent(signed.armor, consent, key)
    club.store.add_sealed(consent.sha256, consent.text + signed.armor)
    return consent


def check_consent(club: Club, text: bytes) -> tuple[Book, Consent]:
    """The game that a consent is about, and what it says; it must fit the exchange that is open."""
    consent = parse_consent(signature.split(text).body)
    book = club.book(consent.game)
    exchange = _current(book)
    return book, kept_consent(club, book, exchange, consent.to, text)


def _go_on(club: Club, book: Book) -> None:
    """After a roll-back: a new exchange, and the position that it starts from, to every player."""
    names = [player.name for player in book.history.genesis.players]
    number = len(book.history.exchanges) + 1
    book.append(club.opening(book.game, number, names, book.history.rules))
    reports_after_roll_back(club, replay(club, book.game), book)


def _told(entry: Act) -> str:
    said = f"The game master: {entry.said}, in exchange {entry.exchange}.\n"
    agreed = "".join(f"{name} has consented.\n" for name, _ in entry.consents)
    return f"{said}{agreed}Reason: {entry.reason}\n"
