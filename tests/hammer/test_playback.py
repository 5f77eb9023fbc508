"""The steps of a report: they end where the next report begins, and tell each event once."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from pbem.playback import PlainPlayback, Step
from pbem.reports.packing import unpack
from pbem.rules.base import Event, View
from pbem.rules.hammer.facts import SIDES
from pbem.titles import load
from pbem.titles.hammer.playback import ACTS, PLAYBACK, Scene
from pbem.titles.hammer.reports.sentences import SENTENCES
from tests.properties.random_play import LabelledChance

REPORTS = Path(__file__).parents[2] / "games/campaign-to-1298/reports"
TITLE = load("hammer")
Piece = tuple[str, View, list[Event], View]


def pieces(seed: int) -> Iterator[Piece]:
    """Play a year at random: for each viewer the events of a turn, between the views before and after."""
    dice = random.Random(seed)
    game = TITLE.rules.start(options={"scenario": "braveheart"}, chance=LabelledChance(seed))
    viewers = (*SIDES, "public")
    views = {one: game.view(one) for one in viewers}
    heard = {one: len(game.told(one)) for one in viewers}
    turn = None
    for _ in range(3_000):
        if game.outcome or not game.asks:
            return
        ask = game.asks[0]
        if ask.kind == "card" and turn != (now := (views["public"]["year"], game.view("public")["turn"])):
            for one in viewers:
                view, told = game.view(one), game.told(one)
                if turn is not None:
                    yield one, views[one], told[heard[one] :], view
                views[one], heard[one] = view, len(told)
            turn = now
        game.answer(ask.side, dice.choice(ask.legal))


@pytest.mark.parametrize(
    "seed", [*range(3), *(pytest.param(one, marks=pytest.mark.slow) for one in range(3, 60))]
)
def test_the_steps_of_a_turn_lead_from_one_view_to_the_next(seed: int) -> None:
    looked = 0
    for viewer, before, told, after in pieces(seed):
        if any(event["event"] == "winter" for event in told):
            continue  # where nobles of others went is told in part
        scene = Scene(before)
        for event in told:
            scene.play(event)
        found = scene.view()
        assert found["areas"] == {area: dict(sides) for area, sides in after["areas"].items()}, viewer
        untold = {event["noble"] for event in told if event["event"] == "defects" and not event["strength"]}
        placed = {
            name: block
            for name, block in after["blocks"].items()
            if block["area"] in after["areas"] and name not in untold
        }
        assert {name: found["blocks"].get(name) for name in placed} == placed, viewer
        looked += 1
    assert looked > 3


def steps_of(number: int, side: str = "scotland") -> tuple[Step, ...]:
    before, now = (
        unpack((REPORTS / side / f"demo-{one:04}.txt").read_text()) for one in (number - 1, number)
    )
    assert before
    assert now
    return PLAYBACK.steps(before[0], now[1], now[0])


@pytest.mark.parametrize("side", SIDES)
def test_each_event_of_a_game_is_in_one_step_and_the_last_view_is_that_of_the_report(side: str) -> None:
    for path in sorted((REPORTS / side).glob("*.txt"))[1:]:
        if (found := unpack(path.read_text())) and (told := found[1]):
            steps = steps_of(int(path.stem[-4:]), side)
            assert [event for step in steps for event in step.events] == told
            assert steps[-1].view == found[0]
            assert all(step.lines for step in steps)


def test_a_battle_is_a_chapter_with_a_board() -> None:
    steps = [step for step in steps_of(3) if step.chapter == "Battle of Ross"]
    opening, first, shot, *_, last = steps
    assert opening.board
    assert opening.board.attacker == "scotland"
    assert first.board
    assert [(side, [one.name for one in line]) for side, line in first.board.lines] == [
        ("scotland", ["Moray", "Grant"]),
        ("england", ["Ross"]),
    ]
    assert shot.lines == ("Ross rolls 6 6 1: 1 hit.", "Grant is hit: strength 2.")
    assert shot.board
    assert shot.board.shot
    assert (shot.board.shot.dice, shot.board.shot.hits_up_to, shot.board.hit) == ((6, 6, 1), 3, ("Grant",))
    assert last.lines == ("Scotland holds Ross.",)
    assert last.board
    fates = {one.name: one.fate for _, line in last.board.lines for one in line}
    assert fates == {"Moray": "", "Grant": "", "Ross": "retreats"}


def test_moves_are_shown_when_they_are_made() -> None:
    after_move = next(step for step in steps_of(3) if "Douglas and Wallace" in step.lines[0])
    assert after_move.chapter == "Scotland moves"
    assert after_move.view["blocks"]["Wallace"]["area"] == "Atholl"
    assert after_move.view["areas"]["Mentieth"]["scotland"] == 1
    assert after_move.view["blocks"]["Grant"]["area"] == "Strathspey", "the next move is not made yet"


def test_without_the_report_before_the_position_is_that_of_now() -> None:
    now = unpack((REPORTS / "scotland/demo-0003.txt").read_text())
    assert now
    assert all(step.view["areas"] == now[0]["areas"] for step in PLAYBACK.steps(None, now[1], now[0]))
    assert PLAYBACK.steps(now[0], [], now[0]) == ()


def test_what_moves_blocks_is_an_event_that_is_told() -> None:
    assert ACTS.keys() <= SENTENCES.keys()


def test_any_game_has_plain_steps() -> None:
    now = unpack((REPORTS / "scotland/demo-0003.txt").read_text())
    assert now
    steps = PlainPlayback(TITLE.words).steps(None, now[1], now[0])
    assert [event for step in steps for event in step.events] == now[1]
    assert all(step.lines and step.view == now[0] and step.board is None for step in steps)
