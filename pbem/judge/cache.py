"""A cache of values computed in a pass; a value that no longer fits the database is computed anew."""

from __future__ import annotations

from typing import Generic, TypeVar

MAX_WEIGHT = 64
"""Maximum total weight of the values in a cache; the value that was asked for longest ago is forgotten
first."""
MAX_ENTRIES = 20_000
"""Maximum number of entries in all cached ledgers, each of which weighs as many as it has: some 28 MB."""

Kept = TypeVar("Kept")


class Recent(Generic[Kept]):
    """A cache of values by name, limited by their total weight."""

    def __init__(self, most: int = MAX_WEIGHT) -> None:
        self._most = most
        self._weight = 0
        self._kept: dict[str, tuple[Kept, int]] = {}

    def get(self, name: str) -> Kept | None:
        """Return the cached value under this name; None if there is none."""
        found = self._kept.pop(name, None)
        if found is None:
            return None
        self._kept[name] = found
        return found[0]

    def put(self, name: str, kept: Kept, weight: int = 1) -> None:
        """Put a value into the cache under a name, in place of the previous one."""
        self.forget(name)
        self._kept[name] = kept, weight
        self._weight += weight
        while self._weight > self._most and len(self._kept) > 1:
            self.forget(next(iter(self._kept)))

    def forget(self, name: str) -> None:
        """Forget the cached value under a name."""
        if (found := self._kept.pop(name, None)) is not None:
            self._weight -= found[1]
