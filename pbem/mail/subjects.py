"""What a mail is about, in its subject: the game, what is to be done, and until when.

A subject is read by whoever sees the mailbox, so it says only what all players know, and the same to all of
them: where the game stands, and the deadline. Whether somebody is asked anything stands under the seal.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from pbem.judge.tables.rows import OVER
from pbem.mail.envelope import Envelope
from pbem.trust.letters import COPY, FORECAST, NOTICE, REPORT
from pbem.trust.times import parse_utc, utc_text
from pbem.trust.zones import short_text

NO_GAME = "pbem: about your mail"
NO_PLAYER = {
    "alert": "pbem: the judge needs your help",
    "summary": "pbem: the week",
    "moved": "pbem: moved",
    "question": "pbem: a mail for you",
    "waiting": "pbem: this waits for you",
}
"""What goes to the game master."""
LEAGUE = "league."
"""So the names of leagues begin, and of no game."""
INVITED = "you are invited"
RECEIPT = "receipt"
SAID = "said"
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


def about(envelope: Envelope) -> About:
    """What a letter to a player is about, with times in the reader's zone."""
    kind = kind_of(envelope.name)
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
    "silence": "another player is silent",
    "waits": "your game waits",
    "unreached": "another player cannot be reached",
    WEEK: "the week",
    "reminder": "your orders are missing",
}
"""What letters of a kind are about, whatever they say."""


def subject(envelope: Envelope) -> str:
    """The subject of a letter's mail."""
    if not envelope.player:
        return NO_PLAYER.get(envelope.name.partition("-")[0], NO_GAME)
    return f"{envelope.game}: {about(envelope).said}" if envelope.game else f"pbem: for {envelope.player}"


def by(envelope: Envelope) -> str:
    """`by Sunday 20:00`, as the reader's clock shows it; empty without a deadline."""
    if not envelope.deadline:
        return ""
    until = parse_utc(envelope.deadline)
    written = parse_utc(envelope.at or utc_text(until))
    return f"by {short_text(until, envelope.zone, weekday=until - written < SOON)}"


def kind_of(name: str) -> str:
    """What sort of letter a name is given to."""
    kinds = (*_ALWAYS, NOTICE, REPORT, ENDING)
    return next((kind for kind in kinds if f"-{kind}" in name), "letter")
