"""What a report told, as steps that a reader goes through one by one.

A step is a few events that belong together: sentences, the position after them as far as its reader knows it,
and in a battle the board with both lines, the dice and the hits. Everything is computed from the reader's own
views and from what that reader was told, so that the steps show no more than the report does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from pbem.reports.words import Words
from pbem.rules.base import Event, View


@dataclass(frozen=True, slots=True, kw_only=True)
class Fighter:
    """A block or card in a battle, as it stands after a step."""

    name: str
    side: str
    rating: str
    """How it fights, as it is printed on it: A3."""
    strength: int
    full: int
    """Its strength when nothing is lost; 0 where it loses none, and its rating says all."""
    fate: str = ""
    """What became of it: "retreats", "captured", "to the pool"; empty while it fights on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shot:
    """The dice of one fighter."""

    fighter: str
    label: str
    """The label by which each of these dice is checked, without its last part: /die-1, /die-2 and so on."""
    dice: tuple[int, ...]
    hits_up_to: int
    """A die that shows this or less is a hit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """A battle after a step: both lines, each in the order in which they act."""

    area: str
    """Empty in a game without a map: then the chapter says which battle it is."""
    round: int
    """0 where there are none."""
    attacker: str
    lines: tuple[tuple[str, tuple[Fighter, ...]], ...]
    """Side and its fighters, the attacker's first."""
    reserves: tuple[tuple[str, int], ...]
    shot: Shot | None
    hit: tuple[str, ...]
    """Who loses strength in this step."""
    second: str = ""
    """The side in the second of two colours, as it is on the picture; empty where there are more than two."""
    totals: tuple[tuple[str, str], ...] = ()
    """Side and what its line comes to, in words; where it comes to something."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """An answer that the reader's own side gave, as its report shows it."""

    kind: str
    """The kind of Ask."""
    rule: str
    answer: str
    others: tuple[str, ...]
    """Other answers that one might have given; not all of them were possible."""
    certain: tuple[str, ...]
    """Those of them that were possible, as far as it can be told."""
    view: View
    """What the side saw before it answered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A few events that are told together."""

    lines: tuple[str, ...]
    chapter: str
    """The heading of a run of steps: a battle, the moves of a side; empty for what stands alone."""
    events: tuple[Event, ...]
    view: View
    """The position after it, as far as its reader was told."""
    board: Board | None = None
    decisions: tuple[Decision, ...] = ()
    """What the reader's own side decided in it, of those questions that plans answer."""


class Playback(Protocol):
    """How a game's events become steps."""

    def steps(self, before: View | None, told: Sequence[Event], after: View) -> tuple[Step, ...]:
        """Return the steps from one report's view to the next one's; `before` is None where none is known."""


@runtime_checkable
class Retrospect(Protocol):
    """A playback that also serves readers who look back at a whole game; a title may do without it."""

    turning_points: Mapping[str, str]
    """Kind of event -> what it is called where a reader goes on to the next one: "a noble changes sides"."""

    def measures(self, view: View) -> Mapping[str, Mapping[str, int]]:
        """Return what is drawn over time, by name: each side's number, as the viewer knows it."""


class PlainPlayback:
    """Steps of any game: a sentence each, on the position before until the last one, on that after."""

    def __init__(self, words: Words) -> None:
        self._words = words

    def steps(self, before: View | None, told: Sequence[Event], after: View) -> tuple[Step, ...]:
        """Return a step for each event about which the report says something."""
        found: list[tuple[tuple[str, ...], list[Event]]] = []
        for event in told:
            said = tuple(line.strip() for line in self._words.story(before, [event]) if line.strip())
            if said or not found:
                found.append((said, [event]))
            else:
                found[-1][1].append(event)
        views = [before or after] * (len(found) - 1) + [after]
        return tuple(
            Step(lines=said, chapter="", events=tuple(events), view=view)
            for (said, events), view in zip(found, views, strict=False)
        )


def joined(
    found: Iterable[Sequence[Event]], is_told_with: Callable[[Sequence[Event], Sequence[Event]], bool]
) -> Iterator[list[Event]]:
    """Yield runs of events, each with those after it that are told with it."""
    held: list[Event] = []
    for run in found:
        if held and is_told_with(held, run):
            held += run
            continue
        if held:
            yield held
        held = list(run)
    if held:
        yield held
