"""A league of Lords of Scotland at tables of three to five, by the judge: drawn, played, left, counted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import pytest

from pbem.audit.bundle import read_bundle
from pbem.audit.findings import Findings, State
from pbem.audit.leagues import GameBundles, audit_league
from pbem.judge.export import export as export_game
from pbem.judge.leagues.export import export
from pbem.leagues import results_table
from pbem.leagues.entries import BY_COUNT, BY_GAME, Ended, Opened, RoundOver
from pbem.leagues.model import Ending, Result, Seat
from pbem.leagues.scheduler import places_by_withdrawal
from pbem.leagues.season import results_of
from pbem.leagues.statements import WITHDRAW
from pbem.trust.entries import Entry
from tests.leagues.forging import Edit
from tests.leagues.test_audit import Played, forged
from tests.leagues.world import Entered, World, file_of, make_world
from tests.refusals.league_ledger import PAIRS, season

SEVEN = ("ann", "ben", "cat", "dan", "eve", "fay", "gil")
RULES = """
[tables]
least = 3
most = 5
[unfinished]
by = "count"
count = "points"
[scoring]
leavers = "open-lost"
"""
FILE = (
    file_of("swiss", more=RULES)
    .replace(b'"hammer"', b'"lords"')
    .replace(b'options = { scenario = "braveheart" }', b"")
    .replace(b"least = 2", b"least = 3")
)


@dataclass
class Tables:
    """The league when it is over."""

    world: World
    bundle: Path
    games: Path
    played: str
    """The game that bots have played to its end."""
    counted: str
    """The game that was counted at the last date."""
    gone: str
    """Who led in it, and left."""

    def result(self, game: str) -> Ended:
        """How it was entered."""
        return next(
            one
            for one in self.world.book.entries
            if isinstance(one, Ended) and one.game is not None and one.game.game == game
        )

    def counts_as(self, game: str) -> Result:
        """How the league counts it."""
        season = self.world.book.season
        number = self.result(game).pairing
        return next(one for one in results_of(season) if (one.round, one.pairing) == (1, number))


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tables]:
    folder = tmp_path_factory.mktemp("tables")
    world = make_world(folder, FILE)
    world.enter(*SEVEN)
    world.after(31)
    world.seat()
    four, three = world.open_pairs()
    world.bots_play(three.game, "chief")
    world.run()
    world.bots_play(four.game, "chief", exchanges=7)
    world.later(101)
    leader = world_points(world, four.game)
    gone = max(sorted(leader), key=leader.__getitem__)
    world.leaves(gone)
    world.seat()
    world.end_games()
    found = Tables(world, folder / "bundle", folder / "games", three.game, four.game, gone)
    export(world.club, "cup", found.bundle)
    found.games.mkdir()
    for entry in world.book.entries:
        if isinstance(entry, Opened):
            export_game(world.club, entry.game, "public", found.games / entry.game)
    yield found
    world.club.store.close()


def world_points(world: World, game: str) -> dict[str, int]:
    """Player and points, as the public sees them."""
    from pbem.judge.leagues.games import ClubGames

    facts = ClubGames(world.club, frozenset()).counted_game(game, "points")
    assert facts is not None
    names = {one.side: one.name for one in world.club.book(game).history.genesis.players}
    return {names[name.partition("/")[2]]: number for name, number in facts.counts}


def audited(tables: Tables, edit: Edit | None = None, game: str = "") -> Findings:
    """The league with its games; after an edit, with the one that is meant."""
    played = Played(tables.bundle, tables.games, tables.bundle, tables.world.club.key)
    files = forged(played, edit) if edit else read_bundle(tables.bundle)
    games = GameBundles(tables.games)
    return audit_league(files, games={game: games[game]} if game else games)


pytestmark = pytest.mark.ci


def test_tables_are_as_large_as_can_be_and_all_play(tables: Tables) -> None:
    first, second = tables.world.book.season.rounds
    assert [len(pair.players) for pair in first.pairings.pairs] == [4, 3]
    assert [len(pair.players) for pair in second.pairings.pairs] == [3, 3]
    for pair in (*first.pairings.pairs, *second.pairings.pairs):
        game = tables.world.club.book(pair.game).history.genesis
        assert dict(game.options)["players"] == str(len(pair.players))
        assert all(player.anchor for player in game.players if player.name != tables.gone)


def test_everybody_meets_others_in_the_second_round(tables: Tables) -> None:
    """Of the six who go on, no three who have met sit together again."""
    first, second = tables.world.book.season.rounds
    met = {frozenset(two) for pair in first.pairings.pairs for two in combinations(pair.players, 2)}
    again = [
        two
        for pair in second.pairings.pairs
        for two in combinations(pair.players, 2)
        if frozenset(two) in met
    ]
    assert len(again) == 2, "one couple at each table: six of two old tables cannot do with fewer"


def test_a_game_of_three_that_bots_played_to_its_end_gives_its_places(tables: Tables) -> None:
    result = tables.result(tables.played)
    assert (result.by, result.ending) == (BY_GAME, Ending.PLAYED)
    assert sorted(place for _, place in result.places) == [1, 2, 3]
    points = world_points(tables.world, tables.played)
    assert max(points.values()) >= 40
    assert points[next(player for player, place in result.places if place == 1)] == max(points.values())


def test_who_leaves_a_table_is_last_there_and_not_rated(tables: Tables) -> None:
    result, counts = tables.result(tables.counted), tables.counts_as(tables.counted)
    assert (result.by, result.ending) == (BY_COUNT, Ending.ADJUDICATED)
    assert dict(result.places)[tables.gone] == 1, "they led when they left"
    places = dict(zip((seat.player for seat in counts.seats), counts.places, strict=True))
    assert places[tables.gone] == 4 == max(places.values())
    assert min(places.values()) == 1
    ratings = {row.player: row for row in results_table.ratings(tables.world.book.season) if not row.side}
    assert tables.gone not in ratings
    assert ratings.keys() == set(SEVEN) - {tables.gone}
    assert all(row.from_tables for row in ratings.values())


@pytest.mark.parametrize(
    ("gone", "places"),
    [((), None), (("ann",), None), (("ann", "ben"), [2, 2, 1]), (("ann", "ben", "cat"), [1, 1, 1])],
)
def test_a_table_goes_on_while_two_are_left(gone: tuple[str, ...], places: list[int] | None) -> None:
    found = season()
    for name in gone:
        found.members[name].leaving_reason = WITHDRAW
    seats = tuple(Seat(player=name, side="") for name in ("ann", "ben", "cat"))
    decided = places_by_withdrawal(found, replace(PAIRS[0], seats=seats))
    assert (decided and [place for _, place in decided]) == places


def test_the_league_of_tables_is_proven(tables: Tables) -> None:
    findings = audited(tables)
    assert findings.status == 0, [str(row) for row in findings.rows if row.state != State.PROVEN]
    told = {row.claim.split(" ")[0] for row in findings.rows if row.state == State.PROVEN}
    assert {tables.played, tables.counted} <= told


def _other_places(entry: Ended) -> Entry:
    (one, first), (other, second), *rest = entry.places
    return replace(entry, places=((one, second), (other, first), *rest))


def _more_points(entry: Ended) -> Entry:
    (name, number), *rest = entry.counts
    return replace(entry, counts=((name, number + 1), *rest))


FORGERIES = {
    "another count": (_more_points, "what is counted in {}"),
    "other places": (_other_places, "the result of {}"),
    "another word for it": (lambda entry: replace(entry, by="director"), "a result by director"),
    "a forfeit": (lambda entry: replace(entry, ending=Ending.FORFEITED), "the result of "),
    "no ledger named": (lambda entry: replace(entry, game=None), "what is due for pairing"),
}


@pytest.mark.parametrize("which", ["played", "counted"])
@pytest.mark.parametrize("name", FORGERIES)
def test_a_judge_who_enters_another_result_is_refuted(tables: Tables, name: str, which: str) -> None:
    game = getattr(tables, which)
    change, told = FORGERIES[name]

    def edit(entry: Entry) -> Entry:
        is_it = isinstance(entry, Ended) and entry.game is not None and entry.game.game == game
        return change(entry) if is_it else entry

    findings = audited(tables, edit, game)
    refuted = " | ".join(str(row) for row in findings.rows if row.state == State.REFUTED)
    assert told.format(game) in refuted, refuted


def told(tables: Tables, edit: Edit) -> list[str]:
    """What of the counted game is refuted after an edit."""
    return [str(row) for row in audited(tables, edit, tables.counted).rows if row.state == State.REFUTED]


def test_a_game_that_is_counted_too_early_is_refuted(tables: Tables) -> None:
    """At an earlier head it stood otherwise; a day before the last date it was not to be decided at all."""
    world = tables.world
    book = world.club.book(tables.counted)
    opened = book.history.exchanges[2].opened_at

    def earlier(entry: Entry) -> Entry:
        if isinstance(entry, Ended) and entry.game is not None and entry.game.game == tables.counted:
            head = book.head_at(opened)
            assert head is not None
            return replace(entry, game=replace(entry.game, size=opened, head=head))
        return entry

    refuted = [
        str(row) for row in audited(tables, earlier, tables.counted).rows if row.state == State.REFUTED
    ]
    assert any("had gone on to entry" in one for one in refuted), refuted
    until = world.book.season.rounds[0].last_date

    def sooner(entry: Entry) -> Entry:
        if isinstance(entry, Ended | RoundOver) and entry.round == 1 and entry.at >= until:
            return replace(entry, at=until.replace(day=1))
        return entry

    refuted = told(tables, sooner)
    assert any("what is due for pairing 1 of round 1" in one and "is nothing" in one for one in refuted), (
        refuted
    )


def test_points_at_tables_after_a_leaver(tables: Tables) -> None:
    """The three who stayed share what a table of four is worth to them; who left gets nothing of it."""
    ((_, rows),) = results_table.tables(tables.world.book.season)
    points = {row.player: row.points for row in rows}
    assert points[tables.gone] == 0
    assert sum(points.values()) == 2 + Fraction(3, 2) + 2 * Fraction(3, 2)


LEAVERS = [("annulled", 2, 4), ("half-played", 1, Fraction(7, 2)), ("half-played", 2, 5), ("open-lost", 1, 4)]


@pytest.mark.parametrize(("rule", "number", "total"), LEAVERS)
def test_every_rule_for_who_leaves_a_table(
    tmp_path: Path, entered: Entered, rule: str, number: int, total: Fraction
) -> None:
    """Four at tables of three: a table is worth 3/2, and 1 if the leaver is taken out; a bye is worth 1."""
    data = FILE.replace(b'"open-lost"', f'"{rule}"'.encode()).replace(b"most = 5", b"most = 3")
    world = entered(data)
    gone = ""
    world.enter("ann", "ben", "cat", "dan")
    world.later(31)
    for played in (1, 2):
        world.run()
        world.seat()
        season = world.book.season
        if played == number:
            tables = [{*pair.players} for state in season.rounds for pair in state.pairings.pairs]
            gone = min(set.intersection(*tables))
        (pair,) = world.open_pairs()
        anchors = {one.name: one.anchor for one in world.club.book(pair.game).history.genesis.players}
        assert len(anchors) == 3
        assert all(anchors.values())
        if played == number:
            world.leaves(gone)
        world.play([pair], lambda one: min(one.players))
        world.run()
    season = world.book.season
    assert season.is_over
    export(world.club, "cup", tmp_path / "bundle")
    ((_, rows),) = results_table.tables(season)
    points = {row.player: row.points for row in rows}
    assert sum(points.values()) == total
    first = next(one for one in results_of(season) if one.round == 1)
    kept = rule == "half-played" and number == 2
    share = dict(zip((seat.player for seat in first.seats), first.places, strict=True))[gone]
    level = first.places.count(share)  # whoever shares a place shares what the places are worth
    worth = sum(Fraction(3 - share - one, 2) for one in range(level)) / level
    assert points[gone] == (worth if kept else 0)
    assert audit_league(read_bundle(tmp_path / "bundle")).status == 0
