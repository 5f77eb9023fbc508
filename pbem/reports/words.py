"""The words that a game adds to the reports that all games share: names, sentences, tables of a position."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pbem.characters import lower
from pbem.orders.base import NotSaved, listed
from pbem.rules.base import Event, View, read_head


@dataclass(frozen=True, slots=True)
class Table:
    """A table that replaces a section's lines on a page; each row's first cell says what the row is about."""

    section: str
    """The heading of the section that the table replaces, in capitals as in the text."""
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    key: str = ""
    """The meaning of the letters and numbers in the table."""
    drawn: bool = False
    """Whether the picture shows the same as the table; paper then goes without the table."""


class Memory:
    """The memory of what one reader was shown earlier; this class forgets everything."""

    def hear(self, told: Sequence[Event]) -> None:
        """Take in the events that were told to the reader since the last call."""

    def lines(self, view: View) -> list[str]:
        """Return in lines what is worth remembering now that the reader sees `view`."""
        return []

    def reminded(self, view: View) -> View:
        """Return the view with what is remembered in it, for reports, forecasts and bots."""
        return view

    def save(self) -> Any:
        """Return all of the memory's state, JSON-able. Raises NotSaved for a state that is not known here."""
        if type(self) is not Memory:
            raise NotSaved(f"a {type(self).__name__} does not say how it is saved")

    def load(self, data: Any) -> None:
        """Take over the state of a memory that was saved."""


class Words(ABC):
    """The words of one game. A game overrides those that are too plain for it."""

    template: str
    """The game's template, which shows a position, by its name in a folder `templates` of the game."""
    sides: Mapping[str, str]
    """The names of sides for people, by side."""
    questions: Mapping[str, str]
    """The questions in words, by kind of Ask."""
    stops: Mapping[str, str] = {}
    """The orders that are wanted at a public stop, in words, by the stop."""
    example = "exchange 7"
    """An example of what a person may type to find an event."""

    @abstractmethod
    def position(self, view: View) -> dict[str, Any]:
        """Return the data of a position that the game's template needs."""

    def tables(self, view: View) -> tuple[Table, ...]:
        """Return the sections that a page shows as tables."""
        return ()

    def memory(self, reader: str) -> Memory:
        """Return a new memory for one reader, which is filled from the game's start on."""
        return Memory()

    @abstractmethod
    def story(self, before: View | None, told: Sequence[Event]) -> list[str]:
        """Return in lines what happened since `before` (None: before the set-up).

        An empty line separates paragraphs.
        """

    def moment(self, view: View) -> str:
        """Return the time at which the game stands, in words, such as its year and turn."""
        head = read_head(view)
        return ", ".join((*head.moment, *(["the game is over"] if head.outcome else [])))

    def standing(self, view: View) -> str:
        """Return who is ahead, in a few words; empty if there is nothing to say."""
        return ""

    def assumed(self, view: View) -> str:
        """Return what a forecast for the viewer takes for granted; it is told first if it is not empty."""
        return ""

    def chance(self, label: str) -> str:
        """Return in words what is decided by the die or draw of a label, where a forecast ends."""
        return "chance decides"

    def outcome(self, view: View) -> str:
        """Return how the game ended; empty while it goes on."""
        end = read_head(view).outcome
        if end is None:
            return ""
        names = [self.sides[side] for side in end.winners]
        result = (
            "A draw" if not names else f"{listed(names)} {'wins' if len(names) == 1 else 'share the win'}"
        )
        places = [listed([self.sides[side] for side in place]) for place in end.places]
        ranks = "".join(f" {place}. {who}." for place, who in enumerate(places, 1))
        return f"{result}: {end.reason}.{ranks}"

    def search_words(self, told: Sequence[Event]) -> list[tuple[str, str]]:
        """Return for each event since the game's start the time and the words by which people look for it."""
        return [("", lower(" ".join([event["event"], *values(event)]))) for event in told]

    def time_of(self, paragraph: str) -> str:
        """Return the time that a paragraph of a story, or the line `Now: ...`, names, as people look for it.

        It is empty if the text names none: then the time of the paragraph before it counts.
        """
        return lower(paragraph) if paragraph.startswith("Now: ") else ""

    def sections(self, kind: str) -> tuple[str, ...]:
        """Return the sections of the rulebook by which events of a kind happen."""
        return ()


def count(number: int, thing: str) -> str:
    """Return a number of things in words: `1 card`, `3 cards`."""
    return f"{number} {thing}{'' if number == 1 else 's'}"


def runs(told: Sequence[Event], belongs: Callable[[Sequence[Event], Event], bool]) -> Iterator[list[Event]]:
    """Yield runs of events that are told together. `belongs` tells whether an event joins those before it."""
    run: list[Event] = []
    for event in told:
        if run and not belongs(run, event):
            yield run
            run = []
        run.append(event)
    if run:
        yield run


def values(value: Any) -> Iterator[str]:
    """Yield every word in an event's facts."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key not in ("event", "label"):
                yield from (key, *values(inner))
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from values(inner)
    elif isinstance(value, str):
        yield value
