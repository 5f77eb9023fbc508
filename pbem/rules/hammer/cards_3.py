"""3.0 The cards: each side plays one face down; the higher makes its player Player 1. 3.12 The five events.

Events come before movement; with two, England's is resolved first. Each may be passed up (R10). Coronations,
which take an event's place, are in kings_6.py. Dealing, which is here, is part of winter (7.8, builds_7_6.py)
and of the set-up (8.0, sequence.py).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator

from pbem.rules.base import Ask
from pbem.rules.flow import stop, together
from pbem.rules.hammer.battles_5 import strongest
from pbem.rules.hammer.facts import (
    AREAS,
    DECK,
    ENGLAND,
    ENGLAND_AREA,
    EVENT_CARDS,
    EVENTS,
    HAND_CARDS,
    MOVE_CARDS,
    SCOTLAND,
    SIDES,
    enemy_of,
)
from pbem.rules.hammer.game import Hammer
from pbem.rules.hammer.kings_6 import coronation, defect, defection_battles
from pbem.rules.hammer.losses_5_7 import capture, to_pool
from pbem.rules.hammer.position import Block, coastal, neighbours


async def card_phase(game: Hammer) -> None:
    """3.1: let both sides choose one card at once; when both have, turn both cards up."""
    position = game.position
    position.truce = []
    game.tell("turn", year=position.year, turn=position.turn, cards=len(position.hands[ENGLAND]))
    await stop("cards")  # also with one card left: what its event is for is asked in advance

    english, scottish = await together(*(card_ask(game, side) for side in SIDES))
    for side, answer in ((ENGLAND, english), (SCOTLAND, scottish)):
        card = answer.removeprefix("card ")
        position.hands[side].remove(card)
        position.played[side].append(card)
        position.cards[side] = card
    position.first = decide_player_1(position.cards[ENGLAND], position.cards[SCOTLAND])
    game.tell(
        "cards", england=position.cards[ENGLAND], scotland=position.cards[SCOTLAND], first=position.first
    )


def card_ask(game: Hammer, side: str) -> Ask:
    """3.1, R7: return the question which card a side plays.

    It must play one, and equal cards are one choice.
    """
    hand = game.position.hands[side]
    return Ask(
        side,
        "card",
        "3.1",
        lambda: [f"card {card}" for card in sorted(set(hand))],
        public=len(hand) > 1,
        preferred=lambda: f"card {lowest(hand)}",
    )


def lowest(hand: list[str]) -> str:
    """Return a silent player's card: their lowest Move card, else the first event in the deck's order."""
    return next(card for card in (*MOVE_CARDS, *EVENT_CARDS) if card in hand)


def decide_player_1(english: str | None, scottish: str | None) -> str:
    """3.1, 3.12, 4.1, R8: return who is Player 1: whoever plays an event, else the higher card.

    The English win ties.
    """
    if is_event(english):
        return ENGLAND
    if is_event(scottish):
        return SCOTLAND
    return ENGLAND if (english or "") >= (scottish or "") else SCOTLAND


def is_event(card: str | None) -> bool:
    """3.12: tell whether a card is one of the five event cards."""
    return card in EVENT_CARDS


def both_events(cards: dict[str, str | None]) -> bool:
    """3.12: tell whether both cards are events, which ends the year when this turn is over."""
    return all(is_event(card) for card in cards.values())


def deal(game: Hammer) -> None:
    """3.0, 7.8: shuffle the whole deck and deal five cards to England, then five to Scotland."""
    deck = list(DECK)
    for side in SIDES:
        game.position.played[side] = []
        hand = []
        for number in range(1, HAND_CARDS + 1):
            card = game.chance.draw(game.label("hand", side, f"card-{number}"), tuple(deck))
            deck.remove(card)
            hand.append(card)
        game.position.hands[side] = sorted(hand, key=DECK.index)
        game.tell(
            "hand", side=side, size=len(hand), secret={"cards": list(game.position.hands[side])}, owner=side
        )


async def event_phase(game: Hammer) -> None:
    """3.12: resolve the event cards, England's first; the Scots may crown a king instead (6.2)."""
    for side in SIDES:
        card = game.position.cards[side]
        if card is None or not is_event(card):
            continue
        if side == SCOTLAND and await coronation(game):
            continue
        await EVENT[card](game, side)


def ask_for(
    side: str,
    kind: str,
    rule: str,
    answers: list[str],
    default: str,
    public: bool | Callable[[], bool] = True,
) -> Ask:
    """Return a question whose legal answers are a short list."""
    return Ask(side, kind, rule, lambda: answers, public=public, preferred=lambda: default)


# -- Herald


