"""Swiss system: who has the same points meets, nobody twice, and sides even out.

A round is the best perfect matching of the field, in this order: nobody meets twice (never broken); as few as
possible come to play one side two games more than the other; the squared differences in points are as small
as they can be; and of all rounds that are equally good, the lots decide. The lots are an order of the field,
drawn by dice `round-N/lot/...`; each couple has a number of its own, hashed from that order, so that exactly
one round is the best: any correct matching finds the same.

A field above `BLOCK` is cut along the table into blocks, each with its share of those who are owed a side,
and each block is matched by itself; a block that cannot be matched well goes together with the next.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256
from math import lcm

from pbem.errors import PbemError
from pbem.leagues.lots import shuffled
from pbem.leagues.model import UNDECIDED, Bye, Die, Entrant, Pairing, Result, Round, Scoring, Seat, Sides
from pbem.leagues.scores import Scores, scores

BLOCK = 64
"""At most so many players are matched at once: time grows with the third power."""
LOT_BITS = 40


class NoPairing(PbemError):
    """The field cannot be paired without a couple that has met."""


@dataclass(frozen=True, slots=True)
class Field:
    """What a round is drawn from."""

    points: Mapping[str, int]
    """Points in the smallest unit that makes all of them whole."""
    balance: Mapping[str, int]
    """Games with the first side less games with the second."""
    met: Mapping[str, frozenset[str]]
    lots: Mapping[str, int]
    """Each player's place in the drawn order."""
    seed: str
    """The drawn order as text, from which each couple's lot is hashed."""


def pair(
    entrants: Sequence[Entrant],
    results: Sequence[Result],
    rounds_before: Sequence[Round],
    die: Die,
    *,
    bye: str = "bye",
    sides: Sides = UNDECIDED,
    rules: Scoring | None = None,
    division: str = "",
    left: frozenset[str] = frozenset(),
) -> Round:
    """The next round for these entrants, who are all who play in it.

    `bye`: with an odd number the last of the table who had none yet gets a "bye", or, with "eliminator",
    meets the eliminator with the fewest games whom they have not met; without one it is a bye after all.
    Without `sides` they stay undecided and are not balanced. `left` are those who have left the league, whose
    games count by its rule.

    Raises:
        NoPairing: everybody who is left has met.
    """
    number = len(rounds_before) + 1
    players = [entrant.name for entrant in entrants if not entrant.eliminator]
    volunteers = [entrant.name for entrant in entrants if entrant.eliminator] if bye == "eliminator" else []
    got = scores(entrants, results, rules or Scoring(), rounds=rounds_before, left=left)
    field = _field(got, rounds_before, sides, shuffled(got, die, f"round-{number}/lot"))
    couples: list[tuple[str, str]] = []
    byes: tuple[Bye, ...] = ()
    if len(players) % 2 == 0:
        couples = _matched(players, field)
    else:
        for spare in _spares(players, rounds_before, volunteers, field):
            guest = _guest(spare, volunteers, field)
            try:
                couples = _matched([name for name in players if name != spare], field)
            except NoPairing:
                continue
            couples += [(spare, guest)] if guest else []
            byes = () if guest else (Bye(player=spare),)
            break
        else:
            raise NoPairing(_why(players, number))
    return Round(
        number=number,
        division=division,
        pairings=tuple(
            Pairing(number=game, seats=_seated(couple, field, sides))
            for game, couple in enumerate(sorted(couples, key=lambda couple: _rank(couple, field)), 1)
        ),
        byes=byes,
    )


def _field(got: Scores, rounds_before: Sequence[Round], sides: Sides, order: Sequence[str]) -> Field:
    points = {name: sum((score.points for score in got[name]), Fraction(0)) for name in order}
    unit = lcm(*(value.denominator for value in points.values()))
    met: dict[str, set[str]] = {name: set() for name in order}
    balance = Counter(dict.fromkeys(order, 0))
    for drawn in rounds_before:
        for pairing in drawn.pairings:
            seated = {seat.player: seat.side for seat in pairing.seats}
            for name in seated.keys() & met.keys():
                met[name] |= seated.keys() - {name}
                if sides != UNDECIDED:
                    balance[name] += (seated[name] == sides[0]) - (seated[name] == sides[1])
    return Field(
        points={name: int(value * unit) for name, value in points.items()},
        balance=balance,
        met={name: frozenset(others) for name, others in met.items()},
        lots={name: lot for lot, name in enumerate(order)},
        seed="\n".join(order),
    )


def _rank(couple: tuple[str, str], field: Field) -> tuple[int, int, int]:
    """Where a game stands in the round: the most points first, then by lot."""
    first, second = sorted((field.points[name] for name in couple), reverse=True)
    return -first, -second, min(field.lots[name] for name in couple)


