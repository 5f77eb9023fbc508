"""A bot's opinion: only where it would have ordered otherwise, by the side's own view, with its strength."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from pbem.moments import commentary
from pbem.moments.commentary import NOT_MEASURED, Opinions
from pbem.moments.documents import write_json
from pbem.moments.tracks import Story, Track
from pbem.titles import load
from tests.moments.stories import story_of
from tests.moments.test_interchange import VALIDATOR

CAMPAIGN = "campaign-to-1298"


def changed(text: str) -> tuple[Story, Track, int]:
    """The campaign, in one exchange of which Scotland ordered something else than the bot that played it."""
    story = story_of(CAMPAIGN)
    track = next(one for one in story.tracks if one.reader == "scotland")
    number = next(
        place for place, one in enumerate(track.chapters) if one.orders and "card " in one.orders[0].text
    )
    chapter = track.chapters[number]
    written = replace(chapter.orders[0], text=text)
    chapters = list(track.chapters)
    chapters[number] = replace(chapter, orders=(written,))
    other = replace(track, chapters=tuple(chapters))
    return replace(story, tracks=(other,)), other, chapter.exchange


@pytest.mark.ci
def test_a_bot_has_no_opinion_of_what_it_wrote_itself() -> None:
    story = story_of(CAMPAIGN)
    for track in story.tracks:
        assert Opinions(story.setting).of(track) == {}


@pytest.mark.ci
def test_other_orders_get_an_opinion_with_the_bots_own_forecast_and_strength() -> None:
    story, track, exchange = changed("card herald\n")
    found = Opinions(story.setting).of(track)
    assert list(found) == [exchange]
    said = found[exchange]
    assert said.bot == "captain"
    assert "200 of 200" in said.strength
    assert said.otherwise
    assert all(1 <= one <= len(said.lines) for one in said.otherwise)
    assert any("Battle for" in line or "move" in line for line in said.forecast)


@pytest.mark.ci
def test_how_orders_are_spelled_makes_no_opinion() -> None:
    story = story_of(CAMPAIGN)
    track = next(one for one in story.tracks if one.reader == "scotland")
    chapters = tuple(
        replace(
            one,
            orders=tuple(
                replace(file, text="note mine\n" + file.text.upper().replace(" ", "  "))
                for file in one.orders
            ),
        )
        for one in track.chapters
    )
    assert Opinions(story.setting).of(replace(track, chapters=chapters)) == {}


@pytest.mark.ci
def test_only_so_many_forecasts_are_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commentary, "MAX_FORECASTS", 1)
    story, track, _ = changed("card herald\n")
    whole = replace(
        track,
        chapters=tuple(
            replace(one, orders=tuple(replace(file, text="note nothing") for file in one.orders))
            for one in track.chapters[:4]
        ),
    )
    found = Opinions(story.setting).of(whole)
    assert len(found) > 1
    assert [bool(one.forecast) for one in found.values()] == [True] + [False] * (len(found) - 1)


@pytest.mark.ci
def test_nothing_is_said_unless_somebody_asks_for_it() -> None:
    story, track, exchange = changed("card herald\n")
    plain, asked = (json.loads(write_json(story, bot=bot)) for bot in (False, True))
    assert all(one["opinion"] is None for one in plain["tracks"][0]["exchanges"])
    assert [one["exchange"] for one in asked["tracks"][0]["exchanges"] if one["opinion"]] == [exchange]
    assert [one.message for one in VALIDATOR.iter_errors(asked)] == []
    assert len(track.chapters) == len(asked["tracks"][0]["exchanges"])


@pytest.mark.parametrize("name", ["hammer", "lords", "first-war"])
def test_the_strength_of_a_bot_is_that_of_the_measurements(name: str) -> None:
    """It says how many games were won of how many, as the tables on the page of measurements do."""
    title = load(name)
    bot = next(iter(title.bots))
    said = getattr(title.bots[bot](title.rules.sides({})[0]), "strength", NOT_MEASURED)
    page = (Path(__file__).parents[2] / "pbem/docs/measurements.md").read_text(encoding="utf-8")
    _, heading, table = page.partition(f"the {bot} against the random, ")
    if not heading:
        assert said == NOT_MEASURED
        return
    rows = re.findall(r" (\d+) +(\d+) +[\d.]+% ", table.partition("```")[0])
    games, won = (sum(int(row[place]) for row in rows) for place in (0, 1))
    assert re.search(rf"\b{won} of {games}\b", said)