async def herald(game: Hammer, side: str) -> None:
    """Card Herald, R11, R12: roll a die; on 1-4 an enemy noble other than Moray changes side.

    The noble attacks the enemies beside it.
    """
    if game.options.herald_order == "roll_then_name":
        name = await name_noble(game, side) if roll_herald(game, side) else None
    else:
        name = await name_noble(game, side)
        if name is not None:
            game.tell("herald calls", side=side, noble=name)
            name = name if roll_herald(game, side) else None
    if name is None:
        game.tell("herald", side=side, noble=None)
        return
    noble = game.position.blocks[name]
    game.tell("herald", side=side, noble=name)
    defect(game, noble, side, strength=noble.strength)
    await defection_battles(game, [noble], side, current_player_1(game))


def roll_herald(game: Hammer, side: str) -> bool:
    """Card Herald: roll the herald's die, and return whether it succeeds, as it does on 1-4."""
    label = game.label("herald", side)
    die = game.chance.roll(label)
    success = die in EVENTS.herald_success
    game.tell("herald die", side=side, die=die, success=success, label=label)
    return success


async def name_noble(game: Hammer, side: str) -> str | None:
    """R12: let a side name any enemy noble on the map but Moray, at any distance; None if it passes."""
    nobles = [block.name for block in game.position.nobles(enemy_of(side)) if not block.fact.black_cross]
    answer = await ask_for(side, "herald", "3.12", ["pass", *(f"herald {name}" for name in nobles)], "pass")
    return None if answer == "pass" else str(answer).removeprefix("herald ")


# -- Pillage


async def pillage(game: Hammer, side: str) -> None:
    """Card Pillage, R15-R20: let a side take two steps from an enemy group next door.

    It may add the steps to its own blocks beside that group.
    """
    targets = [area for area in AREAS if may_pillage(game, side, area)]
    answer = await ask_for(
        side, "pillage", "3.12", ["pass", *(f"pillage {area}" for area in targets)], "pass"
    )
    if answer == "pass":
        game.tell("pillage", side=side, area=None)
        return
    area = str(answer).removeprefix("pillage ")
    game.tell("pillage", side=side, area=area)
    captured, hits = await pillage_hits(game, enemy_of(side), area)
    where, added = await add_steps(
        game, side, hits, "pillage-build", lambda block: area in neighbours(block.area)
    )
    game.tell(
        "pillage gains",
        side=side,
        area=where,
        steps=sum(added.values()),
        secret={"steps_to": added},
        owner=side,
    )
    if captured:
        attacker = side if game.options.pillage_attacker == "noble" else enemy_of(side)  # R19
        await defection_battles(game, captured, attacker, current_player_1(game))


def may_pillage(game: Hammer, side: str, area: str) -> bool:
    """R15, R16: tell whether an area may be pillaged.

    It holds enemy blocks alone, and lies next to an area with blocks of one's own.
    """
    position = game.position
    return position.friendly(area, enemy_of(side)) and any(
        position.at[side][near] for near in neighbours(area)
    )


async def pillage_hits(game: Hammer, victim: str, area: str) -> tuple[list[Block], int]:
    """5.41, R17, R20: apply a pillage's hits to the strongest blocks; return captured nobles and hits.

    Nobles are captured. All other eliminated blocks go to the pool, unseen.
    """
    position = game.position
    captured: list[Block] = []
    taken: dict[str, int] = {}
    gone: list[Block] = []
    hits = 0
    while hits < EVENTS.pillage_hits and (blocks := position.at[victim][area]):
        block = await strongest(blocks, "pillage-hit", public=False)
        hits += 1
        block.strength -= 1
        taken[block.name] = taken.get(block.name, 0) + 1
        if block.strength:
            continue
        if block.noble and not block.fact.black_cross:
            capture(game, block)
            captured.append(block)
        else:
            gone.append(block)
            to_pool(game, block)
    game.tell(
        "pillage hits",
        side=victim,
        area=area,
        hits=hits,
        blocks=len(gone),
        secret={"taken": taken},
        owner=victim,
    )
    return captured, hits


async def add_steps(
    game: Hammer, side: str, steps: int, kind: str, where: Callable[[Block], bool] | None
) -> tuple[str | None, dict[str, int]]:
    """R18, R28: let a side add up to `steps` steps to blocks of one area, which the first of them fixes.

    No block grows above its maximum. Return the area, and the steps that each block has gained.
    """
    area: str | None = None
    added: dict[str, int] = {}
    for _ in range(steps):
        able = [
            block
            for block in game.position.on_map(side)
            if block.strength < block.max and (where is None or where(block)) and area in (None, block.area)
        ]
        best = best_to_build(able, leaders_first=kind == "victuals" and area is None)
        answer = await ask_for(
            side,
            kind,
            "3.12",
            ["done", *(f"build {block.name}" for block in able)],
            f"build {best.name}" if best else "done",
            public=False,
        )
        if answer == "done":
            break
        block = game.position.blocks[str(answer).removeprefix("build ")]
        block.strength += 1
        added[block.name] = added.get(block.name, 0) + 1
        area = block.area
    return area, added


