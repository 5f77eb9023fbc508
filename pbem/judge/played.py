"""A game as it was brought back from its ledger, and the place in the ledger at which that stands."""

from __future__ import annotations

from dataclasses import dataclass

from pbem.judge.book import Book
from pbem.play.adjudicate import Adjudication, Adjudicator
from pbem.trust.entries import Genesis


@dataclass(frozen=True, slots=True)
class Played:
    """A game brought back from its ledger."""

    book: Book
    adjudicator: Adjudicator
    last: Adjudication | None
    """The latest exchange that was resolved; None, too, where the game was loaded from its saved place."""
    whole: bool = True
    """Was it played from its beginning? Else from its saved place."""


Place = tuple[Genesis, tuple[int, ...], str]
"""The house rules, the exchanges that stand, and the head after all that the last of them brought."""


def place_of(book: Book) -> Place:
    """The place at which a replay of this ledger arrives: no other ledger has the same."""
    history = book.history
    resolved = history.resolved
    size = resolved[-1].resolved_at + len(resolved[-1].drawn) if resolved else 0
    return history.corrected, tuple(one.number for one in resolved), book.head_at(size) or ""
