"""The mail to the judge's own address that tells an old folder of a restored club to stop.

Both folders read the same mailbox. The restored one mails there

    pbem1 moved <when it was restored> <HMAC-SHA256 of that under the judge's master secret>

which nobody else can write. A folder that was not restored, or before that time, does nothing from then on.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from typing import TYPE_CHECKING

from pbem.judge.tables.note_tables import SPOKEN
from pbem.judge.upkeep.folder_identity import Elsewhere, check_folder

if TYPE_CHECKING:  # a glance at a club needs its database alone
    from pbem.judge.club import Club
    from pbem.mail.settings import MailSettings

MOVED = "moved"
ANNOUNCED = "moved announced"
_LINE = re.compile(rb"^pbem1 moved ([0-9TZ:-]{20}) ([0-9a-f]{64})\r?$", re.MULTILINE)


def announce(club: Club, settings: MailSettings) -> None:
    """Mail an order to stop to the folder from which this club was restored, wherever it is."""
    restored = club.store.here_since()
    if not restored or club.store.note(ANNOUNCED) == restored:
        return
    text = f"This club goes on in another folder.\n\npbem1 moved {restored} {_mac(club, restored)}\n"
    with club.store.step():
        club.store.put_note(ANNOUNCED, restored)
        name = f"moved-{restored.replace(':', '')}.txt"
        club.store.add_letter("", "", name, b"", text=text, address=settings.address)


def take_moved(club: Club, raw: bytes) -> None:
    """Note, within a step, that this club was restored elsewhere, if a mail proves it."""
    for match in _LINE.finditer(raw):
        moment = match[1].decode()
        if hmac.compare_digest(match[2].decode(), _mac(club, moment)):
            club.store.put_note(MOVED, max(moment, club.store.note(MOVED)))


def check_here(club: Club) -> None:
    """Raise Elsewhere if the club goes on in another folder.

    Raises:
        Elsewhere: the club was restored into another folder, which runs it now; the message says what to do.
    """
    moved = club.store.note(MOVED)
    if moved > club.store.here_since():
        raise Elsewhere(
            f"this club was restored elsewhere at {moved} and goes on there: stop the judge of this folder "
            f"({club.path}) and put it away. If it is this one that should go on, stop the other; then: "
            "pbem club take-over"
        )


def spoken_time(club: Club) -> str:
    """Return the proof that another folder of this club is the one that runs now; "" if there is none."""
    try:
        check_folder(club.store)
        check_here(club)
    except Elsewhere as fault:
        return str(fault)
    return club.store.note(SPOKEN)


def _mac(club: Club, moment: str) -> str:
    return hmac.new(club.master, f"pbem1 moved {moment}".encode(), hashlib.sha256).hexdigest()
