"""The journal: changes since a club's last backup, in sealed records stored before letters are sent.

    [journal]                   # in club.toml; without it nothing of this is done
    folder = "/mnt/stick/pbem"  # records are written here: another disk than the club's
    mail = true                 # records are mailed to sent_to, ahead of all other mail

A backup plus the records since is the club as it was when the last of them was made.
A record holds the rows that have changed since the one before, whatever table they are in; triggers note
which these are. It is made when something has been added that a restored club must know (a player, an entry,
a mail, a letter to a player) and takes along what else has changed; so an idle club writes none. Until it has
been accepted wherever it is to go, no letter that it holds leaves, and no exchange ends.

A record is sealed to the judge itself (self_seal, kind "journal"). Its data are zlib of JSON with

    era, number, before (SHA-256 of the data of the record before), at, more (the next one belongs to it),
    ledgers (name -> its size and head, and the same of its last signed head), rows (table -> row number ->
    columns, null for one that is gone; bytes are ["base64"]), files (name -> base64, null if it is gone)

Records are counted in eras. Each begins with the whole club: when a journal is switched on, and after a
restore.

What a gap in the journal leaves out is lost for the games that had entries in it, and for no other: a record
says how long each ledger was, and a ledger that has less now is held. Rows that were in no lost record are
as they were.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
import os
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from pbem.characters import lower
from pbem.errors import ConfigError, PbemError
from pbem.judge.club import Club
from pbem.judge.tables.store import Record, Store
from pbem.judge.upkeep.mailbox_counter import End, ends_of
from pbem.judge.upkeep.self_seal import open_own, seal_own
from pbem.trust.keys import write_private_file
from pbem.trust.times import utc_text

KIND = "journal"
LARGEST = 3_000_000
"""Size in bytes at which a record of the journal is closed; the rest goes into the next record."""
MAX_DATA_SIZE = 60_000_000
FILES = ("club.toml", "keys/gm", "keys/gm.pub", "keys/gm.recovery.pub")
FOLDERS = ("joins", "consents")
BEGUN, ERA, KNOWN_FILES = "journal begun", "journal era", "journal files"


class JournalFault(PbemError):
    """Raised if a record cannot be written: nothing signed leaves, and the next pass tries again."""


@dataclass(frozen=True, slots=True)
class Journal:
    """The places to which the records of a club's journal are written or mailed."""

    folder: Path | None = None
    mail: bool = False


def record_name(era: str, number: int) -> str:
    """Return the file name of a record of the journal; the names sort in the order of the records."""
    return f"journal-{era}-{number:08d}.age"


def read_journal(club: Club) -> Journal | None:
    """Return the settings for the journal in club.toml; None if the club has none.

    Raises:
        ConfigError: one of these settings is invalid.
    """
    found = club.settings.get("journal")
    if found is None:
        return None
    if not isinstance(found, Mapping) or set(found) - {"folder", "mail"}:
        raise ConfigError("club.toml: [journal] has a folder, or mail = true, or both, and nothing else")
    folder, mail = found.get("folder", ""), found.get("mail", False)
    if not isinstance(folder, str) or "\0" in folder or not isinstance(mail, bool) or not (folder or mail):
        raise ConfigError("club.toml, [journal]: folder must be the path of a folder, mail true or false")
    if mail and not club.settings.get("mail", {}).get("sent_to"):
        raise ConfigError("club.toml, [journal]: mail = true needs sent_to in [mail]: there the records go")
    return Journal(club.path / folder if folder else None, mail)


def keep_records(club: Club, settings: Journal | None) -> None:
    """Write changes into new records of the journal, if one is due, and these into the journal's folder.

    Without a journal, changes are no longer noted.

    Raises:
        JournalFault: the folder cannot store a record; those written before stay.
    """
    begin(club, settings)
    if settings is None:
        return
    _make_records(club)
    for record in club.store.pending_records():
        if settings.folder is not None and not record.written:
            _write(settings.folder, record)
            accept(club.store, settings, record, written=True)


def check_accepted(club: Club) -> None:
    """Refuse to show signed letters before the journal has them.

    Raises:
        ConfigError: a record has not been accepted yet.
    """
    if club.store.is_record_pending() or club.store.is_record_due():
        raise ConfigError(
            "the journal does not hold the last entries yet, and nothing signed is shown before it does: "
            "pbem club run; if that does not help, pbem club status says why"
        )


def begin(club: Club, settings: Journal | None) -> None:
    """Begin to note changes of tables for the journal or, without a journal, stop noting them."""
    store = club.store
    watched = store.watched_tables()
    if settings is None:
        if watched:
            with store.step():
                stop(store)
        return
    if new := [name for name in store.kept_tables() if name not in watched]:
        with store.step():
            if not store.note(BEGUN):
                era, last = utc_text(club.clock()).replace("-", "").replace(":", ""), store.note(ERA)
                era = era if era > last else f"{last}a"  # later ones come later in the alphabet
                store.put_note(BEGUN, era)
                store.put_note(ERA, era)
                store.put_note(KNOWN_FILES, "")
            for table in new:
                store.watch_table(table)


