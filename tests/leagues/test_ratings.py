"""Glicko-2 by its paper, held against another program, and what ratings of a league must and must not do."""

from decimal import Decimal
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbem.leagues.model import Ending, Rating, Result, Seat
from pbem.leagues.ratings import SeenGame, Strength, next_strength, ratings, side_offsets


def played(
    number: int,
    names: str,
    places: tuple[int, ...],
    ending: Ending = Ending.PLAYED,
    scenario: str = "",
    sides: tuple[str, ...] = ("left", "right", "top", "bottom"),
) -> Result:
    """A game in round `number`; of two, the first sits left and the second right."""
    return Result(
        round=number,
        pairing=sum(map(ord, names)),
        game="any",
        scenario=scenario,
        seats=tuple(Seat(player=name, side=side) for name, side in zip(names, sides, strict=False)),
        places=places,
        ending=ending,
        day="2026-01-01",
    )


def over_all(found: tuple[Rating, ...]) -> dict[str, Rating]:
    return {rating.player: rating for rating in found if not rating.side}


def test_the_example_of_the_paper() -> None:
    """The paper prints 1464.06, 151.52, 0.05999: it rounds on the way, and cuts the last digit."""
    games = [(1400, 30, 1), (1550, 100, 0), (1700, 300, 0)]
    found = next_strength(
        Strength(Decimal(1500), Decimal(200), Decimal("0.06")),
        [SeenGame(Decimal(value), Decimal(deviation), Decimal(score)) for value, deviation, score in games],
    )
    assert abs(found.value - Decimal("1464.06")) < Decimal("0.01")
    assert abs(found.deviation - Decimal("151.52")) < Decimal("0.005")
    assert Decimal("0.05999") <= found.volatility < Decimal("0.06")


@pytest.mark.ci
@settings(max_examples=40)
@given(
    st.integers(800, 2400),
    st.integers(30, 350),
    st.lists(
        st.tuples(st.integers(800, 2400), st.integers(30, 350), st.sampled_from([0, 0.5, 1])),
        min_size=1,
        max_size=8,
    ),
)
def test_it_agrees_with_another_program(
    value: int, deviation: int, games: list[tuple[int, int, float]]
) -> None:
    """`glicko2` is right but for volatility, where it takes the rating for the deviation."""
    from glicko2 import Player  # type: ignore[import-untyped]

    other = Player(value, deviation, 0.06)
    other.update_player(*(list(column) for column in zip(*games, strict=True)))
    own = next_strength(
        Strength(Decimal(value), Decimal(deviation), Decimal("0.06")),
        [SeenGame(Decimal(theirs), Decimal(spread), Decimal(score)) for theirs, spread, score in games],
    )
    assert float(own.value) == pytest.approx(other.rating, abs=2)
    assert float(own.deviation) == pytest.approx(other.rd, abs=1)


def test_neither_the_order_of_results_nor_forfeits_move_a_rating() -> None:
    results = [
        played(1, "ab", (1, 2)),
        played(1, "cd", (1, 2)),
        played(2, "ac", (1, 2)),
        played(2, "bd", (1, 1)),
    ]
    found = ratings(results)
    assert ratings(results[::-1]) == found
    assert (
        ratings(
            [*results, played(1, "ad", (1, 2), Ending.FORFEITED), played(2, "cb", (1, 2), Ending.ANNULLED)]
        )
        == found
    )
    assert ratings([*results, played(1, "ad", (1, 2), Ending.ADJUDICATED)]) != found


def test_a_winner_rises_and_a_loser_falls_over_all_and_with_the_side() -> None:
    found = {(rating.player, rating.side): rating for rating in ratings([played(1, "ab", (1, 2))])}
    assert set(found) == {("a", ""), ("a", "left"), ("b", ""), ("b", "right")}
    assert found["a", ""].value > 1500 > found["b", ""].value
    assert found["a", ""].value == found["a", "left"].value
    assert all(rating.provisional and rating.games == 1 for rating in found.values())


def test_games_make_certain_and_rest_makes_uncertain() -> None:
    many = [played(number, "ab", (1, 2) if number % 2 else (2, 1)) for number in range(1, 25)]
    busy = over_all(ratings(many))
    assert not busy["a"].provisional
    rested = over_all(ratings([*many, played(60, "cd", (1, 2), scenario="other")]))
    assert rested["a"].value == busy["a"].value
    assert rested["a"].deviation > busy["a"].deviation


def test_a_table_is_pairs_by_place_and_marked() -> None:
    found = over_all(ratings([played(1, "abcd", (1, 2, 2, 4))]))
    assert [found[name].value for name in "abcd"] == sorted(
        (rating.value for rating in found.values()), reverse=True
    )
    assert found["b"].value == found["c"].value
    assert all(rating.from_tables and rating.games == 1 for rating in found.values())
    assert not any(rating.from_tables for rating in ratings([played(1, "ab", (1, 2))]))
    later = over_all(ratings([played(5, "ae", (1, 2))], tuple(found.values())))
    assert [later[name].from_tables for name in "abe"] == [True, True, False], "what is taken over keeps it"


@pytest.mark.ci
def test_a_scenario_that_favours_a_side_does_not_make_its_players_strong() -> None:
    """Twenty equals; ten of them always sit left, and left wins nine games of ten."""
    draw = Random(2)
    lefts, rights = "abcdefghij", "klmnopqrst"
    results = [
        played(number, left + right, (1, 2) if draw.random() < 0.9 else (2, 1))
        for number in range(1, 31)
        for left, right in zip(lefts, draw.sample(rights, 10), strict=True)
    ]
    offset = side_offsets(results)["any", "", ("left", "right")]
    assert 300 < offset < 450, "nine of ten is 382 points"

    def gap(found: tuple[Rating, ...]) -> Decimal:
        values = {name: rating.value for name, rating in over_all(found).items()}
        return sum((values[name] for name in lefts), Decimal(0)) - sum(
            (values[name] for name in rights), Decimal(0)
        )

    nameless = [
        played(result.round, "".join(seat.player for seat in result.seats), result.places, sides=("", ""))
        for result in results
    ]
    without = gap(ratings(nameless))
    assert without > 2000, "200 for each"
    assert abs(gap(ratings(results))) < without / 4


def test_nobody_without_a_rated_game_has_a_rating() -> None:
    assert ratings([]) == ()
    assert ratings([played(1, "ab", (1, 2), Ending.FORFEITED)]) == ()
