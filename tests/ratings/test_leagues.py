"""Leagues and games outside them give one rating, and a league's own rules say which results count."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from pbem.errors import MISSING_STATUS
from pbem.judge.leagues.desk import take_statement
from pbem.leagues import results_table
from pbem.leagues.model import Ending
from pbem.ratings.club_ratings import club_ratings, club_record, export_ratings, told_ratings
from pbem.ratings.merging import merge_clubs
from pbem.ratings.record import RATINGS, compute_ratings, ratings_file
from tests.leagues.test_keys import new_key
from tests.leagues.world import World, by_name, file_of, key_of, make_world, play_round

pytestmark = pytest.mark.ci
FOUR = ("ann", "ben", "cat", "dan")


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A knock-out of four whose draw is called for."""
    made = make_world(tmp_path / "world", file_of("knockout"))
    made.enter(*FOUR)
    made.after(31)
    return made


def test_results_are_those_of_the_league(world: World) -> None:
    """All in one month, as a league of one round would rate them."""
    play_round(world)
    season = world.book.season
    record = club_record(world.club)
    assert len(record.games) == 2
    assert {(one.name, one.games) for one in club_ratings(world.club)} == {(name, 1) for name in FOUR}
    own = {(one.player, one.side): one.value for one in results_table.ratings(season)}
    names = {key_of(name).public.fingerprint: name for name in FOUR}
    assert {(names[one.player], one.side): one.value for one in compute_ratings(record)} == own


def test_what_is_forfeited_or_annulled_does_not_count(world: World) -> None:
    world.seat()
    one, other = world.open_pairs()
    for pair, ending in ((one, "forfeited"), (other, "annulled")):
        first, second = pair.players
        world.rule("result", "1", str(pair.number), ending, f"{first}=1", f"{second}=2")
    record = club_record(world.club)
    assert {game.ending for game in record.games} == {Ending.FORFEITED, Ending.ANNULLED}
    assert not club_ratings(world.club)


def test_the_file_of_a_league_comes_out_of_its_bundles(world: World, tmp_path: Path) -> None:
    play_round(world)
    count = export_ratings(world.club, tmp_path / "out", with_bundles=True)
    assert count == 3, "the league and two games"
    merged = merge_clubs([tmp_path / "out"])
    assert (merged.unchecked, merged.refuted) == ((), ())
    assert ratings_file(merged.record) == (tmp_path / "out" / RATINGS).read_bytes()
    game = world.book.season.rounds[0].pairings.pairs[0].game
    shutil.rmtree(tmp_path / "out" / game)
    merged = merge_clubs([tmp_path / "out"])
    assert [one.why for one in merged.unchecked] == ["its league's bundle is there, and its own is not"]
    assert merged.status == MISSING_STATUS
    assert {one.name for one in told_ratings(merged.record)} == {
        *world.book.season.rounds[0].pairings.pairs[1].players
    }
    shutil.rmtree(tmp_path / "out" / world.book.name)
    merged = merge_clubs([tmp_path / "out"])
    assert {one.why for one in merged.unchecked} == {"the bundle of its ledger is not there"}
    assert not merged.record.games


def test_an_adjudicated_game_counts_though_its_own_ledger_goes_on(world: World, tmp_path: Path) -> None:
    """Its bundle is the public's, which leaves open what is open while a game goes on."""
    world.seat()
    one, other = world.open_pairs()
    first, second = one.players
    world.rule("result", "1", str(one.number), "adjudicated", f"{first}=1", f"{second}=2")
    world.play([other], by_name)
    world.run()
    export_ratings(world.club, tmp_path / "out", with_bundles=True)
    merged = merge_clubs([tmp_path / "out"])
    assert (merged.unchecked, merged.refuted) == ((), ())
    assert {game.ending for game in merged.record.games} == {Ending.PLAYED, Ending.ADJUDICATED}


def test_a_correction_moves_the_rating(world: World) -> None:
    play_round(world)
    before = {one.name: one.rating for one in club_ratings(world.club)}
    pair = world.book.season.rounds[0].pairings.pairs[0]
    winner = by_name(pair)
    (loser,) = set(pair.players) - {winner}
    world.rule("correct", "1", str(pair.number), "adjudicated", f"{loser}=1", f"{winner}=2")
    after = {one.name: one.rating for one in club_ratings(world.club)}
    assert after[loser] > before[loser]
    assert after[winner] < before[winner]


def test_a_new_key_is_the_same_identity_if_its_holder_has_signed_so(world: World) -> None:
    play_round(world)
    take_statement(world.club, new_key(world, "ann2", key_of("ann")))
    record = club_record(world.club)
    (link,) = record.links
    assert (link.old, link.new) == tuple(key_of(name).public.fingerprint for name in ("ann", "ann2"))
    assert link.new in {key for game in record.games for key in game.keys}


def test_a_key_that_the_director_grants_links_nothing(world: World) -> None:
    """It counts in the league for whoever has lost theirs; a director could grant it to anybody."""
    world.seat()
    take_statement(world.club, new_key(world, "ann2", None))
    world.rule("key", "ann")
    world.end_games()
    record = club_record(world.club)
    assert not record.links
    assert key_of("ann2").public.fingerprint in {key for game in record.games for key in game.keys}
