"""How to Play, On Your Turn: five turns for each player, recruiting or mustering."""

from __future__ import annotations

from typing import Any

from pbem.characters import split_words
from pbem.rules.flow import ask, stop
from pbem.rules.lords.facts import NUMBERS, by_strength
from pbem.rules.lords.game import Lords
from pbem.rules.lords.position import Position
from pbem.rules.lords.powers import go_on, muster
from pbem.rules.lords.setup import fill


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
