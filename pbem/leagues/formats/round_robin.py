"""Round robin in sections, a format in which everybody meets everybody and the best are promoted.

Sections are drawn from pots of like rating. The order of games is that of the Berger tables (the circle
method), which give nobody one side more than once too often; a double round robin plays all again with sides
changed.
"""

from collections.abc import Sequence

from pbem.leagues.formats import shuffled
from pbem.leagues.model import UNDECIDED, Die, Entrant, Pairing, Round, Seat, Sides, Standing


def sections(
    entrants: Sequence[Entrant], size: int, die: Die, label: str = "section"
) -> tuple[tuple[str, ...], ...]:
    """Split the entrants into as few sections of at most `size` as possible, as equal as can be.

    The entrants are sorted by rating, those without one last; equal ones are drawn. Each pot of as many
    as there are sections is then drawn, one into each. The order within a section is its Berger order.
    Dice: `label/order/...` for the order of all, `label/pot-1/...` and on for the pots, `label/berger-1/...`.

    Raises:
        ValueError: sections of fewer than two.
    """
    if size < 2 or len(entrants) < 2:
        raise ValueError("a section has at least two players")
    names = by_rating(entrants, die, f"{label}/order")
    many = -(-len(names) // size)
    drawn: list[list[str]] = [[] for _ in range(many)]
    for pot, start in enumerate(range(0, len(names), many), 1):
        players = shuffled(names[start : start + many], die, f"{label}/pot-{pot}")
        for section, player in zip(drawn, players, strict=False):
            section.append(player)
    return tuple(
        shuffled(section, die, f"{label}/berger-{number}") for number, section in enumerate(drawn, 1)
    )


def by_rating(entrants: Sequence[Entrant], die: Die, label: str) -> tuple[str, ...]:
    """Return the names of entrants by rating, the best first and the unrated last; equal ones by dice."""
    ratings = {entrant.name: entrant.rating for entrant in entrants}
    lots = {name: lot for lot, name in enumerate(shuffled(ratings, die, label))}

    def rank(name: str) -> tuple[bool, int, int]:
        rating = ratings[name]
        return rating is None, -(rating or 0), lots[name]

    return tuple(sorted(ratings, key=rank))


def schedule(
    players: Sequence[str], double: bool = False, *, sides: Sides = UNDECIDED, division: str = ""
) -> tuple[Round, ...]:
    """Return all rounds of a section, by the Berger tables for the section's players in their order.

    With an odd number of players each is once without a game, which is no bye: it is worth nothing. Rounds
    are numbered from 1; in a double round robin the second half goes on from the first.
    """
    rounds = tuple(_berger(players, sides, division))
    if not double:
        return rounds
    return (*rounds, *(_swap_sides(played, len(rounds), sides) for played in rounds))


def _berger(players: Sequence[str], sides: Sides, division: str) -> list[Round]:
    """Return a section's rounds by the circle method: one player stays, the others turn by half the field."""
    field: list[str | None] = [*players, None] if len(players) % 2 else [*players]
    turning, last = field[:-1], field[-1]
    rounds = []
    for turn in range(len(turning)):
        pivot = turn * len(field) // 2 % len(turning)
        couples = [(turning[pivot], last) if turn % 2 == 0 else (last, turning[pivot])]
        couples += [
            (turning[(pivot + step) % len(turning)], turning[pivot - step])
            for step in range(1, len(field) // 2)
        ]
        pairings: list[Pairing] = []
        for first, second in couples:
            if first and second:
                seats = Seat(player=first, side=sides[0]), Seat(player=second, side=sides[1])
                pairings.append(Pairing(number=len(pairings) + 1, seats=seats))
        rounds.append(Round(number=turn + 1, division=division, pairings=tuple(pairings)))
    return rounds


def _swap_sides(played: Round, after: int, sides: Sides) -> Round:
    """Return a round with the sides of all its games changed."""
    return Round(
        number=played.number + after,
        division=played.division,
        pairings=tuple(
            Pairing(
                number=pairing.number,
                seats=tuple(
                    Seat(player=seat.player, side=side)
                    for seat, side in zip(reversed(pairing.seats), sides, strict=True)
                ),
            )
            for pairing in played.pairings
        ),
    )


def moves(table: Sequence[Standing], up: int, down: int) -> dict[str, str]:
    """Return "up" or "down" for each player of a section who changes class; leavers do not count.

    No lot decides. All who share the last place that rises go up; of those who share the first place that
    falls nobody goes down. In a section too small for both, a player who rises does not fall.
    """
    stayed = [row for row in table if not row.note]
    ways: dict[str, str] = {}
    for row in stayed:
        if row.place <= up:
            ways[row.player] = "up"
        elif sum(other.place >= row.place for other in stayed) <= down:
            ways[row.player] = "down"
    return ways
