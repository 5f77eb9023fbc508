"""Players that are programs: they read a side's view and write order files, as people do.

A bot knows what a report tells its side and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.metadata import entry_points
from typing import Protocol

from pbem.rules.base import View


class Bot(Protocol):
    """A player that is a program."""

    def write(self, view: View) -> str:
        """The body of an order file for where the view stands."""


def load_bots(game: str) -> Mapping[str, Callable[[str], Bot]]:
    """The bots that play a game, by name: each is made for a side (entry point "pbem.bots")."""
    for found in entry_points(group="pbem.bots", name=game):
        bots: Mapping[str, Callable[[str], Bot]] = found.load()
        return bots
    return {}
