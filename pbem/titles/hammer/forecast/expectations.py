"""The expectations of a forecast: the enemy's answers, the winter, and the blocks that may stand unseen.

Nothing here looks at an imagined block: only at one's own blocks, and at how many of the enemy's stand
where.

Of enemy blocks, what the view knows is taken as known (R2): who was shown and can be nowhere else is there,
who is elsewhere is not, and a strength that was shown stands until it can have grown. Of the rest all that
may be is equally likely. Possible enemies are drawn, always the same ones, and put in order of their force;
a few of them, evenly spread over that order, stand for all.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from itertools import count

from pbem.orders.base import Follower, listed
from pbem.rules.base import Event, View
from pbem.rules.hammer.cards_3 import both_events, decide_player_1
from pbem.rules.hammer.facts import AREAS, BLOCKS, ENGLAND, EVENTS, POOL, SCOTLAND, enemy_of
from pbem.rules.hammer.sightings import LAST_SEEN
from pbem.titles.hammer.odds.plans import may_look_for
from pbem.titles.hammer.odds.states import Fighter, fighter, ways_out

NOBLE = 3
"""The points that a noble counts when areas are compared by what is at stake in them."""
FEW = 2
"""Number of blocks that make an imagined attack: as many as a red border lets cross (4.3)."""


def world_of(follower: Follower, side: str, own: str, enemy: str) -> object:
    """Return what two cards decide if the enemy does nothing: who is Player 1, and whether the year ends.

    Return the enemy's card itself for orders that look for it, or if the own card is not known.
    """
    if not own or may_look_for(follower, "against"):
        return enemy
    cards: dict[str, str | None] = {side: own, enemy_of(side): enemy}
    return decide_player_1(cards[ENGLAND], cards[SCOTLAND]), both_events(cards)


def likely_targets(view: View) -> list[str]:
    """Return the viewer's areas that the enemy can attack from next door, those with most at stake first."""
    side, counts = view["viewer"], view["areas"]
    enemy = enemy_of(side)
    exposed = [
        area
        for area in AREAS
        if counts[area][side]
        and not counts[area][enemy]
        and any(counts[near][enemy] for near in AREAS[area].neighbours)
    ]
    return sorted(exposed, key=lambda area: (-at_stake(view, area), counts[area][side], AREAS[area].order))


def at_stake(view: View, area: str) -> int:
    """7.1, 7.6: return the points at stake in an area: its own, and those of the viewer's nobles.

    Nobles count who stand in the area or are at home there.
    """
    side = view["viewer"]
    nobles = [
        name
        for name, row in view["blocks"].items()
        if row["side"] == side and BLOCKS[name].noble and area in (row["area"], *BLOCKS[name].homes)
    ]
    return AREAS[area].limit(side) + NOBLE * len(nobles)


def origin_of(view: View, area: str) -> str:
    """Return the area from which an imagined attack comes: the neighbour with most enemy blocks."""
    enemy = enemy_of(view["viewer"])
    return max(AREAS[area].neighbours, key=lambda near: view["areas"][near][enemy])


def attacked(view: View, area: str) -> View:
    """Return the view as it would be if a few enemy blocks from next door had attacked this area."""
    enemy = enemy_of(view["viewer"])
    counts = {name: dict(row) for name, row in view["areas"].items()}
    origin = origin_of(view, area)
    border = AREAS[area].neighbours[origin]
    most = 1 if border.anglo_scottish else FEW
    coming = min(most, counts[origin][enemy])
    counts[origin][enemy] -= coming
    counts[area][enemy] += coming
    attack = {"attacker": enemy, "origin": origin, "border": border.name, "reserve_blocks": []}
    return {
        **view,
        "areas": counts,
        "attacks": {**view["attacks"], area: attack},
        "entered": [*view["entered"], [border.name, area, enemy]],
    }


HIGHEST_CARD = "3"


def may_attack(view: View) -> str:
    """4.3, 4.4, 5.32: return in words the areas that the enemy may attack from next door, and how strongly.

    The dearest areas come first.
    """
    side, counts = view["viewer"], view["areas"]
    enemy = enemy_of(side)
    card = view["cards"][enemy] or HIGHEST_CARD
    if enemy in view["truce"] or not card.isdigit():
        return ""
    found = []
    for area in sorted(AREAS, key=lambda one: -at_stake(view, one)):
        if not counts[area][side] or counts[area][enemy]:
            continue
        most = 0
        for near, border in AREAS[area].neighbours.items():
            limit = min(border.limit, int(card)) if border.anglo_scottish else border.limit
            most += max(0, min(counts[near][enemy] - counts[near][side], limit))
        if most:
            found.append(f"{area} (up to {most})")
    if not found:
        return ""
    return f"From areas next to yours, enemy blocks may attack {listed(found, 'or')}."


