"""Tie-breaks: values that separate players of equal points, in the order of the league's file.

| in the file | higher is better |
|---|---|
| `buchholz` | points of all opponents; a bye counts as an opponent with one's own points |
| `sonneborn-berger` | points of each opponent, times the part of the game that was won from them |
| `head-to-head` | points from games among those who are still equal, if all of them have met |
| `wins` | games won on the board, by forfeit too |
| `side-adjusted` | points of a win above what the same sides got on average in the same scenario |
| `total NAME` | sum of a count of the game's, such as nobles; victories by sudden death |
| `average NAME` | the same for each game that has the count |
| `who-beat-them` | the place of whoever beat them last, with a minus (for knock-outs) |

All are exact fractions, computed from the scores of `pbem.leagues.scores`.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

from pbem.leagues.scores import Score, Scores

Totals = Mapping[str, Fraction]
Values = tuple[Fraction | None, ...]
Measure = Callable[[str, Scores, Totals], Fraction]


def buchholz(player: str, played: Scores, totals: Totals) -> Fraction:
    """Return the points of all of a player's opponents; a bye counts as an opponent with one's own points."""
    return sum((_strength(score, player, totals) for score in played[player]), Fraction(0))


def sonneborn_berger(player: str, played: Scores, totals: Totals) -> Fraction:
    """Return the points of opponents whom a player beat, and half the points of those with whom they drew.

    At a table, the opponents' points are averaged, times the part of them that was left behind.
    """
    rows = played[player]
    return sum((score.share * _strength(score, player, totals) for score in rows if score.share), Fraction(0))


def _strength(score: Score, player: str, totals: Totals) -> Fraction:
    """Return the points of the opponents in a game; of several opponents, the average."""
    if not score.opponents:
        return totals[player]
    if len(score.opponents) == 1:
        return totals.get(score.opponents[0], Fraction(0))
    return sum((totals.get(name, Fraction(0)) for name in score.opponents), Fraction(0)) / len(
        score.opponents
    )


def wins(player: str, played: Scores, _totals: Totals) -> Fraction:
    """Return the number of games in which a player left everybody else behind; a bye is none."""
    return Fraction(sum(score.share == 1 and bool(score.opponents) for score in played[player]))


def total(count: str, player: str, played: Scores) -> Fraction:
    """Return the sum of a count over a player's games; `Result.counts` says whose count it is."""
    return Fraction(sum(found for score in played[player] if (found := count_of(score, count)) is not None))


def average(count: str, player: str, played: Scores) -> Fraction:
    """Return the average of a count over a player's games that have it; 0 if none has."""
    found = [value for score in played[player] if (value := count_of(score, count)) is not None]
    return Fraction(sum(found), len(found)) if found else Fraction(0)


def count_of(score: Score, count: str) -> int | None:
    """Return a named count of a score's game: its side's, else, if it won, the game's; None if neither."""
    if score.result is None:
        return None
    counts = dict(score.result.counts)
    own = counts.get(f"{count}/{score.side}")
    if own is None and score.share == 1:
        return counts.get(count)
    return own


def side_adjusted(played: Scores) -> Mapping[str, Fraction]:
    """Return how much more each player won than their sides win on average in the same scenario."""
    usual: defaultdict[tuple[str, str, str], list[Fraction]] = defaultdict(list)
    for rows in played.values():
        for score in rows:
            if score.result is not None:
                usual[score.result.game, score.result.scenario, score.side].append(score.share)
    means = {key: sum(shares, Fraction(0)) / len(shares) for key, shares in usual.items()}
    return {
        name: sum(
            (
                score.share - means[score.result.game, score.result.scenario, score.side]
                for score in rows
                if score.result is not None
            ),
            Fraction(0),
        )
        for name, rows in played.items()
    }


