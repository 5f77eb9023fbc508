"""Computes the table of a division: points, then the tie-breaks of the league's file, from results alone.

Exact: points and tie-breaks are fractions. Players whom nothing parts share a place. Whoever has left, and
eliminators, stand below all others.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from fractions import Fraction

from pbem.leagues.model import Entrant, Result, Round, Scoring, Standing
from pbem.leagues.scores import scores
from pbem.leagues.tiebreaks import measure, part


def standings(
    entrants: Sequence[Entrant],
    results: Sequence[Result],
    rules: Scoring,
    *,
    rounds: Sequence[Round] = (),
    left: frozenset[str] = frozenset(),
    ranks: Mapping[str, int] | None = None,
) -> tuple[Standing, ...]:
    """Return the table of one division, the first place first; players who share a place go by name.

    `rounds` tells of byes and, for those who `left`, of the games that they did not finish. With `ranks`,
    as in a knock-out, they come before tie-breaks in place of points, and who has left keeps the rank they
    reached.
    """
    played = scores(entrants, results, rules, rounds=rounds, left=left)
    totals = {name: sum((score.points for score in played[name]), Fraction(0)) for name in played}
    breaks = measure(rules.tie_breaks, played, totals)
    outside = {entrant.name: "eliminator" for entrant in entrants if entrant.eliminator}
    outside |= dict.fromkeys(left & totals.keys(), "left")
    groups: defaultdict[tuple[bool, Fraction], list[str]] = defaultdict(list)
    for name in sorted(totals):
        if ranks is None:
            groups[name in outside, -totals[name]].append(name)
        else:
            groups[name not in ranks, Fraction(-ranks.get(name, 0))].append(name)
    table: list[Standing] = []
    places: dict[str, int] = {}
    for key in sorted(groups):
        for together in part(groups[key], breaks, played, places):
            place = len(table) + 1
            for name, values in together:
                places[name] = place
                table.append(
                    Standing(
                        place=place,
                        player=name,
                        played=sum(bool(score.opponents) for score in played[name]),
                        points=totals[name],
                        tie_breaks=values,
                        note=outside.get(name, ""),
                    )
                )
    return tuple(table)
