"""The count of how far absences have moved a game's deadlines, and how far they still may (protocol 8).

An entry that opens an exchange or moves its deadline says for whom, in further lines, one for each player:

    absence <name> <seconds>

For one player it is MAX_ABSENCE_DAYS at most in a whole game: an absence is no way to stop it.
Judge, players' programs and audit count by this module, for all of them read ledgers by it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import datetime, timedelta

from pbem.characters import is_decimal
from pbem.trust.entries import Extend, Open
from pbem.trust.formats import MAX_ABSENCE_DAYS

WORD = "absence"


def absence_lines(moved: Mapping[str, timedelta]) -> tuple[str, ...]:
    """Return the lines that say for whose absences a deadline is moved, and by how much."""
    return tuple(f"{WORD} {name} {int(by.total_seconds())}" for name, by in sorted(moved.items()))


def moved_by(entry: Open | Extend) -> timedelta:
    """Return the time by which absences have moved the deadline of an entry that stands in a ledger."""
    seconds = (line.rpartition(" ")[2] for line in entry.extra if line.partition(" ")[0] == WORD)
    return timedelta(seconds=sum(map(int, seconds)))


class Absences:
    """The count of time by which the absences of a game's players have moved deadlines, entry by entry."""

    def __init__(self) -> None:
        self._moved = Counter[str]()

    def left(self, player: str) -> timedelta:
        """Return the time by which a player's absences may still move deadlines."""
        return timedelta(days=MAX_ABSENCE_DAYS, seconds=-self._moved[player])

    def add(self, entry: Open | Extend, players: set[str], before: datetime | None) -> str:
        """Count an entry, and return why it cannot stand, or ""; `before` is the deadline that it moves."""
        lines = [line.split(" ") for line in entry.extra if line.partition(" ")[0] == WORD]
        names = [line[1] for line in lines if len(line) == 3 and line[1] in players and _is_count(line[2])]
        if len(set(names)) < len(lines):
            return f"its lines {WORD} do not name each player once, and seconds"
        if lines and isinstance(entry, Extend) and before and entry.deadline - before > moved_by(entry):
            return "its deadline is moved by more than the absences that it names"
        for _, name, seconds in lines:
            self._moved[name] += int(seconds)
            if self.left(name) < timedelta():
                return f"absences of {name} move deadlines by more than {MAX_ABSENCE_DAYS} days"
        return ""


def _is_count(text: str) -> bool:
    return is_decimal(text) and len(text) <= 8 and not text.startswith("0")
