"""Work on many games in several processes, each game alone.

Results come in the order in which the games were given, whichever is ready first: one process or many, the
same is printed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from multiprocessing import get_context
from typing import TypeVar

import click

from pbem.errors import PbemError

PROCESSES = click.option(
    "--processes",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="How many processes do the work; it does not change what is printed.",
)

Thing = TypeVar("Thing")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Failed:
    """The error that ended the work on one thing; the work on others goes on."""

    why: str
    status: int


def map_in_processes(
    work: Callable[[Thing], Result], things: Sequence[Thing], processes: int
) -> Iterator[tuple[Thing, Result | Failed]]:
    """Yield each thing with the result of `work` for it, or with its failure.

    `work`, the things and the results travel to other processes, so they must be a function of a module and
    plain data.
    """
    if min(processes, len(things)) <= 1:
        for thing in things:
            yield thing, _done(work, thing)
        return
    pool = _pool(min(processes, len(things)))
    try:
        begun = [(thing, _begin(pool, work, thing)) for thing in things]
        for thing, future in begun:
            try:
                yield thing, future.result() if future is not None else _alone(work, thing)
            except BrokenProcessPool:
                yield thing, _alone(work, thing)
    finally:
        pool.shutdown(cancel_futures=True)


def _pool(processes: int) -> ProcessPoolExecutor:
    """Return a pool of processes that begin from nothing, so that they share no open database or thread."""
    return ProcessPoolExecutor(processes, mp_context=get_context("spawn"))


def _begin(
    pool: ProcessPoolExecutor, work: Callable[[Thing], Result], thing: Thing
) -> Future[Result | Failed] | None:
    """Submit the work on one thing to the pool; return None if a process of the pool has died before."""
    try:
        return pool.submit(_done, work, thing)
    except BrokenProcessPool:
        return None


def _alone(work: Callable[[Thing], Result], thing: Thing) -> Result | Failed:
    """Do the work on a thing in a process of its own, to find out whether it was what killed the pool."""
    with _pool(1) as pool:
        try:
            return pool.submit(_done, work, thing).result()
        except BrokenProcessPool:
            return Failed("its process was killed before it had ended; is there enough memory?", 1)


def _done(work: Callable[[Thing], Result], thing: Thing) -> Result | Failed:
    try:
        return work(thing)
    except PbemError as error:
        return Failed(str(error), error.status)
    except OSError as error:
        return Failed(str(error).lower(), 1)
    except Exception as bug:  # noqa: BLE001 - the other games are played all the same
        return Failed(f"this is a fault in the program, not in what you did ({bug})", 1)
