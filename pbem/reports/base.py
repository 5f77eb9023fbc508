"""The parts of every report: the data that the judge adds to a view and events, and lines of plain text.

The `Context` is the same for every reader, except for what the reader has sent (their form, their dropped
orders). An `Echo` is the data of a receipt for orders.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pbem.characters import BLANKS
from pbem.orders.base import Dropped, Fault
from pbem.rules import Ask

NOTHING_ASKED = "Nothing is asked of you now"
"""The beginning of the line in a report whose reader need decide nothing."""
WIDTH = 78
"""Maximum width of a report's lines, so that no mail program breaks them."""

NARROW = 40
"""Maximum width of what is read most on the way, since a telephone shows no more of a line."""


@dataclass(frozen=True, slots=True)
class Roll:
    """One die: what it was rolled for, how many sides it has, and what it showed."""

    label: str
    sides: int
    value: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Dice:
    """The dice of one exchange, and what they were made from."""

    exchange: int
    key: str
    """The exchange key in hex, which is the SHA-256 of the mix file."""
    rolls: tuple[Roll, ...] = ()
    contributors: tuple[str, ...] = ()
    """The players whose secrets are in the mix of the dice."""
    silent: tuple[str, ...] = ()
    """The players who contributed no secret to the dice."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """The data that the judge adds to a reader's view. Whatever is left out is left out of the report."""

    game: str
    """The game's id, such as dunbar-7."""
    title: str = ""
    """The name of the rules for people."""
    player: str = ""
    """The name of the player who reads; empty for the public and the game master."""
    seats: Mapping[str, str] = field(default_factory=dict)
    """The players of the game, by side."""
    resolved: int = 0
    """The number of the exchange whose outcome the report tells; 0 before the first exchange."""
    again: str = ""
    """The number of the exchange that this one replaces, with the same orders and dice; empty if none."""
    reason: str = ""
    """The reason why the exchange was played again."""
    open: int = 0
    """The number of the exchange that is open now; 0 when the game is over."""
    deadline: str = ""
    waiting: tuple[str, ...] = ()
    """The players whose orders are still expected."""
    stop: str = ""
    """The public stop at which the game halts, if it halts at one (`Game.at_stop`)."""
    form: str = ""
    """The order form of the reader's side with its markers (`Language.form`), which tells what is asked."""
    reads: str = "pbem seal"
    """The command that takes the form when it is filled in."""
    silence: tuple[str, ...] = ()
    """The sentences on what happens if nothing is sent; the defaults of the open asks if this is left out."""
    remembered: tuple[str, ...] = ()
    """The lines on what the reader was shown earlier and may still follow."""
    on_file: tuple[tuple[int, tuple[str, ...]], ...] = ()
    """The reader's orders that are still in force: the exchange that they came for, and what they say."""
    answered: tuple[tuple[Ask, str], ...] = ()
    """The questions asked now with the answers that these orders give if nothing more is sent."""
    silent: tuple[tuple[str, int], ...] = ()
    """The sides of which nothing came for `resolved`, and for how many exchanges in a row nothing has."""
    dropped: tuple[Dropped, ...] = ()
    """The reader's orders that could not be carried out when their turn came."""
    instead: tuple[str, ...] = ()
    """The answers that counted by default in place of dropped orders."""
    dice: Dice | None = None
    ledger_size: int = 0
    ledger_head: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Echo:
    """The content of a receipt about one order file, in plain words."""

    game: str
    exchange: int
    player: str
    side: str
    said: str
    """The orders as they were understood (`Language.say`)."""
    faults: tuple[Fault, ...] = ()
    on_file: tuple[str, ...] = ()
    """The writer's earlier orders that are still in force, in lines."""
    silence: tuple[str, ...] = ()
    """The sentences on what is left to defaults."""
    forecast: tuple[str, ...] = ()
    """The forecast of what the orders will do, as far as their writer sees, in lines."""
    revision: int = 0
    highest: int = 0
    """The highest revision of the orders that is in, which is the one that counts."""
    deadline: str = ""


HARD = "\N{NO-BREAK SPACE}"
"""The character for a blank at which no line is broken; in finished lines it is an ordinary blank."""


def fill(text: str, indent: str = "", hang: str | None = None, width: int = WIDTH) -> list[str]:
    """Return `text` in lines of at most `width`; the first begins with `indent`, the others with `hang`."""
    text = indent + text
    if len(text) <= width:
        return [text.replace(HARD, " ").rstrip(BLANKS)]
    rest = indent if hang is None else hang
    lines: list[str] = []
    line, empty = indent, True
    for word in text[len(indent) :].split(" "):
        if not empty and len(line) + 1 + len(word) > width:
            lines.append(line)
            line, empty = rest, True
        line = line + word if empty else f"{line} {word}"
        empty = False
    return [one.replace(HARD, " ").rstrip(BLANKS) for one in (*lines, line)]


def hanging_indent(head: str, text: str, column: int, indent: str = "") -> list[str]:
    """Return a heading with a text beside it, as lines in which the text stays right of `column`."""
    start = f"{indent}{head}".ljust(column)
    if len(start) > column:
        start += " "
    return fill(text, start, " " * column)
