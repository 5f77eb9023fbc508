"""The referee is worth something: break a limit in the rules, and random play shows it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from pbem.rules.hammer import retreats_5_5, winter_7
from pbem.rules.hammer.game import Hammer
from pbem.rules.hammer.movement_4 import Movement
from pbem.rules.hammer.position import Block, Position, may_fall_back, neighbours
from tests.hammer.play import GAMES, Play, RandomPlayer, option_mix
from tests.hammer.referee import Referee

pytestmark = pytest.mark.ci


Patch = pytest.MonkeyPatch
GAMES_TRIED = 6


def borders_without_limits(patch: Patch) -> None:
    """4.3."""
    honest = Movement.refusal

    def refusal(movement: Movement, *step: Any) -> tuple[str, str] | None:
        movement.crossed.clear()
        return honest(movement, *step)

    patch.setattr(Movement, "refusal", refusal)


def group_moves_without_end(patch: Patch) -> None:
    """4.2."""
    patch.setattr(Movement, "affordable", lambda *_: True)


def england_s_border_for_everybody(patch: Patch) -> None:
    """4.4."""
    honest = Movement.price
    patch.setattr(Movement, "price", lambda movement, start, _: honest(movement, start, False))


def nobody_pinned(patch: Patch) -> None:
    """4.6."""
    patch.setattr(Movement, "unpinned", lambda *_: True)


def nobody_stops(patch: Patch) -> None:
    """4.0."""
    patch.setattr(Movement, "stops", lambda *_: False)


def blocks_that_move_twice(patch: Patch) -> None:
    """4.0."""
    honest = Movement.move

    def move(movement: Movement, block: Block, path: tuple[str, ...]) -> None:
        honest(movement, block, path)
        movement.moved.clear()

    patch.setattr(Movement, "move", move)


def retreats_without_limits(patch: Patch) -> None:
    """5.5, 5.6."""
    honest = retreats_5_5.regroup_areas

    def regroup_areas(game: Hammer, fight: Any, block: Block) -> list[str]:
        if block.move == 0:
            return honest(game, fight, block)
        return [to for to in neighbours(fight.area) if may_fall_back(game.position, block, to)]

    patch.setattr(retreats_5_5, "regroup_areas", regroup_areas)


def winters_without_limits(patch: Patch) -> None:
    """7.32, 7.5."""
    patch.setattr(winter_7, "surplus", lambda *_: 0)


def blocks_that_are_everywhere(patch: Patch) -> None:
    """2.0."""
    patch.setattr(Position, "_take_up", lambda *_: None)


FAULTS: list[tuple[Callable[[Patch], None], str]] = [
    (borders_without_limits, "too many over"),
    (group_moves_without_end, "Group Moves for a"),
    (england_s_border_for_everybody, "Group Moves for a"),
    (nobody_pinned, "a pinned block left"),
    (nobody_stops, "went on"),
    (blocks_that_move_twice, "moved twice"),
    (retreats_without_limits, "too many fell back"),
    (winters_without_limits, "overfull|above the limit"),
    (blocks_that_are_everywhere, "in two places"),
]


def watched_games() -> Iterator[None]:
    """Random games under the referee's eyes."""
    for seed in range(GAMES_TRIED):
        for scenario, edition in GAMES:
            options = option_mix(scenario, edition, seed)
            play = Play(options, seed)
            player, referee = RandomPlayer(options, seed), Referee(play.game)
            while play.game.outcome is None:
                play.answer(*player.next(play))
                referee.check()
            yield


@pytest.mark.parametrize(("fault", "complaint"), FAULTS, ids=[fault.__name__ for fault, _ in FAULTS])
def test_a_broken_limit_is_noticed(
    fault: Callable[[Patch], None], complaint: str, monkeypatch: Patch
) -> None:
    fault(monkeypatch)
    with pytest.raises(AssertionError, match=complaint):
        for _ in watched_games():
            pass
