"""What a league tells in words: its standings, somebody's games, what comes next. All of it is public."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pbem.judge.agenda import Agenda, stands
from pbem.judge.club import Club
from pbem.judge.leagues.book import load_league
from pbem.leagues import table
from pbem.leagues.drawing import ladder, to_draw
from pbem.leagues.due import MOST_TOLD, next_time
from pbem.leagues.parts import RoundState
from pbem.leagues.patience import settled_at
from pbem.leagues.season import Season
from pbem.trust.times import utc_text


class Leagues:
    """The club's leagues, each read once as long as nothing comes to its ledger."""

    def __init__(self, club: Club) -> None:
        self.club = club
        self._read: dict[str, tuple[str, Season, list[str]]] = {}

    def names(self, *, running: bool = False) -> list[str]:
        """What the leagues are called."""
        rows = self.club.store.leagues()
        return [row.name.removeprefix("league.") for row in rows if not (running and row.over)]

    def of(self, player: str) -> list[str]:
        """The running leagues in which somebody takes part."""
        found = ((name, self.season(name).members.get(player)) for name in self.names(running=True))
        return [name for name, member in found if member is not None and not member.left]

    def season(self, name: str) -> Season:
        """One league as it stands."""
        return self._of(name)[1]

    def standings(self, name: str) -> list[str]:
        """Its standings, line by line."""
        return self._of(name)[2]

    def _of(self, name: str) -> tuple[str, Season, list[str]]:
        head = self.club.store.league_head(f"league.{name}")
        if name not in self._read or self._read[name][0] != head:
            season = load_league(self.club, name).season
            self._read[name] = head, season, standings(season)
        return self._read[name]


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows of words as lines in columns."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(word.ljust(width) for word, width in zip(row, widths, strict=True)).rstrip() for row in rows
    ]


def standings(season: Season) -> list[str]:
    """The tables without their tie-breaks, which the pages have; for a ladder its rungs."""
    lines = [f"{season.file.title}: {coming(season)}"]
    if season.file.format == "ladder" and (order := ladder(season)):
        return [*lines, *aligned([(str(rung), player) for rung, player in enumerate(order, 1)])]
    for division, rows in table.tables(season):
        if division:
            lines += ["", f"section {division}"]
        told = [(str(row.place), row.player, str(row.points), str(row.played), row.note) for row in rows]
        lines += aligned([("place", "player", "points", "games", ""), *told])
    return lines


def coming(season: Season) -> str:
    """What happens next, and when."""
    state = season.round
    if season.over:
        return "it is over"
    if (call := season.call) is not None and call.opened.deadline is not None:
        what = f"the {call.purpose.what} of round {call.purpose.round}"
        if not call.waiting:
            return f"call {call.number}, for {what}, is answered by all: the next 'pbem run' goes on"
        names = f" of {', '.join(call.waiting)}" if len(call.waiting) <= MOST_TOLD else ""
        return f"answers{names} for {what} are waited for until {utc_text(call.opened.deadline)}"
    if state is not None and state.over is None and not state.unfinished:
        until = utc_text(settled_at(season, state))
        return f"all games of round {state.number} have results; appeals are heard, and it is over at {until}"
    if state is not None and state.over is None:
        until = utc_text(state.until)
        going = len(state.unfinished)
        games = "1 game goes on" if going == 1 else f"{going} games go on"
        return f"in round {state.number} {games}, until {until} at the latest"
    if state is None and season.started is None:
        return f"entries close at {utc_text(season.file.until)}"
    when = next_time(season, season.last_at)
    if season.file.format == "ladder" and state is not None and len(to_draw(season, state.number + 1)) < 2:
        rungs = "1 rung" if season.file.reach == 1 else f"{season.file.reach} rungs"
        return (
            f"round {state.number + 1} is drawn when somebody has challenged who stands at most {rungs} above"
        )
    return f"round {len(season.rounds) + 1} is drawn" + (f" at {utc_text(when)}" if when else "")


def games_of(season: Season, player: str, agendas: Mapping[str, Agenda]) -> list[str]:
    """What waits for somebody in a league, and their games that go on, with deadlines."""
    lines = []
    if (call := season.call) is not None and player in call.waiting and call.opened.deadline is not None:
        lines.append(
            f"call {call.number} waits for your answer until {utc_text(call.opened.deadline)}: "
            f"pbem league reply {season.file.name}"
        )
    return lines + [line for state in season.rounds for line in _games(season, state, player, agendas)]


def _games(season: Season, state: RoundState, player: str, agendas: Mapping[str, Agenda]) -> Iterator[str]:
    for pair in state.unfinished:
        now = {season.name_now(name): name for name in pair.players}
        if player not in now:
            continue
        opened = state.opened.get(pair.number)
        sides = {seat.player: seat.side for seat in (opened.seats if opened else pair.seats)}
        others = [f"{name} {sides[named]}".rstrip() for name, named in now.items() if name != player]
        own = f"you {sides[now[player]]}".rstrip()
        yield f"{pair.game}: {own} against {', '.join(others)}; last date {utc_text(state.until)}"
        if opened is None:
            yield "    it is not open yet"
        elif pair.game in agendas:
            yield f"    {stands(agendas[pair.game]).removeprefix(f'{pair.game}: ')}"
