"""Restores a club from a backup.

After a restore the judge may have signed more than the backup knows, and two heads of one size would be
proof of cheating (12.18). So nothing of a game is signed until the highest head that was ever sent has been
entered: from the journal, from sent mail, or from what a player's program shows.
"""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from pathlib import Path

from pbem.errors import ConfigError, LedgerError, PbemError
from pbem.judge.book import MissingReceipt, await_receipts, check_signed_head, forget_newer
from pbem.judge.club import Club, open_club
from pbem.judge.tables.note_tables import CONFIRMED, CONTRADICTED, HANDLED, MAILBOX, RESTING, RESTORED
from pbem.judge.upkeep.backups import backup, rotate, unpack
from pbem.judge.upkeep.folder_identity import leave_identity
from pbem.judge.upkeep.journal import read_journal, written_records
from pbem.judge.upkeep.journal_replay import Replayed, replay_journal, trim
from pbem.judge.upkeep.mailbox_counter import confirm_as_it_stands, hold, settle
from pbem.trust.times import utc_text

__all__ = ["backup", "confirm", "note_contradicted", "restore", "rotate"]


def restore(
    archive: Path,
    folder: Path,
    records: Iterable[bytes] = (),
    tell: Callable[[Replayed], object] = lambda _: None,
    bring_on: Callable[[Club], Mapping[str, str]] = lambda _: {},
) -> Club:
    """Unpack a backup into a new folder, and bring it up to date by its journal.

    `records`: those of the journal beside those in its folder. A game stops until it is confirmed; one is
    confirmed by a journal that goes on from this backup and knows no entry of it that is not here. `tell`: is
    told what came of the journal. `bring_on`: adds what players have handed over, and returns, by game, what
    shows that more of it was signed. The folder rests until it takes over (see folder_identity).
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
    with contextlib.suppress(PbemError, OSError), closing(open_club(folder).store) as store:
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
        LedgerError: the backup is older than that, or has another history; or a head that the judge's key has
            signed is known that is not in it; or the judge's sent mail has shown a letter that is not in it.
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
