"""The seats that the director offers to readers of the club's pages; offers are kept as notes of the club."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace

from pbem.errors import ConfigError
from pbem.guides import title_of
from pbem.judge.club import Club
from pbem.trust.identifiers import check_game_id, quote
from pbem.trust.times import utc_text

SEAT = "seat "
"""Prefix of the note of a game that looks for players."""
LONGEST = 500
"""Maximum number of characters in what the director says of a game that looks for players."""
_MAX_PLAYERS = 7


@dataclass(frozen=True, slots=True)
class Offer:
    """The offer of seats in a game that looks for players; all of it is public."""

    game: str
    rules: str
    seats: int
    """Number of seats that are free."""
    rhythm: str
    """The rhythm of the game in the director's words: how often a turn is played."""
    about: str
    since: str
    people: tuple[str, ...] = ()
    """The players who are there already; the site names those who wish that their games are shown."""


def offer_seat(
    club: Club, game: str, *, rules: str, seats: int, rhythm: str, about: str, people: Sequence[str] = ()
) -> Offer:
    """Offer seats in a game that has not begun, in place of an offer of the same name.

    Raises:
        ConfigError: the game has begun, or something cannot stand in an offer.
        IdentifierFault: the game cannot have this name.
    """
    check_game_id(game)
    if game in club.store.games():
        raise ConfigError(f"{game} has begun; seats are offered before a game begins")
    if not title_of(rules):
        raise ConfigError(f"{rules} is not a game that is installed here; pbem guide lists them")
    if not 1 <= seats <= _MAX_PLAYERS:
        raise ConfigError(f"an offer is of 1 to {_MAX_PLAYERS} seats, not of {seats}")
    for text in (rhythm, about):
        if len(text) > LONGEST:
            raise ConfigError(f"an offer says at most {LONGEST} characters; this has {len(text)}")
    for name in people:
        if club.store.player(name) is None:
            raise ConfigError(f"{quote(name)} is not a player of this club, so an offer cannot name them")
    offer = Offer(game, rules, seats, rhythm, about, utc_text(club.clock()), tuple(people))
    with club.store.step():
        club.store.put_note(f"{SEAT}{game}", json.dumps(asdict(offer)))
    return offer


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
    """Return the offers that still hold, by game; an offer whose game has begun is over."""
    begun = set(club.store.games())
    notes = club.store.notes(SEAT)
    offers = (Offer(**json.loads(notes[name])) for name in sorted(notes))
    return tuple(replace(one, people=tuple(one.people)) for one in offers if one.game not in begun)
