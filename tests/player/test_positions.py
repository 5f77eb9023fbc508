"""Positions that no honest judge writes: told in words, and orders can be written all the same."""

from __future__ import annotations

import pytest

from pbem.player.faults import DamagedPosition, Refused, reading_position
from pbem.web.reading import read_report
from tests.tools.mutate_reports import changed, chosen, main, paths


@pytest.mark.parametrize("share", [pytest.param(0.05, marks=pytest.mark.ci), 0.0005])
def test_no_change_of_a_position_raises_anything_else(share: float) -> None:
    tried, told, raised = main(share)
    assert raised == []
    assert tried > told > 0


def test_a_damaged_report_is_shown_as_it_came() -> None:
    report = chosen()[0].read_text(encoding="utf-8")
    whole = read_report(report)
    assert (whole.fault, bool(whole.svg)) == ("", True)
    read = read_report(report.replace("end view", "AAAA\nend view", 1))
    assert read.svg == ""
    assert read.form == whole.form, "orders can be written as text"


def test_the_programs_own_faults_pass_and_all_others_are_one() -> None:
    def read(problem: BaseException) -> None:
        with reading_position():
            raise problem

    for own in (Refused("of its own"), KeyboardInterrupt()):
        with pytest.raises(type(own)):
            read(own)
    for problem in (KeyError("x"), TypeError("x"), RecursionError("x"), ZeroDivisionError("x")):
        with pytest.raises(DamagedPosition, match=type(problem).__name__):
            read(problem)


@pytest.mark.ci
def test_every_field_is_reached_and_only_that_is_changed() -> None:
    view = {"a": [1, {"b": 2}, 3], "c": {}}
    assert set(paths(view)) == {(), ("a",), ("a", 0), ("a", 2), ("c",)}
    assert changed(view, ("a", 1, "b"), 9) == {"a": [1, {"b": 9}, 3], "c": {}}
    assert changed(view, ("c",), ...) == {"a": [1, {"b": 2}, 3]}
    assert view == {"a": [1, {"b": 2}, 3], "c": {}}
