"""What other programs rely on: names, kinds, canonical answers, options, labels, draws, the judge's view."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import groupby, pairwise
from typing import Any

import pytest

from pbem.rules import Ask, Game, IllegalAnswer, Outcome, UnknownRules, load
from pbem.rules.base import UnknownOption, View
from pbem.rules.hammer.facts import AREAS, BLOCKS, DECK, NOBLES, SWITCHES
from pbem.rules.hammer.game import Hammer
from pbem.rules.hammer.winter_7 import WINTER
from tests.hammer.phases import watched_phases
from tests.hammer.play import GAMES, Play, RandomPlayer, option_mix
from tests.properties.random_play import LabelledChance

AREA = "|".join(map(re.escape, AREAS))
BLOCK = "|".join(map(re.escape, BLOCKS))
NOBLE = "|".join(map(re.escape, NOBLES))
CARD = "1|2|3|herald|pillage|sea move|truce|victuals"
ANSWERS = {
    "card": rf"card ({CARD})",
    "king": r"event|crown (Bruce|Comyn|Balliol)",
    "herald": rf"herald ({NOBLE})|pass",
    "pillage": rf"pillage ({AREA})|pass",
    "pillage-hit": rf"hit ({BLOCK})",
    "pillage-build": rf"build ({BLOCK})|done",
    "sail": rf"sail ({BLOCK}) to ({AREA})|done",
    "victuals": rf"build ({BLOCK})|done",
    "truce": r"truce|pass",
    "move": rf"move ({BLOCK}) to ({AREA})(, ({AREA})){{0,2}}|done",
    "battle": rf"battle ({AREA})",
    "combat": rf"(fire|pass) ({BLOCK})|retreat ({BLOCK}) to ({AREA})",
    "hit": rf"hit ({BLOCK})",
    "retreat": rf"retreat ({BLOCK}) to ({AREA})",
    "regroup": rf"regroup ({BLOCK}) to ({AREA})|done",
    "raid": rf"disband ({BLOCK})",
    "home": rf"home ({BLOCK}) to ({AREA})",
    "edward": r"winter Edward|disband Edward",
    "disband": rf"disband ({BLOCK})|done",
    "build": rf"build ({BLOCK})|draw ({AREA})|done",
}
WITH_DONE = {"pillage-build", "sail", "victuals", "move", "regroup"}

TURN = r"\d{4}\.[1-6]"
NAME = r"[a-z]+(-[a-z]+)?"
LABEL = re.compile(
    rf"{TURN}/(battle-\d+/{NAME}/round-[123]/{NAME}/(die-[1-4]|unity)|herald/(england|scotland)"
    rf"|levy/block-\d+|hand/(england|scotland)/card-[1-5]|draw/{NAME}/block-\d+)"
)


class Listening(LabelledChance):
    """Chance that remembers what it could have drawn."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.choices: dict[str, tuple[str, ...]] = {}

    def draw(self, label: str, choices: tuple[str, ...]) -> str:
        self.choices[label] = choices
        return super().draw(label, choices)


def random_plays(seed: int) -> Iterator[tuple[Play, Listening]]:
    """A whole game of every scenario and edition."""
    for scenario, edition in GAMES:
        options = option_mix(scenario, edition, seed)
        chance = Listening(seed)
        play = Play(options, seed, chance=chance)
        player = RandomPlayer(options, seed)
        while play.game.outcome is None:
            play.answer(*player.next(play))
        yield play, chance


@pytest.fixture(scope="module")
def finished() -> list[tuple[Play, Listening]]:
    return list(random_plays(11))


def start(**options: Any) -> Game:
    return load("hammer").start(options=options, chance=LabelledChance(3))


# -- names


def test_rules_are_loaded_by_name() -> None:
    rules = load("hammer")
    assert rules.name == "hammer"
    assert rules.title == "Hammer of the Scots"
    assert rules.sides({}) == ("england", "scotland")
    with pytest.raises(UnknownRules, match="hammer"):
        load("whist")


def test_a_game_has_asks_views_and_what_was_told() -> None:
    game = start(scenario="braveheart", edition="4", schiltroms=False)
    assert game.outcome is None
    assert [(ask.side, ask.kind, ask.rule, ask.public) for ask in game.asks] == [
        ("england", "card", "3.1", True),
        ("scotland", "card", "3.1", True),
    ]
    for viewer in ("england", "scotland", "public", "gm"):
        assert json.loads(json.dumps(game.view(viewer))) == game.view(viewer)
        assert json.loads(json.dumps(game.told(viewer))) == game.told(viewer)


@pytest.mark.ci
def test_a_finished_game_names_the_winner_and_why(finished: list[tuple[Play, Listening]]) -> None:
    for play, _ in finished:
        outcome = play.game.outcome
        assert isinstance(outcome, Outcome)
        assert outcome.winner in ("england", "scotland")
        assert re.search(r"\(9\.[01]\)", outcome.reason)
        assert play.game.view("public")["outcome"] == {"winner": outcome.winner, "reason": outcome.reason}


