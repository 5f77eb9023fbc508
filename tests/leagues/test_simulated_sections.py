"""A season of sections through the judge of leagues: drawn, played at once, left, counted, moved, proven."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from pbem.audit.bundle import read_bundle
from pbem.audit.findings import State
from pbem.audit.leagues import audit_league
from pbem.judge.leagues.export import export
from pbem.leagues import course, table
from pbem.leagues.model import Ending
from pbem.leagues.statements import WITHDRAW
from tests.leagues.simulated import SIDES, Simulation, modelled
from tests.leagues.test_model_season import correlated, people
from tests.leagues.world import file_of, make_world

RULES = """
[sections]
size = {size}
double = true
up = 2
down = 2
[unfinished]
by = "draw"
[scoring]
leavers = "half-played"
tie_breaks = ["head-to-head", "sonneborn-berger"]
"""


@pytest.fixture(
    scope="module",
    params=[
        pytest.param((18, 6), id="3", marks=pytest.mark.ci),
        pytest.param((60, 5), id="12", marks=pytest.mark.slow),
    ],
)
def played(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Simulation]:
    """Everybody twice against everybody of their section; six in a hundred leave on the way."""
    count, size = request.param
    folder = tmp_path_factory.mktemp("sections")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("secrets.token_bytes", bytes)  # the same dice whenever it is played
        world = make_world(folder, file_of("sections", more=RULES.format(size=size)))
        season = Simulation(world, people(count)[1], "sections")
        modelled(season, patch)
        season.enter()
        season.answer(0.8)
        leave = [name for name in season.strengths if season.chance(0.06, "leaves", name)]
        early, late = leave[::2], leave[1::2]
        for days, gone in ((15, early), (70, late), (10, [])):
            world.later(days)
            season.run()
            season.say(*(world.statement(name, WITHDRAW) for name in gone))
            season.run()
        world.later(10)
        season.run()
    with closing(world.club.store):
        yield season


def test_it_ends_by_itself_and_everybody_has_met_everybody_twice(played: Simulation) -> None:
    season = played.world.book.season
    assert season.over
    (state,) = season.rounds
    sections = [set(players) for _, players in state.made.divisions]
    assert set.union(*sections) == set(played.strengths)
    assert max(map(len, sections)) - min(map(len, sections)) <= 1
    met = Counter(tuple((seat.player, seat.side) for seat in pair.seats) for pair in state.made.pairs)
    expected = {
        ((one, SIDES[0]), (other, SIDES[1]))
        for section in sections
        for one in section
        for other in section - {one}
    }
    assert {tuple(sorted(seats, key=lambda seat: seat[1])) for seats in met} == expected
    assert set(met.values()) == {1}
    endings = Counter(one.ending for one in course.results(season))
    print(f"{len(sections)} sections, {len(state.made.pairs)} games: {dict(endings)}")  # noqa: T201
    assert {Ending.PLAYED, Ending.ADJUDICATED, Ending.FORFEITED} <= endings.keys()


def test_the_first_go_up_and_the_last_go_down(played: Simulation) -> None:
    """Nobody who has left, and only as many as the places allow; next season's classes follow from it."""
    season = played.world.book.season
    assert season.finished is not None
    ways = dict(season.finished.moves)
    for _, rows in table.tables(season):
        standing = [row for row in rows if not row.note]
        up = [row for row in standing if ways.get(row.player) == "up"]
        down = [row for row in standing if ways.get(row.player) == "down"]
        assert len(up) >= 2, "who shares the last place that rises goes up"
        assert len(down) <= 2, "who shares the first that falls stays"
        others = [row.place for row in standing if row.player not in ways]
        last_up, first_down = max(row.place for row in up), min((row.place for row in down), default=99)
        assert all(last_up < place < first_down for place in others)
        assert last_up < first_down
    assert not ways.keys() & course.left(season)
    best, second = table.classes([season, season])
    stay, way = len(season.members) - len(course.left(season)), Counter(ways.values())
    assert (len(best), len(second)) == (stay - way["down"] + way["up"], stay - way["up"] + way["down"])


def test_its_audit_is_proven_but_for_its_games(played: Simulation, tmp_path: Path) -> None:
    export(played.world.club, "cup", tmp_path / "bundle")
    findings = audit_league(read_bundle(tmp_path / "bundle"))
    assert findings.status == 0
    open_claims = [row.claim for row in findings.rows if row.state != State.PROVEN]
    assert open_claims == ["the league is the one that was pinned", "every result is that of its game"]
    assert any(row.claim == "who goes up or down follows from the standings" for row in findings.rows)


def test_its_ratings_come_near_the_known_strengths(played: Simulation) -> None:
    season = played.world.book.season
    found = {row.player: float(row.value) for row in table.ratings(season) if not row.side}
    near = correlated([(played.strengths[name], value) for name, value in found.items()])
    print(f"{len(season.members)} players: correlation {near:.3f}")  # noqa: T201 - the figure
    assert near > 0.6
