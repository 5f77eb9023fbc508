"""7.0-7.5 Wintering: nobles go home, the King, disbanding, Edward's and Wallace's quarters.

Replacements, the levy and new cards (7.6-7.8) are in builds_7_6.py. The steps stand in WINTER in the
exact order in which they are played.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from pbem.rules.base import Ask
from pbem.rules.flow import stop
from pbem.rules.hammer.builds_7_6 import (
    english_builds,
    feudal_levy,
    new_cards,
    scottish_builds,
)
from pbem.rules.hammer.facts import (
    AREAS,
    CATHEDRALS,
    ENGLAND,
    ENGLAND_AREA,
    EVENTS,
    SCOTLAND,
    enemy_of,
)
from pbem.rules.hammer.game import Hammer
from pbem.rules.hammer.losses_5_7 import worth
from pbem.rules.hammer.position import Block
from pbem.rules.hammer.victory_9 import check_settled, count_nobles, in_last_year

LEAVERS = ("knights", "archers", "hobelars", "leader")  # 7.31: kinds that leave
MAY_ALWAYS_GO = ("King", "Moray")  # 7.1, 7.2: their own sentences let them disband
KEPT = ("Moray", "Wallace", "King")  # 7.5: blocks that silent Scots keep, the last one longest


# -- 7.1 nobles go home


async def english_nobles(game: Hammer) -> None:
    """7.1: begin the winter; the English nobles go home first."""
    position = game.position
    position.settled = []
    game.tell("winter", year=position.year)
    if in_last_year(game) and not game.options.final_winter:
        count_nobles(game)
    await stop("winter")
    await nobles_go_home(game, ENGLAND)


async def scottish_nobles(game: Hammer) -> None:
    """7.1: send the Scottish nobles home; one converted a moment ago stays where it was put (R91)."""
    await nobles_go_home(game, SCOTLAND)
    if in_last_year(game):
        check_settled(game)


async def nobles_go_home(game: Hammer, side: str) -> None:
    """7.1, R88: send a side's nobles home: first those with one home, then Bruce, then Comyn.

    Moray has a separate step.
    """
    nobles = [
        block
        for block in game.position.nobles(side)
        if not block.fact.black_cross and block.name not in game.position.settled
    ]
    for noble in sorted(nobles, key=lambda block: (len(block.fact.homes), block.name)):
        await go_home(game, noble)


async def go_home(game: Hammer, noble: Block) -> None:
    """7.1, 7.12, R89, R90: send a noble home, or to the enemy at its strength if they hold every home."""
    position = game.position
    open_homes = [area for area in noble.fact.homes if not position.at[enemy_of(noble.side)][area]]
    converted = not open_homes
    owner = enemy_of(noble.side) if converted else noble.side
    area = await choose_home(noble, owner, open_homes or list(noble.fact.homes), "7.12", public=True)
    position.place(noble, area)
    if converted:
        position.convert(noble, owner)
    position.settled.append(noble.name)
    game.tell("home", noble=noble.name, side=owner, area=area, converted=converted)


def choose_home(block: Block, owner: str, areas: list[str], rule: str, *, public: bool) -> Ask:
    """Return the question where a block winters; the first of `areas` is the default."""

    def read(text: str) -> str:
        area = text.removeprefix(f"home {block.name} to ")
        if area not in areas or not text.startswith("home "):
            raise ask.illegal(text)
        return area

    ask = Ask(
        owner,
        "home",
        rule,
        lambda: [f"home {block.name} to {area}" for area in areas],
        public=public,
        preferred=lambda: f"home {block.name} to {areas[0]}",
        read=read,
    )
    return ask


async def moray(game: Hammer) -> None:
    """7.1, R92: let Moray go home unless the enemy is there, or stay; this noble never converts."""
    position = game.position
    block = position.blocks["Moray"]
    if block.area not in AREAS:
        return
    homes = [area for area in block.fact.homes if not position.at[ENGLAND][area]]
    await move_in_winter(game, block, homes, "7.1")


async def king(game: Hammer) -> None:
    """7.2, R93: let the King go to a friendly or neutral cathedral, or stay."""
    position = game.position
    block = position.blocks["King"]
    if block.area not in AREAS:
        return
    best_first = sorted(CATHEDRALS, key=lambda area: (-AREAS[area].castle_limit, AREAS[area].order))
    await move_in_winter(game, block, [area for area in best_first if not position.at[ENGLAND][area]], "7.2")


async def move_in_winter(game: Hammer, block: Block, areas: list[str], rule: str) -> None:
    """7.1, 7.2: let a block stay, or move to one of `areas`.

    A move is public, as only this block can make it.
    """
    start = block.area
    places = [*areas, start] if start not in areas else areas
    area = await choose_home(block, block.side, places, rule, public=False)
    game.position.place(block, area)
    if area != start:
        game.tell("winter move", block=block.name, origin=start, to=area)


# -- 7.3, 7.4 the English disband


async def edward(game: Hammer) -> None:
    """7.4, R95, R96: let Edward I winter in Scotland, but not twice running, nor in 1306."""
    position = game.position
    block = position.blocks["Edward"]
    may_stay = (
        block.area in AREAS
        and block.area != ENGLAND_AREA
        and position.edward == 1
        and not position.edward_wintered
        and position.year < EVENTS.last_year_of_edward_i
    )
    answer = "disband Edward"
    if may_stay:
        answer = await Ask(
            ENGLAND,
            "edward",
            "7.4",
            lambda: ["winter Edward", "disband Edward"],
            public=False,
            preferred=lambda: "disband Edward",
        )
    position.edward_winters = answer == "winter Edward"
    game.tell("edward", area=block.area if position.edward_winters else None)


async def english_disbanding(game: Hammer) -> None:
    """7.3, 7.31, R94, R97: disband all blocks in England, and archers, knights and hobelars everywhere.

    Infantry above the Castle Limits disbands as well. Whatever stands with a wintering Edward may stay there.
    """
    position = game.position
    court = position.blocks["Edward"].area if position.edward_winters else None
    leaving = [
        block
        for block in position.on_map(ENGLAND)
        if not block.noble
        and block.area != court
        and (block.area == ENGLAND_AREA or block.fact.kind in LEAVERS)
    ]
    await disband(
        game,
        ENGLAND,
        "7.32",
        leaving,
        may_go=lambda block: not block.noble and not (court and block.fact.kind == "leader"),
        freely=True,
        court=court,
    )


# -- 7.5 the Scots disband


async def wallace(game: Hammer) -> None:
    """7.5, R98: let Wallace go to Selkirk unless the enemy is there, and gain two steps there."""
    position = game.position
    block = position.blocks["Wallace"]
    refuge = EVENTS.wallace_refuge
    if block.area not in AREAS:
        return
    if block.area != refuge and not position.at[ENGLAND][refuge]:
        crowded = surplus(game, SCOTLAND, block.area) > 0
        places = [refuge, block.area] if crowded and must_leave(game, block) else [block.area, refuge]
        start = block.area
        area = await choose_home(block, SCOTLAND, places, "7.5", public=False)
        position.place(block, area)
        if area != start:
            game.tell("winter move", block=block.name, origin=start, to=area)
    if block.area == refuge:
        block.strength = min(block.max, block.strength + EVENTS.wallace_refuge_steps)


def must_leave(game: Hammer, block: Block) -> bool:
    """7.5: tell whether a silent player's block must disband where it stands, since better ones are kept."""
    area = game.position.at[block.side][block.area]
    others = sorted((other for other in area if may_disband(other)), key=keep_last)
    return block in others[: surplus(game, block.side, block.area)]


