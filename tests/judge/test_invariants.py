"""The checker of a club's folder sees each thing that it looks for, and nothing in a folder that is well."""

from __future__ import annotations

import socket
import sqlite3
from contextlib import closing, nullcontext
from pathlib import Path

import pytest

from tests.judge.invariants import SECRET, Watched, broken, outlived, taken
from tests.judge.table import copy_of_disk, make_table

DAMAGES = {
    "has entry 3 after 1": "DELETE FROM entry WHERE number = 2",
    "is not that of its text": "UPDATE entry SET text = x'20' WHERE number = 2",
    "does not follow": "UPDATE entry SET head = substr(head, 2) || '0' WHERE number = 2",
    "is not its head": "UPDATE checkpoint SET head = substr(head, 2) || 'x'",
    "holds for a head that it never had": "INSERT INTO derived VALUES ('demo', 'x', 'abc', '')",
    "belongs to nothing": "DELETE FROM game",
    "has other bytes": "UPDATE sealed SET data = x'20'",
    "is not kept": "DELETE FROM sealed",
    "has no receipt": "DELETE FROM letter WHERE name LIKE '%receipt%'",
    "left at no time": "UPDATE letter SET sent = 'yes' WHERE id = 1",
    "is tried again at no time": "UPDATE letter SET retry = 'soon' WHERE id = 1",
    "was given up without a reason": "UPDATE letter SET failed = '2026-01-01T00:00:00Z' WHERE id = 1",
    "was tried less than never": "UPDATE letter SET tries = -1 WHERE id = 1",
    "waits and says nothing": "UPDATE letter SET data = x'', text = '', sent = '' WHERE id = 1",
    "is not later in the calendar than the one before": "UPDATE letter SET calendar = 7",
    "report.txt is not later in the calendar": "UPDATE letter SET calendar = 0",
    "is number 1 of alice": "UPDATE letter SET name = 'demo-receipt-0009.txt' WHERE name LIKE '%receipt%'",
    "goes back (protocol 8)": (
        "UPDATE entry SET text = CAST(replace(text, 'at 2026', 'at 2025') AS BLOB) "
        "WHERE substr(text, 1, 5) = x'636c6f7365'"
    ),
    "is of a file that is not kept": "INSERT INTO note VALUES ('forecast demo alice', 'abc')",
    "apart game other is of nothing": "INSERT INTO note VALUES ('apart game other', 'since then')",
    "is of an exchange that is not open": "INSERT INTO note VALUES ('waits demo', '1 the mailbox')",
    "last pass is at no time": "INSERT OR REPLACE INTO note VALUES ('last pass', 'yesterday')",
    "came at no time": "UPDATE incoming SET at = '2026-02-30T00:00:00Z'",
    "waits and is empty": "UPDATE incoming SET done = 0, raw = x''",
    "nothing became of it": "UPDATE incoming SET done = 1, result = '', raw = x'20'",
    "incoming: 1 has other bytes": "UPDATE incoming SET raw = x'20', digest = 'abc'",
    "has 0 answers": "INSERT INTO answered VALUES ('a@example.org', '2026-01-01', 0)",
    "began or was told at no time": "INSERT INTO alert VALUES ('x', 'now', '', 'words')",
    "has no words": "INSERT INTO alert VALUES ('x', '2026-01-01T00:00:00Z', '', '')",
}
UNDONE = {
    "entry 2 of demo is gone or another": "DELETE FROM entry WHERE number = 2",
    "signed head": "DELETE FROM checkpoint",
    "has left once more": "UPDATE letter SET sent = '2026-02-02T00:00:00Z' WHERE id = 1",
    "what arrived as 1 is gone": "DELETE FROM incoming",
    "the order file": "DELETE FROM sealed",
    "bob is not away any more": "DELETE FROM absence",
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A club in which an exchange was played, letters have left, and a mail has come."""
    table = make_table(tmp_path_factory.mktemp("well"))
    table.go()
    store = table.club.store
    with store.step():
        store.add_incoming("2026-01-01T00:00:00Z", b"a mail", "a@example.org", "maildir:1")
        store.mark_sent(1, "2026-01-01T00:00:00Z")
        store.connection.execute("UPDATE incoming SET done = 1, result = 'answered'")
        store.connection.execute("INSERT INTO absence VALUES ('bob', '2026-01-01', '2026-01-02', '', x'')")
    store.close()
    return table.club.path


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    """A copy of that club's folder, in which something can be damaged."""
    copy_of_disk(made, tmp_path / "club")
    return tmp_path / "club"


def change(folder: Path, statement: str) -> None:
    with closing(sqlite3.connect(folder / "club.db")) as database, database:
        assert database.execute(statement).rowcount != 0, "the statement changes something"


def test_a_folder_that_is_well(folder: Path) -> None:
    watched = Watched(folder)
    watched.look()
    watched.look()


@pytest.mark.parametrize(("words", "statement"), DAMAGES.items())
def test_damage_is_seen(folder: Path, words: str, statement: str) -> None:
    change(folder, statement)
    assert [one for one in broken(folder) if words in one]


@pytest.mark.parametrize(("words", "statement"), UNDONE.items())
def test_what_is_undone_is_seen(folder: Path, words: str, statement: str) -> None:
    before = taken(folder)
    assert list(broken(folder, before)) == []
    change(folder, statement)
    assert [one for one in broken(folder, before) if one.startswith("before: ") and words in one]


def test_the_watch_fails_when_something_is_undone(folder: Path) -> None:
    watched = Watched(folder)
    watched.look()
    change(folder, "DELETE FROM incoming")
    with pytest.raises(AssertionError, match="what arrived as 1 is gone"):
        watched.look()
    watched.begin_anew()
    watched.look()


@pytest.mark.parametrize("name", [*SECRET, "club.db", "club.toml", "keys", "out", "new"])
def test_what_others_can_read_is_seen(folder: Path, name: str) -> None:
    (folder / "new").mkdir(mode=0o700)
    (folder / name).chmod(0o750)
    assert list(broken(folder)) == [f"files: {name} can be read by others"]


def test_what_is_left_over_or_open_is_seen(folder: Path) -> None:
    (folder / "club.db.part").touch(mode=0o600)
    (folder.parent / "box" / "new").mkdir(parents=True)
    mail = folder.parent / "box" / "new" / "1"
    mail.touch()
    with (folder / "pass.lock").open("w"), mail.open():
        found = list(broken(folder))
    assert found == [
        "files: club.db.part is left over",
        "locks: the lock of a pass is still held",
        f"mailboxes: {mail} is still open",
    ]
    assert list(broken(folder)) == ["files: club.db.part is left over"]


def test_a_connection_to_the_mailbox_is_seen(folder: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        (folder / "club.toml").write_text(f"[mail.inbox]\nport = {server.getsockname()[1]}\n")
        with socket.create_connection(server.getsockname()):
            assert list(broken(folder)) == ["mailboxes: the server is still connected"]
        assert list(broken(folder)) == []


@pytest.mark.parametrize(("told", "over"), [("2026-01-02T00:00:00Z", True), ("2026-01-03T00:00:00Z", False)])
@pytest.mark.parametrize("name", ["letter demo alice", "apart game demo"])
def test_a_trouble_that_is_over_is_kept_for_a_day(folder: Path, name: str, told: str, over: bool) -> None:
    (folder / "heartbeat").write_text("2026-01-03T00:00:00Z ok\n")
    change(folder, f"INSERT INTO alert VALUES ('{name}', '{told}', '{told}', 'words')")  # noqa: S608
    assert list(outlived(folder)) == [f"troubles: {name} is over"] * over
    with nullcontext() if not over else pytest.raises(AssertionError, match="is over"):
        Watched(folder).look(passed=True)
    change(folder, f"INSERT INTO note VALUES ('{name}', 'since then')")  # noqa: S608
    change(folder, "UPDATE letter SET failed = '2026-01-01T00:00:00Z', trouble = '550'")
    assert list(outlived(folder)) == []
