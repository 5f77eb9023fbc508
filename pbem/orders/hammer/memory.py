"""What a side has seen in this turn or winter and its view no longer shows."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from pbem.rules.base import Ask

if TYPE_CHECKING:
    from pbem.orders.hammer.sight import Sight


@dataclass(slots=True)
class Memory:
    """What a side has seen in this turn or winter."""

    moment: tuple[int, int] = (0, 0)
    attacked: set[str] = field(default_factory=set)  # areas of the side's, by the enemy's moves
    reinforcements: int = 0  # enemy blocks that joined the side's battles
    before_draws: frozenset[str] | None = None  # the side's blocks on the map when it began to build
    drawn: list[str] = field(default_factory=list)

    def copy(self) -> Memory:
        """The same memory."""
        return replace(self, attacked=set(self.attacked), drawn=list(self.drawn))

    def look(self, sight: Sight, ask: Ask) -> None:
        """Note what can be seen now."""
        if self.moment != sight.moment:
            self.moment = sight.moment
            self.attacked, self.reinforcements = set(), 0
            self.before_draws, self.drawn = None, []
        self.attacked.update(sight.attacked())
        self.reinforcements = max(self.reinforcements, sight.reinforcements())
        if ask.kind == "build":
            self._look_at_draws(sight)

    def _look_at_draws(self, sight: Sight) -> None:
        """7.62: note which blocks have come from the pool since the building began."""
        mine = sight.mine()
        if self.before_draws is None:
            self.before_draws = frozenset(mine)
        self.drawn += [name for name in mine if name not in self.before_draws and name not in self.drawn]
