"""Playback: the events of a report, as steps that a reader goes through one by one.

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
    """The fighter's combat rating, as it is printed on the block or card: A3."""
    strength: int
    full: int
    """The fighter's full strength; 0 for one that loses no strength, whose rating says all."""
    fate: str = ""
    """The fate of the fighter in words: "retreats", "captured", "to the pool"; empty while it fights on."""
    said: str = ""
    """The fighter as people read it, where its name is one that orders type: Scott 12; else empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shot:
    """The dice that one fighter rolls at a time, and the value up to which they hit."""

    fighter: str
    label: str
    """The label by which each of the dice is checked, without its last part: /die-1, /die-2 and so on."""
    dice: tuple[int, ...]
    hits_up_to: int
    """The highest value of a die that is a hit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """A battle after a step: both sides' lines of fighters, each in the order in which they act."""

    area: str
    """The area of the battle; empty in a game without a map, where the chapter names the battle."""
    round: int
    """The round of the battle; 0 in a game without rounds."""
    attacker: str
    lines: tuple[tuple[str, tuple[Fighter, ...]], ...]
    """Pairs of a side and its fighters, the attacker's first."""
    reserves: tuple[tuple[str, int], ...]
    shot: Shot | None
    hit: tuple[str, ...]
    """The names of the fighters who lose strength in this step."""
    second: str = ""
    """The side in the second of two colours, as on the picture; empty in a game with more than two."""
    totals: tuple[tuple[str, str], ...] = ()
    """Pairs of a side and the total of its line, in words; empty in a game where lines have no totals."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """A decision: an answer that the reader's own side gave, as its report shows it."""

    kind: str
    """The kind of the Ask that the decision answers."""
    rule: str
    answer: str
    others: tuple[str, ...]
    """Other answers that the side might have given to the question; not all of them were possible."""
    certain: tuple[str, ...]
    """The other answers that certainly were possible, as far as the report shows."""
    view: View
    """The view that the deciding side had before it answered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step of a playback: a few events that are told together."""

    lines: tuple[str, ...]
    chapter: str
    """The heading that the step shares with its run of steps, such as a battle; empty if it stands alone."""
    events: tuple[Event, ...]
    view: View
    """The position after the step, as far as its reader was told."""
    board: Board | None = None
    decisions: tuple[Decision, ...] = ()
    """The decisions of the reader's own side in the step, on questions that plans answer."""


class Playback(Protocol):
    """The interface of a game's playback, which turns events into steps."""

    def steps(self, before: View | None, told: Sequence[Event], after: View) -> tuple[Step, ...]:
        """Return the steps from one report's view to the next one's; `before` is None if it is unknown."""


@runtime_checkable
class Retrospect(Protocol):
    """The interface of a playback that also serves readers who look back at a whole game; it is optional."""

    turning_points: Mapping[str, str]
    """A mapping from kinds of event that a reader can jump to, to their names: "a noble changes sides"."""

    def measures(self, view: View) -> Mapping[str, Mapping[str, int]]:
        """Return the measures to be drawn over time, by name: each side's number, as the viewer knows it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EnemyBlock:
    """An enemy block that a reader may mark: one known by name, or one of those in an area."""

    side: str
    area: str
    """The area in which the block was when it was listed."""
    name: str = ""
    """The name of the block; "" if the reader does not know it."""
    said: str = ""
    """The block in words: "an English block in Fife"."""


@dataclass(frozen=True, slots=True)
class Trace:
    """The areas in which a block can be now, as far as reports prove it."""

    areas: tuple[str, ...]
    """The areas; none if the block can be followed no further."""
    said: str
    """The place of the block in words, or the reason why it is not known."""


Later = Iterable[tuple[int, Sequence[Event], View]]
"""Reports by exchange, in their order: the events that each told, and the view that it ended with. The first
one is the report in whose view the block was listed, without events."""


class Tracker(Protocol):
    """The interface by which a game follows enemy blocks that a reader has marked; it is optional."""

    def enemies(self, view: View) -> tuple[EnemyBlock, ...]:
        """Return the enemy blocks that a reader can tell apart, in the order of the map."""

    def follow(self, block: EnemyBlock, later: Later) -> Trace:
        """Return where a block can be by the report in whose view it was listed and those after it."""


class PlainPlayback:
    """The playback of any game: a step for each sentence, where only the last shows the new position."""

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
    """Yield runs of a report's events, each joined with the runs after it that are told in the same step."""
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
