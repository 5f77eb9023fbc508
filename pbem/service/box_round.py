"""The post box's part of a pass: posts are taken in before any exchange is closed, letters put in at the end.

Its parts are loaded when there is a box: most clubs have none.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pbem.errors import ConfigError
from pbem.judge.club import Club
from pbem.mail.settings import MailSettings
from pbem.service.box_table import BoxSettings, DoneInBox, read_box, write_table
from pbem.trust.times import utc_text

if TYPE_CHECKING:
    from pbem.judge.intake.player_files import Verdict

TIDIED = "box tidied"
"""Name of the note of the day on which letters were last removed from the box."""


@dataclass(frozen=True, slots=True)
class BoxRound:
    """The work on a club's post box in one pass of the judge."""

    club: Club
    box: BoxSettings

    def trouble(self) -> str:
        """Return the fault of the post box; "" if it has none."""
        from pbem.service.box_posts import box_trouble

        return box_trouble(self.club, self.box)

    def posts_in(self) -> Iterator[DoneInBox]:
        """Take in the posts from the post box, and yield a line about each action.

        Raises:
            ConfigError, OSError: the box cannot be read or written.
        """
        from pbem.service.box_posts import take_posts

        write_table(self.club, self.box)
        yield from take_posts(self.club, self.box)

    def letters_out(self, settings: MailSettings | None) -> Iterator[DoneInBox]:
        """Put the letters that may be sent now into the post box, and yield a line about each action.

        Raises:
            ConfigError, OSError: the box cannot be written.
        """
        from pbem.service.box_letters import put_letters

        for text in put_letters(self.club, self.box, settings):
            yield DoneInBox(text)
        write_table(self.club, self.box)

    def tell_refused(self, verdict: Verdict) -> None:
        """Write to a player that a file which they signed and posted does not count."""
        if verdict.is_accepted or not verdict.person or not verdict.is_signed:
            return
        stamp = utc_text(self.club.clock()).replace("-", "").replace(":", "")
        text = f"Orders of {verdict.player} for {verdict.game} do not count: {verdict.text}.\n"
        with self.club.store.step():
            name = f"{verdict.game}-not-taken-{stamp}.txt"
            self.club.store.add_letter(verdict.game, verdict.person, name, b"", text=text)

    def tidy(self) -> None:
        """Remove letters from the box that were acknowledged long ago; do so once a day."""
        today = utc_text(self.club.clock())[:10]
        if self.club.store.note(TIDIED) == today:
            return
        from pbem.service.box_letters import remove_fetched

        with contextlib.suppress(OSError):  # the next day removes them
            remove_fetched(self.club, self.box)
        with self.club.store.step():
            self.club.store.put_note(TIDIED, today)


def box_round(club: Club) -> BoxRound | None:
    """Return the work on a club's post box in one pass of the judge; None if the club has no post box."""
    box = read_box(club.settings, club.path)
    return BoxRound(club, box) if box is not None else None


def tell_box(club: Club) -> None:
    """Tell players of running games which post box to use, if the club has one or had one."""
    box = read_box(club.settings, club.path)
    if box is not None or club.store.notes("box told "):
        from pbem.service import box_letters

        box_letters.tell_box(club, box, _push_key(club))


def _push_key(club: Club) -> str:
    """Return the key by which the club wakes devices; "" if it wakes none, or the key cannot be read."""
    if "notify" not in club.settings:
        return ""
    from pbem.service.waking import push_key

    with contextlib.suppress(ConfigError):  # the step that wakes readers says so
        return push_key(club)
    return ""


def forget_in_box(club: Club, player: str, key: str) -> None:
    """Forget a player's fetch keys, and remove their letters from the post box."""
    from pbem.judge.letters.wishes import forget_fetch_keys

    forget_fetch_keys(club.store, player)
    if (box := read_box(club.settings, club.path)) is not None:
        from pbem.service.box_letters import forget_letters

        with contextlib.suppress(OSError):
            forget_letters(box, key)
