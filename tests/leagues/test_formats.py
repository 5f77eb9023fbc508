"""Who meets whom: every format is legal for any field, by the same bytes for the same dice."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbem.leagues.config_reader import FORMATS as IN_A_FILE
from pbem.leagues.formats import draw_number, round_robin, shuffled, swiss, tables
from pbem.leagues.model import Ending, Entrant, Pairing, Result, Round, Seat, Sides, Standing
from pbem.leagues.round_drawing import FORMATS, may_challenge, order_after
from tests.leagues.dice import dice

SIDES = ("left", "right")


def field(size: int, eliminators: int = 0) -> list[Entrant]:
    return [
        *(
            Entrant(name=f"p{number:03}", rating=None if number % 3 else 1500 + number)
            for number in range(size)
        ),
        *(Entrant(name=f"e{number}", eliminator=True) for number in range(eliminators)),
    ]


def couples(rounds: Sequence[Round]) -> Counter[frozenset[str]]:
    """How often each two sat at one board."""
    boards = ([seat.player for seat in pairing.seats] for drawn in rounds for pairing in drawn.pairings)
    return Counter(frozenset(two) for board in boards for two in combinations(board, 2))


def balance(rounds: Sequence[Round], name: str, both: Sides = SIDES) -> int:
    sides = [
        seat.side for drawn in rounds for game in drawn.pairings for seat in game.seats if seat.player == name
    ]
    return sides.count(both[0]) - sides.count(both[1])


def active(drawn: Round) -> list[str]:
    """Everybody who is named in a round, sorted."""
    players = [seat.player for pairing in drawn.pairings for seat in pairing.seats]
    return sorted(players + [bye.player for bye in drawn.byes])


def outcome(drawn: Round, pairing: Pairing, places: tuple[int, ...]) -> Result:
    return Result(
        round=drawn.number,
        division=drawn.division,
        pairing=pairing.number,
        game="any",
        seats=pairing.seats,
        places=places,
        day="2026-01-01",
    )


# Lots


def test_a_lot_above_256_takes_two_dice_and_is_fair() -> None:
    drawn = Counter(draw_number(300, dice(seed), "lot") for seed in range(6000))
    assert set(drawn) <= set(range(300))
    assert len(drawn) == 300
    assert max(drawn.values()) < 50, "20 expected for each"


def test_a_lot_beyond_the_range_is_thrown_anew() -> None:
    falls = {"lot/t1/h": 2, "lot/t1/l": 200, "lot/t2/h": 1, "lot/t2/l": 7}
    assert draw_number(300, lambda _, label: falls[label], "lot") == 6


def test_an_order_is_the_same_however_the_names_come_in() -> None:
    assert shuffled(["c", "a", "b"], dice(3), "lot") == shuffled(["b", "c", "a"], dice(3), "lot")
    orders = Counter(shuffled("abc", dice(seed), "lot") for seed in range(600))
    assert len(orders) == 6
    assert min(orders.values()) > 60, "100 expected for each"


# Round robin


BERGER_6 = ["16 25 34", "64 53 12", "26 31 45", "65 14 23", "36 42 51"]
"""The printed Berger table for six: the first of each couple has the first side."""


def test_six_play_by_the_printed_berger_table() -> None:
    rounds = round_robin.schedule("123456", sides=SIDES)
    found = [
        " ".join("".join(seat.player for seat in game.seats) for game in drawn.pairings) for drawn in rounds
    ]
    assert found == BERGER_6


@given(st.integers(2, 17), st.booleans())
def test_everybody_meets_everybody_once_on_each_day_at_most(size: int, double: bool) -> None:
    names = [entrant.name for entrant in field(size)]
    rounds = round_robin.schedule(names, double, sides=SIDES)
    times = 2 if double else 1
    assert couples(rounds) == {frozenset(two): times for two in combinations(names, 2)}
    assert [drawn.number for drawn in rounds] == list(range(1, len(rounds) + 1))
    for drawn in rounds:
        assert max(Counter(active(drawn)).values()) == 1
    assert all(abs(balance(rounds, name)) <= (0 if double else 1) for name in names)
    if double:
        boards = Counter(
            tuple(seat.player for seat in game.seats) for drawn in rounds for game in drawn.pairings
        )
        assert set(boards.values()) == {1}, "each two change sides"


@pytest.mark.ci
@given(st.integers(2, 60), st.integers(2, 13), st.integers())
def test_sections_are_equal_and_mix_ratings(size: int, most: int, seed: int) -> None:
    entrants = field(size)
    drawn = round_robin.sections(entrants, most, dice(seed))
    assert sorted(name for section in drawn for name in section) == [entrant.name for entrant in entrants]
    sizes = [len(section) for section in drawn]
    assert max(sizes) <= most
    assert max(sizes) - min(sizes) <= 1
    rated = {entrant.name for entrant in entrants if entrant.rating}
    shares = [len(rated & set(section)) for section in drawn]
    assert max(shares) - min(shares) <= 1


def table(*groups: str) -> tuple[Standing, ...]:
    """A final table: each word is one place, its letters share it."""
    lines: list[Standing] = []
    for group in groups:
        lines += [
            Standing(place=len(lines) + 1, player=name, played=3, points=Fraction(0))
            for name in sorted(group)
        ]
    return tuple(lines)


@pytest.mark.parametrize(
    ("places", "up", "down", "rising", "falling"),
    [
        ("a b c d", 1, 2, "a", "cd"),
        ("a b c d", 0, 0, "", ""),
        ("ab c d", 1, 1, "ab", "d"),  # both share the place that rises
        ("a b cd", 1, 1, "a", ""),  # neither of those who share the last place falls alone
        ("a b cd", 1, 2, "a", "cd"),
        ("a b", 1, 2, "a", "b"),  # who rises does not fall
    ],
)
def test_the_best_go_up_and_the_last_go_down(
    places: str, up: int, down: int, rising: str, falling: str
) -> None:
    ways = round_robin.moves(table(*places.split()), up, down)
    assert ways == dict.fromkeys(rising, "up") | dict.fromkeys(falling, "down")


def test_who_has_left_neither_rises_nor_falls() -> None:
    first, *rest = table("a", "b", "c")
    assert round_robin.moves([*rest, replace(first, note="left")], 2, 0) == {"b": "up"}


# Swiss


@pytest.mark.ci
@settings(max_examples=15)
@given(st.data(), st.integers(6, 24), st.integers(0, 2))
def test_a_swiss_season_is_legal(data: st.DataObject, size: int, eliminators: int) -> None:
    entrants = field(size, eliminators)
    regular = {entrant.name for entrant in entrants if not entrant.eliminator}
    rounds: list[Round] = []
    results: list[Result] = []
    falls = st.sampled_from([(1, 2), (2, 1), (1, 1)])
    for number in range(1, 6 if size > 7 else 4):
        drawn = swiss.pair_players(
            entrants,
            results,
            rounds,
            dice(number),
            wishes=swiss.PairingOptions(bye="eliminator"),
            sides=SIDES,
        )
        rounds.append(drawn)
        assert regular <= set(active(drawn)), "everybody plays or has a bye"
        assert max(Counter(active(drawn)).values()) == 1
        results += [outcome(drawn, game, data.draw(falls)) for game in drawn.pairings]
    assert max(couples(rounds).values()) == 1, "nobody twice"
    assert max(Counter(bye.player for drawn in rounds for bye in drawn.byes).values(), default=0) <= 1
    assert max(abs(balance(rounds, name)) for name in regular) <= 1 + size % 2


def test_the_last_of_the_table_meets_the_eliminator() -> None:
    entrants = field(5, 1)
    first = swiss.pair_players(
        entrants, [], [], dice(1), wishes=swiss.PairingOptions(bye="eliminator"), sides=SIDES
    )
    guests = [game for game in first.pairings if "e0" in {seat.player for seat in game.seats}]
    assert len(guests) == 1
    results = [outcome(first, game, (1, 2)) for game in first.pairings]
    second = swiss.pair_players(
        entrants, results, [first], dice(2), wishes=swiss.PairingOptions(bye="eliminator"), sides=SIDES
    )
    again = next(game for game in second.pairings if "e0" in {seat.player for seat in game.seats})
    before = {seat.player for seat in guests[0].seats}
    after = {seat.player for seat in again.seats}
    assert before & after == {"e0"}
    winners = {result.seats[0].player for result in results}
    assert not after & winners


def test_a_round_is_the_only_best_one() -> None:
    """Names come in backwards and the library sees other numbers, but finds the same round."""
    entrants = field(24)
    one = swiss.pair_players(entrants, [], [], dice(5), sides=SIDES)
    assert swiss.pair_players(entrants[::-1], [], [], dice(5), sides=SIDES) == one
    assert swiss.pair_players(entrants, [], [], dice(6), sides=SIDES) != one


# Ladder


@pytest.mark.parametrize(
    ("challenger", "challenged", "why"),
    [
        ("c", "b", None),
        ("d", "b", None),
        ("e", "b", "b is 3 rungs above; the highest that e can challenge is c"),
        ("b", "c", "c is below b; a challenge must go up"),
        ("b", "b", "b cannot challenge themselves"),
        ("z", "b", "z is not on the ladder"),
        ("b", "a", "a already plays as many games as they want"),
    ],
)
def test_a_challenge_goes_up_within_reach(challenger: str, challenged: str, why: str | None) -> None:
    assert may_challenge("abcde", challenger, challenged, 2, frozenset("a")) == why


@pytest.mark.parametrize(
    ("players", "places", "ending", "order"),
    [
        ("db", (1, 2), Ending.PLAYED, "adbce"),
        ("db", (1, 2), Ending.FORFEITED, "adbce"),
        ("bd", (2, 1), Ending.PLAYED, "adbce"),
        ("db", (2, 1), Ending.PLAYED, "abcde"),
        ("db", (1, 1), Ending.PLAYED, "abcde"),
        ("db", (1, 2), Ending.ANNULLED, "abcde"),
    ],
)
def test_who_beats_somebody_above_takes_their_rung(
    players: str, places: tuple[int, ...], ending: Ending, order: str
) -> None:
    seats = tuple(Seat(player=name, side=side) for name, side in zip(players, SIDES, strict=True))
    result = Result(
        round=1, pairing=1, game="any", seats=seats, places=places, ending=ending, day="2026-01-01"
    )
    assert order_after("abcde", result) == tuple(order)


# Tables of many


@settings(max_examples=25)
@given(st.integers(3, 40), st.integers(3, 5), st.integers())
def test_everybody_sits_at_one_table_of_the_right_size(size: int, most: int, seed: int) -> None:
    names = [entrant.name for entrant in field(size)]
    sides = {many: [f"side-{number}" for number in range(many)] for many in (3, 4, 5)}
    rounds: list[Round] = []
    for number in range(3):
        drawn = tables.draw_tables(names, 3, most, rounds, dice(f"{seed} {number}"), sides=sides)
        rounds.append(drawn)
        assert active(drawn) == names
        for game in drawn.pairings:
            assert 3 <= len(game.seats) <= most
            assert [seat.side for seat in game.seats] == sides[len(game.seats)]
    if not rounds[0].byes:
        assert (
            max(len(game.seats) for game in rounds[0].pairings)
            - min(len(game.seats) for game in rounds[0].pairings)
            <= 1
        )


@pytest.mark.parametrize(
    ("many", "at_one", "rounds_of"), [(16, 4, 5), (20, 4, 5), (9, 3, 4), (12, 3, 4), (25, 5, 6), (64, 4, 6)]
)
def test_nobody_meets_twice_at_tables_where_a_plane_has_the_lines(
    many: int, at_one: int, rounds_of: int
) -> None:
    """Sixteen at tables of four met 8.5 times again in five rounds; now everybody meets everybody once."""
    names = [entrant.name for entrant in field(many)]
    rounds: list[Round] = []
    for number in range(rounds_of):
        rounds.append(tables.draw_tables(names, at_one, at_one, rounds, dice(number)))
    met = couples(rounds)
    assert max(met.values()) == 1
    assert (len(met) == many * (many - 1) // 2) == (many in (9, 16, 25))


@pytest.mark.parametrize(
    ("players", "least", "most", "sizes"),
    [
        (5, 3, 5, (5,)),
        (6, 3, 5, (3, 3)),
        (11, 3, 4, (4, 4, 3)),
        (13, 3, 5, (5, 4, 4)),
        (5, 3, 4, (4,)),
        (7, 4, 4, (4,)),
    ],
)
def test_as_few_tables_as_hold_all(players: int, least: int, most: int, sizes: tuple[int, ...]) -> None:
    assert tables.table_sizes(players, least, most) == sizes


def test_every_format_of_a_file_has_its_way() -> None:
    assert tuple(FORMATS) == IN_A_FILE
