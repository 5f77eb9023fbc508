"""Knock-out: a bracket made once, byes in its first round alone, places by the round that was reached."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.leagues.formats import knockout
from pbem.leagues.formats.knockout import LOT, REPLAY
from pbem.leagues.model import Ending
from pbem.leagues.model import Entrant as Person
from tests.leagues.cups import SIDES, Season, loose, people, players
from tests.leagues.dice import dice


def lost_in(season: Season) -> dict[str, int]:
    """Who lost a game of the bracket -> in which round, the last time."""
    found = {}
    for result in season.results:
        for seat, place in zip(result.seats, result.places, strict=True):
            if place > min(result.places):
                found[seat.player] = result.round
    return found


@pytest.mark.ci
@given(st.integers(2, 70), st.integers())
def test_it_ends_with_one_and_byes_are_in_the_first_round_alone(many: int, seed: int) -> None:
    season = Season(people(many), seed).play()
    assert len(season.rounds) == (many - 1).bit_length()
    assert len(season.rounds[0].byes) == 2 ** len(season.rounds) - many
    assert not any(drawn.byes for drawn in season.rounds[1:])
    assert {bye.player for bye in season.rounds[0].byes} == set(people(many)[: len(season.rounds[0].byes)])
    assert len(season.results) == many - 1
    assert list(season.places().values()).count(1) == 1


def test_the_bracket_of_eight_is_the_usual_one() -> None:
    season = Season(tuple("abcdefgh"), sides=("", ""))
    assert players(season.draw()) == ["ah", "de", "bg", "cf"]
    for pairing in season.rounds[0].pairings:
        season.end(pairing, (1, 2))
    assert players(season.draw()) == ["ad", "bc"]


@pytest.mark.ci
@given(st.integers(2, 40), st.integers(), st.booleans(), st.sampled_from([LOT, REPLAY, "scots"]))
def test_who_goes_further_stands_higher(many: int, seed: int, third: bool, drawn: str) -> None:
    """In 235 of 500 cups of 16 somebody out later stood below somebody out earlier."""
    season = Season(people(many), seed, loose, drawn=drawn, third=third).play()
    places = season.places()
    assert sorted(places.values())[:2] == [1, 2], "one wins, also where the final was drawn"
    appears: Counter[str] = Counter()
    for number, one in enumerate(season.rounds, 1):
        for name in {seat.player for game in one.pairings for seat in game.seats}:
            appears[name] = number
    stages = {name: season.cup.ranks()[name] // 2 for name in season.order}
    for name in season.order:
        for other in season.order:
            if stages[name] > stages[other]:
                assert places[name] < places[other]
                assert appears[name] >= appears[other]


def test_a_drawn_final_is_decided_by_the_dice_of_one_more_draw() -> None:
    """Both once were first."""
    winners = set()
    for seed in range(20):
        season = Season(tuple("ab"), seed, lambda *_: (1, 1)).play()
        assert [len(drawn.pairings) for drawn in season.rounds] == [1, 0]
        (bye,) = season.rounds[-1].byes
        places = season.places()
        assert places[bye.player] == 1
        assert sorted(places.values()) == [1, 2]
        winners.add(bye.player)
    assert winners == {"a", "b"}


def test_a_drawn_game_is_played_again_with_sides_changed_and_then_goes_by_lot() -> None:
    season = Season(tuple("abcd"), 1, drawn=REPLAY)
    first, second = season.draw().pairings
    season.end(first, (1, 2))
    season.end(second, (1, 1))
    again = season.draw()
    assert [[seat.player for seat in game.seats] for game in again.pairings] == [
        [seat.player for seat in reversed(second.seats)]
    ]
    assert [seat.side for seat in again.pairings[0].seats] == list(SIDES)
    assert not again.byes, "nobody else is drawn, and nobody is out"
    season.end(again.pairings[0], (1, 1))
    (final,) = season.draw().pairings
    names = {seat.player for seat in final.seats}
    assert first.seats[0].player in names
    assert len(names & {seat.player for seat in second.seats}) == 1


def test_an_eliminator_meets_the_lowest_seed_without_an_opponent_and_takes_nobody_on() -> None:
    season = Season(tuple("abcdefg"), eliminators=frozenset("x"), sides=("", ""))
    drawn = season.draw()
    assert players(drawn) == ["de", "bg", "cf", "ax"]
    assert not drawn.byes
    for game in drawn.pairings:
        season.end(game, (2, 1) if game.number == 4 else (1, 2))
    semi = season.draw()
    assert players(semi) == ["bc", "dx"], "who has no opponent for that meets the eliminator again"
    assert "x" not in season.cup.order


def test_an_eliminator_who_has_left_meets_nobody() -> None:
    season = Season(tuple("abcdefg"), eliminators=frozenset("xy"), sides=("", ""), gone={"x"})
    assert players(season.draw()) == ["de", "bg", "cf", "ay"]
    season = Season(tuple("abcdefg"), eliminators=frozenset("x"), sides=("", ""), gone={"x"})
    assert [bye.player for bye in season.draw().byes] == ["a"]


@pytest.mark.parametrize("seed", range(12))
def test_leavers_and_annulled_games_leave_the_others_in(seed: int) -> None:
    season, chance = Season(people(12), seed), Random(f"leavers {seed}")
    while not season.cup.is_over():
        for game in season.draw().pairings:
            if chance.random() < 0.15:
                season.end(game, (1, 1), Ending.ANNULLED)
            else:
                season.end(game, chance.choice([(1, 2), (2, 1)]))
        season.gone |= {name for name in season.order if chance.random() < 0.1}
        assert len(season.rounds) <= 4
    ranks = season.cup.ranks()
    for name, lost in lost_in(season).items():
        assert ranks[name] == 2 * lost, "who has left keeps what they reached"


def test_a_correction_after_the_draw_moves_nobody_within_the_bracket() -> None:
    """Once the semi-finals were drawn, two corrected results of the first round put their winner out."""
    season = Season(tuple("abcdefgh"), sides=("", ""))
    for pairing in season.draw().pairings:
        season.end(pairing, (1, 2))
    assert players(season.draw()) == ["ad", "bc"]
    for pairing in season.rounds[-1].pairings:
        season.end(pairing, (1, 2))
    season.correct(1, 1, (2, 1))
    season.correct(1, 2, (2, 1))
    assert season.cup.ahead() == (("a",), ("b",))
    assert players(season.draw()) == ["ab"]


def test_a_semi_final_corrected_after_the_final_is_drawn_leaves_the_finalists() -> None:
    season = Season(tuple("abcd"), sides=("", ""), third=True)
    for _ in range(2):
        for pairing in season.draw().pairings:
            season.end(pairing, (1, 2))
    assert players(season.rounds[-1]) == ["ab", "cd"]
    season.correct(1, 1, (2, 1))
    assert season.cup.is_over()
    assert season.places() == {"a": 1, "b": 2, "c": 3, "d": 4}


def test_a_drawn_game_that_is_corrected_after_it_was_played_again_stays_played_again() -> None:
    season = Season(tuple("abcd"), sides=("", ""), drawn=REPLAY)
    first, second = season.draw().pairings
    season.end(first, (1, 1))
    season.end(second, (1, 2))
    (again,) = season.draw().pairings
    season.end(again, (1, 2))
    season.correct(1, 1, (1, 2))
    assert players(season.draw()) == ["db"], "d has won the second game"


@pytest.mark.ci
@given(st.integers(3, 40), st.integers(), st.booleans(), st.sampled_from([LOT, REPLAY, "scots"]))
def test_whatever_is_corrected_the_bracket_goes_on(many: int, seed: int, third: bool, drawn: str) -> None:
    """Who has been drawn into a stage plays in it, and one of them goes on to the next."""
    season, chance = Season(people(many), seed, loose, drawn=drawn, third=third), Random(seed)

    def corrected(season: Season) -> bool:
        for _ in range(2 * bool(season.results)):
            one = chance.choice(season.results)
            season.correct(one.round, one.pairing, chance.choice([(1, 2), (2, 1), (1, 1)]))
        return False

    season.play(corrected)
    stages = season.cup.stages()
    assert len([one for one in stages if len(one.places) > 1]) == (many - 1).bit_length()
    for stage, following in pairwise(stages):
        assert all(following.places)
        for at, name in enumerate(following.places):
            assert name in stage.places[2 * at : 2 * at + 2]


def test_seeds_are_by_rating_and_equal_ones_by_lot() -> None:
    entrants = [Person(name=name, rating=rating) for name, rating in zip("abc", (1, 3, None), strict=True)]
    order = knockout.seeds([*entrants, Person(name="x", rating=9, eliminator=True)], dice())
    assert order == ("b", "a", "c")
