"""The steps of a report of Lords: cards move as they were told, and end where the next report begins."""

from __future__ import annotations

import pytest

from pbem.playback import Step
from pbem.rules.base import Event, View
from pbem.rules.lords.facts import CARDS
from pbem.titles import load
from pbem.titles.lords.playback import ACTS, PLAYBACK, Scene
from pbem.titles.lords.reports import SENTENCES
from tests.properties.random_play import LabelledChance
from tests.properties.told_pieces import pieces

TITLE = load("lords")
KEYS = (
    "supporters",
    "recruits",
    "recruits_up",
    "armies",
    "hands",
    "victory",
    "scores",
    "discard",
    "draw_pile",
)


@pytest.mark.parametrize("public", [True, False])
@pytest.mark.parametrize("seed", range(3))
def test_the_cards_lie_in_the_end_as_the_next_view_has_them(seed: int, public: bool) -> None:
    options = {"players": 3, "discard_pile_public": public}
    looked = 0
    for viewer, before, told, after in pieces("lords", seed, options):
        scene = Scene(before)
        for event in told:
            scene.play(event)
        found = scene.view()
        for key in (*KEYS, "round", "turn"):
            if told and told[-1]["event"] in ("scores", "kept") and key not in ("scores", "victory"):
                continue  # the next round is dealt with the next event
            assert found[key] == after[key], (viewer, key, told)
        looked += 1
    assert looked > 20


def steps(told: list[Event], view: View) -> tuple[Step, ...]:
    return PLAYBACK.steps(view, told, view)


def view() -> View:
    game = TITLE.rules.start(options={"players": 2}, chance=LabelledChance(1))
    return game.view(next(iter(game.view("gm")["hands"])))


def test_each_event_is_in_one_step_and_each_step_says_something() -> None:
    for _, before, told, after in pieces("lords", 4, {"players": 4}):
        found = PLAYBACK.steps(before, told, after)
        assert [event for step in found for event in step.events] == told
        assert not found or found[-1].view == after
        assert all(step.lines and all(step.lines) for step in found)


def test_the_end_of_a_round_is_a_board() -> None:
    compared = [
        step
        for _, before, told, after in pieces("lords", 2, {"players": 3})
        for step in PLAYBACK.steps(before, told, after)
        if any(event["event"] == "totals" for event in step.events)
    ]
    assert compared
    for step in compared:
        (totals,) = (event for event in step.events if event["event"] == "totals")
        assert step.chapter.startswith("The end of round ")
        assert step.board
        assert [side for side, _ in step.board.lines][: len(totals["placing"])] == totals["placing"]
        for side, line in step.board.lines:
            assert sorted(one.name for one in line) == sorted(totals["armies"][side])
        assert [side for side, _ in step.board.totals] == [side for side, _ in step.board.lines]


def test_a_mustered_card_goes_from_the_hand_to_the_army() -> None:
    before = view()
    side = before["viewer"]
    card = before["hands"][side][0]
    told: list[Event] = [
        {"event": "muster", "side": side, "up": True, "card": card},
        {"event": "turn", "round": 1, "turn": 2, "holder": side},
    ]
    first, _ = steps(told, before)
    assert card not in first.view["hands"][side]
    assert first.view["armies"][side][-1]["card"] == card
    assert first.chapter == "Round 1, turn 1"


def test_what_moves_cards_is_an_event_that_is_told() -> None:
    assert ACTS.keys() <= SENTENCES.keys() | {"totals"}


def test_people_read_the_clan_and_the_number_of_a_card() -> None:
    before = view()
    side = before["viewer"]
    told: list[Event] = [
        {"event": "muster", "side": side, "up": True, "card": "scott-12"},
        {"event": "power blocked", "side": side, "card": "scott-12", "by": ["blue/macdonnell-3"]},
        {"event": "reveal", "side": side, "card": "bruce-97"},
    ]
    first, second = steps(told, before)
    assert first.lines == (
        f"{side.capitalize()} musters Scott 12 face-up. Its power is blocked by Blue's MacDonnell 3.",
    )
    assert second.lines == (f"{side.capitalize()} turns up Bruce 97.",)
    assert second.board
    assert [one.said for _, line in second.board.lines for one in line] == ["Scott 12"]


def test_a_card_may_be_ordered_as_it_is_read() -> None:
    for card in CARDS.values():
        read = TITLE.language.parse(f"recruit {card.title}\n", "red")
        assert read == TITLE.language.parse(f"recruit {card.name}\n", "red")
        assert not read.faults
