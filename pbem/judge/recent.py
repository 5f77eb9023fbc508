"""What a pass has worked out and may need again; never the truth, and made anew where it does not fit."""

from __future__ import annotations

from typing import Generic, TypeVar

MOST = 64
"""So many are kept; the one that was asked for longest ago is forgotten first."""

Kept = TypeVar("Kept")


class Recent(Generic[Kept]):
    """A few things by name."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._kept: dict[str, Kept] = {}

    def get(self, name: str) -> Kept | None:
        """What is kept under this name."""
        kept = self._kept.pop(name, None)
        if kept is not None:
            self._kept[name] = kept
        return kept

    def put(self, name: str, kept: Kept) -> None:
        """Keep it, in place of what was there."""
        self._kept.pop(name, None)
        self._kept[name] = kept
        if len(self._kept) > self._most:
            del self._kept[next(iter(self._kept))]

    def forget(self, name: str) -> None:
        """Keep it no longer."""
        self._kept.pop(name, None)
