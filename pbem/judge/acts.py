"""Enters the game master's acts in a ledger, each with its reason, and notifies every player.

Nothing here decides about play. An act that ends a game, makes exchanges void or lets the game go on by other
rules needs signed consent, which is kept under the hash that the entry names, and goes into every bundle.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timedelta

from pbem.characters import plain_line
from pbem.errors import ConfigError
from pbem.judge.adjudication import (
    Difference,
    compare,
    compare_house_rules,
    finish,
    replay,
    reports_after_roll_back,
)
from pbem.judge.book import Book, check_restored
from pbem.judge.club import Club
from pbem.judge.deadlines.waits_for_mail import waiting_games
from pbem.judge.intake.player_files import key_of
from pbem.judge.letters.letters_out import PUBLIC, notify
from pbem.judge.saved_places import installed_rules
from pbem.play.adjudicate import act_over_entry, house_rule, setting_of
from pbem.play.history import Exchange
from pbem.trust import keys
from pbem.trust.act_entries import (
    AGREE_DRAW,
    CHANGING,
    CLAIM,
    CORRECT,
    GO_ON,
    LEAVING,
    LOOK,
    ROLL_BACK,
    RULES,
    Act,
    Consent,
    lacking,
    read_consent,
    verify_consent,
)
from pbem.trust.entries import Close, Extend, Open
from pbem.trust.faults import LedgerFault
from pbem.trust.fields import MAX_REASON_LENGTH
from pbem.trust.identifiers import quote
from pbem.trust.times import utc_text


def act(
    club: Club,
    game: str,
    what: str,
    of: str = "",
    change: str = "",
    *,
    reason: str,
    consents: Iterable[bytes] = (),
) -> str:
    """Enter an act of the game master in the game's ledger; return one line about the act.

    `change`: what a correction changes, as `rules=<hash>` or `<house rule>=<value>`; by default the
    rules, to those of the installed release.

    Raises:
        ConfigError: the act cannot be done now, or lacks a reason or a consent.
    """
    with club.store.step():
        book = club.book(game)
        exchange = _current(book)
        entry = Act(
            exchange=exchange.number,
            what=what,
            of=of,
            change=_change(book, change) if what in CHANGING else change,
            at=club.clock(),
            reason=reason_of(reason),
        )
        if what in CHANGING:
            _check_cause(club, book, entry)
        if what == CLAIM and (unheard := why_unheard(club, book)):
            raise ConfigError(unheard)
        given = [kept_consent(club, book, exchange, entry.said, text) for text in consents]
        entry = replace(entry, consents=tuple((consent.by, consent.given) for consent in given))
        if lack := lacking(entry, book.history.genesis, book.history.left):
            raise ConfigError(
                f"{entry.said} is not done: {lack}; a consent is made with "
                f"'pbem sign consent {game} {exchange.number} {entry.said}'"
            )
        try:
            outcome = replay(club, game).adjudicator.leave(exchange, entry) if what in LEAVING else None
            book.append(entry)
        except LedgerFault as fault:
            raise ConfigError(str(fault)) from None
        if what == AGREE_DRAW or outcome is not None:
            book.append(act_over_entry(entry, outcome))
        if what == ROLL_BACK:
            _go_back(club, book)
        elif what == CORRECT:
            _play_again(club, book, entry)
        elif what != LOOK:
            notify(club.store, book, club.key, _in_words(entry))
        current = book.history.current
    opened = f"; exchange {current.number} is open" if current and current.number != exchange.number else ""
    return f"{game}: {entry.said}{opened}"


def extend(club: Club, game: str, days: float, reason: str) -> datetime:
    """Move the deadline of the open exchange before it has passed; return the new one.

    Raises:
        ConfigError: the deadline has passed, or there is none.
    """
    with club.store.step():
        book = club.book(game)
        exchange = _current(book)
        deadline, now = exchange.deadline, book.time(club.clock())
        if deadline is None or exchange.closed is not None:
            raise ConfigError(f"exchange {exchange.number} of {game} has no deadline to be moved")
        if now >= deadline:
            raise ConfigError(
                f"the deadline of exchange {exchange.number} of {game} has passed at {utc_text(deadline)}; "
                "it can be moved only before (protocol 8)"
            )
        try:
            later = deadline + timedelta(days=days)
        except (OverflowError, ValueError):
            raise ConfigError(f"the deadline cannot be moved by {days} days") from None
        moved = later - exchange.paused  # what a hold has added stays added
        why = reason_of(reason)
        book.append(Extend(exchange=exchange.number, deadline=moved, at=now, extra=(f"reason {why}",)))
        notify(
            club.store,
            book,
            club.key,
            f"The deadline of exchange {exchange.number} of {game} is moved to {utc_text(later)}.\n"
            f"Reason: {why}\n",
        )
    return later


def look(club: Club, game: str, viewer: str, reason: str) -> None:
    """Enter in the ledger that the game master is about to see facts hidden from the public.

    What is public needs no entry; a game that is over hides nothing.

    Raises:
        ConfigError: the game master does not say why.
    """
    if check_look(club, game, viewer, reason):
        act(club, game, LOOK, viewer, reason=reason)


def check_look(club: Club, game: str, viewer: str, reason: str) -> bool:
    """Tell whether the game master's look at a game's secrets must be entered in the ledger.

    Raises:
        ConfigError: the look must be entered, and `reason` does not say why.
    """
    if viewer == PUBLIC or club.book(game).history.over:
        return False
    if not plain_line(reason):
        raise ConfigError(
            f"{game} is still played, and this shows secrets: add --reason, which the ledger and all "
            f"players get; or --as public"
        )
    return True


def _current(book: Book) -> Exchange:
    exchange = book.history.current
    if exchange is None:
        raise ConfigError(f"{book.game} is over; you cannot change it")
    return exchange


def reason_of(text: str) -> str:
    """Return the reason of an act as one plain line; raise ConfigError if the reason is empty."""
    reason = plain_line(text)
    if not reason:
        raise ConfigError("say why: the reason is shown to all players")
    if len(reason) > MAX_REASON_LENGTH:
        raise ConfigError(f"the reason has {len(reason):,} characters; {MAX_REASON_LENGTH} are taken at most")
    return reason


def kept_consent(club: Club, book: Book, exchange: Exchange, to: str, text: bytes) -> Consent:
    """Check a signed consent to one act of the game master, store it, and return its content."""
    consent, armor = read_consent(text)
    if (consent.game, consent.exchange, consent.to) != (book.game, exchange.number, to):
        is_past = (consent.game, consent.to) == (book.game, to) and consent.exchange < exchange.number
        again = f"; {consent.by} has to receive the newest report and sign again" if is_past else ""
        raise ConfigError(
            f"{consent.by} consents to '{consent.to}' in exchange {consent.exchange} of {consent.game}, "
            f"not to '{to}' in exchange {exchange.number} of {book.game}{again}"
        )
    refuse_namesake(book, consent.genesis, f"{consent.by} consents in")
    _refuse_elsewhere(book, consent)
    genesis = book.history.genesis
    if any(player.name == consent.by for player in genesis.players):
        key = key_of(club, book, consent.by, exchange.number)
    else:
        if genesis.official is None or genesis.official[0] != consent.by:
            raise ConfigError(f"{consent.by} is neither a player nor the second official of {book.game}")
        line = club.store.key_line(*genesis.official)
        if not line:
            raise ConfigError(f"the key of {consent.by} is not the one that {book.game} was opened with")
        key = keys.parse_public(line)
    verify_consent(armor, consent, key)
    club.store.add_sealed(consent.sha256, consent.text + armor)
    return consent


def refuse_namesake(book: Book, genesis: str, what: str) -> None:
    """Refuse a statement about another game of the same name. Raises ConfigError."""
    if genesis != book.head_at(1):
        raise ConfigError(
            f"{what} another game that is called {book.game}: its first head is {quote(genesis, 70)}, "
            f"and here it is {book.head_at(1)}"
        )


def _refuse_elsewhere(book: Book, consent: Consent) -> None:
    """Refuse a consent whose writer has seen a longer or another ledger of the game. Raises ConfigError."""
    size, head = consent.seen
    if size > book.size:
        raise ConfigError(
            f"{consent.by} names entry {size}, and the ledger of {book.game} ends here at entry {book.size}"
        )
    if head != book.head_at(size):
        raise ConfigError(
            f"{consent.by} names entry {size} of another history of {book.game}: its head there is "
            f"{quote(head, 70)}, and here it is {book.head_at(size)}"
        )


def check_consent(club: Club, text: bytes) -> tuple[Book, Consent]:
    """Return the game and content of a consent, which must be for the open exchange.

    Raises:
        Unconfirmed: the game was restored, and which exchange is open is not known.
    """
    consent, _ = read_consent(text)
    book = club.book(consent.game)
    exchange = _current(book)
    check_restored(club.store, book.game)
    return book, kept_consent(club, book, exchange, consent.to, text)


def why_unheard(club: Club, book: Book) -> str:
    """Return the reason why no player counts as silent in a game now; "" if there is none."""
    exchange = _current(book)
    if exchange.had_outage:
        return f"mail has failed in exchange {exchange.number}: nobody counts as silent in it"
    if reason := waiting_games(club).get(book.game, ""):
        return f"nobody counts as silent while {book.game} waits: {reason}"
    return ""


def _change(book: Book, change: str) -> str:
    """Return a correction's change as the ledger writes it."""
    name, _, value = change.partition("=")
    if name in ("", RULES):
        installed = installed_rules(book)
        if value not in ("", installed):
            raise ConfigError(f"the installed release plays {RULES}={installed}, not {change}")
        return f"{RULES}={installed}"
    return f"{name}={house_rule(setting_of(book.history.corrected), name, value)}"


