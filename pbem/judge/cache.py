"""A cache of what a pass has computed; a value that does not fit any more is computed anew."""

from __future__ import annotations

from typing import Generic, TypeVar

MOST = 64
"""Values that are kept; the one that was asked for longest ago is forgotten first."""

Kept = TypeVar("Kept")


class Recent(Generic[Kept]):
    """A small cache by name."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._kept: dict[str, Kept] = {}

    def get(self, name: str) -> Kept | None:
        """Return the value under this name; None if there is none."""
        kept = self._kept.pop(name, None)
        if kept is not None:
            self._kept[name] = kept
        return kept

    def put(self, name: str, kept: Kept) -> None:
        """Keep a value, in place of the one before."""
        self._kept.pop(name, None)
        self._kept[name] = kept
        if len(self._kept) > self._most:
            del self._kept[next(iter(self._kept))]

    def forget(self, name: str) -> None:
        """Forget the value under a name."""
        self._kept.pop(name, None)
