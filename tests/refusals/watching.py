"""What the doctor finds wrong, what `[watch]` refuses, and when a pass or `forget` does nothing."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from unittest.mock import patch

from pbem.judge.club import Club
from pbem.judge.tables.note_tables import BACKUP, LAST_PASS, RESTING, RESTORED, SPOKEN
from pbem.judge.upkeep.journal import Journal, keep_records
from pbem.mail.mail_problems import STRANGE, TROUBLE, UNANSWERED
from pbem.service.doctor import examine
from pbem.service.forgetting import forget
from pbem.service.one_pass import Pass
from pbem.service.watch import disk_trouble, read_watch, write_metrics
from tests.judge.table import GAME, Table
from tests.refusals import boxes
from tests.refusals.clauses import Row
from tests.refusals.club import at_table
from tests.refusals.rooms import in_club

FULL = Path("/proc")
"""A folder in which nothing can be written."""


def found(what: str, change: Callable[[Club], object]) -> Callable[[], object]:
    """What the doctor finds wrong in one thing, or advises, in a club that was changed."""

    def do(club: Club) -> str:
        change(club)
        return next(one.text for one in examine(club) if one.what == what and one.state != "right")

    return in_club(do)


def noted(what: str, name: str, value: str) -> Callable[[], object]:
    """A note says that something is wrong."""

    def note(club: Club) -> None:
        with club.store.step():
            club.store.put_note(name, value)

    return found(what, note)


def others_read(name: str) -> Callable[[Club], None]:
    return lambda club: (club.path / name).chmod(0o644)


def password(club: Club) -> None:
    server = {"host": "x", "password": "secret"}
    club.settings = {"mail": {"address": "judge@example.org", "inbox": server}}


def odd_rhythm(club: Club) -> None:
    """The table of one game has a mistake."""
    club.settings = {"rhythm": {GAME: {"dais": 7}}}


def silent_box(club: Club) -> None:
    """A box that never ran."""
    club.settings = {"box": {"url": boxes.URL}}


def without_library(club: Club) -> None:
    with patch.dict("sys.modules", {"prometheus_client": None}):
        write_metrics(club, FULL, seconds=0, trouble=False)


def changed_entry(club: Club) -> None:
    with club.store.step():
        club.store.connection.execute("UPDATE entry SET salt = 'x' WHERE number = 2")


def on_full_disk(club: Club) -> None:
    club.path = FULL


def journal_into(club: Club, path: Path) -> None:
    club.settings = {"journal": {"folder": str(path)}}


def never_left(club: Club) -> None:
    """A record was made, and nobody has taken it."""
    journal_into(club, club.path)
    keep_records(club, Journal(mail=True))


def watch(**more: object) -> Callable[[], object]:
    return lambda: read_watch({"watch": more})


def dated(year: int) -> Callable[[], object]:
    def do(table: Table) -> str:
        table.clock.now = datetime(year, 1, 1, tzinfo=UTC)
        return next(one.text for one in examine(table.club) if one.what == "clock" and one.wrong)

    return at_table(do)


def two_passes(club: Club) -> object:
    first = Pass(club, after_gap=True).run()
    next(first)
    try:
        return list(Pass(club, after_gap=True).run())
    finally:
        del first  # frees the lock, while the refusal would hold it


DAY = "2026-01-01"
COUNTED = f'{{"day": "{DAY}", "needed": 0, "player": 1, "players": {{}}, "strangers": 9, "some": ["x"]}}'
CAME = f'{{"at": "{DAY}T00:00:00Z", "count": 1, "whom": "", "sender": "x", "subject": "x", "mail": 1}}'
APART = f"{DAY}T00:00:00Z 1 {DAY}T00:10:00Z it broke"
DOCTOR = (
    Row("others can read ", found("keys", others_read("keys/gm"))),
    Row("others can read ", found("keys", others_read("keys/master"))),
    Row("others can read club.toml: chmod -R go=", found("files", others_read("club.toml"))),
    Row("others can read club.db: chmod -R go=", found("files", others_read("club.db"))),
    Row("club.toml holds a password; better let a program print it", found("settings", password)),
    Row(f"{GAME} waits: ", found("settings", odd_rhythm)),
    Row("the post box", found("post box", silent_box)),
    Row("entry 2 of demo was changed", found("ledgers", changed_entry)),
    Row("the clock says 2025-01-01 00:00, which is before the last pass", dated(2025)),
    Row("which is before the last pass: set it right", noted("clock", LAST_PASS, "2027-01-01T00:00:00Z")),
    Row("the last pass was 60 days ago by the clock", noted("clock", LAST_PASS, "2025-11-02T12:00:00Z")),
    Row(f"0 MB are free beside {FULL}; make room", found("disk", on_full_disk)),
    Row(f"0 MB are free beside {FULL}; make room", lambda: disk_trouble(FULL)),
    Row("file 7 is set apart since 2026-01-01T00:00:00Z", noted("set apart", "apart file 7", APART)),
    Row("it does not answer", noted("letters", f"{TROUBLE} in", "it does not answer")),
    Row("that some were not answered: 9 of strangers (x)", noted("answers", UNANSWERED, COUNTED)),
    Row("1 reports of mail servers do not fit any letter", noted("returned", STRANGE, CAME)),
    Row(
        f"restored from a backup: enter the highest heads of {GAME}",
        noted("restore", RESTORED, f"{DAY}T00:00:00Z"),
    ),
    Row("was restored at", noted("folder", RESTING, f"{DAY}T00:00:00Z")),
    Row("another folder goes on", noted("folder", SPOKEN, "another folder goes on")),
    Row("none was made yet: pbem club backup --into FOLDER", found("backup", lambda _: None)),
    Row("60 days ago: pbem club backup --into FOLDER", noted("backup", BACKUP, "2025-11-02T12:00:00Z")),
    Row("/none is not there, or nothing", found("journal", lambda club: journal_into(club, Path("/none")))),
    Row("a record has not been accepted; before it is, nothing", found("journal", never_left)),
)
WATCH = (
    Row("[watch] must be a table of texts", lambda: read_watch({"watch": 1})),
    Row("[watch] must be a table of texts", watch(command=5)),
    Row("[watch]: no setting called beat; there are", watch(beat="x")),
    Row('[watch]: waiting must be "daily"', watch(waiting="hourly")),
    Row("[watch]: summary must be one of mon, tue", watch(summary="monday")),
)
PASSES = (
    Row("needs a library: pip install 'pbem[metrics]'", in_club(without_library)),
    Row("another pass runs in this club now; this one does nothing", in_club(two_passes)),
    Row("no player called nora is enrolled", in_club(lambda club: forget(club, "nora"))),
    Row("alice still plays demo; when the games are over", in_club(lambda club: forget(club, "alice"))),
)
ROWS = (*DOCTOR, *WATCH, *PASSES, *boxes.WATCHING)
FOLDERS = ("service",)
ELSEWHERE = {
    "service/doctor.py _database: (answer := club.store.integrity()) != 'ok'": "it takes a bad disk",
    "service/doctor.py _answers: (many := unanswered_senders(club, needed=True))": (
        "mail/test_who_is_answered.py"
    ),
    **boxes.WATCHING_ELSEWHERE,
}
