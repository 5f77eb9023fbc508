"""Programs that pair players, one module per format; and the lots that they all draw with joint dice.

Nobody can choose joint dice alone. A die has at most 256 sides. A number up to more than that takes two dice,
high digit first; what falls beyond the range is thrown anew, under the next label, so that every outcome is
equally likely.
"""

from collections.abc import Iterable
from itertools import count

from pbem.leagues.model import Die

MAX_DIE_SIDES = 256


def draw_number(below: int, die: Die, label: str) -> int:
    """Return a drawn number from 0 to `below` - 1, each equally likely; `below` is at most 65,536.

    Labels asked: `label`, or from 257 on `label/t1/h` and `label/t1/l`. For 1 nothing is thrown.
    """
    if not 1 <= below <= MAX_DIE_SIDES**2:
        raise ValueError(f"no lot among {below}")
    if below == 1:
        return 0
    if below <= MAX_DIE_SIDES:
        return die(below, label) - 1
    high = -(-below // MAX_DIE_SIDES)
    for attempt in count(1):
        drawn = (die(high, f"{label}/t{attempt}/h") - 1) * MAX_DIE_SIDES
        drawn += die(MAX_DIE_SIDES, f"{label}/t{attempt}/l") - 1
        if drawn < below:
            return drawn
    raise AssertionError("a die falls within its range at last")


def shuffled(names: Iterable[str], die: Die, label: str) -> tuple[str, ...]:
    """Return names shuffled by the dice `label/n` to `label/2` (Fisher-Yates), whatever their first order."""
    order = sorted(names)
    for size in range(len(order), 1, -1):
        chosen = draw_number(size, die, f"{label}/{size}")
        order[size - 1], order[chosen] = order[chosen], order[size - 1]
    return tuple(order)
