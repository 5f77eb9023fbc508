"""ARCHITECTURE.md, CONTRIBUTING.md and README.md say what is so: parts, imports, files, commands."""

import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from pbem.cli.table import SECTIONS
from pbem.titles import names
from tests.test_layers import MAY_IMPORT, MAY_IMPORT_ALL, ONLY_IN

PAGES = ("ARCHITECTURE.md", "CONTRIBUTING.md", "README.md")
MAX_LINES = 180
"""Three printed pages."""
ROW = re.compile(r"^\| `(\w+)` \|[^|]+\| ([\w, ]+) \|$", re.MULTILINE)


def imports_told(page: str) -> dict[str, set[str]]:
    """Part -> what it may import, by the table of ARCHITECTURE.md; {"all"} where that is said."""
    told = {part: set(words.split(", ")) for part, words in ROW.findall(page)}
    return {part: words - {"nothing"} for part, words in told.items()}


def table_faults(page: str) -> list[str]:
    """Where the page's table and that of the layers differ."""
    told = imports_told(page)
    wanted = MAY_IMPORT | {part: {"all"} for part in MAY_IMPORT_ALL - {"__main__"}}
    return [
        f"{part}: the page says {sorted(told.get(part, ['?']))}, the layers {sorted(wanted.get(part, ['?']))}"
        for part in sorted(told.keys() | wanted.keys())
        if told.get(part) != wanted.get(part)
    ]


def test_the_table_of_imports_is_that_of_the_layers(project: Path) -> None:
    assert table_faults((project / "ARCHITECTURE.md").read_text()) == []


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("| nothing |", "| trust |", "errors"),
        ("| errors, odds, orders, rules |", "| errors, orders, rules |", "forecast"),
        ("| `odds` |", "| `chances` |", "odds"),
        ("| errors, judge, pages,", "| errors, judge, pages, player,", "mail"),
        ("| parses, makes one call, prints | all |", "| parses, makes one call, prints | judge |", "cli"),
    ],
)
def test_a_table_that_says_something_else_is_found(old: str, new: str, fault: str, project: Path) -> None:
    page = (project / "ARCHITECTURE.md").read_text()
    assert old in page
    assert any(found.startswith(f"{fault}: ") for found in table_faults(page.replace(old, new, 1)))


def homes_told(page: str) -> dict[str, set[str]]:
    """Library -> the parts that import it, by ARCHITECTURE.md."""
    found = re.search(r"A library stays in one place: (.*?)\.\n", page, re.DOTALL)
    assert found is not None
    told: dict[str, set[str]] = {}
    rows = r"((?:`[\w.]+`(?:, | and )?)+)\s+in\s+`(\w+)[\w/]*`(?: and `(\w+)`)?"
    for libraries, *parts in re.findall(rows, found[1]):
        told |= {name.partition(".")[0]: set(parts) - {""} for name in re.findall(r"`([\w.]+)`", libraries)}
    return told


def test_a_library_is_where_the_page_says(project: Path) -> None:
    told = homes_told((project / "ARCHITECTURE.md").read_text())
    assert len(told) == 12
    assert told == {name: ONLY_IN[name] for name in told}
    assert homes_told(
        "A library stays in one place: `bcrypt` and `a.b` in `trust/c`, `d` in `box` and `desk`.\n"
    ) == {
        "bcrypt": {"trust"},
        "a": {"trust"},
        "d": {"box", "desk"},
    }


def test_no_test_but_one_measures_a_time(project: Path) -> None:
    """As CONTRIBUTING.md says; scripts that measure are no tests, and one waits."""
    clocks = re.compile(r"\b(process_time|perf_counter|user_time)\(")
    tests = [path for path in project.glob("tests/**/test_*.py") if path.name != "test_front_door.py"]
    assert len(tests) > 200
    assert [path.name for path in tests if clocks.search(path.read_text())] == ["test_hostile.py"]
    assert "no test asserts a time, but one that a hostile mail" in (project / "CONTRIBUTING.md").read_text()


def files_named(page: str) -> Iterator[str]:
    """What the page names as a file or folder of the checkout: links, and paths between backticks."""
    yield from (link for link in re.findall(r"\]\(([^)#]+)\)", page) if "://" not in link)
    for quoted in re.findall(r"`([^`\n]+)`", page):
        for word in quoted.split():
            if re.fullmatch(r"(\.ci|games|pbem|templates|tests)/[\w./*<>-]+", word):
                yield word.replace("<part>", "rules").replace("<game>", "hammer")


def commands_named(page: str) -> set[str]:
    """The commands `pbem ...` that stand at the beginning of a line or between backticks."""
    return set(re.findall(r"(?:^|`| {4})pbem ([a-z]+(?:-[a-z]+)*)\b", page, re.MULTILINE))


def tools_named(page: str) -> set[str]:
    """The scripts that are run by `python -m`."""
    return set(re.findall(r"python -m (tests[\w.]+)", page))


@pytest.mark.parametrize("name", PAGES)
def test_what_a_page_names_is_there(name: str, project: Path) -> None:
    page = (project / name).read_text()
    assert [path for path in files_named(page) if not any(project.glob(path.rstrip("/")))] == []
    known = {command for section in SECTIONS.values() for command in section}
    assert commands_named(page) <= known
    for tool in tools_named(page):
        import_module(tool)


def test_what_is_not_there_would_be_found(project: Path) -> None:
    page = "[a](pbem/docs/no-such.md) `pytest tests/nowhere/` `pbem frobnicate` `python -m tests.tools.none`"
    assert [path for path in files_named(page) if not any(project.glob(path.rstrip("/")))] == [
        "pbem/docs/no-such.md",
        "tests/nowhere/",
    ]
    assert commands_named(page) == {"frobnicate"}
    assert tools_named(page) == {"tests.tools.none"}


@pytest.mark.parametrize("name", ["ARCHITECTURE.md", "CONTRIBUTING.md"])
def test_three_pages_at_most(name: str, project: Path) -> None:
    assert len((project / name).read_text().splitlines()) <= MAX_LINES


def test_the_readme_names_every_game_that_comes_with_it(project: Path) -> None:
    readme = (project / "README.md").read_text()
    own = [name for name in names() if (project / "pbem/titles" / name.replace("-", "_")).is_dir()]
    assert len(own) >= 3
    assert [name for name in own if f"pbem demo --game {name}" not in readme and name != "hammer"] == []


def test_the_readme_shows_a_report_as_it_is(project: Path) -> None:
    """The picture and the piece of text are those of golden files."""
    readme = (project / "README.md").read_text()
    picture = (project / "pbem/docs/map.png").read_bytes()
    assert picture == (project / "tests/pictures/golden/map.png").read_bytes()
    shown = re.search(r"A piece of a report.*\n\n((?: {4}.*\n)+)", readme)
    assert shown is not None
    report = (project / "tests/reports/golden/turn.scotland.txt").read_text()
    assert shown[1].replace("\n    ", "\n").removeprefix("    ") in report
