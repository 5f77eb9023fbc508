"""An IMAP server on loopback with the habits of servers that exist; none that no server has.

It knows what the judge asks, and no more. A habit is a word in `habits`; tests/mail/test_odd_imap.py says
whose it is.
"""

from __future__ import annotations

import re
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

_LITERAL = re.compile(rb"\{(\d+)\+?\}\r\n$")


@dataclass
class OddImap:
    """One mailbox, INBOX, and what its server does otherwise than others."""

    mails: dict[int, bytes] = field(default_factory=dict)
    habits: set[str] = field(default_factory=set)
    flags: dict[int, set[str]] = field(default_factory=dict)
    validity: int = 1
    port: int = 0
    asked: list[str] = field(default_factory=list)
    """The commands that came, without their tags."""
    connections: int = 0

    def inbox(self, **more: Any) -> dict[str, Any]:
        """How the judge reads it, for club.toml."""
        where = {"host": "127.0.0.1", "port": self.port, "tls": "none", "timeout": 5}
        return {**where, "user": "judge", "password_command": "echo secret", **more}

    @property
    def next_uid(self) -> int:
        return max(self.mails, default=0) + 1

    def deliver(self, raw: bytes) -> None:
        """A mail arrives."""
        self.mails[self.next_uid] = raw.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")

    # -- what it answers

    def answer(self, command: str, words: str, literal: bytes) -> Iterator[bytes]:
        """The untagged lines, then one that begins with OK, NO or BAD."""
        if "says other things" in self.habits:
            yield b"* OK [ALERT] Wartung heute um 22 Uhr, gr\xfc\xdfe vom Hoster"
            yield b"* %d EXISTS" % len(self.mails)
            for uid in list(self.mails)[:1]:
                yield b"* 1 FETCH (FLAGS (\\Seen $Label1) UID %d)" % uid
        if command in ("SELECT", "EXAMINE"):
            yield from self._selected()
        elif command == "CAPABILITY":
            yield b"* CAPABILITY IMAP4rev1" + (b" UIDPLUS" if "has UIDPLUS" in self.habits else b"")
            yield b"OK done"
        elif command == "UID SEARCH":
            yield from self._found(words)
        elif command == "UID FETCH":
            yield from self._fetched(words)
        elif command == "UID STORE":
            yield from self._stored(words)
        elif command == "APPEND":
            self.mails[uid := self.next_uid] = literal
            self.flags[uid] = set(re.findall(r"\\(\w+)", words.partition(")")[0]))
            yield b"OK done"
        elif command in ("EXPUNGE", "UID EXPUNGE"):
            for uid in [uid for uid in self.mails if "Deleted" in self.flags.get(uid, ())]:
                del self.mails[uid]
                yield b"* 1 EXPUNGE"
            yield b"OK done"
        else:
            yield b"OK done"

    def _selected(self) -> Iterator[bytes]:
        if "is in use at first" in self.habits and self.connections == 1:
            yield b"NO [INUSE] Mailbox is locked by another session"
            return
        yield b"* FLAGS (\\Seen \\Deleted \\Draft)"
        yield b"* %d EXISTS" % len(self.mails)
        yield b"* OK [UIDVALIDITY %d] valid" % self.validity
        if "names no UIDNEXT" not in self.habits:
            yield b"* OK [UIDNEXT %d] next" % self.next_uid
        yield b"OK [READ-WRITE] done"

    def _found(self, words: str) -> Iterator[bytes]:
        found = list(self.mails)
        if ranges := re.search(r"UID (\d+)(?::(\d+|\*))?", words):
            first, last = int(ranges[1]), ranges[2]
            newest = max(self.mails, default=0)
            most = newest if last == "*" else int(last or first)
            found = [uid for uid in found if min(first, most) <= uid <= max(first, most)]
        for flag in ("Seen", "Draft", "Deleted"):
            for word, wanted in ((flag.upper(), True), (f"UN{flag.upper()}", False)):
                if re.search(rf"\b{word}\b", words):
                    found = [uid for uid in found if (flag in self.flags.get(uid, ())) is wanted]
        if subject := re.search(r'SUBJECT "([^"]*)"', words):
            found = [uid for uid in found if subject[1].encode() in self.mails[uid].partition(b"\r\n\r\n")[0]]
        uids = [b"%d" % uid for uid in found]
        end = b" (MODSEQ 917162500)" if "counts changes" in self.habits and uids else b""
        told = b"search" if "writes small" in self.habits else b"SEARCH"
        if "splits its answers" in self.habits and len(uids) > 1:
            yield from (b"* SEARCH " + b" ".join(uids[start : start + 2]) for start in range(0, len(uids), 2))
        elif uids or "says nothing of nothing" not in self.habits:
            yield b" ".join([b"* " + told, *uids]) + end
        yield b"OK done"

    def _fetched(self, words: str) -> Iterator[bytes]:
        uid = int(words.split(maxsplit=1)[0]) if words[0] != "*" else max(self.mails, default=0)
        raw = self.mails.get(uid)
        if raw is None:
            yield b"OK done"
            return
        place = list(self.mails).index(uid) + 1
        small = "writes small" in self.habits
        if "UID)" in words.upper():
            yield b"* %d FETCH (UID %d)" % (place, uid)
        elif "RFC822.SIZE" in words:
            size = len(raw) + (99 if "guesses sizes" in self.habits else 0)
            said = b"* %d FETCH (UID %d RFC822.SIZE %d)" % (place, uid, size)
            yield said.replace(b"RFC822.SIZE", b"rfc822.size") if small else said
        elif "cannot read the second" in self.habits and uid == 2:
            yield b"NO [SERVERBUG] The message could not be retrieved (0x8004010f)"
            return
        elif "gives nothing of the second" in self.habits and uid == 2:
            yield b"* %d FETCH (UID %d FLAGS ())" % (place, uid)
        elif not raw:
            yield b"* %d FETCH (UID %d BODY[] %s)" % (place, uid, b"NIL" if "nil" in self.habits else b'""')
        elif "leaves at the second" in self.habits and uid == 2 and self.connections == 1:
            yield b"* %d FETCH (BODY[] {%d}\r\n%s\0BYE" % (place, len(raw), raw[: len(raw) // 2])
        else:
            sent = raw.replace(b"\r\n", b"\n") if "keeps line ends" in self.habits else raw
            yield b"* %d FETCH (FLAGS (\\Recent) BODY[] {%d}\r\n%s UID %d)" % (place, len(sent), sent, uid)
        yield b"OK done"

    def _stored(self, words: str) -> Iterator[bytes]:
        if "forbids flags" in self.habits:
            yield b"NO [NOPERM] STORE not allowed"
            return
        if "does not know STORE" in self.habits:
            yield b"BAD Command Argument Error. 11"
            return
        uid = int(words.split(maxsplit=1)[0])
        self.flags.setdefault(uid, set()).update(re.findall(r"\\(\w+)", words))
        yield b"OK done"

    # -- the line

    def serve(self, line: socket.socket) -> None:
        """One session, until it logs out."""
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # else each second line waits for 40 ms
        self.connections += 1
        if "numbers anew" in self.habits and self.connections > 1:
            self.validity += 1
        if "lets everybody in" in self.habits:
            line.sendall(b"* PREAUTH hello\r\n")
        else:
            line.sendall(b"* OK hello\r\n")
        with line, line.makefile("rb") as lines:
            while said := lines.readline():
                tag, _, rest = said.partition(b" ")
                literal = b""
                if size := _LITERAL.search(said):
                    line.sendall(b"+ go on\r\n")
                    literal = lines.read(int(size[1]))
                    lines.readline()
                text = rest.decode("utf-8", "replace").strip()
                self.asked.append(text)
                words = text.split(" ", 2 if text.upper().startswith("UID") else 1)
                command = " ".join(words[: 2 if words[0].upper() == "UID" else 1]).upper()
                for one in self.answer(command, words[-1] if len(words) > 1 else "", literal):
                    if one.endswith(b"\0BYE"):
                        line.sendall(one.removesuffix(b"\0BYE"))
                        return
                    is_last = one.split(b" ")[0] in (b"OK", b"NO", b"BAD")
                    line.sendall((tag + b" " + one if is_last else one) + b"\r\n")
                if command == "LOGOUT":
                    return


@contextmanager
def odd_imap(*habits: str) -> Iterator[OddImap]:
    """The server, while it runs."""
    server = OddImap(habits=set(habits))
    with socket.create_server(("127.0.0.1", 0)) as door:
        server.port = door.getsockname()[1]

        def serve() -> None:
            with suppress(OSError):
                while True:
                    line, _ = door.accept()
                    with suppress(OSError):
                        server.serve(line)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            door.shutdown(socket.SHUT_RDWR)
            thread.join(5)
