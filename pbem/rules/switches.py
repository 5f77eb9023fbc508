"""Options with a few values each: those given are checked, and the rest have their defaults."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any

from pbem.characters import is_decimal, lower
from pbem.rules.base import Shared, UnknownOption


@dataclass(frozen=True, slots=True, kw_only=True)
class Switches:
    """The options of one game, with a field for each switch."""

    def as_dict(self) -> dict[str, Any]:
        """Return every option by name, such that it makes the same object again."""
        return asdict(self)


@lru_cache(maxsize=64)
def shown_options(options: Switches) -> Shared:
    """Return the options as every view of a game with them shows them."""
    return Shared(options.as_dict())


def read_switch(name: str, value: Any, values: tuple[Any, ...]) -> Any:
    """Return `value` as one of `values`; text stands for a number, and "yes" or "true" for a boolean.

    Raises:
        UnknownOption: it is none of them; the message lists them.
    """
    if isinstance(value, str):
        if isinstance(values[0], bool):
            value = {"yes": True, "true": True, "no": False, "false": False}.get(lower(value), value)
        elif isinstance(values[0], int) and is_decimal(value):
            value = int(value)
    for known in values:
        if value == known and isinstance(value, bool) == isinstance(known, bool):
            return known
    listed = ", ".join(lower(str(known)) if isinstance(known, bool) else str(known) for known in values)
    raise UnknownOption(f"option {name} cannot be {value!r}; its values are {listed}")


def read_switches(given: Mapping[str, Any], switches: Mapping[str, tuple[Any, ...]]) -> dict[str, Any]:
    """Return every switch with its value: what is given, else the first of its values.

    Raises:
        UnknownOption: a name or value that does not exist; the message lists those that do.
    """
    if unknown := sorted(set(given) - set(switches)):
        raise UnknownOption(f"no option called {unknown[0]!r}; there are {', '.join(sorted(switches))}")
    return {name: read_switch(name, given.get(name, values[0]), values) for name, values in switches.items()}
