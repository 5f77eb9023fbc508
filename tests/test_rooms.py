"""The map at the head of a part names modules that are there; and a small module has a reason of its own.

The reasons stand in `small_modules.toml`. A module of few lines without one joins its neighbour.
"""

import ast
import re
import tomllib
from pathlib import Path

import pytest

PBEM = Path(__file__).parent.parent / "pbem"
ENTRY = re.compile(r"^ *([a-z_]+)/? {2,}\S", re.MULTILINE)
"""`name   what it is for`, a line of a map."""
BESIDE = re.compile(r"; ([a-z_]+(?:, [a-z_]+)*): ")
"""`; name: what it is for`, further on in a line."""


def named(part: Path) -> set[str]:
    """What the map of a part names."""
    told = ast.get_docstring(ast.parse((part / "__init__.py").read_text(encoding="utf-8"))) or ""
    return {*ENTRY.findall(told), *(name for names in BESIDE.findall(told) for name in names.split(", "))}


@pytest.mark.parametrize("part", ["audit", "judge", "player", "trust"])
def test_a_map_names_what_is_there(part: str) -> None:
    found = {path.stem for path in (PBEM / part).rglob("*") if path.suffix in ("", ".py")}
    assert len(named(PBEM / part)) > 6
    assert named(PBEM / part) <= found


@pytest.mark.parametrize("part", ["judge", "player"])
def test_a_map_of_rooms_leaves_no_room_out(part: str) -> None:
    rooms = {path.parent.name for path in (PBEM / part).glob("*/__init__.py")}
    beside = {path.stem for path in (PBEM / part).glob("[a-z]*.py")}
    assert rooms | beside <= named(PBEM / part)


FEWEST = 60
"""Lines from which on a module needs no reason."""


def small_modules(root: Path) -> set[str]:
    """Modules that are small, without the `__init__` of packages, which are there anyway."""
    return {
        path.relative_to(root).with_suffix("").as_posix()
        for path in (root / "pbem").rglob("*.py")
        if path.name != "__init__.py" and len(path.read_text(encoding="utf-8").splitlines()) < FEWEST
    }


def reasons(text: str) -> dict[str, str]:
    """Module -> why it is small."""
    return {
        f"{folder}/{name}": why for folder, row in tomllib.loads(text).items() for name, why in row.items()
    }


def test_a_small_module_has_a_reason_or_joins_its_neighbour() -> None:
    found, given = (
        small_modules(PBEM.parent),
        reasons((PBEM.parent / "tests" / "small_modules.toml").read_text(encoding="utf-8")),
    )
    assert sorted(found - given.keys()) == [], (
        "join it to its neighbour, or say in small_modules.toml why not"
    )
    assert sorted(given.keys() - found) == [], "these rows are of no small module"
    assert [name for name, why in given.items() if len(why.split()) < 3] == []


@pytest.mark.parametrize(("lines", "found"), [(FEWEST - 1, {"pbem/rules/tiny"}), (FEWEST, set())])
def test_a_small_module_is_found(lines: int, found: set[str], tmp_path: Path) -> None:
    (tmp_path / "pbem/rules").mkdir(parents=True)
    (tmp_path / "pbem/rules/tiny.py").write_text("x = 1\n" * lines, encoding="utf-8")
    (tmp_path / "pbem/rules/__init__.py").write_text("", encoding="utf-8")
    assert small_modules(tmp_path) == found


USUAL, MOST = 400, 600
"""Lines of a module: what CONTRIBUTING.md asks for, and what none goes beyond."""


def too_long(root: Path) -> list[str]:
    """Modules beyond the most; and those beyond what is usual, if they are more than one in five."""
    lines = {
        path.relative_to(root).as_posix(): len(path.read_text(encoding="utf-8").splitlines())
        for path in (root / "pbem").rglob("*.py")
    }
    longer = sorted(name for name, count in lines.items() if count > USUAL)
    return longer if 5 * len(longer) > len(lines) else [name for name in longer if lines[name] > MOST]


def test_few_modules_are_longer_than_usual_and_none_much() -> None:
    said = f"{USUAL} lines (one in five may have more, none more than {MOST})"
    assert said in (PBEM.parent / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert too_long(PBEM.parent) == []


@pytest.mark.parametrize(("lines", "found"), [(USUAL, 0), (USUAL + 1, 0), (MOST, 0), (MOST + 1, 1)])
def test_a_long_module_is_found(lines: int, found: int, tmp_path: Path) -> None:
    (tmp_path / "pbem").mkdir()
    for number in range(9):
        (tmp_path / f"pbem/{number}.py").write_text("x = 1\n", encoding="utf-8")
    (tmp_path / "pbem/long.py").write_text("x = 1\n" * lines, encoding="utf-8")
    assert len(too_long(tmp_path)) == found
    for number in range(3):
        (tmp_path / f"pbem/{number}.py").write_text("x = 1\n" * (USUAL + 1), encoding="utf-8")
    assert len(too_long(tmp_path)) == 3 + (lines > USUAL)
