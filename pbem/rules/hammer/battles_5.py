"""5.1-5.4 Battles: the order of battles, Celtic Unity, combat rounds and turns, hits.

Leaving a battle is in retreats_5_5.py, what becomes of eliminated blocks in losses_5_7.py.
"""

from __future__ import annotations

from collections.abc import Iterator

from pbem.rules.base import Ask
from pbem.rules.flow import GameOver
from pbem.rules.hammer.facts import ENGLAND, EVENTS, MAX_ROUNDS, SCOTLAND, enemy_of, token
from pbem.rules.hammer.game import Hammer
from pbem.rules.hammer.losses_5_7 import eliminate, leave, worth
from pbem.rules.hammer.position import Battle, Block, home, list_order
from pbem.rules.hammer.retreats_5_5 import (
    go,
    mandatory_retreat,
    regroup,
    report_retreats,
    retreat_areas,
)

Turn = tuple[Block, str, str]  # the block, "fire", "pass" or "retreat", and where to


async def battle_phase(game: Hammer) -> None:
    """5.1: fight the battles one by one; Player 1 names each next battle when the last is over."""
    chooser = game.position.first
    assert chooser is not None
    while areas := game.position.contested():
        await battle(game, await next_battle(chooser, areas))


def next_battle(chooser: str, areas: list[str]) -> Ask:
    """5.1, R55: return the question which battle comes next.

    Player 1 answers it before any block of that battle is turned up.
    """

    def read(text: str) -> str:
        area = text.removeprefix("battle ")
        if area not in areas or not text.startswith("battle "):
            raise ask.illegal(text)
        return area

    ask = Ask(
        chooser,
        "battle",
        "5.1",
        lambda: [f"battle {area}" for area in areas],
        public=True,
        preferred=lambda: f"battle {areas[0]}",
        read=read,
    )
    return ask


def battle_label(game: Hammer, fight: Battle, *parts: str) -> str:
    """5.3: return the label of something that is rolled in this round of this battle."""
    return game.label(f"battle-{fight.number}", token(fight.area), f"round-{fight.round}", *parts)


async def battle(game: Hammer, area: str) -> None:
    """5.3: fight a battle of at most three rounds.

    After them an attacker who has not won must retreat. The victor may regroup.
    """
    position = game.position
    attack = position.attacks[area]
    position.battles += 1
    fight = position.battle = Battle(area, position.battles, attack.attacker)
    for side in (fight.defender, fight.attacker):
        for block in position.at[side][area]:
            (fight.reserves if block.name in attack.reserves else fight.fighting).append(block)
    fight.first_defenders = fight.of(fight.defender)
    game.tell(
        "battle",
        number=fight.number,
        area=area,
        attacker=fight.attacker,
        blocks={side: len(fight.of(side)) for side in (fight.attacker, fight.defender)},
        reserves=_reserve_counts(fight),
    )
    while not decided(game, fight) and fight.round < MAX_ROUNDS:
        await combat_round(game, fight)
    fight.upright = True
    if not decided(game, fight):
        await mandatory_retreat(game, fight)
    await regroup(game, fight)
    game.tell("battle over", area=area, holder=_holder(game, area))
    position.battle = None
    del position.attacks[area]


def _reserve_counts(fight: Battle) -> dict[str, int]:
    return {
        side: sum(block.side == side for block in fight.reserves) for side in (fight.attacker, fight.defender)
    }


def _holder(game: Hammer, area: str) -> str | None:
    return next((side for side in (ENGLAND, SCOTLAND) if game.position.at[side][area]), None)


def decided(game: Hammer, fight: Battle) -> bool:
    """5.3, R57, R64: tell whether a battle is over.

    It is when one side has neither fighting blocks nor reserves in the area.
    """
    at = game.position.at
    return not at[ENGLAND][fight.area] or not at[SCOTLAND][fight.area]


