"""Makes one POST over HTTPS to an address that a stranger may have chosen; never to private networks.

The name is looked up once. Every address that it has must be public, and the connection goes to the first of
those very addresses, so that a second look cannot give another. The certificate is checked for the name. All
of it, from the connection to the first line of the answer, has one time limit; of the answer nothing but that
line is read, however long the rest is. A redirect is not followed.

The name's own look-up is the resolver's, and cannot be given a limit; it holds up no more than one thread.
"""

from __future__ import annotations

import ipaddress
import re
import socket
import ssl
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from pbem import __version__
from pbem.errors import PbemError

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
