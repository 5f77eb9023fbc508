"""Records behave as dataclasses with slots do, and their methods are made when they are needed."""

import copy
import inspect
import pickle
import subprocess
import sys
from collections.abc import Callable, Hashable
from dataclasses import FrozenInstanceError, asdict, field, fields, is_dataclass, replace
from dataclasses import dataclass as at_once
from itertools import product
from threading import Barrier, Thread
from typing import Any, ClassVar

import pytest

from pbem.records import dataclass


@dataclass(frozen=True, slots=True)
class Block:
    """One of the module, so that it can be pickled."""

    kind: ClassVar[str] = "block"
    name: str
    strength: int = 3
    seen: list[str] = field(default_factory=list, compare=False)

    @property
    def weak(self) -> bool:
        return self.strength < 2


@dataclass(slots=True)
class Heap:
    """One that changes."""

    blocks: list[Block] = field(default_factory=list)
    made: str = field(init=False, default="")

    def __post_init__(self) -> None:
        self.made = f"of {len(self.blocks)}"


Maker = Callable[..., Any]


def family(maker: Maker, frozen: bool, **how: bool) -> tuple[type, type]:
    """A class and one that adds to it, both made by one decorator."""

    @maker(frozen=frozen, slots=True, **how)
    class First:
        """The first."""

        kind: ClassVar[int] = 7
        one: int
        two: str = "b"
        many: list[int] = field(default_factory=list, compare=False, repr=False)

        def total(self) -> int:
            return self.one + len(self.many)

    @maker(frozen=frozen, slots=True, **how)
    class Second(First):
        """The second."""

        two: str = "c"
        four: int = 4

    return First, Second


def told(work: Callable[[], object]) -> str:
    """What comes of it, or what is wrong with it."""
    try:
        return f"{work()!r}"
    except Exception as wrong:  # noqa: BLE001 - compared as text
        return f"{type(wrong).__name__}: {wrong}"


LOOKS: dict[str, Callable[[Any, Any], object]] = {
    "repr": lambda first, second: (first(1), second(1, four=2)),
    "equal": lambda first, _: (
        first(1) == first(1),
        first(1) == first(2),
        first(1, "x", [3]) == first(1, "x"),
    ),
    "equal to others": lambda first, second: (first(1) == second(1), first(1) == 1),
    "hash": lambda first, _: hash(first(1, "x")),
    "hashable": lambda first, _: (isinstance(first(1), Hashable), issubclass(first, Hashable)),
    "too few": lambda first, _: first(),
    "too many": lambda first, _: first(1, "b", [], 4),
    "by name": lambda first, second: first(two="c", one=1).total() + second(one=1, many=[2]).total(),
    "set": lambda first, _: setattr(first(1), "one", 2),
    "set another": lambda first, _: setattr(first(1), "other", 2),
    "delete": lambda first, _: delattr(first(1), "two"),
    "replace": lambda first, second: (replace(first(1), two="z"), replace(second(1), four=5)),
    "fields": lambda _, second: [(one.name, one.default, one.kw_only) for one in fields(second)],
    "fields of the first, untouched": lambda first, _: [one.name for one in fields(first)],
    "as a dictionary": lambda _, second: asdict(second(1, many=[1])),
    "is one": lambda first, _: (is_dataclass(first), is_dataclass(first(1))),
    "class": lambda first, _: (
        first.kind,
        first.__doc__,
        first.__name__,
        first.__qualname__.rpartition(".")[2],
    ),
    "slots": lambda first, second: (first.__slots__, second.__slots__, hasattr(first(1), "__dict__")),
    "signature": lambda first, second: (inspect.signature(first), inspect.signature(second)),
    "copies": lambda first, second: (copy.copy(first(1)), copy.deepcopy(second(1, many=[2]))),
    "a default belongs to one": lambda first, _: first(1).many is first(1).many,
    "positions": lambda _, second: second.__match_args__,
    "params": lambda first, _: first.__dataclass_params__,
}


@pytest.mark.parametrize("look", LOOKS)
def test_it_looks_as_one_of_the_standard_library(look: str) -> None:
    work = LOOKS[look]
    for frozen, kw_only, eq in product((True, False), (False, True), (True, False)):
        found = told(lambda: work(*family(dataclass, frozen, kw_only=kw_only, eq=eq)))  # noqa: B023
        wanted = told(lambda: work(*family(at_once, frozen, kw_only=kw_only, eq=eq)))  # noqa: B023
        if look == "hash" and not eq:
            assert found.isdecimal() == wanted.isdecimal()  # by where it lies
        else:
            assert found == wanted, (frozen, kw_only, eq)


def test_what_has_methods_of_its_own_keeps_them() -> None:
    @dataclass(frozen=True, slots=True)
    class Own:
        name: str

        def __eq__(self, other: object) -> bool:
            return True

        def __hash__(self) -> int:
            return 5

        def __repr__(self) -> str:
            return "mine"

    assert (Own("a") == 3, hash(Own("a")), f"{Own('a')}") == (True, 5, "mine")


def test_without_slots_it_is_that_of_the_standard_library() -> None:
    @dataclass
    class Open:
        name: str

    opened = Open("a")
    opened.more = 1  # type: ignore[attr-defined]
    assert opened == Open("a")


def test_it_can_be_matched_and_frozen_ones_stay() -> None:
    match Block("Wallace", 4):
        case Block(name, strength):
            assert (name, strength) == ("Wallace", 4)
    with pytest.raises(FrozenInstanceError):
        Block("Wallace").name = "Bruce"  # type: ignore[misc]
    assert Heap([Block("Wallace")]).made == "of 1"


def test_what_inherits_without_the_decorator_calls_what_is_above() -> None:
    first, _ = family(dataclass, frozen=False)

    class Louder(first):  # type: ignore[misc,valid-type]
        def __init__(self, one: int) -> None:
            super().__init__(one, "loud")

    assert Louder(3).two == "loud"
    assert Louder(3) == Louder(3)


def test_methods_are_made_when_they_are_needed() -> None:
    first, _ = family(dataclass, frozen=True)
    kept = vars(first)
    later = type(kept["__init__"])
    assert later.__module__ == "pbem.records"
    first(1)
    assert not isinstance(kept["__init__"], later)
    assert isinstance(kept["__eq__"], later)
    assert first(1) == first(1)
    assert not isinstance(kept["__eq__"], later)
    assert not isinstance(kept["__hash__"], later)


def test_another_process_reads_what_this_one_wrote() -> None:
    """There nothing has been made by hand before it is compared."""
    written = pickle.dumps([Block("Wallace", 4, ["Fife"]), Heap()])
    code = (
        "import pickle, sys; from tests.test_records import Block, Heap;"
        f"block, heap = pickle.loads({written!r}); again = pickle.loads({written!r});"
        "assert [block, heap] == again and hash(block) == hash(again[0]); print(block, heap)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "Block(name='Wallace', strength=4, seen=['Fife']) Heap(blocks=[], made='of 0')\n"


def test_two_threads_may_need_it_at_once() -> None:
    for _ in range(50):
        first, _ = family(dataclass, frozen=True)
        start = Barrier(4)
        found: list[object] = []

        def need(first: type = first, start: Barrier = start, found: list[object] = found) -> None:
            start.wait()
            found.append(first(1) == first(1))

        threads = [Thread(target=need) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert found == [True] * 4
