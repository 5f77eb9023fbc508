"""The plain-text report that all games share: the order of its parts, and the parts that no game changes.

A game brings `Words`; the layout is templates/report.txt.j2, which includes the game's own template.
Besides the reader's view and events only the `Context` comes in, and every line of the result is at
most `WIDTH` columns of ASCII.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from pbem.characters import BLANKS, strip_blanks, wrap
from pbem.orders.base import faults_in_words, listed
from pbem.rendering import render
from pbem.reports.base import NOTHING_ASKED, WIDTH, Context, Dice, Echo, Roll, fill, hanging_indent
from pbem.reports.packing import pack_view
from pbem.reports.words import Words
from pbem.rules import Ask
from pbem.rules.base import Event, View

UNASKED = f"{NOTHING_ASKED}. Send a bare file, without orders (pbem seal --bare), or send orders in advance."
ON_FILE = "YOUR EARLIER ORDERS THAT STILL COUNT"
STORY = "WHAT HAPPENED"
"""The heading below which a report tells its story."""


class Style:
    """The writer of a game's reports and receipts for people, from the words and templates of the game."""

    def __init__(self, words: Words, folders: tuple[Path, ...] = ()) -> None:
        self.words = words
        self.folders = folders
        """The folders in which the game's own templates lie."""

    def report(
        self,
        reader: str,
        before: View,
        view: View,
        told: Sequence[Event],
        asks: Sequence[Ask],
        context: Context,
    ) -> str:
        """Return the report to a side, "public" or "gm".

        `before` and `view` are that reader's views when the exchange opened and now, `told` what they
        have been told in between, `asks` what their own side is asked now.
        """
        own = [ask for ask in asks if ask.side == reader]
        idle = context.player and context.open and not own and not context.stop
        text = render(
            "report.txt.j2",
            self.folders,
            position=self.words.template,
            headline=list(self._headline(reader, view, context)),
            again=again_lines(context),
            outcome=fill(self.words.outcome(view)),
            story=[*self._silent_lines(reader, context), *self.words.story(before, told)],
            dropped=[line for one in context.dropped for line in fill(f"{one}", "  ", "    ")],
            instead=fill(f"The judge played the default instead: {'; '.join(context.instead)}.")
            if context.instead
            else [],
            on_file=list(self._on_file(context)),
            remembered=context.remembered,
            questions=[] if context.form else [line for ask in own for line in self._question(ask)],
            unasked=fill(UNASKED if context.form else f"{NOTHING_ASKED}.") if idle else [],
            stop=fill(f"Needed now: {self.words.stops[context.stop]}.") if context.stop else [],
            waiting=fill(f"The judge waits for orders from {listed(context.waiting)}.")
            if context.waiting
            else [],
            silence=[line for said in context.silence for line in fill(said, "  ", "    ")],
            form=_form_lines(context.form, idle=bool(idle)),
            reads=context.reads,
            dice=dice_lines(context.dice) if context.dice else [],
            ledger=ledger_lines(context),
            packed=pack_view(view, told, own),
            **self.words.position(view),
        )
        return tidy(text)

    def _silent_lines(self, reader: str, context: Context) -> Iterator[str]:
        """Yield lines on who sent nothing; what they do by default would look like what they ordered."""
        for side, times in context.silent:
            who, whose = ("you", "your") if side == reader else (self.words.sides[side], "their")
            often = f", for exchange {context.resolved} and {times - 1} before it" if times > 1 else ""
            open_questions = f"what {whose} earlier orders leave open is answered by default"
            yield from fill(f"Nothing came from {who}{often}: {open_questions}.")
        if context.silent:
            yield ""

    def show(self, reader: str, view: View, context: Context) -> str:
        """Return the position of a game as text, without the story of what happened."""
        text = render(
            "show.txt.j2",
            self.folders,
            position=self.words.template,
            headline=list(self._headline(reader, view, context)),
            outcome=fill(self.words.outcome(view)),
            **self.words.position(view),
        )
        return tidy(text)

    def story(self, before: View | None, told: Sequence[Event]) -> list[str]:
        """Return in lines what happened since `before` (None: before the set-up), as told to its reader."""
        return self.words.story(before, told) if told else []

    def told_in(self, report: str) -> list[list[str]]:
        """Return the story of a report, in paragraphs."""
        story = report.partition(f"\n{STORY}\n\n")[2]
        paragraphs: list[list[str]] = []
        for part in story.split("\n\n"):
            if part.isupper():
                break
            paragraphs.append(part.strip("\n").split("\n"))
        return paragraphs

    def on_file_in(self, report: str) -> list[str]:
        """Return what a report says of its reader's orders that still rule, in lines."""
        section = report.partition(f"\n{ON_FILE}\n\n")[2]
        return section.partition("\n\n")[0].split("\n") if section else []

    def receipt_words(self, echo: Echo) -> str:
        """Return the plain-words part of a receipt."""
        in_time = f"Until {echo.deadline}" if echo.deadline else "While the exchange is open"
        return tidy(
            render(
                "receipt.txt.j2",
                headline=self._about(echo),
                replacing=fill(
                    f"Revision {echo.highest} of your orders has come, and it counts. This one does not. "
                    f"{in_time}, a file with a higher revision than {echo.highest} replaces it."
                    if echo.highest > echo.revision
                    else f"{in_time}, a file with a higher revision replaces this one."
                ),
                understood="\n".join(_understood(echo, " (line 1 is the first below ---)")),
            )
        )

    def forecast_words(self, echo: Echo) -> str:
        """Return the forecast of what the orders will do, which follows the receipt."""
        return tidy(render("forecast.txt.j2", headline=self._about(echo), forecast=echo.forecast))

    def check_words(self, echo: Echo) -> str:
        """Return what a player is told of orders that they have not sent yet."""
        exchange = f", exchange {echo.exchange}" if echo.exchange else ""
        about = f"Game {echo.game}{exchange}: orders" if echo.game else "Orders"
        headline = fill(f"{about} for {self.words.sides[echo.side]}, not sent yet")
        return tidy("\n".join((*headline, "", *_understood(echo))))

    def status(self, view: View, context: Context) -> str:
        """Return a game in one line."""
        parts = [f"{context.game}: {self.words.moment(view)}"]
        if standing := self.words.standing(view):
            parts.append(standing)
        if end := self.words.outcome(view):
            parts.append(end.rstrip("."))
        elif context.open:
            until = f" until {context.deadline}" if context.deadline else ""
            parts.append(f"exchange {context.open} is open{until}")
        if context.waiting:
            parts.append(f"waiting for {listed(context.waiting)}")
        return "; ".join(parts)

    def _about(self, echo: Echo) -> list[str]:
        """Return the lines of a receipt that say whose orders these are."""
        return fill(
            f"Game {echo.game}, exchange {echo.exchange}: orders for {self.words.sides[echo.side]} "
            f"from {echo.player}{f', revision {echo.revision}' if echo.revision else ''}"
        )

    def _on_file(self, context: Context) -> Iterator[str]:
        """Yield the orders that still rule, and what they answer now."""
        for number, said in context.on_file:
            yield f"Sent for exchange {number}:"
            yield from _wrap_lines(said, 2)
        if context.answered:
            yield "If you send nothing, these orders give these answers now:"
            for ask, text in context.answered:
                yield from fill(f"{self.words.questions[ask.kind].rstrip('?')}: {text}", "  ", "    ")

    def _headline(self, reader: str, view: View, context: Context) -> Iterator[str]:
        title = f"{context.title}: " if context.title else ""
        yield from fill(f"{title}game {context.game}")
        if reader in self.words.sides:
            who = f" ({context.player})" if context.player else ""
            yield f"Report to {self.words.sides[reader]}{who}"
        else:
            yield (
                "Report to the public"
                if reader == "public"
                else "Report to the game master: everything is shown"
            )
        if context.seats:
            seats = [f"{self.words.sides[side]}: {player}" for side, player in context.seats.items()]
            yield from fill(", ".join(seats))
        yield f"Now: {self.words.moment(view)}"
        yield from fill(" ".join(exchange_words(context)))

    def _question(self, ask: Ask) -> list[str]:
        said = f"{self.words.questions[ask.kind]} ({ask.rule}); if you say nothing: {ask.default}"
        return hanging_indent("Asked:", said, 7)


