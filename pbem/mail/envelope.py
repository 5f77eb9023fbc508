"""The outside of a mail: everything about a sealed letter that mail servers and readers of a mailbox see.

One rule: what travels outside a seal is a function of what all players know, of ciphertext, and of what its
own reader was sent before. An `Envelope` holds that and nothing else, and what is made of it takes an
`Envelope`: there is no way from the words of a letter to its outside.

So a subject says only what all players know, and the same to all of them: where the game stands, and the
deadline. Whether somebody is asked anything stands under the seal.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from datetime import timedelta

from pbem.judge.tables.database import LEAGUE, OVER, LetterRow
from pbem.mail.headers import OWN_IDS
from pbem.trust.letters import BOX, COPY, FORECAST, NOTICE, REPORT
from pbem.trust.player_statements import GAME, MESSAGE, REMINDER
from pbem.trust.player_statements import LEAGUE as LEAGUE_MAIL
from pbem.trust.times import parse_utc, short_text, utc_text


@dataclass(frozen=True, slots=True, kw_only=True)
class Envelope:
    """The facts from which the outside of a mail is made."""

    name: str
    """The name of the letter, which begins with its game or league: `demo-0003-report.txt`."""
    at: str = ""
    """The time at which the letter was written, that of a judge's pass; it tells nothing of the content."""
    game: str = ""
    player: str = ""
    """The name of the player who gets the letter."""
    address: str = ""
    zone: str = ""
    """The time zone of the letter's reader."""
    answers: str = ""
    """The Message-ID of the mail that the letter answers."""
    deadline: str = ""
    moment: str = ""
    """The game's time as the public view names it."""
    number: int = 0
    """The number of the letter's deadline among the deadlines of its reader in the game."""
    copy: int = 0
    mark: str = ""
    """The mark that tells the letter from others of the same name: see `mark_of`."""
    sealed: str = ""
    """The armored ciphertext of the letter; "" if the letter is not sealed."""

    @property
    def stem(self) -> str:
        """The letter's name without its file ending."""
        return self.name.removesuffix(".txt")

    def message_id(self, domain: str) -> str:
        """Return the letter's Message-ID; a letter that is asked for again gets a new one each time.

        The letter's name alone would not do: after a restore another letter that has left already may have
        this name, and a mail program drops what it takes for a second copy.
        """
        who = f"{self.game or 'club'}.{self.player or 'answer'}"
        copy = f".copy{self.copy}" if self.copy else ""
        return f"<{OWN_IDS}{who}.{self.stem}{copy}.id{self.mark}@{domain}>"

    def thread(self, domain: str) -> str:
        """Return the Message-ID to which all mails of a game to a player refer, which makes them a thread."""
        return f"<{OWN_IDS}{self.game}.{self.player}.thread@{domain}>"

    def calendar(self, domain: str) -> str:
        """Return the deadline as a calendar file (RFC 5545), in which all deadlines of a game are one event.

        The event's number counts the reader's own deadlines, so that no letter to anybody else shows in it.
        """
        stamp, until = (moment.replace("-", "").replace(":", "") for moment in (self.at, self.deadline))
        lines = (
            "BEGIN:VCALENDAR",
            "VERSION:2.0",
            "PRODID:-//pbem//EN",
            "METHOD:PUBLISH",
            "BEGIN:VEVENT",
            f"UID:{self.game}.{self.player}@{domain}",
            f"SEQUENCE:{self.number}",
            f"DTSTAMP:{stamp}",
            f"DTSTART:{until}",
            f"DTEND:{until}",
            f"SUMMARY:{self.game}: orders are due",
            "BEGIN:VALARM",
            "ACTION:DISPLAY",
            "TRIGGER:-P1D",
            f"DESCRIPTION:{self.game}: orders are due tomorrow",
            "END:VALARM",
            "END:VEVENT",
            "END:VCALENDAR",
            "",
        )
        return "\r\n".join(lines)


def envelope_of(letter: LetterRow, address: str = "", zone: str = "") -> Envelope:
    """Return the outside of a letter to an address; nothing of the letter's text gets into the outside."""
    return Envelope(
        name=letter.name,
        at=letter.at,
        game=letter.game,
        player=letter.player,
        address=address,
        zone=zone,
        answers=letter.answers,
        deadline=letter.deadline,
        moment=letter.moment,
        number=letter.calendar,
        copy=letter.copy,
        mark=mark_of(letter),
        sealed=letter.data.decode("ascii"),
    )


def mark_of(letter: LetterRow) -> str:
    """Return the mark that tells letters of one name apart: the start of the SHA-256 of the unsealed bytes.

    Those bytes are ciphertext, or the words of a letter that nobody seals. The mark of a receipt is that of
    the file for which it was written, so that the judge's own sent mail still tells it
    (pbem.mail.restore_sources).
    """
    told = letter.data or f"{letter.at} {letter.address} {letter.answers}\n{letter.text}\n".encode()
    return (letter.sealed or hashlib.sha256(told).hexdigest())[:16]


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
"""Kinds of letters that only leagues send: the weekly letter, and the warning of a round's last date."""
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
