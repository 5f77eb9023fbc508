"""What pages say was measured is what the scripts print: figures that are copied are compared."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROW = re.compile(r"^both with guards +(\S+) +\d+ +([\d.]+) +([\d.]+)", re.MULTILINE)
"""Table, exchanges, hand-overs."""
EXCHANGES = "tests.tools.measure_exchanges hammer --games 10"
GROWTH = "tests.benchmarks.bench_growth"


def printed(page: str, command: str) -> str:
    """What a page shows below a command."""
    return page.split(f"`python -m {command}`")[1].split("```\n")[1].strip()


def test_the_readme_says_the_figures_of_the_table(project: Path) -> None:
    page = (project / "pbem/docs/measurements.md").read_text(encoding="utf-8")
    rows = {table: (exchanges, turns) for table, exchanges, turns in ROW.findall(printed(page, EXCHANGES))}
    (braveheart, waiting), (bruce, longer) = (
        [int(float(one)) for one in rows[table]] for table in ("braveheart", "the-bruce")
    )
    readme = " ".join((project / "README.md").read_text(encoding="utf-8").split())
    assert f"in {braveheart} exchanges on average (The Bruce: {bruce})" in readme
    assert f"would have taken {waiting} and {longer} turns of waiting" in readme


def growth(printed: str) -> dict[str, list[float]]:
    """Column of a table -> kilobytes an exchange, without orders and with those of bots."""
    rows = (line.rsplit(maxsplit=2) for line in printed.splitlines()[1:])
    return {name.strip(): [float(figure) for figure in figures] for name, *figures in rows}


def test_the_growth_that_is_compared_is_what_the_script_is_said_to_print(project: Path) -> None:
    page = (project / "pbem/docs/measurements.md").read_text(encoding="utf-8")
    told = growth(printed(page, GROWTH))
    for words, column in (("the whole file", "the whole file"), ("letters as sealed", "letter.data")):
        row = next(line for line in page.splitlines() if line.startswith(f"| {words}"))
        cells = [cell.strip() for cell in row.split("|")]
        assert [float(cells[3]), float(cells[5])] == told[column]


@pytest.mark.slow
def test_the_growth_of_the_database_is_what_its_script_prints(project: Path) -> None:
    """But for a twentieth, and half a kilobyte of what is small: keys are new each time, and pages fill."""
    page = (project / "pbem/docs/measurements.md").read_text(encoding="utf-8")
    words = [sys.executable, "-m", GROWTH]
    done = subprocess.run(words, cwd=project, capture_output=True, text=True, check=True)
    found, told = growth(done.stdout.strip()), growth(printed(page, GROWTH))
    assert found.keys() == told.keys()
    for name, figures in told.items():
        assert found[name] == [pytest.approx(one, rel=0.05, abs=0.5) for one in figures], name


@pytest.mark.slow
def test_the_table_of_exchanges_is_what_its_script_prints(project: Path) -> None:
    page = (project / "pbem/docs/measurements.md").read_text(encoding="utf-8")
    words = [sys.executable, "-m", *EXCHANGES.split()]
    done = subprocess.run(words, cwd=project, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == printed(page, EXCHANGES)
