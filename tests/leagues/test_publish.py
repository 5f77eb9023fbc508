"""[leagues] publish: a pass writes the pages of each league that has changed, for everybody to read."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from pbem.errors import ConfigError
from pbem.judge.leagues.display import publish, publish_folder
from pbem.service.one_pass import Pass
from tests.leagues.world import Entered, World, file_of


@pytest.fixture
def world(entered: Entered, tmp_path: Path) -> World:
    made = entered(file_of("swiss"), "ann", "ben")
    made.club.settings = {**made.club.settings, "leagues": {"publish": str(tmp_path / "www")}}
    return made


def test_a_pass_writes_the_pages_of_what_has_changed(world: World, tmp_path: Path) -> None:
    before = os.umask(0o077)
    try:
        told = [line.text for line in Pass(world.club, after_gap=True).run()]
    finally:
        os.umask(before)
    pages = tmp_path / "www/cup"
    assert any("pages are written to" in line for line in told), told
    assert "entries close" in (pages / "index.html").read_text(encoding="utf-8")
    assert pages.stat().st_mode & 0o777 == 0o755
    assert {path.stat().st_mode & 0o777 for path in pages.iterdir()} == {0o644}
    assert list(publish(world.club)) == [], "nothing has changed"
    world.enter("cat")
    (done,) = publish(world.club)
    assert (done.league, done.is_stopped) == ("cup", False)
    assert (pages / "player-cat.html").is_file()
    (pages / "index.html").unlink()
    assert len(list(publish(world.club))) == 1, "what is gone is written again"


def test_a_folder_that_cannot_be_written_is_told_and_tried_again(world: World, tmp_path: Path) -> None:
    (tmp_path / "www").write_text("in the way")
    (told,) = publish(world.club)
    assert told.is_stopped
    assert told.text.startswith(f"its pages cannot be written to {tmp_path / 'www/cup'}: ")
    (tmp_path / "www").unlink()
    (told,) = publish(world.club)
    assert not told.is_stopped


def test_nothing_is_published_unasked(world: World, tmp_path: Path) -> None:
    unasked: tuple[dict[str, object], ...] = ({}, {"leagues": {}}, {"leagues": {"publish": ""}})
    for settings in unasked:
        assert list(publish(replace(world.club, settings=settings))) == []
    assert publish_folder({"leagues": {"publish": "www"}}, tmp_path) == tmp_path / "www"


@pytest.mark.parametrize(
    ("found", "told"),
    [
        ("www", "[leagues] has publish, as in publish"),
        ({"into": "www"}, "[leagues] has publish, as in publish"),
        ({"publish": True}, "publish must be the path of a folder"),
    ],
)
def test_settings_that_cannot_be(found: object, told: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as fault:
        publish_folder({"leagues": found}, tmp_path)
    assert told in str(fault.value)
