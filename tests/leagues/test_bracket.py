"""The bracket of a knock-out as everybody sees it: as a picture, in words on its page, and in letters."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from random import Random
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.cli import main
from pbem.leagues.formats.knockout import LOT, REPLAY, bracket_of
from pbem.leagues.model import Bracket, Ending, Entrant, LeagueView
from pbem.leagues.pages import pages
from pbem.leagues.pages.bracket import bracket_in_words, bracket_picture
from tests.leagues.cups import Season, loose, people
from tests.leagues.world import Called, World, file_of, play_round

SVG = "{http://www.w3.org/2000/svg}"
FIVE = ("ann", "ben", "cat", "dan", "eve")
HOSTILE = (
    "<script>alert(1)</script>",
    "a&b\"'<",
    "\u202egnp.evil\u202c",
    "m" * 64,
    "\x01\x1b[2J",
    "\u05d0\u05d1",
)


def bracket(season: Season) -> Bracket:
    found = bracket_of(season.cup)
    assert found is not None
    return found


def words(season: Season) -> list[str]:
    told = bracket_in_words(bracket(season), season.results)
    return [line for heading, lines in told for line in (heading, *lines)]


def first_wins(season: Season, *, leave_open: int = 0) -> Season:
    games = season.draw().pairings
    for game in games[: len(games) - leave_open]:
        season.end(game, (1, 2))
    return season


def league(season: Season) -> LeagueView:
    """A season for pages; what it lacks they do without."""
    entrants = [Entrant(name=name) for name in season.order]
    return LeagueView(
        name="The <Cup>",
        format="knockout",
        entrants=tuple(entrants),
        rounds=tuple(season.rounds),
        results=tuple(season.results),
        tie_breaks=(),
        standings=(),
        bracket=bracket_of(season.cup),
    )


@pytest.mark.ci
@given(
    st.integers(2, 40),
    st.integers(),
    st.booleans(),
    st.sampled_from([LOT, REPLAY, "scots"]),
    st.integers(0, 12),
)
def test_the_bracket_holds_each_game_once_and_who_goes_on_stands_in_the_next_stage(
    many: int, seed: int, third: bool, drawn: str, rounds: int
) -> None:
    chance = Random(seed)
    guests = frozenset(["x"] if seed % 3 == 0 else [])
    season = Season(people(many), seed, loose, eliminators=guests, drawn=drawn, third=third)
    while len(season.rounds) <= rounds and not season.cup.is_over():
        for game in season.draw().pairings:
            ending = Ending.ANNULLED if chance.random() < 0.05 else Ending.PLAYED
            season.end(game, season.fate(game, chance), ending)
        season.gone |= {name for name in season.order if chance.random() < 0.05}
    if chance.random() < 0.5 and season.rounds[-1].pairings:
        season.results.pop()
    made = bracket(season)
    assert [len(stage) for stage in made.stages] == [
        2**at for at in reversed(range(max(1, (many - 1).bit_length())))
    ]
    every = [match for stage in made.stages for match in stage] + [one for one in [made.third] if one]
    assert sorted(game for match in every for game in match.games) == [
        (one.number, game.number) for one in season.rounds for game in one.pairings
    ]
    for stage, following in zip(made.stages, made.stages[1:], strict=False):
        places = [place for match in following for place in match.places]
        for match, place in zip(stage, places, strict=True):
            known = {name for one in match.places for name in one.names}
            assert set(place.names) <= known
            if place.names and place.settled:
                assert match.winner == place
    first = made.stages[-1][0].winner
    if season.cup.is_over() and first.settled and first.names:
        assert season.places()[first.names[0]] == 1
    bracket_in_words(made, season.results)
    ET.fromstring(bracket_picture(made, season.results, "a cup"))  # noqa: S314 - written by ourselves


def texts(svg: str) -> list[str]:
    root = ET.fromstring(svg)  # noqa: S314 - written by ourselves
    return [one.text or "" for one in root.iter(f"{SVG}text")]


def test_the_picture_has_a_box_for_each_match_but_byes_and_names_fit_in() -> None:
    season = first_wins(Season(people(33)))
    svg = bracket_picture(bracket(season), season.results, "the cup")
    said = texts(svg)
    assert said[:7] == [
        "First round",
        "Last 32",
        "Last 16",
        "Quarter-finals",
        "Semi-finals",
        "Final",
        "Winner",
    ]
    assert svg.count("<rect") == 2 * 32 + 1, "33 entrants play 32 games"
    assert [said.count(name) for name in ("p01", "p31", "p32", "p33")] == [1, 1, 2, 1]
    assert said.count("p32") == 2, "who goes on stands in both columns"


def test_hostile_names_change_neither_page_nor_picture_nor_words() -> None:
    season = first_wins(Season(HOSTILE))
    made = league(season)
    assert made.bracket is not None
    for data in (bracket_picture(made.bracket, made.results, "<cup>"), pages(made)["bracket.html"].decode()):
        assert "<script" not in data
        assert "<Cup>" not in data
        assert not set(data) & {"\u202e", "\u202c", "\x01", "\x1b"}
    assert max(map(len, texts(bracket_picture(made.bracket, made.results, "cup")))) <= 15
    assert all(one.isprintable() for one in words(season))
    assert f"<title>{'m' * 64}</title>" in bracket_picture(made.bracket, made.results, "cup"), (
        "to be read when pointed at"
    )


def test_of_many_more_the_picture_begins_with_the_last_sixty_four() -> None:
    season = Season(people(150))
    first_wins(season)
    assert words(season) == ["Then", "last 64, last 32, last 16, quarter-finals, semi-finals, final"]
    first_wins(season)
    said = words(season)
    assert said[0] == "Last 64"
    assert len(said) == 1 + 32 + 2
    assert texts(bracket_picture(bracket(season), season.results, "cup"))[0] == "Last 64"


def test_pages_have_a_bracket_where_the_league_has_one() -> None:
    made = league(first_wins(Season(FIVE)))
    index, written = pages(made), json.loads(pages(made)["league.json"])
    assert 'href="bracket.html"' in index["index.html"].decode()
    assert written["bracket"]["stages"][1][0]["places"][0] == {"names": ["ann"], "settled": True}
    without = pages(replace(made, bracket=None))
    assert "bracket.html" not in without
    assert "bracket" not in without["index.html"].decode()


@pytest.fixture
def cup(called: Called) -> World:
    """Five who play for a third place as well; who is best by name wins."""
    data = file_of("knockout", more='[knockout]\nthird = true\nseeding = "draw"', waits=(0, 0, 3))
    return called(data, *FIVE)


def letters(world: World, player: str) -> list[str]:
    """Those of the league."""
    found = (one for one in world.club.store.letters() if one.player == player and one.text)
    return [one.text for one in found if one.name.startswith(world.book.name)]


@pytest.mark.ci
def test_the_letters_of_a_cup_tell_its_bracket(cup: World, capsys: pytest.CaptureFixture[str]) -> None:
    """To those who play, who have a bye, and who are out, as soon as there is something new."""
    assert all("The bracket" not in text for player in FIVE for text in letters(cup, player))
    cup.seat()
    told = {player: letters(cup, player)[-1] for player in FIVE}
    state = cup.book.season.rounds[0]
    (pair,), byes = state.pairings.pairs, {name for _, name in state.pairings.byes}
    for player, text in told.items():
        assert "\nThe bracket\n  First round\n    " in text
        assert ("you have no game in it" in text) == (player in byes)
        assert " - ".join(pair.players) in text or " - ".join(reversed(pair.players)) in text
        told_byes = re.search(r"Byes: (.+)\n", text)
        assert told_byes
        assert set(told_byes[1].split(", ")) == byes
    cup.end_games()
    for player in FIVE:
        text = letters(cup, player)[-1]
        assert f": {min(pair.players)} goes on" in text
        assert "  Semi-finals\n" in text
        assert "  Then\n    final, third place\n" in text
    for _ in range(2):
        cup.after(4)
        play_round(cup)
    cup.after(4)
    assert cup.book.season.is_over
    last = letters(cup, "eve")[-1]
    assert "ann wins" in last
    assert " is third" in last
    assert max(map(len, last.split("The bracket")[1].splitlines())) <= 76
    words = ["league", "standings", "cup", "--club", str(cup.club.path)]
    assert main(words) == 0
    assert "\nThe bracket\n" in capsys.readouterr().out
    assert main([*words, "--ratings"]) == 0
    assert "The bracket" not in capsys.readouterr().out


def cup_of(many: int, rounds: int) -> LeagueView:
    """A cup of many, one of them with a hostile name."""
    names = (*HOSTILE[3:4], *people(many))[:many]
    season = Season(names, 3, loose, third=True)
    season.play(lambda one: len(one.rounds) >= rounds)
    return league(season)
