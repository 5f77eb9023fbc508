"""Swiss system, a format in which players of equal points meet, nobody twice, and sides even out.

A round is the best perfect matching of the field, by these measures, each of which counts before those
after it:

1. couples whom the league's file keeps apart, and couples that have met before: as few as can be, and of
   those who must meet again those whose game is longest ago (with `stuck` "end" there are none, and a field
   that cannot be paired so has no round);
2. players who would come to play one side three games more than the other, or three times running;
3. the squared differences in points (the order of FIDE's Dutch system: points before sides);
4. players who would come to play one side two games more than the other, then those who have the same side
   again;
5. with seeds, how far the couple is from "the first of the upper half meets the first of the lower half" of
   those with their points;
6. the lots, which are an order of the field drawn by dice `round-N/lot/...`: each couple has a number of
   its own, hashed from that order, so that exactly one round is the best, and any correct matching finds
   the same.

With `order` "sides" the fourth comes before the third. A field above `BLOCK` is cut along the table into
blocks, each matched by itself; a block that cannot be matched well goes together with the next.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256
from math import lcm

from pbem.errors import PbemError
from pbem.leagues.formats import shuffled
from pbem.leagues.model import (
    UNDECIDED,
    Bye,
    Die,
    Ending,
    Entrant,
    Pairing,
    Result,
    Round,
    Scoring,
    Seat,
    Sides,
)
from pbem.leagues.standings import Scores, scores

BLOCK = 64
"""Maximum number of players that are matched at once, since time grows with the third power."""
LOT_BITS = 40
MAX_AHEAD = 2
"""Maximum number of games that a player should have had more with one side than with the other."""

Measures = tuple[int, ...]


class NoPairing(PbemError):
    """Raised when players cannot be paired without repeating a couple, and the league's file forbids it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairingOptions:
    """The options of a Swiss draw, as the league's file sets them."""

    bye: str = "bye"
    """The rule for an odd number of players: "bye" or "eliminator".

    The last of the table who had none yet gets a bye or, with "eliminator", meets the eliminator with the
    fewest games whom they have not met; without one it is a bye after all.
    """
    stuck: str = "rematch"
    """The rule for a draw without new couples: some meet again ("rematch"), or there is no round ("end")."""
    order: str = "points"
    """The first criterion of the pairing: equal "points" or even "sides"."""
    seeded: bool = False
    """Whether, of the players with equal points, the upper half by rating meets the lower half."""
    apart: frozenset[frozenset[str]] = frozenset()
    """The couples of players who must not meet each other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """The facts about the players from which a Swiss round is drawn."""

    wishes: PairingOptions
    points: Mapping[str, int]
    """The points of each player in the smallest unit that makes all of them whole."""
    had: Mapping[str, tuple[int, ...]]
    """The sides that each player has had so far: 1 for a game's first side, -1 for its second."""
    met: Mapping[str, Mapping[str, tuple[int, int]]]
    """The number of times that two opponents have met, and the round of the last time, by both names."""
    ranks: Mapping[str, tuple[int, int]]
    """The rank from 0 of each player among those of equal points, and their number; used with seeds."""
    lots: Mapping[str, int]
    """The place of each player in the order that was drawn by lot."""
    seed: str
    """The order drawn by lot as text, from which each couple's lot is hashed."""


