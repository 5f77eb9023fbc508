"""`pbem show --html` and `--json` of a judge's game, a bundle and a home; and a public that has to wait."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pbem.judge.club import MAX_DELAY
from tests.disputes.story import GAME, WHY, Story


def told(story: Story, *words: object, home: str = "", status: int = 0) -> dict[str, Any]:
    """The story that a command prints."""
    found: dict[str, Any] = json.loads(story.pbem("show", *words, "--json", home=home, status=status).out)
    return found


def exchanges(found: dict[str, Any]) -> dict[str, list[int]]:
    """Track -> its exchanges."""
    return {track["reader"]: [one["exchange"] for one in track["exchanges"]] for track in found["tracks"]}


def test_a_running_game_is_told_to_the_public_and_to_each_side_alone(played: Story) -> None:
    assert exchanges(told(played, GAME)) == {"public": [1, 2, 3]}
    refused = played.pbem("show", GAME, "--as", "scotland", "--json", status=1)
    assert "--reason" in refused.err
    assert exchanges(told(played, GAME, "--as", "scotland", *WHY)) == {"scotland": [1, 2, 3]}
    assert "still played" in played.pbem("show", GAME, "--as", "all", "--json", *WHY, status=1).err
    orders = told(played, GAME, "--as", "scotland", *WHY)["tracks"][0]["exchanges"][2]["orders"]
    assert "Wallace" in orders[0]["text"]


@pytest.mark.ci
def test_judge_bundle_and_home_tell_a_side_the_same(played: Story) -> None:
    played.receive("alice")
    judge = told(played, GAME, "--as", "scotland", *WHY)
    bundle = told(played, played.bundle("scotland"))
    club = played.folder / "club"
    played.pbem("show", GAME, "--html", played.folder / "judge.html", "--as", "scotland", *WHY)
    played.pbem("show", played.folder / "bundle-scotland", "--html", played.folder / "bundle.html")
    club.rename(played.folder / "elsewhere")
    try:
        home = told(played, GAME, home="alice")
        played.pbem("show", GAME, "--html", played.folder / "home.html", home="alice")
        refused = played.pbem("show", GAME, "--json", "--as", "england", home="alice", status=1)
        assert "your home holds what scotland was shown" in refused.err
    finally:
        (played.folder / "elsewhere").rename(club)
    assert judge == bundle == home
    files = [(played.folder / f"{name}.html").read_bytes() for name in ("judge", "bundle", "home")]
    assert files[0] == files[1] == files[2]


@pytest.mark.ci
def test_a_finished_game_is_told_on_all_tracks(played: Story) -> None:
    played.act("agree-draw", "enough", played.consent("agree-draw"))
    found = told(played, GAME)
    assert exchanges(found) == {reader: [1, 2, 3] for reader in ("england", "scotland", "public", "gm")}
    assert found["over"]
    assert found["outcome"] == "draw, reason the players have agreed on a draw"
    assert told(played, played.bundle()) == found


@pytest.mark.ci
def test_what_cannot_be_shown_is_refused_in_words(played: Story, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    assert (
        "choose one of --report, --html and --json"
        in played.pbem("show", GAME, "--json", "--html", page, status=2).err
    )
    bundle = played.bundle("public")
    assert "tells what public knows" in played.pbem("show", bundle, "--as", "england", "--json", status=1).err
    page.write_text("my own notes")
    assert "name another file" in played.pbem("show", GAME, "--html", page, status=1).err


def delay(story: Story, said: str) -> None:
    settings = story.folder / "club/club.toml"
    settings.write_text(settings.read_text(encoding="utf-8") + f"\n[public]\ndelay_exchanges = {said}\n")


@pytest.mark.ci
def test_every_public_way_out_waits_as_long_as_the_club_says(played: Story) -> None:
    now = played.pbem("show", GAME).out
    report = played.pbem("report", GAME).out
    earlier = played.folder / "club/out"
    assert earlier.is_dir()
    delay(played, "1")
    assert exchanges(told(played, GAME)) == {"public": [1, 2]}
    page = played.folder / "public.html"
    played.pbem("show", GAME, "--html", page)
    assert b"Battle of Angus" not in page.read_bytes()
    assert played.pbem("show", GAME).out != now
    assert "Angus: England" not in played.pbem("report", GAME).out
    assert played.pbem("report", GAME).out != report
    bundle = played.bundle("public")
    assert sorted(path.name for path in (bundle / "reports/public").iterdir()) == ["0001.txt", "0002.txt"]
    assert exchanges(told(played, bundle)) == {"public": [1, 2]}
    entries = "".join(path.read_text(errors="replace") for path in (bundle / "log").glob("*.entry"))
    assert "resolve 3" not in entries
    assert "resolve 2" in entries
    assert "refuted" not in played.audit.splitlines()[-1]
    assert exchanges(told(played, GAME, "--as", "scotland", *WHY)) == {"scotland": [1, 2, 3]}
    assert (played.bundle("scotland") / "reports/public/0003.txt").is_file()


def test_a_finished_game_makes_nobody_wait(played: Story) -> None:
    delay(played, "3")
    assert played.pbem("report", GAME, status=1).err
    assert exchanges(told(played, GAME)) == {"public": []}
    played.act("agree-draw", "enough", played.consent("agree-draw"))
    assert exchanges(told(played, GAME))["public"] == [1, 2, 3]


@pytest.mark.parametrize("wrong", ["-1", str(MAX_DELAY + 1), "true", '"two"'])
def test_a_delay_that_is_none_is_refused(wrong: str, played: Story) -> None:
    delay(played, wrong)
    refused = played.pbem("show", GAME, status=1)
    assert "[public]: delay_exchanges must be a number from 0 to 99" in refused.err
