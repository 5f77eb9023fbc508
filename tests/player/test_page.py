"""pbem page: what a player looks at in a browser."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pbem.cli import main
from pbem.player import Home
from tests.player.judge import GAME

REPORT = Path(__file__).parents[2] / "games/campaign-to-1298/reports/scotland/demo-0006.txt"


@pytest.mark.ci
def test_a_report_becomes_a_page_and_a_picture(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page, svg, png = (tmp_path / name for name in ("turn.html", "map.svg", "map.png"))
    assert main(["page", "--report", str(REPORT), "--out", str(page), "--picture", str(svg)]) == 0
    assert main(["page", "--report", str(REPORT), "--out", str(page), "--picture", str(png)]) == 0
    assert "Map of Scotland" in svg.read_text(encoding="utf-8")
    assert "Map of Scotland" in page.read_text(encoding="utf-8")
    assert png.read_bytes().startswith(b"\x89PNG")
    assert capsys.readouterr().out.split() == [str(page), str(svg), str(page), str(png)]


def test_a_report_may_be_named_alone_and_a_file_that_is_no_text_is_no_fault(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page, odd = tmp_path / "turn.html", tmp_path / "odd.txt"
    odd.write_bytes(b"\xf3\0\x1b")
    assert main(["page", str(REPORT), "--out", str(page)]) == 0
    assert "Map of Scotland" in page.read_text(encoding="utf-8")
    for words in (["page", "--report"], ["page"]):
        assert main([*words, str(odd), "--out", str(page)]) == 0
    assert "fault in the program" not in capsys.readouterr().err


def test_it_says_which_reports_there_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PBEM_HOME", str(tmp_path))
    assert main(["keygen", "alice"]) == 0
    named = ["--judge", f"SHA256:{'A' * 43}"]
    assert main(["join", "dunbar-7", "--as", "alice", *named, "--out", str(tmp_path / "join")]) == 0
    capsys.readouterr()
    assert main(["page"]) == 1
    assert (
        "there is no such report of dunbar-7; kept are those of exchanges: none yet"
        in capsys.readouterr().err
    )


def test_the_report_of_any_exchange_can_be_named_also_the_invitation(
    alice: Home,
    play: Callable[[int], None],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    play(1)
    monkeypatch.setenv("PBEM_HOME", str(alice.path))
    monkeypatch.chdir(alice.path)
    pages = {}
    for number in ("0", "1", ""):
        out = alice.path / f"{number or 'last'}.html"
        assert main(["page", GAME, *(("--exchange", number) if number else ()), "--out", str(out)]) == 0
        pages[number] = out.read_bytes()
    assert pages["1"] == pages[""] != pages["0"]
