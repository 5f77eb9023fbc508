"""What the judge adds to a reader's view and told events, and what orders are echoed by.

The `Context` is the same for every reader, except for what the reader has sent (their form, their dropped
orders).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pbem.orders.base import Dropped
from pbem.orders.faults import Fault
from pbem.rules import Ask

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
    reads: str = "pbem seal"
    """The command that takes the form when it is filled in."""
    silence: tuple[str, ...] = ()
    """What happens if nothing is sent; the defaults of the open asks if this is left out."""
    remembered: tuple[str, ...] = ()
    """What the reader was shown earlier and may still follow, in lines."""
    on_file: tuple[tuple[int, tuple[str, ...]], ...] = ()
    """The reader's orders that still rule: the exchange that they came for, and what they say."""
    answered: tuple[tuple[Ask, str], ...] = ()
    """What these say to what is asked now, if nothing is sent."""
    silent: tuple[tuple[str, int], ...] = ()
    """The sides of which nothing came for `resolved`, and for how many exchanges in a row nothing has."""
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
