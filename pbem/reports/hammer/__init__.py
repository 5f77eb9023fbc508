"""Reports of Hammer of the Scots.

sentences.py has a sentence for each kind of event, story.py puts them in order, position.py reads
the tables off a view, questions.py says what is asked, finding.py how people name what happened.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pbem.reports.hammer.finding import SECTIONS, search_words
from pbem.reports.hammer.position import battles, facts, rules_played, standing, world
from pbem.reports.hammer.questions import QUESTIONS, STOPS
from pbem.reports.hammer.story import story
from pbem.reports.hammer.words import PHASE, SIDE
from pbem.reports.plain import PlainStyle
from pbem.rules.base import Event, View

WINTER_TURN = 6


class HammerWords:
    """What reports of this game say."""

    template = "hammer/position.txt.j2"
    sides: Mapping[str, str] = SIDE
    questions: Mapping[str, str] = QUESTIONS
    stops: Mapping[str, str] = STOPS

    def moment(self, view: View) -> str:
        """Where the game stands in time: `1297, turn 2, cards`."""
        if view["outcome"]:
            return f"{view['year']}, the game is over"
        when = "winter" if view["turn"] == WINTER_TURN else f"turn {view['turn']}"
        return f"{view['year']}, {when}, {PHASE[view['phase']]}"

    def standing(self, view: View) -> str:
        """The score."""
        return standing(view)

    def outcome(self, view: View) -> str:
        """How the game ended; empty while it goes on."""
        end = view["outcome"]
        if not end:
            return ""
        result = f"{SIDE[end['winner']]} wins" if end["winner"] else "A draw"
        return f"{result}: {end['reason']}."

    def story(self, before: View, told: Sequence[Event]) -> list[str]:
        """What happened, in lines."""
        return story(before, told)

    def search_words(self, told: Sequence[Event]) -> list[str]:
        """For each event the words by which a person may look for it."""
        return search_words(told)

    def sections(self, kind: str) -> tuple[str, ...]:
        """The sections of the rulebook by which events of a kind happen."""
        return SECTIONS.get(kind, ())

    def position(self, view: View) -> dict[str, Any]:
        """What the template shows of a view."""
        return {
            "rules": rules_played(view),
            "world": world(view),
            "battles": battles(view),
            "facts": facts(view),
        }


STYLE = PlainStyle(HammerWords())
