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
from pbem.titles.hammer.playback import ACTS, PLAYBACK, Scene, sentences
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


RAID: list[Event] = [
    {"event": "move", "side": "scotland", "path": ["Moray", "Ross"], "role": "main", "block": "Moray"},
    {"event": "move", "side": "scotland", "path": ["Moray", "Ross"], "role": "main", "block": "Fraser"},
    {"event": "move", "side": "scotland", "path": ["Fife", "Mentieth"], "role": "main", "block": "Wallace"},
    {"event": "moves over", "side": "scotland", "blocks": 3, "used": 2, "allowed": 2},
    {
        "event": "battle",
        "number": 1,
        "area": "Ross",
        "attacker": "scotland",
        "blocks": {"scotland": 2, "england": 1},
        "reserves": {"england": 0, "scotland": 0},
    },
    {"event": "round", "area": "Ross", "round": 1},
    {
        "event": "revealed",
        "area": "Ross",
        "round": 1,
        "blocks": {
            "Moray": {"side": "scotland", "strength": 3},
            "Fraser": {"side": "scotland", "strength": 3},
            "Ross": {"side": "england", "strength": 3},
        },
    },
    {
        "event": "fire",
        "block": "Ross",
        "side": "england",
        "dice": [6, 6, 1],
        "rating": 3,
        "hits": 1,
        "label": "1297.1/battle-1/ross/round-1/ross",
    },
    {"event": "hit", "block": "Moray", "side": "scotland", "strength": 2},
    {
        "event": "retreat",
        "side": "england",
        "area": "Ross",
        "round": 2,
        "blocks": ["Ross"],
        "to": {"Garmoran": 1},
    },
    {"event": "battle over", "area": "Ross", "holder": "scotland"},
]
"""A turn as the Scots are told it."""


def scots_begin() -> View:
    """What the Scots see when the first turn begins."""
    return TITLE.rules.start(options={"scenario": "braveheart"}, chance=LabelledChance(1)).view("scotland")


def test_each_block_that_is_hit_is_told() -> None:
    hits = [("Mar", 2), ("Ross", 1), ("Mar", 1)]
    told = [{"event": "hit", "side": "england", "block": block, "strength": left} for block, left in hits]
    assert list(sentences(told)) == ["Mar is hit: strength 1.", "Ross is hit: strength 1."]
    start, second = scots_begin(), {**RAID[8], "block": "Fraser"}
    steps = PLAYBACK.steps(start, [*RAID[:9], second, *RAID[9:]], start)
    made = [(one.answer, one.others) for step in steps for one in step.decisions]
    assert made == [("hit Moray", ("hit Fraser",))], "the second hit was no choice"


def test_a_noble_who_falls_to_a_pillage_stands_with_the_enemy_at_once() -> None:
    """3.12, 5.7: the hits that took the noble's last step are told after that, and cost nothing more."""
    scene = Scene(scots_begin())
    before = scene.view()["blocks"]["Moray"]
    fallen = {"event": "captured", "area": before["area"], "noble": "Moray", "side": "england"}
    hits = {"event": "pillage hits", "area": before["area"], "blocks": 1, "hits": 2, "side": "scotland"}
    for event in (fallen, {**hits, "taken": {"Moray": 2}}):
        scene.play(event)
    assert scene.view()["blocks"]["Moray"] == {"side": "england", "area": before["area"], "strength": 1}


def test_a_battle_is_a_chapter_with_a_board() -> None:
    start = scots_begin()
    steps = [step for step in PLAYBACK.steps(start, RAID, start) if step.chapter == "Battle of Ross"]
    opening, first, shot, retreat, last = steps
    assert opening.board
    assert opening.board.attacker == "scotland"
    assert first.board
    assert [(side, [one.name for one in line]) for side, line in first.board.lines] == [
        ("scotland", ["Moray", "Fraser"]),
        ("england", ["Ross"]),
    ]
    assert shot.lines == ("Ross rolls 6 6 1: 1 hit.", "Moray is hit: strength 2.")
    assert shot.board
    assert shot.board.shot
    assert (shot.board.shot.dice, shot.board.shot.hits_up_to, shot.board.hit) == ((6, 6, 1), 3, ("Moray",))
    assert retreat.view["areas"]["Garmoran"]["england"] == 1
    assert last.lines == ("Scotland holds Ross.",)
    assert last.board
    fates = {one.name: one.fate for _, line in last.board.lines for one in line}
    assert fates == {"Moray": "", "Fraser": "", "Ross": "retreats"}


def test_moves_are_shown_when_they_are_made() -> None:
    start = scots_begin()
    first, second, *_ = PLAYBACK.steps(start, RAID, start)
    assert first.chapter == second.chapter == "Scotland moves"
    assert first.lines == ("Scotland moves Moray and Fraser: Moray to Ross (main attack).",)
    assert first.view["blocks"]["Moray"]["area"] == "Ross"
    assert first.view["areas"]["Moray"]["scotland"] == start["areas"]["Moray"]["scotland"] - 2
    assert first.view["blocks"]["Wallace"]["area"] == "Fife", "the next move is not made yet"
    assert second.view["blocks"]["Wallace"]["area"] == "Mentieth"


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
