"""Explains a league's file in everyday words, for those who want to enter and do not read the file."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from pbem.characters import BLANKS
from pbem.leagues.config import LeagueFile
from pbem.leagues.formats.knockout import LOT, REPLAY
from pbem.leagues.model import WithdrawalScoring
from pbem.trust.times import clock_in_words, days_in_words

_LEAVERS = {
    WithdrawalScoring.ANNULLED: "If a player leaves, none of their games counts in the table.",
    WithdrawalScoring.HALF_PLAYED: "If a player leaves after half of their games, their results stay, and "
    "the other games are lost. If they leave earlier, none of their games counts.",
    WithdrawalScoring.OPEN_LOST: "If a player leaves, their results stay, and their open games are lost.",
}
_UNFINISHED = {
    "director": "is decided by the director",
    "draw": "is a draw",
    "panel": "is decided by the panel",
    "count": "is decided by the count of",
}


def in_words(file: LeagueFile) -> tuple[tuple[str, str], ...]:
    """Return the heading and the text of each part of a league's rules."""
    parts = (
        ("What is played", _play_rules(file)),
        ("Who may enter", _entry_rules(file)),
        ("Rounds", _rounds(file)),
        ("Who meets whom", _met(file)),
        ("Points", _points(file)),
        ("Players who stop", _leaving_rules(file)),
        ("Objections", _appeal_rules(file)),
        ("People", _people(file)),
    )
    return tuple((heading, " ".join(lines)) for heading, lines in parts)


def _play_rules(file: LeagueFile) -> Iterator[str]:
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
            yield "Sides are drawn so that everybody plays each side about the same number of times."
    yield f"The clock of a game: {clock_in_words(dict(file.rhythm))}."


def _entry_rules(file: LeagueFile) -> Iterator[str]:
    yield f"Entries close at {_when(file.until)}."
    yield f"From {file.least} to {file.most} can take part."
    if file.last:
        yield f"Ratings come from {', '.join(one.name for one in file.last)}; the draw uses them."
        yield "Whoever played there enters with the key that they had at its end."
    if file.rank:
        lowest = ", and for players without a class" if file.rank == len(file.last) else ""
        yield f"This is class {file.rank} of {len(file.last)}, for players of this class{lowest}."
    yield "Whoever enters later begins in the next round." if file.late else "Nobody can enter after that."


def _rounds(file: LeagueFile) -> Iterator[str]:
    many = "is 1 round" if file.rounds == 1 else f"are {file.rounds or 'as many'} rounds"
    yield f"There {many}." if file.rounds else f"There {many} as are needed."
    if file.last_dates:
        yield f"They end on {', '.join(f'{one:%Y-%m-%d}' for one in file.last_dates)}."
    else:
        yield f"A round takes {days_in_words(file.days)} at most."
    if file.gap_days:
        yield f"The next one is drawn {days_in_words(file.gap_days)} after its end."
    yield f"Before a draw the judge calls, and everybody has {days_in_words(file.draw_days)} to answer."
    decided = f"{_UNFINISHED[file.unfinished]} {file.count}".rstrip(BLANKS)
    yield f"A game that is not over at a round's end {decided}."


def _met(file: LeagueFile) -> Iterator[str]:
    match file.format:
        case "sections":
            twice = ", twice, with sides changed" if file.double else ""
            yield f"A section has at most {file.size} players. Everybody in it meets everybody else{twice}."
            yield from _after_sections(file)
        case "swiss":
            next_rule = "equal points meet" if file.swiss.order == "points" else "sides are kept even"
            yield f"Nobody meets the same opponent twice if that is possible. After that, {next_rule}."
            if file.odd == "eliminator":
                yield "A player without an opponent meets an eliminator; if there is none, they have a bye."
            else:
                yield "A player without an opponent has a bye."
            if file.half_byes:
                times = "once" if file.half_byes == 1 else f"{file.half_byes} times"
                yield f"Everybody may ask {times} not to play a round, and gets the points of a draw for it."
        case "knockout":
            yield "The loser of a game is out. Byes are in the first round only."
            match file.drawn:
                case decider if decider == LOT:
                    yield "Dice decide a drawn game."
                case decider if decider == REPLAY:
                    yield "A drawn game is played again with sides changed. If that is a draw, dice decide."
                case side:
                    yield f"After a drawn game {side} goes on."
            if file.third:
                yield "There is a game for the third place."
        case _:
            yield f"You challenge somebody at most {file.reach} rungs above you. The winner gets their rung."


def _after_sections(file: LeagueFile) -> Iterator[str]:
    if file.final:
        yield "Then the winners meet in a final. If players share a first place, dice choose one of them."
    if file.up or file.down:
        yield f"The first {file.up} go up a class, the last {file.down} go down."


def _points(file: LeagueFile) -> Iterator[str]:
    score = file.scoring
    yield (
        f"A win is worth {score.win}, a draw {score.draw}, a loss {score.loss}, a bye {score.bye}, "
        f"a game that the opponent forfeits {score.forfeit}."
    )
    if score.tie_breaks:
        yield f"If points are equal, this decides: {', then '.join(score.tie_breaks)}."
    yield f"Forfeited games {'count' if file.forfeits_rated else 'do not count'} for ratings."


def _leaving_rules(file: LeagueFile) -> Iterator[str]:
    yield _LEAVERS[file.scoring.leavers]
    yield f"For a game that does not count, a player who has not left gets {file.scoring.annulled}."
    if file.replace_days:
        yield f"The place waits {days_in_words(file.replace_days)} for a substitute; then its games are lost."
        yield "The first on the list of substitutes gets it. 'pbem league substitute' puts you on the list."
    if file.silent_calls:
        yield f"A player who does not answer {file.silent_calls} calls in a row counts as withdrawn."


def _appeal_rules(file: LeagueFile) -> Iterator[str]:
    if not file.appeal_days:
        yield "The league does not wait for appeals."
        return
    yield f"Players can appeal for {days_in_words(file.appeal_days)} after the last result of a round."
    yield f"An appeal that is not answered within {days_in_words(file.answer_days)} is refused."


def _people(file: LeagueFile) -> Iterator[str]:
    yield f"The director is {file.director}."
    if file.assistants:
        yield f"Assistants are {', '.join(file.assistants)}."
    if file.panel:
        yield f"The panel is {', '.join(file.panel)}."


def _when(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M} UTC"
