"""How a process kills itself at a statement of the database."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable

from pbem.judge.club import Club

HEEDING_CTRL_C = ("env", "--default-signal=INT")
"""Words before a command that is to heed Ctrl-C, which what a shell begins in the background ignores."""


def in_child(do: Callable[[], object]) -> int:
    """How a process ended that does this and nothing else: what `os.waitpid` says of it."""
    if child := os.fork():
        return os.waitpid(child, 0)[1]
    status = 9
    try:
        do()
        status = 0
    finally:
        os._exit(status)


def is_killed(do: Callable[[], object]) -> bool:
    """Is a process killed that does this?"""
    return os.WIFSIGNALED(in_child(do))


def die_at(club: Club, statement: int, since: str = "") -> None:
    """This process will die at the n-th statement, counted from the first one that begins with `since`.

    A statement that reads counts only after one that writes: between two that read nothing changes.
    """
    count, reading = 0, False

    def step(sql: str) -> None:
        nonlocal count, reading
        read_before, reading = reading, sql.startswith("SELECT")
        if (count or sql.startswith(since)) and not (reading and read_before):
            count += 1
            if count == statement:
                os.kill(os.getpid(), signal.SIGKILL)

    club.store.db.conn.set_trace_callback(step)