def best_to_build(blocks: list[Block], *, leaders_first: bool) -> Block | None:
    """Return the block that a silent player builds: the one with the best Combat Rating.

    `leaders_first`: leaders and nobles come before all others, and of these the block that lacks most steps.
    """
    if not blocks:
        return None
    return min(
        blocks,
        key=lambda block: (
            leaders_first and block.fact.kind not in ("leader", "noble"),
            block.strength - block.max if leaders_first else 0,
            -block.fact.number,
            block.letter,
            block.fact.order,
        ),
    )


# -- Sea Move


async def sea_move(game: Hammer, side: str) -> None:
    """Card Sea Move, R21-R23: let a side sail one or two blocks from one coast to another that is friendly.

    England's coast is one of them.
    """
    origin: str | None = None
    to: str | None = None
    sailed: list[str] = []
    while len(sailed) < EVENTS.sea_move_blocks:
        passages = list(_passages(game, side, origin, to))
        answer = await ask_for(
            side,
            "sail",
            "3.12",
            ["done", *(f"sail {block.name} to {area}" for block, area in passages)],
            "done",
            public=_passage_is_public(game, side, origin),
        )
        if answer == "done":
            break
        name, _, to = str(answer).removeprefix("sail ").partition(" to ")
        block = game.position.blocks[name]
        origin = block.area
        game.position.place(block, to)
        sailed.append(name)
    game.tell(
        "sea move",
        side=side,
        origin=origin,
        to=to,
        count=len(sailed),
        secret={"blocks": sorted(sailed)},
        owner=side,
    )


def _passages(game: Hammer, side: str, origin: str | None, to: str | None) -> Iterator[tuple[Block, str]]:
    havens = [to] if to else [area for area in AREAS if may_land(game, side, area)]
    for block in game.position.on_map(side):
        if block.move and coastal(block.area) and origin in (None, block.area):
            for area in havens:
                if area != block.area:
                    yield block, area


def may_land(game: Hammer, side: str, area: str) -> bool:
    """R21, R22, R25: tell whether a side may land in an area: on a friendly coast that is not vacant.

    A truce bars the Scots from England by sea too.
    """
    barred = area == ENGLAND_AREA and side in game.position.truce and game.options.truce_bars_sea_to_england
    return coastal(area) and game.position.friendly(area, side) and not (barred and side == SCOTLAND)


def _passage_is_public(game: Hammer, side: str, origin: str | None) -> bool:
    """Tell whether the enemy sees that some block may sail.

    A single Scottish block may be the Norse, who cannot use a Sea Move.
    """
    at = game.position.at[side]
    doubtful = 1 if side == SCOTLAND else 0
    if origin is not None:
        return len(at[origin]) > doubtful
    landings = [area for area in AREAS if may_land(game, side, area)]
    starts = [area for area in AREAS if coastal(area) and at[area]]
    surely = [area for area in starts if len(at[area]) > doubtful]
    pairs = [(start, to) for start in starts for to in landings if start != to]
    return any(start in surely for start, _ in pairs) or len({start for start, _ in pairs}) > doubtful


# -- Truce and Victuals


async def truce(game: Hammer, side: str) -> None:
    """Card Truce, R24-R27: let a side call a truce: the enemy may move but not attack, and no raid begins."""
    answer = await ask_for(side, "truce", "3.12", ["truce", "pass"], "pass")
    if answer == "truce":
        game.position.truce.append(enemy_of(side))
    game.tell("truce", side=side, agreed=answer == "truce")


async def victuals(game: Hammer, side: str) -> None:
    """Card Victuals, R28: let a side add up to three steps to blocks of one area."""
    where, added = await add_steps(game, side, EVENTS.victuals_steps, "victuals", None)
    game.tell(
        "victuals", side=side, area=where, steps=sum(added.values()), secret={"steps_to": added}, owner=side
    )


def current_player_1(game: Hammer) -> str:
    """R8, R33: return Player 1, who names the order of battles."""
    return game.position.first or ENGLAND


EVENT: dict[str, Callable[[Hammer, str], Awaitable[None]]] = {
    "herald": herald,
    "pillage": pillage,
    "sea move": sea_move,
    "truce": truce,
    "victuals": victuals,
}
