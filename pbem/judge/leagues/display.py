"""Shows a league in words, and writes its pages into a folder that club.toml names; all of this is public.

    [leagues]
    publish = "/srv/www/leagues"    # each league's pages are a folder below this one, for everybody to read

Pages are written when the ledger has grown since they were written last. What cannot be written is told, and
is tried again in the next pass.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pbem import __version__
from pbem.characters import BLANKS, lower
from pbem.errors import ConfigError, LedgerError
from pbem.judge.agenda import Agenda, standing_line
from pbem.judge.club import Club
from pbem.judge.leagues.book import Done, load_league
from pbem.leagues import results_table
from pbem.leagues.facts import RoundState
from pbem.leagues.news import describe_next_event
from pbem.leagues.round_drawing import ladder
from pbem.leagues.season import Season, results_of
from pbem.trust.times import utc_text

WIDTH = 76
"""Maximum number of letters in a line of a bracket."""


class Leagues:
    """The club's leagues, each of which is read again only when its ledger has a new entry."""

    def __init__(self, club: Club) -> None:
        self.club = club
        self._read: dict[str, tuple[str, Season, list[str]]] = {}

    def names(self, *, running: bool = False) -> list[str]:
        """Return the names of the club's leagues: of all, or of those that are not over."""
        rows = self.club.store.leagues()
        return [row.name.removeprefix("league.") for row in rows if not (running and row.over)]

    def leagues_of(self, player: str) -> list[str]:
        """Return the running leagues in which a player takes part, or waits as a substitute."""
        return [name for name in self.names(running=True) if self._is_in(player, self.season(name))]

    @staticmethod
    def _is_in(player: str, season: Season) -> bool:
        member = season.members.get(player)
        return player in season.offers if member is None else not member.leaving_reason

    def season(self, name: str) -> Season:
        """Return the present state of one league."""
        return self._of(name)[1]

    def standings(self, name: str) -> list[str]:
        """Return a league's standings as lines of text."""
        return self._of(name)[2]

    def _of(self, name: str) -> tuple[str, Season, list[str]]:
        head = self.club.store.league_head(f"league.{name}")
        if name not in self._read or self._read[name][0] != head:
            season = load_league(self.club, name).season
            self._read[name] = head, season, standings(season)
        return self._read[name]


def align_columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return rows of words as lines of text in columns."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(word.ljust(width) for word, width in zip(row, widths, strict=True)).rstrip(BLANKS)
        for row in rows
    ]


def standings(season: Season) -> list[str]:
    """Return a league's tables without tie-breaks, as its pages show them; for a ladder, its rungs."""
    lines = [headline(season)]
    if season.file.format == "ladder" and (order := ladder(season)):
        rungs = align_columns([(str(rung), player) for rung, player in enumerate(order, 1)])
        return [*lines, *rungs, *substitutes(season)]
    for division, rows in results_table.tables(season):
        if division:
            lines += ["", f"section {division}"]
        told = [(str(row.place), row.player, str(row.points), str(row.played), row.note) for row in rows]
        lines += align_columns([("place", "player", "points", "games", ""), *told])
    return [*lines, *substitutes(season), *bracket(season)]


def substitutes(season: Season) -> list[str]:
    """Return a line with a league's waiting substitutes in order; no line if there are none."""
    names = [name for name, offer in season.offers.items() if offer.is_listed]
    return [f"list of substitutes: {', '.join(names)}"] if names and not season.is_over else []


def bracket(season: Season) -> list[str]:
    """Return the bracket of a knock-out by stages, after an empty line; nothing before its first draw."""
    made = results_table.bracket(season)
    if made is None:
        return []
    from textwrap import wrap

    from pbem.leagues.pages.bracket import bracket_in_words

    lines = ["", "The bracket"]
    for heading, told in bracket_in_words(made, results_of(season)):
        lines.append(f"  {heading}")
        for line in told:
            lines += wrap(
                line,
                WIDTH,
                initial_indent="    ",
                subsequent_indent="      ",
                break_long_words=False,
                break_on_hyphens=False,
            )
    return lines


def with_bracket(season: Season, text: str) -> str:
    """Return a letter's text with the bracket below it, if there is one."""
    return text + "".join(f"{line}\n" for line in bracket(season))


def headline(season: Season) -> str:
    """Return a league's title, with what happens next and when."""
    return f"{season.file.title}: {describe_next_event(season)}"


def games_of(season: Season, player: str, agendas: Mapping[str, Agenda]) -> list[str]:
    """Return the lines of a player's tasks in a league, and of their running games with deadlines."""
    lines = []
    if (call := season.call) is not None and player in call.waiting and call.opened.deadline is not None:
        lines.append(
            f"call {call.number} waits for your answer until {utc_text(call.opened.deadline)}: "
            f"pbem league reply {season.file.name}"
        )
    return lines + [line for state in season.rounds for line in _games(season, state, player, agendas)]


def _games(season: Season, state: RoundState, player: str, agendas: Mapping[str, Agenda]) -> Iterator[str]:
    for pair in state.unfinished_pairs:
        now = {season.name_now(name): name for name in pair.players}
        if player not in now:
            continue
        opened = state.opened_games.get(pair.number)
        sides = {seat.player: seat.side for seat in (opened.seats if opened else pair.seats)}
        others = [f"{name} {sides[named]}".rstrip(BLANKS) for name, named in now.items() if name != player]
        own = f"you {sides[now[player]]}".rstrip(BLANKS)
        yield f"{pair.game}: {own} against {', '.join(others)}; last date {utc_text(state.last_date)}"
        if opened is None:
            yield "    it is not open yet"
        elif pair.game in agendas:
            yield f"    {standing_line(agendas[pair.game]).removeprefix(f'{pair.game}: ')}"


PUBLISHED = "published "
"""Prefix of the note about a league's pages: the head of the ledger they show, the release that wrote
them, and where."""


def publish_folder(settings: Mapping[str, Any], club: Path) -> Path | None:
    """Return the folder below which leagues are published; None if club.toml names none.

    Raises:
        ConfigError: the setting has a mistake.
    """
    found = settings.get("leagues", {})
    if not isinstance(found, Mapping) or set(found) - {"publish"}:
        raise ConfigError('club.toml: [leagues] has publish, as in publish = "/srv/www", and nothing else')
    folder = found.get("publish", "")
    if not isinstance(folder, str):
        raise ConfigError("club.toml, [leagues]: publish must be the path of a folder")
    return club / folder if folder else None


def publish(club: Club) -> Iterator[Done]:
    """Write the pages of each league that has changed; yield a line about each, or about why it failed."""
    target = publish_folder(club.settings, club.path)
    if target is None:
        return
    for row in club.store.leagues():
        name = row.name.removeprefix("league.")
        note, now = f"{PUBLISHED}{name}", f"{club.store.league_head(row.name)} {__version__} {target}"
        folder = target / name
        if club.store.note(note) == now and (folder / "index.html").is_file():
            continue
        try:
            count = _write(club, name, folder)
        except LedgerError:  # told by whoever runs the league
            continue
        except OSError as problem:
            why = lower(problem.strerror or str(problem))
            yield Done(name, f"its pages cannot be written to {folder}: {why}", is_stopped=True)
            continue
        with club.store.step():
            club.store.put_note(note, now)
        yield Done(name, f"{count} pages are written to {folder}")


def _write(club: Club, name: str, folder: Path) -> int:
    from pbem.judge.leagues.book import load_league
    from pbem.leagues.pages import write
    from pbem.leagues.results_table import view

    return write(view(load_league(club, name).season), folder, public=True)
