"""What happens next in a league, and when, in one line: for letters, standings and pages; it is public."""

from __future__ import annotations

from pbem.leagues.drawing import to_draw
from pbem.leagues.due import MOST_TOLD, next_time
from pbem.leagues.patience import settled_at
from pbem.leagues.season import Season
from pbem.trust.times import utc_text


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
    if state is not None and state.over is None and not season.seated and season.to_seat(state):
        return f"the seats of round {state.number} are called for"
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
