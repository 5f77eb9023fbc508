"""Plays a resolved exchange once more with one order line or one house rule changed, in memory only.

Every label that was rolled or drawn anywhere in the game keeps its value, also if another exchange rolled
it. A label that was never rolled takes the value that the exchange's key gives it; that key has been
public since the exchange was resolved, so nothing is foretold. An open exchange is refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from difflib import unified_diff

from pbem.disputes.explain import heading
from pbem.disputes.record import Record
from pbem.errors import ConfigError
from pbem.play.adjudicate import Adjudication, Adjudicator, house_rule, option_text
from pbem.play.resolve import Answered
from pbem.reports.base import Context, fill
from pbem.rules.base import Ask
from pbem.trust import chance
from pbem.trust.entries import Genesis
from pbem.trust.faults import ChainFault
from pbem.trust.orderfile import OrderFile


@dataclass(frozen=True, slots=True)
class OtherLine:
    """A change of one order line of a side, put before the others or in the place of one of them."""

    side: str
    text: str
    place: int = 0
    """The number of the line that the change replaces, counted from 1 below ---; 0 if it adds a line."""


@dataclass(frozen=True, slots=True)
class OtherRule:
    """A change of one house rule, for a question what would have happened with it."""

    name: str
    value: str


Change = OtherLine | OtherRule

MAX_QUESTIONS = 8
MAX_LEGAL = 12
"""Maximum numbers of questions, and of possible answers to each, that are told about an order line."""


class KnownDice(chance.Dice):
    """Dice of a game that is played again, which fall as before; `fresh`: labels that never fell before."""

    __slots__ = ("fresh", "known", "known_draws")

    def __init__(self, rolled: list[chance.Die], drawn: list[chance.Draw]) -> None:
        super().__init__()
        self.known = {(die.label, die.sides): die.value for die in rolled}
        self.known_draws = {draw.label: draw.result for draw in drawn}
        self.fresh: list[str] = []

    def roll(self, label: str, sides: int = 6) -> int:
        """Return the value that a die's label had in the game, or else the one that the key gives it."""
        value = super().roll(label, sides)
        if (label, sides) not in self.known:
            self.fresh.append(f"{label} = {value}")
            return value
        self.rolled[-1] = replace(self.rolled[-1], value=self.known[label, sides])
        return self.rolled[-1].value

    def draw(self, label: str, choices: tuple[str, ...]) -> str:
        """Return what was drawn under a label in the game, if that can still be drawn, or else a new draw."""
        result = super().draw(label, choices)
        known = self.known_draws.get(label)
        if known not in choices:
            self.fresh.append(f"{label} = {result}")
            return result
        assert known is not None
        self.drawn[-1] = replace(self.drawn[-1], result=known)
        return known


def what_if(record: Record, number: int, change: Change) -> str:
    """Return the text that tells how an exchange would have gone with a change.

    Raises:
        ConfigError: the exchange is open or does not exist, the reader may not know everything, or the
            change cannot be understood.
    """
    record.exchange(number)
    if not record.complete:
        raise ConfigError(
            "this bundle does not open every order file, so nothing can be played again from it"
        )
    return "\n".join(_WhatIf(record, number, change).lines()) + "\n"


