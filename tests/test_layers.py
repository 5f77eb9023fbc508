"""Who may import whom, what rules must not know, and where a game's own words may stand.

`MAY_IMPORT` is the table to read (and to add a line to, for a new part of the package). A *part* is the
first name below `pbem`. A game has three rooms: its rules and its order language lie below those parts
(`pbem/rules/hammer`), all else below its title (`pbem/titles/hammer/reports`), by the names of the parts, and
what holds for a part holds there too. They are known to nobody but the same game's other rooms.
"""

import ast
import gc
import re
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import NamedTuple

import networkx as nx  # type: ignore[import-untyped]
import pytest

from pbem.rules.base import Head

MAY_IMPORT: dict[str, set[str]] = {
    "errors": set(),
    "characters": set(),
    "compiled": set(),
    "rendering": {"errors"},
    "signed_texts": set(),
    "steps": set(),
    "guides": {"errors", "rules", "titles"},
    "rules": {"errors"},
    "orders": {"errors", "rules"},
    "pictures": {"errors", "rules"},
    "reports": {"errors", "orders", "pictures", "rendering", "rules"},
    "playback": {"errors", "orders", "reports", "rules"},
    "game": {"errors", "odds", "orders", "pictures", "reports", "rules", "titles"},
    "titles": {*("bots", "errors", "forecast", "odds", "orders", "pictures", "playback", "reports", "rules")},
    "pages": {"errors", "pictures", "rendering", "reports", "rules", "titles"},
    "trust": {"errors"},
    "play": {"errors", "orders", "rendering", "reports", "rules", "titles", "trust"},
    "letter_checks": {"guides", "play", "reports", "trust"},
    "player": {
        *(
            "errors",
            "forecast",
            "leagues",
            "letter_checks",
            "orders",
            "play",
            "reports",
            "rules",
            "steps",
            "titles",
            "trust",
        )
    },
    "judge": {
        *("disputes", "errors", "forecast", "leagues", "orders", "play", "rendering", "reports", "rules"),
        *("guides", "steps", "titles", "trust"),
    },
    "odds": {"errors", "orders", "rules"},
    "forecast": {"errors", "odds", "orders", "rules"},
    "bots": {"errors", "forecast", "odds", "orders", "reports", "rules"},
    "disputes": {"errors", "orders", "play", "rendering", "reports", "rules", "trust"},
    "audit": {
        *(
            "disputes",
            "errors",
            "leagues",
            "letter_checks",
            "orders",
            "play",
            "rendering",
            "reports",
            "rules",
            "trust",
        )
    },
    "moments": {
        *("bots", "disputes", "errors", "forecast", "odds", "orders", "pictures", "play", "playback"),
        *("rendering", "reports", "rules", "titles", "trust"),
    },
    "testing": {"forecast", "orders", "pictures", "play", "practice", "reports", "rules", "titles"},
    "practice": {"bots", "errors", "forecast", "orders", "play", "reports", "rules", "titles", "trust"},
    "mail": {"errors", "judge", "pages", "rendering", "steps", "trust"},
    "box": {"errors", "trust"},
    "notify": {"box", "errors", "trust"},
    "desk": {"errors", "rendering", "rules", "trust"},
    "site": {
        *("errors", "guides", "judge", "leagues", "moments", "pages", "pictures", "play", "practice"),
        *("ratings", "rendering", "reports", "rules", "titles", "trust"),
    },
    "ratings": {"audit", "errors", "judge", "leagues", "play", "rules", "trust"},
    "service": {"box", "compiled", "errors", "judge", "mail", "notify", "rendering", "site", "trust"},
    "leagues": {"errors", "pictures", "rendering", "rules", "titles", "trust"},
    "web": {
        *(
            "audit",
            "errors",
            "leagues",
            "moments",
            "orders",
            "pages",
            "pictures",
            "play",
            "playback",
            "player",
            "practice",
            "rendering",
            "reports",
            "rules",
        ),
        *("signed_texts", "titles", "trust"),
    },
}
FOR_ALL = {"characters"}
"""What every part may import; no row above says so."""
MAY_IMPORT_ALL = {"__main__", "cli", "demo"}

