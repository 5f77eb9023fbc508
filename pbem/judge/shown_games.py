"""The showing of a club's games: reports, positions, and to the public the beginning of a ledger.

    [public]
    delay_exchanges = 2     # the public sees an exchange when two more have been resolved

Every public way out reads this beginning: reports, positions, stories and bundles. It ends with a signed
head, so that a bundle of it can be checked as any other. When a game is over, the public sees all at once.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from pbem.errors import ConfigError
from pbem.judge.adjudication import bring_back
from pbem.judge.book import Book
from pbem.judge.letters.letters_out import PUBLIC
from pbem.play.adjudicate import setting_of
from pbem.play.history import History
from pbem.reports.base import Context
from pbem.reports.packing import unpack_view
from pbem.trust.entries import Genesis

if TYPE_CHECKING:
    from pbem.judge.club import Club
    from pbem.judge.tables.database import CheckpointRow


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


def shown_report(club: Club, game: str, audience: str) -> str:
    """Return the last report of a side, or the last one that the public may see by now."""
    return last_report(club, game, audience, public_book(club, game) if audience == PUBLIC else None)


def last_report(club: Club, game: str, audience: str, book: Book | None = None) -> str:
    """Return the last report to a side or the public; `book`: the beginning of the ledger to look in."""
    resolved = (book or club.book(game)).history.resolved
    if not resolved:
        raise ConfigError(f"{game} has no report yet: its players have not all sent their ready")
    reports = {entry.audience: entry.sha256 for entry in resolved[-1].reported}
    if audience not in reports:
        raise ConfigError(f"{game} has no side called {audience}; there are {', '.join(reports)}")
    return club.store.report(reports[audience])


def show(club: Club, game: str, viewer: str) -> str:
    """Return a game's position as seen by a side, "public" or "gm"."""
    if viewer == PUBLIC and public_book(club, game) is not club.book(game):
        setting = setting_of(club.book(game).history.corrected)
        view = unpack_view(shown_report(club, game, PUBLIC))
        assert view is not None, "every report to everybody has a view"
    else:
        adjudicator = bring_back(club, club.book(game)).adjudicator
        play, setting = adjudicator.play, adjudicator.setting
        if viewer not in (*setting.sides, "public", "gm"):
            known = ", ".join((*setting.sides, "public", "gm"))
            raise ConfigError(f"{game} has no viewer called {viewer}; there are {known}")
        if not play.begun:
            raise ConfigError(f"{game} has not begun: its players have not all sent their ready")
        view = play.game.view(viewer)
    context = Context(game=game, title=setting.rules.title, seats=setting.seats)
    return setting.style.report(viewer, view, view, (), (), context)