def _form_lines(form: str, *, idle: bool) -> list[str]:
    """Return the form in lines; what it would ask now is marked as still to come if nothing is asked."""
    if idle:
        form = form.replace("\nnote ASKED NOW: ", "\nnote TO COME: ")
    return form.rstrip("\n").split("\n") if form else []


def _understood(echo: Echo, counted: str = "") -> Iterator[str]:
    """Yield what was understood of orders, what is wrong with them, and what they will do.

    No template is used: with the library that fills them in a `check` would take a tenth longer.
    """
    wrong = [fault for fault in echo.faults if not fault.remark]
    pauses = [fault for fault in echo.faults if fault.pause]
    remarks = [fault for fault in echo.faults if fault.remark and not fault.pause]
    if pauses:
        yield from ("THE GAME MAY STOP HERE to ask you. To prevent that, add a line to your orders:", "")
        yield from (faults_in_words(pauses), "")
    if strip_blanks(echo.said):
        yield f"This is what was understood{', and it counts' if wrong else ''}:"
        yield from ("", *_wrap_lines(echo.said.rstrip("\n").split("\n")))
    elif echo.on_file:
        yield from ("This file orders nothing new. What you sent before still counts:", "", *echo.on_file)
    else:
        yield ("No order was found in this file. The form in your report shows what is possible.")
    if wrong:
        yield from ("", f"What is marked is wrong and does not count{counted}:", "")
        yield faults_in_words(wrong)
    if remarks:
        yield from ("", "These lines count, but look at them again:", "", faults_in_words(remarks))
    if echo.silence:
        yield from ("", "You have said nothing about this, so:", "")
        yield from (line for said in echo.silence for line in fill(said, "  ", "    "))
    if echo.forecast:
        yield from ("", "Forecast, from what you can see:", "", *echo.forecast)


