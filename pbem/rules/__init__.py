"""Games as pure rules: no clock, no files, no secrets, no dice of their own.

`load(NAME)` gives a rule set; `rules.start(...)` gives a game that asks, is answered, and tells
each audience what it may know. Nothing outside a game's own package knows that game. Rules come with
the rest of their game as one `pbem.titles.Title`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from pbem.characters import split_lines, strip_blanks
from pbem.rules.base import Ask, Chance, Game, IllegalAnswer, Outcome, Rules, UnknownRules

__all__ = ["Ask", "Chance", "Game", "IllegalAnswer", "Outcome", "Rules", "UnknownRules", "load", "names"]

GROUP = "pbem.titles"


def table(package: str, name: str) -> dict[str, Any]:
    """Return the content of a package's TOML file as a dictionary.

    The file is read without importlib.resources, which would import thirty modules.
    """
    import tomllib
    from pkgutil import get_data

    data = get_data(package, name)
    assert data is not None, f"{name} of {package} cannot be read"
    return tomllib.loads(data.decode())


def names() -> tuple[str, ...]:
    """Return the names of the installed games, sorted."""
    from importlib.metadata import entry_points

    return tuple(sorted({found.name for found in entry_points(group=GROUP)}))


@lru_cache(maxsize=32)  # looking through all installed packages takes milliseconds
def load(name: str) -> Rules:
    """Return the rule set called `name`.

    Raises:
        UnknownRules: no installed package offers rules of this name.
    """
    from importlib.metadata import entry_points

    for found in entry_points(group=GROUP, name=name):
        rules: Rules = found.load().rules
        return rules
    raise UnknownRules(name, names())


_ENTRY = re.compile(r"^### ([A-Z]\d+) (.*?)(?: \(([^()]*)\))?$", re.ASCII)
_HOUSE_RULE = re.compile(r"^- House rule: `(\w+)`", re.ASCII)
_SECTION = re.compile(r"[0-9]+(?:\.[0-9]+)?")


@dataclass(frozen=True, slots=True)
class Ruling:
    """A ruling on a doubtful point of a rulebook, with its sections, and the switches that clubs may set."""

    number: str
    title: str
    sections: tuple[str, ...]
    house_rules: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.number} {self.title} ({', '.join(self.sections)})"


def parse_rulings(text: str) -> tuple[Ruling, ...]:
    """Return the rulings in the text of a RULINGS.md file."""
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
    """Return the names of the switches that some rulings leave for clubs to set, sorted."""
    return tuple(sorted({name for ruling in rulings for name in ruling.house_rules}))


def rulings_on(rulings: tuple[Ruling, ...], sections: tuple[str, ...]) -> tuple[Ruling, ...]:
    """Return those of some rulings that are about any of these sections, or have one of these numbers."""
    return tuple(ruling for ruling in rulings if {ruling.number, *ruling.sections} & set(sections))
