"""A whole season through the judge of leagues: it ends by itself, is legal, proven, and the same twice."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pytest

from pbem.audit.bundle import read_bundle
from pbem.audit.findings import State
from pbem.audit.leagues import audit_league
from pbem.judge.club import open_club
from pbem.judge.leagues.export import export
from pbem.leagues import results_table
from pbem.leagues.entries import Ended
from pbem.leagues.model import Ending
from pbem.leagues.season import Season, leavers_of, results_of, rounds_of
from pbem.trust.entries import Resolve
from tests.judge.table import Clock
from tests.leagues.simulated import SIDES, Simulation, correlated, modelled, strengths
from tests.leagues.test_formats import balance, couples
from tests.leagues.world import START, World, file_of, make_world

SEED = "season"
SIZES = [
    pytest.param((40, 3, 0.5), id="40", marks=pytest.mark.ci),
    pytest.param((200, 6, 0.5), id="200", marks=pytest.mark.slow),
]
RULES = """
[swiss]
odd = "bye"
stuck = "rematch"
[scoring]
leavers = "open-lost"
tie_breaks = ["head-to-head", "buchholz", "side-adjusted", "average nobles"]
"""


@dataclass
class Played:
    """Two seasons of the same beginning, the second by judges that were killed."""

    once: Simulation
    again: Simulation
    folder: Path

    @property
    def season(self) -> Season:
        return self.once.world.book.season


@pytest.fixture(scope="module", params=SIZES)
def played(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Played]:
    size, rounds, part = request.param
    folder = tmp_path_factory.mktemp("season")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("secrets.token_bytes", bytes)  # the same dice whenever it is played
        world = make_world(folder, file_of("swiss", count=rounds, more=RULES))
    world.club.store.close()
    shutil.copytree(folder / "club", folder / "again")
    sent: dict[tuple[int, str], bytes] = {}
    seasons = []
    for name, killing in (("club", False), ("again", True)):
        clock = Clock(START)
        world = World(open_club(folder / name, clock), clock)
        seasons.append(Simulation(world, strengths(size), SEED, killing, sent=sent))
        with pytest.MonkeyPatch.context() as patch:
            modelled(seasons[-1], patch)
            seasons[-1].play(part)
    once, again = seasons
    with closing(once.world.club.store), closing(again.world.club.store):
        yield Played(once, again, folder)


def test_it_ends_by_itself_with_all_that_can_happen(played: Played) -> None:
    season = played.season
    assert season.is_over
    assert len(season.rounds) == season.file.rounds
    assert not season.appeals
    words = Counter(one.what for one in season.rulings)
    assert words.keys() == {"extend", "result", "correct", "answer"}
    assert leavers_of(season)
    assert any(member.absences for member in season.members.values())
    resolved = [one for one in played.once.world.book.entries if isinstance(one, Resolve)]
    assert all(one.absent and len(one.reveals) > 1 for one in resolved)
    late = [
        one
        for one in played.once.world.book.entries
        if isinstance(one, Ended) and one.at > season.rounds[one.round - 1].pairings.at + timedelta(days=100)
    ]
    assert late


def test_a_judge_that_is_killed_again_and_again_writes_the_same_ledger(played: Played) -> None:
    once, again = (one.world.book for one in (played.once, played.again))
    assert played.again.kills > 20
    assert [entry.text for entry in once.entries] == [entry.text for entry in again.entries]
    assert once.head == again.head
    for text in (results_table.standings_csv, results_table.ratings_csv):
        assert text(once.season) == text(again.season)


def test_its_pairings_are_legal(played: Played) -> None:
    season = played.season
    rounds = rounds_of(season)
    assert max(couples(rounds).values()) == 1, "nobody twice"
    uneven = [name for name in season.members if abs(balance(rounds, name, SIDES)) > 1]
    assert len(uneven) <= len(season.members) // 20, "only where absences left no other way"
    assert all(abs(balance(rounds, name, SIDES)) <= 2 for name in season.members)
    byes = Counter(bye.player for drawn in rounds for bye in drawn.byes)
    assert not byes or max(byes.values()) == 1
    for state in season.rounds:
        assert {player for pair in state.pairings.pairs for player in pair.players} <= set(
            season.calls[state.number - 1].asked
        )


def test_its_audit_is_proven_but_for_its_games(played: Played) -> None:
    export(played.once.world.club, "cup", played.folder / "bundle")
    findings = audit_league(read_bundle(played.folder / "bundle"))
    assert findings.status == 0
    open_claims = [row.claim for row in findings.rows if row.state != State.PROVEN]
    assert open_claims == [
        "the league is the one whose first head was given",
        "every result is that of its game",
    ]


def test_its_ratings_come_near_the_known_strengths(played: Played) -> None:
    season = played.season
    found = {row.player: float(row.value) for row in results_table.ratings(season) if not row.side}
    near = correlated([(played.once.strengths[name], value) for name, value in found.items()])
    print(f"{len(season.members)} players, {len(season.rounds)} rounds: correlation {near:.3f}")  # noqa: T201 - the figure
    assert near > 0.55
    decided = [one.ending for one in results_of(season)]
    assert {Ending.PLAYED, Ending.ADJUDICATED, Ending.FORFEITED} <= set(decided)
