"""The seats in games that the director offers to readers of the club's site; offers are kept as notes.

Seats are free in a game that has not begun; in one that goes on a side can look for a substitute.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING

from pbem.errors import ConfigError, LedgerError
from pbem.guides import title_of
from pbem.judge.club import Club
from pbem.trust.entries import GAME_OPTION
from pbem.trust.identifiers import check_game_id, quote
from pbem.trust.times import utc_text

if TYPE_CHECKING:
    from pbem.play.history import History

SEAT = "seat "
"""Prefix of the note that a game looks for players."""
LONGEST = 500
"""Maximum number of characters of the director's text about a game that looks for players."""
_MAX_PLAYERS = 7


@dataclass(frozen=True, slots=True)
class Offer:
    """The offer of seats in a game that looks for players; all of it is public."""

    game: str
    rules: str
    seats: int
    """Number of seats in the game that are free."""
    rhythm: str
    """The rhythm of the game in the director's words: how often a turn is played."""
    about: str
    since: str
    people: tuple[str, ...] = ()
    """The players who have joined the game; the site names those who wish their games to be shown."""
    side: str = ""
    """The side that looks for a substitute; "" in a game that has not begun."""
    side_name: str = ""
    """The name, as people read it, of the side that looks for a substitute."""
    takers: int = 0
    """Number of people who had taken over the offered side's seat when the offer was made; one more ends
    it."""
    clock: str = ""
    """The rules of the game's deadlines in words, as the club's settings are now."""


def offer_seat(
    club: Club, game: str, *, rules: str, seats: int, rhythm: str, about: str, people: Sequence[str] = ()
) -> Offer:
    """Offer seats in a game that has not begun, in place of an earlier offer of the same name.

    Raises:
        ConfigError: the game has begun, or a text of the offer is not allowed.
        IdentifierFault: the game cannot have this name.
    """
    check_game_id(game)
    if game in club.store.games():
        raise ConfigError(f"{game} has begun; seats are offered before a game begins")
    if not title_of(rules):
        raise ConfigError(f"{rules} is not a game that is installed here; pbem guide lists them")
    if not 1 <= seats <= _MAX_PLAYERS:
        raise ConfigError(f"an offer is of 1 to {_MAX_PLAYERS} seats, not of {seats}")
    for name in people:
        if club.store.player(name) is None:
            raise ConfigError(f"{quote(name)} is not a player of this club, so an offer cannot name them")
    return _keep(
        club, Offer(game, rules, seats, rhythm, about, utc_text(club.clock()), (*sorted(set(people)),))
    )


def _keep(club: Club, offer: Offer) -> Offer:
    for text in (offer.rhythm, offer.about):
        if len(text) > LONGEST:
            raise ConfigError(f"an offer says at most {LONGEST} characters; this has {len(text)}")
    with club.store.step():
        club.store.put_note(f"{SEAT}{offer.game}", json.dumps(asdict(offer)))
    return offer


def call_substitute(club: Club, game: str, side: str, *, rhythm: str, about: str) -> Offer:
    """Offer the seat of a side in a running game to a substitute, in place of an earlier offer in this game.

    Raises:
        ConfigError: nobody can take the seat over, or a text of the offer is not allowed.
    """
    from pbem.play.adjudicate import setting_of

    history = club.book(game).history
    if history.over:
        raise ConfigError(f"{game} is over; nobody takes a seat over any more")
    if club.store.league_of(game):
        raise ConfigError(f"{game} is a game of a league, whose list of substitutes says who plays on")
    playing = {one.side: one.name for one in history.genesis.players if one.name in history.playing}
    if side not in playing:
        raise ConfigError(f"nobody plays {quote(side)} in {game}; there are: {', '.join(sorted(playing))}")
    offer = Offer(
        game=game,
        rules=dict(history.genesis.options)[GAME_OPTION],
        seats=1,
        rhythm=rhythm,
        about=about,
        since=utc_text(club.clock()),
        side=side,
        side_name=setting_of(history.corrected).style.words.sides[side],
        takers=_takers(history, playing[side]),
    )
    return _keep(club, offer)


def _takers(history: History, player: str) -> int:
    """Return the number of people who have taken over a seat of a game."""
    return sum(bool(one.person) for one in history.seats.of(player))


def withdraw_offer(club: Club, game: str) -> None:
    """Take back the offer of seats in a game.

    Raises:
        ConfigError: there is no offer for this game.
    """
    if not club.store.note(f"{SEAT}{game}"):
        raise ConfigError(f"no seat is offered in {game}")
    with club.store.step():
        club.store.drop_note(f"{SEAT}{game}")


def read_offers(club: Club) -> tuple[Offer, ...]:
    """Return the offers of seats that are still valid, by game.

    An offer in a game that had not begun ends with its beginning, and a call for a substitute when somebody
    has taken the seat over, when its player plays no more, and with the game.
    """
    begun = set(club.store.games())
    notes = club.store.notes(SEAT)
    offers = (Offer(**json.loads(notes[name])) for name in sorted(notes))
    return tuple(
        replace(one, people=tuple(one.people), clock=club.rhythm(one.game).in_words)
        for one in offers
        if (_is_wanted(club, one) if one.side else one.game not in begun)
    )


def _is_wanted(club: Club, offer: Offer) -> bool:
    """Tell whether a call for a substitute still stands: the side plays on, and its seat was not taken."""
    try:
        history = club.book(offer.game).history
    except LedgerError:  # told by whoever brings the game on
        return False
    player = next(one.name for one in history.genesis.players if one.side == offer.side)
    is_open = not history.over and player in history.playing
    return is_open and _takers(history, player) == offer.takers