async def scottish_disbanding(game: Hammer) -> None:
    """7.5, R34, R92, R93, R98, R99: disband blocks above the Castle Limits; others may go, nobles never do.

    By the German rules only the King and Moray may go without need.
    """
    await disband(
        game,
        SCOTLAND,
        "7.5",
        [],
        may_go=may_disband,
        freely=game.options.scots_disband == "freely",
        court=None,
    )


def in_refuge(block: Block) -> bool:
    """7.5, R98: tell whether a block is Wallace in Selkirk, whom no limit binds.

    This block may disband, but its leaving never makes room.
    """
    return block.name == "Wallace" and block.area == EVENTS.wallace_refuge


def may_disband(block: Block) -> bool:
    """7.1, 7.5: tell whether a block may disband: any but a noble, and Moray."""
    return not block.noble or block.fact.black_cross


def surplus(game: Hammer, side: str, area: str) -> int:
    """1.2, 1.3, 7.32, 7.5: return how many blocks stand here above the Castle Limit, nobles included."""
    blocks = game.position.at[side][area]
    return len(blocks) - any(in_refuge(block) for block in blocks) - AREAS[area].limit(side)


def keep_last(block: Block) -> tuple[int, int, int, int]:
    """7.32, 7.5: return the key by which a silent owner disbands blocks.

    The weakest come first, Moray and leaders last.
    """
    return (
        KEPT.index(block.name) if block.name in KEPT else -1,
        block.strength,
        worth(block)[0],
        block.fact.order,
    )


