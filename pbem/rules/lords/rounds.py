"""The rounds: Setting Up the Game, How to Play, On Your Turn, The End of the Round, The End of the Game."""

from __future__ import annotations

from itertools import count, groupby
from typing import Any

from pbem.characters import split_words
from pbem.rules.base import Outcome
from pbem.rules.flow import ask, stop
from pbem.rules.lords.facts import NUMBERS, by_strength, strength
from pbem.rules.lords.game import Follower, Lords, Position, Recruit
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


async def end_of_round(game: Lords) -> Outcome | None:
    """The End of the Round, L29: play the end of a round: reveal, totals, placing, claims.

    After that the game ends, or the next round begins.
    """
    position = game.position
    position.turn = NUMBERS.turns
    reveal(game)
    order = placing(position)
    armies = {side: [follower.name for follower in position.armies[side]] for side in position.sides}
    totals = {side: total(position.armies[side]) for side in position.sides}
    ranks = {side: best_rank(position.armies[side]) for side in order}
    game.tell("totals", armies=armies, totals=totals, placing=list(order), ranks=ranks)
    for side in order:
        await claim(game, side)
    position.to_move = None
    game.tell("scores", scores={side: position.score(side) for side in position.sides})
    if outcome := end_of_game(position, order):
        position.phase = "over"
        return outcome
    tidy_up(game, order)
    return None


def reveal(game: Lords) -> None:
    """The End of the Round, L15: turn up the face-down Followers, whose powers are not used."""
    for side, follower in game.position.followers():
        if not follower.up:
            follower.up = True
            game.tell("reveal", side=side, card=follower.name)


def total(army: list[Follower]) -> int:
    """The End of the Round, Bruce, L23: return an army's total strength.

    It counts twice if two or more cards are all of one clan.

    An activated Bruce, or a Scott that copied one, is of whichever clan the others are.
    """
    strengths = sum(follower.card.strength for follower in army)
    clans = {follower.card.clan for follower in army if follower.power != "bruce"}
    doubled = len(army) >= NUMBERS.double_from and len(clans) <= 1
    return strengths * NUMBERS.double if doubled else strengths


def best_rank(army: list[Follower]) -> int:
    """The End of the Round, L24: return the highest rank in an army, which decides ties."""
    return max(follower.card.rank for follower in army)


def placing(position: Position) -> tuple[str, ...]:
    """The End of the Round, L24, L25: return the sides that have a Follower, the highest total first."""
    placed = [side for side in position.sides if position.armies[side]]
    armies = position.armies
    return tuple(sorted(placed, key=lambda side: (-total(armies[side]), -best_rank(armies[side]))))


async def claim(game: Lords, side: str) -> None:
    """The End of the Round, L25, L26: let a side claim a Supporter of its choice; Cochrane, L27: or two."""
    position = game.position
    double = any(follower.power == "cochrane" for follower in position.armies[side])
    due = NUMBERS.cochrane_claims if double else NUMBERS.claims
    while position.supporters and len(position.claims[side]) < due:
        position.to_move = side
        answers = [f"claim {name}" for name in position.supporters]
        silent = f"claim {max(position.supporters, key=by_strength)}"
        answer = await ask(side, "claim", "The End of the Round", answers, silent)
        name = answer.removeprefix("claim ")
        position.supporters.remove(name)
        position.claims[side].append(name)
        position.victory[side].append(name)
        game.tell("claim", side=side, card=name)


def end_of_game(position: Position, order: tuple[str, ...]) -> Outcome | None:
    """The End of the Game, L30: return the outcome once a side has 40 points; None before.

    The highest score wins, and among equals the side that was placed better.
    """
    if max(position.score(side) for side in position.sides) < NUMBERS.victory:
        return None

    def merit(side: str) -> tuple[int, int]:
        return -position.score(side), [*order, side].index(side)

    best = sorted(position.sides, key=merit)
    places = tuple(tuple(equal) for _, equal in groupby(best, key=merit))
    return Outcome(best[0], f"{position.score(best[0])} points", places)


def tidy_up(game: Lords, order: tuple[str, ...]) -> None:
    """The End of the Round, MacDonnell, L25, L28: discard the armies and pass the token on.

    A MacDonnell keeps the cards that it may keep.
    """
    position = game.position
    position.to_discard(position.supporters)
    position.to_discard(recruit.name for recruit in position.recruits if recruit.name)
    for side, army in position.armies.items():
        kept = [follower for follower in army if follower.power == "macdonnell"]
        position.to_discard(follower.name for follower in army if follower not in kept)
        for follower in kept:
            follower.power, follower.kept = None, True
            game.tell("kept", side=side, card=follower.name)
        position.armies[side] = kept
    position.supporters, position.recruits = [], []
    position.claims = {side: [] for side in position.sides}
    position.holder = order[0] if order else position.holder
    position.round += 1
