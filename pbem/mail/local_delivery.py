"""Mail out without a server: by the machine's own `sendmail`, or into a Maildir that another program empties.

Both take mails as a session of smtplib does, and refuse them with its codes, so that a letter that does not
leave is tried again, or given up, by the same rules. Of a command it is the exit status that says which, as
sysexits.h has it.
"""

from __future__ import annotations

import mailbox
import os
import smtplib
import subprocess
from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from pbem.errors import MailError
from pbem.mail.settings import command_words, is_folder

Answer = tuple[int, bytes]
SECONDS = 120
"""Maximum number of seconds that a command may take for one mail."""
OPTIONS = ("-i", "-f")
"""Options that every `sendmail` understands: a line with a dot does not end the mail; the sender follows."""
FOR_GOOD = (65, 67, 68)
"""Exit statuses after which trying again is of no use: bad data, no such user, no such host."""
NO_SENDER = "<>"


class Way(Protocol):
    """A session in which mails leave: the interface that server, command and Maildir share."""

    def sendmail(self, sender: str, goals: Sequence[str], mail: bytes) -> dict[str, Answer]:
        """Send a mail; return the recipients that were refused, with the answers.

        Raises:
            SMTPRecipientsRefused: all recipients were refused.
        """


class _Local(ABC):
    def sendmail(self, sender: str, goals: Sequence[str], mail: bytes) -> dict[str, Answer]:
        """Send a mail once for each recipient, so that each can be refused alone.

        What breaks once a recipient has the mail is a refusal of the next: else the first would get it again.
        """
        refused: dict[str, Answer] = {}
        for number, goal in enumerate(goals):
            try:
                answer = self._deliver(sender, goal, mail)
            except MailError as fault:
                if number == len(refused):
                    raise
                answer = 451, str(fault).encode()
            if answer:
                refused[goal] = answer
        if len(refused) == len(goals):
            raise smtplib.SMTPRecipientsRefused(refused)
        return refused

    @abstractmethod
    def _deliver(self, sender: str, goal: str, mail: bytes) -> Answer | None:
        """Send a mail to one recipient; return the refusal, or None if the mail was taken."""


class Command(_Local):
    """Sends mail by a command that is called like `sendmail`: `-i -f SENDER -- ADDRESS`, mail as input."""

    def __init__(self, command: str) -> None:
        self.words = command_words(command, "[mail.outbox], sendmail,")

    def _deliver(self, sender: str, goal: str, mail: bytes) -> Answer | None:
        words = [*self.words, *OPTIONS, sender or NO_SENDER, "--", goal]
        try:
            done = subprocess.run(  # noqa: S603 - the organiser's own command, from the club's own file
                words, input=mail.replace(b"\r\n", b"\n"), capture_output=True, timeout=SECONDS, check=False
            )
        except OSError as problem:
            raise MailError(f"{self.words[0]} cannot be run: {problem.strerror}") from None
        except subprocess.TimeoutExpired:
            return 451, f"{self.words[0]} took longer than {SECONDS} seconds".encode()
        if done.returncode == 0:
            return None
        said = done.stderr.strip().rpartition(b"\n")[2][:150]
        code = 550 if done.returncode in FOR_GOOD else 451
        return code, f"{self.words[0]} ended with {done.returncode} ".encode() + said


class Folder(_Local):
    """Sends mail into a Maildir: one mail for each recipient, with its envelope in two fields at the top."""

    def __init__(self, path: Path) -> None:
        if not all(is_folder(path / name) and os.access(path / name, os.W_OK) for name in ("new", "tmp")):
            raise MailError(f"{path} is not a maildir that can be written")
        self.box = mailbox.Maildir(path, create=False)

    def _deliver(self, sender: str, goal: str, mail: bytes) -> Answer | None:
        outside = f"X-Envelope-From: {sender or NO_SENDER}\nX-Envelope-To: {goal}\n".encode()
        try:
            self.box.add(outside + mail.replace(b"\r\n", b"\n"))
        except OSError as problem:
            raise MailError(f"a mail cannot be written to the maildir: {problem.strerror}") from None
        return None