class _WhatIf:
    def __init__(self, record: Record, number: int, change: Change) -> None:
        self.record = record
        self.number = number
        self.change = change
        self.real = record.adjudicator()
        self.results = {exchange.number: result for exchange, result in record.play(self.real)}
        self.style = self.real.setting.style
        self.put: list[tuple[Answered, tuple[str, ...]]] = []
        """The answers in the exchange when it was played again, each with what was legal, as order lines say
        it."""
        self._rows: list[str] = []

    def _watch(self, answer: Answered, ask: Ask) -> None:
        if isinstance(self.change, OtherLine) and answer.side == self.change.side:
            spoken = self.real.setting.language.spoken
            self.put.append((answer, tuple(spoken(ask, text) for text in ask.legal)))

    def lines(self) -> Iterator[str]:
        dice = KnownDice(self.real.dice.rolled, self.real.dice.drawn)
        other = Adjudicator(self._genesis(), dice, self._watch)
        files = self._files()
        number = self.number
        for exchange in self.record.resolved_exchanges:
            if exchange.number > self.number:
                break
            fallen = len(dice.rolled)
            own = files if exchange.number == self.number else None
            dice.fresh.clear()
            try:
                result = self.record.adjudicate(other, exchange, own)
            except ChainFault as fault:
                raise ConfigError(f"this cannot be played: {fault}") from None
            number = exchange.number
            if number < self.number:
                self.put.clear()
            if number < self.number and not _same(result, self.results[number]):
                break
        yield f"WHAT IF, in exchange {self.number} of {self.record.genesis.game}: {self._render()}"
        yield "In memory only: the game, its ledger and its dice are as they were."
        if number < self.number:
            yield f"Exchange {number} would have changed before that. Only that one is shown: what comes"
            yield "after it would need orders that nobody has given."
        yield ""
        kept = len(dice.rolled) - fallen - sum("=" in one for one in self._fresh_rolls(dice, fallen))
        if isinstance(self.change, OtherLine) and self.change.text:
            yield from self._fate(self.change)
        yield from self._differences(self.results[number], result)
        yield "DICE"
        yield f"  {kept} dice have the values that they had."
        for label in dice.fresh:
            yield f"  never rolled in this game: {label} (from the key of exchange {number}, public since)"

    def _fresh_rolls(self, dice: KnownDice, fallen: int) -> list[str]:
        labels = {die.label for die in dice.rolled[fallen:]}
        return [one for one in dice.fresh if one.partition(" ")[0] in labels]

    def _render(self) -> str:
        match self.change:
            case OtherLine(side, text, 0):
                return f"{side} also orders '{text}'"
            case OtherLine(side, text, place):
                return (
                    f"line {place} of {side} reads '{text}'"
                    if text
                    else f"{side} does not write line {place}"
                )
            case OtherRule(name, value):
                was = option_text(self._options().get(name))
                changed = house_rule(self.real.setting, name, value)
                return f"{name} is {changed}, {'as it is in this game' if changed == was else f'not {was}'}"

    def _options(self) -> dict[str, object]:
        return self.real.setting.rules.checked(self.real.setting.options)

    def _genesis(self) -> Genesis:
        """Return the genesis of the game, with the house rule changed if that is the change."""
        genesis, change = self.record.genesis, self.change
        if isinstance(change, OtherLine):
            return genesis
        value = house_rule(self.real.setting, change.name, change.value)
        return replace(genesis, options=tuple((dict(genesis.options) | {change.name: value}).items()))

    def _files(self) -> dict[str, OrderFile]:
        """Return the order files of the exchange, with the line changed in one of them."""
        files, change = self.record.orders(self.number), self.change
        if isinstance(change, OtherRule):
            return files
        seats = self.real.setting.seats
        if change.side not in seats:
            raise ConfigError(f"no side called {change.side!r}; the sides are {', '.join(seats)}")
        player = seats[change.side]
        file = files.get(player) or OrderFile(
            game=self.record.genesis.game,
            exchange=self.record.source(self.number).number,
            player=player,
            side=change.side,
            rev=1,
            seal=self.record.source(self.number).seals[player],
        )
        rows = self._rows = file.body.split("\n") if file.body else []
        if not 0 <= change.place <= len(rows):
            raise ConfigError(
                f"the orders of {change.side} have {len(rows)} lines; there is no line {change.place}"
            )
        place = change.place - 1 if change.place else 0
        rows[place : place + (1 if change.place else 0)] = [change.text]
        body = "\n".join(rows)
        language = self.real.setting.language
        wrong = [fault for fault in language.parse(body, change.side).faults if not fault.remark]
        before = {str(fault) for fault in language.parse(file.body, change.side).faults}
        for fault in wrong:
            if fault.line == place + 1 and str(fault) not in before:
                raise ConfigError(f"the line cannot be understood: {fault}")
        return files | {player: replace(file, body=body)}

    def _fate(self, change: OtherLine) -> Iterator[str]:
        """Yield lines on what became of the order line: what it decided, or else what was possible."""
        yield "THE LINE"
        place = max(change.place, 1)
        decided = [one for one in self.put if (one[0].exchange, one[0].line) == (self.number, place)]
        for answer, legal in decided:
            yield f"  it decides, asked for {answer.kind} ({answer.rule}): {answer.said}"
            about = [text for text in legal if set(answer.said.split()[1:2]) & set(text.split())]
            yield from fill(
                f"possible answers: {'; '.join((about or list(legal))[:MAX_LEGAL])}", "    ", "    "
            )
        if not decided:
            under = heading(self._rows, place).rstrip(":")
            why = f"it counts only if '{under}' is true" if under else "the rules did not allow it"
            yield f"  it decides nothing: {why}"
            for kind, rule, possible in self._possible(change.text)[:MAX_QUESTIONS]:
                listed = "; ".join(possible[:MAX_LEGAL])
                yield from fill(f"asked for {kind} ({rule}), possible: {listed}", "  ", "    ")
        yield ""

    def _possible(self, line: str) -> list[tuple[str, str, tuple[str, ...]]]:
        """Return the questions that an order line may be for: the kind, rule and legal answers of each."""
        verb, *words = line.split() or [""]
        names = {word.strip(",") for word in words if word[0].isupper()}
        about = [
            (answer.kind, answer.rule, tuple(text for text in legal if names & set(text.split())))
            for answer, legal in self.put
        ]
        found = [one for one in dict.fromkeys(about) if one[2]]
        if not names:  # a game of cards writes none with a capital letter
            found = list(dict.fromkeys((answer.kind, answer.rule, legal) for answer, legal in self.put))
        return [one for one in found if any(text.startswith(f"{verb} ") for text in one[2])] or found

    def _differences(self, real: Adjudication, other: Adjudication) -> Iterator[str]:
        one, two = real.resolution, other.resolution
        before = one.seen["gm"].before
        yield from _diff_lines(
            "EVENTS",
            self.style.story(before, one.seen["gm"].told),
            self.style.story(before, two.seen["gm"].told),
        )
        yield from _diff_lines("POSITION", self._picture(real), self._picture(other))
        for side, dropped in two.dropped.items():
            for left_out in dropped:
                if left_out not in one.dropped[side]:
                    yield f"  {side}: {left_out}"
        yield "STOP"
        asked = [self._questions_in_words(adjudication) for adjudication in (real, other)]
        if asked[0] == asked[1]:
            yield f"  the judge stops at the same place: {asked[0]}"
        else:
            yield f"  the judge stopped here: {asked[0]}"
            yield f"  the judge would have stopped here: {asked[1]}"
            yield "  so later dice would have come from the keys of other exchanges"
        yield ""

    def _picture(self, adjudication: Adjudication) -> list[str]:
        setting = self.real.setting
        context = Context(game=setting.game, title=setting.rules.title, seats=setting.seats)
        return self.style.show("gm", adjudication.resolution.seen["gm"].after, context).split("\n")

    def _questions_in_words(self, adjudication: Adjudication) -> str:
        resolution = adjudication.resolution
        moment = self.real.setting.words.moment(resolution.seen["gm"].after)
        return f"{moment} ({resolution.stop})"


def _same(one: Adjudication, other: Adjudication) -> bool:
    """Tell whether two adjudications went the same way, except for the house rule that their views show."""
    first, second = one.resolution, other.resolution
    return (one.resolve, one.drawn, first.answers, first.stop, first.seen["gm"].told) == (
        other.resolve,
        other.drawn,
        second.answers,
        second.stop,
        second.seen["gm"].told,
    )


def _diff_lines(head: str, real: list[str], other: list[str]) -> Iterator[str]:
    """Yield the lines that differ, - as it was and + as it would have been, with a line around each."""
    yield head
    rows = list(unified_diff(real, other, lineterm="", n=1))[2:]
    if not rows:
        yield "  the same"
    yield from (f"  {row}" if not row.startswith("@@") else "  ..." for row in rows)
    yield ""
