"""A table for a whole game, and a practice game of one person against bots, who sit at such a table.

Orders go in as text, exchanges are resolved, views and reports come out, as with a judge.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, ClassVar, cast

from pbem.errors import ConfigError
from pbem.orders import Fault, Orders
from pbem.orders.base import Language, NotSaved
from pbem.play.history import READY
from pbem.play.resolve import Play, Resolution
from pbem.play.setting import Setting, make_setting
from pbem.reports.base import Context, Echo
from pbem.rules import Ask, Outcome, Rules, UnknownRules
from pbem.rules.base import Chance, Game, UnknownOption, View
from pbem.titles import load
from pbem.trust.orderfile import Draft, parse_bare

NAME = "practice"
PERSON = "you"


class SeededChance:
    """Dice and draws that depend only on a seed and their label, so that orders never shift them."""

    def __init__(self, seed: object) -> None:
        self.seed = seed

    def roll(self, label: str, sides: int = 6) -> int:
        """Return the value of the die with a label."""
        return self._number(label) % sides + 1

    def draw(self, label: str, choices: tuple[str, ...]) -> str:
        """Return one of `choices`, drawn under a label."""
        return choices[self._number(label) % len(choices)]

    def _number(self, label: str) -> int:
        return int.from_bytes(sha256(f"{self.seed} {label}".encode()).digest()[:8], "big")


class BegunRules:
    """The rules of a game that begins from a position, and not from its set-up."""

    def __init__(self, rules: Rules, position: View) -> None:
        self._rules, self._position = rules, position

    def __getattr__(self, name: str) -> Any:
        return getattr(self._rules, name)

    def start(self, options: Mapping[str, Any], chance: Chance, *, stops: bool = False) -> Game:
        """Return a game that begins from the given position."""
        return self._rules.start(options, chance, self._position, stops)


@dataclass(frozen=True, slots=True)
class BegunSetting(Setting):
    """The setting of a game that begins from a position."""

    position: View

    @property
    def rules(self) -> Rules:
        """The rules of the game, which begin from the position."""
        return cast(Rules, BegunRules(self.title.rules, self.position))


class Table:
    """One game, from its set-up or a position to its end, without a judge.

    `memories`: what a side's reports remember when the game begins, as its title's memory loads it.
    """

    def __init__(
        self,
        game: str,
        options: Mapping[str, Any],
        seed: object,
        seats: Mapping[str, str] | None = None,
        name: str = "practice",
        *,
        saves: bool = False,
        position: View | None = None,
        memories: Mapping[str, Any] | None = None,
    ) -> None:
        self.setting: Setting = make_setting(name, game, options, seats or {})
        if position is not None:
            self.setting = BegunSetting(name, self.setting.title, options, seats or {}, position)
        self.seed, self.saves = seed, saves
        self.chance = SeededChance(seed)
        self.play = Play(self.setting, self.chance, saves=saves)
        for side, remembered in (memories or {}).items():
            self.play._memories[side] = self.setting.words.memory(side)
            self.play._memories[side].load(remembered)
        self.number = READY
        """The number of the exchange that was resolved last."""
        self.last: Resolution = self.play.resolve(READY, {})

    @property
    def sides(self) -> tuple[str, ...]:
        """The sides of the game, in the order of the rules."""
        return self.setting.sides

    @property
    def outcome(self) -> Outcome | None:
        """The outcome of the game; None while the game goes on."""
        return self.last.outcome

    def view(self, side: str) -> View:
        """Return the view that a side has of the game now."""
        return self.last.seen[side].after

    def report(self, side: str, *, form: bool = True, reads: str = "pbem seal") -> str:
        """Return a side's report on the last exchange as a judge writes it, with the order form if wanted.

        `reads`: the command that takes the form.
        """
        setting, seen, asks = self.setting, self.last.seen[side], self.open_asks(side)
        over = self.outcome is not None
        context = Context(
            game=setting.game,
            title=setting.rules.title,
            player=setting.seats.get(side, ""),
            seats=setting.seats,
            resolved=self.number,
            open=0 if over else self.number + 1,
            stop="" if over or self.last.stop == "asked" else self.last.stop,
            form="" if over or not form or side not in setting.sides else self.play.form(side),
            reads=reads,
            on_file=() if over or side not in setting.sides else self.play.on_file(side),
            answered=() if over or side not in setting.sides else self.play.answers_now(side),
            remembered=() if over else seen.remembered,
            dropped=self.last.dropped.get(side, ()),
            instead=self.last.instead(side),
        )
        return setting.style.report(side, seen.before or seen.after, seen.after, seen.told, asks, context)

    def open_asks(self, side: str) -> tuple[Ask, ...]:
        """Return the questions that a side is asked now."""
        return self.play.asks(side)

    def resume(self) -> None:
        """Continue from the saved state of the game and nothing else, as a judge does in the next pass.

        Raises:
            NotSaved: the game cannot be saved here.
            ValueError: the game loaded differs from the one saved.
        """
        saved = json.dumps(self.play.save())
        play = Play(self.setting, SeededChance(self.seed), saves=self.saves)
        try:
            play.load(json.loads(saved))
        except NotSaved as fault:
            raise ValueError(str(fault)) from None
        self.play = play

    def exchange(self, texts: Mapping[str, str | None]) -> Resolution:
        """Resolve the open exchange with each side's orders; None is a side that has sent nothing."""
        self.number += 1
        self.last = self.play.resolve(self.number, texts)
        return self.last


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
