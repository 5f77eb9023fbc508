"""A league by the commands alone: a director and two players with homes of their own."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pbem.cli import main
from pbem.judge import club as clubs
from tests.leagues.world import file_of

FILE = file_of("swiss", rounds="count = 1\ndays = 100", more='[sides]\nby = "bids"')


class Shop:
    """The commands, typed by a director and by players; the clock is the test's."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str], patch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self.capsys = capsys
        self.patch = patch
        self.now = datetime(2027, 1, 5, 12, tzinfo=UTC)
        original = clubs.open_club

        def open_club(path: Path, clock: clubs.Clock = lambda: self.now, key: object = None) -> clubs.Club:
            return original(path, clock, key)  # type: ignore[arg-type]

        patch.setattr(clubs, "open_club", open_club)
        patch.setattr("pbem.cli.league_player._now", lambda: self.now)
        patch.setenv("PBEM_CLUB", str(folder / "club"))

    def __call__(self, *words: str, home: str = "", status: int = 0) -> str:
        if home:
            self.patch.setenv("PBEM_HOME", str(self.folder / home))
        found = main(list(words))
        told = self.capsys.readouterr()
        assert found == status, told.out + told.err
        return told.out + told.err

    def sent(self, player: str) -> list[str]:
        """The sealed letters that lie ready for a player, oldest first."""
        folder = self.folder / "club" / "out" / player
        letters = sorted(folder.glob("*.txt"), key=lambda path: path.stat().st_mtime_ns)
        return [str(path) for path in letters if "-new-key-" not in path.name]


@pytest.fixture
def shop(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shop:
    found = Shop(tmp_path, capsys, monkeypatch)
    found("init", str(tmp_path / "club"))
    (tmp_path / "league.toml").write_bytes(FILE)
    return found


def test_a_league_of_two_by_commands(shop: Shop, tmp_path: Path) -> None:
    file = str(tmp_path / "league.toml")
    assert "cup: swiss, 1 rounds, 2 to 500" in shop("league", "check", file)
    assert "would take entries" in shop("league", "new", file, "--what-if")
    assert "takes entries until 2027-01-31T20:00:00Z" in shop("league", "new", file)
    judge = str(tmp_path / "club" / "keys" / "gm.pub")
    for name in ("ann", "ben"):
        shop("keygen", name, home=name)
        out = str(tmp_path / f"{name}.txt")
        shop("league", "enter", "cup", "--as", name, "--judge", judge, "--out", out, home=name)
        assert "says enter" in shop("submit", out)
    assert shop("league", "status", "cup") == ""
    shop.now = datetime(2027, 2, 1, 12, tzinfo=UTC)
    assert "would: call 1 is open" in shop("league", "run", "cup", "--what-if")
    assert "call 1 is open" in shop("run")
    assert shop("league", "run", "cup", "--what-if") == ""

    shop("keygen", "ann2", home="ann")
    out = str(tmp_path / "ann2.txt")
    shop("league", "new-key", "cup", "--as", "ann", "--new", "ann2", "--out", out, home="ann")
    assert "ann says new-key" in shop("submit", out)
    assert "ann has said this before" in shop("submit", out)

    for bid in ("", "e2"):
        for name in ("ann", "ben"):
            shop("receive", *shop.sent(name), home=name)
            out = str(tmp_path / f"{name}.age.txt")
            words = ["--bid", bid if name == "ann" else "s1"] if bid else []
            shop("league", "reply", "cup", *words, "--out", out, home=name)
            assert "received" in shop("submit", out)
        shop("run")
    assert "cup-r1-1" in shop("status")
    assert shop("league", "status", "cup", "--json").strip() == "[]"
    for name in ("ann", "ben"):
        shop("receive", *shop.sent(name), home=name)
    assert "cup-r1-1" in shop("games", home="ann")

    shop.now = datetime(2027, 9, 1, 12, tzinfo=UTC)
    needs = json.loads(shop("league", "status", "cup", "--json", status=1))
    assert [one["about"] for one in needs] == ["cup-r1-1"]
    assert re.match(r"pbem league rule cup result 1 1 adjudicated", needs[0]["command"])
    result = ["result", "1", "1", "adjudicated", "ann=1", "ben=2"]
    assert "would be entered" in shop(
        "league", "rule", "cup", *result, "--reason", "she stands better", "--what-if"
    )
    shop("league", "rule", "cup", *result, "--reason", "she stands better")
    assert "the league is over" in shop("run", "--after-gap")
    rows = json.loads(shop("league", "standings", "cup", "--json"))
    assert [(row["player"], row["points"]) for row in rows] == [("ann", "1"), ("ben", "0")]
    assert "wrote 11 files" in shop("league", "pages", "cup", "--into", str(tmp_path / "pages"))
    assert 'player-ann.html">ann</a>' in (tmp_path / "pages" / "index.html").read_text(encoding="utf-8")
    bundle = tmp_path / "bundle"
    shop("league", "export", "cup", "--into", str(bundle))
    assert (bundle / "standings.csv").read_bytes() == (tmp_path / "pages" / "standings.csv").read_bytes()
    assert "proven" in shop("audit", str(bundle))


def test_mistakes_are_told_at_once(shop: Shop, tmp_path: Path) -> None:
    path = tmp_path / "bad.toml"
    path.write_bytes(FILE.replace(b"least", b"leest").replace(b'"dora"', b'"Dora"'))
    told = shop("league", "check", str(path), status=1)
    assert "did you mean 'least'?" in told
    assert "'Dora' is no name" in told
    shop("league", "new", str(tmp_path / "league.toml"))
    assert "did you mean cup?" in shop("league", "standings", "cupp", status=1)
    assert "swiss" in shop("league", "preset", "swiss")
