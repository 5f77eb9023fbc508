"""Ways to break a rule: every small change of a rule's source, of a fact or of a house rule's default.

A change of source is made in its syntax tree: a comparison turned or moved by one, a number one higher,
yes for no, a condition left out or turned round, a step left out; if asked, also a whole guard left out, an
early end, the wrong side. Text that people read, docstrings and annotations are left alone.
"""

from __future__ import annotations

import ast
import copy
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

RULES = Path(__file__).parent.parent.parent / "pbem/rules"

COMPARED: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
}


Node = TypeVar("Node", bound=ast.AST)
Spot = tuple[tuple[str, int | None], ...]
"""The way from a module's tree to a node: field by field, with a place in lists."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """One file of the rules with one thing changed."""

    file: str  # below pbem/rules, or below pbem
    line: int
    rule: str  # the function it stands in; of a fact, its table
    before: str
    after: str
    make: Callable[[], str]
    number: int = 1
    """Which it is of the changes in this function, or of this fact, that read alike."""

    @property
    def source(self) -> str:
        """The whole changed file."""
        return self.make()

    @property
    def place(self) -> str:
        """Where it is, as an editor wants it."""
        return f"{self.file}:{self.line}"

    @property
    def change(self) -> str:
        """What was done to it."""
        return f"{self.before} -> {self.after}"


def source_mutants(path: Path, file: str, *, further: bool = False) -> Iterator[Mutant]:
    """Every mutant of one module, which is called `file`; `further` ones as well, if asked."""
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    alike = Counter[tuple[str, str, str]]()
    for rule, spot in _spots(tree):
        node = _at(tree, spot)
        for changed in (*_changes(node), *(_further(node, _function(tree, spot)) if further else ())):
            reads = rule, _short(node), _short(changed)
            alike[reads] += 1
            yield Mutant(
                file,
                getattr(node.target if isinstance(node, ast.comprehension) else node, "lineno", 0),
                *reads,
                partial(_source, tree, spot, changed),
                alike[reads],
            )


def _source(tree: ast.Module, spot: Spot, changed: ast.AST) -> str:
    """The module with one node changed."""
    mutated = copy.deepcopy(tree)
    _put(mutated, spot, changed)
    return ast.unparse(ast.fix_missing_locations(mutated))


def _spots(tree: ast.Module) -> Iterator[tuple[str, Spot]]:
    """Every node inside functions, with the function's name; annotations and texts left out."""

    def walk(node: ast.AST, way: Spot, rule: str, inside: bool) -> Iterator[tuple[str, Spot]]:
        is_function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            rule = f"{rule}.{node.name}" if rule else node.name
        inside = inside or is_function
        if inside:
            yield rule, way
        for field, value in ast.iter_fields(node):
            if field == "annotation" or (is_function and field in ("returns", "args", "decorator_list")):
                continue
            entries = value if isinstance(value, list) else [value]
            for place, entry in enumerate(entries):
                if isinstance(entry, ast.AST) and not isinstance(entry, ast.JoinedStr):
                    step = (field, place if isinstance(value, list) else None)
                    yield from walk(entry, (*way, step), rule, inside)

    yield from walk(tree, (), "", False)


def _at(tree: ast.AST, spot: Spot) -> ast.AST:
    node: ast.AST = tree
    for field, place in spot:
        value = getattr(node, field)
        node = value if place is None else value[place]
    return node


def _put(tree: ast.AST, spot: Spot, changed: ast.AST) -> None:
    *way, (field, place) = spot
    node = _at(tree, tuple(way))
    if place is None:
        setattr(node, field, changed)
    else:
        getattr(node, field)[place] = changed


def _alike(node: Node) -> Node:
    """A node of its own, with the same parts."""
    made = copy.copy(node)
    for field, value in ast.iter_fields(node):
        if isinstance(value, list):
            setattr(made, field, [*value])
    return made


def _changes(node: ast.AST) -> Iterator[ast.AST]:
    """What a node may be changed into."""
    for kind, change in CHANGES:
        if isinstance(node, kind):
            yield from change(node)


def _compare(node: ast.Compare) -> Iterator[ast.AST]:
    for place, operator in enumerate(node.ops):
        for other in COMPARED[type(operator)]:
            changed = _alike(node)
            changed.ops[place] = other()
            yield changed


def _both_or_either(node: ast.BoolOp) -> Iterator[ast.AST]:
    changed = _alike(node)
    changed.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
    yield changed
    for place in range(len(node.values)):
        left = [copy.deepcopy(value) for index, value in enumerate(node.values) if index != place]
        yield left[0] if len(left) == 1 else ast.BoolOp(op=copy.deepcopy(node.op), values=left)


def _negation(node: ast.UnaryOp) -> Iterator[ast.AST]:
    if isinstance(node.op, ast.Not | ast.USub):
        yield copy.deepcopy(node.operand)


def _constant(node: ast.Constant) -> Iterator[ast.AST]:
    if isinstance(node.value, bool):
        yield ast.Constant(value=not node.value)
    elif isinstance(node.value, int):
        yield ast.Constant(value=node.value + 1)


def _sum(node: ast.BinOp) -> Iterator[ast.AST]:
    if isinstance(node.op, ast.Add | ast.Sub):
        changed = _alike(node)
        changed.op = ast.Sub() if isinstance(node.op, ast.Add) else ast.Add()
        yield changed