def _seated(couple: tuple[str, str], field: Field, sides: Sides) -> tuple[Seat, ...]:
    """Whoever had the first side less often gets it; equal ones by their lots."""
    first, second = sorted(couple, key=lambda name: (field.balance[name], field.lots[name]))
    return Seat(player=first, side=sides[0]), Seat(player=second, side=sides[1])


def _spares(
    players: Sequence[str], rounds_before: Sequence[Round], volunteers: Sequence[str], field: Field
) -> list[str]:
    """Who may stay without an opponent, in order: fewest times so far, fewest points, then by lot."""
    spared = Counter(bye.player for drawn in rounds_before for bye in drawn.byes)
    for name in players:
        spared[name] += len(field.met[name] & set(volunteers))
    return sorted(players, key=lambda name: (spared[name], field.points[name], field.lots[name]))


def _guest(spare: str, volunteers: Sequence[str], field: Field) -> str | None:
    """The eliminator for this player: one whom they have not met, with the fewest games, then by lot."""
    free = [name for name in volunteers if name not in field.met[spare]]
    return min(free, key=lambda name: (len(field.met[name]), field.lots[name]), default=None)


def _matched(players: Sequence[str], field: Field) -> list[tuple[str, str]]:
    """All couples of an even number of players; see the module's head."""
    left = _interleaved(players, field)
    couples: list[tuple[str, str]] = []
    size = BLOCK
    while left:
        block, rest = left[:size], left[size:]
        if len(rest) < BLOCK // 2:
            block, rest = left, []
        found = _best(block, field)
        good = found is not None and not any(_excess(*couple, field) for couple in found)
        if found is None and not rest:
            return _best_of_all(players, couples, block, field)
        if good or not rest:
            couples += found or []
            left, size = rest, BLOCK
        else:
            size += BLOCK
    return couples


def _best_of_all(
    players: Sequence[str], couples: list[tuple[str, str]], block: Sequence[str], field: Field
) -> list[tuple[str, str]]:
    """The last block has no matching: blocks before it are opened again, the nearest first."""
    opened = list(block)
    while True:
        found = _best(opened, field)
        if found is not None:
            return couples + found
        if not couples:
            raise NoPairing(_why(players, None))
        taken, couples = couples[-BLOCK // 4 :], couples[: -BLOCK // 4]
        opened += [name for couple in taken for name in couple]


def _why(players: Sequence[str], number: int | None) -> str:
    when = f"round {number}" if number else "the next round"
    return f"{when} of {len(players)} players cannot be paired: too many of them have met; play fewer rounds"


def _interleaved(players: Sequence[str], field: Field) -> list[str]:
    """The players along the table, those who are owed the first side and the second spread evenly over it."""
    groups: dict[int, list[str]] = {-1: [], 1: [], 0: []}
    for name in sorted(players, key=lambda name: (-field.points[name], field.lots[name])):
        groups[(field.balance[name] > 0) - (field.balance[name] < 0)].append(name)
    spread = [
        (Fraction(2 * place + 1, 2 * len(group)), sign, name)
        for sign, group in groups.items()
        for place, name in enumerate(group)
    ]
    return [name for _, _, name in sorted(spread)]


def _best(block: Sequence[str], field: Field) -> list[tuple[str, str]] | None:
    """The one best matching of a block, or None if it has no perfect one."""
    from networkx import Graph, max_weight_matching  # type: ignore[import-untyped]

    graph = Graph()
    graph.add_nodes_from(range(len(block)))
    for first, second, cost in _costs(block, field):
        graph.add_edge(first, second, weight=-cost)
    found = max_weight_matching(graph, maxcardinality=True)
    if 2 * len(found) < len(block):
        return None
    return [(block[first], block[second]) for first, second in sorted(map(sorted, found))]


def _costs(block: Sequence[str], field: Field) -> Iterator[tuple[int, int, int]]:
    """What each couple that has not met costs: excess of a side, difference in points, lot. Whole numbers."""
    widest = max((field.points[name] for name in block), default=0) - min(
        (field.points[name] for name in block), default=0
    )
    of_excess = len(block) * (widest**2 + 1)
    for first, one in enumerate(block):
        for second in range(first + 1, len(block)):
            other = block[second]
            if other not in field.met[one]:
                cost = _excess(one, other, field) * of_excess
                cost += (field.points[one] - field.points[other]) ** 2
                yield first, second, (cost << LOT_BITS + len(block).bit_length()) + _lot(one, other, field)


def _excess(one: str, other: str, field: Field) -> int:
    """By how many games beyond one their sides would be out of balance, both together."""
    low, high = sorted((field.balance[one], field.balance[other]))
    return max(0, abs(low + 1) - 1) + max(0, abs(high - 1) - 1)


def _lot(one: str, other: str, field: Field) -> int:
    """The couple's own number, from the drawn order alone."""
    low, high = sorted((one, other))
    hashed = sha256(f"{field.seed}\n\n{low}\n{high}".encode()).digest()
    return int.from_bytes(hashed[: LOT_BITS // 8])
