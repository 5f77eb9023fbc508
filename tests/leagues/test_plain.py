"""A league's file in everyday words: what it says there is what the file says."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from pbem.leagues.file import read_file
from pbem.leagues.meaning import meaning
from pbem.leagues.plain import in_words
from pbem.leagues.statements import ENTER, Statement
from tests.leagues.world import file_of


@pytest.mark.parametrize(
    ("form", "heading", "said"),
    [
        ("swiss", "Who meets whom", "Nobody meets the same opponent twice"),
        ("sections", "Who meets whom", "Everybody in it meets everybody else"),
        ("knockout", "Who meets whom", "The loser of a game is out"),
        ("ladder", "Who meets whom", "You challenge somebody at most"),
    ],
)
def test_each_format_has_words_of_its_own(form: str, heading: str, said: str) -> None:
    parts = dict(in_words(read_file(file_of(form, rounds="days = 40"))))
    assert said in parts[heading]
    assert "A round takes 40 days at most." in parts["Rounds"]


@pytest.mark.parametrize(
    ("waits", "said", "not_said"),
    [
        ((0, 0, 0), "does not wait for appeals", "substitute"),
        ((3, 7, 1), "can appeal for a day after", "does not wait"),
        ((3, 7, 1), "The place waits 7 days for a substitute", "does not wait"),
        ((3, 7, 1), "does not answer 3 calls in a row", "does not wait"),
    ],
)
def test_what_the_file_says_about_waiting_is_said(
    waits: tuple[int, int, int], said: str, not_said: str
) -> None:
    words = " ".join(
        text for _, text in in_words(read_file(file_of("swiss", rounds="count = 2\ndays = 9", waits=waits)))
    )
    assert said in words
    assert not_said not in words


@pytest.mark.parametrize(
    ("eliminator", "told"),
    [
        (False, "zoe plays from the next round on that the judge has not called yet"),
        (True, "zoe is not in the table, and meets players without an opponent"),
    ],
)
def test_an_eliminator_is_told_what_they_enter_as(eliminator: bool, told: str) -> None:
    made = datetime(2027, 1, 1, tzinfo=UTC)
    said = Statement(league="league.cup", player="zoe", say=ENTER, eliminator=eliminator, made=made)
    assert meaning(said).startswith(told)