def _step(node: ast.AugAssign) -> Iterator[ast.AST]:
    if isinstance(node.op, ast.Add | ast.Sub):
        changed = _alike(node)
        changed.op = ast.Sub() if isinstance(node.op, ast.Add) else ast.Add()
        yield changed
    yield ast.Pass()


def _condition(node: ast.If | ast.While | ast.IfExp) -> Iterator[ast.AST]:
    changed = _alike(node)
    changed.test = ast.UnaryOp(op=ast.Not(), operand=changed.test)
    yield changed


def _filter(node: ast.comprehension) -> Iterator[ast.AST]:
    for place in range(len(node.ifs)):
        changed = _alike(node)
        del changed.ifs[place]
        yield changed


def _left_out(node: ast.Expr) -> Iterator[ast.AST]:
    call = node.value.value if isinstance(node.value, ast.Await) else node.value
    if isinstance(call, ast.Call):
        yield ast.Pass()


def _assigned(node: ast.Assign) -> Iterator[ast.AST]:
    if all(isinstance(target, ast.Attribute | ast.Subscript) for target in node.targets):
        yield ast.Pass()


CHANGES: tuple[tuple[type, Callable[..., Iterator[ast.AST]]], ...] = (
    (ast.Compare, _compare),
    (ast.BoolOp, _both_or_either),
    (ast.UnaryOp, _negation),
    (ast.Constant, _constant),
    (ast.BinOp, _sum),
    (ast.AugAssign, _step),
    (ast.If, _condition),
    (ast.While, _condition),
    (ast.IfExp, _condition),
    (ast.comprehension, _filter),
    (ast.Expr, _left_out),
    (ast.Assign, _assigned),
)


TURNED = {"min": "max", "max": "min", "any": "all", "all": "any"}


def _function(tree: ast.Module, spot: Spot) -> ast.FunctionDef | ast.AsyncFunctionDef:
    """The innermost function that a node stands in."""
    around = (_at(tree, spot[:length]) for length in range(len(spot), -1, -1))
    return next(node for node in around if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def _further(node: ast.AST, function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[ast.AST]:
    """A guard left out, a loop or a function that ends early, the wrong side."""
    ends = ast.Return | ast.Raise | ast.Continue | ast.Break
    match node:
        case ast.If(body=[*_, last], orelse=[]) if isinstance(last, ends):
            yield ast.Pass()
        case ast.For(body=[*_, last], orelse=[]) if not isinstance(last, ends):
            changed = _alike(node)
            changed.body.append(ast.Break())
            yield changed
        case ast.Expr(value=ast.Call() | ast.Await()) if node is not function.body[-1]:
            if isinstance(function.returns, ast.Constant):  # it returns nothing
                yield ast.Return()
        case ast.Call(func=ast.Name(id=name)) if name in TURNED:
            changed_call = _alike(node)
            changed_call.func = ast.Name(id=TURNED[name], ctx=ast.Load())
            yield changed_call
        case ast.Call(func=ast.Name(id=name), args=[side], keywords=[]) if name == "enemy_of":
            yield copy.deepcopy(side)


def _short(node: ast.AST) -> str:
    """A node in one short line."""
    if isinstance(node, ast.For):
        once = ", once" if isinstance(node.body[-1], ast.Break) else ""
        return f"for {ast.unparse(node.target)} in {ast.unparse(node.iter)}{once}"
    if isinstance(node, ast.If | ast.While):
        return f"{'if' if isinstance(node, ast.If) else 'while'} {ast.unparse(node.test)}"
    if isinstance(node, ast.comprehension):
        return "".join(f" if {ast.unparse(test)}" for test in node.ifs).strip() or "no condition"
    return " ".join(ast.unparse(node).split())


# -- facts and defaults, in TOML


def fact_mutants(path: Path, file: str) -> Iterator[Mutant]:
    """Every number one higher, every yes a no, every border of the other colour."""
    text = path.read_text(encoding="utf-8")
    lines = text.split("\n")
    table = ""
    for index, line in enumerate(lines):
        code = line.partition("#")[0]
        if code.startswith("["):
            table = code.strip("[] ")
        for found in re.finditer(r"(?<![\w.\"])(\d+|true|false)(?![\w.\"])(?!\s*=)", code):
            other = {"true": "false", "false": "true"}.get(found[0]) or str(int(found[0]) + 1)
            changed = f"{line[: found.start()]}{other}{line[found.end() :]}"
            source = "\n".join([*lines[:index], changed, *lines[index + 1 :]])
            yield Mutant(file, index + 1, table, line.strip(), changed.strip(), partial(str, source))


def default_mutants(path: Path, file: str) -> Iterator[Mutant]:
    """Every house rule with another default: edition 4's next value, another edition's line left out."""
    lines = path.read_text(encoding="utf-8").split("\n")
    table = ""
    for index, line in enumerate(lines):
        code = line.partition("#")[0].strip()
        if code.startswith("["):
            table = code.strip("[] ")
            continue
        if table == "switch" and code:
            name, _, values = code.partition(" = ")
            first, *others = values.strip("[]").split(", ")
            changed = f"{name} = [{', '.join([others[0], first, *others[1:]])}]"
        elif table.startswith("edition.") and code:
            changed = ""
        else:
            continue
        source = "\n".join([*lines[:index], changed, *lines[index + 1 :]])
        yield Mutant(file, index + 1, table, code, changed or "left out", partial(str, source))
