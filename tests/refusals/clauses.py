"""Every place in pbem that refuses something, clause by clause, and whether a row or a test names it.

A place is a `raise`, a `return` of a verdict, a fault or the words of a refusal, or a `yield` of a fault. Its
clauses are what stands between the `or`s of the `if` above it: each alone refuses. A table of rows says for
each clause the smallest change that makes it refuse alone, and words of what is said then.

Rows are played under `sys.settrace`, so it is seen, not claimed, which clause each has reached. A place with
one clause needs no row if its own words stand in a test elsewhere.
"""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

TESTS = Path(__file__).parent.parent
PBEM = TESTS.parent / "pbem"
CHANGED: dict[str, list[list[str]]] = tomllib.loads(
    (TESTS / "refusals/changed.toml").read_text(encoding="utf-8")
)
SHORTEST = 8
"""Letters, in two words at least, by which a test can name a refusal."""


@dataclass(frozen=True, slots=True)
class Clause:
    """What makes a place refuse; without a test where there is no `if`."""

    text: str
    code: CodeType | None = field(default=None, repr=False)
    negated: bool = False

    def holds(self, names: dict[str, Any]) -> bool:
        """Whether it refuses, with what its function knew."""
        if self.code is None:
            return True
        try:
            return bool(eval(self.code, names)) is not self.negated  # noqa: S307 (our own source)
        except Exception:  # noqa: BLE001 (it is asked only where those before let pass)
            return False


@dataclass(frozen=True, slots=True)
class Place:
    """A statement that refuses."""

    file: str
    function: str
    lines: range
    clauses: tuple[Clause, ...]
    words: tuple[str, ...]
    """Its message, without what is filled in."""
    chooses: bool
    """Does it refuse or let pass, by its clauses? Else it is reached only if it refuses."""

    def alone(self, frame: FrameType) -> Clause | None:
        """The one clause that refused, if it was one."""
        names = {**frame.f_globals, **frame.f_locals}
        asks = self.chooses or len(self.clauses) > 1
        held = [one for one in self.clauses if one.holds(names)] if asks else self.clauses
        return held[0] if len(held) == 1 else None


@dataclass(frozen=True, slots=True)
class Refusal:
    """A place, and by which clause."""

    place: Place
    clause: Clause

    def __str__(self) -> str:
        where = f"{self.place.file} {self.place.function}"
        return f"{where}: {self.clause.text or ' ... '.join(self.place.words)}"


@cache
def places(folder: str) -> tuple[Place, ...]:
    """All of a folder or module of pbem."""
    files = sorted((PBEM / folder).rglob("*.py")) if (PBEM / folder).is_dir() else [PBEM / folder]
    return tuple(place for file in files for place in _in_module(file))


def _in_module(path: Path) -> Iterator[Place]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    file = path.relative_to(PBEM).as_posix()
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef):
            tells = _tells(function)
            for node, guard in _statements(function.body, None):
                if _refuses(node, tells=tells):
                    lines = range(node.lineno, (node.end_lineno or node.lineno) + 1)
                    clauses = tuple(_conditions(node, guard)) or (Clause(""),)
                    chooses = isinstance(node, ast.Return) and isinstance(node.value, ast.IfExp)
                    yield Place(file, function.name, lines, clauses, tuple(_words(node)), chooses)


def _statements(body: Sequence[ast.stmt], guard: ast.If | None) -> Iterator[tuple[ast.stmt, ast.If | None]]:
    """Each statement of a function, and the `if` in whose body it stands; not of functions in it."""
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            continue
        yield node, guard
        for name, block in ast.iter_fields(node):
            if name in {"handlers", "cases"}:
                for one in block:
                    yield from _statements(one.body, None)
            elif isinstance(block, list) and block and isinstance(block[0], ast.stmt):
                yield from _statements(block, node if isinstance(node, ast.If) and name == "body" else None)


def _tells(function: ast.FunctionDef) -> bool:
    """Does it return the words of a refusal, or nothing if there is none?"""
    if function.returns is None or ast.unparse(function.returns) not in ("str", "str | None"):
        return False
    returns = [node.value for node in ast.walk(function) if isinstance(node, ast.Return)]
    ends = (
        end for one in returns for end in ((one.body, one.orelse) if isinstance(one, ast.IfExp) else (one,))
    )
    return any(end is None or (isinstance(end, ast.Constant) and not end.value) for end in ends)


def _refuses(node: ast.stmt, *, tells: bool) -> bool:
    match node:
        case ast.Raise():
            return node.exc is not None
        case ast.Return(value=ast.Call(func=func, args=args)):
            is_verdict = ast.unparse(func) == "Verdict" and ast.unparse(args[0]) == "False"
            return is_verdict or ast.unparse(func).endswith("Fault")
        case ast.Return(value=ast.JoinedStr() | ast.Constant() | ast.IfExp() | ast.BinOp()):
            return tells and any(_words(node))
        case ast.Expr(value=ast.Yield(value=ast.Call(func=func))):
            return ast.unparse(func) == "Fault"
    return False


