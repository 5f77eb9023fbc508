"""A game cut into steps: answers, and everything that followed from them until the next was given."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from pbem.disputes.record import Record
from pbem.orders.base import Dropped
from pbem.play.adjudicate import Adjudication, Adjudicator
from pbem.play.resolve import Answered
from pbem.rules.base import Ask, Event, View
from pbem.trust.chance import Die, Draw


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step of a game. `first` and `last` are places of its events among all events of the game."""

    exchange: int
    answers: tuple[Answered, ...]
    """The answers without which the step would not have happened; empty at a game's set-up."""
    first: int
    last: int
    rolled: tuple[Die, ...]
    drawn: tuple[Draw, ...]
    before: Mapping[str, View] = field(default_factory=dict)
    """The view of each audience before the step; empty unless it was asked for."""


@dataclass(slots=True)
class Walk:
    """A whole game, cut into steps of answers and their consequences."""

    steps: list[Step] = field(default_factory=list)
    told: Mapping[str, list[Event]] = field(default_factory=dict)
    dropped: list[tuple[int, str, Dropped]] = field(default_factory=list)
    """The lines of orders that could not be carried out, each with its exchange and side."""
    results: list[Adjudication] = field(default_factory=list)


def walk(record: Record, wanted: Collection[int] = ()) -> Walk:
    """Play a game again and return it in steps; `wanted` are steps before which everybody's view is kept."""
    return _Walker(record, wanted).go()


class _Walker:
    def __init__(self, record: Record, wanted: Collection[int]) -> None:
        self.record = record
        self.wanted = wanted
        self.walk = Walk()
        self.adjudicator = Adjudicator(record.genesis, watch=self._watch)
        self.audiences = (*self.adjudicator.setting.sides, "public", "gm")
        self.answers: list[Answered] = []
        self.told = self.rolled = self.drawn = 0
        self.before: dict[str, View] = {}
        self.exchange = 0

    def go(self) -> Walk:
        for exchange in self.record.resolved_exchanges:
            self.exchange = exchange.number
            if self.adjudicator.play.begun:
                self._look()
            result = self.record.as_it_was(self.adjudicator, exchange)
            self.walk.results.append(result)
            self._cut()
            self.walk.dropped += [
                (exchange.number, side, one)
                for side, dropped in result.resolution.dropped.items()
                for one in dropped
            ]
        play = self.adjudicator.play
        if play.begun:
            self.walk.told = {audience: play.game.told(audience) for audience in self.audiences}
        return self.walk

    def _watch(self, answer: Answered, _ask: Ask) -> None:
        """Note that an answer is about to be given; all events so far belong to earlier answers."""
        self._cut()
        self._look()
        self.answers.append(answer)

    def _look(self) -> None:
        """Keep the view of each audience, if a wanted step begins here."""
        if not self.answers and len(self.walk.steps) in self.wanted:
            self.before = {audience: self.adjudicator.play.game.view(audience) for audience in self.audiences}

    def _cut(self) -> None:
        """End the step of a game that is being read, if anything has followed from the step's answers."""
        dice, play = self.adjudicator.dice, self.adjudicator.play
        told = self.told + len(play.game.told("gm", self.told))
        if (told, len(dice.rolled), len(dice.drawn)) == (self.told, self.rolled, self.drawn):
            return
        self.walk.steps.append(
            Step(
                exchange=self.exchange,
                answers=tuple(self.answers),
                first=self.told,
                last=told,
                rolled=tuple(dice.rolled[self.rolled :]),
                drawn=tuple(dice.drawn[self.drawn :]),
                before=self.before,
            )
        )
        self.told, self.rolled, self.drawn = told, len(dice.rolled), len(dice.drawn)
        self.answers, self.before = [], {}


def faults(record: Record) -> Iterator[tuple[int, str, str]]:
    """Yield every order line that could not be understood, with its exchange, player and fault."""
    setting = Adjudicator(record.genesis).setting
    for (number, player), file in sorted(record.files.items()):
        for fault in setting.language.parse(file.body, record.side_of(player)).faults:
            if not fault.remark:
                yield number, player, str(fault)
