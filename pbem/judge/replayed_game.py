"""A game that was brought back from its ledger, with the last entry up to which it was played."""

from __future__ import annotations

from dataclasses import dataclass

from pbem.judge.book import Book
from pbem.play.adjudicate import Adjudication, Adjudicator
from pbem.trust.entries import Genesis


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


Place = tuple[Genesis, tuple[int, ...], str]
"""The state of the ledger up to which a game was played: house rules, the exchanges that stand, and the
head after all entries of the last of them."""


def place_of(book: Book) -> Place:
    """Return the state of a ledger that a replay plays up to; no other ledger has the same one."""
    history = book.history
    resolved = history.resolved
    size = resolved[-1].resolved_at + len(resolved[-1].drawn) if resolved else 0
    return history.corrected, tuple(one.number for one in resolved), book.head_at(size) or ""
