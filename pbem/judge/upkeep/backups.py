"""Makes backups of a club, and restores it from one.

A backup is one archive: club.toml, the keys, the database as it stood at one moment, and the wishes to join
and consents that wait for the game master. It holds the judge's secrets, so only its owner may read it.
Before it gets its name, it is restored into a folder of its own, and every ledger in it is checked.

After a restore the judge may have signed more than the backup knows, and two heads of one size would be
proof of cheating (12.18). So nothing of a game is signed until the highest head that was ever sent has been
entered: from the journal, from sent mail, or from what a player's program shows.
"""

from __future__ import annotations

import fcntl
import hashlib
import re
import shutil
import sqlite3
import tarfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from pbem.errors import ConfigError, LedgerError, PbemError
from pbem.judge.agenda import is_whole
from pbem.judge.book import MissingReceipt, await_receipts, check_signed_head, forget_newer
from pbem.judge.club import Club, open_club
from pbem.judge.tables.database import Unwritable
from pbem.judge.tables.note_tables import BACKUP, CONFIRMED, CONTRADICTED, HANDLED, MAILBOX, RESTING, RESTORED
from pbem.judge.upkeep.folder_identity import leave_identity
from pbem.judge.upkeep.journal import FOLDERS, Replayed, read_journal, replay_journal, trim, written_records
from pbem.judge.upkeep.mailbox_counter import confirm_as_it_stands, hold, settle
from pbem.trust.times import utc_text

FILES = ("club.toml", "keys/gm", "keys/gm.pub", "keys/master")
MAYBE = ("keys/gm.recovery.pub",)
_WAITING = re.compile(rf"(?:{'|'.join(FOLDERS)})/[a-z0-9][A-Za-z0-9._-]{{0,200}}")
MAX_BACKUP_SIZE = 50_000_000_000
SCRATCH, LOCK = "backup.part", "backup.lock"
"""Names in the club's folder: the temporary folder of a backup being made, and the lock on it."""


def backup(club: Club, archive: Path) -> int:
    """Write all files of a club into a new archive; return its size in bytes.

    Raises:
        ConfigError: the archive cannot be written, or a club could not be restored from it.
    """
    if archive.exists():
        raise ConfigError(f"{archive} exists already; name a new file")
    with _scratch(club) as scratch:
        mark = hashlib.sha256(str(club.path.resolve()).encode()).hexdigest()[:8]
        try:
            for left in archive.parent.glob(f".*.{mark}.part"):
                left.unlink()  # one that was killed; it holds secrets
            part = archive.with_name(f".{archive.name}.{mark}.part")
            try:
                _write(club, scratch, part)
                check(club, part, scratch / "restored")
                part.replace(archive)
            finally:
                part.unlink(missing_ok=True)
        except (OSError, sqlite3.OperationalError) as problem:
            said = str(getattr(problem, "strerror", None) or problem).lower()
            raise ConfigError(
                f"no backup was made, {archive} cannot be written: {said}; make room there and in {club.path}"
            ) from None
    with suppress(Unwritable), club.store.step():  # the archive is whole, and is needed then
        club.store.put_note(BACKUP, utc_text(club.clock()))
    return archive.stat().st_size


def rotate(club: Club, folder: Path, keep: int) -> Path:
    """Write a backup, named by the time, to a folder; delete the oldest beyond `keep`; return the new one."""
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
    except OSError as problem:
        raise ConfigError(f"{folder} cannot be made: {str(problem.strerror).lower()}") from None
    stamp = utc_text(club.clock()).replace("-", "").replace(":", "")
    archive = folder / f"{club.path.resolve().name}-{stamp}.tar.gz"
    backup(club, archive)
    named = re.compile(rf"{re.escape(club.path.resolve().name)}-[0-9]{{8}}T[0-9]{{6}}Z\.tar\.gz")
    old = sorted(path for path in folder.iterdir() if named.fullmatch(path.name))[:-keep]
    for path in old:
        path.unlink(missing_ok=True)
    return archive


@contextmanager
def _scratch(club: Club) -> Iterator[Path]:
    """Lock the club's temporary folder within this context, so that only one backup at a time is made."""
    path = club.path / SCRATCH
    with (club.path / LOCK).open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ConfigError("another command makes a backup of this club now") from None
        shutil.rmtree(path, ignore_errors=True)
        try:
            path.mkdir(mode=0o700)
            yield path
        finally:
            shutil.rmtree(path, ignore_errors=True)


