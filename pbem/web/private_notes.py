"""A player's private notes, which nobody else ever sees: a text about a game, and markers on enemy blocks.

    notes/game.txt       the text
    notes/0001.txt       a marker: where the block was by the report of an exchange, or its name, and a text

        side england
        area Fife
        exchange 5
        name Edward                 only if the player knows the block by name
        ---
        I think this is Edward

They lie in the game's folder of the home, so they are in its file and in its sealed copy. Nothing that signs,
seals or sends reads them. A marker that was taken back stays as an empty file: then the next one has another
number on all devices. Where a marked block can be now follows from the reports.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pbem.characters import is_decimal, lower, split_lines, strip_blanks
from pbem.errors import PbemError
from pbem.playback import EnemyBlock, Trace, Tracker
from pbem.player import files
from pbem.player.faults import Refused, reading_position
from pbem.player.store.game_store import NOTES, GameFolder
from pbem.player.store.press_store import plain_text
from pbem.reports.packing import unpack
from pbem.rules.base import Event, View, read_head
from pbem.titles import load

MAX_TEXT_SIZE = 16_384
"""Maximum size in bytes of a player's private note about a game as a whole."""
MAX_MARK_SIZE = 500
"""Maximum size in bytes of the text of a marker."""
MAX_MARKS = 200
"""Maximum number of markers in a game, with those that were taken back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A marker on an enemy block."""

    number: int
    side: str
    area: str
    exchange: int
    """The exchange whose report the player saw when they marked the block."""
    name: str
    """The name of the block; "" if the player did not know it."""
    text: str


class PrivateNotes:
    """The private notes of a game, in a folder of the home."""

    def __init__(self, game: Path) -> None:
        self._path = game / NOTES

    @property
    def text(self) -> str:
        """Return the player's private note about the game; "" if there is none."""
        return plain_text((files.read_file(self._path / "game.txt") or b"").decode(errors="replace"))

    def write(self, text: str) -> None:
        """Replace the player's private note about the game; an empty text removes the note.

        Raises:
            Refused: the text is too long.
        """
        files.write(self._path / "game.txt", _checked(text, MAX_TEXT_SIZE))

    def marks(self) -> Iterator[Mark]:
        """Yield the markers in the order in which they were made; what is damaged is left out."""
        for path in sorted(self._path.glob("[0-9][0-9][0-9][0-9].txt")):
            if (found := _read_mark(int(path.stem), files.read_file(path) or b"")) is not None:
                yield found

    def mark(self, side: str, area: str, exchange: int, name: str, text: str) -> None:
        """Put a private marker with a text on an enemy block.

        Raises:
            Refused: the text is empty or too long, or there are too many markers.
        """
        number = max((int(path.stem) for path in self._path.glob("[0-9]*.txt")), default=0) + 1
        if number > MAX_MARKS:
            raise Refused(f"a game can have {MAX_MARKS} markers at most, and this one has had as many")
        if not plain_text(text):
            raise Refused("a marker needs a text")
        fields = {"side": side, "area": area, "exchange": str(exchange), "name": name}
        head = "".join(f"{word} {said}\n" for word, said in fields.items() if said)
        files.write(self._place(number), f"{head}---\n".encode() + _checked(text, MAX_MARK_SIZE))

    def remove(self, number: int) -> None:
        """Take a private marker back from an enemy block.

        Raises:
            Refused: there is no such marker.
        """
        if all(one.number != number for one in self.marks()):
            raise Refused(f"there is no marker {number} in this game")
        files.write(self._place(number), b"")

    def _place(self, number: int) -> Path:
        return self._path / f"{number:04}.txt"


def _checked(text: str, most: int) -> bytes:
    data = plain_text(text).encode()
    if len(data) > most:
        raise Refused(f"this note has {len(data):,} bytes; at most {most:,} are kept")
    return data


def _read_mark(number: int, data: bytes) -> Mark | None:
    head, _, text = data.decode(errors="replace").partition("---\n")
    fields = dict(line.split(" ", 1) for line in split_lines(head) if " " in line)
    exchange = fields.get("exchange", "")
    if not {"side", "area"} <= fields.keys() or not is_decimal(exchange) or len(exchange) > 6:
        return None
    return Mark(
        number=number,
        side=fields["side"],
        area=fields["area"],
        exchange=int(exchange),
        name=fields.get("name", ""),
        text=plain_text(text),
    )


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
        """Return the enemy block of the last report that is meant by words: its name, area or description.

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
        """Yield number, events and view of each report after an exchange, up to the first that is missing."""
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
