"""Hammer of the Scots, editions 4.0, 3.0 and the German rules.

One module per chapter of the rulebook, its section in the name: cards_3, movement_4,
battles_5, retreats_5_5, losses_5_7, kings_6, winter_7, builds_7_6, victory_9; sequence.py is the order
of play, with scenarios (8.0). Facts are in facts.toml, house rules and editions in editions.toml, doubtful
points in RULINGS.md (cited as R1, R2, ...). Sections are those of rulebook 4.0.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from pbem.rules.base import Chance, Outcome, View
from pbem.rules.hammer.facts import ENGLAND, SCOTLAND, SIDES, read_options
from pbem.rules.hammer.game import Hammer
from pbem.rules.hammer.restart import restore
from pbem.rules.hammer.sequence import deployment, play


class HammerRules:
    """The rule set called "hammer"."""

    name = "hammer"
    title = "Hammer of the Scots"

    stops = MappingProxyType(
        {
            "cards": frozenset({"card"}),
            "winter": frozenset({"home", "edward", "disband"}),
            "builds": frozenset({"build"}),
        }
    )

    def sides(self, options: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the two sides of Hammer, in their fixed order."""
        return SIDES

    def checked(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Return every option of a game with its value; those not given have their defaults."""
        return read_options(options).as_dict()

    def leave(self, position: View | None, side: str, gone: tuple[str, ...]) -> Outcome | None:
        """Return None; this is never called, since in a game of two the side that is left alone has won."""
        return None

    def draw_owner(self, label: str) -> str:
        """Return the side that owns a draw: England owns levies, the Scots draws of winter (7.62, 7.7)."""
        parts = label.split("/")
        if parts[1] == "hand":
            return parts[2]
        return ENGLAND if parts[1] == "levy" else SCOTLAND

    def start(
        self,
        options: Mapping[str, Any],
        chance: Chance,
        position: View | None = None,
        stops: bool = False,
    ) -> Hammer:
        """Return a game from its set-up, or from a position shaped like `view("gm")`."""
        checked = read_options(options)
        where = deployment(checked) if position is None else restore(checked, position)
        game = Hammer(checked, chance, where, stops)
        game.run(play(game))
        return game


RULES = HammerRules()