ONLY_IN: dict[str, set[str]] = {
    "bcrypt": {"trust"},
    "click": {"cli"},
    "cryptography": {"trust"},
    "flufl": {"mail"},
    "icalendar": {"leagues"},
    "imaplib": {"mail"},
    "jinja2": {"rendering", "reports"},
    "networkx": {"leagues"},
    "pbem_primitives": {"trust"},
    "PIL": {"pictures"},
    "css_inline": {"pages"},
    "pyodide": {"trust"},
    "pyrage": {"trust"},
    "pytest": {"testing"},
    "resvg_py": {"pictures"},
    "smtplib": {"mail"},
    "sqlite3": {"judge"},
    "sqlite_utils": {"judge"},
    "anyio": {"box", "desk"},
    "h11": {"box"},
    "starlette": {"box", "desk"},
    "uvicorn": {"box", "desk"},
}
IMPORTED_AS = {"PIL": "pillow", "flufl": "flufl_bounce"}
"""Packages whose modules have another name."""
BROUGHT = {"anyio", "h11"}
"""Packages that starlette and uvicorn stand on."""
IN_A_BROWSER = {"pbem_primitives", "pyodide"}
"""What the player's page brings; nobody can install it."""
IMPURE = {"datetime", "os", "pathlib", "random", "secrets", "socket", "subprocess", "sys", "time", *ONLY_IN}
PURE_PARTS = {"forecast", "odds", "orders", "rules"}

SIDES = r"\b(england|scotland)\b"
"""Sides as programs write them; what a person reads says England and Scotland."""


class Import(NamedTuple):
    """One module that a file names in an import, and where."""

    place: str
    target: str


class Home(NamedTuple):
    """Where a module belongs: the part of the package and the game, if it is a game's own."""

    part: str
    game: str | None


def games(root: Path) -> set[str]:
    """The packages below `pbem/rules` are the games."""
    return {folder.name for folder in (root / "pbem/rules").glob("[a-z]*") if folder.is_dir()}


def home(module: str, known_games: set[str]) -> Home:
    below = [*module.split(".")[1:], "", "", ""]
    if below[0] == "titles" and below[1] in known_games and below[2] in MAY_IMPORT:
        return Home(below[2], below[1])
    return Home(below[0], below[1] if below[1] in known_games else None)


def sources(root: Path) -> Iterator[tuple[str, str, ast.Module]]:
    """Every module of the package: its place, its dotted name and its tree."""
    for path in sorted((root / "pbem").rglob("*.py")):
        place = path.relative_to(root)
        name = ".".join(place.with_suffix("").parts).removesuffix(".__init__")
        yield place.as_posix(), name, tree_of(path.read_text(encoding="utf-8"))


@cache
def tree_of(source: str) -> ast.Module:
    """Each module is parsed once for all four looks at it. Nobody changes the tree."""
    return ast.parse(source)


@cache
def nodes_of(tree: ast.Module) -> tuple[ast.AST, ...]:
    """All that stands in a module; each rule below looks through it."""
    return tuple(ast.walk(tree))


@cache
def imports(place: str, module: str, tree: ast.Module) -> tuple[Import, ...]:
    """Every import, also those inside functions, with relative ones spelled out."""
    return tuple(_imports(place, module, tree))


