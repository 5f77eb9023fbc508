"""What a forecast says, and that it never fails, wherever a game stands."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

import pytest

from pbem.bots import Bot, RandomAnswers
from pbem.forecast.replay import Replay
from pbem.odds import Question, percent
from pbem.orders.hammer import LANGUAGE
from pbem.practice.table import Table
from pbem.rules.base import View
from pbem.rules.first_war.facts import KINDS, kind_of
from pbem.rules.hammer import RULES
from pbem.rules.hammer.facts import AREAS, BLOCKS, SIDES
from pbem.rules.hammer.sightings import LAST_SEEN, surely_in
from pbem.rules.lords.facts import CARDS
from pbem.titles import load
from pbem.titles.hammer import forecast
from pbem.titles.hammer.forecast import ALONE, FORECAST, battle_in_progress, prospects
from pbem.titles.hammer.odds import ODDS
from tests.bots.matches import seated
from tests.hammer.matches import SCENARIOS
from tests.hammer.simulated_battles import SeededChance
from tests.properties.card_play import cards_in
from tests.properties.random_play import LabelledChance

CARD_NAME = re.compile(rf"\b({'|'.join(CARDS)})\b")

HERE = Path(__file__).parent


def forecast_text(text: str, view: View) -> str:
    """As a receipt says it, less what it says every time."""
    lines = FORECAST.forecast(LANGUAGE.parse(text, view["viewer"]).orders, view)
    assert all(len(line) <= 78 for line in lines)
    return "\n".join(lines[len(forecast.lines(ALONE)) :])


@pytest.mark.ci
def test_a_whole_turn() -> None:
    view = Table("hammer", {}, 3).view("scotland")
    assert "2" in view["hand"]
    turn, told = (HERE / name for name in ("turn.txt", "told.txt"))
    assert forecast_text(turn.read_text(encoding="utf-8"), view) == told.read_text(encoding="utf-8").rstrip(
        "\n"
    )


def test_nothing_written_is_told_as_what_silence_does() -> None:
    said = forecast_text("", Table("hammer", {}, 3).view("scotland"))
    assert "The card you play, if you say nothing: card 1." in said
    assert "Open: your moves; you are asked later." in said


HAND = ["herald", "pillage", "sea move", "truce", "victuals"]


@pytest.mark.parametrize(
    ("text", "told", "not_told"),
    [
        (
            "card herald\nherald Comyn",
            "Your herald calls Comyn, who comes with a chance of 4 in 6.",
            "Battle for Badenoch",
        ),
        ("card herald\nask herald", "Open: the noble your herald calls; you are asked", "calls Comyn"),
        ("card pillage\npillage Mar", "Open: the area you pillage", "You pillage Mar"),
        ("card pillage\npillage Buchan", "You pillage Buchan: up to 2 steps", "Open: the area you pillage"),
        ("card sea move\nsail Douglas to Moray", "Douglas: by sea from Fife to Moray.", "left out"),
        ("card truce", "A truce: the enemy may not attack.", "enemy blocks may attack"),
        ("card 2", "An enemy herald may call Galloway or Bruce (4 in 6).", "Your herald"),
    ],
)
@pytest.mark.parametrize("herald_order", ["roll_then_name", "name_then_roll"])
def test_events_are_told(text: str, told: str, not_told: str, herald_order: str) -> None:
    view = Table("hammer", {"herald_order": herald_order}, 3).view("scotland")
    said = " ".join(forecast_text(text, {**view, "hand": [*HAND, "2"]}).split())
    assert told in said
    assert not_told not in said


@pytest.mark.ci
def test_one_mistake_is_told_once() -> None:
    """What the check says is wrong the forecast does not say again; what holds everywhere it says once."""
    view = Table("hammer", {}, 3).view("scotland")
    assert "left out" not in forecast_text("card truce\nmove Wallace to Ross", view)
    sail = forecast_text("card sea move\nsail Douglas to Angus", {**view, "hand": HAND})
    assert sail.count("'sail Douglas to Angus' was left out") == 1


def test_the_winter_is_told() -> None:
    """7.1, 7.32, 7.6: who goes home, who changes sides, what stands above the limits, and the points."""
    blocks = {
        "Bruce": {"side": "scotland", "area": "Fife"},
        "Wallace": {"side": "scotland", "area": "Mentieth", "strength": 1},
        "Douglas": {"side": "scotland", "area": "Argyll"},
        "Barclay": {"side": "scotland", "area": "Argyll"},
        "Grant": {"side": "scotland", "area": "Argyll"},
        "Galloway": {"side": "scotland", "area": "Fife"},
        "Edward": {"side": "england", "area": "Galloway"},
        "York Knights": {"side": "england", "area": "Galloway"},
        "Mar": {"side": "england", "area": "Mar"},
    }
    winter = {"phase": "english nobles", "turn": 6, "blocks": blocks}
    view = RULES.start({}, SeededChance(1), winter, stops=True).view("scotland")
    said = " ".join(forecast_text("winter:\nbuild Wallace\nend", view).split())
    assert "Replacement points at the moment: 8 (Argyll 2, Mentieth 3 and Fife 3)." in said
    assert "Bruce goes home to Carrick." in said
    assert "Galloway changes sides, unless the enemy leaves Galloway." in said
    assert "in Argyll: disbanded." in said
    assert "Points not used: " in said
    last = {"phase": "cards", "turn": 5, "blocks": blocks, "hands": {side: ["1"] for side in SIDES}}
    view = RULES.start({}, SeededChance(1), last, stops=True).view("scotland")
    said = " ".join(forecast_text("card 1", view).split())
    assert "Winter comes after this turn:" in said
    assert "Galloway changes sides in winter, unless the enemy leaves Galloway." in said
    assert "Above the castle limit, before anybody goes home: Argyll by 1." in said


def odds_for_wallace(**sighting: object) -> str:
    """What is said of Wallace in Atholl, against one block that was seen so."""
    view = Table("hammer", {}, 3).view("scotland")
    shown = [{"strength": 2, "year": view["year"], "turn": 1, **sighting}] if sighting else []
    said = forecast_text("card 2\nmove Wallace from Fife to Atholl", {**view, "last_seen": shown})
    return " ".join(said.partition("Battle for Atholl: ")[2].partition("From next door")[0].split())


@pytest.mark.ci
@pytest.mark.parametrize(
    ("sighting", "against", "odds"),
    [
        ({}, "1 hidden block.", "62.8 % against the strongest"),  # Edward may stand there
        ({"block": "Wales Infantry", "may_be": ["Atholl"]}, "Wales Infantry (last seen with 2).", "98.9 %."),
        (
            {"block": "Wales Infantry", "may_be": ["Atholl"], "year": 1290},
            "Wales Infantry (last seen with 2).",
            "93.6 % against the strongest",
        ),
        (
            {"block": "Wales Infantry", "may_be": ["Atholl", "Angus"]},
            "1 hidden block.",
            "62.8 % against the strongest",
        ),
        ({"block": "Edward", "may_be": ["England"]}, "1 hidden block.", "70.5 % against the strongest"),
    ],
)
def test_who_was_shown_narrows_the_odds(sighting: dict[str, object], against: str, odds: str) -> None:
    """R2: a block that was seen and has not left stands there, and as strong, if it cannot have grown."""
    said = odds_for_wallace(**sighting)
    assert f"against {against}" in said
    assert odds in said


def test_three_who_were_seen_have_their_own_odds() -> None:
    """The blocks of the report, not the strongest that could be: Comyn 2, Angus 1 and Buchan 2 in Mar."""
    ours = {name: {"side": "scotland", "area": "Badenoch"} for name in ("Wallace", "Douglas")}
    theirs = {"Comyn": 2, "Angus": 1, "Buchan": 2}
    enemies = {name: {"side": "england", "area": "Mar", "strength": steps} for name, steps in theirs.items()}
    hands = {side: ["2", "2"] for side in SIDES}
    position = {"phase": "cards", "turn": 2, "hands": hands, "blocks": {**ours, **enemies}}
    view = RULES.start({}, SeededChance(1), position).view("scotland")
    seen = [
        {"block": name, "strength": steps, "year": view["year"], "turn": 1, "may_be": ["Mar"]}
        for name, steps in theirs.items()
    ]
    text = "card 2\nmove Wallace, Douglas to Mar\nplan any: fire"
    said = " ".join(forecast_text(text, {**view, LAST_SEEN: seen}).split())
    known = ODDS.ask(
        Question(
            area="Mar",
            attacker="scotland",
            attackers="Wallace, Douglas",
            defenders="Comyn 2, Angus 1, Buchan 2",
        )
    )
    exact = percent(dict(known.rows)["Scotland holds Mar"])
    assert "Comyn (last seen with 2), Angus (last seen with 1) and Buchan (last seen with 2)" in said
    assert f"You hold the area: {exact}." in said
    assert "hidden block" not in said.partition("Battle for Mar")[2].partition("You hold")[0]


def test_the_attack_that_is_told_is_the_one_that_costs_a_line() -> None:
    """Of several areas that may be attacked the one whose attack makes most lines void."""
    view = {**Table("hammer", {}, 3).view("scotland"), "hand": ["1", "1"]}
    assert "move second and Annan is attacked:" in forecast_text("card 1", view)
    said = forecast_text("card 1\nmove Grant from Strathspey to Badenoch", view)
    assert "move second and Strathspey is attacked:" in said
    assert "Annan is attacked" not in said


@pytest.mark.ci
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
    fight = battle_in_progress(view)
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
    said = " ".join(forecast_text("plan any: fire", view).split())
    assert (
        "Battle for Fife, round 1: you defend with Wallace 4 and Douglas 3 against Edward 4 and York" in said
    )
    assert "You hold the area, counted from the start of round 1: 57.9 %." in said
    assert said.count("Battle for Fife") == 1


@pytest.mark.ci
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


@pytest.mark.ci
@pytest.mark.parametrize("seed", [0, 5])
@pytest.mark.parametrize("title", ["hammer", "lords", "first-war"])
def test_wherever_a_game_stands_there_is_a_forecast(title: str, seed: int) -> None:
    forecasts_of_a_game(title, seed, 14)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 12))
@pytest.mark.parametrize("title", ["hammer", "lords", "first-war"])
def test_wherever_many_games_stand_there_is_a_forecast(title: str, seed: int) -> None:
    forecasts_of_a_game(title, seed, 1_000)


def forecasts_of_a_game(title: str, seed: int, most: int) -> None:
    """Every forecast and check of a game is made, and names nothing that its reader cannot see."""
    options: dict[str, dict[str, Any]] = {
        "hammer": {"scenario": SCENARIOS[seed % 2]},
        "lords": {"players": 3 + seed % 3},
    }
    table = Table(title, options.get(title, {}), seed)
    language, forecaster = table.setting.language, table.setting.title.forecast
    assert forecaster is not None
    bots: dict[str, Bot] = {side: RandomAnswers(side, seed) for side in table.sides}
    if title == "hammer":
        bots = {side: seated("hammer", "random", side) for side in table.sides}
    while table.outcome is None and table.number < most:
        texts = {side: bot.write(table.view(side), table.open_asks(side)) for side, bot in bots.items()}
        texts = {side: "\n".join((text, *MORE.get(title, ()))) for side, text in texts.items()}
        for side, text in texts.items():
            view = table.view(side)
            orders = language.parse(text, side).orders
            said = forecaster.forecast(orders, view, table.play.follower(side))
            assert all(len(line) <= 78 for line in said)
            told = "\n".join([*said, *map(str, language.check(orders, view))])
            assert not HIDDEN[title](told, text, view), told
            assert title != "hammer" or not called_unknown("\n".join(said), view), told
        table.exchange(texts)


MORE = {
    "lords": ("muster best up use best", "muster weakest down", "recruit hidden", "use rest", "claim best"),
    "first-war": ("deploy rest", "event rest", "strategy rest", "victory rest", "keep rest", "quarter rest"),
}
"""Lines that leave it to the program which card is meant."""


def hidden_cards(told: str, orders: str, view: View) -> set[str]:
    """Cards of Lords that a text names although its reader neither sees nor names them."""
    return set(CARD_NAME.findall(told)) - cards_in(view) - set(CARD_NAME.findall(orders))


def hidden_kinds(told: str, orders: str, view: View) -> set[str]:
    """The same for the kinds of cards of First War."""
    seen = {kind_of(card) for card in cards_in(view)}
    names = {kind.name for kind in KINDS.values() if kind not in seen and kind.name.lower() not in orders}
    return {name for name in names if re.search(rf"\b{name}\b", told, re.IGNORECASE)}


def hidden_names(told: str, orders: str, view: View) -> set[str]:
    """Enemy blocks that a text names although its reader neither sees, names nor has seen them.

    On which side a noble is everybody knows, so he may be called or come over; areas have nobles' names.
    """
    seen = {*view["blocks"], *(one["block"] for one in view.get(LAST_SEEN, ()))}
    spoken = [line for line in told.split("\n") if " comes over to you " not in line]
    return {
        name
        for name in BLOCKS
        if name not in seen and name not in AREAS and name not in orders
        for line in spoken
        if re.search(rf"\b{name}\b", line) and not (BLOCKS[name].noble and "herald" in line)
    }


BATTLE = re.compile(r"Battle for (\w+): you (?:attack|defend) with (.*?)\\. (?:Open|In trial|They)")


def called_unknown(told: str, view: View) -> list[str]:
    """Blocks of which the report says that they are where a battle is told, and the forecast does not."""
    return [
        f"{block} in {area}"
        for part in re.split(r"(?=If )", " ".join(told.split()))
        for area, forces in BATTLE.findall(part)
        if f"{area} is attacked" not in part and f"attacks {area}:" not in part
        for block in surely_in(view, area)
        if f"{block} (" not in forces
    ]


HIDDEN = {"hammer": hidden_names, "lords": hidden_cards, "first-war": hidden_kinds}


@pytest.mark.parametrize(
    ("title", "options"),
    [("lords", {"players": 3, "pace": "strict"}), ("first-war", {"years": 2, "pace": "strict"})],
)
def test_a_forecast_begins_with_what_is_asked(title: str, options: dict[str, Any]) -> None:
    """Whatever a judge who asks for each thing by itself stops at."""
    setting = load(title)
    assert isinstance(setting.forecast, Replay)
    game, chooser = setting.rules.start(options, LabelledChance(1)), random.Random(1)
    while game.outcome is None:
        for ask in game.asks:
            silence = setting.language.parse("", ask.side).orders
            said = " ".join(map(str.strip, setting.forecast.forecast(silence, game.view(ask.side))))
            question = setting.words.questions[ask.kind].rstrip("?")
            assert said.lower().startswith(f"{question} ({ask.rule})".lower())
        ask = chooser.choice(game.asks)
        game.answer(ask.side, chooser.choice(ask.legal))


@pytest.mark.ci
def test_a_name_that_is_hidden_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forecast, "_forces", lambda met, *_: f"{next(iter(met.view['out']), 'York Knights')}")
    with pytest.raises(AssertionError, match="Battle for"):
        forecasts_of_a_game("hammer", 0, 4)


@pytest.mark.parametrize("title", ["lords", "first-war"])
def test_a_card_that_is_only_imagined_is_found(title: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A forecast that tells what it has imagined."""
    monkeypatch.setattr(
        Replay, "_lines", lambda self, _side, _follower, _options, view: iter([str(self.imagine(view))])
    )
    with pytest.raises(AssertionError):
        forecasts_of_a_game(title, 0, 4)


