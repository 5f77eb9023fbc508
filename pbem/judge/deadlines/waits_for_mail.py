"""Decides whether the state of mail allows an unanswered exchange or call to end.

An unanswered exchange or call ends only if both of these hold:

- The mailbox was read in a check that began after the deadline and grace: each mail that was listed was
  stored, or could not be fetched in three tries. A post box (`service.box_posts`) counts as one more folder.
- The letters about the exchange or call were sent. A single recipient whose server refuses letters for now
  delays the end for three days at most; trouble that stops all letters delays it for as long as the trouble
  lasts. A letter that waits because its reader wants mail once a day delays nothing on that day.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from pbem.trust.times import parse_utc, utc_text

if TYPE_CHECKING:
    from pbem.judge.agenda import Agenda
    from pbem.judge.club import Club

LOOKED = "looked"
"""Name of the note that says when the last complete check of the mailbox began."""
BOX_LOOKED = "box looked"
"""Name of the note that says when the post box was last read as a whole while it could take posts."""
LOOK = "look"
"""Name of the note about an unfinished check of the mailbox: when it began, which mails are left, and
which cannot be fetched."""
WAITS = "waits "
"""Prefix of the note that says why a game, or `league.NAME`, waits past its deadline."""
PUT_OFF = "put off "
"""Prefix of the note that says since when mail to a single recipient is delayed: `put off GAME PERSON`."""
TRIES = 3
"""Number of tries after which a mail counts as one that cannot be fetched."""
PATIENCE = timedelta(days=3)
"""Maximum time for which a single recipient may hold an exchange up."""
LATE = timedelta(hours=6)
"""Delay between writing and sending a report from which on the report counts as late."""
TO_ANSWER = timedelta(days=1)
"""Minimum time to answer that a player has after a late report is sent."""
TOLD_AFTER = timedelta(hours=1)
"""Maximum length of a wait past a deadline that nobody is notified of."""


class Look(NamedTuple):
    """The state of a check of the mailbox: when it began, and which mails are still to be fetched."""

    began: str
    left: int
    """Number of mails that were listed and have not been fetched."""
    missing: tuple[str, ...]
    """Locations of the mails that cannot be fetched for now."""

    @property
    def is_complete(self) -> bool:
        """Tell whether each mail of the check was stored, or given up."""
        return self.left <= 0 and not self.missing


def note_look(club: Club, look: Look, taken: int, failed: Iterable[str], folder: str = "") -> None:
    """Note how far a check of the mailbox has come, which may continue an earlier unfinished check.

    `taken`: how many of the mails that were listed now have been tried, the oldest first; `failed`: those of
    them that failed. `folder`: a further folder of the mailbox, each of which is looked at by itself.
    """
    looked_at, open_look = _of_folder(LOOKED, folder), _of_folder(LOOK, folder)
    with club.store.step():
        if look.is_complete:
            club.store.put_note(looked_at, look.began)
            club.store.drop_note(open_look)
            return
        if kept := club.store.note(open_look):
            began, left, missing = json.loads(kept)
            missing = {*missing, *(failed if left > 0 else ())}
            look = Look(began, max(0, left - taken), tuple(sorted(missing.intersection(look.missing))))
            if look.is_complete:
                club.store.put_note(looked_at, look.began)
                club.store.drop_note(open_look)
                return
        club.store.put_note(open_look, json.dumps(look))


def _of_folder(note: str, folder: str) -> str:
    """Return the name of a note for one folder of the mailbox; "" is the mailbox itself."""
    return f"{note} {folder}" if folder else note


def looked_until(club: Club) -> datetime | None:
    """Return the time up to which all mail has been stored; None if the mailbox was never checked.

    A check with a start in the future had a wrong clock: it says nothing about the mail.
    """
    now = club.clock()
    boxed = now
    if "box" in club.settings:
        looked = club.store.note(BOX_LOOKED)
        if not looked or looked > utc_text(now):
            return None
        boxed = parse_utc(looked)
    mailed = _mail_until(club, now)
    return min(mailed, boxed) if mailed is not None else None


def _mail_until(club: Club, now: datetime) -> datetime | None:
    """Return the time up to which all mail is stored and handled: now without a mailbox, None if unknown."""
    inbox = club.settings.get("mail", {}).get("inbox")
    if not inbox:
        return now
    waits = next(club.store.waiting(mail=True), None)
    folders = ("", *inbox.get("folders", ()))
    looked = min(club.store.note(_of_folder(LOOKED, folder)) for folder in folders)
    return parse_utc(looked) if waits is None and looked and looked <= utc_text(now) else None


def why_mail_delays(club: Club, game: str, person: str) -> str:
    """Return why mail to a person delays an exchange's end by its deadline; "" if it does not."""
    if not club.mails:
        return ""
    from pbem.judge.letters.wishes import chosen_wait

    now, put_off = club.clock(), f"{PUT_OFF}{game} {person}"
    chosen = chosen_wait(club.store, person)
    letters = [
        letter
        for letter in club.store.first_copies(game, person)
        if letter.sent or letter.trouble or not chosen or now - parse_utc(letter.at) > chosen
    ]
    unsent = [letter for letter in letters if not letter.sent]
    since = club.store.note(put_off)
    if not any(letter.trouble for letter in unsent):
        if since:
            with club.store.step():
                club.store.drop_note(put_off)
    elif all(letter.trouble for letter in unsent):
        if not since or since > utc_text(now):
            with club.store.step():
                club.store.put_note(put_off, utc_text(now))
        elif now - parse_utc(since) >= PATIENCE:
            return ""
    if unsent:
        return f"letters to {person} have not been sent"
    late = [
        parse_utc(letter.sent) + TO_ANSWER
        for letter in letters
        if letter.name.endswith("-report.txt")
        and parse_utc(letter.sent) - parse_utc(letter.at) > LATE + chosen
    ]
    if late and max(late) > now:
        return f"the report was sent late, and {person} has until {utc_text(max(late))} to answer it"
    return ""


