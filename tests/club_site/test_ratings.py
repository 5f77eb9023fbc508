"""Ratings on a club's pages: of those who are listed, and of nobody else."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pbem.trust import keys
from tests.club_site.test_site import open_game, text_of, wish, written
from tests.judge.table import GAME, Table
from tests.ratings.clubs import club_of, concede

OTHER = "falkirk"
RATED = re.compile(r'<td class="n">(\d+\??)</td><td class="n">([-\d]+ and \d+)</td><td class="n">(\d+)</td>')


@pytest.fixture
def table(tmp_path: Path) -> Table:
    """A club with one rated game of alice and bob, open."""
    return club_of(tmp_path, {name: keys.generate() for name in ("alice", "bob")})


@pytest.fixture
def www(tmp_path: Path) -> Path:
    """The folder that a web server shows."""
    return tmp_path / "www"


def rated(www: Path) -> list[tuple[str, ...]]:
    """The ratings of the page of players."""
    return RATED.findall((www / "players.html").read_text())


@pytest.mark.ci
def test_listed_players_have_their_rating_with_its_interval(table: Table, www: Path) -> None:
    wish(table)
    table.go()
    written(table, www)
    assert rated(www) == [], "the game goes on"
    concede(table, "bob")
    written(table, www)
    assert rated(www) == [("1653?", "1072 and 2234", "1"), ("1347?", "766 and 1928", "1")]
    assert written(table, www)[1] == 0
    wish(table, "no", ("bob",))
    written(table, www)
    assert rated(www) == []


def test_whoever_is_not_listed_does_not_appear_by_the_rating_of_another(table: Table, www: Path) -> None:
    """Alice is listed by a game with carol; her rated game with bob is told by its sides alone."""
    concede(table, "bob")
    carol = keys.generate()
    table.club.add_player("carol", carol.public, "carol@example.org")
    open_game(table, OTHER, {"alice": table.people["alice"].key, "carol": carol})
    wish(table, names=("alice", "carol"))
    written(table, www)
    assert rated(www) == [("1653?", "1072 and 2234", "1")]
    assert not re.search(r"\bbob\b", text_of(www)), "as a word: a key may hold it by chance"
    assert "alice" not in (www / f"games/{GAME}.html").read_text()


@pytest.mark.ci
def test_a_rated_game_that_goes_on_changes_no_rating(tmp_path: Path) -> None:
    """Twins: hidden orders of a rated game leave the page of players as it is, before and after its end."""
    told = []
    for plan in ("one", "another"):
        table = club_of(tmp_path / plan, {name: keys.generate() for name in ("alice", "bob")})
        page = tmp_path / plan / "www" / "players.html"
        wish(table)
        table.go(body=f"note {plan} plan of mine\n")
        written(table, page.parent)
        told.append(page.read_text())
        concede(table, "bob")
        written(table, page.parent)
        told.append(page.read_text())
    assert told[:2] == told[2:]
    assert "1653?" in told[1]
