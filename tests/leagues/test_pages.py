"""A league's pages: the same bytes for the same league, nothing left unescaped, and readable in a browser."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from pbem.leagues.formats import round_robin, swiss, tables
from pbem.leagues.model import Ending, Entrant, Heard, LeagueView, News, Result, Round, Ruling, Scoring
from pbem.leagues.pages import ATOM, pages, write
from pbem.leagues.pages.rows import amount
from pbem.leagues.ratings import ratings
from pbem.leagues.standings import standings
from tests.browser.chromium import SCREENSHOTS, look, needs_browser, screenshot
from tests.leagues.dice import dice
from tests.leagues.test_bracket import cup_of

SIDES = ("scots", "english")
RULES = Scoring(tie_breaks=("head-to-head", "buchholz", "side-adjusted"))
TELEPHONE, DESK = 360, 1280


def played(drawn: Round) -> list[Result]:
    """Results by rule of thumb; the last game stays open, one is a forfeit, one a draw."""
    found = []
    for game in drawn.pairings[: max(1, len(drawn.pairings) - (drawn.number == 3))]:
        seats = len(game.seats)
        places = (
            tuple(range(1, seats + 1)) if (game.number + drawn.number) % 3 else tuple(range(seats, 0, -1))
        )
        if game.number == 2 and seats == 2:
            places = (1, 1)
        found.append(
            Result(
                round=drawn.number,
                division=drawn.division,
                pairing=game.number,
                game="any",
                seats=game.seats,
                places=places,
                ending=Ending.FORFEITED if game.number == 4 else Ending.PLAYED,
                day=f"2026-{min(drawn.number, 12):02}-28",
            )
        )
    return found


def view(form: str, entrants: list[Entrant], rounds: list[Round], results: list[Result]) -> LeagueView:
    divisions = list(dict.fromkeys(drawn.division for drawn in rounds))
    within = {
        division: {
            seat.player
            for drawn in rounds
            if drawn.division == division
            for game in drawn.pairings
            for seat in game.seats
        }
        | {bye.player for drawn in rounds for bye in drawn.byes}
        for division in divisions
    }
    return LeagueView(
        name="The Stirling <Cup> & Plate 2026",
        format=form,
        entrants=tuple(entrants),
        rounds=tuple(rounds),
        results=tuple(results),
        tie_breaks=RULES.tie_breaks,
        standings=tuple(
            (
                division,
                standings(
                    [one for one in entrants if one.name in within[division]],
                    [one for one in results if one.division == division],
                    RULES,
                    rounds=[one for one in rounds if one.division == division],
                ),
            )
            for division in divisions
        ),
        ratings=ratings(results),
        deadlines=tuple(sorted({(drawn.number, f"2026-{min(drawn.number, 12):02}-28") for drawn in rounds})),
        rulings=(
            Ruling(
                number=1,
                day="2026-03-02",
                by="dora",
                about="game 4 of round 2",
                decision="forfeit 2 4 bea",
                reason="<script>alert(1)</script> no orders for six weeks & no answer",
            ),
        ),
        open_games=((3, 8, "cup-r3-8"),),
        genesis="5" * 64,
        id="cup",
        coming="entries close at 2026-01-01T20:00:00Z",
        rules=(("Points", "A <win> is worth 1."),),
        dates=(("call-1", "2026-01-03T20:00:00Z", "answers to call 1 are due"),),
        appeals=(
            Heard(number=57, day="2026-03-04", by="bea", entry=40, reason="I <moved>", answer=""),
            Heard(number=60, day="2026-03-05", by="cyd", entry=40, reason="so did I", answer="dismissed: no"),
        ),
        news=(
            News(key="over", at="2026-03-05T20:00:00Z", title="Over", text="<b>it is</b> \x01 over & done"),
            News(key="begin", at="2026-01-01T20:00:00Z", title="Begun", text=""),
        ),
    )


NAMES = [
    *("anna", "bea", "cyd", "dirk", "edith", "finlay", "gwen", "hamish", "isla", "jock", "kirsty", "lachlan"),
    *("mairi", "niall", "orla", "pierre-de-la-roche", "rab"),
]


@pytest.fixture(scope="module")
def swiss_league() -> LeagueView:
    entrants = [Entrant(name=name) for name in NAMES]
    rounds: list[Round] = []
    results: list[Result] = []
    for number in range(1, 4):
        rounds.append(swiss.pair_players(entrants, results, rounds, dice(number), sides=SIDES))
        results += played(rounds[-1])
    return view("swiss", entrants, rounds, results)


@pytest.fixture(scope="module")
def sections_league() -> LeagueView:
    return league_of_sections(6)


@pytest.fixture(scope="module")
def wide_league() -> LeagueView:
    """All seventeen in one section, whose cross-table is wider than any telephone."""
    return league_of_sections(17)


def league_of_sections(size: int) -> LeagueView:
    entrants = [Entrant(name=name) for name in NAMES]
    rounds, results = [], []
    for number, section in enumerate(round_robin.sections(entrants, size, dice()), 1):
        for drawn in round_robin.schedule(section, size < 10, sides=SIDES, division=f"Section {number}"):
            rounds.append(drawn)
            results += played(drawn) if drawn.number < 8 else []
    return view("sections", entrants, rounds, results)


@pytest.fixture(scope="module")
def tables_league() -> LeagueView:
    return league_of_tables()


def league_of_tables() -> LeagueView:
    sides = {4: ("north", "east", "south", "west"), 5: ("north", "east", "south", "west", "middle")}
    rounds: list[Round] = []
    for number in range(2):
        rounds.append(tables.draw_tables(NAMES, 4, 5, rounds, dice(number), sides=sides))
    return view(
        "swiss",
        [Entrant(name=name) for name in NAMES],
        rounds,
        [one for drawn in rounds for one in played(drawn)],
    )


def text(data: bytes) -> str:
    return data.decode()


@pytest.mark.ci
def test_every_page_that_is_linked_is_there(swiss_league: LeagueView) -> None:
    made = pages(swiss_league)
    linked = {link for data in made.values() for link in re.findall(r'href="([^"]+)"', text(data))}
    assert linked <= set(made)
    assert {f"player-{name}.html" for name in NAMES} <= linked


@pytest.mark.ci
def test_the_same_league_gives_the_same_bytes(swiss_league: LeagueView, tmp_path: Path) -> None:
    assert pages(swiss_league) == pages(replace(swiss_league))
    made = pages(swiss_league)
    assert write(swiss_league, tmp_path / "a/b") == len(made)
    assert {path.name: path.read_bytes() for path in (tmp_path / "a/b").iterdir()} == made


def test_pages_of_what_the_league_has_no_more_go_and_others_stay(
    swiss_league: LeagueView, tmp_path: Path
) -> None:
    """After a restore there may be a round or an entrant less; what else lies there is not the program's."""
    write(swiss_league, tmp_path)
    kept = {"round-rules.html": "<p>ours</p>", "player-guide.html": "<p>ours too</p>", "style.css": ""}
    for name, words in kept.items():
        (tmp_path / name).write_text(words, "utf-8")
    names = {path.name for path in tmp_path.iterdir()}
    entrants = tuple(one for one in swiss_league.entrants if one.name != NAMES[0])
    last = max(drawn.number for drawn in swiss_league.rounds)
    rounds = tuple(drawn for drawn in swiss_league.rounds if drawn.number != last)
    write(replace(swiss_league, entrants=entrants, rounds=rounds), tmp_path)
    gone = names - {path.name for path in tmp_path.iterdir()}
    assert gone == {f"round-{last}.html", f"player-{NAMES[0]}.html"}


