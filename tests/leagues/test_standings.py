"""Tables counted by hand (standings.toml), and what holds for every table."""

import tomllib
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbem.leagues.model import (
    Bye,
    Ending,
    Entrant,
    Pairing,
    Result,
    Round,
    Scoring,
    Seat,
    Standing,
    WithdrawalScoring,
)
from pbem.leagues.standings import SIMPLE, WHOLE_TABLE, shares_of_places, standings, tie_break_fault

CASES = tomllib.loads((Path(__file__).parent / "standings.toml").read_text(encoding="utf-8"))["case"]
SIDES = ("left", "right", "top", "bottom")


def read_game(line: str, pairing: int) -> Result:
    """A game as standings.toml writes it."""
    first, *words = line.split()
    players = [word for word in words if word.isalpha() and word not in set(Ending)]
    places = [int(word) for word in words if word.isdigit()]
    endings = [Ending(word) for word in words if word in set(Ending)]
    counts = [word.split("=") for word in words if "=" in word]
    return Result(
        round=int(first),
        pairing=pairing,
        game="any",
        seats=tuple(Seat(player=name, side=side) for name, side in zip(players, SIDES, strict=False)),
        places=tuple(places),
        ending=endings[0] if endings else Ending.PLAYED,
        counts=tuple((name, int(value)) for name, value in counts),
        day="2026-01-01",
    )


def read_rounds(case: dict[str, Any]) -> tuple[Round, ...]:
    """Byes and open games, each a round of its own."""
    byes = [line.split() for line in case.get("byes", [])]
    games = [line.split() for line in case.get("open", [])]
    return (
        *(Round(number=int(number), pairings=(), byes=(Bye(player=name),)) for number, name in byes),
        *(
            Round(
                number=int(number),
                pairings=(Pairing(number=100, seats=tuple(Seat(player=name) for name in names)),),
            )
            for number, *names in games
        ),
    )


def written(line: Standing) -> str:
    text = f"{line.place} {line.player} {line.points}"
    if line.tie_breaks:
        text += " | " + " ".join("-" if value is None else str(value) for value in line.tie_breaks)
    return f"{text} {line.note}".strip()


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['number']}-{case['shows'][:40]}")
def test_a_table_is_as_counted_by_hand(case: dict[str, Any]) -> None:
    entrants = [Entrant(name=name) for name in case["players"].split()]
    entrants += [Entrant(name=name, eliminator=True) for name in case.get("eliminators", "").split()]
    rules = Scoring(
        bye=Fraction(case.get("bye", 1)),
        forfeit=Fraction(case.get("forfeit", 1)),
        tie_breaks=tuple(case.get("tie_breaks", ())),
        leavers=WithdrawalScoring(case.get("leavers", "annulled")),
    )
    results = [read_game(line, number) for number, line in enumerate(case["games"], 1)]
    left = frozenset(case.get("left", "").split())
    table = standings(entrants, results, rules, rounds=read_rounds(case), left=left)
    assert [written(line) for line in table] == case["table"]


def test_cases_are_numbered_in_order() -> None:
    assert [case["number"] for case in CASES] == list(range(1, len(CASES) + 1))


ALL = (*SIMPLE, *WHOLE_TABLE, "total nobles", "average nobles")


@pytest.mark.ci
@settings(max_examples=40)
@given(
    st.lists(
        st.tuples(st.permutations("abcdef"), st.sampled_from([(1, 2), (2, 1), (1, 1)]), st.integers(0, 14)),
        max_size=20,
    ),
    st.permutations(ALL),
    st.randoms(use_true_random=False),
)
def test_a_table_depends_on_nothing_but_results(
    games: list[tuple[list[str], tuple[int, int], int]], breaks: list[str], shuffler: Any
) -> None:
    """Neither on the order in which results come in, nor on names: renamed players stand where they stood."""
    results = [
        read_game(f"{number} {order[0]} {order[1]} {places[0]} {places[1]} nobles/left={nobles}", number)
        for number, (order, places, nobles) in enumerate(games, 1)
    ]
    rules = Scoring(tie_breaks=tuple(breaks))
    table = standings([Entrant(name=name) for name in "abcdef"], results, rules)
    assert sum(line.points for line in table) == len(results)
    assert [line.place for line in table] == sorted(line.place for line in table)
    mixed = shuffler.sample(results, len(results))
    assert standings([Entrant(name=name) for name in "fedcba"], mixed, rules) == table
    other = dict(zip("abcdef", "fedcba", strict=True))
    renamed = [
        read_game(" ".join(other.get(word, word) for word in line_of(result)), result.pairing)
        for result in mixed
    ]
    turned = standings([Entrant(name=name) for name in "abcdef"], renamed, rules)
    assert {(other[line.player], line.place, line.tie_breaks) for line in turned} == {
        (line.player, line.place, line.tie_breaks) for line in table
    }


def line_of(result: Result) -> list[str]:
    players = [seat.player for seat in result.seats]
    counts = [f"{name}={value}" for name, value in result.counts]
    return [str(result.round), *players, *map(str, result.places), *counts]


@pytest.mark.ci
@given(st.lists(st.integers(1, 5), min_size=2, max_size=5))
def test_a_game_gives_out_the_same_whatever_its_places(places: list[int]) -> None:
    assert sum(shares_of_places(tuple(places))) == Fraction(len(places), 2)


@pytest.mark.parametrize("name", ["bucholz", "total", "average a b", "totals nobles", ""])
def test_a_wrong_tie_break_is_told_with_those_there_are(name: str) -> None:
    assert "the tie-breaks are buchholz, sonneborn-berger" in (tie_break_fault(name) or "")
    with pytest.raises(ValueError, match="is not a tie-break"):
        standings([Entrant(name="ada")], [], Scoring(tie_breaks=(name,)))


@pytest.mark.parametrize("name", ALL)
def test_a_right_tie_break_is_no_fault(name: str) -> None:
    assert tie_break_fault(name) is None
