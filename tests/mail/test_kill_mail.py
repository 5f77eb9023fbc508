"""A busy pass over mail is killed: at the end of each step, at database statements, at random instants.

Afterwards a normal run must reach the same entries and letters as an undisturbed one, nothing lost and
nothing done twice. Only a mail may reach a player twice, and then under the same Message-ID.
"""

from __future__ import annotations

import email
import os
import shutil
import signal
from pathlib import Path

import pytest

from pbem.judge.club import Club, open_club
from pbem.service.one_pass import Pass
from tests.judge.invariants import broken
from tests.judge.killing import die_at, is_killed
from tests.judge.table import GAME, Clock, copy_of_disk
from tests.mail.postal import Postal
from tests.mail.servers import Post

pytestmark = pytest.mark.ci


Outcome = tuple[list[bytes], list[tuple[str, str]], list[tuple[str, str]]]


def busy(postal: Postal) -> None:
    """An exchange that becomes complete, a refusal, commands, strangers: all in one pass."""
    postal.run()
    table = postal.table
    postal.send(table.sealed("alice"))
    postal.send(table.sealed("bob", rev=2), "bob@example.org")
    postal.send(table.sealed("bob", "card 1\n", rev=2), "mallory@example.org")
    for number in range(3):
        postal.send(f"status\nhelp {number}\n", "bob@example.org")
    postal.send("hello\n", "mallory@example.org")
    table.club.store.close()


def copied(postal: Postal, folder: Path) -> Path:
    """The club and the judge's mailbox as they were; each trial has its own."""
    shutil.rmtree(folder, ignore_errors=True)
    copy_of_disk(postal.table.club.path, folder / "club")
    shutil.copytree(postal.post.box("judge"), folder / "judge")
    shutil.rmtree(postal.post.folder / "trial", ignore_errors=True)
    for name in ("alice", "bob", "mallory"):
        shutil.rmtree(postal.post.folder / name, ignore_errors=True)
    text = (folder / "club/club.toml").read_text()
    (folder / "club/club.toml").write_text(text.replace(str(postal.post.box("judge")), str(folder / "judge")))
    return folder / "club"


def finished(folder: Path, clock: Clock, post: Post) -> Outcome:
    """A normal pass, and then what must not depend on where another was killed."""
    club = open_club(folder, clock)
    list(Pass(club).run())
    before = clock.now
    clock.pass_days(1 / 24)  # a letter that was about to leave is tried again after ten minutes
    list(Pass(club).run())
    clock.now = before
    entries = [row.text for row in club.store.entries(GAME)]
    letters = sorted((letter.player or letter.address, letter.name) for letter in club.store.letters())
    results = list(club.store.db.query("SELECT source, result FROM incoming ORDER BY source"))
    assert not club.store.unsent_letters()
    assert all(row["result"] for row in results)
    club.store.close()
    assert list(broken(folder)) == []
    for name in ("alice", "bob", "mallory"):
        _check_copies(post, name)
    return entries, letters, sorted((row["source"], row["result"].split(":")[0]) for row in results)


def _check_copies(post: Post, name: str) -> None:
    """Nothing came more than twice, for a pass was killed once; and the second time the same letter came."""
    found: dict[str, list[str]] = {}
    for path in (post.box(name) / "new").iterdir():
        message = email.message_from_bytes(path.read_bytes())
        texts = [part.get_payload() for part in message.walk() if part.get_content_type() == "text/plain"]
        found.setdefault(message["Message-ID"], []).append("".join(map(str, texts)))
    assert all(len(texts) <= 2 and len(set(texts)) == 1 for texts in found.values()), found.keys()


def killed(
    folder: Path, clock: Clock, at_line: int = 0, at_statement: int = 0, after: float = 0, since: str = ""
) -> bool:
    """A pass in a child that is killed; whether it was before its end.

    `since`: statements are counted from the first one that begins so.
    """
    return is_killed(lambda: _run_and_die(open_club(folder, clock), at_line, at_statement, after, since))


def _run_and_die(club: Club, at_line: int, at_statement: int, after: float, since: str) -> None:
    if at_statement:
        die_at(club, at_statement, since)
    if after:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, after)
    for number, _ in enumerate(Pass(club).run(), 1):
        if number == at_line:
            os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.parametrize("first", range(7))
def test_killed_at_database_statements(postal: Postal, tmp_path: Path, first: int) -> None:
    """All these tests together try every 13th statement."""
    busy(postal)
    trial = tmp_path / "trial"
    expected = finished(copied(postal, trial), postal.table.clock, postal.post)
    for statement in range(1 + 13 * first, 2_000, 91):
        folder = copied(postal, trial)
        if not killed(folder, postal.table.clock, at_statement=statement):
            break
        assert finished(folder, postal.table.clock, postal.post) == expected, f"killed at {statement}"


def test_killed_while_a_forecast_is_awaited(postal: Postal, tmp_path: Path) -> None:
    """It follows its receipt once, wherever the pass has died that should have made it."""
    postal.table.go()
    postal.run()
    postal.send(postal.table.sealed("alice", "move Wallace from Fife to Angus\n"))
    postal.table.club.store.close()
    trial = tmp_path / "trial"
    expected = finished(copied(postal, trial), postal.table.clock, postal.post)
    assert ("alice", f"{GAME}-0002-forecast-1.txt") in expected[1]
    for statement in range(1, 13):
        folder = copied(postal, trial)
        assert killed(folder, postal.table.clock, at_statement=statement, since="DELETE FROM note")
        assert finished(folder, postal.table.clock, postal.post) == expected, f"killed at {statement}"
