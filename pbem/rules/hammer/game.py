"""One game of Hammer of the Scots: its position, options and chance, and what each audience was told."""

from __future__ import annotations

from pbem.rules.base import Chance, Shared, View
from pbem.rules.hammer.facts import EVENTS, POOL, SCENARIOS, SCOTLAND, Border
from pbem.rules.hammer.options import Options
from pbem.rules.hammer.position import Block, Position
from pbem.rules.hammer.views import view
from pbem.rules.telling import Telling


class Hammer(Telling):
    """A game of Hammer in progress, which the rules of each chapter take; those rules are coroutines.

    R54: an answer that was given stands; who may still replace an order is the judge's affair.
    """

    rule_of_turns = "3.0"

    def __init__(self, options: Options, chance: Chance, position: Position, stops: bool) -> None:
        super().__init__(stops)
        self.options = options
        self._options = Shared(options.as_dict())  # the options as views show them
        self.chance = chance
        self.position = position
        position.side_changed = False  # to begin with somebody's blocks is no change

    def view(self, viewer: str) -> View:
        """Return what a viewer may see now."""
        return view(self.position, self._options, self.outcome, viewer)

    @property
    def first_year(self) -> int:
        """8.0: the first year of the scenario."""
        return SCENARIOS[self.options.scenario].first_year

    def heard(self) -> None:
        """Apply the rules that wait for a noble's change of side, if one was told (R105)."""
        if self.position.side_changed:
            self.position.side_changed = False
            if self.options.french_join == "at_once":
                self.french_join()

    def french_join(self) -> None:
        """7.61, R105: add the French to the Scottish pool, once in a game, if the Scots hold eight nobles."""
        position = self.position
        if not position.french and len(position.nobles(SCOTLAND)) >= EVENTS.french_from_nobles:
            position.french = True
            position.place(position.blocks["French Knights"], POOL)
            self.tell("french")

    # -- small helpers that several chapters need

    def label(self, *parts: str) -> str:
        """Return a label of this turn, which says what a die or draw is for."""
        return "/".join((f"{self.position.year}.{self.position.turn}", *parts))

    def closed(self, border: Border, area: str, side: str) -> bool:
        """5.5: tell whether the enemy controls this border against a retreat from `area`."""
        return self.position.closed(border, area, side, self.options.border_control)


def names(blocks: list[Block]) -> list[str]:
    """Return the blocks' names, sorted."""
    return sorted(block.name for block in blocks)
