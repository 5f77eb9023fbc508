"""The web application of a post box, which stores posts, hands letters out and takes acknowledgements.

It knows no game and opens no seal. Each reader's key has a quota of posts of its own, wherever it
posts from, and everybody else shares a small one: counted by address (IPv4; of IPv6 the first 64 bits, which
one customer has to themselves), and in all. What a quota refuses is its sender's matter: the judge waits
for nobody because of it.

    GET /               one line, with the box's time
    GET /health         200 while the box can store a post and knows its table, else 503
    POST /post          the body is a sealed file or a signed statement: {"sha256": "..."}
    POST /fetch         the body is "since <n>": {"time": "...", "letters": [...], "more": false}, and each
                        letter is {"number": 1, "mail": "<base64>"}
    POST /acknowledge   the body is "through <n>": {"time": "..."}
    POST /put-copy      the body is "generation <n>" and a sealed copy: {"time": "...", "generation": n}
    POST /get-copy      the body is "since <n>": {"time": "...", "generation": n, "copy": "<base64>"}; of
                        generation n itself only the number is said

What is refused is answered {"fault": "<word>", "text": "<sentence>"}; a wrong clock, with `time`, the box's.
A key that is not in the table is answered as one for which nothing waits, whatever it asks.

One request a connection, with a length that it names beforehand: what a proxy and the box could read
differently is refused. The Host must be the box's own, so that no other name of this machine reaches it
(DNS rebinding), and a page of another origin than those of the table is refused.
"""

from __future__ import annotations

import base64
import hashlib
import ipaddress
import re
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from anyio.to_thread import run_sync
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from pbem.box import stores
from pbem.box.folder import (
    ALIVE,
    TABLE,
    Alive,
    BoxTable,
    UnreadableBox,
    as_json,
    make_folder,
    next_alive,
    read_alive,
    read_table,
    write_file,
)
from pbem.box.stores import KEY_LANE, MAX_POST_SIZE, OPEN_LANE, Post
from pbem.errors import PbemError
from pbem.trust.faults import TrustFault
from pbem.trust.post_box import CLOCK, HEADER, Deed, verify_request
from pbem.trust.times import utc_text

MAX_HEAD_SIZE = 8_192
"""Maximum size in bytes of the names and values in a request's head."""
MAX_QUESTION_SIZE = 64
"""Maximum size in bytes of the body of a request that posts nothing."""
KEY_PER_HOUR, KEY_WAITING = 60, 32
"""Maximum number of posts signed with one key: in an hour, and waiting for the judge at the same time."""
ADDRESS_PER_HOUR, OPEN_PER_HOUR, OPEN_WAITING = 12, 240, 200
"""Maximum number of posts without a known key: from one address in an hour, from all in an hour, and
waiting for the judge at the same time."""
ASKS_PER_MINUTE = 120
"""Maximum number of requests in a minute from one address by keys that the box does not know."""
MAX_COUNTED = 20_000
"""Maximum number of addresses or keys that are counted at a time; when there are more, the oldest are
forgotten."""
EVERYBODY = ""
_IS_LENGTH = re.compile(r"0|[1-9][0-9]{0,8}").fullmatch
_LINE = re.compile(r"(?:since|through) (0|[1-9][0-9]{0,11})\n").fullmatch
_ALWAYS = {
    "cache-control": "no-store",
    "connection": "close",
    "x-content-type-options": "nosniff",
}


class Refused(Exception):
    """Raised for a request that the post box refuses, with the status and the fault of the answer."""

    def __init__(self, status: int, fault: str, text: str, **more: str) -> None:
        super().__init__(text)
        self.status = status
        self.said = {"fault": fault, "text": text, **more}


@dataclass
class Rate:
    """A counter of the actions under each name within a span of time; each span starts at zero."""

    most: int
    seconds: float
    clock: Callable[[], float] = time.monotonic
    _counted: dict[str, tuple[int, int]] = field(default_factory=dict, repr=False)

    def take(self, name: str) -> bool:
        """Count one more action under a name, if the quota allows it; return whether it does."""
        span = int(self.clock() / self.seconds)
        begun, count = self._counted.get(name, (span, 0))
        count = count if begun == span else 0
        if count >= self.most:
            return False
        self._counted.pop(name, None)
        self._counted[name] = (span, count + 1)
        while len(self._counted) > MAX_COUNTED:
            del self._counted[next(iter(self._counted))]
        return True