def _check_cause(club: Club, book: Book, entry: Act) -> None:
    """Refuse to play an exchange again unless it is the first that a correction changes."""
    if not entry.rules and installed_rules(book) != book.history.rules:
        raise ConfigError("first the game must go on with the installed release: see 'pbem game replay'")
    found = compare(club, book) if entry.rules else compare_house_rules(club, book, entry.corrected)
    if entry.what == GO_ON:
        if found is None:
            raise ConfigError(
                f"the installed release plays all of it in the same way: {book.game} goes on "
                f"by itself, with 'pbem club run'"
            )
        if found.decides:
            raise ConfigError(
                f"exchange {found.exchange} has another result, first in {found.what}: correct it"
            )
    elif found is None or not found.decides:
        raise ConfigError(f"{entry.said} is not done: it would change nothing")
    elif str(found.exchange) != entry.of:
        raise ConfigError(
            f"{entry.said} is not done: the first exchange with another result is {found.exchange}"
        )


def way_on(book: Book, difference: Difference) -> list[str]:
    """Return lines that say how a game can go on if the installed release plays it differently."""
    exchange, rules = book.history.current, f"{RULES}={installed_rules(book)}"
    if exchange is None:
        return ["the game is over: you need to do nothing"]
    if difference.decides:
        what = f"{CORRECT} {difference.exchange} {rules}"
        how = f"from exchange {difference.exchange} on, which is played again with the same orders and dice"
    else:
        what = f"{GO_ON} {rules}"
        how = "from where it is, because nothing in the game is different"
    return [
        f"it goes on under the release that plays {book.history.rules[:16]}; or, if all players consent,",
        f"under this one, {how}:",
        f"  pbem sign consent {book.game} {exchange.number} {what} --as NAME --out NAME.consent",
        f'  pbem game act {book.game} {what} --reason "..." --consent NAME.consent --consent NAME.consent',
    ]


def _play_again(club: Club, book: Book, entry: Act) -> None:
    """Play a corrected exchange again as a new exchange with the same orders and dice, then open the next."""
    history = book.history
    source = history.source(history.exchanges[int(entry.of) - 1])
    number = len(history.exchanges) + 1
    book.append(Open(exchange=number, seals=(), rules=history.rules, again=source.number))
    book.append(Close(exchange=number, at=club.clock()))
    played = replay(club, book.game)
    exchange = played.book.history.current
    assert exchange is not None
    finish(club, played, exchange)


def _go_back(club: Club, book: Book) -> None:
    """Open a new exchange after a roll-back, and send every player the position from which it starts."""
    names = book.history.playing
    number = len(book.history.exchanges) + 1
    book.append(
        club.opening(
            book.game, number, names, book.history.rules, club.first_deadline(book.game, book.history)
        )
    )
    reports_after_roll_back(club, replay(club, book.game), book)


def _in_words(entry: Act) -> str:
    said = f"The game master: {entry.said}, in exchange {entry.exchange}.\n"
    agreed = "".join(f"{name} has consented.\n" for name, _ in entry.consents)
    return f"{said}{agreed}Reason: {entry.reason}\n"
