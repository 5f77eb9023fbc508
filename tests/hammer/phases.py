"""Every place where a game may be started again: what the judge sees when a phase begins."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from pbem.rules.base import View
from pbem.rules.hammer.game import Hammer
from pbem.rules.hammer.sequence import TURN
from pbem.rules.hammer.winter_7 import WINTER
from tests.hammer.play import Play, RandomPlayer
from tests.properties.random_play import Options


@dataclass(frozen=True, slots=True)
class PhaseStart:
    """The position at the beginning of a phase, and how far the game had come."""

    position: View
    answered: int  # answers given before it
    told: int  # events told before it


@contextmanager
def watched_phases(notice: Callable[[Hammer], None]) -> Iterator[None]:
    """While inside, every phase of every game calls `notice` before it begins."""

    def wrap(phase: Callable[[Hammer], Awaitable[None]]) -> Callable[[Hammer], Awaitable[None]]:
        async def noticed(game: Hammer) -> None:
            notice(game)
            await phase(game)

        return noticed

    tables = (TURN, WINTER)
    originals = [dict(table) for table in tables]
    for table in tables:
        for name, phase in table.items():
            table[name] = wrap(phase)
    try:
        yield
    finally:
        for table, original in zip(tables, originals, strict=True):
            table.update(original)


def random_game(options: Options, seed: int, stops: bool = False) -> tuple[Play, list[PhaseStart]]:
    """A whole random game and the beginnings of its phases."""
    starts: list[PhaseStart] = []
    answers: list[tuple[str, str]] = []

    def notice(game: Hammer) -> None:
        position = json.loads(json.dumps(game.view("gm")))
        starts.append(PhaseStart(position, len(answers), len(game.told("gm"))))

    with watched_phases(notice):
        play = Play(options, seed, stops=stops)
        play.answers = answers
        player = RandomPlayer(options, seed)
        while play.game.outcome is None:
            if play.game.at_stop:
                play.game.go_on()
            else:
                play.answer(*player.next(play))
    return play, starts