async def combat_round(game: Hammer, fight: Battle) -> None:
    """5.31: fight one round: all A blocks act before all B blocks, and those before all C blocks.

    Within a letter the defender acts first.
    """
    fight.round += 1
    fight.crossed.clear()  # 5.5: Border Limits are fresh in each round
    fight.ways_unknown = False
    game.tell("round", area=fight.area, round=fight.round)
    turned_up = arrive(game, fight)
    celtic_unity(game, fight, turned_up)
    for letter in "ABC":
        for side in (fight.defender, fight.attacker):
            if decided(game, fight):
                return
            if waiting := [
                block for block in fight.fighting if block.letter == letter and block.side == side
            ]:
                await letter_step(game, fight, side, waiting)


def arrive(game: Hammer, fight: Battle) -> list[Block]:
    """5.1, 5.32, 5.33: turn up the blocks that arrive in this round, and return them.

    Reserves come in from round 2 on.
    """
    if fight.round == 1:
        arriving = list(fight.fighting)
    else:
        if fight.round == 2:
            change_control(game, fight)
        arriving, fight.reserves = fight.reserves, []
        fight.fighting += arriving
    if arriving:
        faces = {
            block.name: {"side": block.side, "strength": block.strength}
            for block in sorted(arriving, key=list_order)
        }
        game.tell("revealed", area=fight.area, round=fight.round, blocks=faces)
    return arriving


def change_control(game: Hammer, fight: Battle) -> None:
    """5.32, R65, R66: make an attacker the defender, once every defender of round 1 is eliminated.

    They then defend against the reserves of the other side.
    """
    rule = game.options.control_change
    if rule == "eliminated":
        changes = bool(fight.first_defenders) and all(
            block.name in fight.eliminated for block in fight.first_defenders
        )
    else:
        changes = not fight.of(fight.defender)
        if rule == "vacated_and_held":
            changes = changes and bool(fight.of(fight.attacker))
    if changes:
        fight.attacker = fight.defender
        game.tell("control", area=fight.area, attacker=fight.attacker)


def celtic_unity(game: Hammer, fight: Battle, turned_up: list[Block]) -> None:
    """5.2, R56: roll a die for each Welsh or Ulster block that is turned up; 5 or 6 sends it to the pool."""
    if game.options.celtic_timing == "all_first":
        turned_up = [*fight.fighting, *fight.reserves] if fight.round == 1 else []
    for block in sorted(turned_up, key=list_order):
        if not block.fact.celtic:
            continue
        label = battle_label(game, fight, block.fact.token, "unity")
        die = game.chance.roll(label)
        leaves = die in EVENTS.celtic_leaves
        game.tell("unity", block=block.name, die=die, leaves=leaves, label=label)
        if leaves:
            leave(fight, block)
            game.position.to_pool(block)


async def letter_step(game: Hammer, fight: Battle, side: str, waiting: list[Block]) -> None:
    """5.31, R58: let one side's blocks of one letter take their Combat Turns.

    Their owner chooses the order.
    """
    gone: list[Block] = []
    while waiting and not decided(game, fight):
        ask = combat_ask(game, fight, waiting, gone)
        if ask is None:
            break
        block, action, to = await ask
        waiting.remove(block)
        if action == "fire":
            try:
                await fire(game, fight, block)
            except GameOver:
                report_retreats(game, fight, side, gone)
                raise
        elif action == "retreat":
            go(game, fight, block, to)
            game.position.hidden[block] = fight.area
            gone.append(block)
        elif fight.of(enemy_of(side)):
            game.tell("pass", block=block.name, side=side)
    report_retreats(game, fight, side, gone)


def combat_ask(game: Hammer, fight: Battle, waiting: list[Block], gone: list[Block]) -> Ask | None:
    """5.31: return the question which block acts next, and whether it fights, retreats or passes.

    With no enemy in reach it may only leave or pass (R63).
    """
    side = waiting[0].side
    opposed = bool(fight.of(enemy_of(side)))
    if not opposed:
        if not game.options.dead_round_turns:
            return None  # R63 as a house rule: no opponent, no more turns this round
        if not any(retreat_areas(game, fight, block) for block in waiting):
            return None

    def options() -> Iterator[str]:
        for block in waiting:
            if opposed:
                yield f"fire {block.name}"
            yield f"pass {block.name}"
            for area in retreat_areas(game, fight, block):
                yield f"retreat {block.name} to {area}"

    first = min(waiting, key=list_order)
    ask = Ask(
        side,
        "combat",
        "5.31",
        options,
        public=opposed or not (gone or fight.ways_unknown),
        preferred=lambda: f"{'fire' if opposed else 'pass'} {first.name}",
        read=lambda text: read_turn(game, fight, waiting, opposed, ask, text),
    )
    return ask