def may_retreat(area: str, view: View) -> str:
    """5.5: return in words where the enemy may retreat to from a battle, as the position stands."""
    ways = list(ways_out(area, enemy_of(view["viewer"]), view))
    return f"They may retreat to {listed(ways, 'or')}." if ways else "They cannot retreat by land."


def events(view: View) -> Iterator[str]:
    """3.12: yield in words what an event of the enemy's could do in this turn, before anybody moves."""
    side, counts = view["viewer"], view["areas"]
    enemy = enemy_of(side)
    nobles = [
        name
        for name, row in view["blocks"].items()
        if row["side"] == side
        and row["area"] in AREAS
        and BLOCKS[name].noble
        and not BLOCKS[name].black_cross
    ]
    if nobles:
        chances = f"{len(EVENTS.herald_success)} in 6"
        yield f"An enemy herald may call {listed(nobles, 'or')} ({chances})."
    targets = [
        area
        for area in AREAS
        if counts[area][side]
        and not counts[area][enemy]
        and any(counts[near][enemy] for near in AREAS[area].neighbours)
    ]
    if targets:
        yield f"An enemy pillage takes up to {EVENTS.pillage_hits} steps in {listed(targets, 'or')}."
    yield "After an enemy truce you may move, but you may not attack."


def points(view: View) -> dict[str, int]:
    """7.6: return the replacement points of each area that is the viewer's now."""
    side, counts = view["viewer"], view["areas"]
    return {
        area: fact.limit(side)
        for area, fact in AREAS.items()
        if fact.limit(side) and counts[area][side] and not counts[area][enemy_of(side)]
    }


def before_winter(view: View) -> Iterator[str]:
    """7.1, 7.32, 7.5, 7.6: yield in words homes the enemy holds, areas above the Castle Limit, and points."""
    side, counts = view["viewer"], view["areas"]
    for name in sorted(view["blocks"]):
        fact, row = BLOCKS[name], view["blocks"][name]
        if row["side"] != side or row["area"] not in AREAS or not fact.noble or fact.black_cross:
            continue
        if all(counts[home][enemy_of(side)] for home in fact.homes):
            yield f"{name} changes sides in winter, unless the enemy leaves {listed(fact.homes, 'or')}."
    over = [
        f"{area} by {counts[area][side] - fact.limit(side)}"
        for area, fact in AREAS.items()
        if counts[area][side] > fact.limit(side)
    ]
    if over:
        yield f"Above the castle limit, before anybody goes home: {listed(over)}."
    yield in_all(points(view))


def in_all(found: dict[str, int]) -> str:
    """Return the sentence on replacement points: their sum, and those of each area."""
    if not found:
        return "Replacement points at the moment: none."
    rows = listed([f"{area} {number}" for area, number in found.items()])
    return f"Replacement points at the moment: {sum(found.values())} ({rows})."


def unspent(event: Event) -> str:
    """7.6: return the sentence on replacement points that are left when all is built; "" if none are."""
    rows = [f"{area} {number}" for area, number in event["left"].items()]
    return f"Points not used: {listed(rows)}." if rows else ""


def home(event: Event, view: View) -> str:
    """7.1: return the sentence on a noble who goes home or changes sides; "" if there is nothing to tell.

    Nobody can know before winter whether the enemy will still hold the noble's homes.
    """
    side, counts = view["viewer"], view["areas"]
    name, area = event["noble"], event["area"]
    row = view["blocks"].get(name)
    if row is None or row["side"] != side:
        return f"{name} comes over to you in {area}." if event["side"] == side else ""
    held = [where for where in BLOCKS[name].homes if counts[where][enemy_of(side)]]
    if len(held) == len(BLOCKS[name].homes):
        return f"{name} changes sides, unless the enemy leaves {listed(held, 'or')}."
    return "" if row["area"] == area else f"{name} goes home to {area}."


DRAWN = 99
"""Number of possible enemies that are drawn."""
KEPT = 5
"""Number of the drawn enemies that are fought."""
GROWTH = frozenset({"victuals", "pillage"})
"""The events that build up blocks, of which their owner alone knows (3.12)."""


@dataclass(frozen=True, slots=True)
class Unseen:
    """The hidden enemy blocks in an area, and the area that they would come from if they only may come."""

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
    """The groups of enemy blocks that may stand in one place: the strongest, the weakest and likely ones."""

    strongest: Force
    weakest: Force
    likely: tuple[Force, ...]
    """Possible groups of enemy blocks, each as likely as the others."""


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
    """Return the enemy blocks that may be in a place: those shown before come first, then unknown ones.

    A block that is known to be elsewhere stands for a hidden one only if there are too few others.
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
    """Return a group of enemy blocks drawn by chance; each is as often in every place where it may be."""
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
    """Return the strongest or the weakest group of enemy blocks that can be in a place."""
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
