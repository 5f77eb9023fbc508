"""Tables of three to five players, a format drawn so that everybody meets many others.

The field is cut into as few tables as hold it, as equal as can be. There are two ways to begin: an order
drawn by lot, and the tables of the first round taken as the lines of a plane, whose other lines meet each
of them once (four tables of four so play five rounds in which nobody meets twice). From each, seats are
exchanged as long as that lessens how often people meet again: for each couple at one table, the square of
the number of times they have met before. The better one is played. At a table, everybody gets a side that
they had least often, by lot among equal ones.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations, permutations

from pbem.leagues.formats import draw_number, shuffled
from pbem.leagues.model import Bye, Die, Pairing, Round, Seat

Meetings = Mapping[frozenset[str], int]


def draw_tables(
    players: Sequence[str],
    least: int,
    most: int,
    rounds_before: Sequence[Round],
    die: Die,
    *,
    sides: Mapping[int, Sequence[str]] | None = None,
    division: str = "",
) -> Round:
    """Draw the next round in tables of `least` to `most` players, of the larger size where possible.

    `sides` are the game's sides for each number of seats; without them they stay undecided. Players for whom
    no table has a seat get a bye: those with the fewest byes so far, by lot. Dice: `round-N/lot/...` and,
    after the first round, `round-N/line`, the direction that is tried first.

    Raises:
        ValueError: fewer players than a table needs.
    """
    number = len(rounds_before) + 1
    if len(players) < least:
        raise ValueError(f"{len(players)} players are too few for a table of {least}")
    order = list(shuffled(players, die, f"round-{number}/lot"))
    spared = Counter(bye.player for drawn in rounds_before for bye in drawn.byes if not bye.half)
    sizes = table_sizes(len(order), least, most)
    alone = sorted(order, key=lambda name: spared[name])[: len(order) - sum(sizes)]
    seated = [name for name in order if name not in alone]
    met: Counter[frozenset[str]] = Counter()
    had: Counter[tuple[str, str]] = Counter()
    for drawn in rounds_before:
        for pairing in drawn.pairings:
            met.update(frozenset(two) for two in combinations([seat.player for seat in pairing.seats], 2))
            had.update((seat.player, seat.side) for seat in pairing.seats)
    tables = mix_tables([seated[end - size : end] for end, size in _cuts(sizes)], seated, met)
    if rounds_before:
        lines = mix_tables(_by_lines(rounds_before, seated, sizes, met, die), seated, met)
        tables = min(lines, tables, key=lambda found: _repeat_cost(found, met))
    return Round(
        number=number,
        division=division,
        pairings=tuple(
            Pairing(number=game, seats=_seat_table(table, (sides or {}).get(len(table)), had))
            for game, table in enumerate(tables, 1)
        ),
        byes=tuple(Bye(player=name) for name in alone),
    )


def table_sizes(players: int, least: int, most: int) -> tuple[int, ...]:
    """Return the sizes of the tables, as few as possible, the larger first; some players may have no seat."""
    for many in range(-(-players // most), players // least + 1):
        small, larger = divmod(players, many)
        return (small + 1,) * larger + (small,) * (many - larger)
    return (most,) * (players // most)


def _cuts(sizes: Sequence[int]) -> list[tuple[int, int]]:
    """Return, for each table, where it ends in the order of all players, and how many seats it has."""
    return [(sum(sizes[: table + 1]), size) for table, size in enumerate(sizes)]


def mix_tables(begun: Sequence[Sequence[str]], order: Sequence[str], met: Meetings) -> list[list[str]]:
    """Return tables after exchanges of seats, until no exchange of two lessens repeated meetings.

    Of two exchanges that are as good, that of the players who stand first in `order` is made.
    """
    tables = [list(table) for table in begun]
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


# -- lines of a plane

POLYNOMIALS = {4: 0b111, 8: 0b1011, 16: 0b10011, 32: 0b100101, 64: 0b1000011, 128: 0b10000011}
"""The sizes of finite fields whose order is a power of two, each with the modulus of multiplication."""


def _by_lines(
    rounds_before: Sequence[Round], seated: Sequence[str], sizes: Sequence[int], met: Meetings, die: Die
) -> list[list[str]]:
    """Return tables made of parallel lines through the first round's seats, taken as points of a plane.

    Of all directions of the lines, one is taken in which the fewest players meet again.
    """
    first = [[seat.player for seat in game.seats] for game in rounds_before[0].pairings]
    points = {
        name: (column, row)
        for row, table in enumerate(first)
        for column, name in enumerate(table)
        if name in seated
    }
    field = _field_size(max(len(first), *map(len, first)))
    best: list[list[str]] = []
    start = draw_number(field, die, f"round-{len(rounds_before) + 1}/line")
    for slope in (1 + (start + turn) % field for turn in range(field)):
        lines: dict[int, list[str]] = {}
        for name in seated:
            if name in points:
                column, row = points[name]
                line = column if slope == field else _minus(row, _times(slope, column, field), field)
                lines.setdefault(line, []).append(name)
        tables = _fit_tables(list(lines.values()), seated, sizes, met)
        if not best or _repeat_cost(tables, met) < _repeat_cost(best, met):
            best = tables
        if not _repeat_cost(best, met):
            break
    return best


def _fit_tables(
    lines: list[list[str]], seated: Sequence[str], sizes: Sequence[int], met: Meetings
) -> list[list[str]]:
    """Turn the longest lines into tables; players without a seat join where they have met fewest."""
    lines.sort(key=len, reverse=True)
    tables = [line[:size] for line, size in zip([*lines, *([[]] * len(sizes))], sizes, strict=False)]
    taken = {name for table in tables for name in table}
    for name in seated:
        if name not in taken:
            free = [table for table, size in zip(tables, sizes, strict=True) if len(table) < size]
            min(free, key=lambda table: _cost(name, table, met)).append(name)
    return tables


def _field_size(least: int) -> int:
    """Return the smallest size of a finite field, of prime or two-power order, that is at least `least`."""
    size = least
    while size not in POLYNOMIALS and any(size % divisor == 0 for divisor in range(2, size)):
        size += 1
    return size


def _minus(one: int, other: int, field: int) -> int:
    return one ^ other if field in POLYNOMIALS else (one - other) % field


def _times(one: int, other: int, field: int) -> int:
    if field not in POLYNOMIALS:
        return one * other % field
    product = 0
    while other:
        product ^= one if other & 1 else 0
        one, other = one << 1, other >> 1
        one ^= POLYNOMIALS[field] if one >= field else 0
    return product


# -- how often people meet again


def _repeat_cost(tables: Sequence[Sequence[str]], met: Meetings) -> int:
    """Return the cost of repeated meetings at the tables of a round."""
    return sum(_cost(name, table, met) for table in tables for name in table)


def _cost(name: str, table: Sequence[str], met: Meetings) -> int:
    """Return the cost of a player's earlier meetings with others at a table: the sum of squares."""
    return sum(met.get(frozenset((name, other)), 0) ** 2 for other in table if other != name)


def _gain(one: str, other: str, here: Sequence[str], there: Sequence[str], met: Meetings) -> int:
    """Return how much an exchange of two players between tables lessens the cost of repeated meetings."""
    before = _cost(one, here, met) + _cost(other, there, met)
    swapped_here = [other if name == one else name for name in here]
    swapped_there = [one if name == other else name for name in there]
    return before - _cost(other, swapped_here, met) - _cost(one, swapped_there, met)


def _seat_table(
    table: Sequence[str], sides: Sequence[str] | None, had: Mapping[tuple[str, str], int]
) -> tuple[Seat, ...]:
    """Return a table's seats with sides that even out how often each player had each side."""
    if sides is None:
        return tuple(Seat(player=name) for name in table)

    def repeats(chosen: Sequence[str]) -> int:
        return sum(had.get((name, side), 0) ** 2 for name, side in zip(table, chosen, strict=True))

    chosen = min(permutations(sides), key=repeats)  # the first of equal ones, in the order of the sides
    seats = [Seat(player=name, side=side) for name, side in zip(table, chosen, strict=True)]
    return tuple(sorted(seats, key=lambda seat: list(sides).index(seat.side)))
