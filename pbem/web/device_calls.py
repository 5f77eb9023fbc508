"""The part of the page's api about the device: automatic answers, and one home on several devices.

`Api` has these methods as its own; they are apart because few questions of a first look need them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pbem.errors import PbemError
from pbem.player import Home
from pbem.player.store.game_store import Folder, GameFolder
from pbem.trust.post_box import Deed, check_box_url

if TYPE_CHECKING:
    from pbem.web.home_copy import HomeCopies, Taken
    from pbem.web.mails import Outgoing
    from pbem.web.outbox import BoxCall, Outbox

UNSAVED = "nothing is answered by itself before your home is saved as a file"


@dataclass(frozen=True, slots=True, kw_only=True)
class AnsweringLine:
    """The state of automatic answering for one game."""

    game: str
    hours: str
    """The hours of the day at which answers are made automatically; "" if this is off."""
    off: str
    """The reason why automatic answering was switched off by itself; "" if it was not."""
    costs: tuple[str, ...]
    """Warnings that the player must read before automatic answering is switched on."""


@dataclass(frozen=True, slots=True)
class Answered:
    """The outcome of automatic answering in one game."""

    game: str
    said: str
    sealed: bool
    """Whether a file was sealed; it then waits to be posted."""


@dataclass(frozen=True, slots=True)
class CopyLine:
    """The state of the copy of this home in a post box."""

    box: str
    """The post box that keeps the copy; "" if there is none."""
    generation: int
    """The generation of the copy that this home contains."""
    is_own: bool
    """Whether this device has made the generation that this home contains."""


class DeviceCalls:
    """The part of `Api` with calls about this device."""

    _home: Home

    if TYPE_CHECKING:

        def _queue_for_post(self, made: Outgoing) -> Outgoing: ...
        def _is_saved(self) -> bool: ...
        def _box_of(self, folder: Folder) -> str: ...
        def _post(self) -> Outbox: ...

    # Answering by itself

    def answering(self) -> tuple[AnsweringLine, ...]:
        """Return the games that can be answered automatically: those with a box, whose key is unlocked."""
        from pbem.player.answering import COSTS, read_answering

        found = [folder for folder in self._home.folders() if self._answers(folder)]
        wishes = [(folder.game, read_answering(folder)) for folder in found]
        return tuple(
            AnsweringLine(game=game, hours=", ".join(said.hours), off=said.off, costs=COSTS)
            for game, said in wishes
        )

    def answer_by_itself(self, game: str, hours: str) -> None:
        """Switch automatic answers of a game on, at these hours; "" for the hours switches them off."""
        from pbem.player.answering import check_hours, switch_off, switch_on

        folder = self._home.folder(game)
        if hours:
            switch_on(folder, check_hours(hours))
        else:
            switch_off(folder)

    def answer(self) -> tuple[Answered, ...]:
        """Seal the automatic answers that are due, which then wait to be posted; return the outcomes."""
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
        """Return the state of the sealed copy of this home that a post box keeps, if one does."""
        state = self._copies().state
        return CopyLine(state.box, state.here.number, state.is_own)

    def keep_copy(self, name: str, box: str) -> None:
        """Let a box keep a sealed copy of this home for the key `name`; "" for the box ends that."""
        if box:
            self._copies().switch_on(check_box_url(box), name)
        else:
            self._copies().switch_off()

    def copy_sheet(self) -> str:
        """Return the recovery sheet of the home: a line with a key that opens copies, and signs nothing."""
        return self._copies().sheet()

    def copy_question(self) -> BoxCall | None:
        """Return the request for a newer copy of the home; None if none is kept, or the key is locked."""
        state = self._copies().state
        if not state.is_on or not self._is_unlocked(state.key):
            return None
        return self._post().call(Deed.GET_COPY, state.box, f"since {state.here.number}\n", state.key)

    def copy_came(self, answer: str) -> Taken:
        """Take over the copy of the home in a post box's answer, which another device may have made."""
        return self._copies().take(*self._post().copy_in(answer))

    def copy_put(self) -> BoxCall | None:
        """Return the request that gives the post box this home; None if the box has its present state."""
        copies = self._copies()
        if (found := copies.put()) is None:
            return None
        state = copies.state
        return self._post().call(Deed.PUT_COPY, state.box, f"generation {found[0]}\n{found[1]}", state.key)

    def copy_was_put(self, answer: str) -> CopyLine:
        """Take in the answer of a post box that stored the copy of the home; return the state of the copy."""
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
