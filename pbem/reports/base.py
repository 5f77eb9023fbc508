"""The surface between a game's reports and everything else.

A `Style` turns what one reader may know into plain text. What happened and where everything stands
comes from that reader's view and told events alone; the `Context` holds what the judge adds and is the
same for every reader, except for what the reader has sent (their form, their dropped orders).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from pbem.orders.base import Dropped
from pbem.orders.faults import Fault
from pbem.reports.words import Memory
from pbem.rules import Ask
from pbem.rules.base import Event, View

NOTHING_ASKED = "Nothing is asked of you now"
"""With this a line of a report begins whose reader need decide nothing."""
WIDTH = 78
"""No line of a report is longer, so that no mail program breaks it."""

NARROW = 40
"""What a telephone shows of a line; whatever is read most on the way is no wider."""


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
    """Players whose secrets are in the mix."""
    silent: tuple[str, ...] = ()
    """Players who contributed nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What the judge adds to a reader's view. Whatever is left out is left out of the report."""

    game: str
    """The game's id, such as dunbar-7."""
    title: str = ""
    """The name of the rules for people."""
    player: str = ""
    """Who reads; nobody in particular for the public and the game master."""
    seats: Mapping[str, str] = field(default_factory=dict)
    """Side -> player."""
    resolved: int = 0
    """The exchange whose outcome is told; 0 before the first."""
    again: str = ""
    """The exchange that it stands in place of, played again with the same orders and dice."""
    reason: str = ""
    """Why it was played again."""
    open: int = 0
    """The exchange that is open now; 0 when the game is over."""
    deadline: str = ""
    waiting: tuple[str, ...] = ()
    """Players whose orders are still expected."""
    stop: str = ""
    """The public stop at which the game halts, if it halts at one (`Game.at_stop`)."""
    form: str = ""
    """The order form of the reader's side with its markers (`Language.form`), which tells what is asked."""
    silence: tuple[str, ...] = ()
    """What happens if nothing is sent; the defaults of the open asks if this is left out."""
    remembered: tuple[str, ...] = ()
    """What the reader was shown earlier and may still follow, in lines."""
    on_file: tuple[tuple[int, tuple[str, ...]], ...] = ()
    """The reader's orders that still rule: the exchange that they came for, and what they say."""
    answered: tuple[tuple[Ask, str], ...] = ()
    """What these say to what is asked now, if nothing is sent."""
    dropped: tuple[Dropped, ...] = ()
    """The reader's orders that had become impossible."""
    instead: tuple[str, ...] = ()
    """The answers that counted by default in their place."""
    dice: Dice | None = None
    ledger_size: int = 0
    ledger_head: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Echo:
    """What a receipt says in plain words about one order file."""

    game: str
    exchange: int
    player: str
    side: str
    said: str
    """The orders as they were understood (`Language.say`)."""
    faults: tuple[Fault, ...] = ()
    on_file: tuple[str, ...] = ()
    """The writer's earlier orders that still rule, in lines."""
    silence: tuple[str, ...] = ()
    """What is left to defaults."""
    forecast: tuple[str, ...] = ()
    """What the orders will do, as far as their writer sees, in lines."""
    revision: int = 0
    highest: int = 0
    """The highest revision that is in: the one that counts."""
    deadline: str = ""


class Style(Protocol):
    """How a game is told to people."""

    def report(
        self,
        reader: str,
        before: View,
        view: View,
        told: Sequence[Event],
        asks: Sequence[Ask],
        context: Context,
    ) -> str:
        """The report to a side, "public" or "gm".

        `before` and `view` are that reader's views when the exchange opened and now, `told` what they
        have been told in between, `asks` what their own side is asked now.
        """

    def show(self, reader: str, view: View, context: Context) -> str:
        """Where everything stands, without the story."""

    def moment(self, view: View) -> str:
        """Where the game stands in time, in a few words."""

    def story(self, before: View | None, told: Sequence[Event]) -> list[str]:
        """What happened since `before` (None: before the set-up), as its reader was told it, in lines."""

    def memory(self, reader: str) -> Memory:
        """A memory for a reader, at the game's start."""

    def told_in(self, report: str) -> list[list[str]]:
        """The story of a report, in paragraphs."""

    def on_file_in(self, report: str) -> list[str]:
        """What a report says of its reader's orders that still rule, in lines."""

    def search_words(self, told: Sequence[Event]) -> list[tuple[str, str]]:
        """For each event, of all from the game's start on: when and what it was, as a person looks for it."""

    def time_of(self, paragraph: str) -> str:
        """When it is by a paragraph of a report, as people look for it; empty if it does not say so."""

    @property
    def example(self) -> str:
        """What a person may type to find an event."""

    def sections(self, kind: str) -> tuple[str, ...]:
        """The sections of the rulebook by which events of a kind happen."""

    def read_view(self, text: str) -> View | None:
        """The view that a report carries, however a mail program wrapped or quoted it; None if damaged."""

    def receipt_words(self, echo: Echo) -> str:
        """The plain-words part of a receipt."""

    def forecast_words(self, echo: Echo) -> str:
        """What the orders will do, which follows the receipt."""

    def check_words(self, echo: Echo) -> str:
        """What a player is told of orders that they have not sent yet."""

    def status(self, view: View, context: Context) -> str:
        """A game in one line."""
