"""The rules of a game's deadlines are told in one sentence, from the settings that everybody may know."""

from __future__ import annotations

from typing import Any

import pytest

from pbem.judge.deadlines.rhythm import Rhythm, rhythm_of
from pbem.trust.times import MAX_LENGTH, clock_line, find_clock

USUAL = "absences move a deadline by 21 days at most"


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({}, f"7 days for each exchange; {USUAL}"),
        (
            {"days": 1, "absence_days": 0, "grace_hours": 1},
            (
                "a day for each exchange; files still count for an hour after the deadline; "
                "absences move no deadline"
            ),
        ),
        (
            {"days": 2, "weekdays": ["mon", "tue", "wed", "thu", "fri"], "grace_hours": 6},
            (
                "2 days for each exchange at least; it never ends on Saturday or Sunday (UTC); "
                f"files still count for 6 hours after the deadline; {USUAL}"
            ),
        ),
        (
            {"weekdays": ["sat", "sun"], "hour": "20:00", "zone": "Europe/London"},
            (
                "7 days for each exchange at least; it ends only on Saturday or Sunday at 20:00 "
                f"(Europe/London); {USUAL}"
            ),
        ),
        (
            {"weekdays": ["mon", "tue", "wed", "thu", "fri", "sat"], "hour": "06:30"},
            "7 days for each exchange at least; it ends at 06:30, never on Sunday (UTC); " + USUAL,
        ),
        (
            {"weekdays": ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]},
            f"7 days for each exchange; {USUAL}",
        ),
        ({"hour": "20:00"}, f"7 days for each exchange at least; it ends at 20:00 (UTC); {USUAL}"),
        (
            {"bank_days": 5, "increment_days": 0.5, "agreed_days": 1},
            (
                "7 days for each exchange; each player has 5 days of spare time, and 0.5 days more with each "
                f"exchange; {USUAL}; once an exchange, all who play may agree on up to a day more"
            ),
        ),
        (
            {"increment_days": 1},
            (
                "7 days for each exchange; each player has no days of spare time, and a day more with each "
                f"exchange; {USUAL}"
            ),
        ),
    ],
)
def test_the_clock_is_one_sentence(settings: dict[str, Any], said: str) -> None:
    rhythm = rhythm_of({"rhythm": settings}, "hearth")
    assert rhythm.in_words == said
    assert find_clock(f"You are invited.\n{clock_line(said)}\nrated yes\n") == said


@pytest.mark.parametrize("more", ["\x1b[2J", "\u202e", "\u2028", "\u200b", "\x00", "ä", "\t", "\r"])
def test_a_clock_with_characters_that_no_clock_has_is_not_taken(more: str) -> None:
    assert find_clock(clock_line(f"7 days{more} for each exchange")) == ""


def test_no_settings_make_a_sentence_that_is_not_taken() -> None:
    longest = Rhythm(
        days=99999.5,
        weekdays=("mon", "tue", "wed", "thu"),
        hour="20:00:00.000001+01:00",
        zone="America/Argentina/ComodRivadavia",
        grace_hours=99999.5,
        bank_days=99999.5,
        increment_days=99999.5,
        absence_days=99999.5,
        agreed_days=99999.5,
    )
    assert len(longest.in_words) <= MAX_LENGTH
    assert find_clock(clock_line("x" * (MAX_LENGTH + 1))) == ""
    assert find_clock("It says: The clock: 7 days.\n") == ""