def why_waiting(club: Club, agenda: Agenda, grace: timedelta) -> str:
    """Return why an exchange past its deadline does not end yet; "" if it may end."""
    deadline = parse_utc(agenda.deadline) + grace
    looked = looked_until(club)
    if looked is None or looked < deadline:
        where = "mailbox and post box" if "box" in club.settings else "mailbox"
        return f"the judge has not read the whole {where} since its deadline"
    for person in agenda.senders:
        if person and (reason := why_mail_delays(club, agenda.game, person)):
            return reason
    return ""


def tell_wait(club: Club, agenda: Agenda, reason: str, grace: timedelta) -> bool:
    """Note that a game waits past its deadline, and notify its players; return whether that is new."""
    from pbem.rendering import render

    name, value = f"{WAITS}{agenda.game}", f"{agenda.exchange} {reason}"
    if club.clock() - parse_utc(agenda.deadline) - grace < TOLD_AFTER or club.store.note(name) == value:
        return False
    text = render("mail/waits.txt.j2", game=agenda.game, exchange=agenda.exchange, reason=reason)
    with club.store.step():
        club.store.put_note(name, value)
        for person in agenda.seated_people:
            letter = f"{agenda.game}-{agenda.exchange:04d}-waits.txt"
            club.store.add_letter(agenda.game, person, letter, b"", text=text)
    return True


def end_wait(club: Club, agenda: Agenda) -> None:
    """End a game's wait past its deadline: enter its reason, so that nobody counts as silent for it.

    The reason is entered now and not when the wait began: letters signed since the last check cannot leave
    while the mailbox is away, and players are to hear of the wait.
    """
    exchange, _, reason = club.store.note(f"{WAITS}{agenda.game}").partition(" ")
    if exchange:
        with club.store.step():
            if exchange == str(agenda.exchange):
                _enter_outage(club, agenda.game, reason)
            club.store.drop_note(f"{WAITS}{agenda.game}")


def _enter_outage(club: Club, game: str, reason: str) -> None:
    """Enter in a game's ledger that mail has failed; at most once an exchange."""
    from pbem.trust.act_entries import OUTAGE, Act

    book = club.book(game)
    current = book.history.current
    if current is None or current.closed is not None or current.had_outage or book.history.held is not None:
        return
    book.append(Act(exchange=current.number, what=OUTAGE, at=club.clock(), reason=reason))


def undeliverable(club: Club) -> dict[str, str]:
    """Return, by its note, a line on each player for whose undelivered letters a game waits no more."""
    found = {}
    for note, since in club.store.notes(PUT_OFF).items():
        if club.clock() - parse_utc(since) >= PATIENCE:
            game, person = note.removeprefix(PUT_OFF).split(" ")
            found[note] = (
                f"letters of {game} to {person} are not accepted since {since}, and {game} goes on without "
                f"waiting for them: ask {person} for an address that works, for 'pbem club player add'"
            )
    return found


def waiting_games(club: Club) -> dict[str, str]:
    """Return the games and leagues that wait past a deadline because of mail, with the reasons."""
    notes = club.store.notes(WAITS)
    return {name.removeprefix(WAITS): why.partition(" ")[2] for name, why in notes.items()}


def forget_wait(club: Club, name: str) -> None:
    """Remove the note that a game or league waited past a deadline."""
    if club.store.note(f"{WAITS}{name}"):
        with club.store.step():
            club.store.drop_note(f"{WAITS}{name}")
