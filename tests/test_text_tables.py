"""Text that is decided on or hashed is read by no table of the Python that happens to run.

`text_tables.toml` is the table to read: where this holds, which names are refused, and the few places where
one of them is right, each with its reason. What to write instead stands in `pbem/characters.py`.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import jinja2
import pytest
from jinja2 import nodes

TABLE = tomllib.loads(Path(__file__).with_name("text_tables.toml").read_text(encoding="utf-8"))
MODULES, METHODS, BARE = (frozenset(TABLE["refused"][kind]) for kind in ("modules", "methods", "bare"))
FILTERS = frozenset(TABLE["refused"]["filters"])

_CLASS = re.compile(r"(?<!\\)(?:\\\\)*\\[sSdDwWbB]")
_FLOAT = re.compile(r"%[-+ #0-9.]*[eEfFgG]|\{[^{}]*:[^{}]*[eEfFgG%]\}")
_FLOAT_SPEC = re.compile(r"[^{}]*[eEfFgG%]")
_ASCII_FLAGS = {"A", "ASCII"}
_CASE_FLAGS = {"I", "IGNORECASE"}


class Fault(NamedTuple):
    """One thing that is refused: the file and the function it stands in, and the line."""

    place: str
    line: int
    name: str

    def __str__(self) -> str:
        return f"{self.place} (line {self.line}): {self.name}"


class _Look(ast.NodeVisitor):
    """Collects the faults of one module."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.scope: list[str] = []
        self.faults: list[Fault] = []

    def fault(self, node: ast.AST, name: str) -> None:
        place = ".".join(self.scope) or "module"
        self.faults.append(Fault(f"{self.file}:{place}", getattr(node, "lineno", 0), name))

    def within(self, name: str, node: ast.AST) -> None:
        self.scope.append(name)
        self.generic_visit(node)
        self.scope.pop()

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> None:
        self.within(node.name, node)

    visit_AsyncFunctionDef = visit_ClassDef = visit_FunctionDef  # noqa: N815

    def visit_Assign(self, node: ast.Assign | ast.AnnAssign) -> None:
        target = node.targets[0] if isinstance(node, ast.Assign) else node.target
        if self.scope or not isinstance(target, ast.Name):
            self.generic_visit(node)
        else:
            self.within(target.id, node)

    visit_AnnAssign = visit_Assign  # noqa: N815

    def visit_Expr(self, node: ast.Expr) -> None:
        if not isinstance(node.value, ast.Constant):  # a docstring
            self.generic_visit(node)

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            if alias.name.split(".")[0] in MODULES:
                self.fault(node, alias.name)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        for alias in node.names:
            if {f"{node.module}", f"{node.module}.{alias.name}"} & MODULES:
                self.fault(node, f"{node.module}.{alias.name}")

    def visit_Attribute(self, node: ast.Attribute) -> None:
        match node.value:
            case ast.Name(id=module) if f"{module}.{node.attr}" in MODULES:
                self.fault(node, f"{module}.{node.attr}")
            case ast.Name("str") if node.attr in METHODS | BARE:
                self.fault(node, f"str.{node.attr}")
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        match node:
            case ast.Call(ast.Attribute(value, attr=method)) if not _is_of_ascii(value):
                if method in METHODS and (not node.args or method == "splitlines"):
                    self.fault(node, method)
                elif method in BARE and _is_bare(node):
                    self.fault(node, f"bare {method}")
            case ast.Call(ast.Name("format"), [_, ast.Constant(str(spec))]) if _FLOAT_SPEC.fullmatch(spec):
                self.fault(node, "float formatting")
        flags = _flags(node)
        if flags & _CASE_FLAGS and not flags & _ASCII_FLAGS and not _is_bytes(node.args[0]):
            self.fault(node, "re.IGNORECASE without re.ASCII")
        if flags & _ASCII_FLAGS:
            for argument in node.args[1:]:
                self.visit(argument)
        else:
            self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, str):
            if found := _CLASS.search(node.value):
                self.fault(node, f"{found[0][-2:]} without re.ASCII")
            if _FLOAT.search(node.value):
                self.fault(node, "float formatting")

    def visit_FormattedValue(self, node: ast.FormattedValue) -> None:
        match node.format_spec:
            case ast.JoinedStr([*_, ast.Constant(str(spec))]) if _FLOAT_SPEC.fullmatch(spec):
                self.fault(node, "float formatting")
        self.generic_visit(node)


