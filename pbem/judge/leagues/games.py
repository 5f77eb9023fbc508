"""The games of a league in the judge's club: opened by the league's ledger, then asked for results."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pbem.errors import LedgerError, PbemError
from pbem.judge.book import Book
from pbem.judge.club import Club
from pbem.judge.leagues.book import LeagueBook
from pbem.judge.newgame import Brought, new_game
from pbem.leagues.entries import Ended
from pbem.leagues.model import Ending
from pbem.leagues.scheduler import GameFacts
from pbem.leagues.standings import count_names, counts_of, places_by_count
from pbem.play.adjudicate import game_places, option_value, setting_of
from pbem.reports.packing import unpack_view
from pbem.rules.base import View
from pbem.trust.act_entries import HOLD, is_forfeit
from pbem.trust.keys import parse_public
from pbem.trust.player_statements import Join


class ClubGames:
    """The club's games as its leagues see them; `over` are those that are over, by their agendas."""

    def __init__(self, club: Club, over: frozenset[str]) -> None:
        self.club = club
        self.finished_games = over

    def ended_game(self, game: str) -> GameFacts | None:
        """Return the facts of a game that is over; None if it goes on or its ledger is faulty."""
        if game not in self.finished_games:
            return None
        try:
            book = self.club.book(game)
            return facts_of(self.club, book) if book.history.over else None
        except LedgerError:
            return None

    def has_ended_since(self, entry: Ended, league: LeagueBook) -> bool:
        """Tell whether a game has ended since its league last checked it, before another result is entered.

        Another command may have ended it; then its own result is due, and the audit would refute any other.

        Raises:
            LedgerError: the game's ledger cannot be read, so that the answer is unknown.
        """
        opened = league.season.rounds[entry.round - 1].opened_games.get(entry.pairing)
        if (
            opened is None
            or opened.game in self.finished_games
            or not self.club.book(opened.game).history.over
        ):
            return False
        self.finished_games |= {opened.game}
        return True

    def counted_game(self, game: str, count: str) -> GameFacts | None:
        """Return a running game's facts, with places by a count of public facts; None if there are none."""
        try:
            book = self.club.book(game)
            view = _public_view(self.club, book)
        except PbemError:
            return None
        setting = setting_of(book.history.corrected)
        placed = places_by_count(setting.title.name, view, count) if view is not None else None
        if placed is None or view is None:
            return None
        return GameFacts(
            size=book.size,
            head=book.head,
            places=tuple((setting.seats[side], place) for side, place in placed),
            counts=counts_of(setting.title.name, view),
            reason=f"by the count of {count}",
        )

    def seated_people(self, game: str) -> frozenset[str] | None:
        """Return the people in the seats of a game; None if the game's ledger is faulty."""
        try:
            history = self.club.book(game).history
        except PbemError:
            return None
        return frozenset(history.seats.person(one.name) for one in history.genesis.players)


def facts_of(club: Club, book: Book) -> GameFacts:
    """Return the facts of a game that is over."""
    setting = setting_of(book.history.corrected)
    view = _public_view(club, book) if count_names(setting.title.name) else None
    return GameFacts(
        size=book.size,
        head=book.head,
        places=game_places(book.entries[-1], setting.seats),
        ending=Ending.FORFEITED if is_forfeit(book.history.ended_by) else Ending.PLAYED,
        counts=counts_of(setting.title.name, view) if view is not None else (),
        reason=book.history.ending or "",
    )


def _public_view(club: Club, book: Book) -> View | None:
    """Return the public's view of a game by its last report to the public; None before the first one."""
    reported = book.history.resolved[-1].reported if book.history.resolved else ()
    public = (entry.sha256 for entry in reported if entry.audience == "public")
    sha256 = next(public, None)
    return unpack_view(club.store.report(sha256)) if sha256 else None


def open_game(
    league: LeagueBook,
    game: str,
    number: int,
    seats: Mapping[str, str],
    brought: Brought,
    options: Mapping[str, str],
) -> str:
    """Open the game of a league's pairing, in a transaction; return the first head of the game's ledger.

    `seats`: side -> player; `brought`: the chains and steps that the answers to the call hold for this game.
    """
    club, file = league.club, league.file
    chosen: dict[str, Any] = file.game_options(number, len(seats))
    chosen |= {name: option_value(value) for name, value in options.items()}
    taken: dict[str, Join] = {}
    for side, player in seats.items():
        key = parse_public(league.season.key_of(player))
        taken[side] = Join(game=game, player=player, key=key)
    club.store.add_league_game(game, file.ledger)
    book = new_game(
        club, game, file.rules, chosen, taken, file.mode, exchanges=file.exchanges, brought=brought
    )
    head = book.head_at(1)
    assert head is not None
    return head


def stop_game(club: Club, game: str, reason: str) -> None:
    """Stop the clock of a game whose result its league has decided."""
    from pbem.judge.acts import act

    club.store.end_league_game(game)
    history = club.book(game).history
    if not history.over and history.held is None and history.current is not None:
        act(club, game, HOLD, reason=reason)
