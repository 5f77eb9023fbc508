"""A full disk, a read-only database, a rude mail server: a clear message, no harm, recovery."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pbem.errors import PbemError
from pbem.mail.mail_problems import troubles
from pbem.mail.outbox import waiting_mail
from pbem.service.one_pass import Pass
from tests.judge.table import GAME, make_table
from tests.mail.postal import Postal, write_settings
from tests.mail.servers import rude_server

pytestmark = pytest.mark.ci


def rude(port: int, greeting: bytes) -> dict[str, Any]:
    """Settings of a server that hangs, or answers some time."""
    return {"host": "127.0.0.1", "port": port, "tls": "none", "timeout": 30 if greeting else 0.3}


@pytest.mark.parametrize(
    ("greeting", "told"),
    [
        (b"", ""),
        (b"421 too busy\r\n", "421 too busy"),
        (b"220 hello\r\n", ""),
        (b"what\r\n", "-1 "),
        (b"\xff\xfe\r\n", "-1 "),
    ],
    ids=["hangs", "421", "drops", "nonsense", "not ascii"],
)
def test_a_server_that_does_not_send_keeps_the_letters(tmp_path: Path, greeting: bytes, told: str) -> None:
    table = make_table(tmp_path)
    with rude_server(greeting) as port:
        write_settings(table, {"outbox": rude(port, greeting)})
        lines = [line for line in Pass(table.club).run() if line.trouble]
    assert f"does not send: {told}" in lines[0].text
    assert len(table.club.store.unsent_letters()) == 2
    assert "does not send" in troubles(table.club)[0]


def test_it_recovers_by_itself(postal: Postal) -> None:
    postal.post.refusal = "451 try later"
    assert any("was not taken: 451 try later" in line.text for line in postal.run())
    assert any("451 try later" in text for text in troubles(postal.table.club))
    assert (
        waiting_mail(postal.table.club)
        == "2 letters wait after a refusal; the next try is at 2026-01-01T12:10:00Z"
    )
    postal.post.refusal = ""
    assert postal.run() == [], "not before the time to try again"
    postal.table.clock.pass_days(0.5)
    assert [line.text for line in postal.run()] == [
        "sent demo-0000-report.txt to bob",
        "sent demo-0000-report.txt to alice",
    ]
    assert troubles(postal.table.club) == []


def test_each_failure_waits_twice_as_long(postal: Postal) -> None:
    postal.post.refusal = "550 no such user"
    tries = []
    for _ in range(40):
        postal.run()
        tries.append(postal.table.club.store.letters()[0].tries)
        postal.table.clock.pass_days(1 / 144)
    assert tries[-1] == 6, "ten minutes, twenty, forty, ..."


@pytest.mark.parametrize("greeting", [b"", b"* BYE\r\n", b"nonsense\r\n"], ids=["hangs", "bye", "nonsense"])
def test_a_mailbox_that_cannot_be_read_stops_nothing_else(postal: Postal, greeting: bytes) -> None:
    table = postal.table
    for name in ("alice", "bob"):
        table.send(name)
    with rude_server(greeting) as port:
        given = table.club.settings["mail"]["outbox"]
        write_settings(table, {"inbox": rude(port, greeting), "outbox": dict(given)})
        lines = postal.run()
    assert "cannot be read" in lines[0].text
    assert table.exchange == 2


def test_a_full_disk_loses_nothing(postal: Postal) -> None:
    postal.run()
    postal.all_send()
    before = postal.table.ledger()
    connection = postal.table.club.store.db.conn
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    connection.execute(f"PRAGMA max_page_count = {pages + 1}")
    with pytest.raises(PbemError, match=r"cannot be written: database or disk is full"):
        postal.run()
    assert postal.table.ledger() == before
    connection.execute("PRAGMA max_page_count = 1000000")
    postal.run()
    assert postal.table.exchange == 2
    assert len(postal.table.club.store.letters()) == 6


def test_letters_that_cannot_be_written_to_disk_stay(tmp_path: Path) -> None:
    table = make_table(tmp_path)
    out = table.club.out
    out.rmdir()
    out.write_text("a file in the way")
    lines = [line for line in Pass(table.club).run() if line.trouble]
    assert "step sending mail is set apart" in lines[0].text
    assert "out" in lines[0].text
    assert len(table.club.store.unsent_letters()) == 2
    out.unlink()
    list(Pass(table.club).run())
    assert len(list((out / "alice").iterdir())) == 1


def test_path_tricks_in_names_stay_within_the_club(postal: Postal) -> None:
    from pbem.trust import keys
    from pbem.trust.fields import sign_fields
    from pbem.trust.player_statements import Join

    key = keys.generate("x")
    join = Join(game="dunbar", player="carol", key=key.public)
    evil = sign_fields(join, key).replace(b"game dunbar", b"game ../../etc")
    postal.deliver(evil, "mallory@example.org", Subject="../../../../etc/passwd")
    assert not (postal.table.club.path / "joins").exists()


def test_a_thousand_tiny_mails(postal: Postal) -> None:
    folder = postal.post.box("judge") / "new"
    for number in range(1_000):
        (folder / f"{number:05d}.tiny").write_bytes(b"From: mallory@example.org\n\nx%d\n" % number)
    lines = postal.run()
    assert sum("nothing taken" in line.text for line in lines) == 1_000
    assert postal.mails("mallory") == []


def test_replayed_and_forged_orders_change_nothing(postal: Postal) -> None:
    postal.run()
    old = {name: postal.table.sealed(name) for name in ("alice", "bob")}
    for name, sealed in old.items():
        postal.send(sealed, f"{name}@example.org")
    postal.run()
    before = postal.table.ledger()
    for sealed in old.values():
        postal.send(sealed, "mallory@example.org", Subject="again")
    postal.run()
    assert postal.table.ledger() == before
    assert postal.table.club.book(GAME).history.exchanges[1].received == []
