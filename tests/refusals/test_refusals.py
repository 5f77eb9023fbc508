"""Each clause of each guard refuses alone and says why; what no row and no other test names is found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

import pytest

from tests.refusals import (
    audit_game,
    box_answers,
    boxes,
    club,
    commands,
    desk,
    disputes,
    game_ledger,
    game_master,
    home_leagues,
    home_orders,
    homes,
    intake,
    league_audit,
    league_desk,
    league_draw,
    league_ledger,
    league_said,
    league_words,
    page,
    post,
    practice,
    public,
    ratings,
    rooms,
    trust_files,
    trust_keys,
    trust_ledger,
    trust_press,
    watching,
)
from tests.refusals.clauses import Refusal, Row, left_out, places, play
from tests.refusals.dropping import goes_unnoticed


@dataclass(frozen=True, slots=True)
class Table:
    """The rows of parts of pbem, and of which clauses they can have none."""

    folders: tuple[str, ...]
    rows: tuple[Row, ...]
    unreachable: Mapping[str, str]


TRUST = (*trust_files.ROWS, *trust_ledger.ROWS, *trust_keys.ROWS, *trust_press.ROWS)
PLAYER = (*homes.ROWS, *home_orders.ROWS, *home_leagues.ROWS, *boxes.HOME)
TABLES = {
    "trust": Table(("trust",), TRUST, trust_keys.UNREACHABLE | trust_press.UNREACHABLE | boxes.COPY_OF_HOME),
    "ledger of a game": Table(game_ledger.FOLDERS, game_ledger.ROWS, {}),
    "club": Table(
        (*club.FOLDERS, *rooms.FOLDERS, *intake.FOLDERS),
        (*club.ROWS, *post.ROWS, *rooms.ROWS, *intake.ROWS),
        club.ELSEWHERE | post.ELSEWHERE | rooms.ELSEWHERE | intake.ELSEWHERE,
    ),
    "game master": Table(game_master.FOLDERS, game_master.ROWS, game_master.ELSEWHERE),
    "home of a player": Table(("player",), PLAYER, home_orders.ELSEWHERE | boxes.ELSEWHERE),
    "words of leagues": Table(league_words.FOLDERS, league_words.ROWS, {}),
    "judge of a league": Table(league_desk.FOLDERS, league_desk.ROWS, league_desk.ELSEWHERE),
    "leagues": Table(league_ledger.FOLDERS, (*league_ledger.ROWS, *league_said.ROWS, *league_draw.QUOTA), {}),
    "draw of a league": Table(league_draw.FOLDERS, league_draw.ROWS, league_draw.ELSEWHERE),
    "audit": Table(
        ("audit",),
        (*audit_game.ROWS, *league_audit.OF_GAMES, *league_audit.ROWS),
        audit_game.ELSEWHERE | league_audit.ELSEWHERE,
    ),
    "disputes": Table(disputes.FOLDERS, disputes.ROWS, {}),
    "command line": Table(commands.FOLDERS, commands.ROWS, commands.ELSEWHERE),
    "watch over a club": Table(watching.FOLDERS, watching.ROWS, watching.ELSEWHERE),
    "practice": Table(practice.FOLDERS, (*practice.ROWS, *game_ledger.END), practice.ELSEWHERE),
    "messages, pages and stories": Table(public.FOLDERS, public.ROWS, public.ELSEWHERE),
    "ratings": Table(ratings.FOLDERS, ratings.ROWS, {}),
    "post box": Table(box_answers.FOLDERS, box_answers.ROWS, box_answers.ELSEWHERE),
    "page of a player": Table(page.FOLDERS, page.ROWS, page.ELSEWHERE | boxes.PAGE),
    "pages of the director": Table(desk.FOLDERS, desk.ROWS, {}),
}
WITHOUT_ROWS = {
    "rules": "a case says what the rules refuse",
    "titles": "tests/titles asks every game",
    "orders": "tests/orders writes what they refuse",
    "reports": "tests/reports",
    "notify": "tests/notify",
    "letter_checks.py": "tests/disputes",
    "compiled.py": "tests/test_compiled.py",
    "leagues/pages": "no refusal: the words of a bracket",
    "testing": "checks for those who write games, which fail as tests do",
}
"""Parts of pbem that are in no FOLDERS -> who has a test of what they refuse."""


@cache
def played(part: str, number: int) -> tuple[str, set[Refusal]]:
    return play(TABLES[part].rows[number], TABLES[part].folders)


CASES = [
    pytest.param(part, number, id=f"{part}-{row.words}", marks=[pytest.mark.ci] * row.heavy)
    for part, table in TABLES.items()
    for number, row in enumerate(table.rows)
]


@pytest.mark.parametrize(("part", "number"), CASES)
def test_a_refusal_says_why(part: str, number: int) -> None:
    said, reached = played(part, number)
    assert TABLES[part].rows[number].words in said
    assert reached, f"it reaches none of the FOLDERS of {part}, but {elsewhere(part, number)}"


def elsewhere(part: str, number: int) -> str:
    """Return where in pbem a row is refused that reaches no place of its own part, or that it is nowhere."""
    _, reached = play(TABLES[part].rows[number], ("",))
    lines = sorted(f"pbem/{one.place.file}:{one.place.lines.start}" for one in reached)
    return f"{', '.join(lines)}: add that file to the FOLDERS beside the row" if lines else "no place in pbem"


def test_what_refuses_has_rows_or_a_reason() -> None:
    known = [*WITHOUT_ROWS, *(folder for table in TABLES.values() for folder in table.folders)]
    left = {
        place.file: f"pbem/{place.file}:{place.lines.start} refuses, but is in no FOLDERS: add its rows"
        for place in places("")
        if not any(f"{place.file}/".startswith(f"{folder}/") for folder in known)
    }
    assert left == {}


@pytest.mark.ci
@pytest.mark.parametrize("part", TABLES)
def test_every_clause_refuses_alone(part: str) -> None:
    table = TABLES[part]
    reached = set().union(*(played(part, number)[1] for number in range(len(table.rows))))
    assert left_out(reached, table.folders, table.unreachable) == []
    assert table.unreachable.keys().isdisjoint(map(str, reached))


NESTED = ("found", "compared", "last_report")
"""Functions in functions: the running program has none that lasts."""
UNNOTICED = {
    "judge/book.py check_rows: row.leaf != ledger.leaf(salt, row.text)": "the head at the entry says so too",
    "audit/bundle.py _exactly: len(data) < size": "the header that comes next is cut off too",
    "trust/primitives/age.py _parse_header: not sealed.startswith(_VERSION)": "the head's checksum says so",
    "leagues/config_reader.py _text: not isinstance(value, str)": "searching it says so too",
    "leagues/config_reader.py _days: not isinstance(value, int | float)": "comparing it says so too",
}
"""Clauses without which the same would be said -> why they stand there."""


@pytest.mark.ci
@pytest.mark.parametrize("part", TABLES)
def test_a_clause_that_is_gone_is_noticed(part: str) -> None:
    rows: dict[Refusal, list[Row]] = {}
    for number, row in enumerate(TABLES[part].rows):
        for refusal in played(part, number)[1]:
            rows.setdefault(refusal, []).append(row)
    asked = {one: some for one, some in rows.items() if one.clause.text and one.place.function not in NESTED}
    left = [str(one) for one, some in asked.items() if goes_unnoticed(one, some)]
    assert set(left) <= UNNOTICED.keys()
