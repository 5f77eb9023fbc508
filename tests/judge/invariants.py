"""What must be true of a club's folder after every command, whatever went wrong before it.

Written from the documents and not from the code: the words in brackets name the place. `broken` says what is
not as it should be, nothing if all is well; `Watched` compares a folder with itself before the command, too.
It reads the database by a connection of its own and writes nothing.
"""

from __future__ import annotations

import hashlib
import re
import sqlite3
import stat
import tomllib
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from pbem.judge.tables.packing import NotKept, base_words, read_mail, unpack_file

LEDGERS = {"entry": ("game", "checkpoint"), "league_entry": ("league", "league_checkpoint")}
SECRET = ("keys/gm", "keys/master")
OPEN = ("heartbeat", "alarm", "pass.lock", "backup.lock")
"""Of what lies in the folder itself these alone may be read by others (unattended: what is kept)."""
SAME = timedelta(days=1)
"""So long a trouble that is over is remembered, for it may come back (unattended: who is told)."""
_AT = re.compile(rb"^(?:received .* )?at (\S+)$", re.MULTILINE)
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


@dataclass
class Snapshot:
    """What a later look must find again."""

    heads: dict[tuple[str, int], str] = field(default_factory=dict)
    signed: dict[tuple[str, int], str] = field(default_factory=dict)
    sent: dict[tuple[str, str, str], tuple[int, str]] = field(default_factory=dict)
    """Game, player and name of a letter -> its copy, and when that had left."""
    mails: dict[int, str] = field(default_factory=dict)
    sealed: set[str] = field(default_factory=set)
    absences: set[tuple[str, str, str]] = field(default_factory=set)


@dataclass
class Watched:
    """A club's folder from one command to the next."""

    path: Path
    before: Snapshot | None = None

    def look(self, *, passed: bool = False) -> None:
        """Nothing is wrong, and what was there before is there. `passed`: a whole pass has just been made.

        Raises:
            AssertionError: with all that is wrong.
        """
        if not (self.path / "club.db").exists():
            return  # its disk is away: there is nothing to say about it
        wrong = [*broken(self.path, self.before), *(outlived(self.path) if passed else ())]
        assert wrong == [], wrong
        self.before = taken(self.path)

    def begin_anew(self, path: Path | None = None) -> None:
        """The folder is another now: restored, or what was forgotten in it is gone."""
        self.path, self.before = path or self.path, None


