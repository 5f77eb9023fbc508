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
number on all devices.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pbem.characters import is_decimal, split_lines
from pbem.player import files
from pbem.player.faults import Refused
from pbem.player.store.game_store import NOTES
from pbem.player.store.press_store import plain_text

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
