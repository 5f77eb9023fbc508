"""The rulings of a game, read from its RULINGS.md: number, title, sections, house rule."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

_ENTRY = re.compile(r"^### (R\d+) (.*?)(?: \(([^()]*)\))?$")
_HOUSE_RULE = re.compile(r"^- House rule: `(\w+)`")
_SECTION = re.compile(r"\d+(?:\.\d+)?")


@dataclass(frozen=True, slots=True)
class Ruling:
    """One ruling: what it settles, where in the rulebook, and the switch that clubs may set."""

    number: str
    title: str
    sections: tuple[str, ...]
    house_rule: str = ""

    def __str__(self) -> str:
        return f"{self.number} {self.title} ({', '.join(self.sections)})"


@cache
def read_rulings(name: str) -> tuple[Ruling, ...]:
    """The rulings of the game called `name`; none if it has none."""
    path = files("pbem.rules").joinpath(name, "RULINGS.md")
    if not path.is_file():
        return ()
    found: list[Ruling] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if entry := _ENTRY.match(line):
            found.append(Ruling(entry[1], entry[2], tuple(_SECTION.findall(entry[3] or ""))))
        elif (switch := _HOUSE_RULE.match(line)) and found:
            last = found.pop()
            found.append(Ruling(last.number, last.title, last.sections, switch[1]))
    return tuple(found)


def house_rules(name: str) -> tuple[str, ...]:
    """The switches that clubs may set."""
    return tuple(sorted({ruling.house_rule for ruling in read_rulings(name) if ruling.house_rule}))


def rulings_on(name: str, sections: tuple[str, ...]) -> tuple[Ruling, ...]:
    """The rulings about any of these sections."""
    return tuple(ruling for ruling in read_rulings(name) if set(ruling.sections) & set(sections))
