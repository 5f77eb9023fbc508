"""Setting Up the Game, How to Play, On Your Turn: hands, each round's cards, and turns of players."""

from __future__ import annotations

from itertools import count
from typing import Any

from pbem.characters import split_words
from pbem.rules.flow import ask, stop
from pbem.rules.lords.facts import NUMBERS, by_strength, strength
from pbem.rules.lords.game import Lords, Position, Recruit
from pbem.rules.lords.powers import go_on, muster


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


async def skirmish(game: Lords) -> None:
    """How to Play, L11: play five turns for each side, clockwise from the holder of the token."""
    position = game.position
    if position.to_move is None:
        position.to_move = position.holder
        flip(game)
    await pause(game)
    while position.to_move is not None:
        await take_turn(game, position.to_move)
        position.to_move = position.clockwise(position.to_move)[1]
        if position.to_move != position.holder:
            continue
        if position.turn == NUMBERS.turns:
            position.to_move = None
            continue
        position.turn += 1
        flip(game)
        await pause(game)


async def pause(game: Lords) -> None:
    """Halt at the public stop at the beginning of each turn, after the flip."""
    if game.options.pace == "turn":
        await stop("turn")


def flip(game: Lords) -> None:
    """On Your Turn, L7: turn up the face-down Recruit of the lowest slot, before the holder acts."""
    position = game.position
    game.tell("turn", round=position.round, turn=position.turn, holder=position.holder)
    for slot, recruit in enumerate(position.recruits, 1):
        if recruit.name and not recruit.up:
            recruit.up = True
            game.tell("flip", slot=slot, card=recruit.name)
            return


async def take_turn(game: Lords, side: str) -> None:
    """On Your Turn, L9: let a side recruit or muster.

    It may not pass, but it loses the turn if it can do neither.
    """
    position = game.position
    if position.mustered:
        await go_on(game, side, *position.mustered)
        position.mustered = []
        return
    answers = turn_answers(position, side)
    if not answers:
        game.tell("turn lost", side=side)
        return
    answer = await ask(side, "turn", "On Your Turn", answers, silent_turn(position, side))
    words = split_words(answer)
    if words[0] == "recruit":
        recruit(game, side, int(words[1]))
    else:
        await muster(game, side, words[1], up=words[2] == "up")
        position.mustered = []


def turn_answers(position: Position, side: str) -> list[str]:
    """On Your Turn A and B, L8, L9, L10: return the legal answers of a turn.

    A side may take any Recruit unless its hand is full, or muster any card, face-up or face-down.
    """
    hand = position.hands[side]
    slots = enumerate(position.recruits, 1) if len(hand) < NUMBERS.full_hand else ()
    return [
        *(f"recruit {slot}" for slot, recruit in slots if recruit.name),
        *(f"muster {name} {facing}" for name in hand for facing in ("down", "up")),
    ]


def silent_turn(position: Position, side: str) -> str:
    """L33: return a silent player's turn: the strongest face-up Recruit, else the weakest card face-down."""
    answers = turn_answers(position, side)
    seen = [
        (by_strength(row.name), slot) for slot, row in enumerate(position.recruits, 1) if row.name and row.up
    ]
    hand = sorted(position.hands[side], key=by_strength)
    wanted = [
        *(f"recruit {slot}" for _, slot in sorted(seen, reverse=True)),
        *(f"muster {n} down" for n in hand),
    ]
    return next((answer for answer in wanted if answer in answers), answers[0])


def recruit(game: Lords, side: str, slot: int) -> None:
    """On Your Turn A, L8: take a Recruit into the hand; others do not see one that lay face-down."""
    position = game.position
    taken = position.recruits[slot - 1]
    name = taken.name
    position.to_hand(side, name)
    fill(game, slot)
    event: dict[str, Any] = {"side": side, "slot": slot, "up": taken.up, "filled": bool(taken.name)}
    game.tell_card("recruit", name, seen=taken.up, owner=side, **event)
    if taken.up and taken.name:
        game.tell("refill", slot=slot, card=taken.name)
