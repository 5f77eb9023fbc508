"""Where a joined game stands, and what comes next there; it imports little, for a glance is quick."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from pbem.steps import Step

ACCEPTING = 1
"""The exchange that accepts a game (pbem.play.exchange.READY, which is not imported: a glance is quick)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GameStatus:
    """Where a joined game stands, as far as this home knows."""

    game: str
    player: str
    side: str | None = None
    """None before the invitation."""
    exchange: int | None = None
    """The exchange that is open; None if none is."""
    closed: bool = False
    """Whether that exchange takes no more orders."""
    reveal_due: bool = False
    """Whether it waits for the player's secret."""
    deadline: datetime | None = None
    over: bool = False
    last_report: int | None = None
    revs: tuple[int, ...] = ()
    """The revisions sealed for the open exchange."""
    receipted: tuple[int, ...] = ()
    """Those of them that the judge has given a receipt for."""
    missing_receipts: tuple[int, ...] = ()
    forks: tuple[Path, ...] = ()
    trouble: str = ""
    """Why nothing can be said of it: its files are damaged."""

    @property
    def step(self) -> Step | None:
        """What comes next here; None if the player has nothing to do but wait."""
        if self.trouble or self.forks:
            return None
        if self.over:
            return Step.OVER
        if self.side is None:
            return Step.LETTER
        if self.exchange is None or self.closed:
            return Step.REVEAL if self.reveal_due else None
        if self.revs:
            return None
        return Step.INVITED if self.exchange == ACCEPTING else Step.ASKED

    @property
    def command(self) -> str:
        """The command that comes next here; "" if there is none."""
        return self.step.command(game=self.game, exchange=self.exchange or 0) if self.step else ""
