"""Every argument and option of every command takes or refuses every nasty value, and the others go on."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from tests.nasty.lines import LINES_OF, NOT_TRIED, commands
from tests.nasty.values import NUMBERS, TEXTS, faults
from tests.nasty.world import facts, look_round, placed, type_in, world

COMMANDS = dict(commands())
IN_DRAW = 40
FOR_EVER = {(name, "passes", label) for name in ("serve", "club run") for label in ("negative", "digits")}
"""What would be done is done without end."""
STATUSES = (0, 1, 2, 3, 4, 5)


def typed(name: str) -> Iterator[tuple[str, list[str]]]:
    """Return, for each value in each place of a command, what it is and the words that are typed."""
    options, arguments = LINES_OF[name]
    places = [one for one in COMMANDS[name].params if isinstance(one, click.Argument)]
    for place in COMMANDS[name].params:
        for label, value in _values(place):
            if (name, place.name, label) in FOR_EVER:
                continue
            if isinstance(place, click.Option):
                words = [*_without(options, place), place.opts[0], *[value] * place.nargs]
                yield f"{name} {place.opts[0]}: {label}", [*words, "--", *arguments]
                continue
            at = [one.name for one in places].index(place.name)
            count = max(1, len(arguments) - at) if place.nargs != 1 else 1
            for number in range(at, at + count):
                words = [*arguments[:number], value, *arguments[number + 1 :]]
                yield f"{name} {place.human_readable_name}: {label}", [*options, "--", *words]


def _values(place: click.Parameter) -> Iterator[tuple[str, str]]:
    if isinstance(place, click.Option) and place.is_flag:
        return
    for label, value in TEXTS.items():
        if "\0" not in value:  # which no system hands over
            yield label, value
    if isinstance(place.type, click.types.IntParamType | click.types.FloatParamType):
        yield from NUMBERS.items()


def _without(options: list[str], place: click.Option) -> list[str]:
    left = list(options)
    while place.opts[0] in left:
        at = left.index(place.opts[0])
        del left[at : at + 1 + place.nargs]
    return left


class Typist:
    """Somebody who types in a world, and gets another one once something was done in it."""

    def __init__(self, place: Path) -> None:
        self.place, self.is_used = place, True

    def tries(self, name: str, label: str, words: list[str]) -> None:
        if self.is_used:
            shutil.rmtree(self.place, ignore_errors=True)
            self.is_used, self.facts = False, facts(world(self.place))
        with placed(self.place):
            told = type_in(*name.split(), *(self.facts.get(word, word) for word in words))
            assert told.status in STATUSES, label
            assert faults(told.text) == [], (label, told.text)
            assert told.status == 0 or told.text.strip(), label
            if told.status == 0:
                self.is_used = True
                look_round(label)


EVERY = [name for name in COMMANDS if name not in NOT_TRIED]


def test_every_command_has_a_line() -> None:
    assert set(LINES_OF) == set(COMMANDS)
    assert NOT_TRIED.keys() <= COMMANDS.keys()


@pytest.mark.ci
def test_a_draw_of_values_is_taken_or_refused(tmp_path: Path) -> None:
    every = [(name, *one) for name in EVERY for one in typed(name)]
    typist = Typist(tmp_path / "world")
    for name, label, words in random.Random(46).sample(every, IN_DRAW):
        typist.tries(name, label, words)


@pytest.mark.ci
@pytest.mark.parametrize("name", EVERY)
def test_every_value_is_taken_or_refused(name: str, tmp_path: Path) -> None:
    typist = Typist(tmp_path / "world")
    for label, words in typed(name):
        typist.tries(name, label, words)


FOUND = [
    ("act", "--reason holiday -- demo hold alice"),
    ("act", f"--reason {'x' * 501} -- demo hold"),
    ("extend", f"--reason {'x' * 501} -- demo 2"),
    ("extend", "--reason asked -- demo inf"),
    ("show", f"--reason {'x' * 501} --as scotland -- other"),
    ("export", f"--reason {'x' * 501} --as all --into exported -- other"),
    ("init", "--days nan -- new-club"),
    ("odds", "--game x -- a b"),
    ("report", "--reason asked -- other bj\udcf6rn"),
]


@pytest.mark.parametrize(("name", "line"), FOUND, ids=[line[:20] for _, line in FOUND])
def test_what_would_stop_a_game_is_refused(name: str, line: str, tmp_path: Path) -> None:
    world(tmp_path / "world")
    with placed(tmp_path / "world"):
        told = type_in(name, *line.split())
        assert told.status in (1, 2)
        assert faults(told.text) == []
        look_round(line)
