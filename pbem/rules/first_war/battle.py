"""The Battle Phase and the Victory Phase: Force, Strategy cards, who wins the season and what it brings."""

from __future__ import annotations

from pbem.rules.first_war.events import play_card, plays
from pbem.rules.first_war.facts import NUMBERS, SIDES, UNITS, enemy_of
from pbem.rules.first_war.game import FirstWar
from pbem.rules.first_war.position import Position, kinds, more, take
from pbem.rules.flow import ask

CASUALTIES = "infantry cavalry archers highland_noble lowland_noble scottish_leader english_leader".split()
"""F33: in this order a silent player gives up Units."""


async def battle_phase(game: FirstWar) -> None:
    """Battle Phase, F13, F20: Force is counted; then Strategy cards, alternately, until both pass."""
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
    """Battle Phase, F18, F19, F31: who gets each point of Force; a tie, also at nothing, gives none."""
    highland, ahead = position.lead("highland_noble"), position.ahead()
    behind = enemy_of(ahead) if ahead else None
    return {
        **{sort: position.lead(sort) for sort in UNITS},
        "highland": highland if highland == behind else None,
    }


async def play_strategy(game: FirstWar, side: str) -> None:
    """Battle Phase, F6, F20: a Strategy card for one Force, or a pass, which need not be the last word."""
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
    """Victory Phase, F13, F21, F22, F23: a token for the winner, a Unit of the loser's, Victory cards."""
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
    """Victory Phase, F22: the loser chooses which of its Units in play to discard."""
    play = game.position.play[side]
    answers = [f"lose {kind}" for kind in kinds(play)]
    silent = f"lose {min(kinds(play), key=CASUALTIES.index)}"
    answer = await ask(side, "casualty", "Victory Phase", answers, silent)
    lost = take(play, answer.removeprefix("lose "))
    game.position.to_discard([lost])
    game.tell("lost", side=side, card=lost)


async def victory_card(game: FirstWar, side: str) -> bool:
    """Victory Phase, F23: the winner plays one Victory card after another; False when done."""
    answers = ["done", *(f"victory {play}" for play in plays(game.position, side, "victory"))]
    answer = await ask(side, "victory", "Victory Phase", answers, "done", always=True)
    if answer != "done":
        play_card(game, side, answer.removeprefix("victory "))
    return answer != "done"
