"""What is wrong with a club is said so that a volunteer who is no programmer knows what to do next."""

from __future__ import annotations

import errno
import os
import re
import resource
import shlex
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from pbem.cli import main
from pbem.errors import ConfigError, MailError
from pbem.judge.club import create_club, open_club
from pbem.judge.tables import database
from pbem.judge.upkeep import backups
from pbem.mail.settings import Server, with_advice
from pbem.trust import keys
from pbem.trust.fields import sign_fields
from pbem.trust.player_statements import Join


@pytest.fixture
def club(tmp_path: Path) -> Path:
    """A club's folder."""
    create_club(tmp_path / "club", "test").store.close()
    return tmp_path / "club"


def rewritten(name: str, text: str) -> Callable[[Path], object]:
    return lambda club: (club / name).write_text(text)


def without(name: str) -> Callable[[Path], object]:
    return lambda club: (club / name).unlink()


@pytest.mark.parametrize(
    ("harm", "told"),
    [
        (
            rewritten("club.toml", 'name = "x"\ndays 7\n'),
            "at line 2, column 6); fix it, then: pbem club doctor",
        ),
        (without("keys/gm"), "keys/gm is missing, and without it no game can be finished: copy it back"),
        (without("keys/master"), "keys/master is missing, and without it no game can be finished"),
        (
            rewritten("keys/master", "on paper\n"),
            "keys/master is not what pbem club init wrote: write there what",
        ),
    ],
)
def test_a_pass_says_what_to_do(
    club: Path, capsys: pytest.CaptureFixture[str], harm: Callable[[Path], object], told: str
) -> None:
    harm(club)
    assert main(["run", "--club", str(club)]) == 1
    said = capsys.readouterr().err
    assert told in " ".join(said.split())
    assert "fault in the program" not in said


@pytest.mark.parametrize(
    ("program", "told"),
    [
        ("import sys; sys.exit('token expired')", "ended with 1 and said: token expired; run it by hand"),
        ("", "printed no password"),
    ],
)
def test_a_password_command_that_fails_is_told_with_what_it_said(program: str, told: str) -> None:
    server = Server(host="h", port=1, password_command=shlex.join([sys.executable, "-c", program]))
    with pytest.raises(MailError) as wrong:
        server.secret()
    assert told in str(wrong.value)


def test_what_a_server_says_comes_with_what_to_look_at() -> None:
    said = "[ssl: wrong_version_number] wrong version number (_ssl.c:1006)"
    assert with_advice(said) == f"{said} (it does not use TLS there: look at port and tls in club.toml)"
    assert with_advice("[AUTHENTICATIONFAILED] no") == (
        "[AUTHENTICATIONFAILED] no (look at user and password_command in club.toml)"
    )
    assert with_advice("552 too large") == "552 too large"


def test_a_wish_to_join_is_shown_until_its_game_is_open(
    club: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["status", "--club", str(club)]) == 0
    assert capsys.readouterr().out == ""
    key = keys.generate("alice")
    join = club.parent / "alice.join"
    join.write_bytes(sign_fields(Join(game="spring", player="alice", key=key.public), key))
    assert main(["submit", str(join), "--club", str(club)]) == 0
    capsys.readouterr()
    assert main(["status", "--club", str(club)]) == 0
    shown = capsys.readouterr().out
    assert "spring: alice wishes to join, with the key " in shown
    command = "pbem game new spring --players alice,..."
    assert shown.rstrip().endswith(f"the key {key.public.fingerprint}; if that is their key: {command}")


def test_a_database_that_cannot_grow_is_told_with_the_room_on_its_disk(
    club: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "LEAST_ROOM", sys.maxsize)
    full = open_club(club)
    (pages,) = full.store.db.conn.execute("PRAGMA page_count").fetchone()
    full.store.db.conn.execute(f"PRAGMA max_page_count = {pages}")
    told = rf"database or disk is full; \d+ MB are free beside {re.escape(str(club / 'club.db'))}: make room"
    with pytest.raises(ConfigError, match=told), full.store.step():
        full.store.add_incoming("", bytes(100_000), "")
    full.store.close()


def test_an_address_that_comes_late_brings_nothing_by_itself_and_that_is_said(
    club: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    key = club.parent / "alice.pub"
    key.write_text(keys.generate("alice").public.file_line)
    words = ["player", "add", "alice", str(key), "--club", str(club)]
    assert main(words) == 0
    (club / "out" / "alice").mkdir()
    capsys.readouterr()
    assert main([*words, "--address", "alice@example.org"]) == 0
    assert (
        "to send it: pbem game resend GAME alice; or alice mails the judge: resend GAME"
        in capsys.readouterr().err
    )
    assert main(["player", "add", "alice", "--address", "alice@example.net", "--club", str(club)]) == 0
    assert capsys.readouterr().err == "", "who is enrolled needs no key file for another address"
    assert open_club(club).store.player("alice").address == "alice@example.net"  # type: ignore[union-attr]


def test_a_backup_that_finds_no_room_is_not_called_a_broken_one(
    club: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The largest file that may be written is smaller than the database, as on a full disk."""
    made = open_club(club)
    backups.backup(made, club.parent / "backup.tar.gz")
    made.store.close()
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, before[1]))
    try:
        status = main(["restore", str(club.parent / "backup.tar.gz"), str(club.parent / "new")])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert status == 1
    said = capsys.readouterr().err
    assert f"cannot be unpacked into {club.parent / 'new.part'}: {os.strerror(errno.EFBIG)}" in said
    assert not (club.parent / "new.part").exists()
