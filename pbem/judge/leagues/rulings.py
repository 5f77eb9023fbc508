"""Enters the director's rulings in a league, each with its reason, and tells all who take part."""

from __future__ import annotations

from collections.abc import Sequence

from pbem.errors import ConfigError
from pbem.judge.acts import reason_of
from pbem.judge.club import Club
from pbem.judge.leagues.book import LeagueBook, load_league
from pbem.judge.leagues.games import stop_game
from pbem.judge.leagues.letters import EMPTY, tell, tell_new_key, tell_seats, vacancies
from pbem.leagues.entries import ADMIT, ANSWER, EXPEL, KEY, RESULT, Ruled
from pbem.leagues.scheduler import TakePlace
from pbem.trust.faults import LedgerFault
from pbem.trust.keys import parse_public


def rule(
    club: Club, league: str, decides: Sequence[str], *, by: str = "", reason: str, what_if: bool = False
) -> str:
    """Enter a director's ruling in a league and return it in a line; `by` rules, by default the director.

    `what_if`: enter nothing, and return what would be entered.

    Raises:
        ConfigError: the ruling is not possible now, or lacks a reason.
    """
    with club.store.step(keep=not what_if):
        book = load_league(club, league)
        told = _rule(book, tuple(decides), by or book.file.director, reason_of(reason))
    return f"{told}; this would be entered" if what_if else told


def _rule(book: LeagueBook, decides: tuple[str, ...], by: str, reason: str) -> str:
    entry = Ruled(
        number=len(book.season.rulings) + 1, by=by, decides=decides, reason=reason, at=book.club.clock()
    )
    try:
        book.append(entry)
    except LedgerFault as fault:
        raise ConfigError(str(fault).removeprefix(f"entry {book.size + 1} cannot stand there: ")) from None
    if entry.what == RESULT:
        state = book.season.rounds[int(decides[1]) - 1]
        opened = state.opened_games.get(int(decides[2]))
        if opened is not None:
            stop_game(book.club, opened.game, f"{book.file.title}: {reason}")
    if entry.what == KEY:
        book.club.replace_key(decides[1], parse_public(book.season.key_of(decides[1])))
        tell_new_key(book, decides[1])
    text = f"{book.file.title}: ruling {entry.number} by {by}: {' '.join(decides)}.\nReason: {reason}\n"
    if entry.what == ANSWER:
        appeal, _ = book.season.answered_appeals[int(decides[1])]
        text += f"{appeal.player} had appealed against entry {appeal.entry}: {appeal.reason}\n"
    names = {name for name, one in book.season.members.items() if not one.leaving_reason}
    if entry.what == ADMIT:
        player = decides[1]
        of = next(of for of, now in book.season.successors.items() if now == player)
        tell_seats(book, TakePlace(player, of), text)
        names.remove(player)
    tell(book, sorted(names), text, vacancies(book.season, decides[1]) if entry.what == EXPEL else EMPTY)
    return f"{book.file.name}: ruling {entry.number}: {' '.join(decides)}"
