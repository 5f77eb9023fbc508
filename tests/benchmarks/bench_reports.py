"""How long it takes to make of a position what a player gets: report, page, map, orders of a bot, forecast.

For every game, after some exchanges: pytest tests/benchmarks/bench_reports.py
The first PNG of a process draws the board and takes longer; those after it are measured.
"""

from __future__ import annotations

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from pbem.pages import report_page
from pbem.pictures.base import Painter, png
from pbem.practice.table import Table
from pbem.reports.packing import pack_view
from pbem.titles import Title, load
from tests.bots.matches import GAMES, best_of

EXCHANGES = 6


@pytest.fixture(scope="module", params=GAMES)
def title(request: pytest.FixtureRequest) -> Title:
    return load(request.param)


@pytest.fixture(scope="module")
def table(title: Title) -> Table:
    """A game that its best bots have begun."""
    table = Table(title.name, {}, 3)
    for _ in range(EXCHANGES):
        bots = {side: best_of(title)(side) for side in table.sides}
        table.exchange(
            {side: bot.write(table.view(side), table.open_asks(side)) for side, bot in bots.items()}
        )
    return table


@pytest.fixture
def painter(title: Title) -> Painter:
    assert title.pictures
    return title.pictures


def test_report(benchmark: BenchmarkFixture, table: Table) -> None:
    assert benchmark(table.report, table.sides[0])


def test_packing_of_a_view(benchmark: BenchmarkFixture, table: Table) -> None:
    assert benchmark(pack_view, table.play.game.view("gm"))


def test_page(benchmark: BenchmarkFixture, table: Table) -> None:
    report = table.report(table.sides[0])
    assert benchmark(lambda: report_page(report, source="cid:picture").html)


def test_map_as_svg(benchmark: BenchmarkFixture, table: Table, painter: Painter) -> None:
    seen = table.last.seen[table.sides[0]]
    assert benchmark(lambda: painter.draw(seen.after, seen.told).svg)


def test_map_as_png(benchmark: BenchmarkFixture, table: Table, painter: Painter) -> None:
    seen = table.last.seen[table.sides[0]]
    picture = painter.draw(seen.after, seen.told)
    png(picture)
    assert benchmark(png, picture)


def test_forecast_of_a_bot_s_orders(benchmark: BenchmarkFixture, title: Title, table: Table) -> None:
    side = table.sides[0]
    text = best_of(title)(side).write(table.view(side), table.open_asks(side))
    assert title.forecast
    benchmark(title.forecast.forecast, title.language.parse(text, side).orders, table.view(side))
