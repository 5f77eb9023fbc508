"""Faults and remarks about lines of orders, worded so that the player can correct the line.

    line 4: no area called 'Garmoron' (1.1); did you mean Garmoran?
        move Wallace to Garmoron
                        ~~~~~~~^

A fault means that the line, or the smallest part of it that is wrong, does not count. A remark means
that it counts, and probably not as its writer thinks.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

from pbem.characters import BLANKS, plain

MAX_SHOWN = 40
"""Maximum number of faults told at once; a text with more of them is something else than orders."""

MAX_ANSWERS = 6
"""Maximum number of possible answers listed in the reason why an order was left out."""

WIDTH = 70
"""Maximum width in columns of a quoted source line; of a longer one the part around the fault is shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One thing that is wrong (or, if `remark`, doubtful) in one place of an order file."""

    line: int
    column: int  # place of the first character, counted from 1
    end: int  # place of the last character
    source: str  # the line as it was written
    message: str
    rule: str = ""  # the rulebook's section, or a ruling
    meant: tuple[str, ...] = ()  # names for "did you mean"
    legal: tuple[str, ...] = ()  # what would be right here
    remark: bool = False
    pause: bool = False
    """Whether the game may stop because of the line; the message of the remark says how to avoid that."""

    def __str__(self) -> str:
        place = f"line {self.line}, a remark" if self.remark else f"line {self.line}"
        rule = f" ({self.rule})" if self.rule else ""
        meant = f"; did you mean {listed(self.meant, 'or')}?" if self.meant else ""
        parts = [f"{place}: {self.message}{rule}{meant}", *self._marked_lines()]
        if self.legal:
            parts.append(f"    possible: {', '.join(self.legal)}")
        return "\n".join(parts)

    def _marked_lines(self) -> list[str]:
        """Return the source line of the fault and below it the marks under the wrong words."""
        source = plain(self.source[: self.end + WIDTH])
        first, last = self.column - 1, max(self.end - 1, self.column - 1)
        cut = len(source) - len(source.lstrip(BLANKS))
        if last - cut >= WIDTH:
            cut = min(first, max(cut, last - WIDTH + 1))
        source = source[cut : cut + WIDTH].rstrip(BLANKS)
        if not source:
            return []
        first, last = first - cut, min(last - cut, WIDTH - 1)
        return [f"    {source}", f"    {' ' * first}{'~' * (last - first)}^"]


def listed(names: Iterable[str], last: str = "and") -> str:
    """Return names as a person lists them: "Fife, Mar and Ross"."""
    *head, tail = names
    return f"{', '.join(head)} {last} {tail}" if head else tail


def faults_in_words(faults: Iterable[Fault]) -> str:
    """Return all faults as one text, faults before remarks, with the number of those left out at the end."""
    ordered = sorted(faults, key=lambda fault: (fault.remark, fault.line, fault.column))
    shown = [str(fault) for fault in ordered[:MAX_SHOWN]]
    if more := len(ordered) - len(shown):
        shown.append(f"and {more} more")
    return "\n".join(shown)


def possible_was(answers: Iterable[str]) -> str:
    """Return why an answer was left out: the first answers that were possible in its place."""
    found = list(islice(answers, MAX_ANSWERS + 1))
    more = " and more" if len(found) > MAX_ANSWERS else ""
    return f"you could choose {', '.join(found[:MAX_ANSWERS])}{more}"