@dataclass
class Quotas:
    """The quotas of a post box, and the posts that wait in its folder, with the keys that posted them."""

    by_key: Rate = field(default_factory=lambda: Rate(KEY_PER_HOUR, 3_600))
    by_address: Rate = field(default_factory=lambda: Rate(ADDRESS_PER_HOUR, 3_600))
    by_all: Rate = field(default_factory=lambda: Rate(OPEN_PER_HOUR, 3_600))
    asks: Rate = field(default_factory=lambda: Rate(ASKS_PER_MINUTE, 60))
    waiting: dict[str, str] = field(default_factory=dict)
    """A mapping from the names of waiting posts to the fingerprints of their keys, or to `EVERYBODY`."""

    def may_post(self, key: str, address: str) -> bool:
        """Count a post by a known key, or by `EVERYBODY` from an address; return whether it is allowed."""
        waiting = Counter(self.waiting.values())[key]
        if key:
            return waiting < KEY_WAITING and self.by_key.take(key)
        group = address_group(address)
        return waiting < OPEN_WAITING and self.by_address.take(group) and self.by_all.take(EVERYBODY)

    def forget_gone(self, there: set[str]) -> None:
        """Forget the waiting posts that are no longer in the folder."""
        for name in self.waiting.keys() - there:
            del self.waiting[name]


