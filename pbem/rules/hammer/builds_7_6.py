"""7.6-7.8 Winter builds: Scottish and English replacements, the levy, new cards."""

from __future__ import annotations

from pbem.characters import lower
from pbem.rules.base import Ask
from pbem.rules.flow import stop
from pbem.rules.hammer.cards_3 import deal
from pbem.rules.hammer.facts import AREAS, ENGLAND, ENGLAND_AREA, EVENTS, SCOTLAND, Area
from pbem.rules.hammer.game import Hammer
from pbem.rules.hammer.position import Block, neighbours
from pbem.rules.hammer.victory_9 import check_all_nobles, count_nobles, in_last_year

SEAMEN = ("Norse", "French Knights")  # 7.62: not drawn for an inland area


def points(game: Hammer, side: str) -> dict[str, int]:
    """7.6, R100: return the replacement points of each friendly area.

    They equal its Castle Limit, which a cathedral makes higher.
    """
    return {
        area.name: area.limit(side)
        for area in AREAS.values()
        if area.limit(side) and game.position.friendly(area.name, side)
    }


class Builds:
    """7.6: the replacement points of one side in a winter, and what they were spent on."""

    def __init__(self, game: Hammer, side: str, rule: str) -> None:
        self.game = game
        self.position = game.position
        self.side = side
        self.rule = rule
        self.left = points(game, side)
        self.spent: dict[str, int] = {}
        self.drawn: dict[str, list[str]] = {}
        self.steps: dict[str, int] = {}
        self.landed: set[str] = set()  # R103: blocks drawn inland that landed on a neighbouring coast

    def buildable(self) -> list[Block]:
        """7.62, 7.63, R106: return the weakened blocks in areas with points.

        Of the English only infantry and nobles count.
        """
        return [
            block
            for block in self.position.on_map(self.side)
            if self.left.get(block.area)
            and block.strength < block.max
            and (self.side == SCOTLAND or block.fact.kind in ("infantry", "noble"))
        ]

    def choices(self, area: str) -> tuple[str, ...]:
        """7.62, R103: return the blocks that may be drawn for an area.

        The Norse and the French may not where no ship can come.
        """
        landfall = AREAS[area].coastal or bool(landings(self.game, area))
        return tuple(
            block.name for block in self.position.pools[self.side] if landfall or block.name not in SEAMEN
        )

    def drawable(self) -> list[str]:
        """7.62, R102: return the areas for which a block may be drawn from the pool.

        Such an area has points, and room within the Castle Limit.
        """
        if self.side == ENGLAND:
            return []
        return [area for area, left in self.left.items() if left and self.room(area) and self.choices(area)]

    def room(self, area: str) -> bool:
        """7.62, R103: tell whether the Castle Limit leaves room for one more block in an area.

        A block that was drawn inland and landed here takes no room.
        """
        standing = [block for block in self.position.at[self.side][area] if block.name not in self.landed]
        return len(standing) < AREAS[area].limit(self.side)

    def surely_asked(self) -> bool:
        """Tell whether England can work out that the Scots are asked about a draw.

        England can where there is room, and more in the pool than the Norse and French. Where points must be
        spent (R101) a single draw is no choice.
        """
        if self.side == ENGLAND:
            return False
        pool = len(self.position.pools[self.side])
        draws = sum(
            pool > (0 if AREAS[area].coastal else len(SEAMEN)) and self.room(area)
            for area, left in self.left.items()
            if left
        )
        return draws > (self.game.options.spend_rp == "forced")

    def ask(self) -> Ask:
        """7.6: return the question how the next point is used: for a draw, a step, or not at all (R101)."""
        blocks, areas = self.buildable(), self.drawable()
        answers = [f"build {block.name}" for block in blocks] + [f"draw {area}" for area in areas]
        if self.game.options.spend_rp == "optional" or not answers:
            answers.append("done")

        def preferred() -> str:
            if areas:
                return f"draw {areas[0]}"
            if not blocks:
                return "done"
            return f"build {min(blocks, key=self.best).name}"

        def read(text: str) -> str:
            if text not in answers:
                raise asked.illegal(text, self.why_not(text))
            return text

        asked = Ask(
            self.side,
            "build",
            self.rule,
            lambda: answers,
            public=self.surely_asked,
            preferred=preferred,
            read=read,
        )
        return asked

    def why_not(self, answer: str) -> str | None:
        """7.6-7.63: return why a draw or a step is not possible now; None if no rule names the reason."""
        what, _, name = answer.partition(" ")
        if what == "draw" and name in AREAS:
            return self._why_no_draw(name)
        block = self.position.blocks.get(name)
        if what != "build" or block is None or block.side != self.side:
            return None
        if block.area not in AREAS:
            return f"{name} is not on the map"
        if block.strength == block.max:
            return f"{name} is at full strength"
        if self.side == ENGLAND and block.fact.kind not in ("infantry", "noble"):
            return f"the English build up only infantry and nobles, and {name} is neither"
        return self._why_no_points(block.area)

    def _why_no_draw(self, area: str) -> str | None:
        if self.side == ENGLAND:
            return "only the Scots draw blocks; the English have their levy"
        if not self.left.get(area):
            return self._why_no_points(area)
        if not self.room(area):
            limit = AREAS[area].limit(self.side)
            return f"{area} is full: its castle limit is {limit} block{'' if limit == 1 else 's'}"
        if not self.position.pools[self.side]:
            return "your draw pool is empty"
        return f"only {' and '.join(SEAMEN)} are left in your pool, and no ship can reach {area}"

    def _why_no_points(self, area: str) -> str:
        if area in self.left:
            return f"the replacement points of {area} are used up"
        if not AREAS[area].limit(self.side):
            return f"{area} has no castle of yours, so no replacement points"
        return f"{area} is not friendly, so it has no replacement points"

    def best(self, block: Block) -> tuple[int, int]:
        """7.62, 7.63: return a block's key in a silent player's order: leaders, nobles, then the rest."""
        kinds = ("leader", "noble") if self.side == SCOTLAND else ("noble", "infantry")
        kind = block.fact.kind
        return kinds.index(kind) if kind in kinds else len(kinds), block.fact.order

    def pay(self, area: str) -> None:
        """7.6: use up one point of this area."""
        self.left[area] -= 1
        self.spent[area] = self.spent.get(area, 0) + 1

    def step(self, block: Block) -> None:
        """7.62, 7.63: add one step to a block, which may be one that was just drawn."""
        self.pay(block.area)
        block.strength += 1
        self.steps[block.name] = self.steps.get(block.name, 0) + 1

    def report(self) -> None:
        """Tell everybody how many points each area used and how many new blocks came to it.

        Which blocks were drawn or built up, and the points left over, only their owner is told.
        """
        self.game.tell(
            "builds",
            side=self.side,
            points={area: self.spent[area] for area in AREAS if area in self.spent},
            new={area: len(self.drawn[area]) for area in AREAS if area in self.drawn},
            secret={
                "drawn": self.drawn,
                "steps_to": self.steps,
                "left": {area: left for area, left in self.left.items() if left},
            },
            owner=self.side,
        )


