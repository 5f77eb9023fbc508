"""A wrong setting of one game holds that game alone, and is told by its name."""

from __future__ import annotations

import pytest

from pbem.cli import main
from tests.judge.table import GAME
from tests.mail.postal import Postal
from tests.mail.test_passes import names
from tests.mail.test_restore import second_game

pytestmark = pytest.mark.ci

WRONG = [
    ("mail.game", "copies", '"of"', "[mail.game.demo]: copies must be one of direct, relay, off, not 'of'"),
    ("mail.game", "copy", '"off"', "[mail.game.demo]: no setting called copy"),
    ("mail.game", "copies", "5", "[mail.game.demo]: copies must be one of direct, relay, off, not 5"),
    ("rhythm", "zone", '"Nowhere"', "club.toml, [rhythm.demo]"),
    ("rhythm", "days", '"7"', "[rhythm.demo]: days is a number"),
    ("rhythm", "grace_hours", "-1", "[rhythm.demo]: grace_hours is a number"),
    ("rhythm", "day", "7", "[rhythm.demo]: no setting called day"),
]


def set_wrong(postal: Postal, table: str, name: str, value: str) -> None:
    path = postal.table.club.path / "club.toml"
    path.write_text(f"{path.read_text()}\n[{table}.{GAME}]\n{name} = {value}\n")
    postal.table.reopen()


@pytest.mark.parametrize(("table", "name", "value", "said"), WRONG, ids=[row[1] + row[2] for row in WRONG])
def test_the_other_games_go_on_and_orders_for_this_one_are_kept(
    postal: Postal, capsys: pytest.CaptureFixture[str], table: str, name: str, value: str, said: str
) -> None:
    postal.run()
    second_game(postal, "second")
    right = (postal.table.club.path / "club.toml").read_text()
    set_wrong(postal, table, name, value)
    postal.mails("alice")
    postal.deliver(postal.table.sealed("alice"))
    postal.deliver("my games\n", "bob@example.org")
    assert postal.mails("bob"), "somebody's question is answered"
    postal.table.clock.pass_days(8)
    lines = postal.run(after_gap=True)
    assert any(line.game == "second" and "exchange 1 resolved" in line.text for line in lines)
    (wrong,) = [line for line in lines if line.trouble]
    assert (wrong.game, "waits: " in wrong.text, said in wrong.text) == (GAME, True, True)
    assert postal.table.exchange == 1
    for command, status in (("status", 1), ("doctor", 1), ("run", 1)):
        assert main([command, "--club", str(postal.table.club.path)]) == status, command
        shown = capsys.readouterr()
        assert said in shown.out + shown.err, command
    (postal.table.club.path / "club.toml").write_text(right)
    postal.table.reopen()
    postal.run(after_gap=True)
    assert "demo-receipt-0001.txt" in names(postal.mails("alice"))
    assert postal.table.exchange == 2
    (received,) = postal.table.book.history.exchanges[0].received
    assert received.player == "alice"


def test_a_table_of_a_game_that_is_not_there_stops_nothing(
    postal: Postal, capsys: pytest.CaptureFixture[str]
) -> None:
    path = postal.table.club.path / "club.toml"
    path.write_text(f'{path.read_text()}\n[mail.game.gone]\ncopies = "of"\n')
    postal.table.reopen()
    postal.run()
    postal.go()
    assert postal.table.exchange == 2
    assert main(["doctor", "--club", str(postal.table.club.path)]) == 1
    assert "[mail.game.gone]: copies must be one of" in capsys.readouterr().out