def test_a_herald_that_is_ordered_is_not_open_when_both_play_events() -> None:
    """3.12: then the year ends at once; the call is judged as of the turn in which the die fell."""
    view = Table("hammer", {}, 3).view("scotland")
    said = " ".join(forecast_text("card herald\nherald Comyn", {**view, "hand": [*HAND, "2"]}).split())
    assert said.count("Your herald calls Comyn, who comes with a chance of 4 in 6.") == 2
    assert "Open: the noble your herald calls" not in said


def test_what_the_stop_itself_asks_is_not_asked_again() -> None:
    """The judge's own rule: an `ask` about the card is passed over at the stop that asks for it."""
    view = Table("hammer", {}, 3).view("scotland")
    text = "move none\nask everything"
    assert any(
        "both sides choose a card now" in str(one)
        for one in LANGUAGE.check(LANGUAGE.parse(text, "scotland").orders, view)
    )
    told = " ".join(forecast_text(text, view).split())
    assert "already asked" not in told
    assert "The card you play, if you say nothing: card 1." in told


def test_a_plan_for_one_place_leaves_the_questions_of_another_open() -> None:
    """A line that its writer alone can judge (protocol 13) lets nobody wait where its plan serves."""
    view = Table("hammer", {}, 3).view("scotland")
    moves = "card 2\nif second:\n    move Wallace from Fife to Atholl\nend\n"
    elsewhere = forecast_text(f"{moves}plan Mentieth:\n    if Wallace strength at most 1: pass\n", view)
    assert "Open: combat turns" in elsewhere.partition("Battle for Atholl")[2]
    here = forecast_text(f"{moves}plan Atholl:\n    if Wallace strength at most 1: pass\n", view)
    assert "Open: combat turns" not in here.partition("Battle for Atholl")[2]
