"""The commands `pbem ratings`, as they are typed."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbem.cli import main
from pbem.errors import MISSING_STATUS
from pbem.ratings.record import RATINGS
from pbem.trust import keys
from tests.judge.table import GAME
from tests.ratings.clubs import club_of, concede


@pytest.fixture
def club(tmp_path: Path) -> Path:
    """The folder of a club with one rated game, which bob has lost."""
    table = concede(club_of(tmp_path, {"alice": keys.generate(), "bob": keys.generate()}), "bob")
    table.club.store.close()
    return table.club.path


def test_a_club_shows_exports_and_checks_its_ratings(
    club: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    at = ("--club", str(club))
    assert main(["ratings", *at]) == 0
    title, alice, bob = capsys.readouterr().out.splitlines()
    assert title == "Hammer of the Scots"
    assert alice.split() == "1653? 1072 to 2234 alice 1 game".split()
    assert bob.split() == "1347? 766 to 1928 bob 1 game".split()
    assert main(["ratings", "--sides", *at]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 5
    out, both = str(tmp_path / "out"), tmp_path / "both.txt"
    assert main(["ratings", "export", out, "--bundles", *at]) == 0
    assert main(["ratings", "merge", out, "--out", str(both)]) == 0
    assert "1 games are checked" not in capsys.readouterr().out
    assert both.read_bytes() == (tmp_path / "out" / RATINGS).read_bytes()


def test_without_bundles_nothing_is_checked(
    club: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = str(tmp_path / "out")
    assert main(["ratings", "export", out, "--club", str(club)]) == 0
    assert not (tmp_path / "out" / GAME).exists()
    assert main(["ratings", "merge", out]) == MISSING_STATUS
    told = capsys.readouterr().out
    assert "no game that counts for ratings is over" in told
    assert "not checked, and not counted: hammer, 2026-01-01, first head" in told


def test_a_club_without_such_games_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = club_of(tmp_path, {"alice": keys.generate(), "bob": keys.generate()})
    table.club.store.close()
    assert main(["ratings", "--club", str(table.club.path)]) == 0
    assert capsys.readouterr().out == "no game that counts for ratings is over\n"
