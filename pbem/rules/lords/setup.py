"""Setting Up the Game: the first player, the hands, and the Recruits and Supporters of every round."""

from __future__ import annotations

from itertools import count

from pbem.rules.lords.facts import NUMBERS, strength
from pbem.rules.lords.game import Lords
from pbem.rules.lords.position import Recruit


def set_up(game: Lords) -> None:
    """Setting Up the Game, L2, L3, L4: set up the deck, the holder of the token, and hands of five cards.

    The cards are dealt one at a time.
    """
    position, sides = game.position, game.position.sides
    position.draw_pile = game.options.deck
    first = game.options.first
    position.holder = game.chance.draw(game.label("first"), sides) if first == "drawn" else first
    game.tell("first", side=position.holder, drawn=first == "drawn")
    for number in range(1, NUMBERS.hand + 1):
        for side in position.clockwise(position.holder):
            name = game.card_due("deal", side, f"card-{number}")
            assert name is not None
            position.to_hand(side, name)
    for side in sides:
        game.tell("hand", side=side, size=NUMBERS.hand, secret={"cards": position.hands[side]}, owner=side)


def deal_round(game: Lords) -> None:
    """Setting Up the Game, L4: deal new Recruits face-down, then new Supporters face-up."""
    position = game.position
    position.recruits = [Recruit() for _ in range(NUMBERS.recruits)]
    position.forsyths = {}
    position.turn = 1
    game.tell("round", round=position.round, holder=position.holder)
    for slot in range(1, NUMBERS.recruits + 1):
        fill(game, slot)
    deal_supporters(game)
    game.tell("supporters", cards=list(position.supporters))


def fill(game: Lords, slot: int) -> None:
    """On Your Turn A, L6, L8: draw a card for a slot; it lies as the card before it did.

    Nobody sees a card that lies face-down.
    """
    recruit = game.position.recruits[slot - 1]
    recruit.dealt += 1
    lies = "up" if recruit.up else "down"
    recruit.name = game.card_due("recruit", f"slot-{slot}", f"{lies}-{recruit.dealt}") or ""


def deal_supporters(game: Lords) -> None:
    """Rules Clarification, L5: deal the Supporters; a row of equal strength is dealt again.

    It stays if no card is left of another strength.
    """
    position = game.position
    slots = range(1, NUMBERS.supporters * len(position.sides) + 1)
    for attempt in count(1):
        row = [game.card_due("supporter", f"slot-{slot}", f"try-{attempt}") for slot in slots]
        position.supporters = [name for name in row if name is not None]
        strengths = {strength(name) for name in position.supporters}
        others = {strength(name) for name in (*position.draw_pile, *position.discard)}
        if len(strengths) > 1 or not others - strengths:
            return
        game.tell("supporters refused", cards=position.supporters)
        position.to_discard(position.supporters)
