"""A game that was brought back from its ledger, with the place in the ledger at which it stands."""

from __future__ import annotations

from dataclasses import dataclass

from pbem.judge.book import Book
from pbem.play.adjudicate import Adjudication, Adjudicator
from pbem.trust.entries import Genesis


@dataclass(frozen=True, slots=True)
class Played:
    """A game that was brought back from its ledger, with the place where it stands."""

    book: Book
    adjudicator: Adjudicator
    last: Adjudication | None
    """The result of the exchange that was resolved last; None also if the game was loaded from its saved
    place."""
    whole: bool = True
    """Whether the game was played from its beginning, not from its saved place."""


Place = tuple[Genesis, tuple[int, ...], str]
"""The place of a game: house rules, the exchanges that stand, and the head after all entries of the last of
them."""


def place_of(book: Book) -> Place:
    """Return the place at which a replay of this ledger arrives; no other ledger has the same place."""
    history = book.history
    resolved = history.resolved
    size = resolved[-1].resolved_at + len(resolved[-1].drawn) if resolved else 0
    return history.corrected, tuple(one.number for one in resolved), book.head_at(size) or ""
