"""A practice game of one person against bots: reports come out, orders go in, as with a judge."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

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

    def __init__(self, start: Start) -> None:
        self.start = start
        try:
            title = load(start.game)
            bots = title.bots
            if start.bot not in bots:
                raise ConfigError(
                    f"no bot is called {start.bot}; there are {', '.join(sorted(bots)) or 'none'}"
                )
            sides = title.rules.sides(start.options)
            if start.side not in sides:
                raise ConfigError(f"no side is called {start.side}; there are {', '.join(sides)}")
            seats = {side: PERSON if side == start.side else start.bot for side in sides}
            self.table = Table(start.game, start.options, start.seed, seats, NAME)
        except (UnknownOption, UnknownRules) as unknown:
            raise ConfigError(str(unknown)) from None
        self.rivals = {side: bots[start.bot](side) for side in sides if side != start.side}

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.table.outcome is not None

    @property
    def exchange(self) -> int:
        """The number of the exchange that is open."""
        return self.table.number + 1

    def report(self, *, form: bool = True) -> str:
        """Return the last report to the person's side."""
        return self.table.report(self.start.side, form=form, reads="pbem practice --send")

    def story(self) -> str:
        """Return the last report as it is read at a prompt, without form and lines for programs."""
        return self.report(form=False).partition("\nFOR PROGRAMS")[0]

    def form(self) -> str:
        """Return the order form of the last report to the person's side."""
        return self.table.play.form(self.start.side)

    def send(self, text: str) -> None:
        """Hand in the person's orders; the bots write theirs, and the exchange is resolved."""
        table = self.table
        texts = {side: bot.write(table.view(side), table.asks(side)) for side, bot in self.rivals.items()}
        table.exchange({**texts, self.start.side: parse_bare(text).body})

    def faulty(self, text: str) -> bool:
        """Tell whether any line in the orders will not count."""
        return any(not fault.remark for fault in self._read(text)[1])

    def doubtful(self, text: str) -> bool:
        """Tell whether a check of the orders finds anything that should be looked at again."""
        return bool(self._read(text)[1])

    def unread(self, text: str) -> str:
        """Return the faults in the last line of orders that are being written; "" if there are none."""
        last = len(text.splitlines())
        parsed = self.table.setting.language.parse(text, self.start.side)
        return "\n".join(str(one) for one in parsed.faults if one.line == last and not one.remark)

    def check(self, text: str) -> str:
        """Return the words of a check: what is wrong with orders, what is understood, what comes of them."""
        side, setting = self.start.side, self.table.setting
        orders, faults = self._read(text)
        forecaster = setting.title.forecast
        view, follower = self.table.view(side), self.table.play.follower(side)
        return setting.style.check_words(
            Echo(
                game=NAME,
                exchange=self.exchange,
                player=PERSON,
                side=side,
                said=setting.language.say(orders) if orders else "",
                faults=faults,
                forecast=forecaster.forecast(orders, view, follower) if forecaster else (),
            )
        )

    def _read(self, text: str) -> tuple[Orders, tuple[Fault, ...]]:
        side = self.start.side
        return read_orders(self.table.setting.language, parse_bare(text), side, self.table.view(side))


def read_orders(language: Language, draft: Draft, side: str, view: View) -> tuple[Orders, tuple[Fault, ...]]:
    """Return the orders of a draft, and the faults and doubts about them by the lines of the whole text."""
    parsed = language.parse("\n" * (draft.body_line - 1) + draft.body, side)
    return parsed.orders, (*parsed.faults, *language.check(parsed.orders, view))
