"""The table of a division from results alone: every player's scores, the points, and the tie-breaks.

Exact: points and tie-breaks are fractions. Players whom nothing parts share a place. Whoever has left, and
eliminators, stand below all others. The tie-breaks, in the order of the league's file:

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
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

from pbem.leagues.model import (
    Ending,
    Entrant,
    Pairing,
    Result,
    Round,
    Scoring,
    Seat,
    Standing,
    WithdrawalScoring,
)
from pbem.rules.base import View
from pbem.titles import load

DECIDED = (Ending.PLAYED, Ending.ADJUDICATED)
"""The endings of games that were decided by the position on the board."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """The score of one player in one game, or from a bye (without opponents)."""

    round: int
    points: Fraction
    """The points of the score as the league counts them."""
    share: Fraction
    """The share of a win: 1, or 1/2 for a draw; at a table, the part of the others who placed below."""
    opponents: tuple[str, ...]
    side: str = ""
    result: Result | None = None
    """The result of the game; None for a bye, a game that does not count, and one lost by leaving."""


Scores = Mapping[str, Sequence[Score]]
"""The scores of each player, in the order of rounds."""


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
    breaks = measure_tie_breaks(rules.tie_breaks, played, totals)
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
        for together in separate(groups[key], breaks, played, places):
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


def scores(
    entrants: Sequence[Entrant],
    results: Sequence[Result],
    rules: Scoring,
    *,
    rounds: Sequence[Round] = (),
    left: frozenset[str] = frozenset(),
) -> Scores:
    """Return the scores of each entrant, game by game, after the rule for leavers."""
    dropped, lost = leavers(results, rounds, rules.leavers, left)
    got: dict[str, list[Score]] = {entrant.name: [] for entrant in entrants}
    for result in results:
        counted = _counting_result(result, dropped)
        rows = _game_scores(counted, rules) if counted is not None else _annulled_scores(result, left, rules)
        for name, score in rows:
            if name in got:
                got[name].append(score)
    for number, pairing in lost:
        if dropped & {seat.player for seat in pairing.seats}:
            continue
        for seat in pairing.seats:
            plays_on = len(pairing.seats) > 2 and seat.player not in left
            if seat.player in got and not plays_on:
                got[seat.player].append(_walked_over(number, pairing, seat, left, rules))
    for drawn in rounds:
        for bye in drawn.byes:
            if bye.player in got and bye.player not in dropped:
                worth = (rules.draw, Fraction(1, 2)) if bye.half else (rules.bye, Fraction(1))
                got[bye.player].append(_without_game(drawn.number, *worth))
    return {name: sorted(rows, key=lambda score: score.round) for name, rows in got.items()}


def leavers(
    results: Sequence[Result], rounds: Sequence[Round], rule: WithdrawalScoring, left: frozenset[str]
) -> tuple[frozenset[str], tuple[tuple[int, Pairing], ...]]:
    """Return the leavers whose games do not count, and the unfinished games (with round) lost by leaving."""
    if not left:
        return frozenset(), ()
    ended = {(result.round, result.division, result.pairing) for result in results}
    open_games = tuple(
        (drawn.number, pairing)
        for drawn in rounds
        for pairing in drawn.pairings
        if (drawn.number, drawn.division, pairing.number) not in ended
        and left & {seat.player for seat in pairing.seats}
    )
    match rule:
        case WithdrawalScoring.ANNULLED:
            return left, ()
        case WithdrawalScoring.OPEN_LOST:
            return frozenset(), open_games
    finished: dict[str, int] = dict.fromkeys(left, 0)
    due: dict[str, int] = dict.fromkeys(left, 0)
    for result in results:
        for seat in result.seats:
            if seat.player in left and result.ending is not Ending.ANNULLED:
                due[seat.player] += 1
                finished[seat.player] += result.ending in DECIDED and seat.player not in result.gone
    for _, pairing in open_games:
        for seat in pairing.seats:
            if seat.player in left:
                due[seat.player] += 1
    return frozenset(name for name in left if finished[name] * 2 < due[name]), open_games


def _counting_result(result: Result, dropped: frozenset[str]) -> Result | None:
    """Return a result as it counts; at a table, players who do not count are removed, and others move up."""
    if result.ending is Ending.ANNULLED:
        return None
    rows = zip(result.seats, result.places, strict=True)
    stay = [(seat, place) for seat, place in rows if seat.player not in dropped]
    if len(stay) == len(result.seats):
        return result
    if len(stay) < 2:
        return None
    places = rank_places(place for _, place in stay)
    return replace(result, seats=tuple(seat for seat, _ in stay), places=places)


def _game_scores(result: Result, rules: Scoring) -> Iterator[tuple[str, Score]]:
    """Yield the score of every player in a game that counts."""
    players = [seat.player for seat in result.seats]
    for seat, place, share in zip(result.seats, result.places, shares_of_places(result.places), strict=True):
        yield (
            seat.player,
            Score(
                round=result.round,
                points=_points(result, seat.player, place, share, rules),
                share=share,
                opponents=tuple(name for name in players if name != seat.player),
                side=seat.side,
                result=result,
            ),
        )


def _annulled_scores(result: Result, left: frozenset[str], rules: Scoring) -> Iterator[tuple[str, Score]]:
    """Yield the scores that a game which does not count gives to the players who have not left."""
    if rules.annulled:
        for seat in result.seats:
            if seat.player not in left:
                yield seat.player, _without_game(result.round, rules.annulled)


def _without_game(number: int, points: Fraction, share: Fraction = Fraction(1)) -> Score:
    """Return the score of a player for a round without a game that counts, through no fault of their own."""
    return Score(round=number, points=points, share=share, opponents=())


def rank_places(places: Iterable[int]) -> tuple[int, ...]:
    """Return the places of the remaining players, numbered from 1 again; equal places stay equal."""
    found = tuple(places)
    return tuple(1 + sum(other < place for other in found) for place in found)


@lru_cache(maxsize=1024)  # there are few ways to end a game
def shares_of_places(places: tuple[int, ...]) -> tuple[Fraction, ...]:
    """Return for each place the part of the others that it beats, equal ones by half: 1, 1/2, 0 for two."""
    others = len(places) - 1
    return tuple(
        Fraction(2 * sum(other > place for other in places) + places.count(place) - 1, 2 * others)
        for place in places
    )


def _points(result: Result, player: str, place: int, share: Fraction, rules: Scoring) -> Fraction:
    if player in result.gone:
        return Fraction(0)
    if result.ending is Ending.FORFEITED and place == 1 and share == 1:
        return rules.forfeit
    if result.ending is Ending.FORFEITED and place != 1:
        return Fraction(0)
    if len(result.places) == 2:
        return rules.draw if share.denominator == 2 else rules.win if share else rules.loss
    return rules.loss + (rules.win - rules.loss) * share


def _walked_over(number: int, pairing: Pairing, seat: Seat, left: frozenset[str], rules: Scoring) -> Score:
    """Return a player's score in a game lost by leaving: as by a forfeit if they stayed, 0 if they left."""
    stayed = seat.player not in left
    return Score(
        round=number,
        points=rules.forfeit if stayed else Fraction(0),
        share=Fraction(stayed),
        opponents=tuple(other.player for other in pairing.seats if other.player != seat.player),
        side=seat.side,
    )


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
    """Return a count from a score's game: the side's, or else, if the side won, the game's; else None."""
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


