"""The reports of Hammer of the Scots.

sentences.py has a sentence for each kind of event, story.py puts them in order, position.py reads
the tables off a view, finding.py how people name what happened.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pbem.orders.hammer.form import QUESTIONS
from pbem.reports.words import Memory, Table, Words
from pbem.rules.base import Event, View
from pbem.titles.hammer.reports.finding import SECTIONS, search_words, time_of
from pbem.titles.hammer.reports.position import (
    BLOCK_KEY,
    MAP_KEY,
    TO_ENGLAND,
    battles,
    border_rows,
    borders,
    fact_rows,
    facts,
    map_rows,
    rules_played,
    standing,
    world,
)
from pbem.titles.hammer.reports.sightings import Sightings
from pbem.titles.hammer.reports.story import story
from pbem.titles.hammer.reports.words import PHASE, SIDE, STOPS


class HammerWords(Words):
    """The words of Hammer's reports."""

    template = "position.txt.j2"
    sides: Mapping[str, str] = SIDE
    questions: Mapping[str, str] = {kind: asked.about for kind, asked in QUESTIONS.items()}
    stops: Mapping[str, str] = STOPS
    example = "a turn (1297.2), winter 1297, or exchange 7, with an area, a block or what happened"

    def moment(self, view: View) -> str:
        """Return where the game stands in time: `1297, turn 2, cards`."""
        if view["outcome"]:
            return f"{view['year']}, the game is over"
        return ", ".join((*view["moment"], PHASE[view["phase"]]))

    def standing(self, view: View) -> str:
        """Return the score of the game."""
        return standing(view)

    def memory(self, reader: str) -> Memory:
        """R2: return a memory of the enemy blocks that the reader was shown."""
        return Sightings(reader)

    def story(self, before: View | None, told: Sequence[Event]) -> list[str]:
        """Return what happened, in lines."""
        return story(before, told)

    def search_words(self, told: Sequence[Event]) -> list[tuple[str, str]]:
        """Return for each event when and what it was, as people look for it."""
        return search_words(told)

    def time_of(self, paragraph: str) -> str:
        """Return when a paragraph of a report says that it is: `1297.2 1297`."""
        return time_of(paragraph)

    def sections(self, kind: str) -> tuple[str, ...]:
        """Return the sections of the rulebook by which events of a kind happen."""
        return SECTIONS.get(kind, ())

    def position(self, view: View) -> dict[str, Any]:
        """Return what the game's template shows of a view."""
        return {
            "rules": rules_played(view),
            "world": world(view),
            "battles": battles(view),
            "facts": facts(view),
            "borders": borders(),
        }

    def tables(self, view: View) -> tuple[Table, ...]:
        """Return the tables of the map, and of who may cross which border."""
        return (
            Table("THE MAP", ("Area", "Castles", "Blocks"), tuple(map_rows(view)), f"{MAP_KEY} {BLOCK_KEY}"),
            Table("CARDS, NOBLES AND POOLS", (), tuple(fact_rows(view))),
            Table(
                "BORDERS",
                ("Area", "Six blocks may cross to", "Two, and stop"),
                tuple(border_rows()),
                TO_ENGLAND,
                drawn=True,
            ),
        )


WORDS = HammerWords()
