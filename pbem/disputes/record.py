"""The part of a game that a reader may have, from the judge's database or a bundle, and its cut into steps.

A step is answers, and everything that followed from them until the next answer was given.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace

from pbem.errors import ConfigError
from pbem.orders.base import Dropped
from pbem.play.adjudicate import Adjudication, Adjudicator
from pbem.play.history import Exchange, History
from pbem.play.resolve import Answered, Watch
from pbem.rules.base import Ask, Event, View
from pbem.trust import chance
from pbem.trust.act_entries import VOIDING
from pbem.trust.chance import OPEN_CHAIN, Die, Draw, Reveal
from pbem.trust.entries import AFTER_CLOSE, Genesis
from pbem.trust.orderfile import OrderFile

ALL = "all"
"""The name of the reader who may have everything."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """All that one reader may have of a game: ledger, order files, reveals and reports."""

    genesis: Genesis
    history: History
    reader: str
    """The name of the reader: a side, "public" or ALL."""
    files: Mapping[tuple[int, str], OrderFile] = field(default_factory=dict)
    """The order file that counts, by exchange and player."""
    late: Mapping[tuple[int, str], Reveal] = field(default_factory=dict)
    """The reveal after the close, by exchange and player."""
    secrets: Mapping[int, Reveal] = field(default_factory=dict)
    """The judge's step for what is drawn in secret, by exchange."""
    reports: Mapping[tuple[int, str], str] = field(default_factory=dict)
    """The report that was sent, by exchange and audience; only where the game cannot be played again."""

    @property
    def resolved_exchanges(self) -> list[Exchange]:
        """The exchanges that have been resolved and are not void."""
        return self.history.resolved

    @property
    def complete(self) -> bool:
        """Whether the record holds all that it takes to play the game again."""
        sources = [self.history.source(exchange) for exchange in self.resolved_exchanges]
        return all(
            source.number in self.secrets
            and all((source.number, player) in self.files for player in source.counted())
            for source in sources
        )

    def narrow_to(self, reader: str) -> Record:
        """Return the record of the same game for a reader who may have less.

        Raises:
            ConfigError: there is no such reader, or this record lacks what that reader may know.
        """
        readers = (*(player.side for player in self.genesis.players), "public")
        if reader not in readers:
            raise ConfigError(
                f"{self.genesis.game} has no reader called {reader}; there are {', '.join(readers)}"
            )
        if reader == self.reader:
            return self
        if self.reader != ALL:
            raise ConfigError(f"this bundle tells what {self.reader} knows, and not what {reader} does")
        return replace(
            self,
            reader=reader,
            files={place: file for place, file in self.files.items() if self.side_of(place[1]) == reader},
            late={},
            secrets={},
            reports={place: text for place, text in self.reports.items() if place[1] == reader},
        )

    def side_of(self, player: str) -> str:
        """Return the side that a player plays."""
        return next(one.side for one in self.genesis.players if one.name == player)

    def exchange(self, number: int) -> Exchange:
        """Return the resolved exchange of a number.

        Raises:
            ConfigError: no exchange has this number, or the exchange is still open.
        """
        exchanges = self.history.exchanges
        if not 1 <= number <= len(exchanges):
            raise ConfigError(
                f"{self.genesis.game} has {len(exchanges)} exchanges; there is no exchange {number}"
            )
        found = exchanges[number - 1]
        if found.voided_by:
            raise ConfigError(f"exchange {number} of {self.genesis.game} is void: {self._void_reason(found)}")
        if found.resolved is None:
            raise ConfigError(
                f"exchange {number} of {self.genesis.game} is still open: an answer now would show dice "
                "before they are rolled; ask again when it is resolved"
            )
        return found

    def _void_reason(self, exchange: Exchange) -> str:
        """Return the words that tell what made an exchange void, and what stands in its place."""
        act = next(
            act
            for one in self.history.exchanges
            if one.voided_by == exchange.voided_by
            for act in one.acts
            if act.what in VOIDING
        )
        later = [one for one in self.resolved_exchanges if self.history.source(one).number == exchange.number]
        return f"{act.said}" + (f"; it was played again as exchange {later[0].number}" if later else "")

    def source(self, number: int) -> Exchange:
        """Return the exchange whose orders and keys a resolved exchange was played with."""
        return self.history.source(self.exchange(number))

    def orders(self, number: int) -> dict[str, OrderFile]:
        """Return, by player, the order file that counts in an exchange."""
        source = self.history.source(self.history.exchanges[number - 1]).number
        return {player: file for (one, player), file in self.files.items() if one == source}

    def adjudicator(self, dice: chance.Dice | None = None, watch: Watch | None = None) -> Adjudicator:
        """Return an adjudicator that plays the game of this record anew."""
        return Adjudicator(self.genesis, dice, watch)

    def adjudicate(
        self, adjudicator: Adjudicator, exchange: Exchange, files: Mapping[str, OrderFile] | None = None
    ) -> Adjudication:
        """Resolve an exchange once more, with the order files that counted in it or with others."""
        source = self.history.source(exchange)
        resolve, number = source.resolved, source.number
        assert resolve is not None
        own = self.orders(number)
        if self.genesis.mode == AFTER_CLOSE:
            reveals = {player: reveal for (one, player), reveal in self.late.items() if one == number}
        else:
            reveals = {player: file.reveal for player, file in own.items() if file.reveal is not None}
        judge = next(reveal for reveal in resolve.reveals if reveal.who == OPEN_CHAIN)
        return adjudicator.resolve(
            self.history,
            exchange,
            own if files is None else files,
            reveals or self.history.brought(source),
            judge,
            self.secrets[number],
        )

    def play(self, adjudicator: Adjudicator) -> Iterator[tuple[Exchange, Adjudication]]:
        """Yield every resolved exchange with its adjudication, played again in turn."""
        for exchange in self.resolved_exchanges:
            yield exchange, self.as_it_was(adjudicator, exchange)

    def as_it_was(self, adjudicator: Adjudicator, exchange: Exchange) -> Adjudication:
        """Resolve an exchange once more, and check that the outcome is the one in the ledger.

        Raises:
            ConfigError: the installed release plays the exchange otherwise, and so could explain nothing.
        """
        result = self.adjudicate(adjudicator, exchange)
        if result.resolve != exchange.resolved or list(result.drawn) != exchange.drawn:
            raise ConfigError(
                f"the installed release does not play exchange {exchange.number} of {self.genesis.game} "
                f"as it was played; use the release that plays {exchange.rules[:16]}"
            )
        return result


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
    """Yield the exchange, the player and the fault, in words, of each order line that is not understood."""
    setting = Adjudicator(record.genesis).setting
    for (number, player), file in sorted(record.files.items()):
        for fault in setting.language.parse(file.body, record.side_of(player)).faults:
            if not fault.remark:
                yield number, player, str(fault)