def _opened(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(f"file:{path / 'club.db'}?mode=ro", uri=True, timeout=5)
    connection.row_factory = sqlite3.Row
    return connection


def taken(path: Path) -> Snapshot:
    """What the folder holds now."""
    found = Snapshot()
    with closing(_opened(path)) as database:
        for table, (of, checkpoint) in LEDGERS.items():
            for row in database.execute(f"SELECT {of}, number, head FROM {table}"):  # noqa: S608
                found.heads[row[0], row[1]] = row[2]
            for row in database.execute(f"SELECT {of}, size, head FROM {checkpoint}"):  # noqa: S608
                found.signed[row[0], row[1]] = row[2]
        for row in database.execute("SELECT game, player, name, copy, sent FROM letter WHERE sent <> ''"):
            found.sent[row[0], row[1], row[2]] = row[3], row[4]
        found.mails = dict(database.execute("SELECT id, source FROM incoming").fetchall())
        found.sealed = {row[0] for row in database.execute("SELECT sha256 FROM sealed")}
        found.absences = {tuple(row) for row in database.execute("SELECT player, begins, ends FROM absence")}
    return found


def broken(path: Path, before: Snapshot | None = None) -> Iterator[str]:
    """What is wrong with a club's folder; `before`: as it was before the last command."""
    yield from _files(path)
    with closing(_opened(path)) as database:
        yield from (f"database: {row[0]}" for row in database.execute("PRAGMA quick_check") if row[0] != "ok")
        yield from (
            f"database: {row[0]} row {row[1]} belongs to nothing"
            for row in database.execute("PRAGMA foreign_key_check")
        )
        for table in LEDGERS:
            yield from _ledgers(database, table)
        yield from _sealed(database)
        yield from _letters(database)
        yield from _incoming(database)
        yield from _notes(database)
    if before is not None:
        yield from _lost(taken(path), before)


def _files(path: Path) -> Iterator[str]:
    """Modes, what is left over, and locks (architecture: a crash leaves nothing half; unattended: modes)."""
    own = [one for one in path.iterdir() if one.name not in OPEN]
    for file in (*own, *(path / name for name in SECRET)):
        if file.exists() and stat.S_IMODE(file.stat().st_mode) & 0o077:
            yield f"files: {file.relative_to(path)} can be read by others"
    yield from (f"files: {one.name} is left over" for one in path.iterdir() if one.name.endswith(".part"))
    connected = _connections(path)
    held = Path("/proc/self/fd")
    for one in list(held.iterdir()) if held.exists() else ():
        try:
            target = str(one.readlink())
        except OSError:
            continue
        if target == str(path / "pass.lock"):
            yield "locks: the lock of a pass is still held"
        elif "/new/" in target or "/cur/" in target:
            yield f"mailboxes: {target} is still open"
        elif target in connected:
            yield "mailboxes: the server is still connected"


def _connections(path: Path) -> set[str]:
    """The sockets of this machine that are connected to the server of the club's mailbox."""
    inbox = tomllib.loads((path / "club.toml").read_text()).get("mail", {}).get("inbox", {})
    if "port" not in inbox:
        return set()
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return {f"socket:[{row[9]}]" for row in rows if row[3] == "01" and int(row[2][-4:], 16) == inbox["port"]}


def _ledgers(database: sqlite3.Connection, table: str) -> Iterator[str]:
    """Every ledger is a chain without a gap, and what is signed is in it (protocol: formats)."""
    of, checkpoint = LEDGERS[table]
    heads: dict[tuple[str, int], str] = {}
    size: dict[str, int] = {}
    dates: dict[str, str] = {}
    rows = database.execute(f"SELECT {of}, number, text, salt, leaf, head FROM {table} ORDER BY 1, 2")  # noqa: S608
    for name, number, text, salt, leaf, head in rows:
        if number != size.get(name, 0) + 1:
            yield f"entries: {name} has entry {number} after {size.get(name, 0)}"
        size[name] = number
        if leaf != hashlib.sha256(f"pbem1 leaf {salt}\n".encode() + text).hexdigest():
            yield f"entries: the leaf of {name} {number} is not that of its text"
        previous = heads.get((name, number - 1), "0" * 64)
        link = f"pbem1 head {name} {number} {previous} {leaf}\n".encode()
        if head != hashlib.sha256(link).hexdigest():
            yield f"entries: the head of {name} {number} does not follow"
        heads[name, number] = head
        if date := _AT.search(text):
            if date[1].decode() < dates.get(name, ""):
                yield f"entries: the date of {name} {number} goes back (protocol 8)"
            dates[name] = date[1].decode()
    for name, at, head in database.execute(f"SELECT {of}, size, head FROM {checkpoint}"):  # noqa: S608
        if heads.get((name, at)) != head:
            yield f"entries: what is signed of {name} at {at} is not its head"
    known = {(name, head) for (name, _), head in heads.items()}
    for name, what, head in database.execute("SELECT game, name, head FROM derived WHERE head <> ''"):
        if name.startswith("league.") == (of == "league") and (name, head) not in known:
            yield f"notes: {what} of {name} holds for a head that it never had"


def _sealed(database: sqlite3.Connection) -> Iterator[str]:
    """Order files stay as they came, and each that is entered is kept (architecture, 1)."""
    names = set()
    for name, kept in database.execute("SELECT sha256, data FROM sealed"):
        data = unpack_file(kept)
        names.add(name)
        said = data.partition(b"-----BEGIN SSH SIGNATURE-----")[0]  # a statement is named by what is signed
        if name not in (hashlib.sha256(data).hexdigest(), hashlib.sha256(said).hexdigest()):
            yield f"files: the order file {name[:8]} has other bytes"
    receipts = dict(
        database.execute("SELECT sealed, name FROM letter WHERE name LIKE '%-receipt-%'").fetchall()
    )
    given: Counter[tuple[str, str]] = Counter()
    rows = database.execute(
        "SELECT game, number, text FROM entry WHERE substr(text, 1, 9) = x'726563656976656420'"
    )
    for game, number, text in rows:
        name = text.decode().split(" sealed ")[1].split()[0]
        given[game, player := text.decode().split()[2]] += 1
        if name not in names:
            yield f"files: {game} {number} names an order file that is not kept"
        if name not in receipts:
            yield f"letters: {game} {number} has no receipt"
        elif not receipts[name].endswith(f"-receipt-{given[game, player]:04}.txt"):
            yield f"counters: {receipts[name]} is number {given[game, player]} of {player}"


def _letters(database: sqlite3.Connection) -> Iterator[str]:
    """A letter waits, has left, or was given up with a reason (mail.md; unattended: who is told)."""
    columns = (
        "game, player, name, length(data) AS size, text, sent, tries, trouble, failed, retry, copy, calendar"
    )
    last: dict[tuple[str, str], int] = {}
    for row in database.execute(f"SELECT {columns}, deadline FROM letter ORDER BY id"):  # noqa: S608
        yield from (f"letters: {row['name']}: {why}" for why in _letter(row))
        if row["deadline"]:
            if row["calendar"] <= last.get((row["game"], row["player"]), 0):
                yield f"counters: {row['name']} is not later in the calendar than the one before"
            last[row["game"], row["player"]] = row["calendar"]


def _letter(row: Any) -> Iterator[str]:
    if row["sent"] not in ("", "-") and not _is_time(row["sent"]):
        yield "left at no time"
    if row["retry"] and not _is_time(row["retry"]):
        yield "is tried again at no time"
    if row["failed"] and row["player"] and not row["trouble"]:  # of an answer nobody needs to know
        yield "was given up without a reason"
    if row["tries"] < 0 or row["copy"] < 0:
        yield "counters: was tried less than never"
    if not row["sent"] and not (row["size"] or row["text"]):
        yield "waits and says nothing"


def _base(database: sqlite3.Connection, name: str) -> bytes:
    """What a file says to the letters and mails that repeat it; nothing if it is gone."""
    rows = database.execute("SELECT data FROM sealed WHERE sha256 = ?", (name,)).fetchall()
    return base_words(unpack_file(rows[0][0])) if rows else b""


def _incoming(database: sqlite3.Connection) -> Iterator[str]:
    """What arrived is kept as it came until it was looked at (architecture, 1)."""
    for number, at, kept, done, result, digest in database.execute(
        "SELECT id, at, raw, done, result, digest FROM incoming"
    ):
        try:
            raw = read_mail(kept, lambda name: _base(database, name))
        except NotKept as problem:
            yield f"incoming: {number} cannot be read: {problem}"
            continue
        if not _is_time(at):
            yield f"incoming: {number} came at no time"
        if not done and not raw:
            yield f"incoming: {number} waits and is empty"
        if done and raw and not result:
            yield f"incoming: {number} was looked at, and nothing became of it"
        if raw and digest and hashlib.sha256(raw).hexdigest() != digest:
            yield f"incoming: {number} has other bytes"


def _notes(database: sqlite3.Connection) -> Iterator[str]:
    """Counters count, and a trouble is told after it began and in words (unattended: who is told)."""
    notes = dict(database.execute("SELECT name, value FROM note").fetchall())
    kept = {row[0] for row in database.execute("SELECT sha256 FROM sealed")}
    known = {str(row[0]) for row in database.execute("SELECT id FROM game UNION SELECT id FROM incoming")}
    known |= {row[0].removeprefix("league.") for row in database.execute("SELECT name FROM league")}
    for name, value in notes.items():
        what, _, of = name.partition(" ")
        if what == "forecast" and value not in kept:
            yield f"notes: {name} is of a file that is not kept"
        kind, _, one = of.partition(" ")
        if what == "apart" and kind in ("file", "game", "clock", "league") and one not in known:
            yield f"notes: {name} is of nothing"
        if what == "waits" and value.partition(" ")[0] != _open(database, of):
            yield f"notes: {name} is of an exchange that is not open"
        if name in ("looked", "last pass", "last backup") and not _is_time(value):
            yield f"notes: {name} is at no time"
    for address, day, count in database.execute("SELECT address, day, count FROM answered"):
        if count < 1:
            yield f"counters: {address} has {count} answers on {day}"
    for name, since, told, text in database.execute("SELECT name, since, told, text FROM alert"):
        if not _is_time(since) or (told and not _is_time(told)):
            yield f"troubles: {name} began or was told at no time"
        if not text:
            yield f"troubles: {name} has no words"


def _open(database: sqlite3.Connection, name: str) -> str:
    """The number of the exchange or call of a ledger that was opened last."""
    table, of = ("league_entry", "league") if name.startswith("league.") else ("entry", "game")
    rows = database.execute(f"SELECT text FROM {table} WHERE {of} = ? ORDER BY number DESC", (name,))  # noqa: S608
    return next((text.split()[1].decode() for (text,) in rows if text.startswith(b"open ")), "")


def outlived(path: Path) -> Iterator[str]:
    """After a whole pass: troubles that are over, and are kept longer than they may come back as the same."""
    now = datetime.fromisoformat((path / "heartbeat").read_text().split()[0])
    with closing(_opened(path)) as database:
        failed = {
            f"letter {row[0]} {row[1]}"
            for row in database.execute("SELECT game, player FROM letter WHERE failed <> ''")
        }
        notes = {row[0] for row in database.execute("SELECT name FROM note WHERE value <> ''")}
        for name, told in database.execute("SELECT name, told FROM alert"):
            is_over = name.startswith("letter ") and name not in failed
            is_over |= name.startswith("apart ") and name not in notes
            if is_over and (not told or abs(now - datetime.fromisoformat(told)) >= SAME):
                yield f"troubles: {name} is over"


def _lost(now: Snapshot, before: Snapshot) -> Iterator[str]:
    """What was there is there: nothing entered, signed, stored or sent is undone (architecture: ideas)."""
    for what, old, new in (("entry", before.heads, now.heads), ("signed head", before.signed, now.signed)):
        for (name, number), head in old.items():
            if new.get((name, number)) != head:
                yield f"before: {what} {number} of {name} is gone or another"
    for key, (copy, _) in before.sent.items():
        if key in now.sent and now.sent[key][0] == copy and now.sent[key][1] != before.sent[key][1] != "-":
            yield f"before: {key[2]} to {key[1]} has left once more"
    for number, source in before.mails.items():
        if now.mails.get(number) != source:
            yield f"before: what arrived as {number} is gone"
    yield from (f"before: the order file {name[:8]} is gone" for name in before.sealed - now.sealed)
    yield from (f"before: {name} is not away any more" for name, *_ in before.absences - now.absences)


def _is_time(text: str) -> bool:
    if not _TIME.fullmatch(text):
        return False
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True