def _write(club: Club, scratch: Path, part: Path) -> None:
    copy = scratch / "club.db"
    with closing(sqlite3.connect(copy)) as target:
        club.store.connection.backup(target)
    part.touch(mode=0o600)
    with tarfile.open(part, "w:gz") as tar:
        waiting = (f"{folder}/{path.name}" for folder in FOLDERS for path in club.path.glob(f"{folder}/*"))
        maybe = (*MAYBE, *filter(_WAITING.fullmatch, sorted(waiting)))
        for name in (*FILES, *(name for name in maybe if (club.path / name).is_file())):
            tar.add(club.path / name, name)
        tar.add(copy, "club.db")


def check(club: Club, archive: Path, folder: Path) -> None:
    """Restore a backup into a folder, and check every ledger in it that is not damaged in the club itself.

    Raises:
        ConfigError: the archive is not a backup, its database is damaged, or a ledger was changed.
    """
    folder.mkdir(mode=0o700)
    unpack(archive, folder)
    restored = open_club(folder)
    try:
        if (answer := restored.store.integrity()) != "ok":
            raise ConfigError(f"the database in {archive} is damaged: {answer}")
        for game in restored.store.games():
            if not is_whole(restored, game) and is_whole(club, game):
                raise ConfigError(f"the ledger of {game} in {archive} is not as it was written")
    finally:
        restored.store.close()


def unpack(archive: Path, folder: Path) -> datetime:
    """Unpack a backup's archive into a folder; return the time at which it was made."""
    try:
        with tarfile.open(archive, "r:gz") as tar:
            there = sorted(set(tar.getnames()))
            maybe = (name for name in there if name in MAYBE or _WAITING.fullmatch(name))
            for name in (*FILES, "club.db", *maybe):
                member = tar.getmember(name)
                source = tar.extractfile(member)
                if source is None or member.size > MAX_BACKUP_SIZE:
                    raise ConfigError(f"{archive} is not a backup of a club: {name} is not a file")
                path = folder / name
                path.parent.mkdir(exist_ok=True, mode=0o700)
                path.touch(mode=0o600)
                with source, path.open("wb") as target:
                    shutil.copyfileobj(source, target)
            return datetime.fromtimestamp(tar.getmember("club.db").mtime, UTC)
    except (tarfile.TarError, KeyError, EOFError, OSError) as problem:
        if isinstance(problem, OSError) and problem.errno:
            raise ConfigError(f"{archive} cannot be unpacked into {folder}: {problem.strerror}") from None
        raise ConfigError(f"{archive} is not a backup of a club: {problem}") from None


def restore(
    archive: Path,
    folder: Path,
    records: Iterable[bytes] = (),
    tell: Callable[[Replayed], object] = lambda _: None,
    bring_on: Callable[[Club], Mapping[str, str]] = lambda _: {},
) -> Club:
    """Unpack a backup into a new folder, and bring it up to date by its journal.

    `records`: those of the journal beside those in its folder. A game stops until it is confirmed; one is
    confirmed by a journal that goes on from this backup and knows no entry of it that is not here. `tell`:
    gets the result of replaying the journal. `bring_on`: adds what players have handed over, and returns, by
    game, what shows that more of it was signed. The folder rests until it takes over (see folder_identity).
    """
    if folder.exists():
        if restored := _restore_time(folder):
            raise ConfigError(
                f"{folder} exists already, and holds a club that was restored at {restored}: if that restore "
                f"was ended, it had done all there was to do; pbem club status --club {folder} says what to "
                f"confirm. Or name a new folder"
            )
        raise ConfigError(f"{folder} exists already; name a new folder")
    part = folder.with_name(f"{folder.name}.part")
    try:
        part.mkdir(mode=0o700)
    except FileExistsError:
        raise ConfigError(
            f"{part} exists already, perhaps of a restore that was ended: look at it and remove it, "
            f"or name another folder"
        ) from None
    try:
        replayed = _restore_into(part, archive, records, bring_on)
        part.replace(folder)
    except BaseException:
        shutil.rmtree(part, ignore_errors=True)
        raise
    tell(replayed)
    return open_club(folder)


