"""Two whole games through the real resolution, of which an observer may not learn in what they differ.

In the second game other blocks stand where the rules treat blocks alike, draws bring their images, and the
hidden side's files hold other lines besides, all without a visible effect. The observer sends the same files
to both. After every exchange all that reaches him must be the same, byte for byte: why the judge stopped, his
report, the public's, his view, what was told, his questions with their answers, his form, what of his orders
was left out and what is on file, whom he has seen last, the picture, and the sizes of what the hidden side
gets, which whoever carries the mail sees; now and then also the report's page and a forecast.

The comparison ends when a block about which the games differ is turned up before everybody's eyes, or when
the hidden side's own defaults, which go by the order of the block list, have taken it another way.
"""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from pbem.rules.base import View
from pbem.rules.hammer.facts import BLOCKS, SIDES
from pbem.titles.hammer.testing import exchanged, same_to_the_rules, shuffle_lists
from tests.hammer.lockstep import MirrorChance
from tests.hammer.parting import shown_blocks
from tests.properties.random_play import LabelledChance, Options
from tests.properties.world import Leak, World

MAX_EXCHANGES = 25
WORKED_OUT_EVERY = 6

NOISE = (
    "note {}",
    "({})",
    "mvoe {}",
    "move Wallace from Garmoron to Nowhere",
    "if drawn Norse: build none",
    "plan any: if round 9: retreat all to Mar",
    "winter:\nask Edward\nend",
    "winter:\nask disband\nend",
    "ask crown",
)
"""Lines without a visible effect: remarks, faults, cases that never hold, questions that nobody sees."""


@dataclass(slots=True)
class Count:
    """How far the comparisons came, so that an empty test is noticed."""

    pairs: int = 0
    exchanges: int = 0
    winters: int = 0
    worked_out: int = 0
    """How often pages and forecasts were compared."""
    ended: Counter[str] = field(default_factory=Counter)


