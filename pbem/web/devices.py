"""The part of the page's api that is about devices: answering by itself.

`Api` has these methods as its own; they are apart because few questions of a first look need them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pbem.errors import PbemError
from pbem.player import Home
from pbem.player.store.game_store import GameFolder

if TYPE_CHECKING:
    from pbem.web.mails import Outgoing

UNSAVED = "nothing is answered by itself before your home is saved as a file"


@dataclass(frozen=True, slots=True, kw_only=True)
class AnsweringLine:
    """How one game is answered by itself, or that it is not."""

    game: str
    hours: str
    """The hours of the day; "" if it is off."""
    off: str
    """Why it has gone off by itself."""
    costs: tuple[str, ...]
    """What it costs, to be read before it is switched on."""


@dataclass(frozen=True, slots=True)
class Answered:
    """What answering by itself has come to in one game."""

    game: str
    said: str
    sealed: bool
    """Was something sealed, which waits to be posted now?"""


class DeviceApi:
    """Questions about this device, for `Api`."""

    _home: Home

    if TYPE_CHECKING:

        def _queued(self, made: Outgoing) -> Outgoing: ...
        def _saved(self) -> bool: ...
        def _box_of(self, folder: GameFolder) -> str: ...

    def answering(self) -> tuple[AnsweringLine, ...]:
        """Return the games that could be answered by themselves: those with a box, whose key is unlocked."""
        from pbem.player.answering import COSTS, read_answering

        found = [folder for folder in self._home.folders() if self._answers(folder)]
        wishes = [(folder.game, read_answering(folder)) for folder in found]
        return tuple(
            AnsweringLine(game=game, hours=", ".join(said.hours), off=said.off, costs=COSTS)
            for game, said in wishes
        )

    def answer_by_itself(self, game: str, hours: str) -> None:
        """Let a game be answered by itself at these hours; "" switches it off."""
        from pbem.player.answering import check_hours, switch_off, switch_on

        folder = self._home.folder(game)
        if hours:
            switch_on(folder, check_hours(hours))
        else:
            switch_off(folder)

    def answer(self) -> tuple[Answered, ...]:
        """Seal what is due by itself; it waits to be posted from this moment on."""
        from pbem.player.answering import answers, mark_sent, read_answering
        from pbem.web.mails import orders_out

        on = [one for one in self._home.folders() if read_answering(one).is_on and self._answers(one)]
        if on and not self._saved():
            return tuple(Answered(folder.game, UNSAVED, sealed=False) for folder in on)
        found = []
        for one in answers(self._home, self._answers) if on else ():
            if one.orders is not None:
                self._queued(orders_out(self._home, one.orders))
                mark_sent(self._home.folder(one.game))
            found.append(Answered(one.game, one.said, one.orders is not None))
        return tuple(found)

    def _answers(self, folder: GameFolder) -> bool:
        try:
            name = folder.membership().key_file
        except PbemError:
            return False
        keys = self._home.keys
        return bool(self._box_of(folder)) and name in keys.names() and keys.is_unlocked(name)
