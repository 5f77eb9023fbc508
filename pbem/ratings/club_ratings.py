"""The ratings of a club: over all its leagues and its rated games, from ledgers that everybody may read.

Nothing is stored but the facts of each finished game, for one head of its ledger; the ratings are computed
anew from all of them. A person whom the club has forgotten has no name here, until a rated game of theirs
ends again.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from decimal import ROUND_HALF_EVEN, Decimal
from pathlib import Path

from pbem.errors import LedgerError
from pbem.judge.agenda import ON_HOLD, read_agendas
from pbem.judge.book import Book
from pbem.judge.club import Club
from pbem.judge.export import ALL, PUBLIC, Bundle, Files, check_new, write_bundle
from pbem.judge.leagues.book import load_league
from pbem.judge.leagues.export import bundle as league_bundle
from pbem.judge.tables.note_tables import FORGOTTEN
from pbem.leagues.model import Rating
from pbem.ratings.record import (
    RATINGS,
    Record,
    compute_ratings,
    facts_of_game,
    facts_of_league,
    identities,
    joined,
    parse_ratings,
    ratings_file,
    relevant,
)

FACTS = "ratings 1"
"""Name under which the ratings' facts of a game are stored; it changes whenever their format does."""
UNNAMED = "(forgotten)"


@dataclass(frozen=True, slots=True)
class ClubRating:
    """A rating as people read it: whole points, with the interval that holds the strength 19 times of 20."""

    name: str
    """The names of the rated identity, with its key if another has the same name; no name of a forgotten
    person."""
    title: str
    side: str
    """The side for which the rating is; "" for the rating over all sides."""
    rating: int
    interval: tuple[int, int]
    games: int
    provisional: bool
    """Whether the player has played too few rated games for the rating to mean much."""
    names: tuple[str, ...] = ()
    """The names of the identity alone; empty for a person whom the club has forgotten."""


def club_record(club: Club) -> Record:
    """Return the facts from which the ratings of a club are computed.

    Left out are ledgers that are not as they were written, and those that a restored club has not confirmed.
    """
    record = joined((*_games(club), *_leagues(club)))
    forgotten = {name.removeprefix(FORGOTTEN): since for name, since in club.store.notes(FORGOTTEN).items()}
    last = {key: game.at for game in sorted(record.games) for key in game.keys}
    names = frozenset((key, name) for key, name in record.names if last[key] > forgotten.get(name, ""))
    return relevant(replace(record, names=names))


def _games(club: Club) -> Iterator[Record]:
    heads, kept, fresh = club.store.heads(), club.store.derived(FACTS), dict[str, str]()
    for game, agenda in sorted(read_agendas(club).items()):
        if not agenda.over or agenda.trouble not in ("", ON_HOLD):
            continue
        known, data = kept.get(game, ("", ""))
        if known != heads[game][1]:
            try:
                data = fresh[game] = facts_text(club.book(game))
            except LedgerError:
                continue
        yield parse_ratings(data.encode())[0]
    if fresh:
        with club.store.step():
            for game, data in fresh.items():
                club.store.put_derived(game, FACTS, heads[game][1], data)


def facts_text(book: Book) -> str:
    """Return the ratings' facts in a game's ledger as text, in the form stored under the name `FACTS`."""
    leaves = [row.leaf for row in book.rows]
    found = facts_of_game(book.history, book.entries, leaves, book.head_at(1) or "")
    return "".join(f"{line}\n" for line in found.lines)


def _leagues(club: Club) -> Iterator[Record]:
    for row in club.store.leagues():
        with suppress(LedgerError):  # told by whoever runs the league
            book = load_league(club, row.name.removeprefix("league."))
            yield facts_of_league(book.season, book.entries, [one.leaf for one in book.rows])


def club_ratings(club: Club) -> tuple[ClubRating, ...]:
    """Return the ratings of a club: by title, those over all sides first, the best first."""
    return told_ratings(club_record(club))


def told_ratings(record: Record) -> tuple[ClubRating, ...]:
    """Return the ratings computed from a record, in the form in which people read them."""
    known = identities((key for game in record.games for key in game.keys), record.links)
    names: dict[str, set[str]] = {}
    for key, name in record.names:
        names.setdefault(known[key], set()).add(name)
    named = {identity: " / ".join(sorted(found)) for identity, found in names.items()}
    taken = list(named.values())
    told = {
        identity: name if taken.count(name) == 1 else f"{name} {identity}" for identity, name in named.items()
    }
    return tuple(
        _told(one, told.get(one.player, f"{UNNAMED} {one.player}"), sorted(names.get(one.player, ())))
        for one in compute_ratings(record)
    )


def _told(one: Rating, name: str, names: Iterable[str]) -> ClubRating:
    bounds = (one.value - 2 * one.deviation, one.value + 2 * one.deviation)
    low, high = map(_whole, bounds)
    return ClubRating(
        name=name,
        title=one.game,
        side=one.side,
        rating=_whole(one.value),
        interval=(low, high),
        games=one.games,
        provisional=one.provisional,
        names=tuple(names),
    )


def _whole(points: Decimal) -> int:
    return int(points.quantize(Decimal(1), rounding=ROUND_HALF_EVEN))


def export_ratings(club: Club, into: Path, *, with_bundles: bool = False) -> int:
    """Write the club's file of ratings into a new folder; return the number of bundles written beside it.

    `with_bundles`: whether to write the bundles of all rated games and their leagues, too.

    Raises:
        ConfigError: the folder exists.
    """
    check_new(club, into)
    record = club_record(club)
    part = into.with_name(f"{into.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    (part / RATINGS).write_bytes(ratings_file(record))
    count = 0
    for name, files in _bundles(club, record) if with_bundles else ():
        write_bundle(files, part / name)
        count += 1
    part.replace(into)
    return count


def _bundles(club: Club, record: Record) -> Iterator[tuple[str, Files]]:
    """Yield the bundle of each rated game and of its league; for a running game, its public bundle."""
    firsts = {first for game in record.games for first in (game.first, game.ledger)}
    for game in club.store.games():
        with suppress(LedgerError):
            book = club.book(game)
            if book.head_at(1) in firsts:
                yield game, Bundle(club, book, ALL if book.history.over else PUBLIC).files()
    for row in club.store.leagues():
        with suppress(LedgerError):
            league = load_league(club, row.name.removeprefix("league."))
            if league.season.genesis_head in firsts:
                yield row.name, league_bundle(league)
