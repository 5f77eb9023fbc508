"""Whole reports, as they are; the letters of the view that programs read have a test of their own."""

import re
from pathlib import Path

import pytest

from pbem.reports.packing import LINE, unpack_view
from pbem.rules.base import View
from pbem.titles.hammer.reports import search_words, time_of
from tests.hammer.report_scenes import SCENES
from tests.kept import Telling, as_kept

GOLDEN = Path(__file__).parent / "golden"

REPORTS: dict[str, str] = {}
VIEWS: dict[str, View] = {}
FOUND = Telling()
"""By which words each event is found, and which paragraphs are of a time."""
for scene in SCENES:
    for scene_name, at in scene():
        for scene_reader, scene_report in at.reports().items():
            REPORTS[f"{scene_name}.{scene_reader}"] = scene_report
            VIEWS[f"{scene_name}.{scene_reader}"] = at.game.view(scene_reader)
            words = search_words(at.game.told(scene_reader))
            times = [time_of(paragraph) for paragraph in scene_report.split("\n\n")]
            FOUND.add(f"{scene_name}.{scene_reader}", [*words, *times])

VIEW = re.compile(r"(?<=^begin view\n)(.*?)(?=\nend view$)", re.DOTALL | re.MULTILINE)
LETTERS = "(the view, in letters)"


def without_view(report: str) -> str:
    """A report as people read it."""
    return VIEW.sub(LETTERS, report)


@pytest.mark.parametrize("name", sorted(REPORTS))
def test_a_report_is_as_it_was(name: str) -> None:
    as_kept(GOLDEN / f"{name}.txt", without_view(REPORTS[name]))


@pytest.mark.parametrize("name", sorted(REPORTS))
def test_the_view_in_a_report_is_that_of_its_reader(name: str) -> None:
    """What a player's program reads out of the report is the view itself, and 76 letters a line."""
    report, shown = REPORTS[name], VIEWS[name]
    assert unpack_view(report) == shown
    (letters,) = VIEW.findall(report)
    assert [len(line) for line in letters.split()[:-1]] == [LINE] * (len(letters.split()) - 1)
    assert LETTERS in without_view(report)


def test_a_view_that_differs_would_be_noticed() -> None:
    """The golden texts alone would not: in them the letters are left out."""
    name = next(iter(REPORTS))
    (letters,) = VIEW.findall(REPORTS[name])
    changed = REPORTS[name].replace(letters, letters.replace("M", "N", 1))
    assert without_view(changed) == without_view(REPORTS[name])
    assert unpack_view(changed) != VIEWS[name]


def test_what_is_found_by_which_words_is_as_it_was() -> None:
    as_kept(GOLDEN / "found" / "hammer.txt", str(FOUND))


def test_no_golden_report_is_left_over() -> None:
    assert sorted(path.stem for path in GOLDEN.glob("*.txt")) == sorted(REPORTS)
