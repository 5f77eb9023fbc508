"""One exchange of a game, as far as its ledger has it: who was asked, what came, how it was resolved."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from pbem.trust.act_entries import HOLD, OUTAGE, RESUME, Act
from pbem.trust.entries import Drawn, Extend, Genesis, Reported, Revealed
from pbem.trust.life import AskedExchange

READY = 1
"""The number of the exchange in which the players accept the genesis; its resolution makes the set-up."""


@dataclass
class Exchange(AskedExchange):
    """One exchange of a game, as far as the ledger has it, with what calls of leagues do not have."""

    genesis: Genesis
    """The genesis as it was at this exchange, with the house rules that corrections had put right."""
    rules: str = ""
    """The hash of the rules by which the exchange is adjudicated, which are those in force at its close."""
    era: int = 0
    """Number of times that, by this exchange, the players had agreed to another release (act_entries)."""
    extended: list[Extend] = field(default_factory=list)
    revealed: list[Revealed] = field(default_factory=list)
    drawn: list[Drawn] = field(default_factory=list)
    reported: list[Reported] = field(default_factory=list)
    acts: list[Act] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    """The players who play no more, in order: those for whom it was not opened, then those who left in it."""
    vanished: list[str] = field(default_factory=list)
    """The players who are not waited for although they have not left: see `History.vanished`."""
    paused: timedelta = timedelta()
    """The time for which the exchange was on hold."""
    voided_by: int = 0
    """The number of the entry that made the exchange void; 0 if none did."""
    counted_acts: int = 0
    """Number of entries of those kinds that are limited in an exchange."""
    hidden: int = 0  # number of its entries that the reader could not open

    @property
    def deadline(self) -> datetime | None:
        """The time until which orders are waited for, extensions included; None if there is no limit."""
        last = self.extended[-1].deadline if self.extended else self.opened.deadline
        return last + self.paused if last is not None else None

    @property
    def had_outage(self) -> bool:
        """Whether mail failed when the exchange's deadline had passed."""
        return any(act.what == OUTAGE for act in self.acts)

    def paused_until(self, moment: datetime) -> timedelta:
        """Return the time on hold up to `moment`; a later hold moves no deadline that has passed."""
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
        """The players whose orders are waited for."""
        return set(self.seals) - {*self.left, *self.vanished}
