"""The steps of a report of First War: cards move as they were told, and end where the next report begins."""

from __future__ import annotations

import pytest

from pbem.rules.first_war.facts import SIDES
from pbem.titles.first_war.playback import ACTS, PLAYBACK, Scene
from pbem.titles.first_war.reports import SENTENCES, WORDS, sentences
from tests.properties.told_pieces import pieces

KEYS = ("year", "season", "territories", "play", "hands", "deck", "discard", "passed")


@pytest.mark.parametrize("seed", range(4))
def test_the_cards_lie_in_the_end_as_the_next_view_has_them(seed: int) -> None:
    looked = 0
    for viewer, before, told, after in pieces("first-war", seed, {}):
        if any(side_answers(one) for one in (before, after)):
            continue  # a side sees its own sealed answers before they are told
        scene = Scene(before)
        for event in told:
            scene.play(event)
        found = scene.view()
        for key in KEYS:
            assert found[key] == after[key], (viewer, key, told)
        looked += 1
    assert looked > 10


def side_answers(view: dict[str, object]) -> bool:
    return view["phase"] in ("recruit", "end", "quartering") and view["viewer"] in SIDES


@pytest.mark.parametrize("seed", range(2))
def test_each_event_is_in_one_step_and_each_step_says_something(seed: int) -> None:
    for _, before, told, after in pieces("first-war", seed, {}):
        found = PLAYBACK.steps(before, told, after)
        assert [event for step in found for event in step.events] == told
        assert not found or found[-1].view == after
        assert all(step.lines and all(step.lines) for step in found)


def test_own_cards_that_were_sealed_are_not_moved_twice() -> None:
    for viewer, before, told, after in pieces("first-war", 5, {}):
        if viewer not in SIDES:
            continue
        for step in PLAYBACK.steps(before, told, after):
            lying = [card for side in SIDES for card in step.view["play"][side]]
            lying += [
                card for hand in step.view["hands"].values() if not isinstance(hand, int) for card in hand
            ]
            lying += step.view["discard"]
            assert len(lying) == len(set(lying)), step.events


def test_a_battle_is_a_board() -> None:
    looked = 0
    for _, before, told, after in pieces("first-war", 1, {}):
        for step in PLAYBACK.steps(before, told, after):
            for event in step.events:
                if event["event"] == "tally":
                    assert step.board
                    assert [side for side, _ in step.board.lines] == list(SIDES)
                    assert dict(step.board.totals)["scots"].startswith(f"Force {event['force']['scots']}")
                    assert step.chapter.startswith("The battle of ")
                    looked += 1
    assert looked > 1


def test_what_moves_cards_is_an_event_that_is_told() -> None:
    assert ACTS.keys() <= SENTENCES.keys() | {"tally"}


def test_an_event_is_found_by_every_word_of_its_sentence() -> None:
    for _, _, told, _ in pieces("first-war", 0, {}):
        for event, (_, words) in zip(told, WORDS.search_words(told), strict=True):
            said = "" if event["event"] == "season" else " ".join(sentences([event]))
            assert said.lower() in words
