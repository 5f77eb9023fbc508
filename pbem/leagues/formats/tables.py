"""Games for three to five: tables drawn so that everybody meets many.

The field is cut into as few tables as hold it, as equal as can be. From an order drawn by lot, seats are
exchanged as long as that lessens how often people meet again: for each couple at one table, the square of
the number of times they have met before. At a table, everybody gets a side that they had least often, by lot
among equal ones.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations, permutations

from pbem.leagues.lots import shuffled
from pbem.leagues.model import Bye, Die, Pairing, Round, Seat

Meetings = Mapping[frozenset[str], int]


def draw(
    players: Sequence[str],
    least: int,
    most: int,
    rounds_before: Sequence[Round],
    die: Die,
    *,
    sides: Mapping[int, Sequence[str]] | None = None,
    division: str = "",
) -> Round:
    """The next round: tables of `least` to `most`, of the larger size where possible.

    `sides` are the game's sides for each number of seats; without them they stay undecided. Who is too many
    for any number of tables has a bye: those with the fewest byes so far, by lot. Dice: `round-N/lot/...`.

    Raises:
        ValueError: fewer players than a table needs.
    """
    number = len(rounds_before) + 1
    if len(players) < least:
        raise ValueError(f"{len(players)} players are too few for a table of {least}")
    order = list(shuffled(players, die, f"round-{number}/lot"))
    spared = Counter(bye.player for drawn in rounds_before for bye in drawn.byes)
    sizes = table_sizes(len(order), least, most)
    alone = sorted(order, key=lambda name: spared[name])[: len(order) - sum(sizes)]
    seated = [name for name in order if name not in alone]
    met: Counter[frozenset[str]] = Counter()
    had: Counter[tuple[str, str]] = Counter()
    for drawn in rounds_before:
        for pairing in drawn.pairings:
            met.update(frozenset(two) for two in combinations([seat.player for seat in pairing.seats], 2))
            had.update((seat.player, seat.side) for seat in pairing.seats)
    tables = mixed(seated, sizes, met)
    return Round(
        number=number,
        division=division,
        pairings=tuple(
            Pairing(number=game, seats=_seated(table, (sides or {}).get(len(table)), had))
            for game, table in enumerate(tables, 1)
        ),
        byes=tuple(Bye(player=name) for name in alone),
    )


def table_sizes(players: int, least: int, most: int) -> tuple[int, ...]:
    """How many sit at each table: as few tables as possible, the larger first; not always all find a seat."""
    for many in range(-(-players // most), players // least + 1):
        small, larger = divmod(players, many)
        return (small + 1,) * larger + (small,) * (many - larger)
    return (most,) * (players // most)


def mixed(order: Sequence[str], sizes: Sequence[int], met: Meetings) -> list[list[str]]:
    """The order cut into tables, then seats exchanged until no exchange of two lessens repeated meetings."""
    ends = [sum(sizes[: table + 1]) for table in range(len(sizes))]
    tables = [list(order[end - size : end]) for end, size in zip(ends, sizes, strict=True)]
    if not met:
        return tables
    home = {name: table for table, names in enumerate(tables) for name in names}
    improved = True
    while improved:
        improved = False
        for one in order:
            if not _cost(one, tables[home[one]], met):
                continue
            gains = [
                (_gain(one, other, tables[home[one]], tables[home[other]], met), -place, other)
                for place, other in enumerate(order)
                if home[other] != home[one]
            ]
            gain, _, other = max(gains, default=(0, 0, one))
            if gain > 0:
                here, there = home[one], home[other]
                tables[here][tables[here].index(one)] = other
                tables[there][tables[there].index(other)] = one
                home[one], home[other] = there, here
                improved = True
    return tables


def _cost(name: str, table: Sequence[str], met: Meetings) -> int:
    """How often this player has met the others of a table: the squares, for each of them."""
    return sum(met.get(frozenset((name, other)), 0) ** 2 for other in table if other != name)


def _gain(one: str, other: str, here: Sequence[str], there: Sequence[str], met: Meetings) -> int:
    """What an exchange of these two would lessen."""
    before = _cost(one, here, met) + _cost(other, there, met)
    swapped_here = [other if name == one else name for name in here]
    swapped_there = [one if name == other else name for name in there]
    return before - _cost(other, swapped_here, met) - _cost(one, swapped_there, met)


def _seated(
    table: Sequence[str], sides: Sequence[str] | None, had: Mapping[tuple[str, str], int]
) -> tuple[Seat, ...]:
    """Sides so that the squares of how often each was had before are least; the table's order is by lot."""
    if sides is None:
        return tuple(Seat(player=name) for name in table)

    def repeats(chosen: Sequence[str]) -> int:
        return sum(had.get((name, side), 0) ** 2 for name, side in zip(table, chosen, strict=True))

    chosen = min(permutations(sides), key=repeats)  # the first of equal ones, in the order of the sides
    seats = [Seat(player=name, side=side) for name, side in zip(table, chosen, strict=True)]
    return tuple(sorted(seats, key=lambda seat: list(sides).index(seat.side)))
