"""What the guide adds to its game: bots, odds, a forecast, pictures, and marks that are made side by side."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pbem.cli import main
from pbem.pictures.base import png
from pbem.practice.table import SeededChance, Table
from pbem.rules import Game
from pbem.rules.base import View
from pbem.testing.games import random_game
from pbem.titles import load
from tests.harvest.conftest import PLAYERS, RULES

pytestmark = pytest.mark.usefixtures("installed")

WHOLE = f"{RULES}_whole"
COLOUR = re.compile(r'(?:fill|stroke)="(#\w+)"')


def shown(game: Game) -> tuple[list[View], list[object]]:
    """All views and all questions."""
    asks: list[object] = [(ask.side, ask.kind, ask.legal, ask.default) for ask in game.asks]
    return [game.view(viewer) for viewer in (*PLAYERS.values(), "public", "gm")], asks


def test_a_game_goes_on_from_its_position_whoever_has_marked_how_much() -> None:
    """What a flow has done stands in the position; bids count when all are in."""
    rules, marking = load(WHOLE).rules, set()
    for seed in range(5):
        for game in random_game(rules, seed, options={"hand": "5"}):
            if game.outcome is None and (game.asks[0].kind == "mark" or len(game.asks) == len(PLAYERS)):
                position = game.view("gm")
                marking.add(tuple(map(len, position["marked"].values())))
                assert shown(rules.start({"hand": 5}, SeededChance(seed), position)) == shown(game)
    assert len(marking) > len(PLAYERS), "farms were at different places"


def test_a_crop_that_a_marked_card_wins_counts_double() -> None:
    table = Table(WHOLE, {"hand": "3"}, 1)
    best = max(PLAYERS.values(), key=lambda side: int(table.view(side)["hands"][side][-1]))
    card = table.view(best)["hands"][best][-1]
    table.exchange({best: f"mark {card}"})
    while not (worth := table.view(best)["crop"]):
        table.exchange({})
    lines = {side: f"bid {table.view(side)['hands'][side][-1]}" for side in PLAYERS.values()}
    assert table.exchange(lines).seen[best].after["scores"][best] == 2 * worth
    assert f"; marked: {card}" in table.report(best)
    assert "marked" not in table.report("public").partition("FOR PROGRAMS")[0]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("9", "1 2 12"), "9 wins the crop +27.3 %"),
        (("15", ""), "15 wins the crop +100.0 %"),
        (("16", ""), "no card is called '16'; they are 1 to 15"),
        (("1", "2 3 4 5 6 7 8 9 10 11 12 13 14"), "two are not seen at least"),
    ],
)
def test_the_odds_of_a_card(words: tuple[str, str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    refused = "wins" not in told
    assert main(["odds", "--game", WHOLE, *words]) == refused
    said = capsys.readouterr()
    assert re.search(told, said.err if refused else said.out)


def test_the_forecast_says_how_likely_a_bid_is_to_win() -> None:
    title, table = load(WHOLE), Table(WHOLE, {}, 1)
    assert title.forecast is not None
    table.exchange({})
    hand = table.view("north")["hands"]["north"]
    for text, card in ((f"bid {hand[-1]}\n", hand[-1]), ("", hand[0]), ("bid\n", hand[0])):
        orders = title.language.parse(text, "north").orders
        (line,) = title.forecast.forecast(orders, table.view("north"))
        assert line.startswith(f"You bid {card}; it wins the crop with a chance of ")


def test_the_picture_shows_a_reader_its_own_cards_in_the_colours_of_the_board() -> None:
    title, table = load(WHOLE), Table(WHOLE, {}, 1)
    assert title.pictures is not None
    view = table.view("south")
    picture = title.pictures.draw(view, ())
    assert picture.words == "Points: North 0, South 0, West 0."
    assert re.findall(r'data-name="(\w+)"', picture.svg) == view["hands"]["south"]
    on_board = set(COLOUR.findall(picture.board.svg))
    assert {colour for layer in picture.layers for colour in COLOUR.findall(layer.svg)} <= on_board
    assert png(picture).startswith(b"\x89PNG")


@pytest.mark.ci
def test_its_best_bot_plays_the_demonstration(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert next(iter(load(WHOLE).bots)) == "reckoner"
    assert main(["demo", "--game", WHOLE, "--into", str(tmp_path / "demo")]) == 0
    assert "every exchange is as the ledger says" in capsys.readouterr().out
    bids = [path.read_text() for path in (tmp_path / "demo/orders").glob("*/*.txt")]
    assert sum("\nbid " in text for text in bids) > len(PLAYERS)
