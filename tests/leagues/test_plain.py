"""A league's file in everyday words: what it says there is what the file says."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pbem.leagues.config import read_file
from pbem.leagues.formats.swiss import PairingOptions
from pbem.leagues.model import OVER, Ending, PreviousSeason, WithdrawalScoring, next_words, outcome_text
from pbem.leagues.rules_in_words import in_words
from pbem.leagues.statements import NEEDED, Statement, meaning
from tests.kept import Telling, as_kept
from tests.leagues.world import file_of

AT = datetime(2027, 3, 4, 5, 6, tzinfo=UTC)
LAST = tuple(PreviousSeason(f"cup-{number}", "a" * 64, "b" * 64) for number in (1, 2))
CHANGES: tuple[dict[str, Any], ...] = (
    {
        "options": (("scenario", "braveheart"), ("edition", "4")),
        "options_of_round": ((2, (("edition", "3"),)), (3, ())),
    },
    *({"tables": (3, 5)}, {"sides": "bids"}, {"sides": "both"}, {"rhythm": (("days", 1.0),)}),
    *({"last": LAST, "rank": 1}, {"last": LAST, "rank": 2}, {"late": True}, {"late": False}),
    *({"rounds": 0}, {"rounds": 5, "last_dates": (AT, AT)}, {"gap_days": 1.0}, {"gap_days": 0.5}),
    *({"unfinished": "panel", "panel": ("pam", "pat")}, {"unfinished": "count", "count": "nobles"}),
    *({"final": True}, {"up": 1}, {"down": 2}, {"double": True}, {"third": True}),
    *({"odd": "eliminator"}, {"half_byes": 1}, {"half_byes": 3}, {"drawn": "lot"}, {"drawn": "replay"}),
    *({"drawn": "scots"}, {"forfeits_rated": True}, {"assistants": ("anna",)}, {"appeal_days": 2.0}),
    *({"replace_days": 1.0}, {"silent_calls": 2}, {"swiss": PairingOptions(order="sides")}),
)


def test_all_that_a_file_and_a_statement_mean_is_as_it_was() -> None:
    """Each key of a file by itself, in each format; and each thing that somebody can say."""
    told = Telling()
    for form in ("swiss", "sections", "knockout", "ladder"):
        file = read_file(file_of(form, rounds="days = 40"))
        for change in ({}, *CHANGES):
            told.add(
                f"{form}, {change}", [line for part in in_words(replace(file, **change)) for line in part]
            )
        for leavers in WithdrawalScoring:
            scoring = replace(file.scoring, leavers=leavers, tie_breaks=())
            told.add(leavers, [line for part in in_words(replace(file, scoring=scoring)) for line in part])
    known: dict[str, Any] = {
        "rounds": (3, 4),
        "about": (5, 6),
        "of": "ben",
        "entry": 7,
        "places": (("ann", 1),),
    }
    for say in NEEDED:
        for more in ({}, {"by": "the old key", "eliminator": True, **known}, {**known, "of": ""}):
            said = Statement(league="league.cup", player="zoe", say=say, made=AT, **more)
            told.add(say, [meaning(said), meaning(said, ("cup-r1-1", "cup-r1-2"))])
    as_kept(Path(__file__).parent / "golden/words.txt", str(told))


def test_one_round_is_one() -> None:
    file = replace(read_file(file_of("swiss", rounds="days = 40")), rounds=1)
    told = dict(in_words(file))["Rounds"]
    assert told.startswith("There is 1 round. ")


def test_what_comes_next_is_a_sentence() -> None:
    assert next_words("entries close at noon") == "Next: entries close at noon."
    assert next_words(OVER) == "It is over."


def test_a_conceded_game_is_not_called_played() -> None:
    places = (("ann", 1), ("ben", 2))
    assert (
        outcome_text(Ending.PLAYED, places, "winner england, reason ben concedes")
        == "conceded: ann beats ben"
    )
    drawn = (("ann", 1), ("ben", 1))
    agreed = "draw, reason the players have agreed on a draw"
    assert outcome_text(Ending.PLAYED, drawn, agreed) == "draw agreed: ann and ben draw"
    assert outcome_text(Ending.PLAYED, places, "winner england, reason King dead") == "played: ann beats ben"
    assert outcome_text(Ending.FORFEITED, places, "ben sends nothing") == "forfeited: ann beats ben"
