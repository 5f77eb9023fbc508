"""A real post box in a process of its own, on loopback, and somebody who talks to it byte by byte."""

from __future__ import annotations

import base64
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pbem.box.folder import TABLE, BoxTable, Reader, make_folder, write_file
from pbem.trust.keys import PrivateKey
from pbem.trust.post_box import Deed, make_request

ALICE, BOB, STRANGER, POCKET = (PrivateKey(bytes([number]) * 32) for number in range(1, 5))
"""Two readers, one whom the box does not know, and alice's fetch key."""
PAGE = "https://page.example"
PATIENCE = 20.0


@dataclass
class Answer:
    """What came back on one connection, whole."""

    raw: bytes

    @property
    def status(self) -> int:
        return int(self.raw.split(b" ", 2)[1]) if self.raw else 0

    @property
    def head(self) -> bytes:
        return self.raw.partition(b"\r\n\r\n")[0]

    @property
    def body(self) -> bytes:
        return self.raw.partition(b"\r\n\r\n")[2]

    @property
    def said(self) -> dict[str, Any]:
        found = json.loads(self.body)
        assert isinstance(found, dict)
        return found

    @property
    def mails(self) -> list[tuple[int, bytes]]:
        return [(one["number"], base64.b64decode(one["mail"])) for one in self.said["letters"]]


@dataclass
class ServedBox:
    """A box that listens."""

    path: Path
    port: int = 0
    process: subprocess.Popen[bytes] | None = field(default=None, repr=False)
    options: Sequence[str] = ()
    program: Sequence[str] = ("-m", "pbem")

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/"

    def write_table(self, *readers: Reader, pages: Sequence[str] = (PAGE,)) -> None:
        table = BoxTable(url=self.url, pages=tuple(pages), readers=readers)
        write_file(make_folder(self.path) / TABLE, table.text)

    def start(self, **environment: str) -> None:
        command = [sys.executable, *self.program, "box", str(self.path), "--listen", f"127.0.0.1:{self.port}"]
        self.process = subprocess.Popen(
            [*command, *self.options],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **environment},
        )
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            with suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
                return
            time.sleep(0.05)
        raise AssertionError("the box does not listen")

    def stop(self, how: int = signal.SIGTERM) -> None:
        if self.process is not None:
            self.process.send_signal(how)
            self.process.wait(PATIENCE)
            self.process = None

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), PATIENCE)

    def talk(self, data: bytes) -> Answer:
        """Send these bytes, and read until the box ends the connection."""
        with self.connect() as line:
            line.sendall(data)
            return Answer(read_all(line))

    def ask(self, method: str, path: str, body: bytes | None = b"", **headers: str) -> Answer:
        """Ask as a plain client does; `headers` may replace what it says."""
        said = {"Host": f"127.0.0.1:{self.port}"}
        if body is not None:
            said["Content-Length"] = str(len(body))
        said |= {name.replace("_", "-"): value for name, value in headers.items()}
        lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in said.items()), "", ""]
        return self.talk("\r\n".join(lines).encode() + (body or b""))

    def signed(
        self, deed: Deed, body: bytes, key: PrivateKey = ALICE, at: datetime | None = None, **headers: str
    ) -> Answer:
        """Ask for something in a signed request."""
        header = make_request(deed, self.url, body, at or datetime.now(UTC), key)
        return self.ask("POST", f"/{deed}", body, Pbem_Request=header, **headers)

    def post(self, body: bytes, key: PrivateKey | None = None, **headers: str) -> Answer:
        if key is None:
            return self.ask("POST", "/post", body, **headers)
        return self.signed(Deed.POST, body, key, None, **headers)

    def fetch(self, key: PrivateKey = ALICE, since: int = 0) -> Answer:
        return self.signed(Deed.FETCH, f"since {since}\n".encode(), key)


def read_all(line: socket.socket) -> bytes:
    found = b""
    while True:
        try:
            part = line.recv(65_536)
        except ConnectionError:
            return found
        if not part:
            return found
        found += part


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


READERS = (Reader(ALICE.public, (POCKET.public,)), Reader(BOB.public))


@contextmanager
def served(path: Path, *options: str, **environment: str) -> Iterator[ServedBox]:
    """Serve a box with two readers in a folder."""
    box = ServedBox(path, free_port(), options=options)
    box.write_table(*READERS)
    box.start(**environment)
    try:
        yield box
    finally:
        box.stop(signal.SIGKILL)
