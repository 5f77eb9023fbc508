"""Games as pure rules: no clock, no files, no secrets, no dice of their own.

`load(NAME)` gives a rule set; `rules.start(...)` gives a game that asks, is answered, and tells
each audience what it may know. Nothing outside a game's own package knows that game. Rules come with
the rest of their game as one `pbem.titles.Title`.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from pbem.rules.base import Ask, Chance, Game, IllegalAnswer, Outcome, Rules, UnknownRules

__all__ = ["Ask", "Chance", "Game", "IllegalAnswer", "Outcome", "Rules", "UnknownRules", "load", "names"]

GROUP = "pbem.titles"


def table(package: str, name: str) -> dict[str, Any]:
    """Return a package's TOML file.

    It is read without importlib.resources, which would import thirty modules.
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