def pair_players(
    entrants: Sequence[Entrant],
    results: Sequence[Result],
    rounds_before: Sequence[Round],
    die: Die,
    *,
    wishes: PairingOptions | None = None,
    sides: Sides = UNDECIDED,
    rules: Scoring | None = None,
    division: str = "",
    left: frozenset[str] = frozenset(),
) -> Round:
    """Draw the next round of a Swiss for these entrants, all of whom play in the round.

    Without `sides` they stay undecided and are not balanced. `left` are those who have left the league, whose
    games count by its rule.

    Raises:
        NoPairing: everybody who is left has met, and the file wants no rematch.
    """
    number = len(rounds_before) + 1
    wishes = wishes or PairingOptions()
    players = [entrant.name for entrant in entrants if not entrant.eliminator]
    volunteers = [entrant.name for entrant in entrants if entrant.eliminator]
    if wishes.bye != "eliminator":
        volunteers = []
    got = scores(entrants, results, rules or Scoring(), rounds=rounds_before, left=left)
    order = shuffled(got, die, f"round-{number}/lot")
    field = _field(wishes, got, entrants, rounds_before, sides, order)
    couples: list[tuple[str, str]] = []
    byes: tuple[Bye, ...] = ()
    if len(players) % 2 == 0:
        couples = _match_players(players, field, strict=wishes.stuck == "end")
    else:
        spared = _count_byes(players, results, rounds_before, volunteers, field)
        spare, couples = _choose_bye(players, spared, field)
        guest = _guest(spare, volunteers, field)
        couples += [(spare, guest)] if guest else []
        byes = () if guest else (Bye(player=spare),)
    return Round(
        number=number,
        division=division,
        pairings=tuple(
            Pairing(number=game, seats=_seat_couple(couple, field, sides))
            for game, couple in enumerate(sorted(couples, key=lambda couple: _rank(couple, field)), 1)
        ),
        byes=byes,
    )


def _field(
    wishes: PairingOptions,
    got: Scores,
    entrants: Sequence[Entrant],
    rounds_before: Sequence[Round],
    sides: Sides,
    order: Sequence[str],
) -> Field:
    points = {name: sum((score.points for score in got[name]), Fraction(0)) for name in order}
    unit = lcm(*(value.denominator for value in points.values()))
    met: dict[str, dict[str, tuple[int, int]]] = {name: {} for name in order}
    had: dict[str, tuple[int, ...]] = dict.fromkeys(order, ())
    for drawn in rounds_before:
        for pairing in drawn.pairings:
            seated = {seat.player: seat.side for seat in pairing.seats}
            for name in seated.keys() & met.keys():
                for other in seated.keys() - {name}:
                    met[name][other] = met[name].get(other, (0, 0))[0] + 1, drawn.number
                if sides != UNDECIDED and seated[name] in sides:
                    had[name] += (1 if seated[name] == sides[0] else -1,)
    lots = {name: lot for lot, name in enumerate(order)}
    return Field(
        wishes=wishes,
        points={name: int(value * unit) for name, value in points.items()},
        had=had,
        met=met,
        ranks=_ranks(entrants, points, lots) if wishes.seeded else {},
        lots=lots,
        seed="\n".join(order),
    )


def _ranks(
    entrants: Sequence[Entrant], points: Mapping[str, Fraction], lots: Mapping[str, int]
) -> dict[str, tuple[int, int]]:
    """Return each player's rank by rating among players of the same points, and the number of these."""
    groups: dict[Fraction, list[Entrant]] = {}
    for entrant in entrants:
        if not entrant.eliminator:
            groups.setdefault(points[entrant.name], []).append(entrant)
    found: dict[str, tuple[int, int]] = {}
    for group in groups.values():
        group.sort(key=lambda one: (one.rating is None, -(one.rating or 0), lots[one.name]))
        found |= {one.name: (rank, len(group)) for rank, one in enumerate(group)}
    return found


def _rank(couple: tuple[str, str], field: Field) -> tuple[int, int, int]:
    """Return the key by which a round's games are sorted: the players' points, highest first, then lot."""
    first, second = sorted((field.points[name] for name in couple), reverse=True)
    return -first, -second, min(field.lots[name] for name in couple)


# -- sides


def _side_imbalance(had: Sequence[int], side: int) -> tuple[int, int, int]:
    """Return three numbers for the faults of giving a player a side.

    They are: 1 for the third time in a row or too many games ahead, the games ahead beyond one, and 1 for the
    same side again.
    """
    balance = abs(sum(had) + side)
    running = list(had[-2:]) == [side, side]
    return int(running or balance > MAX_AHEAD), max(0, balance - 1), int(list(had[-1:]) == [side])


