"""A table to play at by mail: tests/judge/table.py with a Maildir, a mail server and players' mailboxes."""

from __future__ import annotations

import mailbox
from dataclasses import dataclass, field
from email.message import Message
from pathlib import Path
from shutil import copytree
from typing import Any

from pbem.judge.club import open_club
from pbem.judge.upkeep import backups
from pbem.judge.upkeep.folder_identity import take_over
from pbem.judge.upkeep.journal import Replayed
from pbem.mail.restore_sources import read_records
from pbem.service.one_pass import Line, Pass
from tests.judge.invariants import Watched
from tests.judge.table import Table, make_table
from tests.mail.servers import Post

JUDGE = "judge@club.example"


@dataclass
class Postal:
    """The table, its post office and what each player has read."""

    table: Table
    post: Post
    read: dict[str, set[str]] = field(default_factory=dict)
    watched: dict[Path, Watched] = field(default_factory=dict)

    def settle(self, **mail: Any) -> None:
        """Write settings into club.toml, its boxes as they are unless they are given; open the club anew."""
        boxes = {name: box for name in ("inbox", "outbox") if (box := self.box(name))}
        write_settings(self.table, boxes | mail)

    def box(self, name: str) -> dict[str, Any]:
        """How [mail.inbox] or [mail.outbox] is set up."""
        return dict(self.table.club.settings.get("mail", {}).get(name, {}))

    def run(self, **options: Any) -> list[Line]:
        """One pass; after it nothing is wrong with the club's folder."""
        lines = list(Pass(self.table.club, **options).run())
        path = self.table.club.path
        self.watched.setdefault(path, Watched(path)).look(passed=True)
        return lines

    def send(self, content: bytes | str, sender: str = "alice@example.org", **headers: str) -> None:
        """Put a mail into the judge's mailbox."""
        mailbox.Maildir(self.post.box("judge")).add(mail(content, sender, **headers))

    def deliver(self, content: bytes | str, sender: str = "alice@example.org", **headers: str) -> None:
        """Put a mail into the judge's mailbox, and let them make a pass."""
        self.send(content, sender, **headers)
        self.run()

    def all_send(self, **changed: object) -> None:
        """Both players send orders."""
        for name in ("alice", "bob"):
            self.send(self.table.sealed(name, **changed), f"{name}@example.org")  # type: ignore[arg-type]

    def go(self, exchanges: int = 1) -> None:
        """Both players send orders, and the judge makes a pass; so many times."""
        for _ in range(exchanges):
            self.all_send()
            self.run()

    def after(self, days: float, **options: Any) -> None:
        """The next pass is so many days later."""
        self.table.clock.pass_days(days)
        self.run(**options)

    def back_up(self, folder: Path) -> Path:
        """A backup of the club, in this folder."""
        backups.backup(self.table.club, folder / "backup.tar.gz")
        return folder / "backup.tar.gz"

    def come_back(self, archive: Path, *journal: Path) -> Replayed:
        """The club goes on in a new folder, from a backup and its journal, if there is one."""
        told: list[Replayed] = []
        self.table.club.store.close()
        club = backups.restore(archive, archive.parent / "other", read_records(journal), told.append)
        take_over(club.store)
        self.table.club, club.clock, club.store.clock = club, self.table.clock, self.table.clock
        return told[0]

    def copied(self, folder: Path, port: int, post: Post, **mail: Any) -> Postal:
        """A copy of the closed club and of all mailboxes, whose mail goes over another server."""
        copytree(self.post.folder, post.folder)
        read = {name: {*names} for name, names in self.read.items()}
        postal = Postal(self.table.copied(folder), post, read)
        postal.settle(**boxes(port, post), **mail)
        return postal

    def mails(self, name: str) -> list[Message]:
        """What has come for somebody since the last time."""
        return self.post.mails(name, self.read.setdefault(name, set()))


def mail(content: bytes | str, sender: str = "alice@example.org", **headers: str) -> bytes:
    """A plain mail to the judge."""
    data = content if isinstance(content, bytes) else content.encode()
    given = {
        "From": sender,
        "To": JUDGE,
        "Message-ID": f"<m{abs(hash(data))}@example.org>",
        "Subject": "hello",
    }
    given |= {name.replace("_", "-"): value for name, value in headers.items()}
    head = "".join(f"{name}: {value}\n" for name, value in given.items())
    return head.encode() + b"Content-Type: text/plain; charset=utf-8\n\n" + data


def write_settings(table: Table, mail: dict[str, Any]) -> None:
    """Write club.toml and open the club anew."""
    text = 'name = "test"\ndays = 7\n'
    tables: dict[str, dict[str, Any]] = {"mail": {"address": JUDGE, "copies": "direct"}}
    for name, value in mail.items():
        if isinstance(value, dict):
            key = name if name.partition(".")[0] in ("rhythm", "journal", "watch") else f"mail.{name}"
            tables[key] = value
        else:
            tables["mail"][name] = value
    for name, values in tables.items():
        text += f"\n[{name}]\n" + "".join(f"{key} = {_toml(value)}\n" for key, value in values.items())
    (table.club.path / "club.toml").write_text(text)
    table.club.store.close()
    table.club = open_club(table.club.path, table.clock)


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    return str(value) if isinstance(value, int | float) else f'"{value}"'


def make_postal(folder: Path, port: int, post: Post, **options: Any) -> Postal:
    """The table with one game, whose judge reads a Maildir and sends to a mail server."""
    table = make_table(folder, **options)
    postal = Postal(table, post)
    postal.settle(**boxes(port, post))
    return postal


def boxes(port: int, post: Post) -> dict[str, dict[str, Any]]:
    """How a club reads a Maildir and sends to a mail server."""
    return {"inbox": post.inbox(), "outbox": {"host": "127.0.0.1", "port": port, "tls": "none"}}
