"""The winners of sections meet in a final: who they are, whom the dice part, and what the audit refutes."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pbem.leagues import results_table, round_drawing
from pbem.leagues.season import FINAL_SECTION
from pbem.leagues.statements import WITHDRAW
from tests.leagues.world import Called, World, file_of, play_round, refuted

pytestmark = pytest.mark.ci


FINAL = "[sections]\nsize = 3\nfinal = true\nup = 1\n"
SIX = ("ann", "ben", "cat", "dan", "eve", "fay")
Make = Callable[..., World]


@pytest.fixture
def begun(called: Called) -> Make:
    """Two sections of three, whose draw is called for."""

    def make(players: tuple[str, ...] = SIX, more: str = FINAL) -> World:
        return called(file_of("sections", more=more, entries="most = 12"), *players)

    return make


def firsts(world: World) -> set[str]:
    tables = results_table.tables(world.book.season)
    return {rows[0].player for name, rows in tables if name != FINAL_SECTION}


def test_the_winners_of_the_sections_meet(begun: Make) -> None:
    world = begun()
    play_round(world)
    won = firsts(world)
    assert len(won) == 2
    assert set(world.book.season.calls[-1].asked) == won
    play_round(world)
    season = world.book.season
    assert season.is_over
    ((_, rows),) = (one for one in results_table.tables(season) if one[0] == FINAL_SECTION)
    assert [row.player for row in rows] == sorted(won)
    assert [name for name, _ in results_table.tables(season)] == ["1", "2", FINAL_SECTION]
    assert {player for player, _ in results_table.moves(season)} == won, "classes go by the sections alone"
    assert sorted(results_table.classes([season])[0]) == sorted(SIX)
    assert refuted(world) == []


def test_who_shares_a_first_place_is_drawn(begun: Make) -> None:
    """All games are drawn, so all share: one of each section is in the final."""
    world = begun()
    world.seat()
    for pair in world.open_pairs():
        places = (f"{player}=1" for player in pair.players)
        world.rule("result", "1", str(pair.number), "adjudicated", *places)
    world.run()
    assert set(world.book.season.calls[-1].asked) == set(SIX)
    world.seat()
    season = world.book.season
    (pair,) = season.rounds[1].pairings.pairs
    sections = [set(players) for _, players in season.rounds[0].pairings.divisions]
    assert [len(set(pair.players) & section) for section in sections] == [1, 1]
    assert [die.label for die in season.calls[-1].resolved.dice if "first" in die.label]  # type: ignore[union-attr]
    assert refuted(world) == []


def test_who_has_left_is_not_in_it_and_one_section_has_none(begun: Make) -> None:
    world = begun()
    play_round(world)
    gone = min(firsts(world))
    asked = set(world.book.season.calls[-1].asked)
    world.say(gone, WITHDRAW)
    assert gone in asked
    world.after(6)
    assert gone not in world.book.season.rounds[1].pairings.pairs[0].players or len(asked) == 2
    assert refuted(world) == []


def test_one_section_has_no_final(begun: Make) -> None:
    world = begun(SIX[:3])
    play_round(world)
    assert world.book.season.is_over
    assert len(world.book.season.rounds) == 1


def test_another_finalist_is_refuted(begun: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    world = begun()
    with monkeypatch.context() as cheating:
        cheating.setattr(round_drawing, "section_winners", lambda *_: [("ben",), ("fay",)])
        play_round(world)
        play_round(world)
    assert world.book.season.is_over
    found = refuted(world)
    assert any("a call for draw of round 2" in one for one in found), found
