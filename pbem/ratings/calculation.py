"""Computes ratings from the facts of ledgers: identities, the games of a period, then Glicko-2.

An identity is a key and the keys that links join to it; a name counts for nothing. A period is a month by the
times of results (UTC), in which all games count at once, in the order of the record. Which endings are rated,
how sides are weighed and how numbers are rounded is decided where a league's ratings are
(`pbem.leagues.ratings`). A game of which one identity has two seats is not rated.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from pbem.leagues.model import Rating, Result, Seat
from pbem.leagues.ratings import ratings
from pbem.ratings.record import KeyLink, RatedGame, Record


def identities(keys: Iterable[str], links: Iterable[KeyLink]) -> Mapping[str, str]:
    """Return each key's identity: the smallest of the keys that are linked with it."""
    found = {key: key for key in keys}
    for link in sorted(links):
        one, other = (found.setdefault(key, key) for key in (link.old, link.new))
        least = min(one, other)
        found |= {key: least for key, now in found.items() if now in (one, other)}
    return found


def relevant(record: Record) -> Record:
    """Return a record without names and links that belong to no player of its games."""
    keys = {key for game in record.games for key in game.keys}
    known = identities(keys, record.links)
    rated = {known[key] for key in keys}
    return replace(
        record,
        names=frozenset((key, name) for key, name in record.names if key in keys),
        links=frozenset(link for link in record.links if known[link.old] in rated),
    )


def compute_ratings(record: Record) -> tuple[Rating, ...]:
    """Return all ratings computed from a record: by title, over all sides first, the best first.

    A rating's `player` is an identity.
    """
    games = sorted(record.games)
    known = identities((key for game in games for key in game.keys), record.links)
    results = (_result(number, game, known) for number, game in enumerate(games, 1))
    return ratings([one for one in results if len({seat.player for seat in one.seats}) == len(one.seats)])


def _result(number: int, game: RatedGame, known: Mapping[str, str]) -> Result:
    """Return a game in the form of a league's rated games; the month counts as its round."""
    return Result(
        round=12 * int(game.at[:4]) + int(game.at[5:7]),
        pairing=number,
        game=game.title,
        scenario=game.scenario,
        seats=tuple(Seat(player=known[one.key], side=one.side) for one in game.places),
        places=tuple(one.place for one in game.places),
        gone=tuple(known[one.key] for one in game.places if one.is_gone),
        ending=game.ending,
        day=game.at[:10],
    )


def rating_lines(found: Iterable[Rating]) -> tuple[str, ...]:
    """Return the lines of a file of ratings that contain the ratings themselves."""
    words = {True: "yes", False: "no"}
    return tuple(
        f"rating {one.game} {one.side or '-'} {one.player} {one.value} {one.deviation} {one.volatility} "
        f"{one.games} {words[one.provisional]} {words[one.from_tables]}"
        for one in found
    )


def ratings_file(record: Record) -> bytes:
    """Return the text of the file of ratings: the facts of a record, and the ratings computed from them."""
    lines = (*record.lines, *rating_lines(compute_ratings(record)))
    return "".join(f"{line}\n" for line in lines).encode()
