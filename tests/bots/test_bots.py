"""What bots write is legal, repeatable, and made from their own view alone."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pbem.bots import load_bots
from pbem.orders.hammer import LANGUAGE
from pbem.practice.table import Table
from pbem.rules.hammer.facts import SIDES
from tests.bots.matches import SCENARIOS, match, seated, wins_from

NAMES = tuple(load_bots("hammer"))

AGAIN = """
from hashlib import sha256
from tests.bots.matches import match
record = match(3, {"england": "random", "scotland": "captain"})
text = "".join(files[side] for files in record.orders for side in sorted(files))
print(sha256(text.encode()).hexdigest(), len(record.orders), record.outcome)
"""


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("name", [name for name in NAMES if name != "recruit"])  # he does not know of pins
def test_every_line_of_every_file_is_faultless(name: str, seed: int) -> None:
    table = Table("hammer", {"scenario": SCENARIOS[seed]}, seed)
    bots = {side: seated(name, side, seed) for side in SIDES}
    while table.outcome is None and table.number < 30:
        texts = {side: bot.write(table.view(side)) for side, bot in bots.items()}
        for side, text in texts.items():
            parsed = LANGUAGE.parse(text, side)
            faults = (*parsed.faults, *LANGUAGE.check(parsed.orders, table.view(side)))
            assert [str(fault) for fault in faults if not fault.remark] == [], text
        table.exchange(texts)


@pytest.mark.parametrize("name", NAMES)
def test_the_same_view_gives_the_same_orders(name: str) -> None:
    table = Table("hammer", {}, 5)
    for side in SIDES:
        one, other = seated(name, side, 1), seated(name, side, 1)
        assert one.write(table.view(side)) == other.write(table.view(side))


def test_a_game_of_bots_is_the_same_under_any_hash_seed(project: Path) -> None:
    told = {
        subprocess.run(
            [sys.executable, "-c", AGAIN],
            cwd=project,
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "4711")
    }
    assert len(told) == 1


@pytest.mark.parametrize("side", SIDES)
def test_the_captain_beats_the_random_player(side: str) -> None:
    """A sample; `python -m tests.tools.measure_bots` plays the 400 games."""
    assert wins_from(side, range(1000, 1003)) == 3


@pytest.mark.slow
@pytest.mark.parametrize("side", SIDES)
def test_the_captain_beats_the_random_player_in_95_of_100_games(side: str) -> None:
    assert wins_from(side, range(100)) >= 95


def test_captains_fight_a_whole_game_in_few_exchanges() -> None:
    record = match(8, dict.fromkeys(SIDES, "captain"))
    turns = sum(event["event"] == "turn" for one in record.resolutions for event in one.seen["public"].told)
    assert len(record.resolutions) < 2.5 * turns