def tie_break_fault(name: str) -> str | None:
    """Return what is wrong with a tie-break as a file names it; None if nothing is."""
    word, _, count = name.partition(" ")
    if (name in SIMPLE or name in WHOLE_TABLE) or (word in COUNTS and count and " " not in count):
        return None
    known = ", ".join([*SIMPLE, *WHOLE_TABLE, *(f"{word} NAME" for word in COUNTS)])
    return f"{name!r} is not a tie-break; the tie-breaks are {known}"


def measure_tie_breaks(
    names: Sequence[str], played: Scores, totals: Totals
) -> tuple[tuple[str, Mapping[str, Fraction | None]], ...]:
    """Return each named tie-break with everybody's value; those that depend on equal players have no values.

    Raises:
        ValueError: a tie-break is unknown.
    """
    measured: list[tuple[str, Mapping[str, Fraction | None]]] = []
    for name in names:
        if wrong := tie_break_fault(name):
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


def separate(
    group: Sequence[str],
    breaks: Sequence[tuple[str, Mapping[str, Fraction | None]]],
    played: Scores,
    places: Mapping[str, int],
) -> list[list[tuple[str, Values]]]:
    """Return players of equal points in lists, the best first, as tie-breaks separate them.

    The players of one list share a place, and each comes with the values of their tie-breaks. `places` are
    those of players with more points.
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


def count_names(title: str) -> tuple[str, ...]:
    """Return the names of a title's counts."""
    return tuple(load(title).counts)


def counts_of(title: str, view: View) -> tuple[tuple[str, int], ...]:
    """Return all counts of a game as results hold them: `nobles/north`, 9."""
    counted = ((name, count(view)) for name, count in load(title).counts.items())
    return tuple(
        (f"{name}/{side}", number) for name, sides in counted for side, number in sorted(sides.items())
    )


def places_by_count(title: str, view: View, count: str) -> tuple[tuple[str, int], ...] | None:
    """Return each side's place by one count; None without such a count, or if there is nothing to count."""
    counter = load(title).counts.get(count)
    held = counter(view) if counter is not None else {}
    if not held:
        return None
    return tuple((side, 1 + sum(other > held[side] for other in held.values())) for side in held)
