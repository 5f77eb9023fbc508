"""A world that an observer may not be able to tell from another: a game at a table, and what reaches them."""

from __future__ import annotations

from pbem.judge.tables.packing import Part
from pbem.pages import report_page
from pbem.play.resolve import Play as Judge
from pbem.practice.table import Table
from pbem.rules.base import Chance, View
from pbem.trust.sealing import LETTER_SIZE
from tests.properties.random_play import Options, canonical


class Leak(AssertionError):
    """Two worlds that must look the same do not."""


class World(Table):
    """One of the two games, from the same phase of a random game."""

    def __init__(self, title: str, options: Options, chance: Chance, position: View) -> None:
        super().__init__(title, options, 0, name="twins")
        self.play = Judge(self.setting, chance)
        self.play._game = self.setting.rules.start(options, chance, position, stops=True)
        self.last = self.play.resolve(self.number, dict.fromkeys(self.sides, ""))

    def shown(self, viewer: str) -> dict[str, object]:
        """Everything of the last exchange that reaches a side, or whoever sees the other sides' mail."""
        seen, painter = self.last.seen[viewer], self.setting.title.pictures
        return {
            "stop": self.last.stop,
            "report": self.report(viewer),
            "public report": self.report("public", form=False),
            "view": canonical(seen.after),
            "told": canonical(seen.told),
            "public": canonical([self.last.seen["public"].after, self.last.seen["public"].told]),
            "asked": [(ask.kind, ask.rule, ask.legal, ask.default) for ask in self.open_asks(viewer)],
            "form": self.play.form(viewer),
            "left out": [str(one) for one in self.last.dropped.get(viewer, ())],
            "sizes for others": [len(self.sealed(side)) for side in self.sides if side != viewer],
            "over": self.outcome,
            "on file": self.play.on_file(viewer),
            "last seen": seen.remembered,
            "picture": painter.draw(seen.after, list(seen.told)).svg if painter else "",
        }

    def worked_out(self, viewer: str, orders: str) -> dict[str, object]:
        """What takes longer: the page of the report, and the check and the forecast of some orders."""
        language, view = self.setting.language, self.view(viewer)
        parsed = language.parse(orders, viewer)
        forecaster, follower = self.setting.title.forecast, self.play.follower(viewer)
        return {
            "page": report_page(self.report(viewer)).html,
            "check": [str(fault) for fault in (*parsed.faults, *language.check(parsed.orders, view))],
            "forecast": forecaster.forecast(parsed.orders, view, follower) if forecaster else (),
        }

    def sealed(self, side: str) -> bytes:
        """What of a side's report is sealed to its player."""
        return Part(self.report(side).encode(), LETTER_SIZE).filled
