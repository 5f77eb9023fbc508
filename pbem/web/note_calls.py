"""The part of the page's api about private notes; the module that does the work is imported when needed."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pbem.player import Home
    from pbem.web.private_notes import NotesDesk, NotesOfGame


class NoteCalls:
    """The part of `Api` for notes that a player makes for themselves alone."""

    _home: Home

    def private_notes(self, game: str) -> NotesOfGame:
        """Return the player's private notes about a game, and where the marked blocks can be now."""
        return self._notes_desk(game).shown()

    def write_private_note(self, game: str, text: str) -> NotesOfGame:
        """Replace the player's private note about a game by `text`; return all their notes about the game."""
        desk = self._notes_desk(game)
        desk.write(text)
        return desk.shown()

    def mark_block(self, game: str, side: str, area: str, name: str, text: str) -> NotesOfGame:
        """Mark an enemy block of the last report with a text; return all notes about the game."""
        desk = self._notes_desk(game)
        desk.mark(side, area, name, text)
        return desk.shown()

    def remove_mark(self, game: str, number: int) -> NotesOfGame:
        """Remove a marker from a block; return all notes about the game."""
        desk = self._notes_desk(game)
        desk.remove(number)
        return desk.shown()

    def _notes_desk(self, game: str) -> NotesDesk:
        from pbem.web.private_notes import NotesDesk

        return NotesDesk(self._home.folder(game))
