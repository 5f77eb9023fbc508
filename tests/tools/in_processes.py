"""What is measured in many games, in several processes; one that fails is named."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, TypeVar

from pbem.cli.processes import Failed, map_in_processes

Result = TypeVar("Result")


def results(
    work: Callable[..., Result], games: Sequence[tuple[Any, ...]], processes: int
) -> Iterator[Result]:
    """What `work` gives for each, called with what stands for it, in their order."""
    for game, found in map_in_processes(partial(_called, work), games, processes):
        if isinstance(found, Failed):
            raise SystemExit(f"{game}: {found.why}")
        yield found


def _called(work: Callable[..., Result], game: tuple[Any, ...]) -> Result:
    return work(*game)
