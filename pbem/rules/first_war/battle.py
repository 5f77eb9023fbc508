"""The Battle Phase and the Victory Phase: Force, Strategy cards, who wins the season and what it brings."""

from __future__ import annotations

from pbem.rules.first_war.events import play_card, plays
from pbem.rules.first_war.facts import NUMBERS, SIDES, UNITS, enemy_of
from pbem.rules.first_war.game import FirstWar, Position, kinds, more, take
from pbem.rules.flow import ask

CASUALTIES = "infantry cavalry archers highland_noble lowland_noble scottish_leader english_leader".split()
"""F33: the Units that a silent player gives up, in this order."""


async def battle_phase(game: FirstWar) -> None:
    """Battle Phase, F13, F20: count the Force of both sides, then ask them for Strategy cards.

    They play alternately, until both have passed.
    """
    position = game.position
    if position.truce:
        return
    if not position.force:
        points = tally(position)
        position.force = {side: sum(points[why] == side for why in points) for side in SIDES}
        game.tell("tally", points=points, force=dict(position.force))
    position.to_play = position.to_play or NUMBERS.first_strategy
    while len(position.passed) < len(SIDES):
        side = position.to_play
        if side not in position.passed:
            await play_strategy(game, side)
        position.to_play = enemy_of(side)
    position.passed, position.to_play = [], None


def tally(position: Position) -> dict[str, str | None]:
    """Battle Phase, F18, F19, F31: return which side gets each point of Force.

    A tie gives no point to anybody, also where both sides have nothing.
    """
    highland, ahead = position.lead("highland_noble"), position.ahead()
    behind = enemy_of(ahead) if ahead else None
    return {
        **{sort: position.lead(sort) for sort in UNITS},
        "highland": highland if highland == behind else None,
    }


async def play_strategy(game: FirstWar, side: str) -> None:
    """Battle Phase, F6, F20: let a side play a Strategy card, which adds one Force, or pass.

    A side that has passed may play again after a card of the other side, unless the options make a pass
    final.
    """
    position = game.position
    answers = ["pass", *(f"strategy {play}" for play in plays(position, side, "strategy"))]
    answer = await ask(side, "strategy", "Battle Phase", answers, "pass", always=True)
    if answer == "pass":
        position.passed.append(side)
        game.tell("strategy pass", side=side)
        return
    if not game.options.pass_is_final:
        position.passed = []
    card = take(position.hands[side], answer.removeprefix("strategy "))
    position.to_discard([card])
    position.force[side] += NUMBERS.strategy_force
    game.tell("strategy", side=side, card=card, force=dict(position.force))


async def victory_phase(game: FirstWar) -> None:
    """Victory Phase, F13, F21, F22, F23: give the winner of the season a token and let the loser lose a Unit.

    After that the winner plays Victory cards.
    """
    position = game.position
    if position.truce and game.options.truce == "both_phases":
        return
    position.force = position.force or dict.fromkeys(SIDES, 0)
    winner = more(position.force) or NUMBERS.ties
    loser = enemy_of(winner)
    if position.to_play is None:
        game.tell("season won", side=winner, force=dict(position.force))
        game.steal_territory(winner, loser, NUMBERS.stolen)
        game.check_victory(winner)
        position.to_play = loser
    if position.to_play == loser:
        for _ in range(min(NUMBERS.lost_units, len(position.play[loser]))):
            await casualty(game, loser)
        position.to_play = winner
    while await victory_card(game, winner):
        pass
    position.to_play = None


async def casualty(game: FirstWar, side: str) -> None:
    """Victory Phase, F22: let the loser choose which of its Units in play to discard."""
    play = game.position.play[side]
    answers = [f"lose {kind}" for kind in kinds(play)]
    silent = f"lose {min(kinds(play), key=CASUALTIES.index)}"
    answer = await ask(side, "casualty", "Victory Phase", answers, silent)
    lost = take(play, answer.removeprefix("lose "))
    game.position.to_discard([lost])
    game.tell("lost", side=side, card=lost)


async def victory_card(game: FirstWar, side: str) -> bool:
    """Victory Phase, F23: let the winner play one Victory card; return False when they are done."""
    answers = ["done", *(f"victory {play}" for play in plays(game.position, side, "victory"))]
    answer = await ask(side, "victory", "Victory Phase", answers, "done", always=True)
    if answer != "done":
        play_card(game, side, answer.removeprefix("victory "))
    return answer != "done"
