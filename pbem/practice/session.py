"""A practice game of one person against bots: reports come out, orders go in, as with a judge."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from pbem.errors import ConfigError
from pbem.orders import Fault, Orders
from pbem.orders.base import Language
from pbem.practice.table import Table
from pbem.reports.base import Echo
from pbem.rules import UnknownRules
from pbem.rules.base import UnknownOption, View
from pbem.titles import load
from pbem.trust.draft import Draft, parse_bare

NAME = "practice"
PERSON = "you"


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """The choices with which a practice game is begun; they and the orders sent are the whole game."""

    game: str
    options: Mapping[str, Any]
    seed: str
    side: str
    """The side that the person plays."""
    bot: str
    """The name of the bot that plays all other sides."""


class Session:
    """One practice game of a person against bots.

    Raises:
        ConfigError: no such game, option, side or bot.
    """

    name: ClassVar = NAME
    reads: ClassVar = "pbem practice --send"
    """The command that takes the orders of the practice game, as its reports name it."""

    def __init__(self, start: Start) -> None:
        self.start = start
        self.side = start.side
        """The side for which orders are written now."""
        try:
            self._sit_down()
        except (UnknownOption, UnknownRules) as unknown:
            raise ConfigError(str(unknown)) from None

    def _sit_down(self) -> None:
        """Give each side its player, and begin the game."""
        start = self.start
        title = load(start.game)
        bots = title.bots
        if start.bot not in self._players(tuple(bots)):
            raise ConfigError(
                f"no bot is called {start.bot}; there are {', '.join(sorted(self._players(tuple(bots))))}"
            )
        sides = title.rules.sides(start.options)
        if start.side not in sides:
            raise ConfigError(f"no side is called {start.side}; there are {', '.join(sides)}")
        self.seats = {side: PERSON if side == start.side else start.bot for side in sides}
        self.rivals = {side: bots[name](side) for side, name in self.seats.items() if name in bots}
        self.table = self._begin()

    def _players(self, bots: tuple[str, ...]) -> tuple[str, ...]:
        """Return the names of those who may play the other sides."""
        return bots

    def _begin(self) -> Table:
        """Return the table at which the practice game begins."""
        start = self.start
        return Table(start.game, start.options, start.seed, self.seats, self.name)

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self.table.outcome is not None

    @property
    def exchange(self) -> int:
        """The number of the exchange that is open."""
        return self.table.number + 1

    def report(self, *, form: bool = True) -> str:
        """Return the last report to the side for which the person writes orders now."""
        return self.table.report(self.side, form=form, reads=self.reads)

    def story(self) -> str:
        """Return the last report as it is read at a prompt, without form and lines for programs."""
        return self.report(form=False).partition("\nFOR PROGRAMS")[0]

    def form(self) -> str:
        """Return the order form of the last report to the person's side."""
        return self.table.play.form(self.side)

    def send(self, text: str) -> None:
        """Hand in the person's orders; the bots write theirs, and the exchange is resolved."""
        self.table.exchange({**self._bots_orders(), self.side: parse_bare(text).body})

    def _bots_orders(self) -> dict[str, str]:
        """Return the orders that the bots write now, by side."""
        table = self.table
        return {side: bot.write(table.view(side), table.open_asks(side)) for side, bot in self.rivals.items()}

    def faulty(self, text: str) -> bool:
        """Tell whether any line in the orders will not count."""
        return any(not fault.remark for fault in self._read(text)[1])

    def doubtful(self, text: str) -> bool:
        """Tell whether a check of the orders finds anything that should be looked at again."""
        return bool(self._read(text)[1])

    def unread(self, text: str) -> str:
        """Return the faults in the last line of orders that are being written; "" if there are none."""
        last = len(text.splitlines())
        parsed = self.table.setting.language.parse(text, self.side)
        return "\n".join(str(one) for one in parsed.faults if one.line == last and not one.remark)

    def check(self, text: str) -> str:
        """Return the words of a check: what is wrong with orders, what is understood, what comes of them."""
        side, setting = self.side, self.table.setting
        orders, faults = self._read(text)
        forecaster = setting.title.forecast
        view, follower = self.table.view(side), self.table.play.follower(side)
        return setting.style.check_words(
            Echo(
                game=self.name,
                exchange=self.exchange,
                player=PERSON,
                side=side,
                said=setting.language.say(orders) if orders else "",
                faults=faults,
                forecast=forecaster.forecast(orders, view, follower) if forecaster else (),
            )
        )

    def _read(self, text: str) -> tuple[Orders, tuple[Fault, ...]]:
        side = self.side
        return read_orders(self.table.setting.language, parse_bare(text), side, self.table.view(side))


def read_orders(language: Language, draft: Draft, side: str, view: View) -> tuple[Orders, tuple[Fault, ...]]:
    """Return the orders of a draft, and the faults and doubts about them by the lines of the whole text."""
    parsed = language.parse("\n" * (draft.body_line - 1) + draft.body, side)
    return parsed.orders, (*parsed.faults, *language.check(parsed.orders, view))
