"""The next event of a league and its time, in one public line: for letters, standings and pages."""

from __future__ import annotations

from datetime import datetime, timedelta

from pbem.leagues.model import OVER
from pbem.leagues.round_drawing import is_last, to_draw
from pbem.leagues.scheduler import MAX_GAMES_NAMED, next_time
from pbem.leagues.season import Season
from pbem.leagues.timeouts import settled_at
from pbem.trust.times import utc_text


def describe_next_event(season: Season) -> str:
    """Return the line that tells what happens next in a league, and when."""
    state = season.round
    if season.is_over:
        return OVER
    if (call := season.call) is not None and call.opened.deadline is not None:
        what = f"the {call.purpose.what} of round {call.purpose.round}"
        waiting = call.first_waiting(MAX_GAMES_NAMED + 1)
        if not waiting:
            return f"everybody has answered call {call.number}, for {what}: the next 'pbem club run' goes on"
        names = f" of {', '.join(waiting)}" if len(waiting) <= MAX_GAMES_NAMED else ""
        return f"the league waits for answers{names} for {what} until {utc_text(call.opened.deadline)}"
    if state is not None and state.over_at is None and not state.unfinished_pairs:
        settled = settled_at(season, state)
        appeals = f", and players can appeal until {utc_text(settled)}" if season.file.appeal_days else ""
        then = _after(season, state.number, settled)
        return f"all games of round {state.number} have results{appeals}; then {then}"
    if state is not None and state.over_at is None and not season.is_seated and season.players_to_seat(state):
        return f"the judge will ask for the bids of round {state.number}"
    if state is not None and state.over_at is None:
        until = utc_text(state.last_date)
        going = len(state.unfinished_pairs)
        games = "1 game goes on" if going == 1 else f"{going} games go on"
        return f"{games} in round {state.number}, until {until} at the latest"
    if state is None and season.started_at is None:
        return f"entries close at {utc_text(season.file.until)}"
    when = next_time(season, season.last_at)
    if season.file.format == "ladder" and state is not None and len(to_draw(season, state.number + 1)) < 2:
        rungs = "1 rung" if season.file.reach == 1 else f"{season.file.reach} rungs"
        return f"round {state.number + 1} is drawn after a challenge to a player at most {rungs} higher"
    return f"round {len(season.rounds) + 1} is drawn" + (f" at {utc_text(when)}" if when else "")


def _after(season: Season, number: int, until: datetime) -> str:
    """Return what follows a round that ends at `until`; on a ladder the next one waits for a challenge."""
    if is_last(season):
        return "the league is over"
    drawn = until + timedelta(days=season.file.gap_days)
    when = "" if season.file.format == "ladder" else f" at {utc_text(drawn)}"
    return f"round {number + 1} is drawn{when}"
