"""The contract of titles: its clauses, in the order in which one would look into a failure, as tests.

pytest makes a test for each clause, and each variant of the titles that `--pbem-title` names.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from pbem.testing.games import Clause, Trial, trials
from pbem.testing.orders_and_reports import (
    a_picture_shows_its_colours,
    a_report_says_what_matters,
    careless_players_break_nothing,
    every_answer_may_be_written,
    every_part_is_there,
    the_form_comes_back_without_a_fault,
)
from pbem.testing.plugin import NOTE
from pbem.testing.secrecy import (
    answers_at_the_same_time_are_unseen,
    whoever_can_compute_it_is_shown_it,
    worlds_that_look_alike_are_told_alike,
)
from pbem.testing.surface import (
    a_game_comes_to_its_end,
    a_position_goes_on_as_its_game,
    a_saved_game_goes_on_as_it_was,
    options_are_read_as_they_arrive,
    silence_comes_to_an_end,
    the_same_answers_give_the_same_game,
    what_is_drawn_fits_the_view,
    what_is_imagined_asks_the_same,
)
from pbem.titles import load

CONTRACT: tuple[Clause, ...] = (
    every_part_is_there,
    options_are_read_as_they_arrive,
    a_game_comes_to_its_end,
    silence_comes_to_an_end,
    the_same_answers_give_the_same_game,
    a_position_goes_on_as_its_game,
    what_is_imagined_asks_the_same,
    what_is_drawn_fits_the_view,
    a_saved_game_goes_on_as_it_was,
    worlds_that_look_alike_are_told_alike,
    answers_at_the_same_time_are_unseen,
    whoever_can_compute_it_is_shown_it,
    every_answer_may_be_written,
    the_form_comes_back_without_a_fault,
    careless_players_break_nothing,
    a_report_says_what_matters,
    a_picture_shows_its_colours,
)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Make a test for each clause, of each variant of the named titles."""
    titles = [load(name) for name in metafunc.config.getoption("pbem_title")]
    metafunc.parametrize("clause", CONTRACT, ids=lambda clause: str(clause.__name__))
    metafunc.parametrize("trial", [trial for title in titles for trial in trials(title)], ids=str)


def test_contract(trial: Trial, clause: Clause, record_property: Callable[[str, Any], None]) -> None:
    """Check that the title of a trial keeps a clause of the contract."""
    clause(replace(trial, note=lambda said: record_property(NOTE, f"{trial}: {said}")))
