"""Notes about mail for the game master: unreachable servers, letters that did not leave, unanswered senders.

`pbem club status` reads them, so little is imported here.
"""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from pbem.judge.deadlines.waits_for_mail import undeliverable, waiting_games
from pbem.judge.tables.note_tables import BACKUP, LAST_PASS
from pbem.trust.times import is_over, parse_utc, utc_text

if TYPE_CHECKING:
    from pbem.judge.club import Club
    from pbem.judge.tables.database import LetterRow, PlayerRow, UnsentRow

TROUBLE = "mail trouble"
"""Name of the note of the last trouble with a mail server."""
ALERT = "alert-"
"""Prefix of the name of a letter that tells the game master what is wrong."""
ARCHIVE = f"{TROUBLE} archive"
FILL_IN = "fill it in in club.toml, and look at it with: pbem club doctor"
LAST_RETRY = timedelta(days=1)
"""Longest pause between two tries of a letter."""
WAITED = timedelta(days=1)
"""Delay after which a letter that was put off is reported, whatever puts it off."""


def troubles(club: Club) -> list[str]:
    """Return the troubles with mail: servers out of reach, letters not sent, games that wait for these."""
    waits = [f"{name} waits past its deadline: {why}" for name, why in waiting_games(club).items()]
    letters = [letter_trouble(letter) for letter in club.store.letters_in_trouble()]
    return [*server_troubles(club).values(), *letters, *waits, *undeliverable(club).values()]


def lacks_address(club: Club, player: PlayerRow) -> bool:
    """Tell whether a player of a club with mail gets no letters: they have no address, the club no box."""
    return "mail" in club.settings and "box" not in club.settings and not player.address


def other_ways(club: Club) -> list[str]:
    """Return lines about letters that neither mail nor a post box brings to their readers: where they lie."""
    mailed, players = club.mails, club.store.players()
    found = [
        f"{player.name} has no address: letters to them are in {club.out / player.name}; to mail them: pbem "
        f"club player add {player.name} --address ADDRESS"
        for player in players
        if mailed and lacks_address(club, player) and (club.out / player.name).is_dir()
    ]
    if not mailed and "box" not in club.settings and any(player.address for player in players):
        found.append(
            f"nothing is mailed, because the club has no [mail] outbox; letters are in {club.out}; {FILL_IN}"
        )
    if answers := sum(not letter.player for letter in club.store.unsent_letters() if not mailed):
        found.append(f"{answers} answers cannot be sent, because the club has no [mail] outbox; {FILL_IN}")
    return found


def may_be_tried(letter: UnsentRow, now: datetime) -> bool:
    """Tell whether the pause after a letter's last failed try is over, so that it may be tried again."""
    return not letter.retry or is_over(parse_utc(letter.retry), now, LAST_RETRY)


def server_troubles(club: Club) -> dict[str, str]:
    """Return the troubles with mail servers, by name."""
    notes = {f"mail {way}": club.store.note(f"{TROUBLE} {way}") for way in ("in", "out")}
    if box := club.store.note(f"{TROUBLE} box"):
        notes["post box"] = box
    if journal := club.store.note(f"{TROUBLE} journal"):
        notes["mail journal"] = (
            f"nothing signed is sent, and no exchange ends, before the journal is, {journal}"
        )
    if archive := club.store.note(ARCHIVE):
        notes["mail archive"] = f"the copies for sent_to are not accepted, {archive}"
    return {name: text for name, text in notes.items() if text}


def waiting_letters(club: Club) -> dict[str, str]:
    """Return texts, by name, about letters that have been put off for a day, to one player or to everybody.

    A server that takes no recipient can be reached all the same, so this is none of the servers' troubles.
    """
    late = [
        letter
        for letter in club.store.letters_in_trouble()
        if letter.player and not (letter.sent or letter.failed or letter.copy)
        if not letter.trouble.startswith("5")  # refused, not put off: it is given up soon, and told of then
        if club.clock() - parse_utc(letter.at) >= WAITED
    ]
    if not late:
        return {}
    names = ", ".join(sorted({letter.player for letter in late}))
    text = (
        f"letters to {names} have waited for a day, because the mail server does not accept them now: "
        f"{late[-1].trouble}; they will be tried again, and their games wait: look at the server, or ask "
        f"for other addresses"
    )
    return {"letters wait": text}


def letter_trouble(letter: LetterRow) -> str:
    """Return what is wrong with a letter, and what to do if it is not tried any more."""
    what = f"{letter.name} to {letter.player or letter.address}: {letter.trouble}"
    if not letter.failed:
        return f"{what} ({letter.tries} times; it will be tried again)"
    how = "came back" if letter.sent else "was given up"
    return (
        f"{what}; it {how} at {letter.failed}: ask {letter.player} for an address that works, and enter it "
        f"with 'pbem club player add', or send it again with 'pbem game resend {letter.game} {letter.player}'"
    )


def last_pass(club: Club) -> str:
    """Return when the judge last checked deadlines, and how long ago that is, in words."""
    return _since(club, LAST_PASS)


def last_backup(club: Club) -> str:
    """Return when the last backup was made, and how long ago that is, in words."""
    return _since(club, BACKUP)


def _since(club: Club, note: str) -> str:
    at = club.store.note(note)
    if not at:
        return "never"
    gap = club.clock() - parse_utc(at)
    if gap < timedelta(0):
        return f"{at}, and the clock says {utc_text(club.clock())}, which is before that: set it right"
    return f"{at}, {_ago(gap)} ago"


def _ago(gap: timedelta) -> str:
    minutes = int(gap.total_seconds()) // 60
    for size, word in ((1440, "days"), (60, "hours")):
        if minutes >= 2 * size:
            return f"{minutes // size} {word}"
    return f"{minutes} minutes"


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
