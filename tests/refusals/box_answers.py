"""What a post box refuses whoever asks it, and what its folder must not hold."""

from __future__ import annotations

import base64
import hashlib
import json
import os
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from unittest.mock import patch

from starlette.requests import Request

from pbem.box import app, stores
from pbem.box.folder import TABLE, BoxTable, names_in, read_file, read_table
from pbem.box.stores import POSTS
from pbem.trust.identifiers import Namespace
from pbem.trust.keys import PrivateKey
from pbem.trust.post_box import HEADER, Deed, make_request
from pbem.trust.signature import sign_text
from tests.refusals.clauses import Row
from tests.refusals.club import in_folder

URL, PAGE = "https://box.club.example/", "https://page.example"
AT = datetime(2026, 11, 28, 3, tzinfo=UTC)
EMPTY = hashlib.sha256(b"").hexdigest()
BOX_TABLE = BoxTable(url=URL, pages=(PAGE,))


def asked(*headers: tuple[str, str]) -> Request:
    """A request with these headers."""
    raw = [(name.lower().encode(), value.encode()) for name, value in headers]
    return Request({"type": "http", "method": "POST", "path": "/", "headers": raw})


def origins(*found: str) -> Callable[[], object]:
    """Pages of these addresses ask."""
    return lambda: app._check_origin(asked(*(("origin", one) for one in found)), BOX_TABLE)


def signed(*found: str) -> Callable[[], object]:
    """Somebody asks with these signatures."""

    def ask(folder: Path) -> object:
        box = app.Box(folder, clock=lambda: AT)
        return box._asker(asked(*((HEADER, one) for one in found)), BOX_TABLE, Deed.FETCH, EMPTY)

    return in_folder(ask)


def request_at(made: datetime) -> str:
    return make_request(Deed.FETCH, URL, b"", made, PrivateKey(bytes(32)))


def request_of_odd_time() -> str:
    data = base64.b64decode(request_at(AT))
    body, _, _ = data.partition(b"-----BEGIN")
    odd = sign_text(PrivateKey(bytes(32)), Namespace.BOX, body.replace(b"T03:00", b" 03:00"))
    return base64.b64encode(odd).decode()


def health_of_old(folder: Path) -> object:
    """The last heartbeat is more than a minute ago."""
    (folder / TABLE).write_bytes(BOX_TABLE.text)
    box = app.Box(folder, clock=lambda: AT)
    box.clock = lambda: AT + timedelta(minutes=2)
    return box._health(asked())


ANSWERS = (
    Row(
        "the head of this request is too long", lambda: app._check_head(asked(("x", "y" * app.MAX_HEAD_SIZE)))
    ),
    Row("another address", lambda: app._check_host(asked(("host", "evil.example")), BOX_TABLE)),
    Row("this page may not talk to the box", origins(PAGE, PAGE)),
    Row("this page may not talk to the box", origins("https://evil.example")),
    Row("has no body", lambda: app._check_bodiless(asked(("transfer-encoding", "chunked")))),
    Row("has no body", lambda: app._check_bodiless(asked(("content-length", "1")))),
    Row("is one line: since", partial(app._number, b"since -1\n", "since")),
    Row("is one line: since", partial(app._number, b"through 1\n", "since")),
    Row("no table from its judge yet", in_folder(lambda folder: app.Box(folder).table())),
    Row("needs one header", signed()),
    Row("clock", signed(request_at(AT - timedelta(days=2)))),
    Row("is not a time", signed(request_of_odd_time())),
    Row("the box cannot write its folder", in_folder(health_of_old)),
)


def table(data: bytes) -> Callable[[], object]:
    """The judge's table is this."""

    def read(folder: Path) -> object:
        (folder / TABLE).write_bytes(data)
        return read_table(folder)

    return in_folder(read)


def post(**changed: object) -> Callable[[], object]:
    """A post waits whose first line has something else."""
    words = {"received": "2026-11-28T03:00:00Z", "lane": "open", "key": ""} | changed

    def read(folder: Path) -> object:
        (folder / POSTS).mkdir()
        (folder / POSTS / "x").write_bytes(json.dumps(words).encode() + b"\n")
        return stores.read_post(folder, "x")

    return in_folder(read)


def too_many(folder: Path) -> object:
    with patch.object(stores, "names_in", lambda *_: [""] * (stores.MAX_POSTS + 1)):
        return stores.waiting_posts(folder)


def linked(folder: Path) -> object:
    (folder / "x").symlink_to("y")
    return read_file(folder / "x", 1)


def large(folder: Path) -> object:
    (folder / "x").write_bytes(b"yy")
    return read_file(folder / "x", 1)


def piped(folder: Path) -> object:
    os.mkfifo(folder / "x")
    return read_file(folder / "x", 1)


def with_bad_disk(folder: Path) -> object:
    (folder / "x").touch()
    with patch("os.fstat", side_effect=OSError(5, "Input/output error")):
        return read_file(folder / "x", 1)


def no_folder(folder: Path) -> object:
    (folder / "x").touch()
    return names_in(folder / "x", 1)


FILES = (
    Row("is missing: the judge's next pass writes it", in_folder(read_table)),
    Row("is not what a judge writes", table(b"[]")),
    Row("has a format that this release does not read", table(BOX_TABLE.text.replace(b": 1,", b": 2,", 1))),
    Row("x cannot be read: ", in_folder(linked)),
    Row("x cannot be read: input/output error", in_folder(with_bad_disk)),
    Row("is too long, or not a plain file", in_folder(large)),
    Row("is too long, or not a plain file", in_folder(piped)),
    Row("x cannot be read: not a directory", in_folder(no_folder)),
    Row(f"holds more than {stores.MAX_POSTS} files", in_folder(too_many)),
    Row("is not a post", post(lane="x")),
    Row("is not a post", post(key=7)),
    Row("is not a post", post(key="x")),
)
ROWS = (*ANSWERS, *FILES)
FOLDERS = ("box",)
ELSEWHERE: dict[str, str] = {}
