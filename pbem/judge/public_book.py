"""The part of a running game's ledger that a club shows to the public.

    [public]
    delay_exchanges = 2     # the public sees an exchange when two more have been resolved

Every public way out reads this book: reports, positions, stories and bundles. It is a beginning of the ledger
that ends with a signed head, so that a bundle of it can be checked as any other. When a game is over, the
public sees all of it at once.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from pbem.judge.book import Book
from pbem.play.history import History
from pbem.trust.entries import Genesis

if TYPE_CHECKING:
    from pbem.judge.club import Club
    from pbem.judge.tables.rows import CheckpointRow


class PublicBook(Book):
    """The beginning of a game's ledger that the public may see; nothing is appended to it."""

    def checkpoints(self) -> Iterable[CheckpointRow]:
        """Return the heads in the public part of the ledger that the judge has signed."""
        return [row for row in super().checkpoints() if row.size <= self.size]


def public_book(club: Club, game: str) -> Book:
    """Return the part of a game's ledger that the public may see now."""
    book, delay = club.book(game), club.public_delay
    if book.history.over or not delay:
        return book
    resolved = book.history.resolved
    kept, hidden = resolved[:-delay], resolved[-delay:]
    if not hidden:
        return book
    last = kept[-1] if kept else None
    end = last.resolved_at + len(last.drawn) + len(last.reported) if last else 1
    next_one = hidden[0].resolved_at - 1
    heads = [row.size for row in book.checkpoints() if end <= row.size <= next_one]
    return _beginning(book, min(heads, default=end))


def _beginning(book: Book, size: int) -> Book:
    genesis, *later = book.entries[:size]
    assert isinstance(genesis, Genesis)
    history = History(genesis)
    for entry in later:
        history.add(entry)
    return PublicBook(book.store, book.game, book.roots, history, book.rows[:size], book.entries[:size])