def _as_seated(first: str, second: str, field: Field) -> tuple[int, int, int]:
    """Return the faults of the sides of two paired players, added up, if `first` gets the first side."""
    one, other = _side_imbalance(field.had[first], 1), _side_imbalance(field.had[second], -1)
    return one[0] + other[0], one[1] + other[1], one[2] + other[2]


def _seating(couple: tuple[str, str], field: Field) -> tuple[str, str]:
    """Return two paired players in the order of their sides, as even as can be; equal cases go by lot."""
    first, second = sorted(couple, key=lambda name: (sum(field.had[name]), field.lots[name]))
    turned = _as_seated(second, first, field) < _as_seated(first, second, field)
    return (second, first) if turned else (first, second)


def _seat_couple(couple: tuple[str, str], field: Field, sides: Sides) -> tuple[Seat, ...]:
    first, second = _seating(couple, field)
    return Seat(player=first, side=sides[0]), Seat(player=second, side=sides[1])


# -- who has no opponent


def _count_byes(
    players: Sequence[str],
    results: Sequence[Result],
    rounds_before: Sequence[Round],
    volunteers: Sequence[str],
    field: Field,
) -> dict[str, int]:
    """Return how often each player had no opponent from the table: byes, eliminators, walkovers."""
    found = Counter(bye.player for drawn in rounds_before for bye in drawn.byes if not bye.half)
    for result in results:
        if result.ending is Ending.FORFEITED:
            given = zip(result.seats, result.places, strict=True)
            found.update(seat.player for seat, place in given if place == 1)
    for name in players:
        found[name] += len(field.met[name].keys() & set(volunteers))
    return {name: found[name] for name in players}


def _choose_bye(
    players: Sequence[str], spared: Mapping[str, int], field: Field
) -> tuple[str, list[tuple[str, str]]]:
    """Return the player who gets no opponent, and the couples of the other players.

    In order: fewest times so far, fewest points, then by lot. Before somebody is spared more often than
    others were, some meet again.
    """
    order = sorted(players, key=lambda name: (spared[name], field.points[name], field.lots[name]))
    fewest = spared[order[0]]
    for spare in order:
        if spared[spare] > fewest and field.wishes.stuck != "end":
            break
        try:
            return spare, _match_players([name for name in players if name != spare], field, strict=True)
        except NoPairing:
            continue
    if field.wishes.stuck == "end":
        raise NoPairing(_why(players))
    return order[0], _match_players([name for name in players if name != order[0]], field, strict=False)


def _guest(spare: str, volunteers: Sequence[str], field: Field) -> str | None:
    """Return the eliminator with the fewest games whom the player has not met, ties by lot; else None."""
    free = [name for name in volunteers if name not in field.met[spare]]
    return min(free, key=lambda name: (len(field.met[name]), field.lots[name]), default=None)


# -- the matching


