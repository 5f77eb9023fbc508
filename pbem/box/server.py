"""The server process of a post box: one request a connection, a time limit for its arrival, a heartbeat.

uvicorn speaks HTTP with h11. It waits for ever for a request that trickles in; here a connection ends
that has not brought its whole request after `ARRIVAL` seconds, or has not taken its answer after
`WHOLE`. Where there are too many connections, the oldest that still owes its request makes room for
the newest: slow clients cost themselves a connection, and nobody else.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections import Counter
from pathlib import Path
from typing import ClassVar

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from pbem.box.app import Box, address_group
from pbem.box.folder import clear_unfinished
from pbem.box.stores import POSTS

ARRIVAL, WHOLE = 10.0, 60.0
"""Maximum seconds that a request may take to arrive, and that a whole connection may last."""
HEARTBEAT_SECONDS = 10.0
MAX_HEAD_SIZE = 8_192
"""Maximum size in bytes of a request's head."""
MAX_CONNECTIONS, MAX_PER_ADDRESS = 512, 64
"""Maximum number of connections at the same time, in all and from one address; those of the proxy are not
counted by address."""


class BoxProtocol(H11Protocol):
    """A connection to the post box, with a time limit for its request and another for the whole."""

    arriving: ClassVar[dict[H11Protocol, str]] = {}
    """Connections whose request has not arrived, the oldest first, with the groups of their addresses."""
    proxy: ClassVar[str] = ""
    arrival: ClassVar[float] = ARRIVAL

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the deadlines of a new connection; end an older connection if there are too many."""
        super().connection_made(transport)
        loop = asyncio.get_running_loop()
        host = self.client[0] if self.client else ""
        group = "" if host == self.proxy else address_group(host)
        self.arriving[self] = group
        self._deadlines = [
            loop.call_later(self.arrival, self._end_if_arriving),
            loop.call_later(WHOLE, transport.abort),
        ]
        if group and Counter(self.arriving.values())[group] > MAX_PER_ADDRESS:
            self._abort(next(one for one, of in self.arriving.items() if of == group))
        if len(self.connections) > MAX_CONNECTIONS:
            self._abort(next(iter(self.arriving)))

    def data_received(self, data: bytes) -> None:
        """Read bytes of the request; once the request is whole, the limit for its arrival counts no more."""
        super().data_received(data)
        if self.conn.their_state not in (h11.IDLE, h11.SEND_BODY):
            self.arriving.pop(self, None)

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel the time limits of a connection that is lost."""
        self.arriving.pop(self, None)
        for one in self._deadlines:
            one.cancel()
        super().connection_lost(exc)

    def _end_if_arriving(self) -> None:
        if self in self.arriving:
            self._abort(self)

    @classmethod
    def _abort(cls, one: H11Protocol) -> None:
        cls.arriving.pop(one, None)
        one.transport.abort()


async def serve_box(
    path: Path, bound: socket.socket, proxy: str = "", certificate: str = "", key: str = ""
) -> None:
    """Serve the post box in a folder on a socket that listens, until the process is told to end.

    Raises:
        OSError: the folder cannot be written.
    """
    box = Box(path, proxy)
    clear_unfinished(path)
    clear_unfinished(path / POSTS)
    box.write_heartbeat()
    BoxProtocol.proxy = proxy
    config = uvicorn.Config(
        box,
        http=BoxProtocol,
        ws="none",
        lifespan="off",
        interface="asgi3",
        log_level="critical",
        access_log=False,
        server_header=False,
        date_header=False,
        proxy_headers=False,
        h11_max_incomplete_event_size=MAX_HEAD_SIZE,
        timeout_keep_alive=1,
        timeout_graceful_shutdown=5,
        ssl_certfile=certificate or None,
        ssl_keyfile=key or None,
    )
    heart = asyncio.create_task(_beat(box))
    try:
        await uvicorn.Server(config).serve(sockets=[bound])
    finally:
        heart.cancel()


async def _beat(box: Box) -> None:
    while True:
        await asyncio.sleep(HEARTBEAT_SECONDS)
        with contextlib.suppress(OSError):  # a heartbeat that is old tells the judge
            await asyncio.to_thread(box.write_heartbeat)
