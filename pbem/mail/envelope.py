"""The outside of a mail: all that its carriers, and whoever sees a mailbox, can read of a sealed letter.

One rule: what travels outside a seal is a function of what all players know, of ciphertext, and of what its
own reader was sent before. An `Envelope` holds that and nothing else, and what is made of it takes an
`Envelope`: there is no way from the words of a letter to its outside.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from pbem.judge.tables.rows import LetterRow
from pbem.mail.headers import OWN_IDS


@dataclass(frozen=True, slots=True, kw_only=True)
class Envelope:
    """All that the outside of a mail is made of."""

    name: str
    """Of the letter, from what it is about: `demo-0003-report.txt`."""
    at: str = ""
    """When it was written; the passes of the judge decide that, no letter's words."""
    game: str = ""
    player: str = ""
    """Its reader."""
    address: str = ""
    zone: str = ""
    """The reader's."""
    answers: str = ""
    """The Message-ID of the mail that it answers."""
    deadline: str = ""
    moment: str = ""
    """What the public view calls the time."""
    number: int = 0
    """Which of the reader's deadlines in this game it tells."""
    copy: int = 0
    mark: str = ""
    """By which it is known from others of its name: `mark_of`."""
    sealed: str = ""
    """The armored ciphertext; "" of a letter that nobody has sealed."""

    @property
    def stem(self) -> str:
        """The name of the letter without its ending."""
        return self.name.removesuffix(".txt")

    def message_id(self, domain: str) -> str:
        """The letter's own Message-ID; another one for each time that it was asked for again.

        The name alone would not do: after a restore it may be that of another letter, which has left already,
        and a mail program drops what it takes for a second copy.
        """
        who = f"{self.game or 'club'}.{self.player or 'answer'}"
        copy = f".copy{self.copy}" if self.copy else ""
        return f"<{OWN_IDS}{who}.{self.stem}{copy}.id{self.mark}@{domain}>"

    def thread(self, domain: str) -> str:
        """The mail that all of one game to one player refer to, so that they are one thread."""
        return f"<{OWN_IDS}{self.game}.{self.player}.thread@{domain}>"

    def calendar(self, domain: str) -> str:
        """The deadline as a calendar file (RFC 5545); the same event for all deadlines of a game.

        Its number is that of the reader's own deadlines, so that no letter to anybody else shows in it.
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
    """The outside of a letter to an address; of its words nothing gets in."""
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
    """What tells a letter from others of its name: the start of a SHA-256 of what travels in the open.

    That is ciphertext, or the words of a letter that nobody seals. A receipt's is that of the file that it is
    for, so that the judge's own sent mail still tells it (pbem.mail.heads).
    """
    told = letter.data or f"{letter.at} {letter.address} {letter.answers}\n{letter.text}\n".encode()
    return (letter.sealed or hashlib.sha256(told).hexdigest())[:16]
