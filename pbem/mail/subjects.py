"""What a mail is about, in its subject: the game, what is to be done, and until when.

A subject is read by whoever sees the mailbox, so it says only what all players know: where the game stands,
whether a side is asked something, and the deadline.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from pbem.judge.rows import LetterRow
from pbem.pages import gist
from pbem.trust.letters import COPY, FORECAST, NOTICE, REPORT
from pbem.trust.times import parse_utc, utc_text
from pbem.trust.zones import short_text

NO_GAME = "pbem: about your mail"
NO_PLAYER = {"alert": "pbem: something needs you", "summary": "pbem: the week", "moved": "pbem: moved"}
"""What goes to the game master."""
LEAGUE = "league."
"""So the names of leagues begin, and of no game."""
INVITED = "you are invited"
WEEK, ENDING = "week-of", "last-date"
"""Letters of leagues."""
SOON = timedelta(days=6)
"""A deadline that is nearer is told by its weekday."""


@dataclass(frozen=True, slots=True)
class About:
    """What a letter asks its reader to do, and until when; empty where it asks nothing."""

    what: str
    due: str = ""

    @property
    def said(self) -> str:
        """Both in one."""
        return f"{self.what}, {self.due}" if self.due else self.what


def about(letter: LetterRow, zone: str) -> About:
    """What a letter to a player is about, with times in the reader's zone."""
    kind = _kind(letter.name)
    if kind == "receipt":
        return About("your orders have arrived")
    if kind == FORECAST:
        return About("what your orders will do")
    if kind == COPY:
        return About("sealed orders of another player")
    if kind == "silence":
        return About("another player is silent")
    if kind == "unreached":
        return About("another player cannot be reached")
    due = by(letter, zone)
    if kind == WEEK:
        return About("the week")
    if kind == ENDING:
        return About("the round ends", due)
    if kind == "reminder":
        return About("your orders are missing")
    found = gist(letter.text)
    if found is None and letter.game.startswith(LEAGUE):
        return About("your league waits for an answer", due) if due else About("news of your league")
    if found is None:
        return About(INVITED, due) if "-0000-" in letter.name else About("news of your game")
    return About(found.wanted, "" if found.over else due)


def subject(letter: LetterRow, zone: str) -> str:
    """The subject of a letter's mail."""
    if not letter.player:
        return NO_PLAYER.get(letter.name.partition("-")[0], NO_GAME)
    return f"{letter.game}: {about(letter, zone).said}" if letter.game else f"pbem: for {letter.player}"


def by(letter: LetterRow, zone: str) -> str:
    """`by Sunday 20:00`, as the reader's clock shows it; empty without a deadline."""
    if not letter.deadline:
        return ""
    until, written = parse_utc(letter.deadline), parse_utc(letter.at or utc_text(parse_utc(letter.deadline)))
    return f"by {short_text(until, zone, weekday=until - written < SOON)}"


def _kind(name: str) -> str:
    """What sort of letter a name is given to."""
    kinds = ("receipt", FORECAST, COPY, "reminder", "silence", "unreached", NOTICE, REPORT, WEEK, ENDING)
    return next((kind for kind in kinds if f"-{kind}" in name), "")