def _restore_time(folder: Path) -> str:
    """Return the time at which the club in a folder was restored; "" if it was not, or there is no club."""
    with suppress(PbemError, OSError), closing(open_club(folder).store) as store:
        return store.note(RESTORED)
    return ""


def _restore_into(
    part: Path, archive: Path, records: Iterable[bytes], bring_on: Callable[[Club], Mapping[str, str]]
) -> Replayed:
    """Unpack a backup into an empty folder, and bring it up to date by its journal and by players' files."""
    made = unpack(archive, part)
    (part / "out").mkdir(mode=0o700)
    club = open_club(part)
    settings = read_journal(club)
    found = [path.read_bytes() for path in written_records(settings)]
    replayed = replay_journal(club, (*found, *records))
    club.store.close()
    club = open_club(part)
    with club.store.step():
        club.store.put_note(RESTORED, utc_text(club.clock()))
        club.store.drop_all_derived()
        club.store.put_note(HANDLED, club.store.last_mail() or utc_text(made))
        for note in club.store.notes(MAILBOX):  # each is looked through from its start once more
            club.store.drop_note(note)
        for note in club.store.notes(CONFIRMED):  # of an earlier restore, which a clock may date alike
            club.store.drop_note(note)
        leave_identity(club.store)
        club.store.put_note(RESTING, utc_text(club.clock()))
    for game in club.store.games():
        trim(club, game)
    contradicted = bring_on(club)
    _confirm_by_journal(club, replayed)
    with club.store.step():
        hold(club, dict(contradicted))
    club.store.close()
    return replayed


def _confirm_by_journal(club: Club, replayed: Replayed) -> None:
    """Let the games go on that the journal completes; say what is missing in the others."""
    lost = f" ({', '.join(replayed.missing)} is not there)" if replayed.missing else ""
    with club.store.step():
        settle(club, replayed.ends, f"the journal{lost}", is_newest=replayed.has_begun)


def note_contradicted(club: Club, game: str, said: str) -> None:
    """Note that the judge's sent mail has more of a game than the backup; "" removes the note."""
    with club.store.step():
        club.store.put_note(f"{CONTRADICTED}{game}", said)


def confirm(club: Club, game: str, size: int, head: str, receipts: Iterable[MissingReceipt] = ()) -> None:
    """Enter the highest head of a game's or league's ledger that was ever sent, so that it can go on.

    `receipts`: those that were sent for orders that the backup lacks; the game waits until these orders have
    been fetched again.

    Raises:
        LedgerError: the ledger is shorter than that, or has another head there; or a longer one was signed;
            or the judge's signed heads or sent mail show entries that the ledger lacks.
    """
    from pbem.judge.leagues.book import ledger_of

    book = ledger_of(club, game)
    check_signed_head(club.store, book)
    said = club.store.note(f"{CONTRADICTED}{game}")
    if said and game.startswith("league."):
        raise LedgerError(f"{said}, so it cannot go on from this backup")
    if said:
        raise LedgerError(
            f"{said}. If you enter a head by hand, that does not change it. Only the judge's whole sent "
            f"mail, without forged mails, can show that it was never sent: "
            f"pbem club confirm {game} --sent MAILDIR"
        )
    if size > book.size:
        raise LedgerError(
            f"the backup of {game} is too old: it ends at entry {book.size}, and a head of {size} entries "
            f"was sent; entries {book.size + 1} to {size} are lost, so the game cannot go on from this backup"
        )
    known = book.head_at(size)
    if known != head:
        raise LedgerError(f"at entry {size} of {game} this ledger has the head {known}, not {head}")
    highest = max((row.size for row in book.checkpoints()), default=0)
    if size < highest:
        raise LedgerError(
            f"a head of {highest} entries of {game} was signed after that one; enter it, or a higher one"
        )
    with club.store.step():
        confirm_as_it_stands(club, game)
        forget_newer(club.store, game)
        await_receipts(club.store, game, receipts)
        if (row := club.store.league(game)) is not None:  # else it is looked at again within a day
            club.store.put_league(row._replace(due=utc_text(club.clock())))
