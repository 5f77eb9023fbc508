"""The captain of Hammer wins against random play, in few exchanges, and the same game each time."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbem.rules.hammer.facts import SIDES
from pbem.titles.hammer.bots.outlook import Man, Outlook, enemy_power, exact_chance, likely_enemies, power
from tests.bots.matches import best_wins
from tests.hammer.matches import SCENARIOS
from tests.hammer.order_table import situation
from tests.running import python
from tests.tools.measure_exchanges import count_game

pytestmark = pytest.mark.ci(but=("test_in_a_battle_too_large_for_exact_odds_who_attacks_fires_last_too",))


AGAIN = """
from hashlib import sha256
from pbem.practice.table import Table
from tests.bots.matches import seated
from tests.bots.playing import play_bots
bots = {side: seated("hammer", bot, side) for side, bot in (("england", "random"), ("scotland", "captain"))}
record = play_bots(Table("hammer", {"scenario": "the-bruce"}, 3), bots)
text = "".join(files[side] for files in record.orders for side in sorted(files))
print(sha256(text.encode()).hexdigest(), len(record.orders), record.outcome)
"""


def test_a_game_of_bots_is_the_same_under_any_hash_seed(project: Path) -> None:
    told = {python("-c", AGAIN, cwd=project, PYTHONHASHSEED=seed).stdout for seed in ("0", "4711")}
    assert len(told) == 1


def wins_from(side: str, seeds: range) -> int:
    """How many of these games the captain wins from this side; the scenario alternates with the seed."""
    return sum(best_wins("hammer", {"scenario": SCENARIOS[seed % 2]}, side, seed) for seed in seeds)


@pytest.mark.parametrize("side", SIDES)
def test_the_captain_beats_the_random_player(side: str) -> None:
    """A sample; `python -m tests.tools.measure_bots` plays the 400 games."""
    assert wins_from(side, range(1000, 1003)) == 3


def test_in_a_battle_too_large_for_exact_odds_who_attacks_fires_last_too() -> None:
    england = "York Infantry, Durham Infantry, Lancaster Archers, Wales Archers, Hobelars, Cumbria Infantry"
    game = situation("scottish builds", turn=6, scotland={"Mentieth": "Wallace"}, england={"Fife": england})
    outlook = Outlook(game.view("scotland"))
    enemies = enemy_power(likely_enemies(outlook, "Fife"))
    men = tuple(Man(name, 3, 0) for name in ("Keith", "Fraser", "Grant", "Lindsay", "Douglas", "Barclay"))
    assert 0.84 * enemies < power(men) <= enemies
    assert exact_chance(outlook, "Fife", men) < 50


@pytest.mark.slow
@pytest.mark.parametrize("side", SIDES)
def test_the_captain_beats_the_random_player_in_95_of_100_games(side: str) -> None:
    assert wins_from(side, range(200)) >= 190


@pytest.mark.parametrize(
    ("pair", "in_a_turn", "in_a_winter", "factor"),
    [("both with plans", 3.0, 2.0, 2), ("both with guards", 2.2, 1.0, 5)],
)
def test_captains_play_in_few_exchanges(pair: str, in_a_turn: float, in_a_winter: float, factor: int) -> None:
    """One game; `python -m tests.tools.measure_exchanges` plays some hundreds."""
    count = count_game("hammer", pair, "braveheart", 4)
    assert count.per(count.exchanges, "turn") <= in_a_turn
    assert count.per(count.exchanges, "winter") <= in_a_winter
    assert count.factor >= factor