def test_names_and_reasons_are_escaped(swiss_league: LeagueView) -> None:
    for name, data in pages(swiss_league).items():
        if name.endswith(".html"):
            assert "<Cup>" not in text(data)
            assert "<script" not in text(data)
            assert "The Stirling &lt;Cup&gt; &amp; Plate 2026" in text(data)


def test_nothing_is_fetched_from_elsewhere(swiss_league: LeagueView) -> None:
    for name, data in pages(swiss_league).items():
        if name.endswith(".html"):
            assert not re.search(r"https?:|//[a-z]|<img|<script|@import|url\(", text(data)), name


def test_standings_and_games_can_be_read_back(swiss_league: LeagueView) -> None:
    made = pages(swiss_league)
    rows = list(csv.DictReader(io.StringIO(text(made["standings.csv"]))))
    table = dict(swiss_league.standings)[""]
    assert [(row["player"], int(row["place"]), Fraction(row["points"])) for row in rows] == [
        (line.player, line.place, line.points) for line in table
    ]
    assert [row["buchholz"] for row in rows] == [str(line.tie_breaks[1]) for line in table]
    games = list(csv.DictReader(io.StringIO(text(made["games.csv"]))))
    assert sum(row["ending"] == "open" for row in games) == 2
    assert sum(row["ending"] == "bye" for row in games) == 3
    assert sum(row["place"] != "" for row in games) == 2 * len(swiss_league.results)
    told = list(csv.DictReader(io.StringIO(text(made["ratings.csv"]))))
    assert [Decimal(row["rating"]) for row in told] == [one.value for one in swiss_league.ratings]
    whole = json.loads(made["league.json"])
    assert whole["standings"][0][1][0]["points"] == str(table[0].points)
    assert len(whole["results"]) == len(swiss_league.results)


