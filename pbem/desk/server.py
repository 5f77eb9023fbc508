"""The web server of the director's pages, on this machine alone; each command runs in its own process."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import uvicorn

from pbem.desk.app import Desk, Ran

HOST = "127.0.0.1"
PATIENCE = 600
"""Maximum time in seconds that one command may take."""


def run_command(words: Sequence[str]) -> Ran:
    """Run a command of this program with the given words, which no shell reads; return its result."""
    command = [sys.executable, "-m", "pbem", *words]
    environment = {name: value for name, value in os.environ.items() if name != "PBEM_TRACE"}
    try:
        done = subprocess.run(  # noqa: S603 - the words are those of the table of deeds
            command,
            check=False,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=PATIENCE,
            env=environment,
        )
    except subprocess.TimeoutExpired:
        return Ran(1, f"it was ended after {PATIENCE} seconds; see 'pbem club status' before you try again")
    text = done.stdout.decode("utf-8", errors="replace")
    return Ran(done.returncode, "".join(sign if sign.isprintable() or sign == "\n" else " " for sign in text))


def serve_desk(club: Path, bound: socket.socket, ready: Callable[[str], None]) -> None:
    """Serve the director's pages on a socket of loopback until the process is told to end.

    `ready` gets the link that opens them.
    """
    own = bound.getsockname()[1]
    desk = Desk(club.resolve(), run_command, frozenset({f"{HOST}:{own}", f"localhost:{own}"}))
    config = uvicorn.Config(
        desk.app(),
        lifespan="off",
        log_level="critical",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        ws="none",
        timeout_graceful_shutdown=5,
    )
    ready(f"http://{HOST}:{own}/enter/{desk.token}")
    with bound:
        uvicorn.Server(config).run(sockets=[bound])
