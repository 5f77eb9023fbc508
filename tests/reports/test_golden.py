"""Whole reports, as they are.

After a change that is meant, `PBEM_GOLDEN=update pytest tests/reports` writes them anew; read the
difference before it is committed.
"""

import os
from pathlib import Path

import pytest

from .scenes import READERS, SCENES

GOLDEN = Path(__file__).parent / "golden"
UPDATE = os.environ.get("PBEM_GOLDEN") == "update"

REPORTS = {
    f"{name}.{reader}": report
    for scene in SCENES
    for name, at in scene()
    for reader, report in at.reports().items()
}


@pytest.mark.parametrize("name", sorted(REPORTS))
def test_a_report_is_as_it_was(name: str) -> None:
    path = GOLDEN / f"{name}.txt"
    if UPDATE:
        GOLDEN.mkdir(exist_ok=True)
        path.write_text(REPORTS[name], encoding="utf-8")
    assert path.read_text(encoding="utf-8") == REPORTS[name]


def test_no_golden_report_is_left_over() -> None:
    assert sorted(path.stem for path in GOLDEN.glob("*.txt")) == sorted(REPORTS)


def test_every_reader_is_among_them() -> None:
    assert {name.partition(".")[2] for name in REPORTS} == set(READERS)
