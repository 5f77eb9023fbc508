"""One exchange of a game, as far as its ledger has it: who was asked, what came, how it was resolved."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from pbem.trust.act_entries import HOLD, OUTAGE, RESUME, Act
from pbem.trust.entries import Drawn, Extend, Genesis, Reported, Revealed
from pbem.trust.life import AskedExchange

READY = 1
"""The exchange in which the players accept the genesis; the set-up belongs to its resolution."""


@dataclass
class Exchange(AskedExchange):
    """One exchange, as far as the ledger has it: of a game, with what a league's calls have not."""

    genesis: Genesis
    """The genesis, with the house rules that corrections have put right by then."""
    rules: str = ""
    """The rules that it is adjudicated by: the hash in force when it is closed."""
    era: int = 0
    """How often, by then, the players had agreed to another release (trust.acts)."""
    extended: list[Extend] = field(default_factory=list)
    revealed: list[Revealed] = field(default_factory=list)
    drawn: list[Drawn] = field(default_factory=list)
    reported: list[Reported] = field(default_factory=list)
    acts: list[Act] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    """Who plays no more, in turn: those for whom it was not opened, then those who left while it was open."""
    vanished: list[str] = field(default_factory=list)
    """Who is not waited for either: see `History.vanished`."""
    paused: timedelta = timedelta()
    """For how long it was on hold."""
    voided_by: int = 0
    """The entry that made it void; 0 if none did."""
    counted_acts: int = 0
    """Entries of the kinds of which an exchange has so many at most."""
    hidden: int = 0  # entries of it that the reader could not open

    @property
    def deadline(self) -> datetime | None:
        """Until when orders are waited for, extensions included."""
        last = self.extended[-1].deadline if self.extended else self.opened.deadline
        return last + self.paused if last is not None else None

    @property
    def had_outage(self) -> bool:
        """Did mail fail when its deadline had passed?"""
        return any(act.what == OUTAGE for act in self.acts)

    def paused_until(self, moment: datetime) -> timedelta:
        """For how long it had been on hold by then: a later hold moves no deadline that has passed."""
        held: datetime | None = None
        total = timedelta()
        for act in self.acts:
            if act.what == HOLD and act.at <= moment:
                held = act.at
            elif act.what == RESUME and held is not None and act.at <= moment:
                total += act.at - held
                held = None
        return total

    @property
    def awaited(self) -> set[str]:
        """Whose orders are waited for."""
        return set(self.seals) - {*self.left, *self.vanished}
