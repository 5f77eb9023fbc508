"""The club.toml that `init` writes: what one needs stands there, commented out, and is true."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from pbem.cli import main
from pbem.judge.club import create_club
from pbem.judge.deadlines.rhythm import rhythm_of
from pbem.judge.leagues.display import publish_folder
from pbem.judge.upkeep.journal import read_journal
from pbem.mail.settings import read_settings
from pbem.service.watch import read_watch

INSTEAD = re.compile(r"^# (\w+ = .*# in place of .*)$", re.MULTILINE)


def test_a_new_club_lists_the_settings_that_one_needs(tmp_path: Path) -> None:
    """As it is written nothing of it counts; with the # taken off each line is understood."""
    club = create_club(tmp_path / "club", 'the "Bruce"', 3.5)
    assert dict(club.settings) == {"name": 'the "Bruce"', "days": 3.5}
    text = (tmp_path / "club/club.toml").read_text()
    servers = re.sub(r"^# (?=\w+ = |\[)", "", INSTEAD.sub("", text), flags=re.MULTILINE)
    settings = tomllib.loads(servers)
    mail = read_settings(settings, tmp_path)
    assert mail is not None
    assert (mail.address, mail.imap is not None, mail.smtp is not None) == ("judge@club.example", True, True)
    club.settings = settings
    assert read_watch(settings).address == "gm@example.org"
    assert rhythm_of(settings, "").hour == "20:00"
    assert read_journal(club) is not None
    assert publish_folder(settings, tmp_path) == Path("/srv/www/leagues")
    assert len(INSTEAD.findall(text)) == 2, "a Maildir and a command"


def test_a_club_as_it_is_written_is_in_order(tmp_path: Path) -> None:
    main(["init", str(tmp_path / "club")])
    assert (tmp_path / "club/club.toml").stat().st_mode & 0o077 == 0
    assert main(["run", "--club", str(tmp_path / "club")]) == 0


def test_a_recovery_key_that_cannot_be_written_leaves_nothing_behind(tmp_path: Path) -> None:
    club, spare = tmp_path / "club", tmp_path / "stick" / "gm-recovery"
    assert main(["init", str(club), "--recovery", str(spare)]) == 1
    assert not club.exists()
    spare.parent.mkdir()
    assert main(["init", str(club), "--recovery", str(spare)]) == 0


def test_a_club_begins_with_a_journal_if_it_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    club, stick = tmp_path / "club", tmp_path / 'a "stick"'
    assert main(["init", str(club), "--journal", str(stick)]) == 1
    assert "is not a folder: make it, on another disk" in capsys.readouterr().err
    assert not (club / "club.toml").exists()
    stick.mkdir()
    assert main(["init", str(club), "--journal", str(stick)]) == 0
    assert tomllib.loads((club / "club.toml").read_text())["journal"] == {"folder": str(stick)}
    assert main(["doctor", "--club", str(club)]) == 0
    assert f"right  journal: {stick}" in capsys.readouterr().out
    (tmp_path / "other/inner").mkdir(parents=True)
    assert main(["init", str(tmp_path / "other"), "--journal", str(tmp_path / "other/inner")]) == 1
    assert "would be lost with it" in capsys.readouterr().err


def test_without_a_journal_the_doctor_advises_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["init", str(tmp_path / "club")])
    assert main(["doctor", "--club", str(tmp_path / "club")]) == 0
    assert "advice journal: none: if the disk is lost" in capsys.readouterr().out


@pytest.mark.ci
@pytest.mark.parametrize("wanted", [True, False])
def test_at_a_terminal_it_asks_for_the_journal(tmp_path: Path, wanted: bool) -> None:
    """What is no folder is asked for again; an empty line means none."""
    (tmp_path / "stick").mkdir()
    answers = ["nowhere", str(tmp_path / "stick")] if wanted else [""]
    ours, theirs = pty.openpty()
    asked = subprocess.Popen(
        [sys.executable, "-m", "pbem", "init", "club"],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        cwd=tmp_path,
    )
    os.close(theirs)
    os.write(ours, "".join(f"{answer}\n" for answer in answers).encode())
    assert asked.wait(60) == 0
    shown = os.read(ours, 65_536).decode()
    os.close(ours)
    assert "Folder for it on another disk (Enter: none)" in shown
    settings = tomllib.loads((tmp_path / "club/club.toml").read_text())
    assert settings.get("journal", {}) == ({"folder": str(tmp_path / "stick")} if wanted else {})
