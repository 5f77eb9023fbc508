"""The ladder, a format in which the winner of a challenge takes the rung of a loser above."""

from collections.abc import Sequence

from pbem.leagues.model import Ending, Result


def may_challenge(
    order: Sequence[str], challenger: str, challenged: str, reach: int, busy: frozenset[str] = frozenset()
) -> str | None:
    """Return the reason why a challenge may not be made; None if the challenge is allowed.

    `order` has the top of the ladder first; a challenge goes up, over at most `reach` rungs; `busy` are those
    who play as many games as they want.
    """
    for name in (challenger, challenged):
        if name not in order:
            return f"{name} is not on the ladder"
    rungs = order.index(challenger) - order.index(challenged)
    if rungs == 0:
        return f"{challenger} cannot challenge themselves"
    if rungs < 0:
        return f"{challenged} is below {challenger}; a challenge must go up"
    if rungs > reach:
        highest = order[max(0, order.index(challenger) - reach)]
        return (
            f"{challenged} is {rungs} rungs above; the highest that {challenger} can challenge is {highest}"
        )
    for name in (challenger, challenged):
        if name in busy:
            return f"{name} already plays as many games as they want"
    return None


def after(order: Sequence[str], result: Result) -> tuple[str, ...]:
    """Return the ladder after a game: a winner from below takes the loser's rung, those between go down one.

    A draw or an annulled game changes nothing; a forfeited one counts.
    """
    if result.ending is Ending.ANNULLED or len(set(result.places)) == 1:
        return tuple(order)
    ranked = sorted(zip(result.places, result.seats, strict=True), key=lambda row: row[0])
    winner, loser = (seat.player for _, seat in ranked)
    if winner not in order or loser not in order or order.index(winner) < order.index(loser):
        return tuple(order)
    rung = order.index(loser)
    return (*order[:rung], winner, *(name for name in order[rung:] if name != winner))
