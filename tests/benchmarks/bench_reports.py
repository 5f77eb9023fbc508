"""How long a report takes, and its part for programs.

pytest tests/benchmarks/bench_reports.py
"""

from pytest_benchmark.fixture import BenchmarkFixture

from pbem.reports.packing import pack_view
from pbem.titles.hammer import TITLE
from tests.hammer.report_scenes import SCENES

STYLE = TITLE.style


def test_a_report_of_a_turn_with_three_battles(benchmark: BenchmarkFixture) -> None:
    at = next(at for scene in SCENES for name, at in scene() if name == "turn")
    view, told, context = at.game.view("england"), at.game.told("england"), at.context("england")
    assert "Battle 3" in benchmark(STYLE.report, "england", view, view, told, (), context)


def test_the_packing_of_a_view(benchmark: BenchmarkFixture) -> None:
    at = next(at for scene in SCENES for name, at in scene() if name == "turn")
    assert benchmark(pack_view, at.game.view("gm"))