def test_pieces_and_places_have_the_names_of_the_board() -> None:
    assert len(AREAS) == 23
    assert len(BLOCKS) == 43
    assert len(NOBLES) == 14
    assert {"Steward", "Mentieth", "York Infantry", "Northumber Infantry", "French Knights"} <= set(BLOCKS)
    assert {"Mentieth", "Selkirk", "England"} <= set(AREAS)
    assert sorted(DECK) == sorted(
        7 * ["1"] + 10 * ["2"] + 3 * ["3"] + ["herald", "pillage", "sea move", "truce", "victuals"]
    )


# -- answers


@pytest.mark.ci
def test_every_legal_answer_is_canonical() -> None:
    for scenario, edition in GAMES:
        options = option_mix(scenario, edition, 12)
        play = Play(options, 12)
        player = RandomPlayer(options, 12)
        while play.game.outcome is None:
            for ask in play.game.asks:
                form = re.compile(ANSWERS[ask.kind])
                assert all(form.fullmatch(text) for text in ask.legal), (ask.kind, ask.legal)
                assert ask.kind not in WITH_DONE or "done" in ask.legal
            play.answer(*player.next(play))


def test_an_answered_ask_takes_no_other_answer() -> None:
    game = start()
    card = game.asks[0].legal[0]
    game.answer("england", card)
    with pytest.raises(IllegalAnswer) as refused:
        game.answer("england", card)
    assert (refused.value.rule, refused.value.suggestions) == ("3.0", ())
    asks: tuple[Ask, ...] = game.asks
    assert [ask.side for ask in asks] == ["scotland"]


def test_a_refusal_says_the_rule_the_reason_and_what_is_near() -> None:
    game = start()
    with pytest.raises(IllegalAnswer) as refused:
        game.answer("scotland", "card 9")
    assert refused.value.rule == "3.1"
    assert "card 9" in refused.value.reason
    assert set(refused.value.suggestions) <= set(game.asks[1].legal)
    with pytest.raises(IllegalAnswer):
        game.answer("nobody", "card 1")


def test_equal_cards_are_one_answer() -> None:
    position = start().view("gm")
    position["hands"] = {"england": ["2", "2", "2", "3", "3"], "scotland": ["2", "2", "2", "2", "2"]}
    game = load("hammer").start({}, LabelledChance(3), position)
    assert [(ask.side, ask.legal) for ask in game.asks] == [("england", ("card 2", "card 3"))]


# -- options


@pytest.mark.parametrize("name", SWITCHES)
def test_every_switch_takes_its_values_and_no_other(name: str) -> None:
    for value in SWITCHES[name]:
        assert start(**{name: value}).view("gm")["options"][name] == value
    with pytest.raises(UnknownOption, match=name):
        start(**{name: "maybe"})


def test_editions_and_scenarios() -> None:
    years = {"braveheart": (1297, 1305), "the-bruce": (1306, 1314), "campaign": (1297, None)}
    for scenario, (first, last) in years.items():
        view = start(scenario=scenario).view("public")
        assert (view["year"], view["options"]["last_year"]) == (first, last)
    assert start(edition=4).view("public")["options"]["edition"] == "4"
    assert start(scenario="campaign", last_year=1310).view("gm")["options"]["last_year"] == 1310
    for wrong in ({"edition": "5"}, {"scenario": "bannockburn"}, {"speed": "fast"}, {"last_year": 1310}):
        with pytest.raises(UnknownOption):
            start(**wrong)


def test_a_view_s_options_start_the_same_game() -> None:
    options = start(scenario="campaign", edition="3-de", last_year=1312, bid="S2").view("gm")["options"]
    assert start(**options).view("gm")["options"] == options


# -- chance


@pytest.mark.ci
def test_labels_are_readable_and_never_repeat(finished: list[tuple[Play, Listening]]) -> None:
    for play, chance in finished:
        for label in chance.results:  # LabelledChance itself refuses a label that comes twice
            assert LABEL.fullmatch(label), label
        labels = {event["label"] for event in play.game.told("public") if "label" in event}
        rolled = {label for label in chance.results if label not in chance.choices}
        assert {re.sub(r"/die-\d$", "", label) for label in rolled} == labels


def test_the_first_draws_are_the_levy_and_the_two_hands() -> None:
    for scenario, levy in (("braveheart", 4), ("the-bruce", 6)):
        chance = Listening(4)
        game = load("hammer").start({"scenario": scenario}, chance)
        year = game.view("gm")["year"]
        hands = [f"{year}.1/hand/{side}/card-{n}" for side in ("england", "scotland") for n in range(1, 6)]
        assert list(chance.results) == [f"{year}.1/levy/block-{n}" for n in range(1, levy + 1)] + hands
        assert list(chance.choices.values())[levy] == DECK
        assert set(list(chance.results.values())[:levy]) == {
            name for name, row in game.view("gm")["blocks"].items() if row["area"] == "England"
        }