def _imports(place: str, module: str, tree: ast.Module) -> Iterator[Import]:
    package = module.split(".") if place.endswith("__init__.py") else module.split(".")[:-1]
    for node in nodes_of(tree):
        if isinstance(node, ast.Import):
            yield from (Import(f"{place}:{node.lineno}", alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            start = package[: len(package) - node.level + 1] if node.level else []
            origin = ".".join([*start, *([node.module] if node.module else [])])
            yield from (Import(f"{place}:{node.lineno}", f"{origin}.{alias.name}") for alias in node.names)


def layer_faults(root: Path) -> list[str]:
    """Imports within the package that the table does not allow."""
    known_games = games(root)
    faults = []
    for place, module, tree in sources(root):
        ours = home(module, known_games)
        if ours.part and ours.part not in MAY_IMPORT.keys() | MAY_IMPORT_ALL:
            faults.append(f"{place}: {ours.part} is not in the table of tests/test_layers.py")
            continue
        for where, target in imports(place, module, tree):
            if not target.startswith("pbem."):
                continue
            theirs = home(target, known_games)
            named_parts = MAY_IMPORT.keys() | MAY_IMPORT_ALL
            allowed = {ours.part, *FOR_ALL, *MAY_IMPORT.get(ours.part, named_parts)}
            if theirs.part in named_parts and theirs.part not in allowed:
                faults.append(f"{where}: {ours.part or 'pbem'} must not import {theirs.part}")
            elif theirs.game not in (None, ours.game):
                faults.append(f"{where}: only the game's own packages may import {target}")
            elif target.startswith("pbem.rules.flow") and ours.part not in ("game", "rules"):
                faults.append(f"{where}: the driver of rules is not part of their surface")
    return faults


def circle_faults(root: Path) -> list[str]:
    """Modules that import one another, by whatever way round, also inside functions and for types."""
    modules = {module: tree for _, module, tree in sources(root)}
    graph = nx.DiGraph()
    for place, module, tree in sources(root):
        for one in imports(place, module, tree):
            target = one.target
            while target and target not in modules:
                target = target.rpartition(".")[0]
            if target.count(".") and target != module:
                graph.add_edge(module, target)
    circles = (sorted(found) for found in nx.strongly_connected_components(graph) if len(found) > 1)
    return [f"{' and '.join(found)} import one another" for found in sorted(circles)]


def foreign_faults(root: Path) -> list[str]:
    """Imports from outside that a part must not make, or that the project does not declare."""
    settings = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    extra = settings["project"].get("optional-dependencies", {})
    wanted = [*settings["project"]["dependencies"], *(name for names in extra.values() for name in names)]
    declared = {re.split(r"[<>=]", name)[0].replace("-", "_") for name in wanted}
    known = sys.stdlib_module_names | declared | IN_A_BROWSER | BROUGHT | {"pbem"}
    known_games = games(root)
    faults = []
    for place, module, tree in sources(root):
        part = home(module, known_games).part
        for where, target in imports(place, module, tree):
            top = target.split(".")[0]
            if part in PURE_PARTS and top in IMPURE:
                faults.append(f"{where}: {part} must not know {top}")
            elif part not in ONLY_IN.get(top, {part}):
                faults.append(f"{where}: {top} belongs to {', '.join(sorted(ONLY_IN[top]))}")
            elif IMPORTED_AS.get(top, top) not in known:
                faults.append(f"{where}: {top} is not among the dependencies")
    return faults


def name_pattern(known_games: set[str], *besides: str) -> re.Pattern[str]:
    """Finds a game by its name, however it is spelled."""
    return re.compile(
        "|".join([*besides, *(rf"(?i:\b{game}\b)".replace("_", "[-_ ]") for game in known_games)])
    )


def name_faults(root: Path) -> list[str]:
    """Games, and sides, named outside the packages of their game."""
    known_games = games(root)
    names = name_pattern(known_games, SIDES)
    fault = "names a game or a side; ask the titles that are installed"
    faults = []
    for place, module, tree in sources(root):
        if home(module, known_games).game:
            continue
        prose = {id(node.value) for node in nodes_of(tree) if isinstance(node, ast.Expr)}
        for node in nodes_of(tree):
            if id(node) in prose:
                continue
            said = node.value if isinstance(node, ast.Constant) else getattr(node, "attr", None)
            if isinstance(said, str) and names.search(said):
                line = getattr(node, "lineno", 0)
                faults.append(f"{place}:{line}: {said!r} {fault}")
    for path in sorted((root / "templates").rglob("*")):
        place = path.relative_to(root).as_posix()
        if path.is_file() and names.search(path.read_text()):
            faults.append(f"{place}: {fault}")
    return faults


def support_faults(root: Path) -> list[str]:
    """Support files of tests that import a game or name one, but for those in the folder of a game."""
    known_games = games(root)
    names = name_pattern(known_games)
    faults = []
    for path in sorted((root / "tests").glob("*/**/*")):
        place = path.relative_to(root)
        if path.name.startswith("test_") or known_games & set(place.parts):
            continue
        if path.suffix == ".toml":
            lines = enumerate(path.read_text(encoding="utf-8").split("\n"), 1)
            named = [f"{place}:{number}" for number, line in lines if names.search(line)]
        elif path.suffix == ".py":
            tree = tree_of(path.read_text(encoding="utf-8"))
            found = imports(place.as_posix(), "", tree)
            named = [one.place for one in found if known_games & set(one.target.split("."))]
            for node in nodes_of(tree):
                if (
                    isinstance(node, ast.Constant)
                    and isinstance(node.value, str)
                    and names.search(node.value)
                ):
                    named.append(f"{place}:{node.lineno}")
        else:
            continue
        faults += [f"{one}: knows a game; it belongs into the folder of that game" for one in named]
    return faults


ASKED_ONCE = {
    *("add_entry", "check_late", "check_seen", "fork_evidence", "is_for_another", "leaf"),
    *("note_claim", "receipt_evidence", "rmtree", "seal_signed", "verify_checkpoint", "verify_receipt"),
}
"""What is asked of files, letters, receipts and heads in one place for both (decision 18)."""
CALLED = {
    "check_counts": {"pbem.audit.league_replay"},
    "check_reveal": {"pbem.player.leagues.ledger"},
    "reveal": {"pbem.judge.leagues.book"},
}
"""And what a league calls besides in one place: the audit for its files, a home for the steps that a game's
genesis takes from a call, the judge for their own step."""


def second_copy_faults(root: Path) -> list[str]:
    """Modules of leagues that ask by themselves what games and leagues are asked in one place."""
    faults = []
    for place, module, tree in sources(root):
        if "league" not in module:
            continue
        for node in nodes_of(tree):
            if not isinstance(node, ast.Call):
                continue
            name = str(getattr(node.func, "attr", None) or getattr(node.func, "id", ""))
            if name in ASKED_ONCE or module not in CALLED.get(name, {module}):
                faults.append(f"{place}:{node.lineno}: {name} is asked for games and leagues in one place")
    return faults


VIEW_NAMES = {"after", "before", "looks", "position", "seen", "view", "views"}
"""What general code calls a view, or a table of views; besides, whatever is annotated as one."""


def is_view(node: ast.expr, annotated: set[str]) -> bool:
    """Is this expression a view, as far as its name, or the call that it comes from, tells?"""
    match node:
        case ast.Name(name) | ast.Attribute(attr=name):
            return name in VIEW_NAMES or name in annotated
        case ast.Call(func=ast.Attribute(attr=name) | ast.Name(name)):
            return name in {"view", "read_view", "unpack_view"}
        case ast.Subscript(value) | ast.BoolOp(values=[value, *_]):
            return is_view(value, annotated)
    return False


def view_faults(root: Path) -> list[str]:
    """Keys of a view that are looked at outside its game: all but its head is the game's own."""
    known_games = games(root)
    faults = []
    for place, module, tree in sources(root):
        if home(module, known_games).game or place == "pbem/rules/base.py":
            continue
        annotated = {
            name
            for node in nodes_of(tree)
            if isinstance(node, ast.arg | ast.AnnAssign) and node.annotation is not None
            if re.search(r"\bView\b", ast.unparse(node.annotation))
            for name in [node.arg if isinstance(node, ast.arg) else ast.unparse(node.target)]
        }
        for node in nodes_of(tree):
            match node:
                case ast.Subscript(value, ast.Constant(str(key))):
                    pass
                case ast.Call(ast.Attribute(value, "get" | "pop"), [ast.Constant(str(key)), *_]):
                    pass
                case ast.Compare(ast.Constant(str(key)), [ast.In() | ast.NotIn()], [value]):
                    pass
                case _:
                    continue
            if key not in AUDIENCES | HEAD and is_view(value, annotated):
                faults.append(f"{place}:{node.lineno}: looks at {key!r} of a view; ask its title")
    return faults


AUDIENCES = {"gm", "public"}
"""Keys by which a table of views is read."""
HEAD = {field.name for field in fields(Head)}
"""The keys that every view has."""


@pytest.fixture(scope="module", autouse=True)
def _no_rubbish() -> Iterator[None]:
    """To look for rubbish among a million nodes takes as long as to parse them; then they are forgotten."""
    gc.disable()
    yield
    for one in (tree_of, nodes_of, imports):
        one.cache_clear()
    gc.enable()


LOOKS = (
    *(layer_faults, circle_faults, foreign_faults, name_faults, support_faults, view_faults),
    second_copy_faults,
)


def test_the_project_keeps_its_layers(project: Path) -> None:
    """All looks in one test, for each process that has one of them parses every module."""
    assert {look.__name__: look(project) for look in LOOKS} == {look.__name__: [] for look in LOOKS}


def tree_with(root: Path, files: dict[str, str]) -> Path:
    """A small project with these files, one game called hammer, and click as its only dependency."""
    basics = {
        "pyproject.toml": '[project]\ndependencies = ["click>=8"]\n',
        "pbem/rules/hammer/__init__.py": "",
    }
    for name, text in (basics | files).items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


CASES = tomllib.loads(Path(__file__).with_name("layers.toml").read_text(encoding="utf-8"))
CASES["foreign_faults"] += (
    ["pbem/rules/base.py", f"import {name}", f"rules must not know {name}"] for name in sorted(IMPURE)
)


@pytest.mark.parametrize(
    ("look", "place", "text", "fault"), [(look, *case) for look, cases in CASES.items() for case in cases]
)
def test_a_look_finds_this_fault_or_none(
    look: str, place: str, text: str, fault: str, tmp_path: Path
) -> None:
    looks = {one.__name__: one for one in LOOKS}
    found = looks[look](tree_with(tmp_path, {place: text}))
    assert [fault in one for one in found] == [True] * bool(fault), found


@pytest.mark.parametrize(
    ("first", "second", "circles"),
    [
        ("import pbem.judge.adjudication", "from pbem.judge.club import Club", 1),
        ("def f():\n    from pbem.judge import adjudication", "from pbem.judge.club import Club", 1),
        ("import pbem.judge.adjudication", "if TYPE_CHECKING:\n    from .club import Club", 1),
        ("import pbem.judge.adjudication", "from pbem.judge import other", 0),
    ],
)
def test_modules_that_import_one_another_are_found(
    first: str, second: str, circles: int, tmp_path: Path
) -> None:
    files = {"pbem/judge/club.py": first, "pbem/judge/adjudication.py": second, "pbem/judge/other.py": ""}
    assert len(circle_faults(tree_with(tmp_path, files))) == circles


@pytest.mark.parametrize(
    ("place", "found"),
    [
        ("tests/judge/table.py", 2),
        ("tests/bots/matches.py", 2),
        ("tests/benchmarks/bench_engine.py", 2),
        ("tests/tools/measure_bots.py", 2),
        ("tests/tools/break_program.toml", 2),
        ("tests/attacks/framing/arena.py", 2),
        ("tests/judge/test_table.py", 0),
        ("tests/hammer/table.py", 0),
        ("tests/cases/hammer/given.py", 0),
    ],
)
def test_a_game_in_the_support_of_general_tests_is_found(place: str, found: int, tmp_path: Path) -> None:
    text = 'from pbem.rules.hammer import RULES\nGAME, OTHER = "hammer", "hammers"'
    assert len(support_faults(tree_with(tmp_path, {place: text}))) == found
