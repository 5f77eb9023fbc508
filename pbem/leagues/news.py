"""The news of a league: what comes next, what has happened, answers to appeals, dates, and headlines."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import NamedTuple

from pbem.leagues.model import OVER, Heard, News, how_ended, outcome_text
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
        then = _after_round(season, state.number, settled)
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


def _after_round(season: Season, number: int, until: datetime) -> str:
    """Return what follows a round that ends at `until`; on a ladder the next one waits for a challenge."""
    if is_last(season):
        return "the league is over"
    drawn = until + timedelta(days=season.file.gap_days)
    when = "" if season.file.format == "ladder" else f" at {utc_text(drawn)}"
    return f"round {number + 1} is drawn{when}"


Date = tuple[str, str, str]
"""A date of a league: its key, its UTC time, and the event."""


class Headline(NamedTuple):
    """A fact of a league that holds now and names no player."""

    about: str
    """The kind of fact: entries, call, drawn, results or finished."""
    key: str = ""
    """The numbers that tell the fact from others of its kind."""
    round: int = 0
    until: str = ""


def headlines(season: Season) -> Iterator[Headline]:
    """Yield what everybody may know of a league now: its entries, its call, and its last two rounds."""
    if season.is_over:
        yield Headline("finished")
    elif season.started_at is None and season.call is None and not season.rounds:
        yield Headline("entries", until=utc_text(season.file.until))
    if (call := season.call) is not None and not season.is_over and call.opened.deadline is not None:
        yield Headline("call", str(call.number), call.purpose.round, utc_text(call.opened.deadline))
    for state in season.rounds[-2:]:
        if state.over_at is None:
            yield Headline("drawn", str(state.number), state.number, utc_text(state.last_date))
        if entered := len(state.outcomes):
            yield Headline("results", f"{state.number} {entered}", state.number)


def recent_events_of(season: Season) -> tuple[News, ...]:
    """Return all news of a league, the latest first."""
    return tuple(sorted(_news(season), key=lambda one: (one.at, one.key), reverse=True))


def _news(season: Season) -> Iterator[News]:
    until = utc_text(season.file.until)
    yield News(key="begin", at=utc_text(season.genesis.at), title="Entries are open", text=f"until {until}")
    for state in season.rounds:
        number = state.number
        games, byes = len(state.pairings.pairs), len(state.pairings.byes) + len(state.pairings.half_byes)
        yield News(
            key=f"round {number} drawn",
            at=utc_text(state.pairings.at),
            title=f"Round {number} is drawn",
            text=f"games: {games}, byes: {byes}; it ends at {utc_text(state.last_date)}",
        )
        for pairing, ended in sorted(state.results.items()):
            yield News(
                key=f"result {number} {pairing}",
                at=utc_text(ended.at),
                title=f"Round {number}, game {pairing}: {how_ended(ended.ending, ended.reason)}",
                text=outcome_text(ended.ending, ended.places, ended.reason),
            )
        if state.over_at is not None:
            key = f"round {number} over"
            yield News(key=key, at=utc_text(state.over_at), title=f"Round {number} is over", text="")
    for one in season.substitutions:
        title = f"{one.player} takes the place of {one.of}"
        text = "as the first of the list of substitutes"
        yield News(key=f"place {one.of}", at=utc_text(one.at), title=title, text=text)
    for ruling in season.rulings:
        title = f"Ruling {ruling.number}: {' '.join(ruling.decides)}"
        text = f"by {ruling.by}: {ruling.reason}"
        yield News(key=f"ruling {ruling.number}", at=utc_text(ruling.at), title=title, text=text)
    answered = {number: one for number, (one, _) in season.answered_appeals.items()}
    for number, said in (season.appeals | answered).items():
        title = f"Appeal {number}: {said.player} against entry {said.entry}"
        yield News(key=f"appeal {number}", at=utc_text(said.at), title=title, text=said.reason)
    if season.end_entry is not None:
        yield News(key="over", at=utc_text(season.end_entry.at), title="The league is over", text="")


def appeals_heard(season: Season) -> tuple[Heard, ...]:
    """Return every appeal in a league by the number of its entry, with its answer."""
    file = season.file
    found = {number: (said, "") for number, said in season.appeals.items()}
    for number, (said, ruling) in season.answered_appeals.items():
        found[number] = said, f"{ruling.decides[-1]} by {ruling.by}: {ruling.reason}"
    for number, said in season.appeals.items():
        if file.appeal_days and season.last_at >= said.at + timedelta(days=file.answer_days):
            found[number] = said, f"refused, because nobody has answered it within {file.answer_days:g} days"
    return tuple(
        Heard(
            number=number,
            day=said.at.date().isoformat(),
            by=said.player,
            entry=said.entry,
            reason=said.reason,
            answer=answer,
        )
        for number, (said, answer) in sorted(found.items())
    )


def dates(season: Season) -> tuple[Date, ...]:
    """Return when entries close, calls are due and appeals end in a league; rounds end elsewhere."""
    return tuple(sorted(_dates(season), key=lambda one: (one[1], one[0])))


def _dates(season: Season) -> Iterator[Date]:
    file = season.file
    yield "entries", utc_text(file.until), "entries close"
    for call in season.calls:
        if call.opened.deadline is not None:
            what = f"answers to call {call.number}, for the {call.purpose.what} of round {call.purpose.round}"
            yield f"call-{call.number}", utc_text(call.opened.deadline), f"{what}, are due"
    if not file.appeal_days:
        return
    for state in season.rounds:
        if not state.unfinished_pairs and state.outcomes:
            until = utc_text(state.over_at or settled_at(season, state))
            yield f"appeals-{state.number}", until, f"the time to appeal about round {state.number} is over"
    for number, said in season.appeals.items():
        until = utc_text(said.at + timedelta(days=file.answer_days))
        yield f"appeal-{number}", until, f"appeal {number} of {said.player} is refused if it has no answer"
