"""The state of a follower or a memory as JSON and back, made only of kinds of value that are known here.

Text, numbers, truth values and None stand for themselves. All else is a list that begins with what it is: a
kind of collection, or one of the frozen classes that the reader names.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any, Protocol, runtime_checkable

from pbem.rules.base import Shared

_PLAIN = (str, int, bool, type(None))
_ROWS: Mapping[str, type] = {"tuple": tuple, "list": list, "set": set, "frozenset": frozenset}


class NotSaved(Exception):
    """Raised for a state that cannot be saved.

    The game is then played from its beginning whenever it is needed.
    """


@runtime_checkable
class Saved(Protocol):
    """An object whose state can be written down, and read again into a new object."""

    def save(self) -> Any:
        """Return all of the object's state, JSON-able.

        Raises NotSaved if it holds what cannot be written down.
        """

    def load(self, data: Any) -> None:
        """Take over the state of an object that was saved."""


def pack(value: Any) -> Any:
    """Return a value in a form that JSON can hold. Raises NotSaved for a value of an unknown kind."""
    kind = type(value)
    if kind in _PLAIN:
        return value
    if kind in (dict, Shared):
        return ["dict", *([pack(key), pack(inner)] for key, inner in value.items())]
    if kind in (set, frozenset):
        return [kind.__name__, *sorted(map(pack, value), key=json.dumps)]
    if kind in (list, tuple):
        return [kind.__name__, *map(pack, value)]
    if is_dataclass(value):
        return [kind.__name__, *(pack(getattr(value, one.name)) for one in fields(kind) if one.init)]
    raise NotSaved(f"a {kind.__name__} cannot be saved")


def unpack(data: Any, classes: Iterable[type] = ()) -> Any:
    """Return the value that was packed; `classes`: the dataclasses that may be in it."""
    return _unpack(data, {one.__name__: one for one in classes})


def _unpack(data: Any, known: Mapping[str, type]) -> Any:
    if not isinstance(data, list):
        return data
    kind, inner = data[0], data[1:]
    if kind == "dict":
        return {_unpack(key, known): _unpack(value, known) for key, value in inner}
    if kind in _ROWS:
        return _ROWS[kind](_unpack(one, known) for one in inner)
    names = [one.name for one in fields(known[kind]) if one.init]
    return known[kind](**dict(zip(names, (_unpack(one, known) for one in inner), strict=True)))
