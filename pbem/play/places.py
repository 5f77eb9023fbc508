"""Saves a game between two exchanges as bytes, and loads it, so that a judge need not play it again.

No die is in it: what fell since the last public stop stands in the ledger. Nobody takes such bytes for the
truth; they are made anew from the ledger at any time, and nothing that is audited rests on them.
"""

from __future__ import annotations

import json
import zlib

from pbem.play.adjudicate import Adjudicator
from pbem.play.history import History
from pbem.trust.chance import Dice
from pbem.trust.identifiers import as_token


class Fallen(Dice):
    """The dice and draws of a loaded game: between exchanges each falls as the ledger says that it fell.

    All labels of the ledger are used already.
    """

    __slots__ = ("_fell",)

    def __init__(self, history: History) -> None:
        super().__init__()
        self._fell: dict[str, int | str] = {}
        for exchange in history.resolved:
            assert exchange.resolved is not None
            number = history.source(exchange).number
            self._fell |= {die.label: die.value for die in exchange.resolved.dice}
            self._fell |= {drawn.label: drawn.result for drawn in exchange.drawn}
            self._labels |= {die.label: number for die in exchange.resolved.dice}
            self._labels |= {drawn.label: number for drawn in exchange.drawn}

    def roll(self, label: str, sides: int = 6) -> int:
        """Return an open die: between exchanges its value in the ledger, in an exchange a new one."""
        return int(self._fell[label]) if self._open is None else super().roll(label, sides)

    def draw(self, label: str, choices: tuple[str, ...]) -> str:
        """Return one of `choices`, drawn in secret: between exchanges as it fell, in an exchange anew."""
        if self._open is not None:
            return super().draw(label, choices)
        (found,) = {choice for choice in choices if as_token(choice) == self._fell[label]}
        return found


def save(adjudicator: Adjudicator) -> bytes:
    """Return as bytes the state of a game whose last exchange has been resolved and reported.

    Raises:
        NotSaved: it cannot be saved here, or not at all.
    """
    return zlib.compress(json.dumps(adjudicator.play.save(), separators=(",", ":")).encode())


def load(history: History, saved: bytes) -> Adjudicator:
    """Return the game of a ledger in its saved state. Bytes that `save` has not made may raise anything.

    Raises:
        NotSaved: it does not come out there.
    """
    adjudicator = Adjudicator(history.corrected, Fallen(history), saves=True)
    adjudicator.play.load(json.loads(zlib.decompress(saved)))
    return adjudicator