def _is_bytes(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, bytes)


def _is_of_ascii(node: ast.expr) -> bool:
    """Tell whether an expression is bytes, or a text that anybody can see to be ASCII."""
    match node:
        case ast.Constant(str(text)):
            return text.isascii()
        case ast.Constant(bytes()) | ast.Call(ast.Attribute(attr="encode")):
            return True
        case ast.Call(ast.Attribute(attr=name, value=value)) if name in {"hex", "hexdigest", "join"}:
            return name != "join" or _is_bytes(value)
    return False


def _is_bare(node: ast.Call) -> bool:
    """Tell whether a call of strip or split leaves it to Python which signs are blanks."""
    if node.args:
        return isinstance(node.args[0], ast.Constant) and node.args[0].value is None
    return all(one.arg not in ("sep", "chars") for one in node.keywords)


def _flags(node: ast.Call) -> set[str]:
    """Return the flags that a call of `re` is given."""
    match node.func:
        case ast.Attribute(ast.Name("re")) if node.args:
            given = [*node.args[1:], *(one.value for one in node.keywords)]
            return {
                inner.attr
                for one in given
                for inner in ast.walk(one)
                if isinstance(inner, ast.Attribute) and ast.unparse(inner.value) == "re"
            }
    return set()


def faults_in_module(file: str, source: str) -> list[Fault]:
    look = _Look(file)
    look.visit(ast.parse(source))
    return look.faults


def faults_in_template(file: str, source: str) -> list[Fault]:
    """Return the filters, tests and methods of a template that are refused."""
    tree = jinja2.Environment(extensions=["jinja2.ext.do"]).parse(source)  # noqa: S701 - nothing is rendered
    found = [Fault(f"{file}:filter", one.lineno, one.name) for one in tree.find_all(nodes.Filter)]
    found += [Fault(f"{file}:test", one.lineno, one.name) for one in tree.find_all(nodes.Test)]
    found += [
        Fault(f"{file}:method", call.lineno, call.node.attr)
        for call in tree.find_all(nodes.Call)
        if isinstance(call.node, nodes.Getattr) and (call.node.attr not in BARE or not call.args)
    ]
    return [one for one in found if one.name in FILTERS | METHODS | BARE]


def all_faults(root: Path) -> Iterator[Fault]:
    """Yield what is refused in the modules and templates of the table's scope."""
    for pattern in TABLE["scope"]:
        paths = sorted(root.glob(pattern))
        assert paths, f"{pattern} finds no file"
        for path in paths:
            look = faults_in_module if path.suffix == ".py" else faults_in_template
            yield from look(path.relative_to(root).as_posix(), path.read_text(encoding="utf-8"))


def test_text_that_counts_is_read_by_no_table_of_the_interpreter(project: Path) -> None:
    allowed = TABLE["allowed"]
    assert [str(fault) for fault in all_faults(project) if fault.place not in allowed] == []


@pytest.mark.ci
def test_each_place_that_is_allowed_still_needs_it(project: Path) -> None:
    found = {fault.place for fault in all_faults(project)}
    assert [place for place in TABLE["allowed"] if place not in found] == []


@pytest.mark.parametrize(("snippet", "name"), TABLE["guilty"])
def test_what_is_guilty_is_found(snippet: str, name: str) -> None:
    assert [fault.name for fault in faults_in_module("one.py", snippet)] == [name]


@pytest.mark.parametrize("snippet", TABLE["innocent"])
def test_what_is_innocent_is_passed(snippet: str) -> None:
    assert faults_in_module("one.py", snippet) == []


@pytest.mark.parametrize(("snippet", "name"), TABLE["guilty_templates"])
def test_what_is_guilty_in_a_template_is_found(snippet: str, name: str) -> None:
    assert [fault.name for fault in faults_in_template("one.j2", snippet)] == [name]


@pytest.mark.parametrize("snippet", TABLE["innocent_templates"])
def test_what_is_innocent_in_a_template_is_passed(snippet: str) -> None:
    assert faults_in_template("one.j2", snippet) == []


@pytest.mark.parametrize(("snippet", "place"), TABLE["places"])
def test_a_fault_says_where_it_stands(snippet: str, place: str) -> None:
    assert [fault.place for fault in faults_in_module("one.py", snippet)] == [place]
