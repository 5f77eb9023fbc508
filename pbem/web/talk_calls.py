"""The part of the page's api about press, later deadlines and absences.

It is imported when the page starts, so what it needs is imported when it is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pbem.player import GameStatus, Home
    from pbem.web.mails import Outgoing
    from pbem.web.talk import Away, Talk


class TalkCalls:
    """The part of `Api` with calls about press and absences."""

    if TYPE_CHECKING:
        _home: Home
        _clock: Callable[[], datetime]

        def _queue_for_post(self, made: Outgoing) -> Outgoing: ...
        def _notes(self, game: str) -> dict[str, Any]: ...
        def _note(self, game: str, **said: object) -> None: ...

    def talk(self, game: str) -> Talk:
        """Return the messages of a game or league, and the readers to whom the player may write."""
        from pbem.player.store.game_store import GameFolder
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


def press_of(home: Home, name: str) -> str:
    """Return the kind of press in a game or league; `none`, without reading further, if no press has come."""
    if not (home.place_of(name).path / "press").exists():
        return "none"
    from pbem.web.talk import kind_of

    return kind_of(home, name)
