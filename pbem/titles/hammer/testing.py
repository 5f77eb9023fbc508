"""Worlds that differ only in what a viewer may not know.

A twin of a position puts other blocks into the places of hidden ones, gives them other strengths and the
enemy another hand, and lists everything in another order. The viewer's own view stays the same, byte for
byte. `names` says which block of the first world each block of the twin's stands for.
"""

from __future__ import annotations

import copy
import random
from dataclasses import dataclass, field
from typing import Any

from pbem.rules.base import View
from pbem.rules.hammer.facts import (
    BLOCKS,
    DECK,
    NOBLES,
    OFF_MAP,
    POOL,
    SCENARIOS,
    SIDES,
    BlockFact,
    Options,
    read_options,
)
from pbem.rules.hammer.winter_7 import WINTER

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Twin:
    """Another world that looks the same to its `viewer`."""

    viewer: str
    position: View
    names: dict[str, str] = field(default_factory=dict)  # block of the first world -> of this one
    alike: bool = False  # only blocks that the rules treat alike have changed places, strengths kept


def twin(position: View, viewer: str, chooser: random.Random) -> View:
    """Return a random twin of a position, for the contract of titles."""
    return twin_of(position, viewer, chooser).position


def hidden_sides(viewer: str) -> tuple[str, ...]:
    """Return the sides of which this viewer sees only what is public."""
    return tuple(side for side in SIDES if side != viewer)


def twin_of(position: View, viewer: str, chooser: random.Random) -> Twin:
    """Return a random twin that exchanges blocks that are alike, or any that may be anywhere."""
    options = read_options(position["options"])
    alike = chooser.random() < 0.35
    names: dict[str, str] = {}
    for side in hidden_sides(viewer):
        names |= exchanges(position, options, side, chooser, alike)
    twin = exchanged(position, names, chooser, shuffle_strengths=not alike)
    if not alike:
        deal_again(twin, viewer, chooser)
    shuffle_lists(twin, viewer, chooser)
    return Twin(viewer, twin, names, alike)


# -- blocks


def exchanges(
    position: View, options: Options, side: str, chooser: random.Random, alike: bool
) -> dict[str, str]:
    """Return a few pairs of this side's hidden blocks, each to stand for the other."""
    blocks: dict[str, Row] = position["blocks"]
    free = [name for name in blocks if may_be_anywhere(position, options, name, side)]
    chooser.shuffle(free)
    wanted = chooser.choice((1, 1, 2, 3, 6))
    names: dict[str, str] = {}
    for one in free:
        if one in names or len(names) >= 2 * wanted:
            continue
        for other in free:
            if other == one or other in names:
                continue
            if same_to_the_rules(one, other) if alike else may_exchange(blocks, one, other):
                names |= {one: other, other: one}
                break
    return names


def may_be_anywhere(position: View, options: Options, name: str, side: str) -> bool:
    """Tell whether nobody but its owner knows where this block is."""
    row = position["blocks"][name]
    if row["side"] != side or row["area"] == OFF_MAP:
        return False
    winter = position["phase"] in WINTER and position["phase"] != "english nobles"
    if winter and name in position["settled"]:
        return False  # 7.1: the noble has just gone home before everybody's eyes
    if name == "Edward":
        barred = position["year"] < SCENARIOS[options.scenario].first_year + options.years_without_edward
        return not position["edward_winters"] and not barred  # 7.4; R5
    return True


def may_exchange(blocks: dict[str, Row], one: str, other: str) -> bool:
    """Tell whether two blocks may stand for each other: all nobles but Moray are known to be on the map."""
    places = {blocks[one]["area"], blocks[other]["area"]}
    stays = [name for name in (one, other) if name in NOBLES and name != "Moray"]
    return POOL not in places or not stays


def same_to_the_rules(one: str, other: str) -> bool:
    """Tell whether no rule says anything different of two blocks."""
    block = BLOCKS[one]
    return not block.noble and block.kind != "leader" and _facts_of(block) == _facts_of(BLOCKS[other])


def _facts_of(block: BlockFact) -> tuple[object, ...]:
    """Return the facts of a block that rules look at."""
    fight = (block.letter, block.number, block.max)
    return (block.kind, block.move, *fight, block.black_cross, block.celtic)


def exchanged(position: View, names: dict[str, str], chooser: random.Random, shuffle_strengths: bool) -> View:
    """Return the position with every block in the place of the one it stands for."""
    twin = copy.deepcopy(position)
    for name, stand_in in names.items():
        row = dict(position["blocks"][name])
        row["strength"] = min(row["strength"], BLOCKS[stand_in].max)
        twin["blocks"][stand_in] = row
    if shuffle_strengths:
        for name in names:
            if chooser.random() < 0.5:
                twin["blocks"][name]["strength"] = chooser.randint(1, BLOCKS[name].max)
    for name, row in twin["blocks"].items():
        if row["area"] == POOL:
            row["strength"] = BLOCKS[name].max
    for attack in twin["attacks"].values():
        for kind in ("main_blocks", "reserve_blocks"):
            attack[kind] = [names.get(name, name) for name in attack[kind]]
    return twin


# -- cards and lists


def deal_again(twin: View, viewer: str, chooser: random.Random) -> None:
    """3.0: deal each hidden hand anew, out of the cards that nobody has seen."""
    unseen = list(DECK)
    for cards in (*twin["played"].values(), twin["hands"].get(viewer, ())):
        for card in cards:
            unseen.remove(card)
    for side in hidden_sides(viewer):
        hand = twin["hands"][side]
        if chooser.random() < 0.3 and len(hand) > 1:
            new = equal_cards(unseen, len(hand)) or hand
        elif chooser.random() < 0.7:
            new = chooser.sample(unseen, len(hand))
        else:
            new = hand
        for card in new:
            if card in unseen:
                unseen.remove(card)
        twin["hands"][side] = sorted(new, key=DECK.index)


def equal_cards(unseen: list[str], count: int) -> list[str] | None:
    """Return a hand of so many equal cards out of those unseen; None if not so many are equal."""
    return next(([card] * count for card in dict.fromkeys(unseen) if unseen.count(card) >= count), None)


def shuffle_lists(twin: View, viewer: str, chooser: random.Random) -> None:
    """Shuffle the lists of a position, since nothing depends on the order in which it is written down."""
    rows = list(twin["blocks"].items())
    chooser.shuffle(rows)
    twin["blocks"] = dict(rows)
    for attack in twin["attacks"].values():
        for kind in ("main_blocks", "reserve_blocks"):
            if not {twin["blocks"][name]["side"] for name in attack[kind]} & {viewer}:
                chooser.shuffle(attack[kind])


def unlike(one: View, other: View) -> set[str]:
    """Return the blocks that differ between two worlds."""
    return {name for name, row in one["blocks"].items() if row != other["blocks"][name]}
