"""Setup, Logistics Phase, Recruit Phase: the hands, what each side draws, and the Units it puts into play."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable
from typing import Any

from pbem.rules.first_war.facts import KINDS, NUMBERS, SIDE_FACTS, SIDES, kind_of
from pbem.rules.first_war.game import FirstWar
from pbem.rules.first_war.position import kinds, put, take
from pbem.rules.flow import ask, side_by_side, stop


async def set_up(game: FirstWar) -> None:
    """Setup, F3: five cards to the Scots, then five to the English; ten territories each."""
    for side in SIDES:
        game.draw(side, NUMBERS.hand, "setup")


async def logistics_phase(game: FirstWar) -> None:
    """Logistics Phase, F3, F5: the Scots draw three, then the English four."""
    game.tell_season()
    for side in SIDES:
        game.draw(side, SIDE_FACTS[side].draw, "logistics")


async def recruit_phase(game: FirstWar) -> None:
    """Recruit Phase, F7: both sides deploy at once, sealed; then comes the bonus for Lowland Nobles."""
    if game.options.pace == "season":
        await stop("season")
    if game.options.simultaneous:
        for side, cards in (await sealed(game, deploy)).items():
            game.tell("deploy", side=side, cards=cards)
    else:
        for side in SIDES:
            await deploy(game, side)
    await lowland_bonus(game)


def by_side(values: Iterable[Any]) -> dict[str, Any]:
    """What the sides did, by side."""
    return dict(zip(SIDES, values, strict=True))


async def sealed(
    game: FirstWar, act: Callable[[FirstWar, str], Coroutine[Any, Any, list[str]]]
) -> dict[str, list[str]]:
    """F7, F26, F29: both sides act, and neither sees what the other has done before both are done."""
    position = game.position
    position.before = {side: (list(position.play[side]), len(position.hands[side])) for side in SIDES}
    results = await side_by_side(*(act(game, side) for side in SIDES))
    position.before = {}
    for side in SIDES:
        position.to_discard(position.aside[side])
        position.aside[side] = []
    return by_side(results)


async def deploy(game: FirstWar, side: str) -> list[str]:
    """Recruit Phase, F7: Units from the hand into play, as many as one wants; F33: a silent player all."""
    position = game.position
    done = [] if game.options.mandatory else ["done"]
    deployed: list[str] = []
    while found := deployable(game, side):
        answers = [*(f"deploy {kind}" for kind in found), *done]
        answer = await ask(side, "deploy", "Recruit Phase", answers, answers[0], public=False)
        if answer == "done":
            break
        card = take(position.hands[side], answer.removeprefix("deploy "))
        put(position.play[side], card)
        deployed.append(card)
        if not game.options.simultaneous:
            game.tell("deploy", side=side, cards=[card])
    return deployed


def deployable(game: FirstWar, side: str) -> list[str]:
    """Leader Cards, Recruit Phase, F6, F9, F10: kinds of Units in the hand that may go into play."""
    return [
        kind for kind in kinds(game.position.hands[side]) if KINDS[kind].unit and allowed(game, side, kind)
    ]


def allowed(game: FirstWar, side: str, kind: str) -> bool:
    """F6, F9, F10: may this side use it, and are there not yet as many in play as there may be?"""
    position = game.position
    if KINDS[kind].type == "leader" and position.count(side, "leader") >= NUMBERS.leaders:
        return False
    limit = SIDE_FACTS[side].limits.get(kind)
    return KINDS[kind].usable(side) and (limit is None or position.count(side, kind) < limit)


async def lowland_bonus(game: FirstWar) -> None:
    """Recruit Phase, F8: more Lowland Nobles in play draw one card, which may be deployed at once."""
    position = game.position
    side = position.lead("lowland_noble")
    if side is None:
        return
    for card in game.draw(side, NUMBERS.lowland_draw, "bonus"):
        kind = kind_of(card)
        if not kind.unit or not allowed(game, side, kind.id):
            continue
        answers = ["deploy"] if game.options.mandatory else ["deploy", "keep"]
        if await ask(side, "bonus", "Recruit Phase", answers, "deploy", public=False) == "deploy":
            position.hands[side].remove(card)
            put(position.play[side], card)
            game.tell("deploy", side=side, cards=[card])
