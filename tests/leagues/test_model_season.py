"""A season of 200 players of known strength, as calculation: pairings, sides, dropouts, absences, late
results.

The model of results is Elo's: who is d points stronger wins with 1 / (1 + 10^(-d/400)), and the first side
is worth `EDGE` points. Everything that falls falls by numbered dice, so that a season is the same whenever
it is played.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import pytest

from pbem.leagues.formats import round_robin, swiss
from pbem.leagues.lots import number
from pbem.leagues.model import (
    Die,
    Ending,
    Entrant,
    Leavers,
    Pairing,
    Rating,
    Result,
    Round,
    Scoring,
    Standing,
)
from pbem.leagues.ratings import ratings
from pbem.leagues.standings import standings
from tests.leagues.dice import dice
from tests.leagues.test_formats import SIDES, active, balance, couples

pytestmark = pytest.mark.ci


EDGE = 120
FINE = 65_536
RULES = Scoring(tie_breaks=("head-to-head", "buchholz", "side-adjusted"), leavers=Leavers.OPEN_LOST)


@dataclass
class Season:
    """What a director would have at the end."""

    entrants: list[Entrant]
    strengths: dict[str, int]
    rounds: list[Round] = field(default_factory=list)
    results: list[Result] = field(default_factory=list)
    left: set[str] = field(default_factory=set)

    def table(self) -> tuple[Standing, ...]:
        return standings(self.entrants, self.results, RULES, rounds=self.rounds, left=frozenset(self.left))

    def over_all(self) -> dict[str, Rating]:
        return {rating.player: rating for rating in ratings(self.results) if not rating.side}


def people(size: int) -> tuple[list[Entrant], dict[str, int]]:
    """Players from 1100 to 1900, in no order of name. Only their results tell."""
    step = 37 if size % 37 else 41
    names = [f"player-{who * step % size:03}" for who in range(size)]
    assert len({*names}) == size
    return [Entrant(name=name) for name in names], {
        name: 1100 + 800 * who // (size - 1) for who, name in enumerate(names)
    }


def chance(die: Die, label: str, of_a_hundred: int) -> bool:
    return number(100, die, label) < of_a_hundred


def play(season: Season, drawn: Round, pairing: Pairing, die: Die) -> Result:
    """One game by the model. One in twenty is adjudicated, one in thirty forfeited by whoever is weaker."""
    label = f"game/{drawn.number}/{drawn.division or 0}/{pairing.number}"
    first, second = (season.strengths[seat.player] for seat in pairing.seats)
    expected = 1 / (1 + 10 ** ((second - first - EDGE) / 400))
    places = (1, 2) if number(FINE, die, label) < expected * FINE else (2, 1)
    kind = number(60, die, f"{label}/end")
    ending = Ending.FORFEITED if kind < 2 else Ending.ADJUDICATED if kind < 5 else Ending.PLAYED
    if ending is Ending.FORFEITED:
        places = (1, 2) if first > second else (2, 1)
    return Result(
        round=drawn.number,
        division=drawn.division,
        pairing=pairing.number,
        game="any",
        seats=pairing.seats,
        places=places,
        ending=ending,
        day=f"2026-{drawn.number:02}-01",
    )


def swiss_season(size: int, rounds: int, seed: str) -> Season:
    """After each round one in thirty leaves, one in twenty misses the next, a tenth of results is late."""
    season = Season(*people(size))
    late: list[Result] = []
    for count in range(1, rounds + 1):
        die = dice(f"{seed} {count}")
        here = [
            entrant
            for entrant in season.entrants
            if entrant.name not in season.left and not chance(die, f"absent/{entrant.name}", 5)
        ]
        drawn = swiss.pair(
            here, season.results, season.rounds, die, sides=SIDES, rules=RULES, left=frozenset(season.left)
        )
        season.rounds.append(drawn)
        season.results += late
        late = []
        for pairing in drawn.pairings:
            result = play(season, drawn, pairing, die)
            (late if chance(die, f"late/{pairing.number}", 10) else season.results).append(result)
        season.left |= {entrant.name for entrant in here if chance(die, f"leaves/{entrant.name}", 3)}
    season.results += late
    return season


def sections_season(size: int, most: int, seed: str) -> Season:
    """Sections of a double round robin, all at once."""
    season = Season(*people(size))
    die = dice(seed)
    for count, section in enumerate(round_robin.sections(season.entrants, most, die), 1):
        season.rounds += round_robin.schedule(section, True, sides=SIDES, division=str(count))
    for drawn in season.rounds:
        season.results += [play(season, drawn, pairing, die) for pairing in drawn.pairings]
    return season


def correlation(season: Season) -> float:
    """Of ratings with the strengths they were played by."""
    found = season.over_all()
    return correlated([(season.strengths[name], float(rating.value)) for name, rating in found.items()])


def correlated(rows: Sequence[tuple[float, float]]) -> float:
    """Pearson's r."""
    means = [sum(column) / len(rows) for column in zip(*rows, strict=True)]
    apart = [[value - mean for value, mean in zip(row, means, strict=True)] for row in rows]
    both = sum(one * other for one, other in apart)
    return float(both / (sum(one**2 for one, _ in apart) * sum(other**2 for _, other in apart)) ** 0.5)


