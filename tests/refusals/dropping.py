"""The program without one clause: put in while it runs, to see that a row notices."""

from __future__ import annotations

import ast
import gc
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import _lru_cache_wrapper, cache
from types import CodeType, FunctionType
from typing import Any

from tests.refusals.clauses import PBEM, Place, Refusal, Row, play


def goes_unnoticed(refusal: Refusal, rows: Sequence[Row]) -> bool:
    """Do all of these rows hear the same words if the clause never refuses?"""
    likely = sorted(rows, key=lambda row: not any(part in row.words for part in refusal.place.words))
    with _without(refusal):
        return all(row.words in play(row, ())[0] for row in likely)


@contextmanager
def _without(refusal: Refusal) -> Iterator[None]:
    path = PBEM / refusal.place.file
    changed = compile(_source(refusal), str(path), "exec", dont_inherit=True)
    before = []
    for code in _codes(changed):
        for function in _functions(len(sys.modules)).get((str(path), code.co_qualname), ()):
            if code.co_name == refusal.place.function and code.co_freevars == function.__code__.co_freevars:
                before.append((function, function.__code__))
                function.__code__ = code
    _forget()
    try:
        yield
    finally:
        for function, code in before:
            function.__code__ = code
        _forget()


def _forget() -> None:
    """What functions remember was found by another program."""
    for kept in _caches(len(sys.modules)):
        kept.cache_clear()


def _source(refusal: Refusal) -> ast.Module:
    """The module: the clause is asked, and whatever it says, it does not refuse."""
    place, number = refusal.place, refusal.place.clauses.index(refusal.clause)
    tree = ast.parse((PBEM / place.file).read_text(encoding="utf-8"))
    test, negated = next(_tests(tree, place))
    leaf, says_no = list(_leaves(test, negated=negated))[number]
    answer = ast.Subscript(ast.Tuple([leaf, ast.Constant(says_no)], ast.Load()), ast.Constant(1), ast.Load())
    for node in ast.walk(tree):
        for name, value in ast.iter_fields(node):
            if value is leaf:
                setattr(node, name, answer)
            elif isinstance(value, list) and any(one is leaf for one in value):
                setattr(node, name, [answer if one is leaf else one for one in value])
            else:
                continue
            return ast.fix_missing_locations(tree)
    raise AssertionError("a clause stands somewhere")


def _tests(tree: ast.Module, place: Place) -> Iterator[tuple[ast.expr, bool]]:
    """What is asked before a place, and whether it refuses where the answer is no."""
    for node in ast.walk(tree):
        match node:
            case ast.If(test=test, body=body) if not place.chooses:
                if any(one.lineno == place.lines.start for one in body):
                    yield test, False
            case ast.Return(value=ast.IfExp(test=test, body=first)) if node.lineno == place.lines.start:
                yield test, isinstance(first, ast.Constant) and first.value == ""


def _leaves(test: ast.expr, *, negated: bool) -> Iterator[tuple[ast.expr, bool]]:
    """As clauses.py takes them apart."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield from _leaves(operand, negated=not negated)
        case ast.BoolOp(op=op, values=values) if isinstance(op, ast.And if negated else ast.Or):
            for value in values:
                yield from _leaves(value, negated=negated)
        case _:
            yield test, negated


def _codes(code: CodeType) -> Iterator[CodeType]:
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield inner
            yield from _codes(inner)


@cache
def _functions(modules: int) -> dict[tuple[str, str], list[FunctionType]]:
    """Every function of so many modules, by file and name; those inside others have no lasting one."""
    found: dict[tuple[str, str], list[FunctionType]] = {}
    for one in gc.get_objects():
        if isinstance(one, FunctionType) and one.__code__.co_filename.startswith(str(PBEM)):
            found.setdefault((one.__code__.co_filename, one.__code__.co_qualname), []).append(one)
    return found


@cache
def _caches(modules: int) -> list[Any]:
    """What remembers answers in so many modules."""
    every = (one for one in gc.get_objects() if isinstance(one, _lru_cache_wrapper))
    return [one for one in every if str(getattr(one, "__module__", "")).startswith("pbem")]