def test_the_calendar_is_read_by_its_library(swiss_league: LeagueView) -> None:
    from icalendar import Calendar

    data = pages(swiss_league)["calendar.ics"]
    events = list(Calendar.from_ical(data).walk("VEVENT"))
    assert [event.decoded("dtstart").isoformat() for event in events] == [
        "2026-01-28",
        "2026-02-28",
        "2026-03-28",
        "2026-01-03T20:00:00+00:00",
    ]
    assert str(events[3]["summary"]).endswith("answers to call 1 are due")
    assert str(events[0]["summary"]) == "The Stirling <Cup> & Plate 2026: last day of round 1"
    assert str(events[2]["description"]) == "1 game is still open."
    assert max(map(len, data.split(b"\r\n"))) <= 75, "RFC 5545, 3.1"
    assert len({str(event["uid"]) for event in events}) == 4


def test_the_feed_is_read_as_atom_and_what_it_told_keeps_its_id(swiss_league: LeagueView) -> None:
    def ids(league: LeagueView) -> list[str]:
        found = ET.fromstring(pages(league)["feed.atom"])  # noqa: S314 - written by ourselves
        return [one.text or "" for one in found.iter(f"{{{ATOM}}}id")]

    root = ET.fromstring(pages(swiss_league)["feed.atom"])  # noqa: S314 - written by ourselves
    assert root.tag == f"{{{ATOM}}}feed"
    for parent in (root, *root.iter(f"{{{ATOM}}}entry")):
        for tag in ("id", "title", "updated"):
            assert len(parent.findall(f"{{{ATOM}}}{tag}")) == 1, "RFC 4287, 4.1"
    told = [one.text for one in root.iter(f"{{{ATOM}}}summary")]
    assert told == ["<b>it is</b>   over & done", "Begun"]
    own, _, begun = ids(swiss_league)
    assert len(set(ids(swiss_league))) == 3
    assert ids(replace(swiss_league, news=swiss_league.news[1:])) == [own, begun]
    assert not set(ids(swiss_league)) & set(ids(replace(swiss_league, genesis="6" * 64)))


def test_the_pages_say_the_rules_what_comes_and_what_appeals_came_to(swiss_league: LeagueView) -> None:
    made = pages(swiss_league)
    rules, index = text(made["rules.html"]), text(made["index.html"])
    assert "A &lt;win&gt; is worth 1." in rules
    assert "pbem league enter cup --as NAME" in rules
    assert "Next: entries close at 2026-01-01 20:00 UTC." in index
    assert "I &lt;moved&gt;" in index
    assert index.count("It waits for an answer.") == 1
    assert "dismissed: no" in index


