"""Explains events of a game: whose order line caused them, by which rules, with which dice, who knew what.

A person names an event in a few words: `1297.2 battle fife`, `winter 1297 ross`.

Whoever may have everything is shown the steps of the game as it is played again. A side, or the public,
is shown what its reports told, its own orders and the open dice, and nothing that it could not have
worked out from these: which questions were put to others is theirs.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from pbem.disputes.record import ALL, Record, Step, Walk, faults, walk
from pbem.errors import ConfigError
from pbem.play.adjudicate import Adjudicator, option_text
from pbem.play.resolve import Answered
from pbem.reports.base import Context, fill
from pbem.rules import rulings_on
from pbem.trust.chance import dice_lines, draw_lines
from pbem.trust.identifiers import is_number
from pbem.trust.orderfile import OrderFile
from pbem.trust.times import utc_text

_WHOLE = re.compile(r"\d+\.\d+|\w+-\d+")
"""A pattern of words that are never the beginning of another word, such as a turn, or the third battle."""
_SMALL = frozenset(("a", "an", "and", "at", "by", "from", "in", "of", "the", "to", "with"))
"""Words of a query that say nothing about the event that is looked for."""
YEAR_DIGITS = 4
SHORTEST = 3
"""Least number of letters of a word that also finds longer words which begin with it."""


@dataclass(frozen=True, slots=True)
class Query:
    """A query for an event: words, all of which must fit, and the exchange in which to look."""

    words: tuple[str, ...]
    exchange: int = 0
    """The number of the exchange in which to look; 0 for all exchanges."""

    def fits(self, text: str, exchange: int) -> bool:
        """Tell whether a text fits this query by its words, and by the exchange that it is about."""
        if self.exchange and exchange != self.exchange:
            return False
        words = text.split()
        found = {*words, *(f"{one}-{other}" for one, other in pairwise(words) if other.isdigit())}
        return all(
            word in found
            or (
                len(word) >= SHORTEST
                and not _WHOLE.fullmatch(word)
                and any(w.startswith(word) or f"{w}s" == word for w in found)
            )
            for word in self.words
        )

    def __str__(self) -> str:
        parts = [*([f"exchange {self.exchange}"] if self.exchange else []), *self.words]
        return " ".join(parts)


def read_query(text: str, example: str) -> Query:
    """Return the query that a person typed; `example` says what can be typed in this game.

    Raises:
        ConfigError: the query says nothing, or the exchange has no number.
    """
    words = [word for word in plain_words(text).split() if word not in _SMALL]
    exchange = 0
    if "exchange" in words:
        place = words.index("exchange")
        number = words[place + 1] if place + 1 < len(words) else ""
        if not is_number(number):
            raise ConfigError(f"after 'exchange' write its number, not '{number}'; name {example}")
        exchange = int(number)
        del words[place : place + 2]
    for place in range(len(words) - 1, 0, -1):
        if words[place].isdigit() and len(words[place]) < YEAR_DIGITS and words[place - 1].isalpha():
            words[place - 1 : place + 1] = [f"{words[place - 1]}-{words[place]}"]  # round 3, battle 2, turn 1
    if not words and not exchange:
        raise ConfigError(f"name the event: {example}")
    return Query(tuple(words), exchange)


def plain_words(text: str) -> str:
    """Return a text in lower case, with blanks in place of punctuation, so that words can be compared."""
    return re.sub(r"[^\w.\-\n]+", " ", text.lower().replace("/", " "))


CASES = ("if", "when", "otherwise", "else")
"""Words with which the heading of a conditional part of an order file begins."""
_MARGIN = " >*\t\r"
"""Characters at the ends of an order line that say nothing."""
MAX_STEPS = 40
"""Maximum number of steps that are explained in full; if more fit the query, they are only listed."""


def explain(record: Record, text: str, *, pictures: bool = False) -> str:
    """Return the text that tells what caused the events that `text` names.

    With `pictures` the text also shows what each side saw before the first of them.

    Raises:
        ConfigError: no event and no order of the game fits the text.
    """
    query = read_query(text, Adjudicator(record.genesis).setting.words.example)
    if query.exchange:
        record.exchange(query.exchange)
    if record.reader == ALL:
        lines = list(_Referee(record, query, pictures).lines())
    else:
        lines = list(_Reader(record, query).lines())
    return "\n".join(lines) + "\n"


class NothingFits(ConfigError):
    """Raised for a query that finds nothing.

    That too is an answer from secrets, so it counts as a look of the game master at them.
    """


class _Referee:
    """The explanation of events for a reader who may have everything."""

    def __init__(self, record: Record, query: Query, pictures: bool) -> None:
        self.record = record
        self.query = query
        self.pictures = pictures
        self.setting = Adjudicator(record.genesis).setting
        self.words, self.style = self.setting.words, self.setting.style

    def lines(self) -> Iterator[str]:
        first = walk(self.record)
        chosen = self._matching_steps(first)
        wrong = list(self._wrong(first))
        ordered = [] if chosen else list(self._idle_lines())
        if not chosen and not wrong and not ordered:
            raise NothingFits(
                f"nothing in {self.record.genesis.game} fits '{self.query}'; name {self.words.example}"
            )
        if len(chosen) > MAX_STEPS:
            yield f"{len(chosen)} steps fit '{self.query}'; add a word or an exchange. They are in"
            counts = Counter(first.steps[number].exchange for number in chosen)
            yield from (f"  exchange {exchange}: {count}" for exchange, count in counts.items())
            return
        found = walk(self.record, chosen)
        for place, number in enumerate(chosen, 1):
            yield f"STEP {place} of {len(chosen)}"
            yield from self._step(found, found.steps[number])
            yield ""
        if chosen:
            yield from self._rules(found, [found.steps[number] for number in chosen])
            yield from key_lines(self.record, {found.steps[number].exchange for number in chosen})
            if self.pictures:
                yield from self._pictures(found.steps[chosen[0]])
        yield from wrong
        yield from ordered

    def _idle_lines(self) -> Iterator[str]:
        """Yield the order lines that fit the query although no step does: they decided nothing."""
        lines = [
            line
            for (number, player), file in sorted(self.record.files.items())
            for line in fitting_lines(file, self.query, f"{player} {self.record.side_of(player)}", number)
        ]
        if lines:
            yield "ORDER LINES THAT DECIDED NOTHING (a line counts only if the heading above it is true)"
            yield from lines

    def _matching_steps(self, found: Walk) -> list[int]:
        """Return the numbers of steps that fit a query by their events or the answers that caused them."""
        if not found.told:
            return []
        label = plain_words(str(self.query))  # a whole one: its words may be those of another die, too
        if named := [
            number
            for number, step in enumerate(found.steps)
            if label in (plain_words(die.label) for die in step.rolled)
        ]:
            return named
        words = self.words.search_words(found.told["gm"])
        chosen = []
        for number, step in enumerate(found.steps):
            texts = [plain_words(f"{when} {what}") for when, what in words[step.first : step.last]]
            context = words[step.first - 1][0] if step.first else ""
            texts += [
                plain_words(f"{context} {one.side} {one.kind} {one.text} order") for one in step.answers
            ]
            texts += [plain_words(f"{die.label} die dice") for die in step.rolled]
            if any(self.query.fits(text, step.exchange) for text in texts):
                chosen.append(number)
        return chosen

    def _step(self, found: Walk, step: Step) -> Iterator[str]:
        view = step.before.get("gm")
        moment = self.words.moment(view) if view else "set-up"
        yield f"  exchange {step.exchange}; {moment}"
        if not step.answers:
            yield "  nobody was asked: it follows from what was decided before"
        for answer in step.answers:
            yield from self._answer(answer, step.exchange)
        told = found.told["gm"][step.first : step.last]
        story = self.style.story(view, told)
        if story:
            yield "  what happened:"
            yield from (f"    {line}" if line else "" for line in story)
        resolve = self.record.exchange(step.exchange).resolved
        assert resolve is not None
        if step.rolled:
            yield "  dice:"
            yield from dice_lines(step.rolled, resolve.mix)
        if step.drawn:
            yield "  drawn in secret:"
            secret = next(one.secret_mix for one in found.results if one.resolve.exchange == step.exchange)
            yield from draw_lines(step.drawn, secret.name if self.record.history.over else None)
        yield "  what each side was told of it:"
        for side in self.setting.sides:
            own = self.style.story(step.before.get(side), found.told[side][step.first : step.last])
            said = [line for line in own if line] or ["nothing"]
            same = own == story
            yield from (
                [f"    {side}: the same"] if same else [f"    {side}:", *(f"      {one}" for one in said)]
            )

    def _answer(self, answer: Answered, exchange: int) -> Iterator[str]:
        player = self.setting.seats[answer.side]
        yield f"  {answer.side} ({player}), asked for {answer.kind} ({answer.rule}): {answer.said}"
        if answer.by == "default":
            sent = player in self.record.orders(exchange)
            why = f"the orders of {player} say nothing about it" if sent else f"{player} sent no orders"
            yield f"    by default: {why}"
            return
        if not answer.exchange:
            yield f"    by the orders of {player}, as the rulings read them; no single line says it"
            return
        yield f"    by {self._source(answer.exchange, player, answer.line)}"

    def _source(self, exchange: int, player: str, line: int) -> str:
        """Return a description of an order line: the file, its revision and hash, the line as written."""
        file = self.record.files[exchange, player]
        entry = self.record.history.exchanges[exchange - 1].counted()[player]
        name = f"the orders of {player} for exchange {exchange}, revision {file.rev}"
        rows = file.body.split("\n")
        written = f", {told_line(rows, line)}" if 1 <= line <= len(rows) else ""
        return f"{name} (sealed/{entry.sealed[:16]}...){written}"

    def _rules(self, found: Walk, steps: list[Step]) -> Iterator[str]:
        kinds = {one["event"] for step in steps for one in found.told["gm"][step.first : step.last]}
        sections = {section for kind in kinds for section in self.words.sections(kind)}
        sections |= {answer.rule for step in steps for answer in step.answers}
        yield from rule_lines(self.record, sections)

    def _pictures(self, step: Step) -> Iterator[str]:
        for side in self.setting.sides:
            view = step.before.get(side)
            if view is not None:
                context = Context(
                    game=self.setting.game, title=self.setting.rules.title, seats=self.setting.seats
                )
                yield f"WHAT {side.upper()} SAW BEFORE THE FIRST OF THESE"
                yield ""
                yield from self.style.show(side, view, context).rstrip("\n").split("\n")
                yield ""

    def _wrong(self, found: Walk) -> Iterator[str]:
        """Yield the orders that fit the query and were refused, left out or not understood."""
        lines: list[str] = []
        for exchange, side, dropped in found.dropped:
            player = self.setting.seats[side]
            text = plain_words(
                f"{dropped.text} {dropped.reason} {side} {player} order refused illegal dropped"
            )
            if self.query.fits(text, exchange):
                lines += [f"  exchange {exchange}, {side} ({player}), {dropped}"]
                lines += [
                    f"    ruling: {ruling}"
                    for ruling in rulings_on(self.setting.title.rulings, (dropped.rule,))
                    if dropped.rule
                ]
        for exchange, player, fault in faults(self.record):
            text = plain_words(
                f"{fault} {player} {self.record.side_of(player)} order refused illegal dropped"
            )
            if self.query.fits(text, exchange):
                lines += [f"  exchange {exchange}, {player}, not understood: {fault}"]
        lines += refused_lines(self.record, self.query)
        if not lines and {"refused", "illegal", "dropped"} & set(self.query.words):
            lines.append(f"  none: nothing that fits '{self.query}' was refused or left out")
        if lines:
            yield "ORDERS THAT WERE NOT CARRIED OUT"
            yield from lines
        if arrived := arrivals(self.record, self.query):
            yield "FILES THAT ARRIVED"
            yield from arrived


class _Reader:
    """The explanation of events for one side, or the public: only what that reader was told."""

    def __init__(self, record: Record, query: Query) -> None:
        self.record = record
        self.query = query
        self.setting = Adjudicator(record.genesis).setting

    def lines(self) -> Iterator[str]:
        found = False
        exchanges: set[int] = set()
        for exchange in self.record.resolved_exchanges:
            arrived = list(self._exchange(exchange.number))
            if arrived:
                found = True
                exchanges.add(exchange.number)
                yield f"EXCHANGE {exchange.number}, as {self.record.reader} knows it"
                yield from arrived
                yield ""
        refused = [*refused_lines(self.record, self.query), *arrivals(self.record, self.query)]
        if not refused and "refused" in self.query.words:
            refused.append(f"  none: no file that fits '{self.query}' was refused")
        yield from refused
        if not found and not refused:
            raise NothingFits(
                f"nothing that {self.record.reader} knows of {self.record.genesis.game} fits '{self.query}'"
            )
        if exchanges:
            yield from key_lines(self.record, exchanges)
        yield "a bundle of everything tells more, when the game is over"

    def _exchange(self, number: int) -> Iterator[str]:
        exchange = self.record.exchange(number)
        resolve = exchange.resolved
        assert resolve is not None
        began = context = self._began(number)
        report = self.record.reports.get((number, self.record.reader), "")
        for part in self.setting.style.told_in(report):
            context = self._time_of(part[0]) or context  # a new time is told in a paragraph of its own
            if self.query.fits(f"{plain_words(' '.join(part))} {context}", number):
                yield from (f"  {line}" for line in part)
        yield from self._own_orders(number, began)
        dice = [die for die in resolve.dice if self.query.fits(f"{plain_words(die.label)} dice", number)]
        if dice:
            yield "  dice:"
            yield from dice_lines(dice, resolve.mix)

    def _began(self, number: int) -> str:
        """Return the time in the game at which an exchange began, as the report before it has it."""
        before = self.record.reports.get((number - 1, self.record.reader), "")
        return next((self._time_of(line) for line in before.split("\n") if line.startswith("Now: ")), "")

    def _time_of(self, paragraph: str) -> str:
        return plain_words(self.setting.words.time_of(paragraph))

    def _own_orders(self, number: int, context: str) -> Iterator[str]:
        for player, file in self.record.orders(number).items():
            if self.record.side_of(player) != self.record.reader:
                continue
            yield from fitting_lines(file, self.query, context, number)


def fitting_lines(file: OrderFile, query: Query, context: str, number: int) -> Iterator[str]:
    """Yield the lines of an order file that fit a query, each with the heading under which it stands."""
    rows = file.body.split("\n")
    for place, line in enumerate(rows, 1):
        if line.strip() and query.fits(f"{plain_words(line)} {context}", number):
            name = f"the orders of {file.player} for exchange {file.exchange}, revision {file.rev}"
            yield f"  {name}, {told_line(rows, place)}"


def told_line(rows: list[str], place: int) -> str:
    """Return a description of an order line, and the heading whose condition governs the line."""
    under = heading(rows, place)
    return f"line {place} below ---: '{rows[place - 1].strip()}'{f', under {under!r}' if under else ''}"


def heading(rows: list[str], place: int) -> str:
    """Return the nearest line above an order line that ends with a colon; "" if none does or `end` is nearer.

    A line that opens a case itself stands beside the cases above it, not in them.
    """
    is_case = _opens_case(rows[place - 1])
    for row in reversed(rows[: place - 1]):
        text = row.strip(_MARGIN).lower()
        if text.partition(" ")[0] == "end":
            return ""
        if text.endswith(":") and not (is_case and _opens_case(row)):
            return row.strip()
    return ""


def _opens_case(row: str) -> bool:
    """Tell whether an order line is the heading of a conditional part."""
    text = row.strip(_MARGIN).lower()
    return text.endswith(":") and text.rstrip(":").partition(" ")[0] in CASES


def rule_lines(record: Record, sections: set[str]) -> Iterator[str]:
    """Yield lines on sections of the rules: rulings on them, and house rules that these leave to a club."""
    setting = Adjudicator(record.genesis).setting
    ordered = tuple(sorted((one for one in sections if one), key=_by_number))
    yield "RULES"
    yield from fill(f"sections {', '.join(ordered)} of the rules of {setting.rules.title}", "  ", "    ")
    options = setting.rules.checked(setting.options)
    for ruling in rulings_on(setting.title.rulings, ordered):
        yield from fill(str(ruling), "  ", "    ")
        for name in ruling.house_rules:
            if name in options:
                yield f"    house rule of this game: {name} = {option_text(options[name])}"
    yield ""


def _by_number(section: str) -> list[tuple[int, str]]:
    return [(int(part) if part.isdigit() else 0, part) for part in section.split(".")]


def key_lines(record: Record, exchanges: set[int]) -> Iterator[str]:
    """Yield lines that tell where the keys of the dice come from."""
    yield "KEYS"
    for number in sorted(exchanges):
        source = record.source(number)
        resolve = source.resolved
        assert resolve is not None
        contributors = ", ".join(reveal.who for reveal in resolve.reveals)
        again = f" (exchange {source.number}, played again)" if source.number != number else ""
        yield f"  exchange {number}{again}: {resolve.mix}"
        yield from fill(f"from the secrets of {contributors}; to make it again, in a bundle: ", "    ")
        yield f"    sha256sum < mix/{source.number}.txt"
    yield ""


def refused_lines(record: Record, query: Query) -> list[str]:
    """Return lines about whole files that were refused; they are public, for the ledger tells them to all."""
    return [
        f"  exchange {exchange.number}: the file sealed/{entry.sealed[:16]}... was refused: "
        f"{entry.reason} (12.3)"
        for exchange in record.history.exchanges
        for entry in exchange.refused
        if query.fits(f"file order refused {plain_words(entry.reason)} {entry.sealed}", exchange.number)
    ]


def arrivals(record: Record, query: Query) -> list[str]:
    """Return lines on what was received from whom, and when (public), if the query asks for `received`."""
    if not {"received", "arrived"} & set(query.words):
        return []
    found = []
    for exchange in record.history.exchanges:
        for player in exchange.seals:
            if not query.fits(
                plain_words(f"file orders received arrived {player} {record.side_of(player)}"),
                exchange.number,
            ):
                continue
            found += [
                f"  exchange {exchange.number}: of {player}, revision {entry.rev}"
                f"{f', at {utc_text(entry.at)}' if entry.at else ''} (sealed/{entry.sealed})"
                for entry in exchange.received
                if entry.player == player
            ] or [f"  exchange {exchange.number}: nothing of {player}"]
            if exchange.deadline is not None:
                closed = exchange.closed.at if exchange.closed else None
                ending = f", closed at {utc_text(closed)}" if closed else ""
                ending += "; void" if exchange.voided_by else ""
                found.append(f"    deadline {utc_text(exchange.deadline)}{ending}")
    return found
