"""The part of the page's api that is about press and about more time.

It is imported when the page starts, so what it needs is imported when it is asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pbem.player import GameStatus, Home
    from pbem.web.mails import Outgoing
    from pbem.web.talk import Talk


class TalkCalls:
    """The part of `Api` with questions about what players say to each other."""

    if TYPE_CHECKING:
        _home: Home

        def _queue_for_post(self, made: Outgoing) -> Outgoing: ...
        def _notes(self, game: str) -> dict[str, Any]: ...
        def _note(self, game: str, **said: object) -> None: ...

    def talk(self, game: str) -> Talk:
        """Return the messages of a game or league, and the readers to whom the player may write."""
        from pbem.web.talk import talk_of

        return talk_of(self._home.press(game), self._notes(game).get("agreed", ""))

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
        """Sign and seal a message to the judge, who passes it on; `report` is the number of one to report.

        `post`: the message waits to be posted from this moment on, if its game or league has a box.
        """
        from pbem.web.talk import message_out

        press = self._home.press(game)
        made = message_out(press, press.write(tuple(to), text, subject, grey=grey, report=report))
        return self._queue_for_post(made) if post else made

    def more_time(self, game: str, time: str = "", post: bool = False) -> Outgoing:
        """Sign a later deadline of the open exchange: the one that somebody asks for, or one day later."""
        from pbem.web.talk import signed_time, time_out

        made = time_out(self._home, game, time)
        self._note(game, agreed=signed_time(made))
        return self._queue_for_post(made) if post else made

    def away(self, game: str, begins: str, ends: str, post: bool = False) -> Outgoing:
        """Sign that the player is away from one day (2026-08-01) to another, in all games of this judge."""
        from pbem.web.talk import absence_out

        made = absence_out(self._home, game, begins, ends)
        return self._queue_for_post(made) if post else made

    def mute(self, game: str, name: str, muted: bool = True) -> Talk:
        """Hide what a player writes, in this home alone; return the press of the game."""
        self._home.press(game).mute(name, is_muted=muted)
        return self.talk(game)

    def _press(self, status: GameStatus) -> str:
        """Return the kind of press in a game; `none` in one that is damaged."""
        return "none" if status.trouble else press_of(self._home, status.game)


def press_of(home: Home, name: str) -> str:
    """Return the kind of press in a game or league; `none`, without looking further, if nothing has come."""
    if not (home.place_of(name).path / "press").exists():
        return "none"
    from pbem.web.talk import kind_of

    return kind_of(home, name)
