"""How the bots of Lords are measured."""

from __future__ import annotations

from collections.abc import Sequence

from pbem.rules.base import Ask, View
from pbem.titles.lords.bots import Chief
from tests.bots.matches import Matches


class Planner(Chief):
    """Writes as the chief does, and a plan for every turn of the round."""

    def write(self, view: View, asks: Sequence[Ask] = ()) -> str:
        """What the chief would do now, and in every later turn much the same."""
        return f"{super().write(view, asks)}turn any:\nrecruit best, hidden\nmuster best down\nend\n"


MATCHES = Matches(
    tables={f"{players} players": {"players": players} for players in (2, 3, 4, 5)},
    seatings={"a file for each turn": ("chief", "random"), "a plan for the round": ("planner",)},
    players={"planner": Planner},
)
