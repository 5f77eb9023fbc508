"""Checks of what a title's reports must say, and of whether its pictures arrive as they were drawn."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

from pbem.pictures.png import off_colour
from pbem.practice.table import Table
from pbem.rules.base import EVERYBODY
from pbem.testing.games import Trial

EXCHANGES = 6
PICTURES = 3
SEED = 4
OFF_COLOUR = 0.02
"""Share of a picture that may have another colour as PNG, such as the rims of letters and lines."""


def a_report_says_what_matters(trial: Trial) -> None:
    """Check that a report says what is asked, by which section, what happens otherwise, and what happened."""
    words, table = trial.title.words, Table(trial.title.name, trial.options, SEED)
    bot = {side: trial.title.bots["random"](side) for side in table.sides}
    story = False
    for _ in range(EXCHANGES):
        if table.outcome is not None:
            break
        for side in table.sides:
            report = _run_on(table.report(side))
            assert words.sides[side] in report, f"the report of {side} does not name its reader"
            assert _run_on(words.moment(table.view(side))) in report, "the moment is not told"
            for ask in table.open_asks(side):
                assert ask.rule in report, f"{side} is asked {ask.kind}, and the report names no section"
                default = _run_on(trial.title.language.spoken(ask, ask.default))
                assert default in report, f"{ask.kind}: the default {default!r} is not told to {side}"
        table.exchange(
            {side: bot[side].write(table.view(side), table.open_asks(side)) for side in table.sides}
        )
        for side in table.sides:
            seen = table.last.seen[side]
            if seen.told:
                story = story or any(line.strip() for line in words.story(seen.before, seen.told))
    assert story, "things happen, and no report tells any"


def _run_on(text: str) -> str:
    """Return a text with its line breaks replaced by blanks."""
    return " ".join(text.split())


def a_picture_shows_its_colours(trial: Trial) -> None:
    """Check that each picture is SVG with words for those who do not see it, and has its colours as PNG."""
    painter = trial.title.pictures
    if painter is None:
        return
    table = Table(trial.title.name, trial.options, SEED)
    for reader in (*table.sides, EVERYBODY)[:PICTURES]:
        seen = table.last.seen[reader]
        picture = painter.draw(seen.after, seen.told)
        ET.fromstring(picture.svg)  # noqa: S314 - it was drawn a moment ago
        assert picture.words.strip(), "a picture without words for those who do not see it"
        assert not re.search(r"(?:href|src)=\"(?!#)", picture.svg), "a picture takes something from elsewhere"
    share = off_colour(picture)
    assert share <= OFF_COLOUR, f"{share:.0%} of the PNG have another colour than was drawn"
