"""The club.toml that `init` writes: what one needs stands there, commented out, and is true."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from pbem.cli import main
from pbem.judge.club import create_club
from pbem.judge.deadlines.rhythm import rhythm_of
from pbem.judge.leagues.publish import publish_folder
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
