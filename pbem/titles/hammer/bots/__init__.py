"""Bots that play Hammer of the Scots, and the random player among them.

It plays any legal card, moves and plans without a purpose. The captain has a module of its own.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Mapping, Sequence

from pbem.bots import Bot
from pbem.rules.base import Ask, View
from pbem.rules.hammer.facts import AREAS, BLOCKS, CATHEDRALS, ENGLAND, SCOTLAND, enemy_of
from pbem.rules.hammer.restart import movement
from pbem.rules.hammer.sequence import TURN_PHASES
from pbem.rules.hammer.winter_7 import BUILDS
from pbem.titles.hammer.bots.captain import Captain

SHARES = ("", "half ", "twice ")
KINDS = ("infantry", "nobles", "leaders", "knights", "archers", "cavalry")


class RandomPlayer:
    """A player that chooses by chance; the same view and seed give the same orders."""

    def __init__(self, side: str, seed: object = 0) -> None:
        self.side = side
        self.seed = seed

    def write(self, view: View, asks: Sequence[Ask] = ()) -> str:
        """Return random orders for the phase in which the view stands."""
        dice = random.Random(f"{self.seed} {json.dumps(view, sort_keys=True)}")  # noqa: S311 - play, no secret
        return "".join(f"{line}\n" for line in Scribe(view, self.side, dice).lines())


class Scribe:
    """The writer of one order file by chance."""

    def __init__(self, view: View, side: str, dice: random.Random) -> None:
        self.view = view
        self.side = side
        self.dice = dice
        self.mine = [
            name for name, row in view["blocks"].items() if row["side"] == side and row["area"] in AREAS
        ]

    def lines(self) -> Iterator[str]:
        """Yield the lines of one whole order file, chosen by chance."""
        phase = self.view["phase"]
        if phase == "cards":
            yield from self.card()
        elif phase in TURN_PHASES:
            if phase == "events":
                yield from self.event(self.view["cards"][self.side])
            yield from self.turn(self.view["cards"][self.side])
        elif phase in BUILDS:
            yield from self.builds()
        else:
            yield from self.winter()

    # -- a turn

    def card(self) -> Iterator[str]:
        """3.1: yield the line that plays a random card, and lines for the moves or the event of that card."""
        if not self.view["hand"]:
            return
        card = self.dice.choice(self.view["hand"])
        yield f"card {card}"
        if card.isdigit():
            yield "if first:"
            yield from self.moves("first move", card)
            if self.maybe(2):
                yield "if second and none of my areas is attacked:"
                yield from self.moves("second move", card)
            yield "end"
        else:
            yield from self.event(card)
        yield from self.plans()

    def turn(self, card: str | None) -> Iterator[str]:
        """Yield order lines for moves, if the side still has them to make, and for plans of battles."""
        phase = {True: "first move", False: "second move"}[self.view["first"] == self.side]
        if (
            card is not None
            and card.isdigit()
            and self.view["phase"] in ("events", "first move", "second move")
        ):
            if self.view["phase"] == phase:
                yield from self.moves(phase, card)
            elif phase == "second move":
                yield "if none of my areas is attacked:"
                yield from self.moves(phase, card)
                yield "end"
        yield from self.plans()

    def moves(self, phase: str, card: str) -> Iterator[str]:
        """4.0: yield one legal move after another, and stop at some point by chance."""
        phase_of_mine = movement(self.view, phase, card)
        moved = False
        while self.maybe(12, but=1):
            answer = self.dice.choice(sorted(phase_of_mine.options()))
            step = phase_of_mine.read(answer)
            if step is None:
                break
            phase_of_mine.move(*step)
            moved = True
            yield answer
        if not moved:
            yield "move none"

    def event(self, card: str | None) -> Iterator[str]:
        """3.12: yield lines that use the event of a card in any way."""
        enemy = enemy_of(self.side)
        if card == "herald":
            nobles = [
                name
                for name, owner in self.view["nobles"].items()
                if owner == enemy and not BLOCKS[name].black_cross
            ]
            if nobles:
                yield f"herald {', '.join(self.shuffled(nobles))}"
        elif card == "pillage":
            yield "pillage rest"
            yield "build rest"
        elif card == "victuals":
            yield f"build {', '.join((*self.shuffled(self.weakened())[:2], 'rest'))}"
        elif card == "sea move":
            yield from self.voyage()
        elif card == "truce":
            yield self.dice.choice(("truce", "pass"))
        if card is not None and self.side == SCOTLAND and self.view["crowned"] is None and self.maybe(4):
            yield "crown Bruce, Comyn"

    def voyage(self) -> Iterator[str]:
        """Sea Move: yield a voyage of one or two blocks from one coast to another that is ours."""
        ports = [area for area in AREAS if AREAS[area].coastal and self.is_mine(area)]
        crews = {
            port: [name for name in self.mine if BLOCKS[name].move and self.area(name) == port]
            for port in ports
        }
        starts = [port for port in ports if crews[port]]
        if len(ports) < 2 or not starts:
            yield "pass"
            return
        start = self.dice.choice(starts)
        to = self.dice.choice([port for port in ports if port != start])
        yield f"sail {', '.join(self.shuffled(crews[start])[:2])} to {to}"

    # -- battles

    def plans(self) -> Iterator[str]:
        """5.0: yield plans for battles, some of them useless."""
        yield "battles rest"
        yield "plan any:"
        for name in self.some():
            yield self.dice.choice((f"fire {name}", f"pass {name}", f"if round {self.round()}: pass {name}"))
        if self.maybe(2):
            yield f"if {self.condition()}: retreat {self.dice.choice(('all', 'rest', *KINDS))}"
        if self.mine and self.maybe(3):
            name = self.dice.choice(self.mine)
            yield f"if {name} strength at most {self.dice.randint(1, 3)}: retreat {name}"
        yield "fire"
        yield f"hits {', '.join((*self.shuffled(KINDS)[:2], 'rest'))}"
        yield "forced retreat all"
        yield self.dice.choice(("regroup none", "regroup rest stay", "regroup all to " + self.places()))
        yield "end"
        if self.side == ENGLAND:
            yield "raid rest"

    def condition(self) -> str:
        """Return a random condition on a battle, as orders write it: `round 2`."""
        ours = f"our {self.dice.choice(('strength', 'blocks'))}"
        theirs = f"{self.dice.choice(SHARES)}their {ours.split()[1]}"
        return self.dice.choice(
            (
                f"round {self.round()}",
                f"{ours} less than {theirs}",
                f"round 2 or later and {ours} at most {theirs}",
                f"they have {self.dice.choice(KINDS)} and attacking",
                "defending and not event battle",
                "their reserves at least 1",
            )
        )

    def round(self) -> int:
        """5.3: return the number of one of the three rounds."""
        return self.dice.randint(1, 3)

    # -- winter

    def winter(self) -> Iterator[str]:
        """7.1-7.5: yield order lines on the homes of blocks, where Edward winters, and which blocks stay."""
        for name in ("Bruce", "Comyn"):
            if name in self.view["nobles"]:
                yield f"home {name} to {', '.join(self.shuffled(BLOCKS[name].homes))}"
        if self.side == SCOTLAND:
            for name, areas in (("Moray", ("Moray",)), ("King", CATHEDRALS), ("Wallace", ("Selkirk",))):
                if name in self.mine:
                    stays = self.maybe(2)
                    yield (
                        f"home {name} stay" if stays else f"home {name} to {', '.join(self.shuffled(areas))}"
                    )
        else:
            yield self.dice.choice(("winter Edward", "disband Edward"))
        yield f"keep {', '.join((*self.some(kind='infantry'), 'rest'))}"

    def builds(self) -> Iterator[str]:
        """7.6: yield order lines that draw new blocks where there is room, and add steps to weak blocks."""
        able = [
            name
            for name in self.weakened()
            if self.is_mine(self.area(name))
            and AREAS[self.area(name)].limit(self.side)
            and (self.side == SCOTLAND or BLOCKS[name].kind in ("infantry", "noble"))
        ]
        build = f"build {', '.join((*self.shuffled(able)[:1], 'rest'))}"
        if self.side == ENGLAND or self.maybe(2):
            yield build
            return
        for area in self.shuffled(list(AREAS)):
            if self.is_mine(area) and self.view["areas"][area][self.side] < AREAS[area].limit(self.side):
                yield f"draw {area}"
        yield build

    # -- choices

    def maybe(self, one_in: int, but: int = 0) -> bool:
        """Tell by chance whether to do a thing: once in `one_in` times, or with `but` all times but once."""
        return (self.dice.randrange(one_in) == 0) != bool(but)

    def shuffled(self, names: Sequence[str]) -> list[str]:
        """Return all the names in any order."""
        return self.dice.sample(list(names), len(names))

    def some(self, kind: str = "") -> list[str]:
        """Return up to three blocks of the bot's side, drawn by chance; with `kind`, of that kind alone."""
        able = [name for name in self.mine if kind in ("", BLOCKS[name].kind)]
        return self.dice.sample(able, min(len(able), self.dice.randint(0, 3)))

    def weakened(self) -> list[str]:
        """Return the blocks of the bot's side that are below their maximum strength."""
        return [name for name in self.mine if self.view["blocks"][name]["strength"] < BLOCKS[name].max]

    def places(self) -> str:
        """Return the names of three areas drawn by chance, with commas between them."""
        return ", ".join(self.dice.sample(list(AREAS), 3))

    def area(self, name: str) -> str:
        """Return the area where a block of the bot's side stands."""
        where: str = self.view["blocks"][name]["area"]
        return where

    def is_mine(self, area: str) -> bool:
        """4.5: tell whether an area is friendly."""
        counts = self.view["areas"][area]
        return bool(counts[self.side]) and not counts[enemy_of(self.side)]


BOTS: Mapping[str, Callable[[str], Bot]] = {
    "captain": Captain,
    "random": RandomPlayer,
}