@pytest.fixture(scope="module")
def played() -> Season:
    return swiss_season(200, 6, "first")


def test_a_swiss_season_of_200_is_legal(played: Season) -> None:
    assert len(played.rounds) == 6
    assert max(couples(played.rounds).values()) == 1, "nobody twice"
    odd = {bye.player for drawn in played.rounds for bye in drawn.byes}
    for entrant in played.entrants:
        assert abs(balance(played.rounds, entrant.name)) <= 2
    uneven = [entrant for entrant in played.entrants if abs(balance(played.rounds, entrant.name)) == 2]
    assert len(uneven) <= 10, "only where absences left no other way"
    assert len(odd) == sum(len(drawn.byes) for drawn in played.rounds), "nobody has two byes"
    for drawn in played.rounds:
        assert max(Counter(active(drawn)).values()) == 1
        assert len(drawn.byes) <= 1


def test_everybody_is_in_the_table_once_and_points_add_up(played: Season) -> None:
    table = played.table()
    assert sorted(line.player for line in table) == sorted(entrant.name for entrant in played.entrants)
    byes = sum(len(drawn.byes) for drawn in played.rounds)
    assert sum((line.points for line in table), Fraction(0)) == len(played.results) + byes
    assert {line.player for line in table if line.note == "left"} == played.left
    assert played.left, "a season without leavers would show little"


def test_the_strong_come_out_above_the_weak(played: Season) -> None:
    staying = [line.player for line in played.table() if not line.note]
    fifth = len(staying) // 5
    best = sum(played.strengths[name] for name in staying[:fifth]) / fifth
    worst = sum(played.strengths[name] for name in staying[-fifth:]) / fifth
    assert best - worst > 350


def test_late_results_change_nothing_in_the_end(played: Season) -> None:
    in_time = sorted(played.results, key=lambda result: (result.round, result.pairing))
    assert in_time != played.results
    again = Season(played.entrants, played.strengths, played.rounds, in_time, played.left)
    assert again.table() == played.table()
    assert ratings(in_time) == ratings(played.results)


def test_the_same_season_twice_is_the_same() -> None:
    one, again = swiss_season(70, 3, "twice"), swiss_season(70, 3, "twice")
    assert repr((again.rounds, again.table(), ratings(again.results))) == repr(
        (one.rounds, one.table(), ratings(one.results))
    )
    assert swiss_season(40, 1, "second").rounds != swiss_season(40, 1, "third").rounds


def test_ratings_converge_to_the_known_strengths() -> None:
    """Twelve sections of sixteen or seventeen, everybody twice: some 31 games each."""
    season = sections_season(200, 17, "sections")
    assert len({drawn.division for drawn in season.rounds}) == 12
    assert all(balance(season.rounds, entrant.name) == 0 for entrant in season.entrants)
    assert correlation(season) > 0.85


def test_six_rounds_tell_a_good_deal(played: Season) -> None:
    """Six games each: seasons of other seeds gave 0.68 to 0.75, and the sections above 0.88 to 0.92."""
    assert correlation(played) > 0.6
