"""The tables, ratings, bracket and page view that follow from a league's ledger, and who changes class.

Also here: what the next season takes over, and the CSV files that the ledger's last entry names by hash.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import replace

from pbem.leagues.earlier_results import Before, Carried
from pbem.leagues.model import (
    Bracket,
    Ending,
    LeagueView,
    Rating,
    Result,
    Ruling,
    Standing,
)
from pbem.leagues.news import appeals_heard, dates, describe_next_event, recent_events_of
from pbem.leagues.round_drawing import cup, ladder
from pbem.leagues.rules_in_words import in_words
from pbem.leagues.season import (
    FINAL_SECTION,
    Season,
    Tables,
    entrants_of,
    results_of,
    rounds_of,
    season_standings,
)
from pbem.leagues.statement_rules import why_closed
from pbem.trust.keys import parse_public


def tables(season: Season) -> Tables:
    """Return the standings of each division; a league without divisions has the one named ""."""
    found = season_standings(season, reached_rounds(season))
    return found if season.file.format != "ladder" else by_rung(season, found)


def reached_rounds(season: Season) -> dict[str, int] | None:
    """Return how far each player came in a knock-out whose bracket is made; None in other leagues."""
    if season.file.format != "knockout" or not season.rounds:
        return None
    return cup(season).ranks()


def bracket(season: Season) -> Bracket | None:
    """Return the bracket of a knock-out whose first round is drawn; None in other leagues."""
    from pbem.leagues.formats.knockout import bracket_of

    return bracket_of(cup(season)) if season.file.format == "knockout" and season.rounds else None


def by_rung(season: Season, found: Tables) -> Tables:
    """Return the table of a ladder: everybody on their rung, whatever their points, and leavers below."""
    if not (order := ladder(season)):
        return found
    ((division, table),) = found
    rungs = {name: rung for rung, name in enumerate(order, 1)}
    rows = [replace(row, place=rungs.get(row.player, len(rungs) + 1)) for row in table]
    return ((division, tuple(sorted(rows, key=lambda row: (row.place, row.player)))),)


def ratings(season: Season) -> tuple[Rating, ...]:
    """Return everybody's ratings in a season, from the results and from the ratings taken over."""
    from pbem.leagues.ratings import ratings as compute

    return compute(rated_players(season), season.carried.ratings_of(season.members))


def rated_players(season: Season) -> tuple[Result, ...]:
    """Return the results that ratings use; if the file wants forfeits rated, they are marked as played."""
    played = results_of(season)
    if season.file.forfeits_rated:
        forfeited = Ending.FORFEITED
        return tuple(replace(one, ending=Ending.PLAYED) if one.ending is forfeited else one for one in played)
    return played


def view(season: Season) -> LeagueView:
    """Return the view of a league that its pages show."""
    return LeagueView(
        name=season.file.title,
        format=season.file.format,
        entrants=entrants_of(season),
        rounds=rounds_of(season),
        results=results_of(season),
        tie_breaks=season.file.scoring.tie_breaks,
        standings=tables(season),
        ratings=ratings(season),
        deadlines=tuple((state.number, state.last_date.date().isoformat()) for state in season.rounds),
        rulings=tuple(
            Ruling(
                number=one.number,
                day=one.at.date().isoformat(),
                by=one.by,
                about=" ".join(one.decides[1:3]),
                decision=" ".join(one.decides),
                reason=one.reason,
            )
            for one in season.rulings
        ),
        open_games=tuple(
            (state.number, pair.number, pair.game)
            for state in season.rounds
            for pair in state.unfinished_pairs
            if pair.number in state.opened_games
        ),
        id=season.file.name,
        judge=season.genesis.gm,
        genesis=season.genesis_head,
        coming=describe_next_event(season),
        closed=f"{season.file.name} is over" if season.is_over else why_closed(season),
        substitutes=bool(season.file.replace_days) and not season.is_over,
        rules=in_words(season.file),
        dates=dates(season),
        appeals=appeals_heard(season),
        news=recent_events_of(season),
        bracket=bracket(season),
    )


def _leading(season: Season) -> Iterator[tuple[Standing, ...]]:
    """Yield the tables that decide who changes class: all but the table of the final."""
    return (table for division, table in tables(season) if division != FINAL_SECTION)


def moves(season: Season) -> tuple[tuple[str, str], ...]:
    """Return pairs of a player and "up" or "down", for the players of a league who change class."""
    from pbem.leagues.formats.round_robin import moves as of_section

    file = season.file
    if file.format != "sections":
        return ()
    ways = (of_section(table, file.up, file.down).items() for table in _leading(season))
    return tuple(sorted(one for found in ways for one in found))


def classes(seasons: Sequence[Season]) -> tuple[tuple[str, ...], ...]:
    """Return the players of each class in next season, the best class first, without those who have left."""
    following: list[list[str]] = [[] for _ in seasons]
    steps = {"up": -1, "down": 1}
    for rank, season in enumerate(seasons):
        ways = dict(moves(season))
        for row in (row for table in _leading(season) for row in table if not row.note):
            to = rank + steps.get(ways.get(row.player, ""), 0)
            following[min(max(to, 0), len(seasons) - 1)].append(row.player)
    return tuple(map(tuple, following))


def carry(seasons: Sequence[Season], *, game: str, rank: int) -> Carried:
    """Return what a league of class `rank` (0: none) takes over from earlier leagues, which are over.

    A player whose name stands in several of these leagues has the key and the rating from the first.
    """
    ranks: dict[str, int] = {}
    for number, players in enumerate(classes(seasons) if rank else (), 1):
        ranks |= dict.fromkeys(players, number)
    people: dict[str, Before] = {}
    found: list[Rating] = []
    for season in seasons:
        new = season.members.keys() - people.keys()
        for name in sorted(new):
            fingerprint = parse_public(season.key_of(name)).fingerprint
            people[name] = Before(fingerprint, ranks.get(name, 0))
        found += (one for one in ratings(season) if one.game == game and one.player in new)
    return Carried(people, tuple(found))


def standings_csv(season: Season) -> bytes:
    """Return the CSV of a league's standings, whose hash the ledger's last entry names."""
    return written_standings(season.file.scoring.tie_breaks, tables(season))


def written_standings(tie_breaks: tuple[str, ...], found: Tables) -> bytes:
    """Return the CSV of standings: a line for each player of each division, with exact fractions."""
    lines = [",".join(("division", "place", "player", "played", "points", *tie_breaks))]
    for division, table in found:
        for row in table:
            breaks = ["" if one is None else str(one) for one in row.tie_breaks]
            facts = (division, str(row.place), row.player, str(row.played), str(row.points), *breaks)
            lines.append(",".join(facts))
    return "".join(f"{line}\n" for line in lines).encode()


def ratings_csv(season: Season) -> bytes:
    """Return the CSV of a league's ratings, whose hash the ledger's last entry names."""
    return written_ratings(ratings(season))


def written_ratings(found: tuple[Rating, ...]) -> bytes:
    """Return the CSV of ratings: a line for each rating, with an empty side for a rating over all."""
    lines = ["player,game,side,rating,deviation,volatility,games,provisional,from_tables"]
    for row in found:
        flags = ("yes" if row.provisional else "no", "yes" if row.from_tables else "no")
        facts = (row.player, row.game, row.side, row.value, row.deviation, row.volatility, row.games, *flags)
        lines.append(",".join(map(str, facts)))
    return "".join(f"{line}\n" for line in lines).encode()


def sha256(data: bytes) -> str:
    """Return the hash of a table's bytes, by which the last entry of a league's ledger names the table."""
    return hashlib.sha256(data).hexdigest()
