"""The chief and the marshal beat random players from every seat, asked or by file."""

from __future__ import annotations

from typing import Any

import pytest

from pbem.practice.table import SeededChance, Table
from pbem.rules import load
from pbem.titles import load as load_title
from tests.bots.card_matches import RANDOM, SENSIBLE, seats, wins_asked, wins_by_file

SEATS = [(name, options, side) for name in SENSIBLE for options, side in seats(name)]


@pytest.mark.parametrize(("name", "options", "side"), SEATS)
def test_it_beats_random_players(name: str, options: dict[str, Any], side: str) -> None:
    assert sum(wins_asked(name, options, side, seed) for seed in range(3)) >= 2


@pytest.mark.parametrize(("name", "options", "side"), SEATS[::3])
def test_it_beats_random_players_by_file(name: str, options: dict[str, Any], side: str) -> None:
    assert sum(wins_by_file(name, options, side, seed) for seed in range(3)) >= 2


@pytest.mark.slow
@pytest.mark.parametrize("wins", [wins_asked, wins_by_file])
@pytest.mark.parametrize("name", SENSIBLE)
def test_it_wins_eighty_of_a_hundred(name: str, wins: Any) -> None:
    for options, side in seats(name):
        assert sum(wins(name, options, side, seed) for seed in range(100)) >= 80, (options, side)


@pytest.mark.parametrize("pace", ["", "strict"])
@pytest.mark.parametrize("name", SENSIBLE)
def test_what_bots_write_is_understood(name: str, pace: str) -> None:
    """Whole games in which no line is at fault, at every pace."""
    title, options = load_title(name), {"pace": pace} if pace else {}
    for bot in title.bots.values():
        table = Table(name, options, 4)
        bots = {side: bot(side) for side in table.sides}
        while table.outcome is None and table.number < 400:
            texts = {side: one.write(table.view(side), table.asks(side)) for side, one in bots.items()}
            for side, text in texts.items():
                assert not [str(f) for f in title.language.parse(text, side).faults if not f.remark], text
            table.exchange(texts)
        assert table.outcome is not None


@pytest.mark.parametrize("name", SENSIBLE)
def test_the_same_view_gives_the_same_orders(name: str) -> None:
    rules = load(name)
    side = rules.sides({})[0]
    view = rules.start({}, SeededChance(1), stops=True).view(side)
    for make in (SENSIBLE[name], RANDOM[name]):
        assert make(side).write(view) == make(side).write(view)
    assert SENSIBLE[name](side).write(view)