def stop(store: Store) -> None:
    """Stop noting changes for the journal, in a transaction; the next journal begins with the whole club."""
    store.watch_nothing()
    store.put_note(BEGUN, "")


def _make_records(club: Club) -> None:
    store = club.store
    files, known = _files(club), json.loads(store.note(KNOWN_FILES) or "{}")
    hashes = {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}
    if hashes == known and not store.is_record_due():
        return
    changed: dict[str, str | None] = dict.fromkeys(sorted(set(known) - set(hashes)))
    for name, data in files.items():
        if known.get(name) != hashes[name]:
            changed[name] = base64.b64encode(data).decode()
    with store.step():
        store.put_note(KNOWN_FILES, json.dumps(hashes, sort_keys=True))
        ends = ends_of(store)
        parts = list(_parts(store))
        for count, (rows, letters) in enumerate(parts, 1):
            facts = {"more": count < len(parts), "ledgers": ends, "rows": rows}
            _add(club, letters, facts | {"files": changed if count == 1 else {}})
        store.forget_changes()


def _parts(store: Store) -> Iterator[tuple[dict[str, dict[int, Any]], list[int]]]:
    """Yield the changed rows, in groups for one record of the journal each, with the letters among them."""
    rows: dict[str, dict[int, Any]] = {}
    letters: list[int] = []
    size = 0
    for table, place, row in store.changes():
        if size >= LARGEST:
            yield rows, letters
            rows, letters, size = {}, [], 0
        rows.setdefault(table, {})[place] = row and {name: _json_value(value) for name, value in row.items()}
        size += 100 + sum(len(value) for value in (row or {}).values() if isinstance(value, bytes | str))
        if table == "letter" and row is not None:
            letters.append(place)
    yield rows, letters


def _json_value(value: object) -> object:
    return [base64.b64encode(value).decode()] if isinstance(value, bytes) else value


def _add(club: Club, letters: list[int], facts: dict[str, Any]) -> None:
    """Make one record of the journal, within a transaction."""
    number, before = club.store.last_record()
    era = club.store.note(BEGUN)
    facts |= {"era": era, "number": number + 1, "before": before, "at": utc_text(club.clock())}
    data = zlib.compress(json.dumps(facts, sort_keys=True).encode())
    sealed = seal_own(club, KIND, data)
    digest = hashlib.sha256(data).hexdigest()
    club.store.add_record(Record(number + 1, era, sealed, 0, 0), digest, letters)


def open_record(club: Club, sealed: bytes) -> tuple[str, dict[str, Any]]:
    """Open a sealed record of the journal; return its digest and content.

    Raises:
        SealError: the record is none of this club's.
    """
    data = open_own(club, KIND, sealed)
    found: dict[str, Any] = json.loads(zlib.decompressobj().decompress(data, MAX_DATA_SIZE))
    return hashlib.sha256(data).hexdigest(), found


def accept(
    store: Store, settings: Journal, record: Record, *, written: bool = False, mailed: bool = False
) -> None:
    """Note where a record of the journal was accepted; its bytes are deleted once all places have it."""
    written, mailed = written or bool(record.written), mailed or bool(record.mailed)
    done = (written or settings.folder is None) and (mailed or not settings.mail)
    with store.step():
        store.note_accepted(record.number, written=written, mailed=mailed, everywhere=done)


def written_records(settings: Journal | None) -> list[Path]:
    """Return the records in the journal's folder, in the order in which they were made."""
    return sorted(settings.folder.glob("journal-*.age")) if settings and settings.folder else []


def _write(folder: Path, record: Record) -> None:
    path = folder / record_name(record.era, record.number)
    part = folder / f".{path.name}.part"
    try:
        if path.exists():
            if path.read_bytes() == record.data:
                return
            raise JournalFault(
                f"{path} exists already, and another folder writes it: only one folder may write there"
            )
        part.touch(mode=0o600)
        with part.open("wb") as file:
            file.write(record.data)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
        _sync(folder)
    except OSError as problem:
        said = lower(str(problem.strerror))
        raise JournalFault(f"the journal cannot be written into {folder}: {said}") from None


