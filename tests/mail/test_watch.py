"""Somebody is told, once: alerts, a heartbeat, a week in summary, a log without addresses."""

from __future__ import annotations

import errno
import json
import os
import shlex
import shutil
import subprocess
import sys
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pbem.cli import main
from pbem.errors import ConfigError
from pbem.judge.club import open_club
from pbem.judge.tables.database import PlayerRow
from pbem.judge.upkeep.schedule_files import UNITS
from pbem.service.watch import run_command, sound_alarm
from pbem.trust import keys
from pbem.trust.fields import sign_fields
from pbem.trust.player_statements import Join
from tests.mail.postal import Postal
from tests.mail.test_passes import body

pytestmark = pytest.mark.ci


GM = "gm@club.example"


@pytest.fixture
def watched(postal: Postal, tmp_path: Path) -> Postal:
    """The game master is told by mail and by a command that writes down what it is given."""
    command = f"sh -c 'cat >> {tmp_path}/told; echo >> {tmp_path}/told'"
    postal.settle(watch={"address": GM, "command": command, "heartbeat": f"touch {tmp_path}/alive"})
    postal.run()
    return postal


def told(postal: Postal) -> list[str]:
    path = postal.table.club.path.parent / "told"
    return path.read_text().splitlines() if path.exists() else []


def test_a_letter_that_is_given_up_is_told_once_by_mail_and_command(watched: Postal) -> None:
    store = watched.table.club.store  # as a club that is older than the check of addresses has it
    with store.step():
        store.put_player(
            PlayerRow("alice", watched.table.people["alice"].key.public.line, "bad@@example.org")
        )
    watched.send(watched.table.sealed("alice"))
    for _ in range(60):
        watched.run()
        watched.table.clock.pass_days(1 / 24)
    (alert,) = watched.mails("gm")
    text = " ".join(body(alert).split())
    assert alert["Subject"] == "pbem: the judge needs your help"
    assert "demo-receipt-0001.txt to alice" in text
    assert "enter it with 'pbem club player add'" in text
    assert len([line for line in told(watched) if line]) == 1


def test_a_server_that_is_away_for_an_hour_is_no_alert(watched: Postal) -> None:
    box = watched.post.box("judge")
    for hours in (1, 3):
        box.rename(f"{box}.away")
        for _ in range(hours * 4):
            watched.after(1 / 96)
        Path(f"{box}.away").rename(box)
        watched.after(1 / 96)
        assert len([line for line in told(watched) if line]) == (hours > 2)
    assert "is not a maildir" in told(watched)[0]


def test_what_comes_and_goes_is_told_once_a_day(watched: Postal) -> None:
    box = watched.post.box("judge")
    for _ in range(3):
        box.rename(f"{box}.away")
        for _ in range(3):
            watched.after(1 / 24)
        Path(f"{box}.away").rename(box)
        watched.after(1 / 24)
    assert len([line for line in told(watched) if line]) == 1
    watched.after(1.5)
    box.rename(f"{box}.away")
    for _ in range(4):
        watched.after(1 / 24)
    assert len([line for line in told(watched) if line]) == 2, "on another day it is another matter"


def test_what_stops_a_whole_pass_is_told_by_the_command_once(watched: Postal) -> None:
    """The disk with the database is not mounted: no mail can tell it."""
    path = watched.table.club.path
    watched.table.club.store.close()
    (path / "club.db").rename(path / "away")
    for _ in range(3):
        assert main(["run", "--club", str(path)]) == 1
    (line,) = [line for line in told(watched) if line]
    assert "Is its disk mounted?" in line
    (path / "away").rename(path / "club.db")
    watched.table.club = open_club(path, watched.table.clock)


def test_what_stops_passes_and_comes_and_goes_is_told_once_a_day(watched: Postal) -> None:
    """Whether it lasts, for days too, is over for an hour, or gives way to another reason."""
    folder, clock = watched.table.club.path, watched.table.clock

    def pass_with(*reasons: str) -> None:
        for reason in reasons:
            clock.pass_days(1 / 24)
            with suppress(ConfigError), sound_alarm(folder, clock):
                if reason:
                    raise ConfigError(reason)

    def how_often(reason: str) -> int:
        return sum(line.endswith(f": {reason}") for line in told(watched))

    pass_with("no disk", "", "no disk", "no key", "no disk", "no key", "")
    assert (how_often("no disk"), how_often("no key")) == (1, 1)
    clock.pass_days(1)
    pass_with("", "no disk", "")
    assert how_often("no disk") == 2, "on another day it is another matter"
    for _ in range(3):
        clock.pass_days(1)
        pass_with("no key")
    assert how_often("no key") == 2, "it lasts, and was told"
    clock.pass_days(-400)
    pass_with("", "no disk")
    assert how_often("no disk") == 3, "no clock that was wrong keeps one from being told"


