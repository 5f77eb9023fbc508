"""Twin clubs by mail: what whoever carries mails sees of them, when they differ in secrets alone.

Both have the same players, clock and public course. Their judges' secrets differ, and so all that is dealt
and drawn, and alice's orders differ, in ways that do nothing in the game. All mails go over a real SMTP
server that writes down senders, recipients, order and bytes. In these only ciphertext is put aside, of which
its length stays, without the few bytes of no meaning that age adds at random.
"""

from __future__ import annotations

import hashlib
import re
from base64 import b64decode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from aiosmtpd.smtp import SMTP, Envelope, Session

from pbem.judge.newgame import new_game
from pbem.titles import load
from pbem.trust import keys
from pbem.trust.armor import find_sealed
from pbem.trust.sealing import sealed_name
from tests.conftest import chance
from tests.judge.table import GAME, Table, enrolled
from tests.mail.postal import Postal
from tests.mail.servers import Post, smtp_server

STRANGER = "mallory@example.net"
Options = dict[str, Any]
Seen = tuple[str, str, bytes]
"""Sender and recipient of a mail on its way, and the mail."""
_ARMOR = re.compile(rb"-----BEGIN AGE [A-Z ]+-----\r?\n.*?-----END AGE [A-Z ]+-----\r?\n", re.DOTALL)
_BASE64 = re.compile(rb"(?<=\r\n\r\n)[A-Za-z0-9+/=\r\n]{4000,}")
_MARK = re.compile(rb"\.id([0-9a-f]{16})@")


class Wire(Post):
    """A mail server that writes down what goes through it."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.seen: list[Seen] = []

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802
        content = envelope.original_content or b""
        self.seen += [(envelope.mail_from or "", goal, content) for goal in envelope.rcpt_tos]
        return await super().handle_DATA(server, session, envelope)


def make_twin(
    folder: Path, title: str, options: Options, seed: str, post: Post, port: int, mode: str
) -> Postal:
    """A club with a game whose secrets follow from `seed`."""
    with chance.of(f"outside {seed}"):
        table = Table.begun(folder)
    people = enrolled(table.club, load(title).rules.sides(options), _key)
    table.people = {person.name: person for person in people}
    postal = Postal(table, post)
    postal.settle(
        copies="relay",
        inbox={"maildir": str(post.box("judge"))},
        outbox={"host": "127.0.0.1", "port": port, "tls": "none"},
    )
    seats = {person.side: person.join() for person in people}
    new_game(table.club, GAME, title, options, seats, mode)
    return postal


_KEYS: dict[str, keys.PrivateKey] = {}


def _key(name: str) -> keys.PrivateKey:
    return _KEYS.setdefault(name, keys.generate(name))


def whole_exchange(postal: Postal, orders: str, *, stranger: bool, to_its_end: bool = True) -> set[str]:
    """From the invitation over a reminder to the report of exchange 2; the files that were sent.

    `to_its_end`: else only to the forecast of alice's orders, when nothing that they do has happened.
    """
    table = postal.table
    files: set[str] = set()

    def send(name: str, body: str = "") -> None:
        _send(postal, name, table.sealed(name, body), files)

    postal.run()
    for name in table.people:
        send(name)
    postal.run()
    _reveal_all(postal, files)
    postal.run()
    if stranger:
        postal.send(f"when does {GAME} begin?\n", STRANGER, Subject=f"about {GAME}")
    *others, last = list(table.people)[1:]
    for name in others:
        send(name)
    for _ in range(5):
        postal.run()
        table.clock.pass_days(1.3)
    postal.run()
    send("alice", orders)
    for _ in range(2):
        postal.run()  # its forecast follows
    if not to_its_end:
        return files
    send(last)
    postal.run()
    _reveal_all(postal, files)
    for _ in range(3):
        postal.run()
    assert table.exchange >= 3
    return files


def _send(postal: Postal, name: str, armor: bytes, files: set[str]) -> None:
    files.update(sealed_name(one) for one in find_sealed(armor))
    postal.send(armor, sender=f"{name}@example.org")


def _reveal_all(postal: Postal, files: set[str]) -> None:
    """After a close, where reveals come then; bob's after some days."""
    table = postal.table
    for name in table.people if table.is_after_close else ():
        if name == "bob":
            for _ in range(3):
                table.clock.pass_days(1)
                postal.run()
        _send(postal, name, table.sealed_reveal(name), files)


def outside(seen: list[Seen], files: set[str]) -> Iterator[Seen]:
    """The mails to players, with ciphertext put aside."""
    for sender, goal, content in seen:
        if goal != STRANGER:
            yield sender, goal, _put_aside(content, files)


def _put_aside(content: bytes, files: set[str]) -> bytes:
    armors = _ARMOR.findall(content)
    known = {hashlib.sha256(armor.replace(b"\r\n", b"\n")).hexdigest()[:16].encode() for armor in armors}
    known |= {name[:16].encode() for name in files}
    for mark in _MARK.findall(content):
        if mark in known:
            content = content.replace(mark, b"(of ciphertext)")
    for name in files:
        content = content.replace(name[:12].encode(), b"(of a file)")
    content = _ARMOR.sub(lambda found: _length(next(iter(find_sealed(found[0])))), content)
    return _BASE64.sub(lambda found: _length(b64decode(found[0])), content)


def _length(sealed: bytes) -> bytes:
    """How long the payload of an age file is: its header has a random length."""
    mac = sealed.index(b"\n--- ") + 1
    return b"<%d bytes sealed>\r\n" % len(sealed[sealed.index(b"\n", mac) + 1 :])


class Told(AssertionError):
    """The outside of mails tells twins apart."""


def compare(
    tmp_path: Path,
    title: str,
    options: Options,
    orders: tuple[str, str],
    *,
    to_its_end: bool = True,
    mode: str = "",
) -> list[Seen]:
    """The outside of all mails of an exchange, which is that of its twin. Raises Told."""
    shown = []
    for twin, body in enumerate(orders):
        folder = tmp_path / str(twin)
        folder.mkdir()
        wire = Wire(folder / "post")
        with smtp_server(wire) as port:
            postal = make_twin(folder, title, options, f"{title} {options} {twin}", wire, port, mode)
            files = whole_exchange(postal, body, stranger=bool(twin), to_its_end=to_its_end)
            postal.table.club.store.close()
        shown.append(list(outside(wire.seen, files)))
    check_alike(*shown)
    return shown[0]


def check_alike(one: list[Seen], other: list[Seen]) -> None:
    """Raises Told at the first mail that is not as its twin."""
    if [seen[:2] for seen in one] != [seen[:2] for seen in other]:
        raise Told(f"who is written to: {[seen[1] for seen in one]}, {[seen[1] for seen in other]}")
    for (_, goal, first), (_, _, second) in zip(one, other, strict=True):
        lines = zip(first.splitlines(), second.splitlines(), strict=False)
        if unlike := next((pair for pair in lines if pair[0] != pair[1]), None):
            raise Told(f"to {goal}: {unlike[0]!r}, {unlike[1]!r}")
        if first != second:
            raise Told(f"to {goal}: one is longer")
