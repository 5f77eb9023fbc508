"""The organiser's commands over a real club folder: run, serve, status, doctor, backup, restore."""

from __future__ import annotations

import json
import os
import re
import resource
import signal
import subprocess
import sys
import tomllib
import tracemalloc
from functools import partial
from itertools import count
from pathlib import Path

import pytest

from pbem.cli import main
from pbem.judge.acts import act
from pbem.judge.club import open_club
from pbem.judge.deadlines.rhythm import rhythm_of
from pbem.judge.tables.database import PlayerRow
from pbem.judge.tables.note_tables import LAST_PASS, RESTORED
from pbem.judge.upkeep import backups
from pbem.mail.mail_problems import STRANGE, TROUBLE, UNANSWERED
from pbem.mail.settings import read_settings
from pbem.service.doctor import examine
from pbem.service.one_pass import Pass
from pbem.trust import keys
from pbem.trust.fields import sign_fields
from pbem.trust.player_statements import Join
from tests.judge.killing import HEEDING_CTRL_C, in_child, is_killed
from tests.judge.table import GAME, make_table
from tests.kept import as_kept, plain
from tests.mail.postal import Postal
from tests.mail.test_passes import names
from tests.refusals.watching import APART, CAME, COUNTED

NOTES = {
    RESTORED: "2026-01-01T00:00:00Z",
    "apart file 7": APART,
    f"{TROUBLE} in": "it does not answer",
    UNANSWERED: COUNTED,
    STRANGE: CAME,
}


def pbem(club: Path, *words: str) -> int:
    return main([*words, "--club", str(club)])


@pytest.fixture
def club(tmp_path: Path) -> Path:
    """A club's folder whose game is at exchange 2."""
    table = make_table(tmp_path)
    table.go()
    table.club.store.close()
    return table.club.path


