"""No side learns what it may not know: worlds that differ only in that look the same to it.

Every phase of random games is a beginning: twins of the position are built (`worlds`), and both are played
on side by side (`lockstep`).
"""

from __future__ import annotations

import random

import pytest

from pbem.rules import Ask, Game
from pbem.rules.base import View
from pbem.rules.hammer import RULES
from pbem.titles.hammer.testing import twin_of
from tests.hammer.lockstep import Lockstep, Tally, record_of
from tests.hammer.phases import random_game
from tests.hammer.play import GAMES, option_mix
from tests.properties.random_play import LabelledChance, Options, kept_on_failure

VIEWERS = ("england", "scotland", "public")
MIXED = ["1", "2", "2", "3", "herald"]
EQUAL = ["2", "2", "2", "2", "2"]


def compare_worlds(options: Options, seed: int, one_in: int, phases: tuple[str, ...] = ()) -> Tally:
    """One random game; at every `one_in`-th of its phases (or of `phases`) worlds are compared."""
    name = f"{options['scenario']}-{options['edition']}-{seed}"
    _, starts = random_game(options, seed)
    if phases:
        starts = [start for start in starts if start.position["phase"] in phases]
    chooser = random.Random(f"worlds {name}")
    tally = Tally()
    for number, start in list(enumerate(starts))[seed % one_in :: one_in]:
        for viewer in VIEWERS:
            twin = twin_of(start.position, viewer, chooser)
            fork = chooser.randrange(10**9)
            record = record_of(options, start.position, twin, fork)
            with kept_on_failure(f"worlds-{name}-{number}-{viewer}", record):
                Lockstep(options, start.position, twin, fork, tally).run()
    return tally


@pytest.mark.ci
@pytest.mark.parametrize(("scenario", "edition"), GAMES)
def test_a_side_cannot_tell_worlds_apart(scenario: str, edition: str) -> None:
    tally = compare_worlds(option_mix(scenario, edition, 1), 1, one_in=25)
    assert tally.pairs >= 3
    assert tally.comparisons > 5 * tally.pairs


@pytest.mark.slow
@pytest.mark.parametrize(("scenario", "edition"), GAMES)
def test_no_side_can_tell_many_worlds_apart(scenario: str, edition: str, seeds: range) -> None:
    for seed in seeds:
        compare_worlds(option_mix(scenario, edition, seed), seed, one_in=3)


@pytest.mark.parametrize("scottish", [MIXED, EQUAL])
@pytest.mark.parametrize("english", [MIXED, EQUAL])
def test_a_game_halts_for_cards_whatever_the_hands(english: list[str], scottish: list[str]) -> None:
    """A hand of equal cards is not asked for one; the stop is there all the same, and tells nothing."""
    position = RULES.start({}, LabelledChance(1)).view("gm")
    position["hands"] = {"england": english, "scotland": scottish}
    game = RULES.start({}, LabelledChance(1), position, stops=True)
    assert game.at_stop == "cards"
    assert game.asks == ()
    assert [event["event"] for event in game.told("public")] == ["turn"]
    game.go_on()
    asks: tuple[Ask, ...] = game.asks
    asked = {ask.side for ask in asks if ask.kind == "card"}
    assert asked == {side for side, hand in (("england", english), ("scotland", scottish)) if hand is MIXED}


class Ones:
    """Every die shows a one: whoever fires hits."""

    def roll(self, label: str, sides: int = 6) -> int:
        return 1

    def draw(self, label: str, choices: tuple[str, ...]) -> str:
        return choices[0]


def regrouping_from_ross(reserve: str) -> Game:
    """The Scots have won Ross in the first round; `reserve` and four others were never turned up."""
    unseen = [reserve, "Campbell", "Graham", "MacDonald", "Lindsay"]
    blocks = {name: {"area": "Ross", "side": "scotland", "strength": 1} for name in ("Wallace", *unseen)}
    blocks["York Infantry"] = {"area": "Ross", "side": "england", "strength": 1}
    position: View = {"phase": "battles", "turn": 2, "first": "scotland", "blocks": blocks}
    position["attacks"] = {
        "Ross": {"attacker": "scotland", "origin": "Moray", "border": "Ross-Moray", "reserve_blocks": unseen}
    }
    game: Game = RULES.start({}, Ones(), position)
    game.answer("scotland", "fire Wallace")
    return game


def test_a_full_border_does_not_show_who_sailed() -> None:
    """R79: two blocks came to each area, one perhaps by sea; no way out is asked for in public."""
    shown = []
    for reserve in ("Norse", "Douglas"):
        game = regrouping_from_ross(reserve)
        for name, to in (
            ("Campbell", "Moray"),
            (reserve, "Moray"),
            ("Graham", "Garmoran"),
            ("Lindsay", "Garmoran"),
        ):
            game.answer("scotland", f"regroup {name} to {to}")
        shown.append([(ask.side, ask.kind) for ask in game.asks if ask.public])
        assert game.view("england")["areas"]["Ross"]["scotland"] == 2
    assert shown == [[], []]


def test_one_card_of_two_shows_nothing_to_anybody() -> None:
    game: Game = RULES.start({}, LabelledChance(1))
    before = [(game.view(viewer), list(game.told(viewer))) for viewer in VIEWERS]
    english, scottish = game.asks
    game.answer(english.side, english.legal[-1])
    assert [(game.view(viewer), list(game.told(viewer))) for viewer in VIEWERS] == before
    assert game.asks == (scottish,)


def test_numbers_change_when_all_who_disband_are_known() -> None:
    """7.32: archers must leave, infantry leave above the limit; amid this all of them still stand there."""
    blocks = {
        name: {"area": "Lothian", "side": "england", "strength": 1}
        for name in (
            "York Infantry",
            "Wales Infantry",
            "Durham Infantry",
            "Lancaster Infantry",
            "Wales Archers",
        )
    }
    game: Game = RULES.start({}, Ones(), {"phase": "english disbanding", "turn": 6, "blocks": blocks})
    others = ("scotland", "public")
    before = {viewer: game.view(viewer) for viewer in others}
    while len(game.asks[0].legal) > 1 and "done" not in game.asks[0].legal:
        game.answer("england", game.asks[0].legal[0])
        assert {viewer: game.view(viewer) for viewer in others} == before
    assert before["scotland"]["areas"]["Lothian"]["england"] == 5
    game.answer("england", "done")
    assert game.view("scotland")["areas"]["Lothian"]["england"] == 2
    assert game.view("scotland")["pools"]["england"] == before["scotland"]["pools"]["england"] + 3
