"""Hits expected and rolled: exact sums, and intervals that leave out what they say."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest

from pbem.moments.luck import count_luck
from pbem.moments.tracks import Chapter, Moment, Track
from pbem.playback import Board, Fighter, Shot, Step


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
