"""What a club tells a monitor: read back by Prometheus' own parser, and nothing of any game or player."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest
from prometheus_client.parser import text_string_to_metric_families

from pbem.service.one_pass import Pass
from pbem.service.watch import WEEK
from tests.judge.table import GAME, Table, make_table


def values(path: Path) -> dict[tuple[str, str], float]:
    """Return each value by its name and state."""
    families = text_string_to_metric_families(path.read_text())
    return {
        (one.name, one.labels.get("state", "")): one.value for family in families for one in family.samples
    }


@pytest.fixture
def table(tmp_path: Path) -> Table:
    """A club that writes what a monitor reads."""
    made = make_table(tmp_path)
    cast("dict[str, Any]", made.club.settings)["watch"] = {"metrics": str(tmp_path / "pbem.prom")}
    return made


def test_a_pass_writes_what_a_monitor_reads(table: Table, tmp_path: Path) -> None:
    list(Pass(table.club, after_gap=True).run())
    found = values(tmp_path / "pbem.prom")
    assert found["pbem_games", "open"] == 1
    assert found["pbem_games", "over"] == found["pbem_games", "held"] == 0
    assert found["pbem_last_pass_timestamp_seconds", ""] == table.clock().timestamp()
    assert found["pbem_last_backup_timestamp_seconds", ""] == 0
    assert found["pbem_letters_queued", ""] == 0
    assert found["pbem_pass_seconds", ""] > 0
    assert not {GAME, "alice", "bob"} & set((tmp_path / "pbem.prom").read_text().split())


def test_letters_that_have_not_left_are_counted(table: Table, tmp_path: Path) -> None:
    nobody = {"host": "127.0.0.1", "port": 1, "tls": "none"}
    mail = {"address": "judge@club.example", "outbox": nobody, "inbox": nobody}
    cast("dict[str, Any]", table.club.settings)["mail"] = mail
    list(Pass(table.club, after_gap=True).run())
    found = values(tmp_path / "pbem.prom")
    assert (found["pbem_letters_queued", ""], found["pbem_last_mail_check_timestamp_seconds", ""]) == (2, 0)


def test_a_file_that_cannot_be_written_stops_nothing(table: Table, tmp_path: Path) -> None:
    cast("dict[str, Any]", table.club.settings)["watch"] = {"metrics": str(tmp_path / "nowhere/pbem.prom")}
    lines = list(Pass(table.club, after_gap=True).run())
    assert ["[watch], metrics" in line.text for line in lines if line.step == "watch"] == [True]


@pytest.mark.parametrize(
    ("state", "stopped"), [("held", f", stopped: {GAME}"), ("over", ""), ("over for its league", "")]
)
def test_games_are_counted_by_state(state: str, stopped: str, table: Table, tmp_path: Path) -> None:
    """By a monitor, and in the summary of the week."""
    from pbem.judge.acts import act

    settings, store = cast("dict[str, Any]", table.club.settings), table.club.store
    settings["watch"]["address"] = "gm@club.example"
    if state == "over":
        act(table.club, GAME, "concede", "bob", reason="so signed", consents=[table.consent("concede bob")])
    else:
        act(table.club, GAME, "hold", reason="a holiday")
    with store.step():
        store.put_note(WEEK, "2025-12-01")
        if state == "over for its league":
            store.add_league_game(GAME, "league.cup")
            store.end_league_game(GAME)
    list(Pass(table.club, after_gap=True).run())
    assert values(tmp_path / "pbem.prom")["pbem_games", state.partition(" ")[0]] == 1
    (week,) = [one.text for one in store.letters() if one.name.startswith("summary-")]
    assert f"games             1, of which {int(not stopped)} are over{stopped}\n" in week
