"""Private notes of a player: a text about a game, markers on blocks, and where these can be now."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pbem.characters import lower, split_lines, strip_blanks
from pbem.errors import PbemError
from pbem.playback import EnemyBlock, Trace, Tracker
from pbem.player.faults import Refused, reading_position
from pbem.player.store.game_store import GameFolder
from pbem.player.store.private_notes import MAX_MARK_SIZE, MAX_TEXT_SIZE, Mark, PrivateNotes
from pbem.reports.packing import unpack
from pbem.rules.base import Event, View, read_head
from pbem.titles import load


@dataclass(frozen=True, slots=True)
class ShownMark:
    """A player's marker on an enemy block, as the page shows it."""

    number: int
    text: str
    about: str
    """The marked block in words."""
    areas: tuple[str, ...]
    """The areas where the block can be, as the picture names them; empty if it can no longer be followed."""
    said: str
    """The place of the block in words, or the reason why the place is not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NotesOfGame:
    """The private notes of a game as the page shows them; they are shown as plain text."""

    text: str
    marks: tuple[ShownMark, ...]
    blocks: tuple[EnemyBlock, ...]
    """The enemy blocks that can be marked, by the last report."""
    largest: int
    largest_mark: int

    def lines(self) -> Iterator[str]:
        """Yield the notes for a terminal: the text, then each marker with where its block can be."""
        yield from split_lines(self.text)
        for mark in self.marks:
            text = strip_blanks(mark.text.replace("\n", " "))
            yield f"{mark.number}. {text} ({mark.about}; now: {mark.said})"


class NotesDesk:
    """The private notes of one game, and the reports by which marked blocks are followed."""

    def __init__(self, folder: GameFolder) -> None:
        self._folder = folder
        self._notes = PrivateNotes(folder.path)
        self._last = max(folder.reports(), default=0)

    def shown(self) -> NotesOfGame:
        """Return the private notes about the game as the page shows them."""
        return NotesOfGame(
            text=self._notes.text,
            marks=tuple(map(self._shown, self._notes.marks())),
            blocks=self._blocks(self._last),
            largest=MAX_TEXT_SIZE,
            largest_mark=MAX_MARK_SIZE,
        )

    def write(self, text: str) -> None:
        """Put a text in place of the private note about the game."""
        self._notes.write(text)

    def mark(self, side: str, area: str, name: str, text: str) -> None:
        """Mark an enemy block of the last report with a text.

        Raises:
            Refused: there is no such block, or the text is refused.
        """
        if all((one.side, one.area, one.name) != (side, area, name) for one in self._blocks(self._last)):
            raise Refused(f"the last report shows no block to mark in {area}" if area else "choose a block")
        self._notes.mark(side, area, self._last, name, text)

    def find_block(self, words: str) -> EnemyBlock:
        """Return the enemy block of the last report that is called so, stands there, or is listed so.

        Raises:
            Refused: there is none, or more than one.
        """
        known = self._blocks(self._last)
        listed = [one for one in known if lower(one.said) == lower(words)]
        found = listed or [one for one in known if lower(words) in (lower(one.name), lower(one.area))]
        if not found:
            raise Refused(f"the last report shows no block to mark that is called {words}, or stands there")
        if len(found) > 1:
            raise Refused(
                f"{words} may be: {'; '.join(one.said for one in found)}; write one as it stands here"
            )
        return found[0]

    def remove(self, number: int) -> None:
        """Remove a marker from a block."""
        self._notes.remove(number)

    def _shown(self, mark: Mark) -> ShownMark:
        same = (mark.side, mark.area, mark.name)
        before = self._blocks(mark.exchange)
        block = next((one for one in before if (one.side, one.area, one.name) == same), None)
        trace = self._trace(mark, block)
        about = block.said if block else mark.name or mark.area
        return ShownMark(mark.number, mark.text, about, trace.areas, trace.said)

    def _trace(self, mark: Mark, block: EnemyBlock | None) -> Trace:
        found = self._report(mark.exchange)
        if block is None or found is None:
            return Trace(
                (), f"the report of exchange {mark.exchange}, by which it was marked, does not show it"
            )
        if (void := self._void_since(mark.exchange)) is not None:
            return Trace((), f"followed until exchange {void}, which was taken back")
        later = list(self._later(mark.exchange))
        follow = self._tracker(found[0])
        if follow is None:
            return Trace((), "")
        with reading_position():
            trace = follow.follow(block, [(mark.exchange, (), found[0]), *later])
        reached = mark.exchange + len(later)
        if trace.areas and reached < self._last:
            return Trace((), f"followed until exchange {reached}, whose next report is not here")
        return trace

    def _later(self, exchange: int) -> Iterator[tuple[int, list[Event], View]]:
        """Yield the reports after an exchange, as long as none is missing."""
        while (found := self._report(exchange := exchange + 1)) is not None:
            yield exchange, found[1], found[0]

    def _void_since(self, exchange: int) -> int | None:
        chronicle = self._folder.chronicle()
        played = chronicle.history.exchanges if chronicle else ()
        return next((one.number for one in played if one.voided_by and one.number >= exchange), None)

    def _blocks(self, exchange: int) -> tuple[EnemyBlock, ...]:
        try:
            if (found := self._report(exchange)) is None or (tracker := self._tracker(found[0])) is None:
                return ()
            with reading_position():
                return tracker.enemies(found[0])
        except PbemError:  # a damaged position is told where the report is shown
            return ()

    def _report(self, exchange: int) -> tuple[View, list[Event]] | None:
        return unpack(self._folder.report(exchange) or "")

    def _tracker(self, view: View) -> Tracker | None:
        return load(read_head(view).game).tracker
