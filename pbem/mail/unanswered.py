"""Notes of incoming mail for the game master: who was not answered, and which bounces belong to no letter.

It is read by `pbem club status` and imports little; who writes it, and why, stands in answers and bounces.
"""

from __future__ import annotations

import json
from datetime import timedelta
from typing import TYPE_CHECKING

from pbem.trust.times import parse_utc

if TYPE_CHECKING:
    from pbem.judge.club import Club

OWED = "owed "
"""Prefix of the note of an answer that is sent on another day: `owed ADDRESS`."""
WISHED = "join "
"""Prefix of the note of a wish to join, which may wait for its answer: `join FILE`."""
UNANSWERED = "unanswered"
"""Name of the note of those who were not answered because they wrote too often."""
STRANGE = "returned"
"""Name of the note of bounces that belong to no letter."""
LATEST = timedelta(days=14)
"""Maximum age of a letter to which a bounce can belong, and time for which a bounce without a letter is
shown."""


def may_owe_answers(club: Club) -> bool:
    """Tell whether an answer that waited may have to be sent; the code that sends it takes long to load."""
    return bool(club.store.notes(OWED) or club.store.notes(WISHED))


def unanswered_senders(club: Club, *, needed: bool = False, player: bool = False) -> str:
    """Return a line on the senders who were not answered lately, for the game master; "" if everybody was.

    `needed` asks only whether more was left unanswered than a player's second mail of a day without orders,
    command or signature. `player` asks only whether a player was not answered about such a thing, however
    many strangers were not.
    """
    note = club.store.note(UNANSWERED)
    kept = json.loads(note) if note else {}
    if (
        not kept
        or (needed and not kept["needed"])
        or (player and not kept.get("player"))
        or kept["day"] < (club.clock() - timedelta(days=1)).date().isoformat()
    ):
        return ""
    who = [f"{count} of {name}" for name, count in kept["players"].items()]
    if kept["strangers"]:
        who.append(f"{kept['strangers']} of strangers ({', '.join(kept['some'])})")
    told = "; players get one letter about it on the next day" if club.store.notes(OWED) else ""
    return f"so many mails came on {kept['day']} that some were not answered: {', '.join(who)}{told}"


def strange_reports(club: Club) -> str:
    """Return which bounces came lately that belong to no letter, for the game master; "" if none did."""
    note = club.store.note(STRANGE)
    kept = json.loads(note) if note else {}
    if not kept or parse_utc(kept["at"]) < club.clock() - LATEST:
        return ""
    whom = f" about {kept['whom']}" if kept["whom"] else ""
    last = f"from {kept['sender'] or 'nobody'}{whom}, '{kept['subject'][:80]}' (mail {kept['mail']})"
    return (
        f"{kept['count']} reports of mail servers do not fit any letter of the judge; the last came at "
        f"{kept['at']} {last}: look at it in the mailbox; anybody can write such a report"
    )
