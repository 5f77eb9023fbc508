"""Reports of Lords of Scotland: whole ones as they are, and what they must not tell."""

import json
import random
from functools import cache
from pathlib import Path

import pytest

from pbem.practice.table import SeededChance, Table
from pbem.rules.lords import RULES
from pbem.rules.lords.facts import CARDS, SIDES
from pbem.titles import load
from pbem.titles.lords.reports import SECTIONS, SENTENCES, WORDS
from tests.kept import as_kept
from tests.reports.test_golden import without_view

GOLDEN = Path(__file__).parent / "golden" / "lords"
SCENES = {"opening": 0, "middle": 3, "new-round": 5, "end": 99}
"""After so many exchanges of one game."""
READERS = ("red", "gold", "public")


@cache
def reports(exchanges: int) -> dict[str, str]:
    """What all are told after so many exchanges of a game of four."""
    table = Table("lords", {"players": 4, "use_bruce": True}, 11)
    bots = load("lords").bots
    playing = {side: bots["random" if place % 2 else "chief"](side) for place, side in enumerate(table.sides)}
    for _ in range(exchanges):
        if table.outcome is None:
            table.exchange({side: bot.write(table.view(side)) for side, bot in playing.items()})
    return {reader: table.report(reader, form=reader != "public") for reader in (*table.sides, "public")}


@pytest.mark.ci(
    but=("opening-gold", "opening-public", "opening-red", "middle-gold", "middle-public", "middle-red")
)
@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("scene", SCENES)
def test_a_report_is_as_it_was(scene: str, reader: str) -> None:
    as_kept(GOLDEN / f"{scene}.{reader}.txt", without_view(reports(SCENES[scene])[reader]))


@pytest.mark.ci
def test_every_event_has_a_sentence_and_a_heading() -> None:
    told: set[str] = set()
    for seed in range(12):
        dice = random.Random(seed)
        game = RULES.start({"players": 2 + seed % 4, "use_bruce": True}, SeededChance(seed))
        while game.outcome is None:
            ask = game.asks[0]
            texts = [text for text in ask.legal if text.startswith(("muster", "use", "copy"))]
            game.answer(ask.side, dice.choice(texts or ask.legal))
        for viewer in (*game.view("gm")["hands"], "public"):
            events = game.told(viewer)
            assert max(map(len, WORDS.story(None, events))) <= 78
            assert len(WORDS.search_words(events)) == len(events)
            told |= {event["event"] for event in events}
    assert told <= SENTENCES.keys() | {"totals"}
    assert SENTENCES.keys() | {"totals"} == SECTIONS.keys()
    assert SENTENCES.keys() - told <= {"turn lost", "reshuffle", "supporters refused", "power not used"}


@pytest.mark.ci
def test_no_report_names_a_card_that_its_reader_was_not_shown() -> None:
    """Every name in a report, form included, is in the view or in what was told."""
    dice = random.Random(3)
    game = RULES.start({"players": 3}, SeededChance(3))
    style, language = load("lords").style, load("lords").language
    for _ in range(60):
        ask = game.asks[0]
        game.answer(ask.side, dice.choice(ask.legal))
        for reader in (*SIDES[:3], "public"):
            view, told = game.view(reader), game.told(reader)
            text = "\n".join((*style.story(None, told), *map(str, WORDS.position(view).values())))
            text += language.form(view, game.asks) if reader != "public" else ""
            shown = json.dumps([view, told])
            assert not [
                name
                for name in CARDS
                if f"{name}," in f"{text}," and f'"{name}"' not in shown and f"/{name}" not in shown
            ]


@pytest.mark.parametrize(
    ("label", "said"),
    [
        ("1/first", "who begins is drawn"),
        ("1/deal/red/card-3", "cards are dealt"),
        ("2/supporter/slot-2/try-1", "the Supporters are dealt"),
        ("2/recruit/slot-4/up-2", "slot 4 of the Recruits is filled from the draw pile"),
        ("2/forsyth/gold/card-1", "Gold draws a card"),
    ],
)
def test_what_is_drawn_is_said_in_the_words_of_the_report(label: str, said: str) -> None:
    assert WORDS.chance(label) == said


def test_times_are_found_by_what_people_type() -> None:
    assert WORDS.time_of("Round 3, turn 2.\nRecruit 2 is turned up.") == "round-3 turn-2"
    assert WORDS.time_of("Now: round 3, turn 2") == "round-3 turn-2"
    assert WORDS.time_of("The armies are compared:") == ""
