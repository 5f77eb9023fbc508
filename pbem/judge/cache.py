"""The cache of an open club, and the replayed games in it; what no longer fits the database is made anew."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeAlias, TypeVar

if TYPE_CHECKING:  # a glance at the club needs none of them
    from pbem.judge.book import Book
    from pbem.play.adjudicate import Adjudication, Adjudicator
    from pbem.trust.entries import Genesis

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


@dataclass(frozen=True, slots=True)
class Played:
    """A game that was brought back from its ledger, with the last entry up to which it was played."""

    book: Book
    adjudicator: Adjudicator
    last: Adjudication | None
    """The result of the exchange that was resolved last; None also if the game was loaded from its saved
    place."""
    whole: bool = True
    """Whether the game was played from its beginning, not from its saved place."""


Place: TypeAlias = "tuple[Genesis, tuple[int, ...], str]"
"""The state of the ledger up to which a game was played: house rules, the exchanges that stand, and the
head after all entries of the last of them."""


def place_of(book: Book) -> Place:
    """Return the state of a game's ledger at its last resolved exchange, by which a cached game is known."""
    history = book.history
    resolved = history.resolved
    size = resolved[-1].resolved_at + len(resolved[-1].drawn) if resolved else 0
    return history.corrected, tuple(one.number for one in resolved), book.head_at(size) or ""
