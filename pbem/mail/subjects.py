"""The subjects of mails: the game, what its reader has to do, and until when.

A subject is read by whoever sees the mailbox, so it says only what all players know, and the same to all of
them: where the game stands, and the deadline. Whether somebody is asked anything stands under the seal.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import timedelta

from pbem.judge.tables.rows import LEAGUE, OVER
from pbem.mail.envelope import Envelope
from pbem.trust.letters import BOX, COPY, FORECAST, NOTICE, REPORT
from pbem.trust.player_statements import GAME, MESSAGE, REMINDER
from pbem.trust.player_statements import LEAGUE as LEAGUE_MAIL
from pbem.trust.times import parse_utc, short_text, utc_text

NO_GAME = "pbem: about your mail"
NO_PLAYER = {
    "alert": "pbem: the judge needs your help",
    "summary": "pbem: the week",
    "moved": "pbem: moved",
    "question": "pbem: a mail for you",
    "waiting": "pbem: this waits for you",
    "box": "pbem: letters wait in your post box",
}
"""Subjects of letters to the game master, and of short mails to players, by kind."""
INVITED = "you are invited"
RECEIPT = "receipt"
SAID = "said"
PRESS = "press"
REMINDED = "reminder"
_IS_PRESS = re.compile(r".*-press-[0-9a-f]{12}\.txt", re.DOTALL).fullmatch
WEEK, ENDING = "week-of", "last-date"
"""Kinds of letters that only leagues send: the week, and the last date."""
SOON = timedelta(days=6)
"""Time before a deadline from which on the subject names the deadline's weekday."""


@dataclass(frozen=True, slots=True)
class About:
    """The subject matter of a letter, such as the task for its reader, and the deadline; "" without one."""

    what: str
    due: str = ""

    @property
    def said(self) -> str:
        """The subject matter and the deadline as one text."""
        return f"{self.what}, {self.due}" if self.due else self.what


def about(envelope: Envelope) -> About:
    """Return the subject matter and deadline of a letter to a player, with times in the reader's zone."""
    kind = kind_of(envelope.name)
    if kind == REMINDED and envelope.game.startswith(LEAGUE):
        return About("your answer is missing")
    if kind in _ALWAYS:
        return About(_ALWAYS[kind])
    due = by(envelope)
    if kind == ENDING:
        return About("the round ends", due)
    if envelope.moment:
        is_over = envelope.moment == OVER
        return About("the game is over") if is_over else About(f"orders for {envelope.moment}", due)
    if envelope.game.startswith(LEAGUE):
        return About("your league waits for an answer", due) if due else About("news of your league")
    return About(INVITED, due) if "-0000-" in envelope.name else About("news of your game")


_ALWAYS = {
    RECEIPT: "your orders have arrived",
    FORECAST: "what your orders will do",
    COPY: "sealed orders of another player",
    SAID: "what you signed is in the ledger",
    PRESS: "a message",
    "silence": "another player is silent",
    "waits": "your game waits",
    "unreached": "another player cannot be reached",
    WEEK: "the week",
    REMINDED: "your orders are missing",
}
"""Subjects of those kinds of letters whose subject does not depend on their content."""


def subject(envelope: Envelope) -> str:
    """Return the subject of a letter's mail."""
    if not envelope.player:
        return NO_PLAYER.get(envelope.name.partition("-")[0], NO_GAME)
    return f"{envelope.game}: {about(envelope).said}" if envelope.game else f"pbem: for {envelope.player}"


def by(envelope: Envelope) -> str:
    """Return a deadline as `by Sunday 20:00`, on the reader's clock; "" without a deadline."""
    if not envelope.deadline:
        return ""
    until = parse_utc(envelope.deadline)
    written = parse_utc(envelope.at or utc_text(until))
    return f"by {short_text(until, envelope.zone, weekday=until - written < SOON)}"


def heard_as(game: str, name: str) -> str:
    """Return the kind of mail for which a letter's reader can choose a pace; "" if it leaves at once.

    At once leave answers to what the reader has sent, invitations, and letters about the mail itself.
    """
    kind = kind_of(name)
    if kind == PRESS:
        return MESSAGE
    if kind == REMINDED:
        return REMINDER
    if not game or kind in (RECEIPT, FORECAST, SAID) or f"-{BOX}-" in name or "-0000-" in name:
        return ""
    return LEAGUE_MAIL if game.startswith(LEAGUE) else GAME


def kind_of(name: str) -> str:
    """Return the kind of a letter by the letter's name."""
    if _IS_PRESS(name):  # a game may be called so, too
        return PRESS
    kinds = (*(kind for kind in _ALWAYS if kind != PRESS), NOTICE, REPORT, ENDING)
    return next((kind for kind in kinds if f"-{kind}" in name), "letter")
