"""A whole game looked back at from a home: the player's own side alone, and what they had feared."""

from __future__ import annotations

import json
import shutil
import tarfile
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from pbem.errors import ConfigError
from pbem.player import Home
from pbem.player.faults import Refused
from pbem.web import looking_back
from pbem.web.api import Api
from pbem.web.looking_back import Feared, keep_forecast
from pbem.web.practice import Practice
from pbem.web.reading import counted_files
from tests.conftest import chance
from tests.web.table import CommandPlayer, Judge, bot_orders, opened, pbem

GAME, SIDES = "hearth", ["scotland", "england"]


class Stage:
    """A game whose exchange 4 is open; Alice has asked for a forecast before exchange 2."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        judge = Judge(folder)
        players = opened(judge, folder, GAME, "hammer", SIDES, scenario="braveheart")
        self.alice, self.bob = players
        orders = bot_orders("hammer", "scotland", self.alice.view)
        self.forecast = Api(self.alice.home).check(GAME, orders, forecast=True).forecast
        self.play(judge, players, orders)
        self.play(judge, players, bot_orders("hammer", "scotland", self.alice.view))

    def play(self, judge: Judge, players: list[CommandPlayer], orders: str) -> None:
        judge.run("submit", self.alice.seal(GAME, orders))
        judge.run("submit", self.bob.seal(GAME, bot_orders("hammer", "england", self.bob.view)))
        judge.run("run")
        for player in players:
            player.read_letters(judge)


@cache
def stage_in(base: Path) -> Stage:
    """The game, played once for all modules that look at it."""
    with chance.of("a game looked back at"):
        return Stage(base / "looking-back")


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Stage:
    """The game."""
    return stage_in(tmp_path_factory.getbasetemp())


def game_in(document: str) -> dict[str, Any]:
    """The story in a document, as the viewer unpacks it."""
    found: list[Any] = []
    packed = json.loads(document)
    for node in packed["nodes"]:
        if not isinstance(node, list):
            found.append(node)
        elif node[0] < 0:
            found.append([found[place] for place in node[1:]])
        else:
            found.append(
                {key: found[place] for key, place in zip(packed["keys"][node[0]], node[1:], strict=True)}
            )
    game: dict[str, Any] = found[packed["root"]]
    return game


def test_a_home_tells_its_own_side_with_the_keys_of_its_dice(stage: Stage) -> None:
    looked = Api(stage.alice.home).look_back(GAME)
    game = game_in(looked.story)
    (track,) = game["tracks"]
    assert (track["reader"], game["over"]) == ("scotland", False)
    assert [one["exchange"] for one in track["exchanges"]] == [1, 2, 3]
    history = Home(stage.alice.home).folder(GAME).chronicle()
    assert history is not None
    mixes = [one.resolved.mix for one in history.history.resolved if one.resolved]
    assert [one["key"] for one in track["exchanges"]] == mixes
    assert {order["side"] for one in track["exchanges"] for order in one["orders"]} == {"scotland"}


def test_what_was_feared_stands_beside_the_orders_that_counted(stage: Stage) -> None:
    feared = Api(stage.alice.home).look_back(GAME).feared
    assert stage.forecast
    assert feared[2] == Feared(tuple(part["said"] for part in stage.forecast))
    assert 3 not in feared, "nobody asked for one"


def test_a_forecast_of_other_orders_says_so_and_gives_way_to_the_judges(stage: Stage, tmp_path: Path) -> None:
    home = shutil.copytree(stage.alice.home, tmp_path / "home")
    keep_forecast(home / "page", GAME, 3, "move Wallace to Fife\n", [{"said": "Nobody is there."}])
    found = Api(home).look_back(GAME).feared[3]
    assert found == Feared(("Nobody is there.",), draft="move Wallace to Fife\n")
    folder = Home(home).folder(GAME)
    folder.keep_forecast(counted_files(folder)(3), "Wallace goes to Fife.\n\nHe may be attacked.\n")
    found = Api(home).look_back(GAME).feared[3]
    assert found == Feared(("Wallace goes to Fife.", "He may be attacked."), judges=True)


@pytest.mark.ci
def test_the_last_forecast_is_kept_and_a_long_or_damaged_one_is_not(
    stage: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = shutil.copytree(stage.alice.home, tmp_path / "home")
    place = home / f"page/{GAME}-0002.forecast"
    before = place.read_bytes()
    keep_forecast(home / "page", GAME, 2, "", [])
    assert place.read_bytes() == before, "a draft without a forecast says nothing"
    size = len(json.dumps({"orders": "card 2", "lines": ["x"]}))
    monkeypatch.setattr(looking_back, "MAX_FORECAST_SIZE", size - 1)
    keep_forecast(home / "page", GAME, 2, "card 2", [{"said": "x"}])
    assert place.read_bytes() == before
    assert Api(home).look_back(GAME).feared == {}, "what is larger than what is kept is not read"
    monkeypatch.setattr(looking_back, "MAX_FORECAST_SIZE", size)
    keep_forecast(home / "page", GAME, 2, "card 2", [{"said": "x"}])
    assert place.stat().st_size == size
    for damaged in (b"", b"x", b"[]", b'{"orders": 1}', b'{"orders": "x", "lines": [1]}', b"[" * 50_000):
        monkeypatch.setattr(looking_back, "MAX_FORECAST_SIZE", 60_000)
        place.write_bytes(damaged)
        assert Api(home).look_back(GAME).feared == {}


def test_what_was_feared_is_in_no_file_that_others_are_given(stage: Stage, tmp_path: Path) -> None:
    """Neither in the file of the game nor in what the home hands over; it travels with the home alone."""
    said = max((part["said"] for part in stage.forecast), key=len)
    out = tmp_path / "hearth.html"
    pbem("show", GAME, "--html", out, PBEM_HOME=stage.alice.home, PBEM_CLUB=tmp_path)
    assert said not in out.read_text(encoding="utf-8")
    handed = tmp_path / "handed.tar.gz"
    pbem("game", "hand-over", GAME, handed, PBEM_HOME=stage.alice.home)
    with tarfile.open(handed) as archive:
        assert not [name for name in archive.getnames() if "forecast" in name]


def test_a_game_without_a_letter_has_no_story(tmp_path: Path) -> None:
    player = CommandPlayer("carol", tmp_path)
    judge = Judge(tmp_path)
    player.join("other", judge)
    with pytest.raises(ConfigError, match="there is no report of other here"):
        Api(player.home).look_back("other")


def test_the_first_heads_are_those_of_the_games_that_are_played(stage: Stage) -> None:
    chronicle = Home(stage.alice.home).folder(GAME).chronicle()
    assert chronicle is not None
    assert Api(stage.alice.home).first_heads() == {GAME: chronicle.heads[0]}


def test_a_practice_game_is_looked_back_at_too(tmp_path: Path) -> None:
    game = Practice(tmp_path / "home", seed="3")
    game.begin()
    game.play("card 1\nmove Wallace to Fife\n")
    looked = game.look_back()
    (track,) = game_in(looked.story)["tracks"]
    assert (track["reader"], [one["exchange"] for one in track["exchanges"]]) == ("scotland", [1, 2])
    assert [one["lines"] for one in track["exchanges"][1]["orders"]] == [["card 1", "move Wallace to Fife"]]
    assert looked.feared == {}
    (tmp_path / "home/practice/report-0001.txt").write_text("nothing", encoding="utf-8")
    with pytest.raises(Refused, match="the practice game is damaged; begin another"):
        game.look_back()
