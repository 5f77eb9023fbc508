"""Dataclasses whose methods are made when they are first needed.

A command imports many of them and fills few, and the methods of one take the time of three imports: in all a
fifth of an idle pass. What can be seen is as the standard library has it, and it makes them.
"""

from __future__ import annotations

from _thread import RLock
from dataclasses import dataclass as at_once
from dataclasses import fields
from typing import TYPE_CHECKING, Any

__all__ = ["dataclass"]

REST = ("__dataclass_fields__", "__dataclass_params__", "__match_args__", "__repr__")
ONE_AT_A_TIME = RLock()


class _Later:
    """Stands for a method until somebody asks for it."""

    __slots__ = ("how", "made", "name", "names", "plain")

    def __init__(self, plain: dict[str, Any], how: dict[str, Any], names: tuple[str, ...]) -> None:
        self.plain, self.how, self.names = plain, how, names

    def __set_name__(self, made: type, name: str) -> None:
        self.made, self.name = made, name

    def __get__(self, one: object, owner: type | None = None) -> Any:
        with ONE_AT_A_TIME:
            if vars(self.made)[self.name] is self:
                plain = type(self.made)(self.made.__name__, self.made.__bases__, self.plain)
                at_once(**self.how)(plain)
                for name in self.names:
                    setattr(self.made, name, vars(plain)[name])
        found = vars(self.made)[self.name]
        return found.__get__(one, owner) if hasattr(found, "__get__") else found


def _state(self: Any) -> list[object]:
    return [getattr(self, field.name) for field in fields(self)]


def _restore(self: Any, state: list[object]) -> None:
    for field, value in zip(fields(self), state, strict=True):
        object.__setattr__(self, field.name, value)


def _with_slots(cls: type, how: dict[str, Any]) -> type:
    """The class with slots for its fields, and with stand-ins for all that is made of them."""
    frozen, equal = how.get("frozen", False), how.get("eq", True)
    plain = {name: value for name, value in vars(cls).items() if name not in ("__dict__", "__weakref__")}
    plain["__qualname__"] = cls.__qualname__
    names = [name for name, kind in plain.get("__annotations__", {}).items() if "ClassVar" not in str(kind)]
    inherited = {slot for base in cls.__mro__[1:] for slot in vars(base).get("__slots__", ())}
    early = ("__init__", *(("__setattr__", "__delattr__") if frozen else ()))
    late = (*REST, *(("__eq__", "__hash__") if equal else ()))
    stages = ((early, how | {"repr": False, "eq": False}), (late, how))
    return type(cls)(
        cls.__name__,
        cls.__bases__,
        {name: value for name, value in plain.items() if name not in names}
        | {"__slots__": tuple(name for name in names if name not in inherited)}
        | {"__getstate__": _state, "__setstate__": _restore}
        | {name: _Later(plain, chosen, stage) for stage, chosen in stages for name in stage}
        | ({"__hash__": None} if equal and not frozen else {}),
    )


if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def dataclass(cls=None, /, *, slots=False, **how):
        """The decorator of the standard library; what has slots, and no such method of its own, waits."""

        def decorated(cls):
            own = {*REST, "__init__", "__eq__", "__hash__", "__setattr__", "__getstate__"} & vars(cls).keys()
            if not slots or own:
                return at_once(cls, slots=slots, **how)
            return _with_slots(cls, how)

        return decorated if cls is None else decorated(cls)
