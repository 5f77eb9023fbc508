"""Misfortunes that are habits of mail programs and servers: each is met somewhere."""

from __future__ import annotations

import gzip
from contextlib import suppress
from typing import TYPE_CHECKING

from pbem.cli import main
from tests.mail.misfortune_kinds import Misfortune

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.mail.misfortunes import Storm


class ServerHabit(Misfortune):
    """A mood of the mail server, by its name."""

    mood = ""

    def begin(self, month: Storm) -> None:
        month.post.moods.add(self.mood)

    def end(self, month: Storm) -> None:
        month.post.moods.discard(self.mood)


class ClosesAfterData(ServerHabit):
    """It takes a mail and closes the connection, every time."""

    mood = "closes after data"


class PutsOffAtData(ServerHabit):
    """It greylists when the mail is there, not when it hears the address (Exim, rspamd)."""

    mood = "greylists at data"


class OneRecipientAtATime(ServerHabit):
    """It takes one recipient of a mail and says 452 to the next (Postfix: smtpd_recipient_limit)."""

    mood = "452 to the second"


class OneMailAConnection(ServerHabit):
    """It says 503 to the second mail of a connection."""

    mood = "one mail a connection"


class StrangeAnswers(ServerHabit):
    """Its answers are long, of several lines, and in bytes that are no text."""

    mood = "strange answers"


class RefusesLarge(ServerHabit):
    """It refuses mails of more than 300 kB, with the codes of a full mailbox (Exchange: 452 4.3.1)."""

    mood = "452 to large ones"


class MailHabit(Misfortune):
    """What a program on the way does to each mail."""

    copies = 1

    def change(self, raw: bytes) -> bytes:
        """The mail as it arrives."""
        return raw

    def begin(self, month: Storm) -> None:
        self._habit: Callable[[bytes], bytes] = self.change
        month.maildir.habits.append(self._habit)
        month.maildir.copies = max(self.copies, month.maildir.copies)

    def end(self, month: Storm) -> None:
        month.maildir.habits.remove(self._habit)
        if self.copies > 1:
            month.maildir.copies = 1


class MboxLine(MailHabit):
    """A first line of an mbox is left at the top (procmail, old fetchmail)."""

    def change(self, raw: bytes) -> bytes:
        return b"From someone@example.org Mon Mar  9 09:00:00 2026\n" + raw


class MarkedBytes(MailHabit):
    """A mark of byte order stands before the first header (a gateway on Windows)."""

    def change(self, raw: bytes) -> bytes:
        return b"\xef\xbb\xbf" + raw


class ManyHops(MailHabit):
    """Two hundred relays have written their lines."""

    def change(self, raw: bytes) -> bytes:
        hop = b"Received: from a.example (a.example [192.0.2.1])\n\tby b.example with ESMTP id %d\n"
        return b"".join(hop % number for number in range(200)) + raw


class ZeroBytes(MailHabit):
    """Zero bytes at the end, as after a crash of the file system; all lines end in CR LF."""

    def change(self, raw: bytes) -> bytes:
        return raw.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n") + bytes(700)


class WrongDates(MailHabit):
    """Each mail says that it is of 1970."""

    def change(self, raw: bytes) -> bytes:
        return b"Date: Thu, 01 Jan 1970 00:00:00 +0000\n" + raw


class DeliveredTwice(MailHabit):
    """Each mail comes twice (an alias and a rule)."""

    copies = 2


class OddFlags(Misfortune):
    """Mails lie in `cur` with flags that only one program knows, or with another mark before them."""

    def before_pass(self, month: Storm) -> None:
        with suppress(FileNotFoundError):
            for number, one in enumerate(sorted((month.maildir.path / "new").iterdir())):
                if one.is_file() and not one.is_symlink() and ":" not in one.name:
                    flags = (":2,abc", ":1,exp", ":2,", ":2,FRSTXYZ", "")[number % 5]
                    one.rename(month.maildir.path / "cur" / f"{one.name}{flags}")


class ServersFiles(Misfortune):
    """Files of Dovecot, of NFS and of a Mac lie among the mails."""

    names = (".nfs0000000123", ".DS_Store", "._1234.host")

    def begin(self, month: Storm) -> None:
        for part in ("new", "cur"):
            for name in self.names:
                (month.maildir.path / part / name).write_bytes(b"\0\5\7no mail" * 40)
        for name in ("dovecot-uidlist", "dovecot.index.log", "subscriptions", "maildirfolder"):
            (month.maildir.path / name).write_bytes(b"3 V1 N1\n")

    def end(self, month: Storm) -> None:
        for part in ("new", "cur"):
            for name in self.names:
                (month.maildir.path / part / name).unlink(missing_ok=True)


class DirectorsCommands(Misfortune):
    """The director runs doctor, status and a backup before each pass."""

    def begin(self, month: Storm) -> None:
        (month.folder / "backups").mkdir(exist_ok=True)

    def before_pass(self, month: Storm) -> None:
        club = str(month.folder / "club")
        if (month.folder / "club" / "club.db").exists():
            for words in (("status",), ("doctor",), ("backup", "--into", str(month.folder / "backups"))):
                main(("club", *words, "--club", club))


class PackedMails(Misfortune):
    """Dovecot packs what it keeps (mail_compress): the files in `cur` are gzip."""

    def before_pass(self, month: Storm) -> None:
        with suppress(FileNotFoundError):
            for one in sorted((month.maildir.path / "new").iterdir()):
                if one.is_file() and not one.is_symlink() and not one.name.startswith("."):
                    raw = one.read_bytes()
                    (month.maildir.path / "cur" / f"{one.name},S={len(raw)}:2,S").write_bytes(
                        gzip.compress(raw)
                    )
                    one.unlink()


HABIT_KINDS: tuple[type[Misfortune], ...] = (
    ClosesAfterData,
    PutsOffAtData,
    OneRecipientAtATime,
    OneMailAConnection,
    StrangeAnswers,
    RefusesLarge,
    MboxLine,
    MarkedBytes,
    ManyHops,
    ZeroBytes,
    WrongDates,
    DeliveredTwice,
    OddFlags,
    ServersFiles,
    DirectorsCommands,
    PackedMails,
)
