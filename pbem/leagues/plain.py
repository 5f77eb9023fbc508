"""A league's file in everyday words, for who wants to enter and does not read the file itself."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from pbem.leagues.file import LeagueFile
from pbem.leagues.formats.knockout import LOT, REPLAY
from pbem.leagues.model import Leavers

_LEAVERS = {
    Leavers.ANNULLED: "None of the games of somebody who leaves counts in the table.",
    Leavers.HALF_PLAYED: "If somebody leaves who has played half of their games, results stand and the rest "
    "is lost; with fewer, none of their games counts.",
    Leavers.OPEN_LOST: "If somebody leaves, results stand, and the games that go on are lost.",
}
_UNFINISHED = {
    "director": "is decided by the director",
    "draw": "is a draw",
    "panel": "is decided by the panel",
    "count": "is decided by the count of",
}


def in_words(file: LeagueFile) -> tuple[tuple[str, str], ...]:
    """Heading and text of each part of the rules."""
    parts = (
        ("What is played", _played(file)),
        ("Who may enter", _entered(file)),
        ("Rounds", _rounds(file)),
        ("Who meets whom", _met(file)),
        ("Points", _points(file)),
        ("Whoever stops", _stopped(file)),
        ("Objections", _objected(file)),
        ("People", _people(file)),
    )
    return tuple((heading, " ".join(lines)) for heading, lines in parts)


def _played(file: LeagueFile) -> Iterator[str]:
    options = ", ".join(f"{name} {value}" for name, value in file.options)
    yield f"The game is {file.rules}" + (f" with {options}." if options else ".")
    for number, own in file.options_of_round:
        yield f"Round {number}: {', '.join(f'{name} {value}' for name, value in own)}."
    if file.tables[1]:
        yield f"Tables have {file.tables[0]} to {file.tables[1]} players."
    match file.sides:
        case "bids":
            yield "Players bid for sides, each without seeing the other's bid."
        case "both":
            yield "Each pairing is two games, with sides changed."
        case _:
            yield "Sides are drawn so that everybody has each about as often."
    yield f"Orders are due {_days(dict(file.rhythm)['days'])} after a report."


def _entered(file: LeagueFile) -> Iterator[str]:
    yield f"Entries close at {_when(file.until)}."
    yield f"From {file.least} to {file.most} can take part."
    if file.last:
        yield f"Ratings are taken over from {', '.join(one.name for one in file.last)}; drawn is by these."
        yield "Who took part there enters with the key that they had at its end."
    if file.rank:
        lowest = " and whoever was in none" if file.rank == len(file.last) else ""
        yield f"This is class {file.rank} of {len(file.last)}, for those who have come to it{lowest}."
    yield "Who comes later is paired from the next round on." if file.late else "Nobody can enter after that."


def _rounds(file: LeagueFile) -> Iterator[str]:
    yield f"There are {file.rounds} rounds." if file.rounds else "There are as many rounds as are needed."
    if file.last_dates:
        yield f"They end on {', '.join(f'{one:%Y-%m-%d}' for one in file.last_dates)}."
    else:
        yield f"A round takes {_days(file.days)} at most."
    if file.gap_days:
        yield f"The next one is drawn {_days(file.gap_days)} after its end."
    yield f"For the dice of a draw everybody has {_days(file.draw_days)} to answer."
    decided = f"{_UNFINISHED[file.unfinished]} {file.count}".rstrip()
    yield f"A game that is not over at a round's end {decided}."


def _met(file: LeagueFile) -> Iterator[str]:
    match file.format:
        case "sections":
            twice = ", twice, with sides changed" if file.double else ""
            yield f"Everybody meets everybody of their section of at most {file.size}{twice}."
            yield from _after_sections(file)
        case "swiss":
            first = "equal points meet" if file.swiss.order == "points" else "sides are kept even"
            yield f"Nobody meets twice as long as that is possible; then {first}."
            if file.odd == "eliminator":
                yield "Who has no opponent meets an eliminator, or has a bye if there is none."
            else:
                yield "Who has no opponent has a bye."
            if file.half_byes:
                times = "once" if file.half_byes == 1 else f"{file.half_byes} times"
                yield f"Everybody may ask {times} not to be paired in a round, for the points of a draw."
        case "knockout":
            yield "Who loses is out. Byes are in the first round only."
            match file.drawn:
                case decider if decider == LOT:
                    yield "A drawn game is decided by lot."
                case decider if decider == REPLAY:
                    yield "A drawn game is played again with sides changed, then decided by lot."
                case side:
                    yield f"After a drawn game {side} goes on."
            if file.third:
                yield "There is a game for the third place."
        case _:
            yield f"You challenge somebody at most {file.reach} rungs above you; who wins takes their rung."


def _after_sections(file: LeagueFile) -> Iterator[str]:
    if file.final:
        yield "Then the winners meet in a final; who shares a first place is drawn for it."
    if file.up or file.down:
        yield f"The first {file.up} go up a class, the last {file.down} go down."


def _points(file: LeagueFile) -> Iterator[str]:
    score = file.scoring
    yield (
        f"A win is worth {score.win}, a draw {score.draw}, a loss {score.loss}, a bye {score.bye}, "
        f"a game that the opponent forfeits {score.forfeit}."
    )
    if score.tie_breaks:
        yield f"Equal points are parted by {', then by '.join(score.tie_breaks)}."
    yield f"Forfeited games {'count' if file.forfeits_rated else 'do not count'} for ratings."


def _stopped(file: LeagueFile) -> Iterator[str]:
    yield _LEAVERS[file.scoring.leavers]
    yield f"A game that does not count is worth {file.scoring.annulled} to whoever has not left."
    if file.replace_days:
        yield f"The place waits {_days(file.replace_days)} for a substitute before its games are lost."
        yield "The first of the list of substitutes takes it, and enters the list by signing so."
    if file.silent_calls:
        yield f"A player who does not answer {file.silent_calls} calls in a row counts as withdrawn."


def _objected(file: LeagueFile) -> Iterator[str]:
    if not file.appeal_days:
        yield "The league does not wait for appeals."
        return
    yield f"A round stays open to appeals for {_days(file.appeal_days)} after its last result."
    yield f"An appeal that is not answered within {_days(file.answer_days)} is refused."


def _people(file: LeagueFile) -> Iterator[str]:
    yield f"The director is {file.director}."
    if file.assistants:
        yield f"Assistants are {', '.join(file.assistants)}."
    if file.panel:
        yield f"Of the panel are {', '.join(file.panel)}."


def _days(number: float) -> str:
    return "a day" if number == 1 else f"{number:g} days"


def _when(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M} UTC"