def test_run_and_status(club: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert pbem(club, "status") == 0
    told = capsys.readouterr().out
    assert told.startswith("demo: ")
    assert told.splitlines()[-1].startswith("last pass ")
    pbem(club, "run", "--json")
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert {"step", "text", "game", "trouble"} == set(lines[0])
    pbem(club, "status", "--json")
    assert json.loads(capsys.readouterr().out)["games"][0]["game"] == GAME
    store = open_club(club).store
    with store.step():
        store.put_note("apart file 7", APART)
    assert [pbem(club, "status", *words) for words in ((), ("--json",))] == [1, 1]


def test_serve_stops_after_so_many_passes_and_ends_as_the_last(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One that has met trouble says so, though what it does after that goes well."""
    table = make_table(tmp_path)
    table.go()
    club, store = table.club.path, table.club.store
    table.send("alice")
    act(table.club, GAME, "hold", reason="asked")
    for words, status in (("run", 1), ("serve --every 0 --passes 2", 0)):
        with store.step():
            store.put_note(LAST_PASS, "2020-01-01T00:00:00Z")
        assert pbem(club, *words.split(), "--json") == status
        told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
        assert [line["step"] for line in told if line["trouble"]] == ["time"]
        assert (told[-1]["step"] == "time") == (words != "run"), "the forecast and its letter come last"
    store.close()
    (club / "club.toml").write_text("name =", encoding="utf-8")
    assert pbem(club, "serve", "--every", "0", "--passes", "1") == 1


@pytest.mark.parametrize("words", ["serve", "run --every 300", "serve --json", "serve --log"])
def test_serve_says_at_its_start_what_it_does(words: str, club: Path) -> None:
    """A log and what programs read have an object in each line, from the first on (that of a letter)."""
    command = [*HEEDING_CTRL_C, sys.executable, "-m", "pbem", *words.split(), "--club", str(club)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as serving:
        assert serving.stdout
        first = serving.stdout.readline()
        serving.send_signal(signal.SIGINT)
        _, trouble = serving.communicate()
    if "--" in words.replace("--every", ""):
        assert json.loads(first)["text"]
    else:
        assert first == f"the judge of {club} does a pass every 300 seconds (stop it with Ctrl-C)\n"
    assert trouble.splitlines()[-1] == "pbem: stopped"


def test_a_second_pass_at_once_does_nothing(club: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = Pass(open_club(club), after_gap=True).run()
    next(first)
    assert pbem(club, "run") == 0
    assert "another pass runs in this club now" in capsys.readouterr().err


@pytest.mark.ci
def test_what_the_doctor_says_is_as_it_was(postal: Postal, tmp_path: Path) -> None:
    """Of a club without mail, of one with all that it may have, and of one in which all is wrong."""
    told: list[str] = []

    def look(heading: str) -> None:
        told.append(f"-- {heading}")
        told.extend(
            f"{one.what}{' WRONG' * one.wrong}{' ADVICE' * one.advised}: {one.text}"
            for one in examine(table.club)
        )

    table, box = postal.table, postal.post.inbox()
    club, server = table.club.path, postal.box("outbox")
    postal.run()
    table.go()
    whole = table.club.settings
    table.club.settings = {}
    look("no mail")
    table.club.settings = whole
    watch = {"address": "gm@club.example", "command": "notify gm", "heartbeat": "curl"}
    (tmp_path / "journal").mkdir()
    postal.settle(inbox=box, outbox=server, watch=watch, journal={"folder": str(tmp_path / "journal")})
    table.club.add_player("carol", keys.generate("carol").public)
    look("all that there may be")
    postal.run()
    table.clock.pass_days(-1 / 24)
    postal.settle(
        inbox={"maildir": "/nowhere"},
        outbox={"host": "127.0.0.1", "port": 1, "tls": "none", "password": "x", "user": "judge"},
        watch={"heartbeat": "curl"},
        journal={"folder": "/nowhere"},
    )
    (club / "joins").mkdir()
    for name in ("keys/gm", "joins", "club.toml", "club.db-wal"):
        (club / name).chmod(0o640)
    with table.club.store.step():
        for name, value in NOTES.items():
            table.club.store.put_note(name, value)
    table.club.store.db.conn.execute("UPDATE entry SET salt = 'x' WHERE number = 2")
    table.club.store.db.conn.commit()
    look("all is wrong")
    table.club.store.db.conn.execute("PRAGMA query_only = ON")
    look("nothing can be written")
    text = re.sub(r"(?<=disk: ).*|(?<=127.0.0.1:)\d\d+", "(some)", plain("\n".join([*told, ""])))
    as_kept(Path(__file__).parent / "golden" / "doctor.txt", text.replace(str(tmp_path), "(tmp)"))


def test_what_is_no_backup_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.tar.gz").write_bytes(b"no archive")
    with pytest.raises(Exception, match="is not a backup"):
        backups.restore(tmp_path / "x.tar.gz", tmp_path / "other")
    assert not (tmp_path / "other").exists()


def test_the_settings_in_the_documentation_are_read(project: Path) -> None:
    text = (project / "pbem/docs/mail.md").read_text()
    settings = tomllib.loads(text.partition("```toml\n")[2].partition("```")[0])
    mail = read_settings(settings)
    assert mail is not None
    assert mail.smtp is not None
    assert rhythm_of(settings, "dunbar-7").days == 2


def test_backups_by_the_time_and_the_oldest_are_dropped(tmp_path: Path) -> None:
    table = make_table(tmp_path)
    for _ in range(3):
        table.clock.pass_days(1)
        backups.rotate(table.club, tmp_path / "backups", 2)
    (tmp_path / "backups" / "club-mine.tar.gz").touch()
    table.clock.pass_days(1)
    backups.rotate(table.club, tmp_path / "backups", 2)
    names = sorted(path.name for path in (tmp_path / "backups").iterdir())
    assert names == ["club-20260104T120000Z.tar.gz", "club-20260105T120000Z.tar.gz", "club-mine.tar.gz"]
    assert not (table.club.path / "backup.part").exists()


def test_a_backup_on_a_full_disk_is_no_fault_of_the_program(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Files may grow to 50 KB: the copy of the database does not fit."""
    table = make_table(tmp_path)
    table.club.store.close()

    def small_disk() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))
        os._exit(main(["backup", str(tmp_path / "b.tar.gz"), "--club", str(table.club.path)]))

    assert os.waitstatus_to_exitcode(in_child(small_disk)) == 1
    told = capfd.readouterr().err
    assert "no backup was made" in told
    assert "make room" in told
    assert [path.name for path in tmp_path.iterdir()] == ["club"]
    assert not (table.club.path / "backup.part").exists()


