"""league.toml: what is right is read, and every mistake is told with its line, reason and what was meant."""

from __future__ import annotations

import re
from dataclasses import fields
from fractions import Fraction
from pathlib import Path

import pytest

import pbem.leagues
from pbem.leagues.config import LeagueFile, read_file
from pbem.leagues.config_reader import FORMATS, OF_FORMAT, SIDES, TABLES, FileMistakes

PRESETS = Path(pbem.leagues.__file__).parent / "presets"


def preset(name: str) -> bytes:
    return (PRESETS / f"{name}.toml").read_bytes()


@pytest.mark.parametrize("name", FORMATS)
def test_a_preset_is_a_page_that_is_right(name: str) -> None:
    data = preset(name)
    file = read_file(data)
    assert file.format == name
    assert len(data.decode().splitlines()) <= 66
    assert file.game_sides() == ("england", "scotland")


@pytest.mark.parametrize("name", FORMATS)
def test_a_preset_names_every_way_in_which_sides_can_be_given(name: str) -> None:
    """Those that its format takes; the file is all that whoever opens a league reads."""
    text = preset(name).decode()
    (line,) = re.findall(r"^\[sides\]\nby = .*(?:\n +# .*)*", text, re.MULTILINE)
    used = read_file(text.encode()).sides
    for way in SIDES:
        changed = text.replace(f'[sides]\nby = "{used}"', f'[sides]\nby = "{way}"').encode()
        try:
            read_file(changed)
        except FileMistakes:
            assert f'"{way}"' not in line
        else:
            assert f'"{way}"' in line


def test_the_presets_do_what_the_clubs_do() -> None:
    sections, swiss = read_file(preset("sections")), read_file(preset("swiss"))
    knockout, ladder = read_file(preset("knockout")), read_file(preset("ladder"))
    assert (sections.double, sections.up, sections.down, sections.sides) == (True, 1, 1, "balanced")
    assert (swiss.rounds, swiss.days, swiss.gap_days, swiss.odd) == (6, 112, 7, "eliminator")
    assert (swiss.scoring.win, swiss.scoring.draw, swiss.scoring.bye) == (
        Fraction(1),
        Fraction(1, 2),
        Fraction(1),
    )
    assert swiss.scoring.tie_breaks[0] == "head-to-head"
    assert (knockout.seeding, knockout.odd, knockout.days) == ("rating", "eliminator", 107)
    assert ladder.reach == 3


def test_every_format_has_a_table_and_every_key_reaches_the_league() -> None:
    assert set(FORMATS) == OF_FORMAT
    assert TABLES.keys() > OF_FORMAT
    assert {"double", "reach", "odd", "seeding", "unfinished"} < {one.name for one in fields(LeagueFile)}


MISTAKES = [
    ("[rounds]", "[round]", "line 28: there is no 'round' in a league.toml; did you mean 'rounds'?"),
    ("days = 540", "dais = 540", "[rounds] has no 'dais'; did you mean 'days'?"),
    ('rules = "hammer"', 'rules = "hamer"', "did you mean 'hammer'?"),
    ('format = "sections"', 'format = "section"', "line 9: format: 'section' is not one of"),
    ('format = "sections"', "", "format is missing"),
    ('format = "sections"', 'format = "sections"\nlast = 3', "line 10: last is a table: [last]"),
    ("least = 6", 'least = "six"', "entries.least cannot be 'six': it takes a whole number"),
    ("2027-01-31T20:00:00Z", "2027-01-31", "write 2027-01-31T20:00:00Z"),
    ("2027-01-31T20:00:00Z", "2027-01-31T20:00:00", "has no zone"),
    ('draw = "1/2"', 'draw = "1/0"', "scoring.draw: '1/0' is not a number"),
    ('"sonneborn-berger"', '"sonneborn-burger"', "did you mean 'sonneborn-berger'?"),
    ('panel = ["anna", "ben", "carl"]', "panel = []", "[people] names no `panel`"),
    ('scenario = "braveheart"', 'scenario = "bravehart"', "braveheart"),
    ("size = 6", "size = 1", "a section has two players at least"),
    ("least = 6", "least = 600", "from 2 to 2000"),
    ("double = true", "double = true\n[ladder]\nreach = 2", "[ladder] does not belong in a league"),
    ('director = "dora"', "", "people.director is missing"),
    ('director = "dora"', 'director = "Dora Smith"', "is not a name: small letters"),
]


@pytest.mark.parametrize(("old", "new", "told"), MISTAKES, ids=[new or old for old, new, _ in MISTAKES])
def test_a_mistake_is_told(old: str, new: str, told: str) -> None:
    text = preset("sections").decode()
    assert old in text
    with pytest.raises(FileMistakes) as fault:
        read_file(text.replace(old, new).encode())
    assert told in str(fault.value)
    assert all(one.line for one in fault.value.mistakes), fault.value.mistakes


def test_all_mistakes_are_told_at_once_by_lines() -> None:
    text = preset("sections").decode().replace("least = 6", "least = -1").replace("up = 1", 'up = "one"')
    with pytest.raises(FileMistakes) as fault:
        read_file(text.encode())
    lines = [one.line for one in fault.value.mistakes]
    assert len(lines) == 2
    assert lines == sorted(lines)


@pytest.mark.parametrize(
    ("data", "line", "told"),
    [
        (b"", 1, "name is missing"),
        (b"\xff", 0, "the file is not utf-8 text"),
        (b"a" * 70_000, 0, "the file has more than 65,536 bytes"),
        (b"[" * 5_000, 1, "invalid initial character for a key part"),
        (b"name = ", 0, "invalid value"),
        (b"\n= 1", 2, "invalid statement"),
        (b"days = " + b"1" * 5_000, 0, "a number has thousands of digits"),
        (b"[game]\ngame = {}", 1, "name is missing"),
    ],
)
def test_what_is_no_file_is_told_with_its_line(data: bytes, line: int, told: str) -> None:
    with pytest.raises(FileMistakes) as fault:
        read_file(data)
    first = fault.value.mistakes[0]
    assert (first.line, first.text) == (line, told)


@pytest.mark.parametrize(("drawn", "told"), [("scotland", ""), ("scotlant", "did you mean 'scotland'?")])
def test_a_knock_out_says_what_decides_a_draw(drawn: str, told: str) -> None:
    data = preset("knockout").decode().replace('drawn = "lot"', f'drawn = "{drawn}"').encode()
    if told:
        with pytest.raises(FileMistakes, match=re.escape(told)):
            read_file(data)
    else:
        assert read_file(data).drawn == drawn


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ("", "new opponents are certain for 2 rounds only"),
        ('stuck = "rematch"', ""),
        ('stuck = "end"', ""),
        ('stuck = "rematsch"', "did you mean 'rematch'?"),
        ('stuck = "end"\napart = [["anna", "ben"], ["carl"]]', "a pair is two names, and this one has 1"),
        ('stuck = "end"\napart = [["anna", "ben"]]\nseeding = "rating"', ""),
    ],
)
def test_a_swiss_says_what_happens_when_all_have_met(more: str, told: str) -> None:
    """Up to half as many rounds as entrants there is always a round in which nobody meets again."""
    text = preset("swiss").decode().replace("least = 16", "least = 4").replace("count = 6", "count = 3")
    data = text.replace("[swiss]", f"[swiss]\n{more}").encode()
    if told:
        with pytest.raises(FileMistakes, match=re.escape(told)):
            read_file(data)
    else:
        assert read_file(data).swiss.stuck == ("end" if "end" in more else "rematch")
