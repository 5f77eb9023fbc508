"""5.5, 5.6 Retreats and regroups: the areas to which blocks may leave a battle, and the blocks that must."""

from __future__ import annotations

from collections.abc import Iterator

from pbem.rules.base import Ask
from pbem.rules.hammer.facts import ENGLAND, SCOTLAND, SIDES
from pbem.rules.hammer.game import Hammer, names
from pbem.rules.hammer.losses_5_7 import eliminate, leave, worth
from pbem.rules.hammer.position import Battle, Block, havens, may_fall_back, neighbours

Retreat = tuple[Block, str]


def retreat_areas(game: Hammer, fight: Battle, block: Block) -> list[str]:
    """5.5, R77: return the areas to which a block may retreat: adjacent, and friendly or vacant.

    The border must be neither full nor enemy-controlled.
    """
    if block.move == 0:
        return havens(game.position, block)
    borders = neighbours(fight.area)
    return [
        to for to in regroup_areas(game, fight, block) if not game.closed(borders[to], fight.area, block.side)
    ]


def go(game: Hammer, fight: Battle, block: Block, to: str) -> None:
    """5.5, 5.6, R78: move a block out of a battle, and count it at its border (4.3)."""
    if block.move:
        key = (block.side, neighbours(fight.area)[to].name)
        fight.crossed[key] = fight.crossed.get(key, 0) + 1
    leave(fight, block)
    game.position.place(block, to)


def report_retreats(game: Hammer, fight: Battle, side: str, gone: list[Block]) -> None:
    """R79: tell one side's retreats of one letter together: who left, and how many came where."""
    if not gone:
        return
    game.tell(
        "retreat",
        side=side,
        area=fight.area,
        round=fight.round,
        blocks=names(gone),
        to=_counts(gone),
        secret={"who": {block.name: block.area for block in gone}},
        owner=side,
    )
    fight.ways_unknown = fight.ways_unknown or (len(gone) > 1 and any(block.move == 0 for block in gone))
    for block in gone:
        del game.position.hidden[block]


def _counts(gone: list[Block]) -> dict[str, int]:
    areas = sorted(block.area for block in gone)
    return {area: areas.count(area) for area in areas}


async def mandatory_retreat(game: Hammer, fight: Battle) -> None:
    """5.3, 5.5, R68, R80, R83: make an attacker who has not won leave, A before B before C.

    A block that cannot retreat is lost.

    All blocks are upright again, so only the number that reaches each area is told.
    """
    side = fight.attacker
    fight.crossed.clear()
    leaving = list(game.position.at[side][fight.area])
    gone: list[Block] = []
    lost: list[Block] = []
    for letters in ("A", "B", "C") if game.options.mandatory_retreat_order == "abc" else ("ABC",):
        group = [block for block in leaving if block.letter in letters]
        while ways := _ways(game, fight, group):
            block, to = await retreat_ask(game, fight, ways, hidden=bool(gone))
            group.remove(block)
            go(game, fight, block, to)
            game.position.hidden[block] = fight.area
            gone.append(block)
        lost += group
    game.tell(
        "withdraw",
        side=side,
        area=fight.area,
        to=_counts(gone),
        lost=len(lost),
        secret={"who": {block.name: block.area for block in gone}, "who_lost": names(lost)},
        owner=side,
    )
    for block in gone:
        del game.position.hidden[block]
    for block in lost:
        eliminate(game, fight, block)


def _ways(game: Hammer, fight: Battle, blocks: list[Block]) -> dict[Block, list[str]]:
    ways = {block: retreat_areas(game, fight, block) for block in blocks}
    return {block: areas for block, areas in ways.items() if areas}