def _wrap_lines(lines: Iterable[str], deeper: int = 0) -> Iterator[str]:
    """Yield lines of orders in words, each going on two columns further in."""
    for line in lines:
        indent = " " * (deeper + len(line) - len(line.lstrip(BLANKS)))
        yield from fill(line.lstrip(BLANKS), indent, f"{indent}  ")


def exchange_words(context: Context) -> Iterator[str]:
    """Yield the sentences on which exchange is told, and which one is open until when."""
    if context.resolved and context.again:
        yield f"Exchange {context.resolved} replaces exchange {context.again}."
    elif context.resolved:
        yield f"Exchange {context.resolved} has been played."
    if context.open:
        until = f" until {context.deadline}" if context.deadline else ""
        yield f"Exchange {context.open} is open{until}."


def again_lines(context: Context) -> list[str]:
    """Return lines that say that an exchange was played again, and why."""
    if not context.again:
        return []
    return [
        *fill(
            f"There was a mistake in exchange {context.again}, so it was played again, with the same "
            "orders and the same dice. What earlier reports said of it, and of everything after "
            "it, no longer counts. This report counts."
        ),
        "Reason:",
        *(f"  {line}" for line in wrap(context.reason.encode("ascii", "replace").decode(), WIDTH - 2)),
    ]


def dice_lines(dice: Dice) -> list[str]:
    """Return lines that say whose secrets the dice come from, and how to check one with one command."""
    givers = listed(["the judge", *dice.contributors])
    absent = f"; {listed(dice.silent)} sent no secret" if dice.silent else ""
    lines = fill(f"The dice of exchange {dice.exchange} come from secrets of {givers}{absent}.")
    lines += fill(f"These secrets give this key, the SHA-256 of the file mix/{dice.exchange}.txt:")
    lines += [f"  {dice.key}"]
    if not dice.rolls:
        return [*lines, "No dice were rolled."]
    return [*lines, *check_lines(dice.key, dice.rolls)]


def check_lines(key: str, rolls: Sequence[Roll]) -> list[str]:
    """Return lines with one real die of the exchange, and the command that gives it."""
    roll = min(rolls, key=lambda one: (len(one.label), one.label))
    limit = 256 - 256 % roll.sides
    unless = f" (if they are {limit:02x} or more, take the next two)" if limit < 256 else ""
    return [
        f"To check the die {roll.label}",
        f"  printf %s 'd{roll.sides} {roll.label} 0' |",
        "  openssl dgst -sha256 -mac HMAC -macopt \\",
        f"  hexkey:{key}",
        *fill(
            f"After the = stands a hexadecimal number. Take its first two digits{unless} and divide "
            f"by {roll.sides}. The remainder plus 1 is the die: {roll.value}. Every die has a label like "
            "this one."
        ),
    ]


def ledger_lines(context: Context) -> list[str]:
    """Return lines with the head of the ledger, which the next order names."""
    if not context.ledger_head:
        return []
    return [f"The ledger holds {context.ledger_size} entries; its head is", f"  {context.ledger_head}"]


def tidy(text: str) -> str:
    """Return text without blanks at line ends, with no double empty lines and one line end at the end."""
    lines: list[str] = []
    for line in text.split("\n"):
        kept = line.rstrip(BLANKS)
        if kept or (lines and lines[-1]):
            lines.append(kept)
    return "\n".join(lines).rstrip("\n") + "\n"
