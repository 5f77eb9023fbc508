"""Half-point byes in a Swiss: asked for before the draw, as often as the file says, never given unasked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from pbem.audit.bundle import read_bundle
from pbem.errors import PbemError
from pbem.judge.leagues.export import export
from pbem.judge.leagues.status import news_lines
from pbem.leagues import results_table
from pbem.leagues.config import read_file
from pbem.leagues.config_reader import FileMistakes
from pbem.leagues.entries import Pairings, Said
from pbem.leagues.formats import swiss
from pbem.leagues.model import Bye, Entrant, Pairing, Result, Round, Scoring, Seat
from pbem.leagues.pages import pages
from pbem.leagues.standings import buchholz, scores
from pbem.leagues.statements import ABSENT, HALF_BYE
from pbem.trust.entries import Entry
from tests.leagues.dice import dice
from tests.leagues.forging import rewritten
from tests.leagues.world import Entered, World, file_of, make_world, play_round, refuted

WISH = '[swiss]\nstuck = "rematch"\nhalf_byes = 1'
FILE = file_of("swiss", count=3, more=WISH)
FIVE = ("ann", "ben", "cat", "dan", "eve")


def ask(world: World, player: str, number: int) -> None:
    world.say(player, HALF_BYE, rounds=(number, number))


@pytest.fixture
def five(entered: Entered) -> World:
    """Ann has asked not to be paired in round 2; the others play on."""
    world = entered(FILE, *FIVE)
    ask(world, "ann", 2)
    world.after(31)
    return world


def points(world: World) -> dict[str, Fraction]:
    ((_, rows),) = results_table.tables(world.book.season)
    return {row.player: row.points for row in rows}


@pytest.mark.ci
def test_who_asks_in_time_is_not_paired_and_has_the_points_of_a_draw(five: World) -> None:
    play_round(five)
    before, first = points(five), five.book.season.rounds[0].pairings
    call = five.book.season.call
    assert call is not None
    assert set(call.asked) == {*FIVE} - {"ann"}
    five.seat()
    second = five.book.season.rounds[1].pairings
    assert (first.half_byes, second.half_byes) == ((), ("ann",))
    assert not second.byes, "four are left, and all of them play"
    assert points(five)["ann"] == before["ann"] + Fraction(1, 2)
    drawn = [line for line in news_lines(five.book.entries) if line.startswith("round 2 is drawn")]
    assert drawn == ["round 2 is drawn: 2 games, 1 byes"]
    told = [one.text for one in five.club.store.letters() if one.player == "ann" and one.text][-1]
    assert "round 2 is drawn, and you have a half-point bye, as you have asked." in told
    news = {one.key: one.text for one in results_table.view(five.book.season).news}
    assert news["round 2 drawn"].startswith("games: 2, byes: 1; it ends at ")
    made = pages(results_table.view(five.book.season))
    assert b"ann</a> has a half-point bye." in made["round-2.html"]
    assert b"A half-point bye in round 2." in made["player-ann.html"]
    assert b"2,,,ann,,,half-bye," in made["games.csv"]
    assert "½ bye" in made["cross-table.html"].decode()
    assert b"may ask once not to play a round" in made["rules.html"]


def test_an_eliminator_needs_none_and_who_leaves_before_the_draw_gets_none(entered: Entered) -> None:
    world = entered(FILE.replace(b"half_byes", b'odd = "eliminator"\nhalf_byes'), *FIVE)
    world.enter("max", eliminator=True)
    with pytest.raises(PbemError, match="max is an eliminator, and needs no bye"):
        ask(world, "max", 1)
    ask(world, "ann", 1)
    ask(world, "ben", 1)
    world.after(31)
    world.say("ann", "withdraw")
    world.seat()
    assert world.book.season.rounds[0].pairings.half_byes == ("ben",)


@pytest.mark.ci
def test_a_substitute_has_what_was_had_and_not_what_was_wished(five: World) -> None:
    play_round(five)
    five.seat()
    five.say("ann", "withdraw")
    five.admit("zoe", "ann")
    assert points(five)["zoe"] >= Fraction(1, 2)
    with pytest.raises(PbemError, match="zoe has had or asked for 1"):
        ask(five, "zoe", 3)
    five.say("eve", ABSENT, rounds=(3, 3))
    ask(five, "dan", 3)
    five.say("dan", "withdraw")
    five.admit("kit", "dan")
    assert five.book.season.members["kit"].plays(3)


def test_the_file_says_how_many() -> None:
    assert read_file(FILE).half_byes == 1
    with pytest.raises(FileMistakes, match="fewer half-point byes than the 3 rounds"):
        read_file(FILE.replace(b"half_byes = 1", b"half_byes = 3"))


def seat(player: str) -> Seat:
    return Seat(player=player)


def test_it_is_no_bye_when_the_next_one_is_given_and_is_worth_a_draw() -> None:
    """FIDE's rules of the Swiss (C.04.1): only a whole bye keeps somebody from another."""
    entrants = [Entrant(name=name) for name in ("a", "b", "c")]
    for half in (True, False):
        before = [Round(number=1, pairings=(), byes=(Bye(player="a", half=half),))]
        drawn = {swiss.pair_players(entrants, [], before, dice(seed)).byes[0].player for seed in range(40)}
        assert ("a" in drawn) == (half and False), "b and c have fewer points"
        points = scores(entrants, [], Scoring(draw=Fraction(1, 3)), rounds=before)["a"][0].points
        assert points == (Fraction(1, 3) if half else 1)
    results = [
        Result(round=1, pairing=at, game="any", seats=tuple(map(seat, two)), places=(1, 1), day="2027-01-01")
        for at, two in enumerate(("bc", "de"), 1)
    ]
    games = tuple(Pairing(number=one.pairing, seats=one.seats) for one in results)
    five = [Entrant(name=name) for name in "abcde"]
    before = [Round(number=1, pairings=games, byes=(Bye(player="a", half=True),))]
    drawn = {swiss.pair_players(five, results, before, dice(seed)).byes[0].player for seed in range(60)}
    assert drawn == {*"abcde"}, "with equal points each of them may be the one"
    level = [Round(number=1, pairings=(), byes=tuple(Bye(player=one, half=True) for one in "abc"))]
    assert {swiss.pair_players(entrants, [], level, dice(seed)).byes[0].player for seed in range(40)} == {
        *"abc"
    }
    played = scores(entrants, [], Scoring(), rounds=level)
    assert buchholz("a", played, {"a": Fraction(1, 2)}) == Fraction(1, 2)


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[World, Path]]:
    """A whole season of five, of whom ann has asked for round 2 and ben for round 3."""
    folder = tmp_path_factory.mktemp("half")
    world = make_world(folder, FILE)
    world.enter(*FIVE)
    with closing(world.club.store):
        ask(world, "ann", 2)
        ask(world, "ben", 3)
        world.after(31)
        for _ in range(3):
            play_round(world)
        assert world.book.season.is_over
        export(world.club, "cup", folder / "bundle")
        yield world, folder / "bundle"


