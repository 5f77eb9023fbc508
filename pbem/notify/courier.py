"""The notifier's rounds: each takes the waiting calls, makes them, and removes those that are done.

A pass writes the wakes of one exchange at the same time. Each is held for a while of its own, drawn by lot,
so that nobody can tell by the second who plays whom.

A wake that is not taken is tried again a few times, later each time, and then dropped: the letter came by
mail or lies in the box anyhow. An address that is gone, that redirects or that refuses what it is sent is not
called again until its owner signs another.

A call is one POST over HTTPS to an address that a stranger may have chosen; never to private networks. The
name is looked up once. Every address that it has must be public, and the connection goes to the first of
those very addresses, so that a second look cannot give another. The certificate is checked for the name. All
of it, from the connection to the first line of the answer, has one time limit; of the answer nothing but that
line is read, however long the rest is. A redirect is not followed. The name's own look-up is the resolver's,
and cannot be given a limit; it holds up no more than one thread.
"""

from __future__ import annotations

import ipaddress
import json
import random
import re
import socket
import ssl
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from pbem import __version__
from pbem.errors import PbemError
from pbem.notify.spool import (
    CALL,
    DEVICE,
    DRAWN,
    ENTRIES,
    FINISHED,
    OF_LEAGUES,
    OPEN,
    REMINDER,
    RESULTS,
    PushKey,
    Wake,
    address_hash,
    make_push_key,
    read_refused,
    read_table,
    read_wakes,
    write_refused,
)

MAX_TRIES = 5
FIRST_RETRY_SECONDS = 60.0
SPREAD_SECONDS = 180.0
"""Seconds over which the notifier spreads the wakes that one pass of the judge wrote."""
MAX_IN_ROUND = 5
"""Maximum number of wakes that one round of the notifier delivers to one address."""
WORKERS = 8
_LATER = (408, 425, 429)
_AS_JSON = {"Content-Type": "application/json"}


@dataclass(slots=True)
class _Try:
    """The number of tries to deliver a wake, and the time of the next one."""

    count: int = 0
    after: float = 0


@dataclass(frozen=True, slots=True)
class _Sender:
    """The means to post one round's wakes: the delivery, the contact for push services, the club's key."""

    delivery: Delivery
    contact: str
    key: PushKey | None
    """The notifier's key for push services; None if the club wakes no devices."""

    def post(self, url: str, wake: Wake) -> int:
        """Post a wake to the address of a webhook or device; return the status of the answer."""
        if wake.about == DEVICE and self.key is not None:
            return self.delivery.post(url, b"", self.key.headers(url, self.contact, time.time()))
        return self.delivery.post(url, body_of(wake), _AS_JSON)


@dataclass(slots=True)
class Courier:
    """The notifier of one folder; `say` gets a line about each delivery, without the address."""

    folder: Path
    delivery: Delivery
    say: Callable[[str], None]
    clock: Callable[[], float] = time.monotonic
    spread: float = 0
    """Seconds over which the notifier spreads the wakes that one pass of the judge wrote."""
    _tries: dict[str, _Try] = field(default_factory=dict)

    def make_round(self) -> int:
        """Deliver the wakes that are due; return how many were delivered.

        Raises:
            ConfigError: the folder cannot be read.
            OSError: the folder cannot be written.
        """
        table, refused, now = read_table(self.folder), read_refused(self.folder), self.clock()
        key = make_push_key(self.folder) if table.contact else None
        sender = _Sender(self.delivery, table.contact, key)
        due: dict[str, list[tuple[Path, Wake]]] = {}
        waiting = read_wakes(self.folder)
        for path, wake in waiting:
            url = table.address_of(wake)
            if not url or address_hash(url) in refused:
                self._drop(path)
                continue
            if path.name not in self._tries:
                self._tries[path.name] = _Try(after=now + self.spread * random.SystemRandom().random())
            if self._tries[path.name].after <= now:
                due.setdefault(url, []).append((path, wake))
        names = {path.name for path, _ in waiting}
        self._tries = {name: one for name, one in self._tries.items() if name in names}
        with ThreadPoolExecutor(WORKERS) as pool:
            done = pool.map(lambda one: self._deliver(sender, one[0], one[1][:MAX_IN_ROUND]), due.items())
            results = dict(zip(due, done, strict=True))
        gone = {address_hash(url) for url, (_, is_gone) in results.items() if is_gone}
        if gone:
            write_refused(self.folder, refused & set(map(address_hash, table.addresses)) | gone)
        return sum(count for count, _ in results.values())

    def _deliver(self, sender: _Sender, url: str, wakes: list[tuple[Path, Wake]]) -> tuple[int, bool]:
        """Post an address's wakes in turn; return how many were accepted, and if the address is gone."""
        for count, (path, wake) in enumerate(wakes):
            what = f"{wake.game}, exchange {wake.exchange}, to reader {wake.reader}"
            if wake.about == DEVICE:
                what = f"the device of reader {wake.reader}"
            try:
                status = sender.post(url, wake)
            except Undelivered as problem:
                self._put_off(path, what, str(problem))
                return count, False
            if status >= 500 or status in _LATER:
                self._put_off(path, what, f"its answer was {status}")
                return count, False
            self._drop(path)
            if status >= 300 or status < 200:
                self.say(f"{what}: not taken: its answer was {status}; that address is not called again")
                return count, True
            self.say(f"{what}: told")
        return len(wakes), False

    def _put_off(self, path: Path, what: str, why: str) -> None:
        tries = self._tries[path.name]
        tries.count += 1
        tries.after = self.clock() + FIRST_RETRY_SECONDS * 4 ** (tries.count - 1)
        if tries.count >= MAX_TRIES:
            self._drop(path)
            self.say(f"{what}: not taken: {why}; it is not tried again")
        else:
            self.say(f"{what}: not taken: {why}; it is tried again")

    def _drop(self, path: Path) -> None:
        path.unlink(missing_ok=True)