def _sync(folder: Path) -> None:
    """Force a folder's new file names to be written to the disk, on file systems that can do it."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):
            os.fsync(handle)
    finally:
        os.close(handle)


def _files(club: Club) -> dict[str, bytes]:
    """Return the files that a restored club needs beside the database and keys/master."""
    names = [f"{folder}/{path.name}" for folder in FOLDERS for path in sorted(club.path.glob(f"{folder}/*"))]
    paths = {name: club.path / name for name in (*FILES, *names)}
    return {name: path.read_bytes() for name, path in paths.items() if path.is_file()}


class Found(NamedTuple):
    """A record of the journal that was found in a folder or mail, with its digest and its content."""

    digest: str
    facts: dict[str, Any]


class Replayed(NamedTuple):
    """The result of adding the journal's records to a restored club."""

    applied: int
    """Number of records of the journal that added something to the backup."""
    until: str
    """The time of the last record of the journal that was applied."""
    missing: list[str]
    """The names of the records of the journal that are missing."""
    ends: dict[str, End]
    """The end of each ledger, by ledger name, from the journal's record with the most entries."""
    has_begun: bool
    """Whether the journal reaches at least as far as the backup, even if some of its records are missing."""


def replay_journal(club: Club, sealed: Iterable[bytes]) -> Replayed:
    """Apply the journal to a club that was just unpacked from a backup; the journal then begins anew.

    Raises:
        ConfigError: another release wrote the journal.
    """
    store = club.store
    era, (number, digest) = store.note(BEGUN), store.last_record()
    eras, ends = _read(club, sealed)
    newest = max((name for name, records in eras.items() if name > era and _begins(records)), default="")
    records = eras.get(newest or era, {})
    has_begun = bool(newest) or max(records, default=-1) >= number > 0
    with store.step():
        stop(store)
        if newest:
            era, number, digest = newest, 0, ""
            for table in store.kept_tables():
                store.empty_table(table)
        applied, until, missing = 0, "", []
        last = _last_whole(records, number) if has_begun else number
        for place in range(number + 1, last + 1):
            found = records.get(place)
            if found is None or digest not in ("", found.facts["before"]):
                missing.append(record_name(era, place))
                digest = ""
                continue
            _apply(club, found.facts)
            applied, until, digest = applied + 1, found.facts["at"], found.digest
        stop(store)
    if has_begun and last < max(records):
        missing += [record_name(era, place) for place in range(last + 1, max(records) + 2)]
    return Replayed(applied, until, missing, ends, has_begun)


def trim(club: Club, game: str) -> int:
    """Delete the entries of a game's ledger after a gap in the journal; return the ledger's new length."""
    rows = club.store.entries(game)
    whole = next((place for place, row in enumerate(rows) if row.number != place + 1), len(rows))
    highest = max((row.size for row in club.store.checkpoints(game)), default=0)
    if whole < len(rows) or highest > whole:
        with club.store.step():
            club.store.drop_entries(game, whole)
    return whole


def _read(club: Club, sealed: Iterable[bytes]) -> tuple[dict[str, dict[int, Found]], dict[str, End]]:
    """Return this club's journal records by era and number, and the furthest known end of each ledger."""
    eras: dict[str, dict[int, Found]] = {}
    ends: dict[str, End] = {}
    for one in sealed:
        try:
            digest, facts = open_record(club, one)
        except PbemError:
            continue  # a stranger may mail there, too
        for name, end in facts["ledgers"].items():
            ends[name] = max(End(*end), ends.get(name, End(0, "", 0, "")))
        eras.setdefault(facts["era"], {}).setdefault(facts["number"], Found(digest, facts))
    return eras, ends


def _begins(records: dict[int, Found]) -> bool:
    """Tell whether the records contain the whole club with which an era begins."""
    place = 1
    while place in records:
        if not records[place].facts["more"]:
            return True
        place += 1
    return False


def _last_whole(records: dict[int, Found], number: int) -> int:
    """Return the number of the last journal record that counts; an incomplete set of records does not."""
    last = max(records, default=number)
    while last > number and last in records and records[last].facts["more"]:
        last -= 1
    return last


def _apply(club: Club, facts: dict[str, Any]) -> None:
    try:
        for table, rows in facts["rows"].items():
            for place, row in rows.items():
                columns = row and {name: _row_value(value) for name, value in row.items()}
                club.store.put_row(table, int(place), columns)
    except KeyError as unknown:
        raise ConfigError(
            f"the journal of {facts['at']} was written by another release of pbem, which had {unknown}: "
            "install that one"
        ) from None
    for name, data in facts["files"].items():
        folder, _, own = name.rpartition("/")
        if name not in FILES and (folder not in FOLDERS or own.startswith(".")):
            continue
        path = club.path / name
        if data is None:
            path.unlink(missing_ok=True)
        else:
            path.parent.mkdir(exist_ok=True, mode=0o700)
            write_private_file(path, base64.b64decode(data), replace=True)


def _row_value(value: object) -> object:
    return base64.b64decode(value[0]) if isinstance(value, list) else value
