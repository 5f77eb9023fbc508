"""Hits expected and rolled: exact sums, and intervals that leave out what they say."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise, product

import pytest

from pbem.moments.commentary import count_luck
from pbem.moments.documents import write_page
from pbem.moments.tracks import Chapter, Moment, Track
from pbem.odds import BattleOdds
from pbem.playback import Board, Fighter, Shot, Step
from pbem.titles import load
from pbem.titles.hammer.odds.battle import fight
from pbem.titles.hammer.odds.states import field_before
from pbem.titles.hammer.playback import Scene
from tests.moments.stories import story_of


def shot(fighter: str, hits_up_to: int, *dice: int, area: str = "Fife", of_round: int = 1) -> Moment:
    """A moment in which a block of the red or the blue side fires."""
    lines = tuple(
        (side, (Fighter(name=f"{side} 1", side=side, rating="A3", strength=3, full=3),))
        for side in ("red", "blue")
    )
    fired = Shot(fighter=fighter, label="battle", dice=dice, hits_up_to=hits_up_to)
    board = Board(
        area=area, round=of_round, attacker="red", lines=lines, reserves=(), shot=fired, hit=(), second="blue"
    )
    return Moment(step=Step(lines=("A shot.",), chapter=f"Battle of {area}", events=(), view={}, board=board))


def luck_of(*moments: Moment) -> list[tuple[int, int, str, list[tuple[str, int, Fraction, int, int, int]]]]:
    track = Track(reader="public", chapters=(Chapter(exchange=4, title="", moments=moments),))
    return [
        (
            one.exchange,
            one.step,
            one.name,
            [(s.side, s.dice, s.expected, s.rolled, s.low, s.high) for s in one.sides],
        )
        for one in count_luck(track)
    ]


def test_no_dice_no_luck() -> None:
    assert luck_of() == []


def test_hits_are_summed_for_each_side_and_battle() -> None:
    found = luck_of(
        shot("red 1", 3, 1, 3, 4),
        shot("blue 1", 2, 6),
        shot("red 1", 1, 1, area="Mar"),
        shot("red 1", 6, 6, area="Mar"),
    )
    assert found[0][:3] == (0, 0, "")
    assert [(row[0], row[1], row[2]) for row in found[1:]] == [(4, 1, "1. Fife"), (4, 3, "2. Mar")]
    red = next(one for one in found[0][3] if one[0] == "red")
    assert red[1:4] == (5, Fraction(3, 2) + Fraction(1, 6) + 1, 4)


def test_two_battles_in_one_area_are_two() -> None:
    march = Moment(step=Step(lines=("A march.",), chapter="Moves", events=(), view={}))
    found = luck_of(shot("red 1", 3, 1), march, shot("red 1", 3, 6))
    assert [row[2] for row in found] == ["", "1. Fife", "2. Fife"]


@pytest.mark.parametrize("hits_up_to", [1, 2, 3, 4])
@pytest.mark.parametrize("dice", [1, 2, 4, 6])
def test_the_interval_leaves_out_at_most_a_twentieth_at_each_end(dice: int, hits_up_to: int) -> None:
    ((_, _, _, [(_, _, _, _, low, high)]), _) = luck_of(shot("red 1", hits_up_to, *[6] * dice))
    sums = [sum(pips <= hits_up_to for pips in roll) for roll in product(range(1, 7), repeat=dice)]
    below, above = sum(one < low for one in sums), sum(one > high for one in sums)
    assert below * 20 <= len(sums)
    assert above * 20 <= len(sums)
    assert sum(one <= low for one in sums) * 20 > len(sums)
    assert sum(one >= high for one in sums) * 20 > len(sums)


CAMPAIGN = "campaign-to-1298"


def test_everything_tells_the_chances_of_every_battle_and_what_came() -> None:
    story = story_of(CAMPAIGN)
    _, *battles = count_luck(story.tracks[-1], story.setting.title.odds)
    assert len(battles) > 5
    for one in battles:
        assert one.chances
        holders = [
            chance for chance in one.chances if " holds " in chance.said or chance.said.startswith("nobody")
        ]
        assert sum(chance.came for chance in holders) == 1, one.name


def test_a_side_is_told_the_chances_of_those_battles_alone_in_which_it_saw_everybody() -> None:
    story = story_of(CAMPAIGN)
    known = {track.reader: count_luck(track, story.setting.title.odds)[1:] for track in story.tracks}
    whole = {one.name: one.chances for one in known["gm"]}
    for reader, battles in known.items():
        assert sum(bool(one.chances) for one in battles) > 0
        for one in battles:
            assert one.chances in ((), whole[one.name]), (reader, one.name)
    assert any(not one.chances for one in known["public"])


def test_the_chance_is_that_of_the_battle_fought_many_times() -> None:
    """The first battle of the campaign on everything's track, against the exact odds of its blocks."""
    story = story_of(CAMPAIGN)
    odds: object = story.setting.title.odds
    assert isinstance(odds, BattleOdds)
    steps = [moment.step for chapter in story.tracks[-1].chapters for moment in chapter.moments]
    start = next(step for step in steps if step.board and step.board.round == 1)
    where = field_before(start.view)
    assert where is not None
    assert start.board is not None
    shown = {one.name: one.strength for _, line in start.board.lines for one in line}
    assert {one.name: one.strength for one in where.fighters if not one.reserve} == shown
    chances = odds.before(start.view)
    assert chances is not None
    by_words = dict(chances.rows)
    for side in ("england", "scotland"):
        endings = fight(where).chances()
        exact = sum(chance for ending, chance in endings.items() if ending.holder == side)
        assert by_words[f"{side.capitalize()} holds {where.area}"] == exact


def test_without_odds_there_are_no_chances() -> None:
    assert load("first-war").odds is None
    found = count_luck(story_of(CAMPAIGN).tracks[-1], None)
    assert found
    assert all(one.chances == () for one in found)


@pytest.mark.ci
def test_a_file_of_a_running_game_has_luck_when_it_is_asked_for_alone() -> None:
    running = replace(story_of(CAMPAIGN), over=False, tracks=story_of(CAMPAIGN).tracks[-1:])
    battles = count_luck(running.tracks[0], running.setting.title.odds)
    percent = next(f'"{one.chance}"'.encode() for battle in battles for one in battle.chances)
    assert percent not in write_page(running)
    assert percent in write_page(running, luck=True)


def test_the_ways_into_battles_are_known_when_their_chances_are_told() -> None:
    """5.5: over a border that the enemy came in by nobody retreats; events tell which, as views do."""
    known = 0
    for track in story_of(CAMPAIGN).tracks:
        for before, chapter in pairwise(track.chapters):
            scene = Scene(before.moments[-1].step.view)
            for moment in chapter.moments:
                for event in moment.step.events:
                    scene.play(event)
                after = moment.step.view
                if "winter" in after["moment"]:
                    break  # with the year they are forgotten, which no event tells
                assert scene.view()["entered"] == after["entered"], (track.reader, chapter.exchange)
                known += bool(after["entered"])
    assert known
