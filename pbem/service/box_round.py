"""The work of a pass on the post box: posts in before anything is closed, letters out when they may go.

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
    from pbem.judge.intake.verdicts import Verdict

TIDIED = "box tidied"
"""Name of the note of the day on which letters were last removed from the box."""


@dataclass(frozen=True, slots=True)
class BoxRound:
    """The work that one pass does on a club's post box."""

    club: Club
    box: BoxSettings

    def trouble(self) -> str:
        """Return what is wrong with the box; "" if nothing is."""
        from pbem.service.box_posts import box_trouble

        return box_trouble(self.club, self.box)

    def posts_in(self) -> Iterator[DoneInBox]:
        """Take in what was posted, and yield what was done.

        Raises:
            ConfigError, OSError: the box cannot be read or written.
        """
        from pbem.service.box_posts import take_posts

        write_table(self.club, self.box)
        yield from take_posts(self.club, self.box)

    def letters_out(self, settings: MailSettings | None) -> Iterator[DoneInBox]:
        """Put the letters into the box that may leave now, and yield what was done.

        Raises:
            ConfigError, OSError: the box cannot be written.
        """
        from pbem.service.box_letters import put_letters

        for text in put_letters(self.club, self.box, settings):
            yield DoneInBox(text)
        write_table(self.club, self.box)

    def tell_refused(self, verdict: Verdict) -> None:
        """Write to a player that a file which they have signed and posted does not count."""
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
    """Return the work on a club's box in one pass; None if the club has no box."""
    box = read_box(club.settings, club.path)
    return BoxRound(club, box) if box is not None else None


def tell_box(club: Club) -> None:
    """Tell players of running games which box to use, if the club has a box or had one."""
    box = read_box(club.settings, club.path)
    if box is not None or club.store.notes("box told "):
        from pbem.service import box_letters

        box_letters.tell_box(club, box, _push_key(club))


def _push_key(club: Club) -> str:
    """Return the key by which the club wakes devices; "" if it wakes none, or that cannot be read."""
    if "notify" not in club.settings:
        return ""
    from pbem.service.waking import push_key

    with contextlib.suppress(ConfigError):  # the step that wakes readers says so
        return push_key(club)
    return ""


def forget_in_box(club: Club, player: str, key: str) -> None:
    """Drop a player's fetch keys, and their letters in the box."""
    from pbem.judge.intake.fetch_keys import forget_fetch_keys

    forget_fetch_keys(club.store, player)
    if (box := read_box(club.settings, club.path)) is not None:
        from pbem.service.box_letters import forget_letters

        with contextlib.suppress(OSError):
            forget_letters(box, key)
