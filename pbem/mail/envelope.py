"""The outside of a mail: everything about a sealed letter that mail servers and readers of a mailbox see.

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
    (pbem.mail.restore_evidence).
    """
    told = letter.data or f"{letter.at} {letter.address} {letter.answers}\n{letter.text}\n".encode()
    return (letter.sealed or hashlib.sha256(told).hexdigest())[:16]