def test_a_square_shows_both_sides_of_every_game(sections_league: LeagueView) -> None:
    made = text(pages(sections_league)["cross-table.html"])
    assert made.count('class="own"') == len(NAMES)
    games = sum(len(drawn.pairings) for drawn in sections_league.rounds)
    assert games > len(sections_league.rounds)
    assert made.count(" as Scots: ") == made.count(" as English: ") == games


def test_a_league_that_has_not_begun_has_pages() -> None:
    made = pages(view("ladder", [Entrant(name="anna")], [], []))
    assert "Nothing has been drawn yet." in text(made["index.html"])
    assert "None yet." in text(made["player-anna.html"])


def test_numbers_as_people_read_them() -> None:
    numbers = "3 7/2 1/2 -1/2 0 7/3 2/3 -3 113/420 -113/420".split()
    told = "3, 3½, ½, -½, 0, 2 1/3, 2/3, -3, 0.269, -0.269"
    assert ", ".join(amount(Fraction(one)) for one in numbers) == told
    assert amount(None) == "-"


POLICY = (
    """<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">"""
)
"""Left out where the page is measured, by a script of the test's own."""


@needs_browser
@pytest.mark.ci
@pytest.mark.parametrize(
    ("name", "width", "scheme"),
    [
        ("index", TELEPHONE, "light"),
        ("index", DESK, "dark"),
        ("cross-table", TELEPHONE, "dark"),
        ("cross-table", DESK, "light"),
        ("round-3", TELEPHONE, "light"),
        ("player-anna", TELEPHONE, "dark"),
        ("ratings", TELEPHONE, "light"),
        ("rules", TELEPHONE, "dark"),
        ("bracket of 5", TELEPHONE, "light"),
        ("bracket of 5", DESK, "dark"),
        ("bracket of 16", TELEPHONE, "dark"),
        ("bracket of 16", DESK, "light"),
        ("bracket of 33", TELEPHONE, "light"),
        ("bracket of 33", DESK, "dark"),
    ],
)
def test_a_page_can_be_read(
    name: str, width: int, scheme: str, sections_league: LeagueView, tmp_path: Path
) -> None:
    name, _, many = name.partition(" of ")
    page = text(pages(cup_of(int(many), 2) if many else sections_league)[f"{name}.html"])
    assert page.count(POLICY) == 1
    looked = look(page.replace(POLICY, ""), tmp_path, width, scheme)
    assert looked.dark == (scheme == "dark")
    assert looked.width <= width
    assert looked.dim == []
    assert looked.without_words == 0
    assert looked.asked_for == []
    assert looked.headings[0] == 1
    assert set(looked.headings[1:]) <= {2}


if SCREENSHOTS:

    @pytest.mark.parametrize(
        ("width", "height", "scheme"),
        [(TELEPHONE, 1100, "light"), (TELEPHONE, 1100, "dark"), (DESK, 900, "light")],
    )
    def test_screenshots(
        scheme: str,
        width: int,
        height: int,
        swiss_league: LeagueView,
        sections_league: LeagueView,
        tables_league: LeagueView,
        wide_league: LeagueView,
        tmp_path: Path,
    ) -> None:
        for what, league, name in (
            ("swiss", swiss_league, "index"),
            ("sections", sections_league, "cross-table"),
            ("tables", tables_league, "cross-table"),
            ("wide", wide_league, "cross-table"),
            *((f"cup-{many}", cup_of(many, 3), "bracket") for many in (5, 16, 33, 64)),
        ):
            picture = Path(SCREENSHOTS) / f"league-{what}-{width}-{scheme}.png"
            screenshot(text(pages(league)[f"{name}.html"]), tmp_path, picture, width, scheme, height)
            assert picture.stat().st_size > 10_000
