"""Takes in mailed consents and new keys: some are granted at once, the others wait for the game master.

A claim is a consent like any other (act_entries), of the opponent, to the act `claim <player>`. That the
player has been silent is in the ledger for all to see.

A deadline is moved by agreement of all who play: a consent of each, `to extend <UTC>`, and an entry.

    extend 7
    deadline 2026-08-15T18:00:00Z
    at 2026-07-30T09:00:00Z
    consent alice <sha256> <n>      each who plays

It is entered with the last consent that it lacks, once an exchange, if club.toml (`[rhythm] agreed_days`) or
the league's file allows so much. The first who signs a time is who asks for it: the others are told, in the
director's name among their press (`pbem press`, Talk), and how to grant it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from pbem.errors import ConfigError, PbemError
from pbem.judge.acts import act, check_consent, kept_consent, why_unheard
from pbem.judge.agenda import Agenda
from pbem.judge.book import Book
from pbem.judge.club import Club
from pbem.judge.deadlines.rhythm import GRANT
from pbem.judge.intake.waiting_list import FOLDER, late_statements
from pbem.judge.new_keys import check_rotation
from pbem.play.history import Exchange
from pbem.rendering import render
from pbem.trust.act_entries import CLAIM, LEAST_SILENCE, Consent, agreed_time
from pbem.trust.entries import EXTEND, Extend
from pbem.trust.formats import MAX_ACTS_IN_EXCHANGE
from pbem.trust.rotations import KeyChange
from pbem.trust.times import utc_text

MAX_CONSENTS = 10
"""Maximum number of consents that one player may send in one exchange."""
ASKED = "more time "
"""Prefix of the note that lists the later deadlines asked for in an exchange of a game."""


@dataclass(frozen=True, slots=True)
class StoredConsent:
    """The result of taking in a player's signed consent."""

    consent: Consent
    person: str
    """The person in the consenting seat."""
    done: str
    """A line about the act, if it was done at once; "" if the game master has to decide."""
    path: str


def take_consent(club: Club, text: bytes) -> StoredConsent:
    """Check and keep a player's consent to an act in the open exchange.

    Raises:
        PbemError: the consent is not signed by somebody whose consent counts, or is for another moment.
    """
    book, consent = check_consent(club, text)
    path = _place(club, f"{consent.game}-{consent.exchange}-{consent.by}-", consent.text, "consent")
    what, _, of = consent.to.partition(" ")
    if what == EXTEND:
        return _take_time(club, book, consent, text, path)
    rhythm = club.rhythm(consent.game)
    silence = book.history.silence(of) if what == CLAIM else 0
    if what == CLAIM and of not in (player.name for player in book.history.genesis.players):
        raise ConfigError(f"{of} does not play {consent.game}")
    if what == CLAIM and silence < LEAST_SILENCE:
        raise ConfigError(
            f"{of} has sent nothing for {silence} exchanges in a row of {consent.game}; "
            f"you can claim a game after {LEAST_SILENCE}, if nothing has come for the open exchange"
        )
    if what == CLAIM and (unheard := why_unheard(club, book)):
        raise ConfigError(unheard)
    path.write_bytes(text)
    done = ""
    if what == CLAIM and rhythm.claims == GRANT and silence >= max(LEAST_SILENCE, rhythm.silent_exchanges):
        try:
            reason = f"{of} has sent nothing for {silence} exchanges"
            done = act(club, consent.game, CLAIM, of, reason=reason, consents=[text])
        except PbemError:  # another opponent has not claimed it: the game master looks
            done = ""
    return StoredConsent(consent, book.history.seats.person(consent.by), done, str(path))


def _take_time(club: Club, book: Book, consent: Consent, text: bytes, path: Path) -> StoredConsent:
    """Keep a consent to a later deadline, which is moved as soon as all players have signed the same."""
    if is_given(book, consent):
        done = f"{consent.to} is entered"
    else:
        check_time(club, book, consent)
        path.write_bytes(text)
        done = give_time(club, book, consent)
    return StoredConsent(consent, book.history.seats.person(consent.by), done, str(path))


def take_rotation(club: Club, data: bytes) -> tuple[KeyChange, Path]:
    """Check and keep a seat's new key for the open exchange; return the key change and its file.

    The game master enters the key: a thief of the old key could sign this, too.

    Raises:
        PbemError: the key change is not signed as required, or is for another moment.
    """
    change = check_rotation(club, data)
    path = _place(club, f"{change.game}-{change.exchange}-{change.player}-", change.text, "rotation")
    path.write_bytes(data)
    return change, path


def _place(club: Club, start: str, text: bytes, kind: str) -> Path:
    """Return the path for a player's signed statement, if they may send one more in this exchange."""
    folder = club.path / FOLDER
    folder.mkdir(exist_ok=True, mode=0o700)
    path = folder / f"{start}{hashlib.sha256(text).hexdigest()[:8]}.{kind}"
    if not path.exists() and sum(1 for _ in folder.glob(f"{start}*.{kind}")) >= MAX_CONSENTS:
        raise ConfigError(f"you have signed {MAX_CONSENTS} {kind}s in this exchange; you cannot sign more")
    return path


