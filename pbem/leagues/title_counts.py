"""The counts of a title, by which leagues separate equal players and decide unfinished games.

A title names its counts (`Title.counts`): each gives every side a number, from what all can see.
"""

from __future__ import annotations

from pbem.rules.base import View
from pbem.titles import load


def names(title: str) -> tuple[str, ...]:
    """Return the names of a title's counts."""
    return tuple(load(title).counts)


def counts_of(title: str, view: View) -> tuple[tuple[str, int], ...]:
    """Return all counts of a game as results hold them: `nobles/north`, 9."""
    counted = ((name, count(view)) for name, count in load(title).counts.items())
    return tuple(
        (f"{name}/{side}", number) for name, sides in counted for side, number in sorted(sides.items())
    )


def places(title: str, view: View, count: str) -> tuple[tuple[str, int], ...] | None:
    """Return each side's place by one count; None without such a count, or if there is nothing to count."""
    counter = load(title).counts.get(count)
    held = counter(view) if counter is not None else {}
    if not held:
        return None
    return tuple((side, 1 + sum(other > held[side] for other in held.values())) for side in held)