async def disband(
    game: Hammer,
    side: str,
    rule: str,
    leaving: list[Block],
    *,
    may_go: Callable[[Block], bool],
    freely: bool,
    court: str | None,
) -> None:
    """7.3, 7.5: send `leaving` to the pool, then what the owner chooses, until every limit is kept.

    `may_go` says who can go at all; if not `freely`, then only out of an overfull area, besides the King
    and Moray. No limit binds in `court`, where Edward winters. Where everybody who can go must go, they
    go unasked. Only numbers per area are told, and all at once: numbers that change while the owner is
    still asked would tell those who must go from those they chose.
    """
    position = game.position
    gone: dict[str, list[str]] = {}

    def send(block: Block) -> None:
        gone.setdefault(block.area, []).append(block.name)
        position.hidden[block] = block.area
        position.to_pool(block)

    def crowded() -> list[list[Block]]:
        overfull = [
            blocks
            for area, blocks in position.at[side].items()
            if blocks and area != court and surplus(game, side, area) > 0
        ]
        able = [[block for block in blocks if may_go(block) and not in_refuge(block)] for blocks in overfull]
        return [blocks for blocks in able if blocks]

    for block in leaving:
        send(block)
    for blocks in crowded():
        if surplus(game, side, blocks[0].area) >= len(blocks):
            for block in blocks:
                send(block)
    while True:
        surplus_in = crowded()
        able = {
            block.name: block
            for block in position.on_map(side)
            if may_go(block)
            and (freely or block.name in MAY_ALWAYS_GO or any(block in blocks for blocks in surplus_in))
        }
        answer: str = await disband_ask(side, rule, able, surplus_in)
        if answer == "done":
            break
        send(able[answer.removeprefix("disband ")])
    for name in (name for names in gone.values() for name in names):
        del position.hidden[position.blocks[name]]
    if gone:
        counts = {area: len(gone[area]) for area in AREAS if area in gone}
        game.tell("disband", side=side, areas=counts, secret={"blocks": gone}, owner=side)


def disband_ask(side: str, rule: str, able: dict[str, Block], crowded: list[list[Block]]) -> Ask:
    """7.32, 7.5: return the question which block disbands next; `done` once every Castle Limit is kept."""
    answers = [f"disband {name}" for name in able]
    if not crowded:
        answers.append("done")
    return Ask(
        side,
        "disband",
        rule,
        lambda: answers,
        public=False,
        preferred=lambda: f"disband {min(crowded[0], key=keep_last).name}" if crowded else "done",
    )


# -- 7.61 the French


async def french_knights(game: Hammer) -> None:
    """7.61, R105: let the French join, which they do before the Scottish builds of a winter."""
    game.french_join()


WINTER: dict[str, Callable[[Hammer], Awaitable[None]]] = {
    "english nobles": english_nobles,
    "scottish nobles": scottish_nobles,
    "moray": moray,
    "king": king,
    "edward": edward,
    "english disbanding": english_disbanding,
    "wallace": wallace,
    "scottish disbanding": scottish_disbanding,
    "french knights": french_knights,
    "scottish builds": scottish_builds,
    "english builds": english_builds,
    "levy": feudal_levy,
    "new cards": new_cards,
}
BUILDS = ("french knights", "scottish builds", "english builds")
"""7.6: the phases in which replacement points are used."""