def read_turn(game: Hammer, fight: Battle, waiting: list[Block], opposed: bool, ask: Ask, text: str) -> Turn:
    """5.31: return the Combat Turn that an answer such as `retreat Wallace to Selkirk` means.

    Other answers are `fire Wallace` and `pass Wallace`.
    """
    action, _, rest = text.partition(" ")
    name, _, to = rest.partition(" to ")
    block = next((block for block in waiting if block.name == name), None)
    if block is None:
        raise ask.illegal(text, f"{name} has no Combat Turn now" if name else None)
    if action == "retreat":
        if to not in retreat_areas(game, fight, block):
            raise ask.illegal(
                text, f"{name} cannot retreat to {to}" if to else f"write where {name} retreats to", "5.5"
            )
        return block, action, to
    if action not in ("fire", "pass") or rest != name:
        raise ask.illegal(text)
    if action == "fire" and not opposed:
        raise ask.illegal(text, "no enemy block can be hit in this round")
    return block, action, ""


async def fire(game: Hammer, fight: Battle, block: Block) -> None:
    """5.4: roll as many dice for a block as its strength; each at or below its Combat Rating is a hit (R59).

    A hit is applied at once.
    """
    label = battle_label(game, fight, block.fact.token)
    dice = [game.chance.roll(f"{label}/die-{number}") for number in range(1, block.strength + 1)]
    rating = combat_number(game, fight, block)
    hits = sum(die <= rating for die in dice)
    game.tell("fire", block=block.name, side=block.side, dice=dice, rating=rating, hits=hits, label=label)
    for _ in range(hits):
        enemies = fight.of(enemy_of(block.side))
        if not enemies:
            return  # R60: surplus hits are lost
        await take_hit(game, fight, enemies)


async def take_hit(game: Hammer, fight: Battle, blocks: list[Block]) -> None:
    """5.41, R60, R61: apply a hit to the strongest block that fights; its owner settles a tie."""
    block = await strongest(blocks, "hit", public=True)
    block.strength -= 1
    game.tell("hit", block=block.name, side=block.side, strength=block.strength)
    if block.strength == 0:
        eliminate(game, fight, block)


async def strongest(blocks: list[Block], kind: str, public: bool) -> Block:
    """5.41: return the strongest of `blocks`; among equals the owner chooses."""
    most = max(block.strength for block in blocks)
    tied = {block.name: block for block in blocks if block.strength == most}
    if len(tied) == 1:
        return next(iter(tied.values()))

    def read(text: str) -> Block:
        block = tied.get(text.removeprefix("hit "))
        if block is None or not text.startswith("hit "):
            raise ask.illegal(text, f"the hit falls on one of the strongest: {', '.join(sorted(tied))}")
        return block

    ask = Ask(
        blocks[0].side,
        kind,
        "5.41",
        lambda: [f"hit {name}" for name in tied],
        public=public,
        preferred=lambda: f"hit {min(tied.values(), key=worth).name}",
        read=read,
    )
    chosen: Block = await ask
    return chosen


def combat_number(game: Hammer, fight: Battle, block: Block) -> int:
    """2.12, 1.4, R62: return a block's Combat Rating, which is its printed number or one more.

    It is one more for a noble that defends its home, and for schiltroms.
    """
    number = block.fact.number
    if home(block) and block.side == fight.defender:
        number += 1
    if block.side == SCOTLAND and block.fact.kind == "infantry" and game.options.schiltroms:
        number += not english_archers(game, fight)
    return number


def english_archers(game: Hammer, fight: Battle) -> bool:
    """Optional rule Schiltroms, R85: tell whether the English have archers in this battle."""
    present = list(fight.fighting)
    if game.options.schiltrom_reserve_archers == "count":
        present += fight.reserves
    return any(block.side == ENGLAND and block.fact.kind == "archers" for block in present)
