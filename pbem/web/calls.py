"""The parts of the page's api beside turns: press and absences, private notes, signed texts, and the device.

`Api` has these methods as its own; they are apart because few questions of a first look need them. This
module is imported when the page starts, so what it needs is imported when it is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

from pbem.errors import PbemError
from pbem.player import Home
from pbem.player.store.game_store import Folder, GameFolder
from pbem.trust.post_box import Deed, check_box_url
from pbem.web.table import press_of

if TYPE_CHECKING:
    from pbem.player import GameStatus
    from pbem.player.leagues.outlook import Outlook
    from pbem.web.home_copy import HomeCopies, Taken
    from pbem.web.outbox import BoxCall, Outbox, Outgoing
    from pbem.web.private_notes import NotesDesk, NotesOfGame
    from pbem.web.signing import Form, LeagueLine, SigningDesk
    from pbem.web.talk import Away, Talk

UNSAVED = "nothing is answered by itself before your home is saved as a file"


class ApiPart:
    """The surroundings of a part of `Api`: the home, the clock, and what `Api` itself does for its parts."""

    if TYPE_CHECKING:
        _home: Home
        _clock: Callable[[], datetime]

        def _post(self) -> Outbox: ...
        def _queue_for_post(self, made: Outgoing) -> Outgoing: ...
        def _box_of(self, folder: Folder) -> str: ...
        def _is_saved(self) -> bool: ...
        def _notes(self, game: str) -> dict[str, Any]: ...
        def _note(self, game: str, **said: object) -> None: ...


class TalkCalls(ApiPart):
    """The part of `Api` with calls about press and absences."""

    def talk(self, game: str) -> Talk:
        """Return the messages of a game or league, and the readers to whom the player may write."""
        from pbem.web.talk import talk_of

        press, today = self._home.press(game), self._today().isoformat()
        away = self._away(game) if isinstance(press.folder, GameFolder) else []
        return talk_of(
            press, self._notes(game).get("agreed", ""), [one for _, one in away if one.ends >= today]
        )

    def talk_seen(self, game: str, numbers: Sequence[int]) -> None:
        """Note that the messages with these numbers were shown to the player; nobody else is told."""
        press = self._home.press(game)
        press.keep_seen(line for line in press.lines() if line.number in numbers)

    def write_message(
        self,
        game: str,
        to: Sequence[str],
        text: str,
        subject: str = "",
        grey: bool = False,
        report: int = 0,
        post: bool = False,
    ) -> Outgoing:
        """Sign and seal a message, which the judge sends on; `report`: the number of a message to report.

        `post`: the message waits to be posted from this moment on, if its game or league has a box.
        """
        from pbem.web.talk import message_out

        press = self._home.press(game)
        made = message_out(press, press.write(tuple(to), text, subject, grey=grey, report=report))
        return self._queue_for_post(made) if post else made

    def more_time(self, game: str, time: str = "", post: bool = False) -> Outgoing:
        """Sign a later deadline of the open exchange: the one that somebody asks for, or one a day later."""
        from pbem.web.talk import signed_time, time_out

        made = time_out(self._home, game, time)
        self._note(game, agreed=signed_time(made))
        return self._queue_for_post(made) if post else made

    def away(
        self, game: str, begins: str, ends: str, until_orders: bool = False, post: bool = False
    ) -> Outgoing:
        """Sign that the player is away from one day (2026-08-01) to another, in all games of a judge.

        `until_orders`: the absence ends by itself once the player seals orders (`end_absence`).
        """
        from pbem.web.talk import Away, absence_out, note_away, read_away

        made = absence_out(self._home, game, begins, ends)
        known = read_away(self._notes(game).get("away", ""))
        self._note(game, away=note_away(known, Away(begins, ends, until_orders), self._today()))
        return self._queue_for_post(made) if post else made

    def end_absence(self, game: str, post: bool = False) -> Outgoing | None:
        """Sign that an absence has ended which the player's orders were to end; None if there is none.

        The absence may have been signed in another game of the same judge.
        """
        from pbem.web.talk import early_end

        for name, one in self._away(game):
            if (new := early_end(one, self._today())) is not None:
                return self.away(name, new.begins, new.ends, post=post)
        return None

    def _away(self, game: str) -> list[tuple[str, Away]]:
        """Return the absences noted for the judge of a game, each with the game in which it was signed."""
        from pbem.web.talk import read_away

        judge = self._home.folder(game).judge()
        return [
            (folder.game, one)
            for folder in self._home.folders()
            if (noted := self._notes(folder.game).get("away")) and folder.judge() == judge
            for one in read_away(noted)
        ]

    def _today(self) -> date:
        return self._clock().astimezone().date()

    def mute(self, game: str, name: str, muted: bool = True) -> Talk:
        """Hide what a player writes, in this home alone; return the press of a game."""
        self._home.press(game).mute(name, is_muted=muted)
        return self.talk(game)

    def _press(self, status: GameStatus) -> str:
        """Return the kind of press in a game; `none` if the game is damaged."""
        return "none" if status.trouble else press_of(self._home, status.game)


class NoteCalls(ApiPart):
    """The part of `Api` for notes that a player makes for themselves alone."""

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


class SigningCalls(ApiPart):
    """The part of `Api` for signed texts besides orders; `Api` has a home, a clock and an outbox for it."""

    def _desk(self) -> SigningDesk:
        from pbem.web.signing import SigningDesk

        return SigningDesk(self._home, self._post())

    def forms(self, about: str) -> tuple[Form, ...]:
        """Return the forms for texts to sign about a game, a league, or ("") a league unknown here."""
        return self._desk().forms(about)

    def sign(self, text: str, about: str, given: Mapping[str, str], box: str = "") -> Outgoing:
        """Sign one of the signed texts, to be posted if there is a box; `box`: the one that a link named.

        Raises:
            Refused: a field is not filled in as it must be.
        """
        return self._desk().sign(text, about, given, box, is_saved=self._is_saved())

    def leagues(self) -> tuple[LeagueLine, ...]:
        """Return the leagues that were entered from this home."""
        return self._desk().leagues() if (self._home.path / "leagues").exists() else ()

    def league(self, name: str) -> Outlook:
        """Return the state of a league for its entrant."""
        return self._desk().outlook(name)

    def sheet(self, game: str, first: int, last: int) -> tuple[str, ...]:
        """Return a sheet to be printed: lines with the player's reveals for some exchanges of a game."""
        return self._home.sheet(game, first, last)

    def recovery_key(self, name: str) -> tuple[str, str]:
        """Make a recovery key for a key; return its fingerprint and its file, which is only printed."""
        public, private = self._home.keygen_recovery(name)
        return public.fingerprint, private.decode()


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


class DeviceCalls(ApiPart):
    """The part of `Api` with calls about this device."""

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
        from pbem.web.outbox import orders_out

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