def address_group(address: str) -> str:
    """Return the group in which a network address is counted; texts that are not addresses form one group."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return "?"
    if isinstance(found, ipaddress.IPv4Address):
        return str(found)
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(ipaddress.ip_network((int(found) >> 64 << 64, 64)))


@dataclass
class Box:
    """A post box at work: its folder, the table as it was last read, its quotas and heartbeat."""

    path: Path
    proxy: str = ""
    """Address of the proxy whose header names the sender of a request; "" if there is no proxy."""
    clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    quotas: Quotas = field(default_factory=Quotas)
    alive: Alive = field(init=False)
    _table: BoxTable | None = field(default=None, init=False)
    _stamp: tuple[int, int, int] = field(default=(0, 0, 0), init=False)
    _count: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        make_folder(self.path / stores.POSTS)
        self.alive = next_alive(read_alive(self.path), self.now())
        for name in stores.waiting_posts(self.path)[0]:
            try:
                self.quotas.waiting[name] = stores.read_post(self.path, name).key or EVERYBODY
            except UnreadableBox:
                self.quotas.waiting[name] = EVERYBODY

    def now(self) -> datetime:
        """Return the box's time, to the second."""
        return self.clock().replace(microsecond=0)

    def write_heartbeat(self) -> None:
        """Write the heartbeat of the post box, with the present time."""
        self.alive = replace(self.alive, time=self.now())
        write_file(self.path / ALIVE, self.alive.text)

    def table(self) -> BoxTable:
        """Return the table that the judge writes for the post box, read anew when it has changed.

        Raises:
            Refused: the judge has written no table.
        """
        try:
            found = (self.path / TABLE).stat()
            stamp = (found.st_mtime_ns, found.st_ino, found.st_size)
            if self._table is None or stamp != self._stamp:
                self._table, self._stamp = read_table(self.path), stamp
        except (OSError, UnreadableBox):
            if self._table is None:
                raise Refused(503, "not-ready", "this box has no table from its judge yet") from None
        return self._table

    # Requests

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request to the post box."""
        request = Request(scope, receive)
        origin = ""
        try:
            _check_head(request)
            if request.method == "GET" and request.url.path == "/health":
                answer = self._health(request)
            else:
                table = self.table()
                _check_host(request, table)
                origin = _check_origin(request, table)
                answer = await self._answer(request, table)
        except Refused as refused:
            answer = _answer(refused.said, refused.status)
        except ClientDisconnect:
            return
        for name, value in (*_ALWAYS.items(), *_cors(request, origin)):
            answer.headers[name] = value
        await answer(scope, receive, send)

    async def _answer(self, request: Request, table: BoxTable) -> Response:
        path = "/" + request.url.path.removeprefix(urlsplit(table.url).path)
        deed = next((one for one in Deed if path == f"/{one}"), None)
        if request.method == "GET" and path == "/":
            _check_bodiless(request)
            return Response(f"pbem box {utc_text(self.now())}\n", media_type="text/plain")
        if deed is None:
            raise Refused(404, "unknown", "a post box has no such page")
        if request.method == "OPTIONS" and "origin" in request.headers:
            _check_bodiless(request)
            return Response(status_code=204)
        if request.method != "POST":
            raise Refused(405, "method", "a post box is asked by POST")
        most = {Deed.POST: MAX_POST_SIZE, Deed.PUT_COPY: stores.MAX_COPY_SIZE}.get(deed, MAX_QUESTION_SIZE)
        body = await _body(request, most)
        if deed is Deed.POST:
            return await self._post(request, table, body)
        return await self._ask(request, table, deed, body)

    async def _post(self, request: Request, table: BoxTable, body: bytes) -> Response:
        """Store the body of a request to the post box, if the quotas allow it."""
        if not body:
            raise Refused(400, "empty", "there is nothing in what was posted")
        sha256 = hashlib.sha256(body).hexdigest()
        key = ""
        if request.headers.getlist(HEADER):
            fingerprint = self._asker(request, table, Deed.POST, sha256)
            key = fingerprint if fingerprint in {one.key.fingerprint for one in table.readers} else ""
        there, _ = await self._in_box(partial(stores.waiting_posts, self.path))
        self.quotas.forget_gone(set(there))
        if not self.quotas.may_post(key, self._address(request)):
            raise Refused(429, "many", "too much was posted in a short time; try again in an hour")
        self._count += 1
        name = stores.post_name(self.now(), self._count)
        self.quotas.waiting[name] = key or EVERYBODY
        post = Post(received=self.now(), lane=KEY_LANE if key else OPEN_LANE, key=key, body=body)
        try:
            await run_sync(stores.store_post, self.path, name, post)
        except OSError:
            self.quotas.waiting.pop(name, None)
            self.alive = replace(self.alive, refused=self.now())
            raise Refused(
                507, "full", "the box has no room now; send it by mail, or try again later"
            ) from None
        return _answer({"sha256": sha256})

    async def _ask(self, request: Request, table: BoxTable, deed: Deed, body: bytes) -> Response:
        """Answer a signed request: to fetch or acknowledge letters, to store or get a player's home copy."""
        fingerprint = self._asker(request, table, deed, hashlib.sha256(body).hexdigest())
        own = next((one.key for one in table.readers if one.key.fingerprint == fingerprint), None)
        mailbox = table.mailboxes.get(fingerprint, "")
        if not mailbox and not self.quotas.asks.take(self._address(request)):
            raise Refused(429, "many", "too much was asked in a short time; try again in a minute")
        said: dict[str, Any] = {"time": utc_text(self.now())}
        if deed is Deed.FETCH:
            since = _number(body, "since")
            nothing: tuple[list[stores.WaitingLetter], bool] = ([], False)
            found, more = (
                await self._in_box(partial(stores.letters_since, self.path, mailbox, since))
                if mailbox
                else nothing
            )
            mails = [{"number": one.number, "mail": base64.b64encode(one.mail).decode()} for one in found]
            return _answer(said | {"letters": mails, "more": more})
        if deed is Deed.ACKNOWLEDGE:
            through = _number(body, "through")
            if own is not None:
                await self._in_box(partial(stores.acknowledge, self.path, mailbox, through))
            return _answer(said)
        if deed is Deed.GET_COPY:
            since = _number(body, "since")
            copy = (
                await self._in_box(partial(stores.read_copy, self.path, mailbox)) if own else stores.NO_COPY
            )
            sealed = "" if copy.generation == since else base64.b64encode(copy.sealed).decode()
            return _answer(said | {"generation": copy.generation, "copy": sealed})
        generation, sealed_copy = stores.parse_copy(body)
        if generation < 1 or own is None:
            raise Refused(409, "generation", "another copy of the home was stored before", **said)
        if not await self._in_box(partial(stores.put_copy, self.path, mailbox, generation, sealed_copy)):
            raise Refused(409, "generation", "another copy of the home was stored before", **said)
        return _answer(said | {"generation": generation})

    async def _in_box(self, work: Callable[[], Any]) -> Any:
        """Do some work on the post box's folder in a thread, so that other requests are answered as well."""
        try:
            return await run_sync(work)
        except (OSError, UnreadableBox):
            raise Refused(503, "not-ready", "the box cannot read or write its folder now") from None

    def _asker(self, request: Request, table: BoxTable, deed: Deed, sha256: str) -> str:
        """Return the fingerprint of the key that signed a request, whether the post box knows the key or not.

        Raises:
            Refused: the request is not signed, or its signature is not valid.
        """
        found = request.headers.getlist(HEADER)
        if len(found) != 1:
            raise Refused(401, "unsigned", f"this needs one header {HEADER}, signed by who asks")
        try:
            return verify_request(found[0], deed, table.url, sha256, self.now()).fingerprint
        except TrustFault as fault:
            time = {"time": utc_text(self.now())} if fault.reason == CLOCK else {}
            raise Refused(400, CLOCK if time else "request", str(fault), **time) from None
        except PbemError as fault:
            raise Refused(400, "request", str(fault)) from None

    def _address(self, request: Request) -> str:
        """Return the network address that sent a request: the connection's, or the last the proxy names."""
        peer = request.client.host if request.client else ""
        if not self.proxy or peer != self.proxy:
            return peer
        named = request.headers.getlist("x-forwarded-for")
        return named[-1].rpartition(",")[2].strip(" ") if named else peer

    def _health(self, request: Request) -> Response:
        _check_bodiless(request)
        self.table()
        if (self.now() - self.alive.time).total_seconds() > 60:
            raise Refused(503, "not-ready", "the box cannot write its folder")
        return Response("ok\n", media_type="text/plain")