@pytest.mark.ci
def test_draws_are_without_replacement(finished: list[tuple[Play, Listening]]) -> None:
    """The levy comes before the cards, England's before Scotland's, and each draw shortens the next."""
    for _, chance in finished:
        # by turn as well: after a winter without levy and draws one year's hands follow the other's
        groups = [(what[1], list(labels)) for what, labels in groupby(chance.choices, turn_and_what)]
        for (kind, labels), following in pairwise([*groups, ("end", [])]):
            if kind == "hand":
                assert [label.split("/")[2] for label in labels] == 5 * ["england"] + 5 * ["scotland"]
            if kind == "levy":
                assert following[0] == "hand"
            for before, after in pairwise(labels if kind != "draw" else ()):
                left = list(chance.choices[before])
                left.remove(str(chance.results[before]))
                assert list(chance.choices[after]) == left


def turn_and_what(label: str) -> list[str]:
    """`1297.1`, and levy, hand or draw."""
    return label.split("/")[:2]


# -- the judge's view and the calendar


def check_shape(view: View) -> None:
    assert 1 <= view["turn"] <= 6
    assert set(view["blocks"]) == set(BLOCKS)
    for name, row in view["blocks"].items():
        assert set(row) == {"side", "area", "strength"}
        assert row["area"] in (*AREAS, "pool", "off map")
        assert row["side"] in ("england", "scotland")
        assert row["area"] not in AREAS or 1 <= row["strength"] <= BLOCKS[name].max
    assert all(len(hand) <= 5 for hand in view["hands"].values())


@pytest.mark.ci
def test_the_judge_s_view_holds_year_turn_and_every_block(finished: list[tuple[Play, Listening]]) -> None:
    for play, _ in finished:
        check_shape(play.game.view("gm"))


def test_turns_are_numbered_and_the_year_changes_after_the_levy() -> None:
    """Turn 1 to 5, 6 in winter; 1 again with the new year, as soon as the levy is over."""
    seen: list[tuple[int, int, str]] = []

    def notice(game: Hammer) -> None:
        view = game.view("gm")
        check_shape(view)
        seen.append((view["year"], view["turn"], view["phase"]))

    with watched_phases(notice):
        options = option_mix("braveheart", "4", 2)
        play = Play(options, 2)
        player = RandomPlayer(options, 2)
        while play.game.outcome is None:
            play.answer(*player.next(play))
    for (year, turn, phase), (next_year, next_turn, next_phase) in pairwise(seen):
        assert (turn == 6) == (phase in WINTER)
        if phase == "new cards":
            assert (next_year, next_turn, next_phase) == (year + 1, 1, "cards")
        else:
            assert next_year == year
            assert next_turn in ((turn,) if next_phase != "cards" else (turn + 1,)) or next_turn == 6
    assert {phase for _, _, phase in seen} >= {"cards", "battles", "levy", "new cards"}


@pytest.mark.ci
def test_a_noble_is_one_block_that_changes_side(finished: list[tuple[Play, Listening]]) -> None:
    changed = 0
    for play, _ in finished:
        for event in play.game.told("gm"):
            if event["event"] in ("captured", "defects"):
                assert event["noble"] in NOBLES
                changed += 1
    assert changed > 10


def test_a_position_can_be_given_in_few_words() -> None:
    """At a turn's start, a move, a battle, a step of winter: what is left out is as at a turn's start."""
    blocks = {"Wallace": {"area": "Fife"}, "Edward": {"area": "Mentieth", "strength": 2}}
    rules = load("hammer")
    game = rules.start({}, LabelledChance(1), {"phase": "first move", "first": "scotland", "blocks": blocks})
    assert game.view("gm")["blocks"]["Wallace"] == {"side": "scotland", "area": "Fife", "strength": 4}
    for phase in WINTER:
        rules.start({}, LabelledChance(1), {"phase": phase, "blocks": blocks})
    winter = rules.start({}, LabelledChance(1), {"year": 1299, "turn": 6, "blocks": blocks})
    assert [ask.kind for ask in winter.asks] == ["edward"]
    cards = {"england": "1", "scotland": "2"}
    game = rules.start({}, LabelledChance(1), {"phase": "first move", "cards": cards, "blocks": blocks})
    assert [(ask.side, ask.kind) for ask in game.asks] == [("scotland", "move")]
    wrong: list[View] = [
        {"blocks": blocks},
        {"hands": {"england": ["1"]}, "blocks": blocks},
        *({"phase": phase, "blocks": blocks} for phase in ("events", "first move", "second move", "battles")),
        {"phase": "lunch"},
        {"blocks": {"Falstaff": {"area": "Fife"}}},
        {"blocks": {"Wallace": {"area": "Paris"}}},
        {"blocks": {"Wallace": {"area": "Fife", "strength": 5}}},
        {"blocks": {"Wallace": {"area": "Fife", "side": "england"}}},
    ]
    for position in wrong:
        with pytest.raises(UnknownOption):
            rules.start({}, LabelledChance(1), position)