def test_the_audit_agrees(bundle: tuple[World, Path]) -> None:
    world, folder = bundle
    assert [state.pairings.half_byes for state in world.book.season.rounds] == [(), ("ann",), ("ben",)]
    assert refuted(read_bundle(folder)) == []


def given(entry: Pairings) -> Entry:
    """To cat, who has not asked."""
    return replace(entry, half_byes=(*entry.half_byes, "cat"))


def withheld(entry: Pairings) -> Entry:
    return replace(entry, half_byes=())


@pytest.mark.parametrize("number", [1, 2, 3])
@pytest.mark.parametrize("cheat", [given, withheld])
def test_a_judge_who_gives_one_unasked_or_keeps_one_back_is_refuted(
    bundle: tuple[World, Path], number: int, cheat: Callable[[Pairings], Entry]
) -> None:
    world, folder = bundle

    def edit(entry: Entry) -> Entry | None:
        return cheat(entry) if isinstance(entry, Pairings) and entry.round == number else entry

    found = refuted(rewritten(read_bundle(folder).known_files, world.club.key, edit))
    if cheat is withheld and number == 1:
        assert found == [], "nobody has asked"
    else:
        assert any(f"the half-point byes of round {number}" in row for row in found), found


def test_a_judge_who_drops_the_wish_is_refuted(bundle: tuple[World, Path]) -> None:
    world, folder = bundle

    def edit(entry: Entry) -> Entry | None:
        asks = isinstance(entry, Said) and entry.player == "ann" and "say half-bye" in entry.extra
        return None if asks else entry

    assert refuted(rewritten(read_bundle(folder).known_files, world.club.key, edit))
