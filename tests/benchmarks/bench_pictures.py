"""How long a map takes as SVG and as PNG, and the page of a report.

pytest tests/benchmarks/bench_pictures.py
The first PNG of a process draws the board and takes longer; those after it are measured.
"""

from __future__ import annotations

from pathlib import Path

from pytest_benchmark.fixture import BenchmarkFixture

from pbem.pages import report_page
from pbem.pictures.hammer import PAINTER
from pbem.pictures.png import png
from tests.hammer.map_scenes import played, scene

REPORT = Path(__file__).parents[2] / "games/campaign-to-1298/reports/scotland/demo-0006.txt"


def test_map_as_svg(benchmark: BenchmarkFixture) -> None:
    view, told = scene(played(3, 60), "scotland")
    assert benchmark(lambda: PAINTER.draw(view, told).svg)


def test_map_as_png(benchmark: BenchmarkFixture) -> None:
    picture = PAINTER.draw(*scene(played(3, 60), "scotland"))
    png(picture)
    assert benchmark(png, picture)


def test_page(benchmark: BenchmarkFixture) -> None:
    report = REPORT.read_text(encoding="utf-8")
    assert benchmark(lambda: report_page(report, source="cid:picture").html)