def answer_late(club: Club, agendas: Iterable[Agenda]) -> dict[str, str]:
    """Write once to each player whose consent or new key came too late to be entered.

    Returns the game master's lines about such new keys, by the names of their alerts.
    """
    found = late_statements(club, agendas)
    for late in found:
        person = club.book(late.game).history.seats.person(late.player)
        if late.key:
            text = (
                f"Your new key for {late.game}, {late.key}, was not entered: exchange {late.exchange}, for "
                f"which you signed it, has ended. {late.old} goes on to count. Sign the new key again, with "
                f"what you signed it with before, for exchange {late.current}, which is open now, and send "
                f"it at once:\n\n    pbem sign rotation {late.game} {late.current} --as {late.player} "
                f"--new KEY --out {late.player}.rotation\n\nConsents of others to it must be signed again, "
                "too, for they name the file.\n"
            )
        else:
            text = (
                f"You have signed '{late.to}' for exchange {late.exchange} of {late.game}. It was not "
                "entered before that exchange ended, and cannot be any more. If you still want it, sign it "
                f"again for exchange {late.current}, which is open now:\n\n"
                f"    pbem sign consent {late.game} {late.current} {late.to} --as {late.player}\n"
            )
        with club.store.step():
            name = f"{late.game}-{late.exchange:04d}-late-{late.sha256[:8]}.txt"
            club.store.add_letter(late.game, person, name, b"", text=text)
    return {f"late {one.game} {one.player} {one.exchange}": one.line for one in found if one.key}


def check_time(club: Club, book: Book, consent: Consent) -> None:
    """Refuse a consent to a later deadline if its time or writer is not allowed now.

    Raises:
        ConfigError: the time is not possible, or the writer cannot agree now, or the club gives no time so.
    """
    game, history, days = book.game, book.history, club.rhythm(book.game).agreed_days
    exchange, later, now = history.exchanges[-1], agreed_time(consent.to), book.time(club.clock())
    deadline, number = exchange.deadline, exchange.number
    if not days:
        raise ConfigError(f"players of {game} do not agree on deadlines: ask the game master for more time")
    if consent.by not in history.playing:
        raise ConfigError(f"{consent.by} does not play {game}, and gives no time")
    if any(one.consents for one in exchange.extended):
        raise ConfigError(f"the players of {game} have agreed on more time in exchange {number} already")
    if history.held is not None or exchange.paused:
        raise ConfigError(f"exchange {number} of {game} was on hold: ask the game master for more time")
    if deadline is None or exchange.closed is not None or now >= deadline:
        raise ConfigError(f"exchange {number} of {game} waits for no orders: nobody can give it more time")
    if exchange.counted_acts >= MAX_ACTS_IN_EXCHANGE:
        raise ConfigError(f"the deadline of exchange {number} of {game} was moved as often as it can be")
    latest = min([deadline + timedelta(days=days), *_last_dates(club, game)])
    if not deadline < later <= latest:
        raise ConfigError(
            f"exchange {number} of {game} ends {utc_text(deadline)}, and you can agree on a later time up to "
            f"{utc_text(latest)}, not on {utc_text(later)}"
        )


def give_time(club: Club, book: Book, consent: Consent) -> str:
    """Move the deadline to the time in this consent if nobody else must sign; else notify the other players.

    Return what was done; "" if somebody has to sign it yet.
    """
    history = book.history
    exchange, given = history.exchanges[-1], dict[str, Consent]()
    for path in sorted((club.path / FOLDER).glob(f"{book.game}-{exchange.number}-*.consent")):
        try:
            found = kept_consent(club, book, exchange, consent.to, path.read_bytes())
        except PbemError:  # to something else
            continue
        given.setdefault(found.by, found)
    missing = [name for name in history.playing if name not in given]
    if missing:
        _ask(club, book, exchange, consent, missing)
        return ""
    later = agreed_time(consent.to)
    signed = tuple((name, given[name].given) for name in sorted(given) if name in history.playing)
    from pbem.judge.letters.letters_out import notify

    with club.store.step():
        at = book.time(club.clock())
        book.append(Extend(exchange=exchange.number, deadline=later, at=at, consents=signed))
        text = f"All have agreed: exchange {exchange.number} of {book.game} now ends {utc_text(later)}.\n"
        notify(club.store, book, club.key, text)
    return f"exchange {exchange.number} now ends {utc_text(later)}"


def is_given(book: Book, consent: Consent) -> bool:
    """Tell whether an extension in the ledger names this consent already, so that the consent came twice."""
    extended = book.history.exchanges[-1].extended
    return any(given == consent.given for one in extended for _, given in one.consents)


def _ask(club: Club, book: Book, exchange: Exchange, consent: Consent, missing: list[str]) -> None:
    """Notify the other players that somebody asks for a later deadline; once for each time asked for."""
    number, *asked = club.store.note(f"{ASKED}{book.game}").split(" ")
    asked = asked if number == str(exchange.number) else []
    time = consent.to.partition(" ")[2]
    if time in asked:
        return
    from pbem.judge.press.director import write_as_director

    club.store.put_note(f"{ASKED}{book.game}", " ".join([str(exchange.number), *asked, time]))
    text = render("mail/more-time.txt.j2", game=book.game, exchange=exchange, consent=consent)
    write_as_director(club, book.game, tuple(sorted(missing)), "more time", text)


def _last_dates(club: Club, game: str) -> tuple[datetime, ...]:
    """Return the last date of the round that a league's game belongs to, in a tuple; () for other games."""
    if not (league := club.store.league_of(game)):
        return ()
    from pbem.judge.leagues.book import load_league

    rounds = load_league(club, league).season.rounds
    return tuple(
        one.last_date for one in rounds if any(game == own.game for own in one.opened_games.values())
    )