def head_to_head(group: Sequence[str], played: Scores) -> Mapping[str, Fraction] | None:
    """Return the points from games among the group's players alone; None unless all of them have met."""
    if len(group) < 2:
        return None
    among = set(group)
    points: dict[str, Fraction] = {}
    for name in group:
        inner = [score for score in played[name] if set(score.opponents) & among]
        if not among - {name} <= {opponent for score in inner for opponent in score.opponents}:
            return None
        points[name] = sum((score.points for score in inner), Fraction(0))
    return points


def who_beat_them(player: str, played: Scores, places: Mapping[str, int]) -> Fraction | None:
    """Return the place of whoever beat a player last, negative: a loss to the first is the best loss.

    The result is None if nobody did. A conqueror who has no place above theirs, such as an eliminator, counts
    as the last.
    """
    lost = [score for score in played[player] if score.opponents and score.share == 0]
    if not lost:
        return None
    return -Fraction(min(places.get(name, len(played)) for name in lost[-1].opponents))


SIMPLE: Mapping[str, Measure] = {
    "buchholz": buchholz,
    "sonneborn-berger": sonneborn_berger,
    "wins": wins,
}
"""The tie-breaks that need one player's games alone, by the names in a league's file."""
WHOLE_TABLE = ("side-adjusted", "head-to-head", "who-beat-them")
COUNTS = {"total": total, "average": average}


def fault(name: str) -> str | None:
    """Return what is wrong with a tie-break as a file names it; None if nothing is."""
    word, _, count = name.partition(" ")
    if (name in SIMPLE or name in WHOLE_TABLE) or (word in COUNTS and count and " " not in count):
        return None
    known = ", ".join([*SIMPLE, *WHOLE_TABLE, *(f"{word} NAME" for word in COUNTS)])
    return f"{name!r} is not a tie-break; the tie-breaks are {known}"


def measure(
    names: Sequence[str], played: Scores, totals: Totals
) -> tuple[tuple[str, Mapping[str, Fraction | None]], ...]:
    """Return each named tie-break with everybody's value; those that depend on equal players have no values.

    Raises:
        ValueError: a tie-break is unknown.
    """
    measured: list[tuple[str, Mapping[str, Fraction | None]]] = []
    for name in names:
        if wrong := fault(name):
            raise ValueError(wrong)
        word, _, count = name.partition(" ")
        values: dict[str, Fraction | None] = {}
        if name in SIMPLE:
            values |= {player: SIMPLE[name](player, played, totals) for player in played}
        elif word in COUNTS:
            values |= {player: COUNTS[word](count, player, played) for player in played}
        elif name == "side-adjusted":
            values |= side_adjusted(played)
        measured.append((name, values))
    return tuple(measured)


def part(
    group: Sequence[str],
    breaks: Sequence[tuple[str, Mapping[str, Fraction | None]]],
    played: Scores,
    places: Mapping[str, int],
) -> list[list[tuple[str, Values]]]:
    """Separate players of equal points by their tie-breaks, the first first; each list shares a place.

    `places` are those of players with more points. Each player comes with their values.
    """
    values: dict[str, list[Fraction | None]] = {player: [] for player in group}
    groups = [list(group)]
    for name, of_all in breaks:
        following: list[list[str]] = []
        for equal in groups:
            found = of_all
            if name == "head-to-head":
                found = head_to_head(equal, played) or dict.fromkeys(equal)
            elif name == "who-beat-them":
                found = {player: who_beat_them(player, played, places) for player in equal}
            for player in equal:
                values[player].append(found[player])
            ranks = sorted({_rank(found[player]) for player in equal}, reverse=True)
            following += [[player for player in equal if _rank(found[player]) == rank] for rank in ranks]
        groups = following
    return [[(player, tuple(values[player])) for player in equal] for equal in groups]


def _rank(value: Fraction | None) -> tuple[bool, Fraction]:
    """Return a sort key that puts None above all numbers: it means that nobody beat the player."""
    return value is None, value or Fraction(0)
