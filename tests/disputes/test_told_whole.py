"""What is told of recorded games, whole: explanations, and what another order would have changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbem.audit.bundle_record import read_record
from pbem.disputes.explain import explain
from pbem.disputes.record import ALL
from pbem.disputes.steps import walk
from pbem.disputes.whatif import Change, OtherLine, OtherRule, what_if
from pbem.errors import ConfigError
from tests.golden.test_recorded_games import GAMES
from tests.kept import Telling, as_kept

MANY = 10_000
"""More steps than a game has."""
GOLDEN = Path(__file__).parent / "golden"
ASKED: dict[str, dict[str, tuple[str, ...]]] = {
    "campaign-to-1298": {
        ALL: ("winter", "refused"),
        "scotland": ("exchange 3", "1297.2 battle", "refused", "move Wallace", "france"),
        "public": ("winter", "received alice", "move Wallace"),
    },
    "first-war-1298": {
        ALL: ("raid", "exchange 4", "received", "exchange 99"),
        "scots": ("battle", "exchange 4", "1298 spring"),
        "public": ("battle", "raid"),
    },
    "lords-for-three": {ALL: ("exchange 9",), "red": ("exchange 9",), "public": ("muster",)},
}
"""Game -> reader -> events."""
TRIED: dict[str, dict[int, tuple[Change, ...]]] = {
    "campaign-to-1298": {
        2: (OtherLine("scotland", "move Wallace from Fife to Atholl"),),
    },
    "first-war-1298": {
        3: (OtherLine("scots", "event none"), OtherLine("english", "strategy none", 1)),
        6: (OtherLine("scots", "victory carnage"), OtherLine("scots", "", 2), OtherRule("years", "3")),
    },
    "lords-for-three": {9: (OtherLine("red", "muster best down"),)},
}
"""Game -> exchange -> what might have been."""


@pytest.mark.ci(but=("campaign-to-1298", "first-war-1298"))
@pytest.mark.parametrize("game", GAMES, ids=lambda path: str(path.name))
def test_what_is_told_of_a_recorded_game_is_as_it_was(game: Path) -> None:
    record = read_record(game / "bundle.tar.gz")
    told = Telling()

    def add(heading: str, text: str) -> None:
        told.add(heading, text.split("\n"))

    for reader, events in ASKED[game.name].items():
        narrowed = record if reader == ALL else record.narrowed(reader)
        assert reader == ALL or narrowed.narrowed(reader) == narrowed
        for event in events:
            try:
                add(f"{event}, to {reader}", explain(narrowed, event, pictures=event == "raid"))
            except ConfigError as fault:
                add(f"{event}, to {reader}, refused", str(fault))
    for number, changes in TRIED[game.name].items():
        for change in changes:
            add(f"exchange {number}, {change}", what_if(record, number, change))
    steps = walk(record, range(MANY)).steps
    assert [bool(step.before) for step in steps] == [False, *(True for _ in steps[1:])]
    as_kept(GOLDEN / f"{game.name}.txt", str(told))