def _answer(said: Mapping[str, Any], status: int = 200) -> Response:
    return Response(as_json(said), status_code=status, media_type="application/json")


def _check_head(request: Request) -> None:
    if sum(len(name) + len(value) for name, value in request.headers.raw) > MAX_HEAD_SIZE:
        raise Refused(431, "large", "the head of this request is too long")


def _check_host(request: Request, table: BoxTable) -> None:
    """Refuse a request whose Host is not the post box's, even if that name leads to this machine too."""
    parts = urlsplit(table.url)
    hosts = {parts.netloc, f"{parts.hostname}:{443 if parts.scheme == 'https' else 80}"}
    if request.headers.getlist("host") not in [[host] for host in hosts]:
        raise Refused(421, "host", "this box has another address")


def _check_origin(request: Request, table: BoxTable) -> str:
    """Return the origin of the web page that sends a request, "" if none does; refuse unlisted pages."""
    found = request.headers.getlist("origin")
    if not found:
        return ""
    if len(found) > 1 or found[0] not in table.pages:
        raise Refused(403, "origin", "this page may not talk to the box; the club names the pages that may")
    return found[0]


def _cors(request: Request, origin: str) -> list[tuple[str, str]]:
    if not origin:
        return [("vary", "Origin")]
    allowed = [("access-control-allow-origin", origin), ("vary", "Origin")]
    if request.method == "OPTIONS":
        allowed += [
            ("access-control-allow-methods", "POST"),
            ("access-control-allow-headers", f"{HEADER}, Content-Type"),
            ("access-control-max-age", "600"),
        ]
    return allowed


def _check_bodiless(request: Request) -> None:
    """Refuse a request that has a body although its kind has none."""
    if "transfer-encoding" in request.headers or request.headers.getlist("content-length") not in ([], ["0"]):
        raise Refused(400, "body", "this request has no body")


async def _body(request: Request, most: int) -> bytes:
    """Return the body of a request, which must name its length.

    Raises:
        Refused: the request does not say how long its body is, or the body is too long.
    """
    lengths = request.headers.getlist("content-length")
    if "transfer-encoding" in request.headers or len(lengths) != 1 or not _IS_LENGTH(lengths[0]):
        raise Refused(411, "length", "this request must say how long it is, and be sent in one piece")
    if int(lengths[0]) > most:
        raise Refused(413, "large", f"a post box takes at most {most:,} bytes here")
    return await request.body()


def _number(body: bytes, word: str) -> int:
    match = _LINE(body.decode("ascii", errors="replace"))
    if match is None or not body.startswith(f"{word} ".encode()):
        raise Refused(400, "body", f"the body of this request is one line: {word}, a space and a number")
    return int(match[1])
