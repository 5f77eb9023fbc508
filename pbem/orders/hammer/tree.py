"""What an order file says, once it is understood.

    Orders ── turn, winter, doctrine: each a sequence of parts
      part ── Order          one line, perhaps with a condition of its own
              Plan           `plan Fife:` and its lines
              Choice         `if ...:` `if ...:` `otherwise:` and theirs; the first case that holds counts

Everything is frozen. Line numbers take no part in comparison: the same orders in another layout are
equal.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

OUR, THEIR = "our", "their"

FULL = 0
"""The count of a step order that goes on as long as it can: `build Wallace full`."""


# -- conditions


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """Something that is so or is not: `first`, `Fife is attacked`, `they have archers`."""

    what: str
    names: tuple[str, ...] = ()
    areas: tuple[str, ...] = ()
    number: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantity:
    """A number to be compared: `2`, `round`, `Wallace strength`, `half their strength`."""

    what: Literal["number", "round", "strength", "blocks", "reserves", "nobles"]
    whose: str = ""  # OUR or THEIR
    block: str = ""
    area: str = ""
    number: int = 0
    factor: Literal["", "half", "twice"] = ""


Comparison: TypeAlias = Literal["is", "less than", "more than", "at most", "at least"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Compare:
    """`round at least 2`."""

    left: Quantity
    how: Comparison
    right: Quantity


@dataclass(frozen=True, slots=True)
class Not:
    """`not first`."""

    what: Condition


@dataclass(frozen=True, slots=True)
class Both:
    """Conditions joined by `and`; all must hold."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Either:
    """Conditions joined by `or`; one must hold."""

    parts: tuple[Condition, ...]


Condition: TypeAlias = Fact | Compare | Not | Both | Either


# -- orders


@dataclass(frozen=True, slots=True)
class Pick:
    """One entry of a list: a name or a word such as `rest`, and how often (FULL: as often as possible)."""

    name: str
    count: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """One line: `if WHEN: VERB PICKS except BUT from START by BY in WITHIN to AREAS`, or `... stay`."""

    verb: str
    picks: tuple[Pick, ...] = ()
    but: tuple[str, ...] = ()
    start: str = ""
    by: str = ""
    within: str = ""
    areas: tuple[str, ...] = ()
    stay: bool = False
    when: Condition | None = None
    line: int = field(default=0, compare=False)

    @property
    def names(self) -> tuple[str, ...]:
        """What is picked, without counts."""
        return tuple(pick.name for pick in self.picks)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """`if CONDITION:` or `otherwise:` (no condition), with the lines below it."""

    when: Condition | None
    parts: tuple[Order | Plan, ...] = ()
    line: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """Cases that follow each other; the first whose condition holds counts, and no other."""

    cases: tuple[Case, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """`plan Fife, Mar:` (or, without areas, `plan any:`): how battles there are fought."""

    areas: tuple[str, ...] = ()
    parts: tuple[Order | Choice, ...] = ()
    line: int = field(default=0, compare=False)


Part: TypeAlias = Order | Plan | Choice


@dataclass(frozen=True, slots=True, kw_only=True)
class Orders:
    """One order file. `doctrine` None: it has no such section, so the one on file stands."""

    side: str
    turn: tuple[Part, ...] = ()
    winter: tuple[Part, ...] = ()
    doctrine: tuple[Part, ...] | None = None
    source: tuple[str, ...] = field(default=(), compare=False, repr=False)  # the lines as they were written

    def __bool__(self) -> bool:
        return bool(self.turn or self.winter or self.doctrine is not None)
