"""Brings a restored club up to date by the records of its journal.

What a gap in the journal leaves out is lost for the games that had entries in it, and for no other: a record
says how long each ledger was, and a ledger that has less now is held. Rows that were in no lost record are
as they were.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable
from typing import Any, NamedTuple

from pbem.errors import ConfigError, PbemError
from pbem.judge.club import Club
from pbem.judge.upkeep.journal import BEGUN, FILES, FOLDERS, open_record, record_name, stop
from pbem.judge.upkeep.mailbox_counter import End
from pbem.trust.private_files import write_private_file


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
