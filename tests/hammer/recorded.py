"""A random game answered Ask by Ask, and the order files that say the same."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pbem.practice.table import SeededChance, Table
from pbem.rules import Game
from pbem.rules.hammer import RULES
from pbem.rules.hammer.facts import SIDES

SCENARIOS = ("braveheart", "the-bruce")
ASK = "ask truce\nask everything\n"
"""The wish to be asked everything; a card Truce would otherwise mean the truce."""

Moment = tuple[int, int]
"""Year and turn; the winter is turn 6."""


@dataclass(frozen=True, slots=True)
class Said:
    """One answer, when it was given, and in which battle (area, its number in the turn), if an event's."""

    side: str
    kind: str
    text: str
    moment: Moment
    battle: tuple[str, int]
    event: bool
    public: bool


@dataclass(frozen=True, slots=True)
class Stepwise:
    """A game answered step by step."""

    seed: int
    options: Mapping[str, str]
    said: tuple[Said, ...]
    game: Game


def play_stepwise(seed: int) -> Stepwise:
    """A random game: at every Ask any legal answer, but `done` and `pass` no more often than others."""
    options = {"scenario": SCENARIOS[seed % 2]}
    game = RULES.start(options, SeededChance(seed))
    dice = random.Random(seed)
    said: list[Said] = []
    while game.asks:
        ask = game.asks[0]
        text = dice.choice(ask.legal)
        view = game.view("public")
        fight = view["battle"]
        battle = (fight["area"], fight["number"]) if fight else ("", 0)
        moment = view["year"], view["turn"]
        said.append(Said(ask.side, ask.kind, text, moment, battle, view["phase"] == "events", ask.public))
        game.answer(ask.side, text)
    return Stepwise(seed, options, tuple(said), game)


def table_for(stepwise: Stepwise) -> Table:
    """A table at which the same game can be played by order files, with the same dice."""
    return Table("hammer", stepwise.options, stepwise.seed)


def moment_of(table: Table) -> Moment:
    """Where a table's game stands."""
    view = table.view(SIDES[0])
    return view["year"], view["turn"]


def play_one_by_one(stepwise: Stepwise) -> Table:
    """Again, one answer a file, each file ending in `ask everything`.

    Nobody is asked alone what only he can see asked: that stands in the file with the answer before it.
    """
    table, place, said = table_for(stepwise), 0, stepwise.said
    while table.outcome is None:
        files: dict[str, list[str]] = {side: [] for side in SIDES}
        end = place + (2 if table.last.stop == "cards" and said[place + 1].kind == "card" else 1)
        while end < len(said) and not said[end].public:
            end += 1
        for one in said[place:end]:
            files[one.side].append(line_for(one))
        table.exchange({side: "\n".join((*lines, "ask", ASK)) for side, lines in files.items()})
        place += len(table.last.answers)
        assert place <= end
    assert place == len(said)
    return table


def play_whole_turns(stepwise: Stepwise) -> Table:
    """Again, with one file for each turn or winter that spells out all that a side did in it."""
    table = table_for(stepwise)
    while table.outcome is None:
        moment = moment_of(table)
        table.exchange({side: spelled_out(stepwise, side, moment) for side in SIDES})
    return table


# -- answers as order lines


def line_for(one: Said) -> str:
    """One answer as a line that answers the same question."""
    if one.kind == "raid":
        return one.text.replace("disband", "raid")
    return one.text


NOBODY = {
    "move": "move none",
    "sail": "sail none",
    "victuals": "build none",
    "pillage-build": "build none",
    "disband": "disband none",
    "build": "build none",
}


def spelled_out(stepwise: Stepwise, side: str, moment: Moment) -> str:
    """Everything that a side answered in a turn or winter, as one file."""
    mine = [one for one in stepwise.said if one.side == side and one.moment == moment]
    lines = [*_choices(mine), *_lists(mine), *_regroups(mine), ASK]
    return "\n".join(lines)


def _choices(mine: list[Said]) -> Iterator[str]:
    for one in mine:
        if one.kind not in (*NOBODY, "regroup"):
            yield line_for(one)


def _lists(mine: list[Said]) -> Iterator[str]:
    for kind, nobody in NOBODY.items():
        steps = [one.text for one in mine if one.kind == kind]
        if steps:
            yield from [text for text in steps if text != "done"] or [nobody]


def _regroups(mine: list[Said]) -> Iterator[str]:
    """A plan for each battle's regroup; an event's battle and a later one may be for the same area."""
    battles = dict.fromkeys((one.battle, one.event) for one in mine if one.kind == "regroup")
    for battle, event in battles:
        when = "if event battle: " if event else "if not event battle: "
        yield f"plan {battle[0]}:"
        yield from (
            when + one.text
            for one in mine
            if one.kind == "regroup" and one.battle == battle and one.text != "done"
        )
        yield f"{when}regroup rest stay"
        yield "end"
