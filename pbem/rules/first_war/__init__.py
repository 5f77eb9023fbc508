"""First War of Scottish Independence, a Warpspawn game: two sides, one deck, 18 years of four seasons.

One module for a few phases each: season (setup, logistics, recruit, end, winter), events,
battle (battle, victory); facts.toml holds the deck and the numbers, RULINGS.md the doubtful points (cited as
F1, F2, ...). The rules have no section numbers: they are cited by their headings.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType
from typing import Any

from pbem.rules.base import EVERYBODY, Chance, Outcome, View
from pbem.rules.cards import CardRules
from pbem.rules.first_war.battle import battle_phase, victory_phase
from pbem.rules.first_war.events import event_phase
from pbem.rules.first_war.facts import SEASONS, SIDES, Options, read_options
from pbem.rules.first_war.game import FirstWar, Position, restore
from pbem.rules.first_war.season import (
    end_phase,
    logistics_phase,
    quartering_phase,
    recruit_phase,
    recruitment_phase,
    set_up,
)

Phase = Callable[[FirstWar], Awaitable[None]]

BATTLE_SEASON: dict[str, Phase] = {
    "logistics": logistics_phase,
    "recruit": recruit_phase,
    "event": event_phase,
    "battle": battle_phase,
    "victory": victory_phase,
    "end": end_phase,
}
WINTER: dict[str, Phase] = {"quartering": quartering_phase, "recruitment": recruitment_phase}


async def play(game: FirstWar) -> Outcome:
    """Turns, Seasonal Turn Sequence, Winter Turn Sequence, F4: play years until the game is over.

    A year has three seasons with battles, and a winter.
    """
    position = game.position
    if position.phase == "setup":
        await set_up(game)
        position.phase = "logistics"
    while True:
        phases = WINTER if position.season == SEASONS[-1] else BATTLE_SEASON
        names = list(phases)
        for name in names[names.index(position.phase) :]:
            position.phase = name
            await phases[name](game)
        if position.season == SEASONS[-1] and position.year >= game.options.last_year:
            return final(game)
        next_season(position)


def next_season(position: Position) -> None:
    """End Phase, F4: move the position on to the next season; after winter a new year begins."""
    position.truce, position.force, position.played = False, {}, {}
    winter_is_over = position.season == SEASONS[-1]
    position.year += winter_is_over
    position.season = SEASONS[(SEASONS.index(position.season) + 1) % len(SEASONS)]
    position.phase = next(iter(WINTER if position.season == SEASONS[-1] else BATTLE_SEASON))


def final(game: FirstWar) -> Outcome:
    """Victory, F32: return the outcome after the last year: the side with most territories wins.

    At 10 to 10 the game is a draw, or goes to the side that the switch names.
    """
    ahead = game.position.ahead()
    tie = None if game.options.tie == "draw" else game.options.tie
    return Outcome(ahead or tie, "most territories" if ahead else "as many territories")


class FirstWarRules(CardRules[Options]):
    """The rule set called "first-war"."""

    name = "first-war"
    title = "First War of Scottish Independence"

    stops = MappingProxyType(
        {"season": frozenset("deploy bonus event strategy casualty victory replace discard quarter".split())}
    )

    def read(self, given: Mapping[str, Any]) -> Options:
        """Return the checked options of a game; those not given have their defaults."""
        return read_options(given)

    def sides(self, options: Mapping[str, Any]) -> tuple[str, ...]:
        """F2: return the two sides of First War, in their fixed order."""
        return SIDES

    def draw_owner(self, label: str) -> str:
        """F3, F17: return who learns what is drawn under a label: the drawing side; for a Raid, everybody."""
        return next((part for part in label.split("/") if part in SIDES), EVERYBODY)

    def start(
        self, options: Mapping[str, Any], chance: Chance, position: View | None = None, stops: bool = False
    ) -> FirstWar:
        """Return a game from its set-up, or from a position shaped like `view("gm")`."""
        checked = read_options(options)
        phases = tuple(WINTER if position and position.get("season") == SEASONS[-1] else BATTLE_SEASON)
        where = Position() if position is None else restore(position, phases)
        game = FirstWar(checked, chance, where, stops)
        game.run(play(game))
        return game


RULES = FirstWarRules()