@pytest.mark.ci
def test_what_a_killed_backup_leaves_the_next_one_drops(tmp_path: Path) -> None:
    """At every file that is opened, renamed or dropped."""
    table = make_table(tmp_path)
    table.club.store.close()
    (tmp_path / "to").mkdir()

    def dying_backup(number: int) -> None:
        touched = count(1)

        def look(event: str, _: object) -> None:
            touches = event in ("open", "os.rename", "os.remove", "os.mkdir", "os.rmdir")
            if touches and next(touched) == number:
                os.kill(os.getpid(), signal.SIGKILL)

        club = open_club(table.club.path)
        sys.addaudithook(look)
        backups.backup(club, tmp_path / "to" / "one.tar.gz")

    for number in count(1):
        was_killed = is_killed(partial(dying_backup, number))
        (tmp_path / "to" / "one.tar.gz").unlink(missing_ok=True)
        backups.backup(open_club(table.club.path), tmp_path / "to" / "two.tar.gz")
        assert [path.name for path in (tmp_path / "to").iterdir()] == ["two.tar.gz"], number
        assert not (table.club.path / "backup.part").exists()
        (tmp_path / "to" / "two.tar.gz").unlink()
        if not was_killed:
            break
    assert number > 10


def test_a_huge_file_is_not_read_to_its_end(
    club: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    huge = tmp_path / "huge"
    with huge.open("wb") as file:
        file.truncate(3_000_000_000)
    tracemalloc.start()
    try:
        assert pbem(club, "submit", str(huge)) == 1
        assert tracemalloc.get_traced_memory()[1] < 50_000_000
    finally:
        tracemalloc.stop()
    assert "has more than 1,000,000 bytes" in capsys.readouterr().err


def test_a_player_is_enrolled_with_the_address_in_the_join_file(club: Path, tmp_path: Path) -> None:
    key = keys.generate("carol")
    join = Join(game="other", player="carol", key=key.public, share="carol@example.org")
    (tmp_path / "carol.join").write_bytes(sign_fields(join, key))
    for more, address in ((), "carol@example.org"), (("--address", "c@example.org"), "c@example.org"):
        assert pbem(club, "player", "add", "carol", str(tmp_path / "carol.join"), *more) == 0
        known = open_club(club).store.player("carol")
        assert known is not None
        assert known.address == address


def test_letters_are_sent_again_by_mail_where_the_club_mails(
    postal: Postal, capsys: pytest.CaptureFixture[str]
) -> None:
    postal.run()
    before = names(postal.mails("alice"))
    assert pbem(postal.table.club.path, "resend", GAME, "alice") == 0
    assert "will go to alice@example.org in the next pass" in capsys.readouterr().out
    assert not (postal.table.club.out / "alice").exists()
    postal.after(0.1)
    assert names(postal.mails("alice")) == before


def test_of_two_players_at_one_address_each_gets_their_letters_again(postal: Postal) -> None:
    """A family with one mailbox: those who play the game are served, whoever comes first."""
    store = postal.table.club.store
    alice, bob = store.player("alice"), store.player("bob")
    assert alice is not None
    assert bob is not None
    with store.step():
        for one in (PlayerRow("aaron", keys.generate("aaron").public.line, ""), bob):
            store.put_player(one._replace(address=alice.address))
    postal.run()
    assert names(postal.mails("alice"))
    postal.table.clock.pass_days(0.1)
    postal.send(f"resend {GAME} 0\n")
    postal.deliver(f"resend {GAME}\n")
    assert names(postal.mails("alice")).count(f"{GAME}-0000-report.txt") == 2
