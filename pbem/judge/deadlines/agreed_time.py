"""Moves a deadline by agreement of all who play: a consent of each, `to extend <UTC>`, and an entry.

    extend 7
    deadline 2026-08-15T18:00:00Z
    at 2026-07-30T09:00:00Z
    consent alice <sha256> <n>      each who plays

It is entered with the last consent that it lacks, once an exchange, if club.toml (`[rhythm] agreed_days`) or
the league's file allows so much. The first who signs a time is who asks for it: the others are told, in the
director's name among their press (`pbem press`, Talk), and how to grant it.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from pbem.errors import ConfigError, PbemError
from pbem.judge.acts.entering import kept_consent
from pbem.judge.book import Book
from pbem.judge.club import Club
from pbem.judge.intake.waiting_list import FOLDER
from pbem.play.exchange import Exchange
from pbem.rendering import render
from pbem.trust.act_entries import Consent, agreed_time
from pbem.trust.entries import Extend
from pbem.trust.formats import MAX_ACTS_IN_EXCHANGE
from pbem.trust.times import utc_text

ASKED = "more time "
"""Prefix of the note that lists the later deadlines asked for in an exchange of a game."""


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
    """Return the end of the round of a league's game, by which every exchange ends; "" for other games."""
    if not (league := club.store.league_of(game)):
        return ()
    from pbem.judge.leagues.book import load_league

    rounds = load_league(club, league).season.rounds
    return tuple(
        one.last_date for one in rounds if any(game == own.game for own in one.opened_games.values())
    )
