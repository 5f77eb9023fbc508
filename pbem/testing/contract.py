"""All clauses of the contract, in the order in which one would look into a failure."""

from pbem.testing.careless import (
    careless_players_break_nothing,
    every_answer_may_be_written,
    every_part_is_there,
    the_form_comes_back_without_a_fault,
)
from pbem.testing.games import Clause
from pbem.testing.restart import (
    a_position_goes_on_as_its_game,
    a_saved_game_goes_on_as_it_was,
    what_is_drawn_fits_the_view,
    what_is_imagined_asks_the_same,
)
from pbem.testing.secrecy import (
    answers_at_the_same_time_are_unseen,
    whoever_can_compute_it_is_shown_it,
    worlds_that_look_alike_are_told_alike,
)
from pbem.testing.shown import a_picture_shows_its_colours, a_report_says_what_matters
from pbem.testing.surface import (
    a_game_comes_to_its_end,
    options_are_read_as_they_arrive,
    silence_comes_to_an_end,
    the_same_answers_give_the_same_game,
)

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
