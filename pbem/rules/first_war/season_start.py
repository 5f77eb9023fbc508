"""Setup, Logistics Phase, Recruit Phase: the hands, what each side draws, and the Units it puts into play."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from pbem.rules.first_war.facts import KINDS, NUMBERS, SIDE_FACTS, SIDES, kind_of
from pbem.rules.first_war.game import FirstWar, kinds, put, take
from pbem.rules.flow import ask, side_by_side, stop


async def set_up(game: FirstWar) -> None:
    """Setup, F3: deal five cards to the Scots, then five to the English; each side has ten territories."""
    for side in SIDES:
        game.draw(side, NUMBERS.hand, "setup")


async def logistics_phase(game: FirstWar) -> None:
    """Logistics Phase, F3, F5: let the Scots draw three cards, then the English four."""
    game.tell_season()
    for side in SIDES:
        game.draw(side, SIDE_FACTS[side].draw, "logistics")


async def recruit_phase(game: FirstWar) -> None:
    """Recruit Phase, F7: let both sides deploy at once, sealed; then the bonus for Lowland Nobles comes."""
    position = game.position
    if not position.bonus:
        if game.options.pace == "season":
            await stop("season")
        if game.options.simultaneous:
            for side, cards in (await sealed(game, deploy)).items():
                game.tell("deploy", side=side, cards=cards)
        else:
            for side in SIDES:
                await deploy(game, side)
        position.done = []
        draw_bonus(game)
    if position.bonus:
        await deploy_bonus(game)


async def sealed(
    game: FirstWar, act: Callable[[FirstWar, str], Coroutine[Any, Any, None]]
) -> dict[str, list[str]]:
    """F7, F26, F29: let both sides act; neither sees what the other has done before both are done.

    Returns the cards that each side has deployed or put away.
    """
    await side_by_side(*(act(game, side) for side in SIDES))
    found, game.position.sealed = game.position.sealed, {side: [] for side in SIDES}
    return found


async def deploy(game: FirstWar, side: str) -> None:
    """Recruit Phase, F7: let a side put Units from its hand into play, as many as it wants.

    F33: a silent player deploys all.
    """
    position = game.position
    done = [] if game.options.mandatory else ["done"]
    while side not in position.done and (found := deployable(game, side)):
        answers = [*(f"deploy {kind}" for kind in found), *done]
        answer = await ask(side, "deploy", "Recruit Phase", answers, answers[0], public=False)
        if answer == "done":
            position.done.append(side)
            return
        card = take(position.hands[side], answer.removeprefix("deploy "))
        put(position.play[side], card)
        if game.options.simultaneous:
            position.sealed[side].append(card)
        else:
            game.tell("deploy", side=side, cards=[card])


def deployable(game: FirstWar, side: str) -> list[str]:
    """Leader Cards, Recruit Phase, F6, F9, F10: return the kinds of Units in the hand that may be used."""
    return [
        kind for kind in kinds(game.position.hands[side]) if KINDS[kind].unit and allowed(game, side, kind)
    ]


def allowed(game: FirstWar, side: str, kind: str) -> bool:
    """F6, F9, F10: tell whether this side may use the kind, and fewer are in play than there may be."""
    position = game.position
    if KINDS[kind].type == "leader" and position.count(side, "leader") >= NUMBERS.leaders:
        return False
    limit = SIDE_FACTS[side].limits.get(kind)
    return KINDS[kind].usable(side) and (limit is None or position.count(side, kind) < limit)


def draw_bonus(game: FirstWar) -> None:
    """Recruit Phase, F8: let the side with more Lowland Nobles in play draw a card.

    If the card is a Unit, the side may deploy it at once.
    """
    side = game.position.lead("lowland_noble")
    if side is None:
        return
    for card in game.draw(side, NUMBERS.lowland_draw, "bonus"):
        if kind_of(card).unit and allowed(game, side, kind_of(card).id):
            game.position.bonus = card


async def deploy_bonus(game: FirstWar) -> None:
    """Recruit Phase, F8: let the side that drew the bonus card deploy it, or keep it in the hand."""
    position = game.position
    card, side = position.bonus, position.holder(position.bonus)
    answers = ["deploy"] if game.options.mandatory else ["deploy", "keep"]
    if await ask(side, "bonus", "Recruit Phase", answers, "deploy", public=False) == "deploy":
        position.hands[side].remove(card)
        put(position.play[side], card)
        game.tell("deploy", side=side, cards=[card])
    position.bonus = ""
