"""The rulings of a game, as its RULINGS.md has them: number, title, sections, house rules."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from pbem.characters import split_lines, strip_blanks

_ENTRY = re.compile(r"^### ([A-Z]\d+) (.*?)(?: \(([^()]*)\))?$", re.ASCII)
_HOUSE_RULE = re.compile(r"^- House rule: `(\w+)`", re.ASCII)
_SECTION = re.compile(r"[0-9]+(?:\.[0-9]+)?")


@dataclass(frozen=True, slots=True)
class Ruling:
    """One ruling, with what it settles, its sections of the rulebook, and the switches that clubs may set."""

    number: str
    title: str
    sections: tuple[str, ...]
    house_rules: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.number} {self.title} ({', '.join(self.sections)})"


def parse_rulings(text: str) -> tuple[Ruling, ...]:
    """Return the rulings that a RULINGS.md holds."""
    found: list[Ruling] = []
    for line in split_lines(text):
        if entry := _ENTRY.match(line):
            found.append(Ruling(entry[1], entry[2], _sections(entry[3] or "")))
        elif (switch := _HOUSE_RULE.match(line)) and found:
            found[-1] = replace(found[-1], house_rules=(*found[-1].house_rules, switch[1]))
    return tuple(found)


def _sections(listed: str) -> tuple[str, ...]:
    """Return the numbers of the sections that a ruling names.

    Where the rulebook has no numbers, return its headings, which are capitalized.
    """
    names = (strip_blanks(name) for name in listed.split(","))
    return tuple(_SECTION.findall(listed) or (name for name in names if "A" <= name[:1] <= "Z"))


def house_rules(rulings: tuple[Ruling, ...]) -> tuple[str, ...]:
    """Return the switches that clubs may set."""
    return tuple(sorted({name for ruling in rulings for name in ruling.house_rules}))


def rulings_on(rulings: tuple[Ruling, ...], sections: tuple[str, ...]) -> tuple[Ruling, ...]:
    """Return the rulings about any of these sections, or with these numbers."""
    return tuple(ruling for ruling in rulings if {ruling.number, *ruling.sections} & set(sections))
