"""The part of the page's api that is about devices: answering by itself, and one home on several devices.

`Api` has these methods as its own; they are apart because few questions of a first look need them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pbem.errors import PbemError
from pbem.player import Home
from pbem.player.store.game_store import GameFolder
from pbem.trust.box_request import Deed, check_box_url

if TYPE_CHECKING:
    from pbem.web.home_copy import HomeCopies, Taken
    from pbem.web.mails import Outgoing
    from pbem.web.outbox import BoxCall, Outbox

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
    """The outcome of answering by itself in one game."""

    game: str
    said: str
    sealed: bool
    """Was something sealed, which waits to be posted now?"""


@dataclass(frozen=True, slots=True)
class CopyLine:
    """The copy of this home in a post box."""

    box: str
    """Its box; "" if there is none."""
    generation: int
    """Which one is here."""
    is_own: bool
    """Whether this device has given it."""


class DeviceCalls:
    """Questions about this device, for `Api`."""

    _home: Home

    if TYPE_CHECKING:

        def _queue_for_post(self, made: Outgoing) -> Outgoing: ...
        def _is_saved(self) -> bool: ...
        def _box_of(self, folder: GameFolder) -> str: ...
        def _post(self) -> Outbox: ...

    # Answering by itself

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
        if on and not self._is_saved():
            return tuple(Answered(folder.game, UNSAVED, sealed=False) for folder in on)
        found = []
        for one in answers(self._home, self._answers) if on else ():
            if one.orders is not None:
                self._queue_for_post(orders_out(self._home, one.orders))
                mark_sent(self._home.folder(one.game))
            found.append(Answered(one.game, one.said, one.orders is not None))
        return tuple(found)

    # One home on several devices

    def copying(self) -> CopyLine:
        """Return whether a post box keeps a sealed copy of this home."""
        state = self._copies().state
        return CopyLine(state.box, state.here.number, state.is_own)

    def keep_copy(self, name: str, box: str) -> None:
        """Let a box keep a sealed copy of this home, for the key of this name; "" for the box ends it."""
        if box:
            self._copies().switch_on(check_box_url(box), name)
        else:
            self._copies().switch_off()

    def copy_sheet(self) -> str:
        """Return the recovery sheet: a line that opens copies, and signs nothing."""
        return self._copies().sheet()

    def copy_question(self) -> BoxCall | None:
        """Return the request for a newer copy; None if there is none, or its key is locked."""
        state = self._copies().state
        if not state.is_on or not self._is_unlocked(state.key):
            return None
        return self._post().call(Deed.GET_COPY, state.box, f"since {state.here.number}\n", state.key)

    def copy_came(self, answer: str) -> Taken:
        """Take over what another device has given to the box."""
        return self._copies().take(*self._post().copy_in(answer))

    def copy_put(self) -> BoxCall | None:
        """Return the request that gives the box this home; None if it has it."""
        copies = self._copies()
        if (found := copies.put()) is None:
            return None
        state = copies.state
        return self._post().call(Deed.PUT_COPY, state.box, f"generation {found[0]}\n{found[1]}", state.key)

    def copy_was_put(self, answer: str) -> CopyLine:
        """Take the answer of a box that has stored it."""
        self._copies().was_put(self._post().generation_in(answer))
        return self.copying()

    # Inside

    def _copies(self) -> HomeCopies:
        from pbem.web.home_copy import HomeCopies

        return HomeCopies(self._home)

    def _is_unlocked(self, name: str) -> bool:
        return name in self._home.keys.names() and self._home.keys.is_unlocked(name)

    def _answers(self, folder: GameFolder) -> bool:
        try:
            name = folder.membership().key_file
        except PbemError:
            return False
        return bool(self._box_of(folder)) and self._is_unlocked(name)
