"""The reports of Lords of Scotland: sentences.py tells what happened, position.py reads tables off a view."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from pbem.characters import lower
from pbem.orders.faults import listed
from pbem.orders.lords import QUESTIONS
from pbem.reports.words import Table, Words
from pbem.rules.base import Event, View
from pbem.rules.lords.game import plays_before
from pbem.titles.lords.reports.position import armies, glance, hands, lines, others, ranking, rows
from pbem.titles.lords.reports.sentences import DRAWN, SECTIONS, SIDE, story, when

_TIME = re.compile(r"\b(round|turn) (\d+)\b", re.ASCII)


class LordsWords(Words):
    """The words of Lords' reports."""

    template = "lords.txt.j2"
    sides: Mapping[str, str] = SIDE
    questions: Mapping[str, str] = {kind: asked.about for kind, asked in QUESTIONS.items()}
    stops: Mapping[str, str] = {"turn": "what you recruit or muster in this turn"}
    example = "a round and turn (round 3 turn 2), or exchange 7, with a side, a card or what happened"

    def standing(self, view: View) -> str:
        """Return the scores."""
        return ", ".join(f"{SIDE[side]} {points}" for side, points in ranking(view))

    def assumed(self, view: View) -> str:
        """Return the sentence that a forecast leaves out whoever plays before the viewer.

        Return an empty text if nobody does.
        """
        before = [SIDE[side] for side in plays_before(view)]
        plays = "plays" if len(before) == 1 else "play"
        return f"{listed(before)} {plays} before you. This is the position now." if before else ""

    def chance(self, label: str) -> str:
        """Return in words what is drawn by the draw of a label."""
        _, event, *parts = label.split("/")
        return DRAWN[event].format(*(SIDE.get(part, part.replace("-", " ")) for part in parts))

    def story(self, before: View | None, told: Sequence[Event]) -> list[str]:
        """Return what happened, in lines."""
        return story(told)

    def search_words(self, told: Sequence[Event]) -> list[tuple[str, str]]:
        """Return for each event when and what it was, as people look for it."""
        return list(zip(when(told), (words for _, words in super().search_words(told)), strict=True))

    def time_of(self, paragraph: str) -> str:
        """Return the time that a paragraph of a report names: `round-3 turn-2`."""
        first = lower(paragraph.removeprefix("Now: "))
        return " ".join(f"{word}-{number}" for word, number in _TIME.findall(first))

    def sections(self, kind: str) -> tuple[str, ...]:
        """Return the headings of the rulebook by which events of a kind happen."""
        return SECTIONS.get(kind, ())

    def position(self, view: View) -> dict[str, Any]:
        """Return what the game's template shows of a view."""
        return {
            "table": glance(view),
            "armies": lines(armies(view)),
            "cards": lines([*hands(view), *others(view)]),
        }

    def tables(self, view: View) -> tuple[Table, ...]:
        """Return the tables of a position as a page shows them."""
        head, *body = rows(view)
        return (
            Table("THE TABLE", head, tuple(body), "* holds the token"),
            Table("ARMIES", ("Army", "Followers"), tuple(armies(view))),
            Table("CARDS", (), (*hands(view), *others(view))),
        )


WORDS = LordsWords()
