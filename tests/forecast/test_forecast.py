"""What a forecast says, and that it never fails, wherever a game stands."""

from __future__ import annotations

import pytest

from pbem.forecast.hammer import ALONE, FORECAST, words
from pbem.forecast.hammer.prospects import going_on, prospects
from pbem.odds import Question
from pbem.odds.hammer import ODDS
from pbem.orders.hammer import LANGUAGE
from pbem.practice.table import Table
from pbem.rules.base import View
from pbem.rules.hammer import RULES
from pbem.rules.hammer.facts import SIDES
from tests.bots.matches import SCENARIOS, seated
from tests.odds.simulation import SeededChance

TURN = """\
card 2
if first:
    move Wallace, Douglas from Fife to Mentieth
    move Bruce to Carrick
if second and none of my areas is attacked:
    move Wallace from Fife to Atholl
otherwise:
    ask
end
plan Mentieth:
    fire
    hits Barclay, Douglas, rest
    if Wallace strength at most 1: retreat Wallace to Fife, Atholl
    if round 2 and our strength less than their strength: retreat all to Fife
    forced retreat all to Fife
"""

TOLD = """\
Against the card 1 you move first:
  Wallace and Douglas: from Fife to Mentieth, the main attack.
  Bruce: from Annan to Carrick.
  Battle for Mentieth: you attack with Wallace 4 and Douglas 4 against 2
    hidden blocks.
    Open: your regroup; you are asked for it when the time comes.
    You hold the area: 37.5 % against the strongest blocks that can be there,
      over 99.9 % against the weakest.
Against the card 2, 3, herald, pillage, sea move, truce or victuals you move
  second; if he attacks nothing:
  Wallace: from Fife to Atholl, the main attack.
  Battle for Atholl: you attack with Wallace 4 against 1 hidden block.
    Open: combat turns, where your blocks retreat and your regroup; you are
      asked for it when the time comes.
    You hold the area: 62.8 % against the strongest blocks that can be there,
      99.9 % against the weakest.
If you move second and Strathspey is attacked:
  Battle for Strathspey: you defend with Grant 3 against 1 hidden block.
    Open: combat turns and your regroup; you are asked, as you wish.
    You hold the area: 0.7 % against the strongest blocks that can be there,
      99.7 % against the weakest.
  Open: your moves; you are asked, as you wish."""


def forecast(text: str, view: View) -> str:
    """As a receipt says it, less what it says every time."""
    lines = FORECAST.forecast(LANGUAGE.parse(text, view["viewer"]).orders, view)
    assert all(len(line) <= 78 for line in lines)
    return "\n".join(lines[len(words.lines(ALONE)) :])


def test_a_whole_turn() -> None:
    view = Table("hammer", {}, 3).view("scotland")
    assert "2" in view["hand"]
    assert forecast(TURN, view) == TOLD


def test_nothing_written_is_told_as_what_silence_does() -> None:
    said = forecast("", Table("hammer", {}, 3).view("scotland"))
    assert "The card you play, if you say nothing: card 1." in said
    assert "Open: your moves; you are asked for it when the time comes." in said


def test_a_move_that_is_left_out_is_told_with_the_reason() -> None:
    said = forecast("card 2\nmove Wallace to Ross", Table("hammer", {}, 3).view("scotland"))
    assert "line 2: 'move Wallace to Ross' was left out" in said


def test_a_battle_going_on_has_exact_odds() -> None:
    """Everybody is face up, so the odds are those of the two forces."""
    position = {
        "phase": "battles",
        "first": "england",
        "hands": {side: ["1", "2"] for side in SIDES},
        "blocks": {
            "Wallace": {"side": "scotland", "area": "Fife"},
            "Douglas": {"side": "scotland", "area": "Fife", "strength": 3},
            "Edward": {"side": "england", "area": "Fife"},
            "York Knights": {"side": "england", "area": "Fife", "strength": 3},
        },
    }
    game = RULES.start({}, SeededChance(1), position)
    view = game.view("scotland")
    fight = going_on(view)
    assert fight is not None
    follower = LANGUAGE.follower("scotland")
    follower.receive(LANGUAGE.parse("plan any: fire", "scotland").orders, view)
    found = prospects(fight, view, follower)
    known = ODDS.ask(
        Question(
            area="Fife",
            attacker="england",
            attackers="Edward, York Knights 3",
            defenders="Wallace, Douglas 3",
        )
    )
    assert found is not None
    assert found.least == found.most == dict(known.rows)["Scotland holds Fife"]
    assert "You hold Fife, counted from the start of round 1: 57.9 %." in forecast("plan any: fire", view)


def test_earlier_orders_count_if_they_are_known() -> None:
    view = Table("hammer", {}, 3).view("scotland")
    follower = LANGUAGE.follower("scotland")
    doctrine = "doctrine:\nplan any:\nfire\nhits rest\nforced retreat all\nregroup none\nend\nend"
    follower.receive(LANGUAGE.parse(doctrine, "scotland").orders, view)
    orders = LANGUAGE.parse("card 3\nmove Wallace, Douglas from Fife to Mentieth", "scotland").orders
    said = " ".join(FORECAST.forecast(orders, view, follower))
    assert "In trial battles your orders answered every question." in said
    assert ALONE.split(":")[0] not in said
    assert said == " ".join(FORECAST.forecast(orders, view, follower))


@pytest.mark.parametrize("seed", range(2))
def test_wherever_a_game_stands_there_is_a_forecast(seed: int) -> None:
    forecasts_of_a_game(seed, 14)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 12))
def test_wherever_many_games_stand_there_is_a_forecast(seed: int) -> None:
    forecasts_of_a_game(seed, 1_000)


def forecasts_of_a_game(seed: int, most: int) -> None:
    table = Table("hammer", {"scenario": SCENARIOS[seed % 2]}, seed)
    bots = {side: seated("random", side, seed) for side in SIDES}
    while table.outcome is None and table.number < most:
        texts = {side: bot.write(table.view(side)) for side, bot in bots.items()}
        for side, text in texts.items():
            forecast(text, table.view(side))
        table.exchange(texts)


def test_what_the_stop_itself_asks_is_not_asked_again() -> None:
    """The judge's own rule: an `ask` about the card is passed over at the stop that asks for it."""
    told = " ".join(forecast("move none\nask everything", Table("hammer", {}, 3).view("scotland")).split())
    assert "'card' was already asked of you for this exchange" in told
    assert "The card you play, if you say nothing: card 1." in told