def _match_players(players: Sequence[str], field: Field, *, strict: bool) -> list[tuple[str, str]]:
    """Return the couples of an even number of players, by the measures of the module's docstring.

    Raises:
        NoPairing: `strict`, and some would have to meet who have met.
    """
    left = _interleave(players, field)
    couples: list[tuple[str, str]] = []
    size = BLOCK
    while left:
        block, rest = left[:size], left[size:]
        if len(rest) < BLOCK // 2:
            block, rest = left, []
        found = _best(block, field)
        while (
            not rest and couples and not _new(found, field)
        ):  # blocks before it are opened, the nearest first
            taken, couples = couples[-BLOCK // 4 :], couples[: -BLOCK // 4]
            block = [*block, *(name for couple in taken for name in couple)]
            found = _best(block, field)
        if rest and any(any(_measures(*couple, field)[:3]) for couple in found):
            size += BLOCK
        else:
            couples += found
            left, size = rest, BLOCK
    if strict and not _new(couples, field):
        raise NoPairing(_why(players))
    return couples


def _why(players: Sequence[str]) -> str:
    return f"{len(players)} players cannot be paired: too many of them have met"


def _new(couples: Sequence[tuple[str, str]], field: Field) -> bool:
    """Tell whether all couples are new, that is, have not met before and are not to be kept apart."""
    return not any(any(_measures(*couple, field)[:2]) for couple in couples)


def _interleave(players: Sequence[str], field: Field) -> list[str]:
    """Return players in an order that evenly mixes those who have had either side more often.

    Players with more points come first, unless the league's file puts sides before points.
    """
    order: list[tuple[int, Fraction, int, str]] = []
    groups: dict[tuple[int, int], list[str]] = {}
    many = Counter(field.points[name] for name in players) if field.wishes.order == "points" else {}
    for name in sorted(players, key=lambda name: (-field.points[name], field.lots[name])):
        balance = sum(field.had[name])
        within = field.points[name] if many else 0
        groups.setdefault((within, (balance > 0) - (balance < 0)), []).append(name)
    for (within, sign), group in groups.items():
        for place, name in enumerate(group):
            order.append((-within, Fraction(2 * place + 1, 2 * len(group)), sign, name))
    return [name for *_, name in sorted(order)]


def _best(block: Sequence[str], field: Field) -> list[tuple[str, str]]:
    """Return the couples of players in the best matching of a block, by the measures of the module."""
    from networkx import Graph, max_weight_matching  # type: ignore[import-untyped]

    graph = Graph()
    graph.add_nodes_from(range(len(block)))
    for first, second, cost in _costs(block, field):
        graph.add_edge(first, second, weight=-cost)
    found = max_weight_matching(graph, maxcardinality=True)
    return [(block[first], block[second]) for first, second in sorted(map(sorted, found))]


def _costs(block: Sequence[str], field: Field) -> Iterator[tuple[int, int, int]]:
    """Yield, for each couple of a block, the places of the two in it, and the cost of pairing them.

    The cost has all measures in one number, in which earlier ones outweigh later ones.
    """
    couples = [(first, second) for first in range(len(block)) for second in range(first + 1, len(block))]
    measured = [_measures(block[first], block[second], field) for first, second in couples]
    beyond = [len(block) * max(column) + 1 for column in zip(*measured, strict=True)]
    for (first, second), found in zip(couples, measured, strict=True):
        cost = 0
        for value, limit in zip(found, beyond, strict=True):
            cost = cost * limit + value
        lot = _lot(block[first], block[second], field)
        yield first, second, (cost << LOT_BITS + len(block).bit_length()) + lot


def _measures(one: str, other: str, field: Field) -> Measures:
    """Return the faults of pairing two players as numbers, in the order of the module's list of measures."""
    times, when = field.met[one].get(other, (0, 0))
    times += len(field.met) * (frozenset((one, other)) in field.wishes.apart)
    broken, uneven, again = _as_seated(*_seating((one, other), field), field)
    apart = (field.points[one] - field.points[other]) ** 2
    middle = (uneven, apart, again) if field.wishes.order == "sides" else (apart, uneven, again)
    return times, when, broken, *middle, _off(one, other, field)


def _off(one: str, other: str, field: Field) -> int:
    """Return a cost that grows as two players' ranks differ from half of their group; 0 without seeds."""
    if not field.wishes.seeded or not {one, other} <= field.ranks.keys():
        return 0
    (low, many), (high, others) = field.ranks[one], field.ranks[other]
    return (
        (2 * abs(low - high) - many) ** 2
        if field.points[one] == field.points[other] and many == others
        else 0
    )


def _lot(one: str, other: str, field: Field) -> int:
    """Return the lot of a couple of players: a number that is hashed from the drawn order and their names."""
    low, high = sorted((one, other))
    hashed = sha256(f"{field.seed}\n\n{low}\n{high}".encode()).digest()
    return int.from_bytes(hashed[: LOT_BITS // 8])
