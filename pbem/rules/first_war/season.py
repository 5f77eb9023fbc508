"""Setup, Logistics, Recruit, End Phase, Winter: how sides draw, deploy, replace and put away their cards."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from pbem.rules.first_war.battle import CASUALTIES
from pbem.rules.first_war.facts import KINDS, NUMBERS, SIDE_FACTS, SIDES, kind_of
from pbem.rules.first_war.game import FirstWar, in_order, kinds, put, take
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
    """F6, F9, F10: tell whether a side may use a kind of card, and no limit on Units in play forbids it."""
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


KEEPING = ("victory", "strategy", "event", "unit", "foreign")
"""F33: the types of card that a silent player keeps, the best first; the other side's cards come last."""


async def end_phase(game: FirstWar) -> None:
    """End Phase, F25, F26: let each side replace one card, the Scots first.

    After that each side discards down to five cards.
    """
    position = game.position
    if len(position.chosen) < len(SIDES):
        await side_by_side(*(choose(game, side) for side in SIDES))
        for side in SIDES:
            replace(game, side, position.chosen[side])
    for side, cards in (await sealed(game, down_to_five)).items():
        position.to_discard(cards)
        game.tell("discard", side=side, cards=in_order(cards))
    position.chosen = {}


async def choose(game: FirstWar, side: str) -> None:
    """End Phase, F25: let a side choose a card that it cannot play, to replace it, or keep all.

    F33: for a silent player the first card of the other side is replaced.
    """
    position = game.position
    if side in position.chosen:
        return
    held = kinds(position.hands[side])
    foreign = [kind for kind in held if not KINDS[kind].usable(side)]
    answers = ["keep", *(f"replace {kind}" for kind in held if not allowed(game, side, kind))]
    silent = f"replace {foreign[0]}" if foreign else "keep"
    position.chosen[side] = await ask(side, "replace", "End Phase", answers, silent, public=False)


def replace(game: FirstWar, side: str, answer: str) -> None:
    """End Phase, F25: discard the card that a side has chosen to replace, and draw another."""
    if answer == "keep":
        return
    position = game.position
    card = take(position.hands[side], answer.removeprefix("replace "))
    position.to_discard([card])
    game.tell("replace", side=side, card=card)
    game.draw(side, 1, "replace")


def worth(side: str, name: str) -> tuple[int, int]:
    """F33: return the place of a kind of card among those that a silent player keeps, the best first."""
    kind = KINDS[name]
    sort = "unit" if kind.unit else kind.type
    return KEEPING.index(sort if kind.usable(side) else "foreign"), kind.order


async def down_to_five(game: FirstWar, side: str) -> None:
    """End Phase, F26: let a side discard cards of its choice until five are left."""
    hand = game.position.hands[side]
    while len(hand) > NUMBERS.full_hand:
        answers = [f"discard {kind}" for kind in kinds(hand)]
        silent = f"discard {max(kinds(hand), key=lambda kind: worth(side, kind))}"
        answer = await ask(side, "discard", "End Phase", answers, silent, public=False)
        game.position.sealed[side].append(take(hand, answer.removeprefix("discard ")))


async def quartering_phase(game: FirstWar) -> None:
    """Quartering Phase, F29, F30: discard the English Leader, then all but a few Units, then the hands.

    All that was discarded joins the deck.
    """
    position = game.position
    game.tell_season()
    home = NUMBERS.no_winter_leader
    leaders = [card for card in position.play[home] if kind_of(card).type == "leader"]
    for card in leaders:
        position.play[home].remove(card)
        game.tell("lost", side=home, card=card)
    position.to_discard(leaders)
    for side, cards in (await sealed(game, quarter)).items():
        position.to_discard(cards)
        game.tell("disband", side=side, cards=in_order(cards))
    for side in SIDES:
        position.to_discard(position.hands[side])
        position.hands[side] = []
    position.deck = in_order((*position.deck, *position.discard))
    position.discard = []
    game.tell("new deck", cards=len(position.deck))


async def quarter(game: FirstWar, side: str) -> None:
    """Quartering Phase, F29: let a side disband Units of its choice until no more are left than may stay."""
    position = game.position
    play = position.play[side]
    extra = NUMBERS.extra_quarter if position.ahead() == side else 0
    while len(play) > SIDE_FACTS[side].quarters + extra:
        answers = [f"disband {kind}" for kind in kinds(play)]
        silent = f"disband {min(kinds(play), key=CASUALTIES.index)}"
        answer = await ask(side, "quarter", "Quartering Phase", answers, silent, public=False)
        position.sealed[side].append(take(play, answer.removeprefix("disband ")))


async def recruitment_phase(game: FirstWar) -> None:
    """Recruitment Phase, F30: deal new hands of three and four cards; nothing is deployed in winter."""
    for side in SIDES:
        game.draw(side, SIDE_FACTS[side].draw, "recruitment")