def body_of(wake: Wake) -> bytes:
    """Return the JSON for a webhook; Discord reads its `content`, Slack `text`, and Matrix bridges `body`."""
    words = words_of(wake)
    fact: dict[str, object] = {"club": wake.club, "about": wake.about}
    if wake.about in OF_LEAGUES:
        fact |= {"league": wake.league, "round": wake.round}
    else:
        fact |= {"game": wake.game, "exchange": wake.exchange}
    fact |= {"deadline": wake.deadline, "content": words, "text": words, "body": words}
    return json.dumps(fact | {"allowed_mentions": {"parse": []}}).encode()


def words_of(wake: Wake) -> str:
    """Return a wake as a sentence about a game or a league."""
    until = f" until {wake.deadline[:10]} {wake.deadline[11:16]} UTC" if wake.deadline else ""
    if wake.about == OPEN:
        return f"{wake.game}: exchange {wake.exchange} is open{until}."
    if wake.about == REMINDER:
        return f"{wake.game}: exchange {wake.exchange} still waits for orders{until}."
    leagues = {
        ENTRIES: f"entries are open{until}",
        CALL: f"a call for round {wake.round} is open{until}",
        DRAWN: f"round {wake.round} is drawn and goes on{until} at the latest",
        RESULTS: f"results of round {wake.round} are entered",
        FINISHED: "the league is over",
    }
    if wake.about in leagues:
        return f"{wake.league}: {leagues[wake.about]}."
    return f"{wake.game}: the game is over."


SECONDS = 10.0
"""Maximum seconds for one delivery, from the connection to the answer; the look-up of the name is not
counted."""
MAX_ANSWER_SIZE = 1_024
"""Maximum number of bytes of an answer that are read for its first line."""
PORT = 443
_TUNNELS = tuple(map(ipaddress.ip_network, ("64:ff9b::/96", "64:ff9b:1::/48", "2002::/16", "2001::/32")))
"""Networks of IPv6 addresses that have an IPv4 address, maybe a private one, inside them."""
_STATUS = re.compile(rb"HTTP/1\.[01] ([1-5][0-9]{2})(?: |\r?\n)")

Resolve = Callable[[str, int], Sequence[str]]
Connect = Callable[[tuple[str, int], float], socket.socket]


class Undelivered(PbemError):
    """Raised if an address was not reached, or its answer could not be read."""


def look_up(host: str, port: int) -> list[str]:
    """Return the network addresses of a host name."""
    rows = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(row[4][0]) for row in rows))


def is_public(address: str) -> bool:
    """Tell whether an address belongs to the public network, and not to this machine or a private one."""
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    if isinstance(found, ipaddress.IPv6Address):
        if found.ipv4_mapped is not None:
            return is_public(str(found.ipv4_mapped))
        if any(found in network for network in _TUNNELS):
            return False
    return found.is_global and not found.is_multicast and not found.is_reserved


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """The means by which the notifier posts to addresses; only tests make one that reaches this machine."""

    resolve: Resolve = look_up
    connect: Connect = field(default=socket.create_connection)
    is_allowed: Callable[[str], bool] = is_public
    context: ssl.SSLContext = field(default_factory=ssl.create_default_context)
    seconds: float = SECONDS

    def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> int:
        """Post a body with these headers to an address, and return the status of the answer.

        Raises:
            Undelivered: the address is not allowed or not reached, or gave no answer in time.
        """
        parts = urlsplit(url)
        host = parts.hostname or ""
        path = f"{parts.path or '/'}?{parts.query}" if parts.query else parts.path or "/"
        more = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        head = (
            f"POST {path} HTTP/1.1\r\nHost: {host}\r\nUser-Agent: pbem/{__version__}\r\n"
            f"{more}Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
        )
        address = self._allowed_address(host)
        until = time.monotonic() + self.seconds
        try:
            with (
                self.connect((address, PORT), self.seconds) as plain,
                self.context.wrap_socket(
                    plain, server_hostname=host, do_handshake_on_connect=False
                ) as connection,
            ):
                connection.settimeout(_left(until))
                connection.do_handshake()
                connection.settimeout(_left(until))
                connection.sendall(head.encode("ascii") + body)
                return _status(connection, until)
        except (OSError, ValueError) as problem:
            raise Undelivered(str(problem).lower()[:200] or type(problem).__name__.lower()) from None

    def _allowed_address(self, host: str) -> str:
        try:
            addresses = self.resolve(host, PORT)
        except (OSError, ValueError):
            raise Undelivered("the name of its host is not known") from None
        if not addresses or not all(map(self.is_allowed, addresses)):
            raise Undelivered("its host is in a private network")
        return addresses[0]


def _left(until: float) -> float:
    left = until - time.monotonic()
    if left <= 0:
        raise TimeoutError("it took too long")
    return left


def _status(connection: ssl.SSLSocket, until: float) -> int:
    answer = b""
    while b"\n" not in answer and len(answer) < MAX_ANSWER_SIZE:
        connection.settimeout(_left(until))
        more = connection.recv(MAX_ANSWER_SIZE)
        if not more:
            break
        answer += more
    match = _STATUS.match(answer)
    if match is None:
        raise Undelivered("its answer is not HTTP")
    return int(match[1])