@pytest.mark.parametrize("text", ["no JSON", "[]", '{"no disk": "yesterday"}'])
def test_what_the_alarm_has_kept_may_be_damaged(watched: Postal, text: str) -> None:
    folder, clock = watched.table.club.path, watched.table.clock
    (folder / "alarm").write_text(text)
    with sound_alarm(folder, clock):
        pass
    for _ in range(2):
        with suppress(ConfigError), sound_alarm(folder, clock):
            raise ConfigError("no disk")
    assert len([line for line in told(watched) if line]) == 1


def test_what_the_alarm_keeps_is_for_its_owner_alone(watched: Postal) -> None:
    folder, clock = watched.table.club.path, watched.table.clock
    before = os.umask(0)
    try:
        with suppress(ConfigError), sound_alarm(folder, clock):
            raise ConfigError("no disk")
    finally:
        os.umask(before)
    assert (folder / "alarm").stat().st_mode & 0o077 == 0


def test_an_alarm_that_a_full_disk_does_not_take_leaves_nothing_behind(
    watched: Postal, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    folder, clock = watched.table.club.path, watched.table.clock
    monkeypatch.setenv("HOME", str(tmp_path))
    write = Path.write_text

    def full(path: Path, text: str, **more: str) -> int:
        if path.parent != folder:
            return write(path, text, **more)
        write(path, text[:5], **more)
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    for _ in range(2):
        with suppress(ConfigError), sound_alarm(folder, clock):
            raise ConfigError("no disk")
    assert not list(folder.glob("alarm*"))
    assert len([line for line in told(watched) if line]) == 1, "the home has kept it"


def test_each_pass_shows_that_the_judge_is_alive(watched: Postal) -> None:
    path = watched.table.club.path
    assert (path / "heartbeat").read_text() == "2026-01-01T12:00:00Z ok\n"
    assert (path.parent / "alive").exists()
    watched.after(40)
    assert (path / "heartbeat").read_text() == "2026-02-10T12:00:00Z trouble\n"


def test_a_command_that_fails_is_trouble_and_stops_nothing(watched: Postal) -> None:
    settings = watched.table.club.path / "club.toml"
    settings.write_text(settings.read_text().replace("touch ", "false "))
    watched.table.reopen()
    (line,) = [line for line in watched.run() if line.trouble]
    assert line.text == "the command false of [watch] ended with 1"


def test_the_week_is_summed_up_once(watched: Postal) -> None:
    found = []
    for _ in range(16):
        watched.after(1, after_gap=True)
        found += [mail for mail in watched.mails("gm") if mail["Subject"] == "pbem: the week"]
    assert len(found) == 2, "two Mondays"
    assert "games             1, of which 0 are over" in body(found[0])
    assert "last backup       never" in body(found[0])
    assert found[0]["Auto-Submitted"] == "auto-generated"


def test_the_log_names_no_address(watched: Postal, capsys: pytest.CaptureFixture[str]) -> None:
    key = keys.generate("carol")
    join = sign_fields(Join(game="dunbar", player="carol", key=key.public), key)
    watched.send(join, "Carol <carol@example.org>")
    watched.send("help\n", "bob@example.org")
    watched.post.refusal = "550 carol@example.org and <bob@example.org> are unknown"
    watched.table.club.store.close()
    main(["run", "--log", "--after-gap", "--club", str(watched.table.club.path)])
    printed = capsys.readouterr()
    assert printed.err == ""
    lines = [json.loads(line) for line in printed.out.splitlines()]
    assert {"time", "level", "step", "text", "game"} == set(lines[0])
    assert all(datetime.fromisoformat(line["time"]).tzinfo == UTC for line in lines)
    assert any("wish of carol (address) to join dunbar" in line["text"] for line in lines)
    assert any("550 (address) and (address) are unknown" in line["text"] for line in lines)
    assert "@" not in printed.out
    watched.table.club = open_club(watched.table.club.path, watched.table.clock)


def test_init_writes_a_unit_and_a_line_for_cron(tmp_path: Path) -> None:
    club = tmp_path / 'a 100% "club"'
    for _ in range(2):
        assert main(["init", str(club), "--systemd"]) == 0
    line, backup = (club / "pbem.cron").read_text().splitlines()
    assert line.startswith("*/5 * * * *  ")
    assert r"100\% " in line
    words = shlex.split(backup.replace(r"\%", "%"))[5:]
    assert words[1:3] == ["backup", "--into"]
    (club / "club.toml").chmod(0o600)
    assert main(words[1 : words.index(">/dev/null")]) == 0, "the line makes a backup"
    assert len(list(Path(words[3]).glob("*.tar.gz"))) == 1
    assert "RequiresMountsFor=" in (club / "pbem.service").read_text()


def test_init_says_of_each_unit_how_it_is_begun(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A backup is begun by its timer, and the box only where the club has one."""
    club = tmp_path / "club"
    main(["init", str(club), "--systemd"])
    judge, backup, box, machine, cron, templates = capsys.readouterr().out.splitlines()[-6:]
    own, of_machine = "systemctl --user enable --now", "systemctl enable --now"
    assert judge.endswith(f": {own} {club / 'pbem.service'}; loginctl enable-linger")
    linked = f"systemctl --user link {club / 'pbem-backup.service'}"
    assert backup.endswith(f", a backup each night: {linked}; {own} {club / 'pbem-backup.timer'}")
    assert box.endswith(f", for a club with a post box: {own} {club / 'pbem-box.service'}")
    units = club / "system-units"
    begins = " ".join(str(units / f"pbem{end}") for end in (".service", "-backup.timer"))
    linked = f"systemctl link {units / 'pbem-backup.service'}; {of_machine} {begins}"
    assert machine.endswith(f"; as root: {linked}; with a post box {of_machine} {units / 'pbem-box.service'}")
    assert cron.startswith(f"wrote {club / 'pbem.cron'}: ")
    assert all(str(club / f"pbem{end}") in templates for end in TEMPLATES)


def test_the_box_s_unit_of_the_machine_sees_nothing_of_the_club_but_the_box(tmp_path: Path) -> None:
    main(["init", str(tmp_path / "club"), "--systemd"])
    lines = (tmp_path / "club/system-units/pbem-box.service").read_text().splitlines()
    assert f'TemporaryFileSystem="{tmp_path}/club:ro"' in lines
    assert f'BindPaths="{tmp_path}/club/box"' in lines
    assert "ProtectSystem=strict" in lines
    assert not any("ExecStartPre" in line for line in lines), (
        "it could not make the folder, which the judge makes"
    )


def test_only_the_machine_s_units_wait_for_its_targets(tmp_path: Path) -> None:
    """The manager of one person has no such target, so there it would say nothing."""
    main(["init", str(tmp_path / "club"), "--systemd"])
    own = (tmp_path / "club/pbem.service").read_text()
    machine = (tmp_path / "club/system-units/pbem.service").read_text()
    assert "network-online" not in own
    assert "User=" not in own
    assert "After=network-online.target time-sync.target\n" in machine
    assert f"User={(tmp_path / 'club').owner()}\n" in machine
    assert "WantedBy=multi-user.target\n" in machine
    assert "WantedBy=default.target\n" in own


def test_alerts_that_are_added_to_a_file_stand_in_lines(tmp_path: Path) -> None:
    told = tmp_path / "told"
    for number in (1, 2):
        assert list(run_command(f"sh -c 'cat >> {told}'", f"alert {number}")) == []
    assert told.read_text() == "alert 1\nalert 2\n"
    assert list(run_command(f"sh -c 'cat >> {told}'", "")) == []
    assert told.read_text() == "alert 1\nalert 2\n", "a heartbeat says nothing"


def test_the_journal_of_systemd_is_told_the_level(
    watched: Postal, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    watched.send("help\n", "bob@example.org")
    watched.table.club.store.close()
    found = os.fstat(1)
    monkeypatch.setenv("JOURNAL_STREAM", f"{found.st_dev}:{found.st_ino}")
    monkeypatch.setattr("sys.stdout", os.fdopen(os.dup(1), "w"))
    main(["run", "--log", "--after-gap", "--club", str(watched.table.club.path)])
    sys.stdout.flush()
    lines = capfd.readouterr().out.splitlines()
    assert lines
    assert all(line.startswith(('<6>{"time": "2', '<4>{"time": "2')) for line in lines)
    watched.table.club = open_club(watched.table.club.path, watched.table.clock)


TEMPLATES = tuple(end.replace(".", "@.") for end in UNITS)


def test_a_template_is_the_unit_of_every_club_beside_this_one(tmp_path: Path) -> None:
    """With the name of a folder in its place it is what that folder's own unit says."""
    main(["init", str(tmp_path / "one"), "--systemd"])
    main(["init", str(tmp_path / "two"), "--systemd"])
    for unit, template in zip(UNITS, TEMPLATES, strict=True):
        texts = {(tmp_path / club / f"pbem{template}").read_text() for club in ("one", "two")}
        assert len(texts) == 1, "one for all"
        for club in ("one", "two"):
            own = (tmp_path / club / f"pbem{unit}").read_text()
            (text,) = texts
            assert text.replace("Unit=pbem-backup@%i", "Unit=pbem-backup").replace("%i", club) == own


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="no systemd on this machine")
def test_systemd_finds_nothing_wrong_with_the_unit(tmp_path: Path) -> None:
    club = tmp_path / "a 100% club"
    main(["init", str(club), "--systemd"])
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", *(str(club / f"pbem{end}") for end in UNITS + TEMPLATES)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert "pbem" not in done.stderr.replace(str(tmp_path), ""), done.stderr
    units = (str(club / f"system-units/pbem{end}") for end in UNITS + TEMPLATES)
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", *units], capture_output=True, text=True, check=False
    )
    assert "pbem" not in done.stderr.replace(str(tmp_path), ""), done.stderr
    broken = tmp_path / "broken@.service"
    broken.write_text((club / "pbem@.service").read_text().replace("Restart=always", "Restart=perhaps"))
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", str(broken)], capture_output=True, text=True, check=False
    )
    assert "perhaps" in done.stderr, "it does look"
