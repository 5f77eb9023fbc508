"""Lords of Scotland, by Richard James: two to five players, one deck of clans, rounds of five turns.

One module per chapter of the rulebook: rounds (setup, turns, ends), powers; facts.toml holds the cards and
the numbers, RULINGS.md the doubtful points (cited as L1, L2, ...). The rulebook has no section numbers: rules
are cited by its headings.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from pbem.rules.base import EVERYBODY, NOBODY, Chance, Outcome, View
from pbem.rules.cards import CardRules
from pbem.rules.lords.facts import Options, read_options
from pbem.rules.lords.game import Lords, Position, restore
from pbem.rules.lords.rounds import deal_round, end_of_round, set_up, skirmish


async def play(game: Lords) -> Outcome:
    """How to Play, The Goal of the Game: play rounds until a side has Supporters worth 40."""
    position = game.position
    if position.phase == "set-up":
        set_up(game)
    while True:
        if position.phase not in ("turns", "claims"):
            deal_round(game)
        if position.phase != "claims":
            position.phase = "turns"
            await skirmish(game)
        position.phase = "claims"
        if outcome := await end_of_round(game):
            return outcome
        position.phase = "deal"


class LordsRules(CardRules[Options]):
    """The rule set called "lords"."""

    name = "lords"
    title = "Lords of Scotland"

    stops = MappingProxyType({"turn": frozenset({"turn", "power", "target", "muster", "claim"})})

    def read(self, given: Mapping[str, Any]) -> Options:
        """Return the checked options of a game; those not given have their defaults."""
        return read_options(given)

    def sides(self, options: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the sides that play in a game with these options, clockwise."""
        return read_options(options).sides

    def draw_owner(self, label: str) -> str:
        """L8: return who learns what is drawn.

        A card for a hand is its owner's, a face-down Recruit nobody's. All other cards are drawn in sight of
        everybody.
        """
        kind = label.split("/")[1:]
        if kind[0] in ("deal", "forsyth"):
            return kind[1]
        return NOBODY if kind[0] == "recruit" and kind[2].startswith("down") else EVERYBODY

    def start(
        self, options: Mapping[str, Any], chance: Chance, position: View | None = None, stops: bool = False
    ) -> Lords:
        """Return a game from its set-up, or from a position shaped like `view("gm")`."""
        checked = read_options(options)
        where = Position(checked.sides) if position is None else restore(checked, position)
        game = Lords(checked, chance, where, stops)
        game.run(play(game))
        return game


RULES = LordsRules()
