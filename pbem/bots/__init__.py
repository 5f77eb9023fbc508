"""Players that are programs: they read a side's view and write order files, as people do.

A bot knows what a report tells its side and nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from pbem.rules.base import Ask, View


class Bot(Protocol):
    """A player that is a program and writes order files."""

    def write(self, view: View, asks: Sequence[Ask] = ()) -> str:
        """Return the body of an order file for a view; `asks` is what the view's side is asked, if known."""


@runtime_checkable
class MeasuredBot(Protocol):
    """A bot whose strength was measured in games against another."""

    strength: str
    """The measured strength as the end of a sentence: "it won 9 of 10 games against the random player"."""
