"""The questions put to the players when an exchange began: part of the rule by which the judge stops.

Both the judge's play and a forecast's trials go by it.
"""

from __future__ import annotations

from collections.abc import Mapping

from pbem.rules.base import Ask, Game


class Put:
    """The questions that players had before them; silence about these means the default."""

    def __init__(self, game: Game, stops: Mapping[str, frozenset[str]]) -> None:
        self.game = game
        self.stops = stops
        self.asks = list(game.asks)
        self.kinds: frozenset[str] = frozenset()

    def leave_first_stop(self) -> None:
        """Leave the public stop at which the exchange began.

        What is asked before anything happens counts as put to the players.
        """
        told = len(self.game.told("public"))
        self.leave_stop()
        if len(self.game.told("public")) == told:
            self.asks += self.game.asks

    def leave_stop(self) -> None:
        """Leave a public stop; questions of its kinds count as put in advance from now on."""
        stop = self.game.at_stop
        self.kinds = self.stops[stop] if stop is not None else frozenset()
        self.game.go_on()

    def takes_default(self, ask: Ask) -> bool:
        """Tell whether a question that no line covers gets its default; if not, the judge stops and asks."""
        return not ask.public or ask in self.asks or ask.kind in self.kinds