def _conditions(node: ast.stmt, guard: ast.If | None) -> Iterator[Clause]:
    """Under which it refuses: the last that is asked before."""
    match node:
        case ast.Return(value=ast.IfExp(test=test, body=ast.Constant(value=""))):
            yield from _clauses(test, negated=True)
        case ast.Return(value=ast.IfExp(test=test)):
            yield from _clauses(test)
        case _ if guard is not None:
            yield from _clauses(guard.test)


def _clauses(test: ast.expr, *, negated: bool = False) -> Iterator[Clause]:
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield from _clauses(operand, negated=not negated)
        case ast.BoolOp(op=op, values=values) if isinstance(op, ast.And if negated else ast.Or):
            for value in values:
                yield from _clauses(value, negated=negated)
        case _:
            text = f"{'not ' if negated else ''}{ast.unparse(test)}"
            yield Clause(text, compile(ast.Expression(test), "a clause", "eval"), negated)


def _words(node: ast.AST) -> Iterator[str]:
    """The constant parts of a message."""
    for part in ast.walk(node):
        if isinstance(part, ast.Constant) and isinstance(part.value, str) and " " in part.value.strip():
            yield part.value.strip()


@cache
def said_in_tests() -> frozenset[str]:
    """Every string in a test that can name a refusal; of a pattern what it says plainly."""
    found = set[str]()
    for path in TESTS.rglob("test_*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                plain = re.sub(r"\\(.)", r"\1", node.value)
                found.update(part.strip(" .,:;") for part in re.split(r"\.\*|[\n^$]", plain))
    return frozenset(one for one in found if len(one) >= SHORTEST and " " in one)


def _phrases(place: Place) -> set[str]:
    """By which a test may name it: words of its message that stand side by side."""
    rows = [part.split(" ") for part in place.words]
    spans = (
        (row, start, end)
        for row in rows
        for start in range(len(row))
        for end in range(start + 2, len(row) + 1)
    )
    return {" ".join(row[start:end]).strip(" .,:;") for row, start, end in spans}


@cache
def _shared() -> frozenset[str]:
    """What two places say."""
    count = Counter(phrase for place in places("") for phrase in _phrases(place))
    return frozenset(phrase for phrase, found in count.items() if found > 1)


def is_named(place: Place) -> bool:
    """Do words of its message, and of no other, stand in a test? Four words are enough for two places."""
    named = _phrases(place) & said_in_tests()
    return any(one not in _shared() or one.count(" ") > 2 for one in named)


# -- rows


@dataclass(frozen=True, slots=True)
class Row:
    """What is handed in, with the one thing wrong, and words of the refusal."""

    words: str
    door: Callable[[], object]
    heavy: bool = False
    """Does it need games that take long to play?"""


def changed(
    read: Callable[[bytes], object], text: bytes, *rows: tuple[str, str, str], like: str
) -> Iterator[Row]:
    """A text with one thing in it written otherwise: what, how, and what is said; so are those of a table."""
    for old, new, words in (*CHANGED[like], *rows):
        assert old.encode() in text, old
        yield Row(words, partial(read, text.replace(old.encode(), new.encode("utf-8", "surrogateescape"), 1)))


@cache
def _by_line(folders: tuple[str, ...]) -> dict[str, dict[int, Place]]:
    """All places of some folders: by file, by line."""
    lines: dict[str, dict[int, Place]] = {}
    for one in (place for folder in folders for place in places(folder)):
        lines.setdefault(str(PBEM / one.file), {}).update(dict.fromkeys(one.lines, one))
    return lines


def play(row: Row, folders: tuple[str, ...]) -> tuple[str, set[Refusal]]:
    """What is said to a row, and what refused alone on the way."""
    lines = _by_line(folders)
    reached = set[Refusal]()

    def enter(frame: FrameType, _event: str, _value: object) -> Any:
        return look if frame.f_code.co_filename in lines else None

    def look(frame: FrameType, event: str, _value: object) -> Any:
        place = lines[frame.f_code.co_filename].get(frame.f_lineno) if event == "line" else None
        if place is not None and (clause := place.alone(frame)) is not None:
            reached.add(Refusal(place, clause))
        return look

    before = sys.gettrace()
    sys.settrace(enter)
    try:
        said = row.door()
    except Exception as fault:  # noqa: BLE001 (whatever it is, it has words)
        said = fault
    finally:
        sys.settrace(before)
    return str(said) or type(said).__name__, reached


def left_out(reached: set[Refusal], folders: Iterable[str], unreachable: Mapping[str, str]) -> list[str]:
    """What no row has reached, where nothing else names it."""
    found = []
    for place in (place for folder in folders for place in places(folder)):
        if len(place.clauses) > 1 or not is_named(place):
            found += [Refusal(place, clause) for clause in place.clauses]
    return [str(one) for one in found if one not in reached and str(one) not in unreachable]