def retreat_ask(game: Hammer, fight: Battle, ways: dict[Block, list[str]], hidden: bool) -> Ask:
    """5.5: return the question which block retreats next, and where to.

    It has no answer `done`, since every block that can retreat must.

    Once a first block has gone the enemy cannot tell which ways are left, so the rest is not public.
    """

    def read(text: str) -> Retreat:
        name, _, to = text.removeprefix("retreat ").partition(" to ")
        for block, areas in ways.items():
            if block.name == name and text.startswith("retreat "):
                if to in areas:
                    return block, to
                raise ask.illegal(text, f"{name} can retreat only to {', '.join(areas)}")
        raise ask.illegal(text)

    attack = game.position.attacks[fight.area]

    def preferred() -> str:
        block = max(ways, key=worth)
        areas = ways[block]
        return f"retreat {block.name} to {attack.origin if attack.origin in areas else areas[0]}"

    ask = Ask(
        fight.attacker,
        "retreat",
        "5.5",
        lambda: [f"retreat {block.name} to {to}" for block, areas in ways.items() for to in areas],
        public=not hidden,
        preferred=preferred,
        read=read,
    )
    return ask


async def regroup(game: Hammer, fight: Battle) -> None:
    """5.6, R84: let the victor's blocks, reserves included, move to adjacent friendly or vacant areas."""
    at = game.position.at
    if bool(at[ENGLAND][fight.area]) == bool(at[SCOTLAND][fight.area]):
        return
    side = next(side for side in SIDES if at[side][fight.area])
    fight.crossed.clear()
    staying = list(at[side][fight.area])
    unseen = bool(fight.reserves) and fight.round < 2
    norse_possible = side == SCOTLAND and (unseen or any(block.move == 0 for block in staying))
    gone: list[Block] = []
    while staying:
        step = await regroup_ask(game, fight, staying, gone, norse_possible and (unseen or bool(gone)))
        if step is None:
            break
        block, to = step
        staying.remove(block)
        go(game, fight, block, to)
        gone.append(block)
    if gone:
        game.tell(
            "regroup",
            side=side,
            area=fight.area,
            to=_counts(gone),
            secret={"who": {block.name: block.area for block in gone}},
            owner=side,
        )


def regroup_areas(game: Hammer, fight: Battle, block: Block) -> list[str]:
    """5.6, R82, R84: return the areas to which a block may regroup.

    They are those of a retreat, and those over borders that the enemy controls.
    """
    if block.move == 0:
        return havens(game.position, block)
    return [
        to
        for to, border in neighbours(fight.area).items()
        if fight.crossed.get((block.side, border.name), 0) < border.limit
        and may_fall_back(game.position, block, to)
    ]


def regroup_ask(game: Hammer, fight: Battle, staying: list[Block], gone: list[Block], doubtful: bool) -> Ask:
    """5.6: return the question which block regroups next, and where to; the answer `done` ends it.

    Borders that the enemy controls are open, and Border Limits are counted afresh.

    `doubtful`: the enemy cannot tell which block, if any, is the Norse, who need a haven and cross no border;
    all others have the same ways out.
    """
    side = staying[0].side

    def options() -> Iterator[str]:
        yield "done"
        for block in staying:
            for to in regroup_areas(game, fight, block):
                yield f"regroup {block.name} to {to}"

    def public() -> bool:
        if not doubtful:
            return any(regroup_areas(game, fight, block) for block in staying)
        came = _counts(gone)
        return len(staying) > 1 and any(
            came.get(to, 0) < border.limit and may_fall_back(game.position, block, to)
            for block in staying
            if block.move
            for to, border in neighbours(fight.area).items()
        )

    def read(text: str) -> Retreat | None:
        if text == "done":
            return None
        name, _, to = text.removeprefix("regroup ").partition(" to ")
        for block in staying:
            if block.name == name and text.startswith("regroup "):
                if to in regroup_areas(game, fight, block):
                    return block, to
                raise ask.illegal(
                    text, f"{name} cannot regroup to {to}" if to else f"write where {name} regroups to"
                )
        raise ask.illegal(text)

    ask = Ask(side, "regroup", "5.6", options, public=public, preferred=lambda: "done", read=read)
    return ask
