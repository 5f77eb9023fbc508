"""Whole reports of First War as they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbem.practice.table import Table
from pbem.rules.first_war import RULES
from pbem.testing.games import random_game
from pbem.titles.first_war.reports import SECTIONS, SENTENCES, WORDS
from tests.kept import as_kept
from tests.reports.test_golden import without_view

GOLDEN = Path(__file__).parent / "golden" / "first_war"
READERS = ("scots", "english", "public", "gm")
SHEET = "event rest except truce\nstrategy rest if needed\nvictory rest\n"


def reports() -> dict[str, str]:
    """What everybody gets after the set-up, a season, a year, at the end, and of cards passed over."""
    table, found = Table("first-war", {"years": 2}, 3), {}
    for exchange in range(1, 8):
        if exchange in (1, 2, 3, 4) or table.outcome is not None:
            for reader in READERS if exchange != 3 else ("scots",):
                form = exchange == 1 and reader == "scots"
                found[f"{exchange}.{reader}"] = without_view(table.report(reader, form=form))
        if table.outcome is None:
            table.exchange(dict.fromkeys(table.sides, SHEET))
    return found


REPORTS = reports()


@pytest.mark.parametrize("name", REPORTS)
def test_a_report_is_as_it_was(name: str) -> None:
    as_kept(GOLDEN / f"{name}.txt", REPORTS[name])


@pytest.mark.ci
def test_every_event_has_a_sentence_and_the_headings_by_which_it_happens() -> None:
    told = {
        event["event"] for seed in range(3) for game in random_game(RULES, seed) for event in game.told("gm")
    }
    assert told - {"tally"} == set(SENTENCES) - {"reshuffle"}  # which no game of this length needs
    assert {kind for kind in told if not SECTIONS.get(kind)} <= {"season"}


@pytest.mark.parametrize(
    ("label", "said"),
    [
        ("1297-spring/logistics/scots/card-2", "the Scots draw for Logistics"),
        ("1297-spring/ransoms-1/english/card-1", "the English draw for Ransoms"),
        ("1297-spring/raid-1/card-2", "cards are lost to Raid"),
    ],
)
def test_what_is_drawn_is_said_in_the_words_of_the_report(label: str, said: str) -> None:
    assert WORDS.chance(label) == said


def test_the_tables_of_a_page_hold_what_the_text_holds() -> None:
    view = Table("first-war", {}, 3).view("scots")
    table, cards = WORDS.tables(view)
    lines = WORDS.position(view)["table"]
    assert [row[0] for row in table.rows[:-1]] == [line.split("  ")[0] for line in lines[1 : len(table.rows)]]
    assert ("Deck", "45 cards") in cards.rows
    assert "Your hand" in {row[0] for row in cards.rows}
    for_all = WORDS.tables(Table("first-war", {}, 3).play.game.view("public"))[1]
    assert "Your hand" not in {row[0] for row in for_all.rows}


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("1297, fall. Territories: Scots 5, English 15.", "1297 fall"),
        ("Now: 1296, winter, Quartering Phase", "1296 winter"),
        ("The Scots pass.", ""),
    ],
)
def test_a_paragraph_says_when_it_is(text: str, time: str) -> None:
    assert WORDS.time_of(text) == time
