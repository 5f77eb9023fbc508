"""The comparison of worlds is worth something: put a leak into the rules, and it is found."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from pbem.rules.base import IllegalAnswer, Outcome, View
from pbem.rules.hammer import battles_5, game, sequence
from pbem.rules.hammer.builds_7_6 import Builds
from pbem.rules.hammer.cards_3 import card_phase
from pbem.rules.hammer.facts import OFF_MAP, SIDES, Border
from pbem.rules.hammer.game import Hammer
from pbem.rules.hammer.movement_4 import Movement
from pbem.rules.hammer.position import Block, Position
from tests.hammer.play import GAMES, option_mix
from tests.hammer.test_secrecy import compare_worlds
from tests.properties.world import Leak

pytestmark = pytest.mark.ci


Patch = pytest.MonkeyPatch
GAMES_TRIED = 6


def strengths_in_the_view(patch: Patch) -> None:
    """A view that adds up the enemy's steps."""
    honest = game.view

    def leaking(position: Position, options: Mapping[str, Any], outcome: Outcome | None, viewer: str) -> View:
        steps = {side: sum(block.strength for block in position.on_map(side)) for side in SIDES}
        return {**honest(position, options, outcome, viewer), "steps": steps}

    patch.setattr(game, "view", leaking)


def order_of_arrival(patch: Patch) -> None:
    """Lists that say which block of an area came first (R2)."""

    def put_down(position: Position, block: Block) -> None:
        if block.area != OFF_MAP:
            position._beside(block).append(block)

    patch.setattr(Position, "_put_down", put_down)


def an_event_that_tells_all(event_name: str) -> Callable[[Patch], None]:
    """An event whose secret part is told to everybody."""

    def leak(patch: Patch) -> None:
        honest = Hammer.tell

        def tell(self: Hammer, event: str, **told: Any) -> None:
            secret = told.pop("secret", None) if event == event_name else None
            honest(self, event, **{**told, **(secret or {})})

        patch.setattr(Hammer, "tell", tell)

    leak.__name__ = f"{event_name}_tells_all".replace(" ", "_")
    return leak


def points_left_are_told(patch: Patch) -> None:
    """What a side left unspent tells whether it had anything to build (7.6)."""
    honest = Hammer.tell

    def tell(self: Hammer, event: str, **told: Any) -> None:
        left = {"left": told["secret"]["left"]} if event == "builds" else {}
        honest(self, event, **left, **told)

    patch.setattr(Hammer, "tell", tell)


def moves_known_to_the_owner(patch: Patch) -> None:
    """A public Ask where the enemy cannot know whether the Norse alone could move."""
    patch.setattr(Movement, "public", lambda movement: len(list(movement.options())) > 1)


def builds_known_to_the_owner(patch: Patch) -> None:
    """A public Ask for what only the owner knows: which of his blocks are weakened."""
    patch.setattr(Builds, "surely_asked", lambda builds: bool(builds.buildable() or builds.drawable()))


def no_stop_without_a_choice(patch: Patch) -> None:
    """A game that halts for cards only if somebody has two different ones."""

    async def leaking(hammer: Hammer) -> None:
        halts = hammer._stops
        hammer._stops = halts and any(len(set(hammer.position.hands[side])) > 1 for side in SIDES)
        await card_phase(hammer)
        hammer._stops = halts

    patch.setitem(sequence.TURN, "cards", leaking)


def a_default_that_looks_at_the_enemy(patch: Patch) -> None:
    """The default battle is the one where fewest steps stand."""
    honest = battles_5.next_battle

    async def leaking(hammer: Hammer) -> None:
        chooser = hammer.position.first or SIDES[0]
        while areas := hammer.position.contested():
            ask = honest(chooser, areas)
            at = hammer.position.at
            best = min(areas, key=lambda area: sum(b.strength for side in SIDES for b in at[side][area]))
            ask._preferred = lambda best=best: f"battle {best}"  # type: ignore[misc]
            await battles_5.battle(hammer, await ask)

    patch.setitem(sequence.TURN, "battles", leaking)


def moves_that_know_the_enemy(patch: Patch) -> None:
    """Nobody may be sent where Wallace or Edward stands."""
    honest = Movement.refusal

    def leaking(movement: Movement, start: str, area: str, to: str, border: Border) -> tuple[str, str] | None:
        if any(block.fact.kind == "leader" for block in movement.theirs[to]):
            return "4.5", "too dangerous"
        return honest(movement, start, area, to, border)

    patch.setattr(Movement, "refusal", leaking)


def refusals_that_say_where(patch: Patch) -> None:
    """A refusal that mentions where the enemy's block is."""
    honest = Movement.read

    def leaking(movement: Movement, text: str) -> Any:
        try:
            return honest(movement, text)
        except IllegalAnswer as refused:
            block = movement.position.blocks.get(text.removeprefix("move ").partition(" to ")[0])
            if block is None or block.side == movement.side:
                raise
            raise IllegalAnswer(refused.rule, f"{block.name} is in {block.area}") from None

    patch.setattr(Movement, "read", leaking)


def retreats_seen_at_once(patch: Patch) -> None:
    """R79: a joint retreat of which the enemy sees each block's way."""
    honest = game.areas
    patch.setattr(game, "areas", lambda position, _viewer: honest(position, "gm"))


LEAKS: list[tuple[Callable[[Patch], None], tuple[str, ...]]] = [
    (strengths_in_the_view, ("cards",)),
    (order_of_arrival, ("battles", "second move")),
    (an_event_that_tells_all("disband"), ("english disbanding", "scottish disbanding")),
    (an_event_that_tells_all("move"), ("first move",)),
    (an_event_that_tells_all("builds"), ("english builds", "scottish builds")),
    (points_left_are_told, ("english builds", "scottish builds")),
    (moves_known_to_the_owner, ("first move", "second move")),
    (builds_known_to_the_owner, ("scottish builds",)),
    (no_stop_without_a_choice, ("cards",)),
    (a_default_that_looks_at_the_enemy, ("battles",)),
    (moves_that_know_the_enemy, ("first move",)),
    (refusals_that_say_where, ("first move",)),
    (retreats_seen_at_once, ("battles",)),
]


MATCHES = [(scenario, edition, seed) for seed in range(GAMES_TRIED) for scenario, edition in GAMES]
FIRST: dict[Callable[[Patch], None], int] = {points_left_are_told: 14, a_default_that_looks_at_the_enemy: 3}
"""Where a leak shows that the first matches do not have."""


def compare_many(phases: tuple[str, ...], first: int) -> None:
    """Compare worlds at all these phases of some games; those before `first` come last."""
    for scenario, edition, seed in MATCHES[first:] + MATCHES[:first]:
        compare_worlds(option_mix(scenario, edition, seed), seed, one_in=1, phases=phases)


@pytest.mark.parametrize(("leak", "phases"), LEAKS, ids=lambda value: getattr(value, "__name__", ""))
def test_a_leak_is_found(leak: Callable[[Patch], None], phases: tuple[str, ...], monkeypatch: Patch) -> None:
    leak(monkeypatch)
    with pytest.raises(Leak):
        compare_many(phases, FIRST.get(leak, 0))
