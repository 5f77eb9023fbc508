"""A row that was changed behind the program's back in a game that nobody touches is found all the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbem.cli import main
from pbem.judge.agenda import read_agendas
from pbem.judge.club import open_club
from pbem.judge.newgame import new_game
from pbem.service.one_pass import LEDGERS_PER_PASS, Pass
from tests.judge.table import GAME, Table, make_table

pytestmark = pytest.mark.ci


MORE = [f"game-{number:02d}" for number in range(LEDGERS_PER_PASS + 5)]


@pytest.fixture
def table(tmp_path: Path) -> Table:
    """A club with more games than one pass checks; all agendas are worked out."""
    table = make_table(tmp_path)
    for game in MORE:
        new_game(
            table.club, game, "hammer", {"scenario": "braveheart"}, {"scotland": "alice", "england": "bob"}
        )
    while list(Pass(table.club).run()):
        pass
    return table


def change(table: Table, game: str, salt: str = "x") -> str:
    """Change a row as somebody with an editor would; what it held."""
    before = table.club.store.entries(game)[0].salt
    table.club.store.db.conn.execute("UPDATE entry SET salt = ? WHERE game = ? AND number = 1", (salt, game))
    table.club.store.db.conn.commit()
    return before


def stopped(table: Table, **options: bool) -> list[str]:
    return [line.text for line in Pass(table.club, **options).run() if line.trouble]


@pytest.mark.parametrize("game", [MORE[0], MORE[-1], GAME])
def test_it_is_found_within_one_round(table: Table, game: str) -> None:
    before = change(table, game)
    found = [stopped(table) for _ in range(2)]
    assert found[-1] == [f"stopped: entry 1 of {game} was changed after it was written"]
    assert len(read_agendas(table.club)) == len(MORE) + 1
    assert [one.game for one in read_agendas(table.club).values() if one.trouble] == [game]
    change(table, game, before)
    assert stopped(table) == [], "what was mended goes on"


def test_only_that_game_stops(table: Table) -> None:
    change(table, MORE[3])
    stopped(table, check_all=True)
    for name in ("alice", "bob"):
        (verdict,) = table.send(name)
        assert verdict.is_accepted
    lines = [line.text for line in Pass(table.club).run()]
    assert "exchange 1 resolved; exchange 2 is open" in lines


def test_everything_is_checked_when_serve_starts(table: Table, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = [MORE[1], MORE[-2]]
    for game in wrong:
        change(table, game)
    table.club.store.close()
    assert main(["serve", "--passes", "1", "--club", str(table.club.path)]) == 1
    told = capsys.readouterr().err
    for game in wrong:
        assert f"{game}: stopped: entry 1 of {game} was changed" in told
    assert main(["status", "--club", str(table.club.path)]) == 1
    assert f"{wrong[1]}: stopped" in capsys.readouterr().err


def test_a_pass_checks_a_bounded_number(table: Table) -> None:
    """Those whose turn it is not are left alone."""
    start = table.club.store.note("checked")
    games = table.club.store.games()
    place = games.index(start)
    later = games[(place + LEDGERS_PER_PASS + 1) % len(games)]
    change(table, later)
    assert stopped(table) == []
    assert stopped(table) != []


def test_a_fault_does_not_outlive_the_process(table: Table) -> None:
    change(table, MORE[0])
    stopped(table, check_all=True)
    table.club.store.close()
    table.club = open_club(table.club.path, table.clock)
    assert stopped(table) == [f"stopped: entry 1 of {MORE[0]} was changed after it was written"]
