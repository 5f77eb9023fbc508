"""When the results of who has left count, and what those become that do not: alike in table and draw."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import pytest

from pbem.errors import PbemError
from pbem.leagues.config import read_file
from pbem.leagues.formats import swiss
from pbem.leagues.formats.swiss import Field
from pbem.leagues.model import WithdrawalScoring
from pbem.leagues.results_table import tables
from pbem.leagues.rules_in_words import in_words
from pbem.leagues.season import Season, entrants_of, results_of
from pbem.leagues.standings import Scores, scores
from pbem.leagues.statements import WITHDRAW
from tests.leagues.world import Called, World, by_name, file_of, play_round, refuted

SIX = ("ann", "ben", "cat", "dan", "eve", "fay")
Make = Callable[..., World]


@pytest.fixture
def begun(called: Called) -> Make:
    """Makes a league whose first draw is called for; `scoring`: lines of that table."""

    def make(scoring: str = "", *, form: str = "swiss", count: int = 2, appeals: int = 0) -> World:
        more = f"[scoring]\n{scoring}" + ('\n[swiss]\nstuck = "rematch"\n' if form == "swiss" else "")
        return called(file_of(form, count=count, more=more, waits=(0, 0, appeals)), *SIX)

    return make


def points(season: Season) -> dict[str, Fraction]:
    return {row.player: row.points for _, rows in tables(season) for row in rows}


def noted(season: Season) -> set[str]:
    return {row.player for _, rows in tables(season) for row in rows if row.note == "left"}


@pytest.mark.ci
@pytest.mark.parametrize("rule", ["annulled", "half-played", "open-lost"])
def test_the_draw_counts_the_points_of_the_table(
    begun: Make, monkeypatch: pytest.MonkeyPatch, rule: str
) -> None:
    """It once counted wins over those who had left, which the table did not."""
    world = begun(f'leavers = "{rule}"\nannulled = "1/3"', count=3)
    drawn: list[tuple[dict[str, Fraction], Scores]] = []
    honest = swiss._field

    def spied(wishes: object, got: Scores, *rest: object) -> Field:
        drawn.append((points(world.book.season), got))
        return honest(wishes, got, *rest)  # type: ignore[arg-type]

    play_round(world)
    left = world.book.season.rounds[0].pairings.pairs[0]
    world.say(max(left.players), WITHDRAW)
    monkeypatch.setattr(swiss, "_field", spied)
    world.answer([one for one in SIX if one != max(left.players)])
    world.after(6)
    ((table, got),) = drawn
    assert len(got) == 5
    for name, rows in got.items():
        assert table[name] == sum((one.points for one in rows), Fraction(0)), name
    counts = rule != "annulled"
    assert table[min(left.players)] == (1 if counts else Fraction(1, 3))
    assert refuted(world) == []


@pytest.mark.ci
@pytest.mark.parametrize("form", ["swiss", "sections"])
@pytest.mark.parametrize("rule", ["", 'leavers = "annulled"', 'leavers = "open-lost"'])
def test_who_leaves_with_nothing_left_to_play_has_played_the_season(
    begun: Make, rule: str, form: str
) -> None:
    """A champion who left after the last game once wiped all opponents' results."""
    world = begun(rule, form=form, appeals=7)
    for _ in range(2 if form == "swiss" else 1):
        play_round(world)
        last = world.book.season.rounds[-1].number
        if last == 1 and form == "swiss":
            world.after(8)
    before = points(world.book.season)
    assert sum(before.values()) == (6 if form == "swiss" else 15)
    world.leaves("ann")
    assert not world.book.season.is_over, "players can appeal"
    assert points(world.book.season) == before
    assert noted(world.book.season) == set()
    world.after(8)
    ended = world.book.season
    assert ended.is_over
    assert points(ended) == before
    assert refuted(world) == []


@pytest.mark.ci
def test_who_is_expelled_after_the_last_game_has_left(begun: Make) -> None:
    world = begun('leavers = "annulled"', form="sections", appeals=7)
    play_round(world)
    world.rule("expel", "ann", reason="two players were one")
    assert noted(world.book.season) == {"ann"}
    assert points(world.book.season)["ann"] == 0


@pytest.mark.ci
@pytest.mark.parametrize("form", ["swiss", "sections"])
def test_who_leaves_a_round_too_early_has_left(begun: Make, form: str) -> None:
    """With a game that goes on, or a round to come."""
    world = begun('leavers = "annulled"', form=form)
    world.seat()
    (first, *_) = [pair for pair in world.open_pairs() if "ann" in pair.players]
    world.play([first], by_name)
    world.run()
    assert points(world.book.season)["ann"] == 1
    world.leaves("ann")
    assert points(world.book.season)["ann"] == 0
    assert noted(world.book.season) == {"ann"}


@pytest.mark.ci
def test_without_a_word_in_the_file_a_leavers_games_count_once_half_are_played(begun: Make) -> None:
    """In a section of six: three of five stand, and two that go on are lost; two of five would not."""
    world = begun(form="sections")
    assert world.book.file.scoring.leavers is WithdrawalScoring.HALF_PLAYED
    world.seat()
    own = [pair for pair in world.open_pairs() if "fay" in pair.players]
    world.play(own[:3], by_name)
    world.run()
    world.leaves("fay")
    stays = {name: 1 for pair in own for name in pair.players if name != "fay"}
    assert {name: value for name, value in points(world.book.season).items() if value} == stays


@pytest.mark.ci
def test_an_annulled_game_is_worth_what_the_file_says(begun: Make) -> None:
    """To whoever has not left, won or lost; as a bye it has no opponent. To a leaver it is worth nothing."""
    world = begun('leavers = "annulled"\nannulled = "1/2"\ntie_breaks = ["buchholz"]')
    world.seat()
    world.end_games()
    made = world.book.season.rounds[0].pairings.pairs
    met = {one: other for pair in made for one, other in (pair.players, pair.players[::-1])}
    assert points(world.book.season)["ann"] == 1
    world.leaves("ann")
    found = points(world.book.season)
    assert (found["ann"], found[met["ann"]]) == (Fraction(0), Fraction(1, 2))
    row = next(row for _, rows in tables(world.book.season) for row in rows if row.player == met["ann"])
    assert (row.played, row.tie_breaks) == (0, (Fraction(1, 2),))
    season = world.book.season
    got = scores(entrants_of(season), results_of(season), season.file.scoring, left=frozenset({"ann"}))
    assert got["ann"] == []
    told = dict(in_words(season.file))["Players who stop"]
    assert "For a game that does not count, a player who has not left gets 1/2." in told
    assert refuted(world) == []


def test_a_game_that_the_director_annuls_is_worth_the_same(begun: Make) -> None:
    world = begun('annulled = "1/2"')
    world.seat()
    pair = world.open_pairs()[0]
    world.rule("result", "1", str(pair.number), "annulled", *(f"{name}=1" for name in pair.players))
    assert [points(world.book.season)[name] for name in pair.players] == [Fraction(1, 2)] * 2


def test_what_annulled_may_be(begun: Make) -> None:
    with pytest.raises(PbemError, match=r"scoring\.annulled"):
        read_file(file_of("sections", more='[scoring]\nannulled = "much"'))
    assert read_file(file_of("sections")).scoring.annulled == 0
