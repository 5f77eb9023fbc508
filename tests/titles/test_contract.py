"""The contract of titles, on every title that is installed."""

from __future__ import annotations

import pytest

from pbem.testing.contract import CONTRACT
from pbem.testing.games import Clause, Trial, trials
from tests.titles.games import playable

TRIALS = [trial for title in playable() for trial in trials(title)]


@pytest.mark.ci(
    but=(
        "first-war-every_part_is_there",
        "first-war-options_are_read_as_they_arrive",
        "first-war-a_game_comes_to_its_end",
        "first-war-silence_comes_to_an_end",
        "first-war-the_same_answers_give_the_same_game",
        "first-war-a_position_goes_on_as_its_game",
        "first-war-what_is_imagined_asks_the_same",
        "first-war-a_saved_game_goes_on_as_it_was",
        "first-war-worlds_that_look_alike_are_told_alike",
        "first-war-answers_at_the_same_time_are_unseen",
        "first-war-every_answer_may_be_written",
        "first-war-the_form_comes_back_without_a_fault",
        "first-war-careless_players_break_nothing",
        "first-war-a_report_says_what_matters",
        "first-war-a_picture_shows_its_colours",
    )
)
@pytest.mark.parametrize("clause", CONTRACT, ids=lambda clause: str(clause.__name__))
@pytest.mark.parametrize("trial", TRIALS, ids=str)
def test_a_title_keeps_its_contract(clause: Clause, trial: Trial) -> None:
    clause(trial)
