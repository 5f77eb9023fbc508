"""Stories of a site's games: each is one page with the viewer, made from public reports alone.

A story takes a tenth of a second to some seconds to make, so one pass makes a bounded number of them, and
those after it make the others: running games first, then the games that ended last. Until its turn comes, a
story stays as it is; but it is removed at once if the club now lets the public wait for longer than when it
was made.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pbem import __version__
from pbem.judge.club import Club
from pbem.judge.letters.letters_out import PUBLIC
from pbem.judge.public_book import public_book
from pbem.site.view import ClubView, GameView

MAX_EXCHANGES = 100
"""Number of exchanges for whose stories one pass has time; the last story that it makes may exceed the
number."""


@dataclass(frozen=True, slots=True)
class StoryPlan:
    """A decision which stories are made in this pass, which stay as they are, and which must wait."""

    kept: Mapping[str, str]
    """The files of stories that stay as they are, each with a key for the data that it was made from."""
    due: Mapping[str, tuple[str, str]]
    """The files of stories that are made in this pass, each with its key and its game."""
    waiting: int
    """Number of stories that later passes make."""


def plan_stories(view: ClubView, delay: int, known: Mapping[str, str], most: int | None) -> StoryPlan:
    """Return the decision which stories to make; `known` are the files made before, with their keys.

    `delay` is the number of exchanges for which the public waits; `most` bounds the exchanges that are told
    (None: all are).
    """
    kept, due, waiting, told = dict[str, str](), dict[str, tuple[str, str]](), 0, 0
    for game in _told_games(view):
        name = story_file(game)
        waits = 0 if game.is_over else delay
        key = f"{waits}-{hashlib.sha256(repr((__version__, game.facts)).encode()).hexdigest()}"
        before = known.get(name, "")
        if before == key:
            kept[name] = key
        elif most is None or told < most:
            told += game.facts.exchanges
            due[name] = key, game.facts.game
        else:
            waiting += 1
            if _wait_in(before) >= waits:
                kept[name] = before
    return StoryPlan(kept, due, waiting)


def _told_games(view: ClubView) -> Iterator[GameView]:
    for game in (*view.running, *view.finished):
        if game.players and game.facts.report:
            yield game


def story_file(game: GameView) -> str:
    """Return the name of the file with a game's story."""
    return f"stories/{game.facts.game}.html"


def _wait_in(key: str) -> int:
    """Return how many exchanges the public had to wait for when a story was made; -1 without a story."""
    number = key.partition("-")[0]
    return int(number) if number.isdecimal() else -1


def write_story(club: Club, game: str) -> bytes:
    """Return the page with the story of a game, as its reports told the public.

    Raises:
        LedgerError: a report was changed.
    """
    from pbem.judge.export import Bundle
    from pbem.moments.page import write_page
    from pbem.moments.tracks import tell_reports
    from pbem.play.adjudicate import setting_of

    book = public_book(club, game)
    reports = {number: text for (number, _), text in Bundle(club, book, PUBLIC).reports().items()}
    return write_page(tell_reports(setting_of(book.history.corrected), book.history, PUBLIC, reports, {}))
