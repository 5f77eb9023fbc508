"""The End of the Round, The End of the Game: totals, placing, claims, discards, and the winner."""

from __future__ import annotations

from itertools import groupby

from pbem.rules.base import Outcome
from pbem.rules.flow import ask
from pbem.rules.lords.facts import NUMBERS, by_strength
from pbem.rules.lords.game import Follower, Lords, Position


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
