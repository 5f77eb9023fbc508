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


@pytest.mark.slow
def test_the_table_of_exchanges_is_what_its_script_prints(project: Path) -> None:
    page = (project / "pbem/docs/measurements.md").read_text(encoding="utf-8")
    words = [sys.executable, "-m", *EXCHANGES.split()]
    done = subprocess.run(words, cwd=project, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == printed(page, EXCHANGES)