async def scottish_builds(game: Hammer) -> None:
    """7.62, R100-R104: let the Scots spend their points: each draws a block, at strength 1, or adds a step.

    In the last year the game ends here.
    """
    await stop("builds")
    builds = Builds(game, SCOTLAND, "7.62")
    while (answer := await builds.ask()) != "done":
        what, _, name = answer.partition(" ")
        if what == "build":
            builds.step(game.position.blocks[name])
        else:
            await draw(game, builds, name)
    builds.report()
    if in_last_year(game):
        count_nobles(game)


async def draw(game: Hammer, builds: Builds, area: str) -> None:
    """7.62: draw one block from the pool, at strength 1; its owner sees it before the next point (R102)."""
    position = game.position
    number = len(builds.drawn.get(area, [])) + 1
    name = game.chance.draw(game.label("draw", lower(area), f"block-{number}"), builds.choices(area))
    block = position.blocks[name]
    builds.pay(area)
    builds.drawn.setdefault(area, []).append(name)
    position.place(block, await landing(game, block, AREAS[area]))
    block.strength = 1
    if block.area != area:
        builds.landed.add(name)
    game.tell("draw", side=SCOTLAND, area=area, secret={"block": name, "placed": block.area}, owner=SCOTLAND)


def landings(game: Hammer, area: str) -> list[str]:
    """R103: return the friendly coasts next to an inland area, where blocks land by the German rule alone."""
    if game.options.inland_draw != "adjacent_coast":
        return []
    return [
        near for near in neighbours(area) if AREAS[near].coastal and game.position.friendly(near, SCOTLAND)
    ]


async def landing(game: Hammer, block: Block, area: Area) -> str:
    """7.62, R103: return where a drawn block appears.

    By the German rule the Norse or French that are drawn inland land on a neighbouring coast.
    """
    if area.coastal or block.name not in SEAMEN:
        return area.name
    coasts = landings(game, area.name)
    ask = Ask(
        SCOTLAND,
        "home",
        "7.62",
        lambda: [f"home {block.name} to {near}" for near in coasts],
        public=False,
        preferred=lambda: f"home {block.name} to {coasts[0]}",
    )
    answer: str = await ask
    return answer.rpartition(" to ")[2]


async def english_builds(game: Hammer) -> None:
    """7.63, R106: let the English strengthen infantry and nobles by the points of their areas."""
    builds = Builds(game, ENGLAND, "7.63")
    while (answer := await builds.ask()) != "done":
        builds.step(game.position.blocks[answer.removeprefix("build ")])
    builds.report()


async def feudal_levy(game: Hammer) -> None:
    """7.7, R107: draw half the English pool, rounded up, at full strength into England.

    Nobody comes if Edward winters in Scotland.
    """
    position = game.position
    if position.edward_winters:
        game.tell("levy", blocks=0)
    else:
        levy(game, (len(position.pools[ENGLAND]) + 1) // 2, 1)
    position.edward_wintered = position.edward_winters
    position.edward_winters = False
    if position.edward == 1 and position.year >= EVENTS.last_year_of_edward_i:
        position.edward = 2  # 6.1, R96
        game.tell("edward ii", reason="1306")


def levy(game: Hammer, blocks: int, years_ahead: int) -> None:
    """7.7, 8.1: draw this many English blocks; in the years of a bid E1-E3 Edward is not drawn (R5)."""
    position = game.position
    barred = position.year + years_ahead < game.first_year + game.options.years_without_edward
    came = []
    for number in range(1, blocks + 1):
        choices = tuple(
            block.name for block in position.pools[ENGLAND] if not (barred and block.name == "Edward")
        )
        if not choices:
            break
        name = game.chance.draw(game.label("levy", f"block-{number}"), choices)
        block = position.blocks[name]
        block.strength = block.max
        position.place(block, ENGLAND_AREA)
        came.append(name)
    game.tell("levy", blocks=len(came), secret={"names": sorted(came)}, owner=ENGLAND)


async def new_cards(game: Hammer) -> None:
    """7.8: begin the next year: shuffle the whole deck and deal five new cards to each side."""
    if game.options.win_after_winter:
        check_all_nobles(game)  # R109 as a house rule
    game.position.year += 1
    game.position.turn = 1
    deal(game)
