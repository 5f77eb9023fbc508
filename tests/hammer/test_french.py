"""R105: the French Knights come in the moment for which they wait, by whatever way it is reached.

Whoever holds which noble is looked at anew at every event and at every question; nothing here knows where in
the rules a noble changes side.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import pytest

from pbem.rules.base import View
from pbem.rules.hammer.facts import AREAS, ENGLAND, ENGLAND_AREA, EVENTS, NOBLES, SCOTLAND
from pbem.rules.hammer.game import Hammer
from tests.hammer.phases import random_game, watched_phases
from tests.hammer.play import Play, RandomPlayer
from tests.properties.random_play import Options

pytestmark = pytest.mark.ci


LENGTH = 40  # answers: as many as a turn or a winter has


@dataclass
class Watch:
    """One game: who held each noble when it was last looked at, and whether the French must have come."""

    game: Hammer
    sides: dict[str, str] = field(default_factory=dict)
    due: bool = False
    ways: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.sides = self.held()
        self.due = self.game.position.french

    def held(self) -> dict[str, str]:
        """Noble -> side."""
        return {name: self.game.position.blocks[name].side for name in NOBLES}

    @property
    def enough(self) -> bool:
        """Do the Scots hold eight, counted one by one?"""
        blocks = (self.game.position.blocks[name] for name in NOBLES)
        return sum(one.side == SCOTLAND and one.area in AREAS for one in blocks) >= EVENTS.french_from_nobles

    def look(self) -> None:
        """At a new event, and when somebody is asked."""
        assert self.game.position.french == self.due, (self.game.told("gm")[-3:], self.ways)

    def notice(self, event: str) -> None:
        """After an event: a noble who changed side may be the eighth."""
        before, self.sides = self.sides, self.held()
        if self.sides != before and self.game.options.french_join == "at_once":
            self.ways[event] += self.enough and not self.due
            self.due |= self.enough

    def winter(self) -> None:
        """Before the Scottish builds they are counted in any case."""
        self.due |= self.enough


def seven_held(start: View, chooser: random.Random) -> View:
    """A position with as many nobles in Scottish hands as still wait for one more, each where no enemy is."""
    blocks = {name: dict(row) for name, row in start["blocks"].items()}
    nobles = [name for name in NOBLES if name != "Moray" and blocks[name]["area"] in AREAS]
    chooser.shuffle(nobles)
    held = EVENTS.french_from_nobles - 1 - (blocks["Moray"]["area"] in AREAS)
    for number, name in enumerate(nobles):
        side = SCOTLAND if number < held else ENGLAND
        others = {row["area"] for one, row in blocks.items() if row["side"] != side and one != name}
        if blocks[name]["area"] in others and start["phase"] != "battles":
            blocks[name]["area"] = chooser.choice(
                [one for one in AREAS if one not in (*others, ENGLAND_AREA)]
            )
        blocks[name]["side"] = side
    return {**start, "blocks": blocks, "french": False, "battle": None, "attacks": {}, "entered": []}


def starts(options: Options, seed: int) -> list[View]:
    """Where the phases of a random game begin in which nobles may change side."""
    _, found = random_game(options, seed)
    phases = ("events", "battles", "english nobles", "scottish nobles")
    return [one.position for one in found if one.position["phase"] in phases]


def watch_games(monkeypatch: pytest.MonkeyPatch, options: Options, games: int) -> Counter[str]:
    """Random play from such positions; how the eighth came."""
    ways: Counter[str] = Counter()
    watches: dict[int, Watch] = {}
    tell = Hammer.tell

    def watched(game: Hammer, event: str, **told: Any) -> None:
        if event == "french":
            tell(game, event, **told)
            return
        watch = watches.setdefault(id(game.position), Watch(game))
        watch.look()
        tell(game, event, **told)
        watch.notice(event)

    def phase(game: Hammer) -> None:
        watch = watches.setdefault(id(game.position), Watch(game))
        watch.look()
        if game.position.phase == "french knights":
            watch.winter()

    chooser = random.Random(f"french {games}")
    positions = starts(options, 0)
    monkeypatch.setattr(Hammer, "tell", watched)
    with watched_phases(phase):
        for seed in range(games):
            play = Play(options, seed, position=seven_held(chooser.choice(positions), chooser))
            player = RandomPlayer(options, seed)
            watch = watches.setdefault(id(play.game.position), Watch(play.game))
            while play.game.outcome is None and len(play.answers) < LENGTH:
                play.answer(*player.next(play))
                watch.look()
            ways += watch.ways
            watches.clear()
    return ways


def test_the_french_come_with_the_noble_who_is_the_eighth(monkeypatch: pytest.MonkeyPatch) -> None:
    ways = watch_games(monkeypatch, {"scenario": "campaign", "edition": "3-de"}, 50)
    assert set(ways) >= {"captured", "defects", "home"}, ways


def test_the_french_come_in_winter_alone_by_the_rules_of_4_0(monkeypatch: pytest.MonkeyPatch) -> None:
    ways = watch_games(monkeypatch, {"scenario": "campaign", "edition": "4"}, 12)
    assert not ways