class Twins:
    """One pair of games."""

    def __init__(self, options: Options, position: View, viewer: str, seed: int, count: Count) -> None:
        self.viewer, self.count = viewer, count
        self.hidden = next(side for side in SIDES if side != viewer)
        self.random = random.Random(f"twins {seed} {viewer}")
        names = self._images(position)
        chance = LabelledChance(seed)
        twin = exchanged(json.loads(json.dumps(position)), names, self.random, shuffle_strengths=False)
        shuffle_lists(twin, viewer, self.random)
        self.first = World("hammer", options, chance, position)
        self.second = World("hammer", options, MirrorChance(chance, names), twin)
        self.touched = set(names)
        self.sent = "", ""

    def _images(self, position: View) -> dict[str, str]:
        """The hidden side's blocks that the rules treat alike, each with the one that stands for it."""
        names: dict[str, str] = {}
        own = [name for name, row in position["blocks"].items() if row["side"] == self.hidden]
        self.random.shuffle(own)
        for one in own:
            for other in own:
                free = one != other and not {one, other} & names.keys()
                if free and same_to_the_rules(one, other):
                    names |= {one: other, other: one}
        return names

    def run(self) -> None:
        """Play on until a block is turned up, or long enough. Raises Leak."""
        self.count.pairs += 1
        self._compare()
        for _ in range(MAX_EXCHANGES):
            mine, theirs = self._mine(), self._theirs()
            self.sent = self._with_noise(theirs), self._with_noise(self._image(theirs))
            for world, text in zip((self.first, self.second), self.sent, strict=True):
                world.exchange({self.viewer: mine, self.hidden: text})
            self.count.exchanges += 1
            if why := self._parted():
                self.count.ended[why] += 1
                return
            self._compare()
            if self.first.outcome:
                self.count.ended["over"] += 1
                return
        self.count.ended["long enough"] += 1

    # -- orders

    def _mine(self) -> str:
        """The observer's, by his own view alone, which is the same in both."""
        return _some_orders(self.first, self.viewer, self.random)

    def _theirs(self) -> str:
        return _some_orders(self.first, self.hidden, self.random)

    def _image(self, text: str) -> str:
        """The same orders for the blocks that stand for these in the second game."""
        images = self._standing_for()
        pattern = "|".join(sorted(map(re.escape, images), key=len, reverse=True))
        return re.sub(rf"\b({pattern})\b", lambda found: images[found[0]], text) if images else text

    def _standing_for(self) -> dict[str, str]:
        """By place, kind and strength: which of two that are alike went where may differ."""
        found: dict[str, str] = {}
        kinds = [_alike(world.play.game.view("gm"), self.hidden) for world in (self.first, self.second)]
        for kind, blocks in kinds[0].items():
            found |= dict(zip(blocks, kinds[1].get(kind, ()), strict=False))
        return found

    def _with_noise(self, text: str) -> str:
        noise = [
            line.format("x" * self.random.randrange(60))
            for line in self.random.sample(NOISE, self.random.randrange(5))
        ]
        at_end = [line for line in noise if not line.startswith(("note", "(", "mvoe"))]
        return "\n".join([*(line for line in noise if line not in at_end), text, *at_end])

    # -- what must be the same

    def _parted(self) -> str:
        """Has a block about which the games differ been turned up?"""
        worlds = self.first, self.second
        gm = [world.play.game.view("gm") for world in worlds]
        self.touched |= {name for name, row in gm[0]["blocks"].items() if row != gm[1]["blocks"][name]}
        for world in worlds:
            for event in world.last.seen[self.viewer].told:
                if shown_blocks(event) & self.touched:
                    return f"shown by {event['event']}"
        alike = [_alike(view, self.hidden) for view in gm]
        if any(
            len(alike[0].get(kind, ())) != len(alike[1].get(kind, ())) for kind in {**alike[0], **alike[1]}
        ):
            return "a default took another block, by the order of the block list"
        return ""

    def _compare(self) -> None:
        one, other = (world.shown(self.viewer) for world in (self.first, self.second))
        self.count.winters += one["stop"] == "winter"
        if self.count.exchanges % WORKED_OUT_EVERY == 0 and not self.first.outcome:
            orders = _some_orders(self.first, self.viewer, random.Random(self.count.exchanges))
            one |= self.first.worked_out(self.viewer, orders)
            other |= self.second.worked_out(self.viewer, orders)
            self.count.worked_out += 1
        for what, seen in one.items():
            if seen != other[what]:
                raise Leak(
                    f"{what} differs for {self.viewer}: {_where(seen, other[what])}; sent: {self.sent}"
                )


def _alike(view: View, side: str) -> dict[tuple[Any, ...], list[str]]:
    """A side's blocks by what of them makes a difference."""
    found: dict[tuple[Any, ...], list[str]] = {}
    for name, row in view["blocks"].items():
        if row["side"] == side:
            fact = BLOCKS[name]
            same = fact.kind, fact.move, fact.letter, fact.number, fact.max, fact.celtic
            named = "" if not fact.noble and fact.kind != "leader" else name
            found.setdefault((named, row["area"], row["strength"], *same), []).append(name)
    return found


def _some_orders(world: World, side: str, chooser: random.Random) -> str:
    """Answers to what is asked, and now and then lines ahead; every line fits both games."""
    view = world.last.seen[side].after
    lines: list[str] = []
    if view["hand"] and world.last.stop == "cards":
        lines.append(f"card {chooser.choice(view['hand'])}")
    areas = sorted(view["areas"])
    mine = [name for name, row in view["blocks"].items() if row["side"] == side and row["area"] in areas]
    lines += [chooser.choice(ask.legal) for ask in world.open_asks(side) if ask.kind not in ("card", "move")]
    going = chooser.sample(sorted(mine), min(len(mine), chooser.randrange(4)))
    lines += [f"move {name} to {chooser.choice(areas)}" for name in going]
    lines += chooser.sample(("plan any: fire", "battles rest", "move none"), chooser.randrange(3))
    return "\n".join(lines)


def _where(one: object, other: object) -> str:
    """Where two texts or lists first differ."""
    rows = [str(seen).split("\n") if isinstance(seen, str) else [str(seen)] for seen in (one, other)]
    for left, right in zip(*rows, strict=False):
        if left != right:
            return f"{left[:400]!r} / {right[:400]!r}"
    return f"{len(rows[0])} lines or {len(rows[1])}"
