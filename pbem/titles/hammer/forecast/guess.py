"""Guesses which enemy blocks may stand where nobody sees them, by the writer's own view.

What the view knows is taken as known (R2): who was shown and can be nowhere else is there, who is elsewhere
is not, and a strength that was shown stands until it can have grown. Of the rest all that may be is equally
likely. Possible enemies are drawn, always the same ones, and put in order of their force; a few of
them, evenly spread over that order, stand for all.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from itertools import count

from pbem.rules.base import View
from pbem.rules.hammer.facts import BLOCKS, POOL, enemy_of
from pbem.rules.hammer.sightings import LAST_SEEN
from pbem.titles.hammer.odds.fighters import Fighter, fighter

DRAWN = 99
"""Number of possible enemies that are drawn."""
KEPT = 5
"""Number of the drawn enemies that are fought."""
GROWTH = frozenset({"victuals", "pillage"})
"""The events that build up blocks, of which their owner alone knows (3.12)."""


@dataclass(frozen=True, slots=True)
class Unseen:
    """The enemy blocks in an area that nobody sees, and from where they come if they only may come."""

    area: str
    hidden: int
    reserves: int = 0
    whence: str = ""
    defends: bool = False


@dataclass(frozen=True, slots=True)
class _Candidate:
    name: str
    strengths: tuple[int, ...]
    places: int
    """Number of places in which the block can be, this one among them; 0 if nothing is known of it."""


Force = tuple[Fighter, ...]


@dataclass(frozen=True, slots=True)
class Enemies:
    """The enemies that may stand in one place."""

    strongest: Force
    weakest: Force
    likely: tuple[Force, ...]
    """The possible enemies, each as likely as the others."""


def enemies(unseen: Unseen, view: View) -> Enemies:
    """Return the enemies that may stand in a place, by the view alone."""
    wanted = unseen.hidden + unseen.reserves
    found = _candidates(unseen, view)
    name = f"{unseen} {sorted(one.name for one in found)}"
    drawn = sorted(
        (_draw(found, wanted, unseen, view, f"{name} {turn}") for turn in range(DRAWN)), key=_force
    )
    likely = tuple(drawn[(2 * place + 1) * DRAWN // (2 * KEPT)] for place in range(KEPT))
    return Enemies(
        _extreme(found, wanted, unseen, view, strong=True),
        _extreme(found, wanted, unseen, view, strong=False),
        likely[:1] if len(set(likely)) == 1 else likely,
    )


def _candidates(unseen: Unseen, view: View) -> list[_Candidate]:
    """Return blocks that can be there: those that surely are first, those of which nothing is known last.

    Who is known to be elsewhere stands for a hidden block only if there are no others.
    """
    enemy = enemy_of(view["viewer"])
    seen = {one["block"]: one for one in view.get(LAST_SEEN, ())}
    stands = unseen.whence or unseen.area
    here, unknown, elsewhere = [], [], []
    for name, fact in BLOCKS.items():
        side = view["nobles"].get(name) if fact.noble else fact.side
        if side != enemy or name in view["out"] or name in view["blocks"]:
            continue
        one = seen.get(name)
        if one is None:
            unknown.append(_Candidate(name, any_strength(name), 0))
        elif stands in one["may_be"]:
            here.append(_Candidate(name, strengths(name, one, view), len(one["may_be"])))
        else:
            elsewhere.append(_Candidate(name, strengths(name, one, view), 0))
    wanted = unseen.hidden + unseen.reserves
    here.sort(key=lambda one: one.places)
    found = [*here, *unknown]
    return found if len(found) >= wanted else [*found, *elsewhere]


def any_strength(name: str) -> tuple[int, ...]:
    """Return the possible strengths of a block of which nothing is known.

    Each strength is as likely as the others; but a block comes whole from the pool (7.6), and as often
    nothing has happened to it since.
    """
    most = BLOCKS[name].max
    return *range(1, most + 1), *[most] * most


def strengths(name: str, sighting: View, view: View) -> tuple[int, ...]:
    """7.6, 3.12: return the possible strengths of a block that was shown: winter or an event adds to it."""
    shown = sighting["strength"]
    if not shown or sighting["year"] != view["year"] or POOL in sighting["may_be"]:
        return any_strength(name)
    grown = GROWTH & {*view["played"][enemy_of(view["viewer"])], *view["cards"].values()}
    return tuple(range(shown, BLOCKS[name].max + 1)) if grown else (shown,)


def _draw(found: list[_Candidate], wanted: int, unseen: Unseen, view: View, seed: str) -> Force:
    """Return one enemy by chance; a block that may be in several places is as often in each of them."""
    dice = _numbers(seed)
    surely = [one for one in found if one.places == 1]
    maybe = [one for one in found if one.places > 1]
    others = [one for one in found if one.places == 0]
    chosen = surely[:wanted]
    chosen += [one for one in maybe if next(dice) % one.places == 0][: wanted - len(chosen)]
    others += [one for one in maybe if one not in chosen] if len(others) < wanted - len(chosen) else []
    while len(chosen) < wanted and others:
        chosen.append(others.pop(next(dice) % len(others)))
    strong = [(one, one.strengths[next(dice) % len(one.strengths)]) for one in chosen]
    return _place(strong, unseen, view)


def _extreme(found: list[_Candidate], wanted: int, unseen: Unseen, view: View, *, strong: bool) -> Force:
    """Return the strongest or the weakest enemy that can be there."""
    side = enemy_of(view["viewer"])

    def force(one: _Candidate) -> tuple[int, int, str, int]:
        steps = one.strengths[-1] if strong else one.strengths[0]
        block = fighter(one.name, side, steps, unseen.area)
        power = _power(block, unseen.defends)
        return one.places != 1, -power if strong else power, block.letter, block.rank

    taken = sorted(found, key=force)[:wanted]
    return _place(
        [(one, one.strengths[-1] if strong else one.strengths[0]) for one in taken],
        unseen,
        view,
    )


def _place(chosen: list[tuple[_Candidate, int]], unseen: Unseen, view: View) -> Force:
    side = enemy_of(view["viewer"])
    return tuple(
        fighter(one.name, side, steps, unseen.area, reserve=place >= unseen.hidden)
        for place, (one, steps) in enumerate(chosen)
    )


def _power(one: Fighter, defends: bool) -> int:
    """5.4: return a block's expected hits in a round, in sixths."""
    return (one.number + (one.at_home and defends)) * one.strength


def _force(force: Force) -> tuple[int, list[str]]:
    return sum(_power(one, True) for one in force), [f"{one.name} {one.strength}" for one in force]


def _numbers(seed: str) -> Iterator[int]:
    """Yield numbers that follow from a text, and are the same on every machine."""
    for turn in count():
        digest = sha256(f"{seed} {turn}".encode()).digest()
        yield from (int.from_bytes(digest[place : place + 4], "big") for place in range(0, 32, 4))
