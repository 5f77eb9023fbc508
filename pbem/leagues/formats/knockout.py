"""Knock-out: whoever loses is out.

Players are seeded by rating, equal ones by lot. The top half meets the bottom half: the first seed the last,
the second the last but one. If the number is odd, an *eliminator*, a volunteer who cannot advance, meets the
lowest seed; without one the first seed has a bye. Seeds stay for all rounds.
"""

from collections.abc import Sequence

from pbem.leagues.formats.round_robin import by_rating
from pbem.leagues.model import UNDECIDED, Bye, Die, Ending, Entrant, Pairing, Result, Round, Seat, Sides


def seeds(entrants: Sequence[Entrant], die: Die, label: str = "seed") -> tuple[str, ...]:
    """All but the eliminators in their order of seeding: by rating, the rest last, equal ones by lot."""
    return by_rating([entrant for entrant in entrants if not entrant.eliminator], die, label)


def draw(
    order: Sequence[str],
    eliminators: Sequence[str],
    die: Die,
    *,
    number: int = 1,
    sides: Sides = UNDECIDED,
    division: str = "",
) -> Round:
    """A round of these players, the best seed first. Whose side is which falls by `round-N/sides/PAIRING`.

    The first of the eliminators who is not in `order` steps in for an odd number. With `order` the first four
    of a table, this is a semi-final.
    """
    field = list(order)
    byes: tuple[Bye, ...] = ()
    couples: list[tuple[str, str]] = []
    if len(field) % 2:
        volunteers = [name for name in eliminators if name not in order]
        if volunteers:
            couples.append((field.pop(), volunteers[0]))
        else:
            byes = (Bye(player=field.pop(0)),)
    couples = [(field[seed], field[-1 - seed]) for seed in range(len(field) // 2)] + couples
    return Round(
        number=number,
        division=division,
        byes=byes,
        pairings=tuple(
            Pairing(number=game, seats=_seated(couple, sides, die, f"round-{number}/sides/{game}"))
            for game, couple in enumerate(couples, 1)
        ),
    )


def _seated(couple: tuple[str, str], sides: Sides, die: Die, label: str) -> tuple[Seat, ...]:
    if sides == UNDECIDED:
        return tuple(Seat(player=player) for player in couple)
    first, second = couple if die(2, label) == 1 else reversed(couple)
    return Seat(player=first, side=sides[0]), Seat(player=second, side=sides[1])


def first(entrants: Sequence[Entrant], die: Die, *, sides: Sides = UNDECIDED, division: str = "") -> Round:
    """The first round."""
    volunteers = [entrant.name for entrant in entrants if entrant.eliminator]
    return draw(seeds(entrants, die), volunteers, die, sides=sides, division=division)


def advancing(
    played: Round, results: Sequence[Result], eliminators: Sequence[str], die: Die
) -> frozenset[str]:
    """Who goes on: byes, and winners who are no eliminators.

    Of those who share a first place one is drawn, by die `round-N/through/PAIRING`; of an annulled game
    nobody goes on.

    Raises:
        ValueError: a game of the round has no result yet.
    """
    found = {
        result.pairing: result
        for result in results
        if (result.round, result.division) == (played.number, played.division)
    }
    through = {bye.player for bye in played.byes}
    for pairing in played.pairings:
        if pairing.number not in found:
            raise ValueError(f"game {pairing.number} of round {played.number} has no result yet")
        result = found[pairing.number]
        if result.ending is Ending.ANNULLED:
            continue
        best = [seat.player for seat, place in zip(result.seats, result.places, strict=True) if place == 1]
        if len(best) > 1:
            best = [best[die(len(best), f"round-{played.number}/through/{pairing.number}") - 1]]
        through.update(name for name in best if name not in eliminators)
    return frozenset(through)
