"""The games of a league as the judge has them: opened by its ledger, and asked what came of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pbem.errors import LedgerError, PbemError
from pbem.judge.book import Book
from pbem.judge.club import Club
from pbem.judge.leagues.book import LeagueBook
from pbem.leagues import counts
from pbem.leagues.due import GameFacts
from pbem.leagues.model import Ending
from pbem.play.adjudicate import option_value, setting_of
from pbem.play.outcome import game_places
from pbem.trust.act_entries import CLAIM, HOLD
from pbem.trust.chains import Reveal
from pbem.trust.keys import parse_public
from pbem.trust.letters import Join


class ClubGames:
    """The club's games; `over`: those that are over, by their agendas."""

    def __init__(self, club: Club, over: frozenset[str]) -> None:
        self.club = club
        self.over = over

    def ended(self, game: str) -> GameFacts | None:
        """What came of a game that is over; None while it goes on, or while its ledger is at fault."""
        if game not in self.over:
            return None
        try:
            book = self.club.book(game)
            return facts_of(self.club, book) if book.history.over else None
        except LedgerError:
            return None

    def counted(self, game: str, count: str) -> GameFacts | None:
        """Where a game stands by a count of its title, as all can see it."""
        from pbem.judge.bench import replay

        try:
            played = replay(self.club, game)
            setting = played.adjudicator.setting
            view = played.adjudicator.play.game.view("public")
            placed = counts.places(setting.title.name, view, count)
        except PbemError:
            return None
        if placed is None:
            return None
        names = dict(setting.seats)
        book = played.book
        return GameFacts(
            size=book.size,
            head=book.head,
            places=tuple((names[side], place) for side, place in placed),
            counts=counts.of(setting.title.name, view),
            reason=f"by the count of {count}",
        )


def facts_of(club: Club, book: Book) -> GameFacts:
    """What came of a game that is over."""
    setting = setting_of(book.history.corrected)
    ended = book.history.ended_by
    return GameFacts(
        size=book.size,
        head=book.head,
        places=game_places(book.entries[-1], setting.seats),
        ending=Ending.FORFEITED if ended is not None and ended.what == CLAIM else Ending.PLAYED,
        counts=_counts(club, book.game, setting.title.name),
        reason=book.history.ending or "",
    )


def _counts(club: Club, game: str, title: str) -> tuple[tuple[str, int], ...]:
    """The title's counts at the end, where it has any."""
    from pbem.judge.bench import replay

    if not counts.names(title):
        return ()
    play = replay(club, game).adjudicator.play
    return counts.of(title, play.game.view("public")) if play.begun else ()


def open_game(
    league: LeagueBook,
    game: str,
    number: int,
    seats: Mapping[str, str],
    anchors: Mapping[str, str],
    options: Mapping[str, str],
) -> str:
    """Open the game of a pairing, within a step; its first head.

    `seats`: side -> player; `anchors`: player -> the anchor of their chain for it, of who has sent one.
    """
    club, file = league.club, league.file
    chosen: dict[str, Any] = file.game_options(number)
    chosen |= {name: option_value(value) for name, value in options.items()}
    taken: dict[str, str | Join] = {}
    for side, player in seats.items():
        key = parse_public(league.season.key_of(player))
        anchor = anchors.get(player)
        taken[side] = player
        if anchor is not None:
            chain = Reveal(f"{player}.1", 0, anchor)
            taken[side] = Join(game=game, player=player, key=key, anchor=chain)
    club.store.add_league_game(game, file.ledger)
    book = club.new_game(game, file.rules, chosen, taken, file.mode, exchanges=file.exchanges)
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
