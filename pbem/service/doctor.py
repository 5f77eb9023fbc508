"""The check of a club's set-up: each finding says what is right, or what is wrong and what to do."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from pbem.box.folder import read_table
from pbem.box.stores import POSTS, waiting_posts
from pbem.compiled import compiled_in_words
from pbem.errors import PbemError
from pbem.judge.agenda import (
    DECIDED,
    ON_HOLD,
    UNCONFIRMED,
    far_ahead,
    read_agendas,
    unconfirmed_ledgers,
    wrong_settings,
)
from pbem.judge.club import Club
from pbem.judge.deadlines.rhythm import rhythm_of
from pbem.judge.intake.quarantine import all_apart
from pbem.judge.leagues.display import publish_folder
from pbem.judge.letters.addresses import webpage_of
from pbem.judge.press.desk import press_settings
from pbem.judge.tables.note_tables import BACKUP, LAST_PASS
from pbem.judge.upkeep.folder_identity import work_elsewhere
from pbem.judge.upkeep.journal import read_journal
from pbem.mail.club_mailbox import open_mailbox
from pbem.mail.mail_problems import lacks_address, last_backup, strange_reports, troubles, unanswered_senders
from pbem.mail.sessions import try_way_out
from pbem.mail.settings import read_settings
from pbem.service.box_posts import box_trouble
from pbem.service.box_table import read_box
from pbem.service.watch import disk_trouble, read_watch
from pbem.site.view import site_settings
from pbem.trust.times import parse_utc

FIRST_YEAR = 2026
OLD_BACKUP = timedelta(days=8)
"""Age from which on a new backup is advised; one each night is usual."""
KNOWN = ("", ON_HOLD, DECIDED, UNCONFIRMED)
"""States that keep a game from going on though nothing is wrong with its ledger."""
PRIVATE = ("club.toml", "keys", "keys/gm", "keys/master", "out", "joins", "consents", "desk")
"""Files and folders, beside the database, that hold secrets, addresses or letters."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding of the doctor: the thing that was checked, and what is right or wrong with it."""

    what: str
    text: str
    wrong: bool = False
    advised: bool = False
    """Whether the finding is only advice: nothing is wrong, but something could be better."""

    @property
    def state(self) -> str:
        """The kind of the finding in one word: "wrong", "advice" or "right"."""
        return "wrong" if self.wrong else "advice" if self.advised else "right"


class Advice(Exception):
    """Raised by a check if nothing is wrong, but something would be better."""


def examine(club: Club) -> Iterator[Finding]:
    """Yield a finding on everything in a club; a check that fails does not keep others from being made."""
    checks: dict[str, Callable[[Club], str]] = {
        "keys": _keys,
        "files": _files,
        "settings": _settings,
        "database": _database,
        "folder": _folder,
        "ledgers": _ledgers,
        "clock": _clock,
        "disk": _disk,
        "mail in": _mail_in,
        "mail out": _mail_out,
        "post box": _box,
        "letters": _letters,
        "answers": _answers,
        "returned": _returned_mails,
        "restore": _restore,
        "backup": _backup,
        "journal": _journal,
        "set apart": _apart,
        "watch": _watch,
        "rules": lambda _: compiled_in_words(),
    }
    for what, check in checks.items():
        try:
            yield Finding(what, check(club))
        except Advice as better:
            yield Finding(what, str(better), advised=True)
        except (PbemError, OSError) as problem:
            yield Finding(what, str(problem), wrong=True)


def _keys(club: Club) -> str:
    for name in ("gm", "master"):
        path = club.path / "keys" / name
        if stat.S_IMODE(path.stat().st_mode) & 0o077:
            raise PbemError(f"others can read {path}: chmod 600 {path}")
    return f"the judge's key is {club.key.public.fingerprint}"


def _files(club: Club) -> str:
    """Check that only the judge can read files with secrets, addresses or letters; return the finding."""
    own = [club.path / name for name in PRIVATE]
    own += [Path(f"{club.store.path}{end}") for end in ("", "-wal", "-shm")]
    if seen := [path.name for path in own if path.exists() and path.stat().st_mode & 0o077]:
        raise PbemError(f"others can read {', '.join(seen)}: chmod -R go= {club.path}")
    return "nobody else can read them"


def _settings(club: Club) -> str:
    settings = read_settings(club.settings, club.path)
    webpage_of(club.settings)
    read_box(club.settings, club.path)
    publish_folder(club.settings, club.path)
    site_settings(club.settings, club.path)
    rhythm_of(club.settings, "")
    if wrong := wrong_settings(club.settings):
        raise PbemError("; ".join(f"{game} waits: {text}" for game, text in wrong.items()))
    for game in ("", *club.store.games()):
        press_settings(club, game)
    if settings is None:
        return "no mail: letters are written to the folder out"
    if any(server and server.password for server in (settings.imap, settings.smtp)):
        raise PbemError("club.toml holds a password; better let a program print it: password_command")
    return f"mail as {settings.address}, reports {settings.reports}"


def _database(club: Club) -> str:
    if (answer := club.store.integrity()) != "ok":
        raise PbemError(f"the database is damaged: {answer}; restore the last backup")
    with club.store.step():
        club.store.put_note("doctor", "was here")
    return "whole, and can be written"


def _folder(club: Club) -> str:
    if text := work_elsewhere(club.store):
        raise PbemError(text)
    return "no copy of another"


def _ledgers(club: Club) -> str:
    games = club.store.games()
    faults = []
    for game in games:
        try:
            club.book(game)
        except PbemError as fault:
            faults.append(str(fault))
    agendas = read_agendas(club).values()
    held = [one.game for one in agendas if one.trouble == ON_HOLD]
    if not faults:
        faults = [f"{one.game}: {one.trouble}" for one in agendas if one.trouble not in KNOWN]
    if faults:
        raise PbemError("; ".join(faults))
    return f"{len(games)} games, every entry as it was written{f'; on hold: {held}' if held else ''}"


def _clock(club: Club) -> str:
    now = club.clock()
    before = club.store.note(LAST_PASS)
    if now.year < FIRST_YEAR or (before and now < parse_utc(before)):
        raise PbemError(f"the clock says {_short(now)}, which is before the last pass: set it right")
    if ahead := far_ahead(club):
        raise PbemError(ahead)
    return f"{_short(now)} UTC; last pass {before or 'never'}"


def _disk(club: Club) -> str:
    if trouble := disk_trouble(club.path):
        raise PbemError(trouble)
    return f"{shutil.disk_usage(club.path).free // 1_000_000:,} MB free"


def _apart(club: Club) -> str:
    if found := all_apart(club):
        raise PbemError("; ".join(one.text for one in found))
    return "nothing is"


def _watch(club: Club) -> str:
    watch = read_watch(club.settings)
    if not (watch.address or watch.command):
        return "nobody gets an alert when something is wrong: see [watch] in the documentation"
    found = [
        f"{what} {value}" for what, value in (("mail to", watch.address), ("run", watch.command)) if value
    ]
    return f"alerts: {', '.join(found)}; heartbeat: {watch.heartbeat or 'the file heartbeat alone'}"


def _mail_in(club: Club) -> str:
    settings = read_settings(club.settings, club.path)
    mailbox = open_mailbox(settings) if settings else None
    if settings is None or mailbox is None:
        if read_box(club.settings, club.path) is not None:
            return "none: what players post comes by the post box"
        return "none: give orders to the judge by pbem club submit"
    mailbox.close()
    for folder in settings.folders:
        if (further := open_mailbox(settings, folder)) is not None:
            further.close()
    return f"the mailbox opens{''.join(f', and {name}' for name in settings.folders)}"


def _mail_out(club: Club) -> str:
    settings = read_settings(club.settings, club.path)
    if settings is None or not settings.has_way_out:
        return "none: letters are written to the folder out"
    return f"{try_way_out(settings)} takes mail"


def _box(club: Club) -> str:
    box = read_box(club.settings, club.path)
    if box is None:
        return "none: players send and get mails"
    if trouble := box_trouble(club, box):
        raise PbemError(trouble)
    if (own := read_table(box.folder).url) != box.url:
        raise PbemError(f"the post box answers as {own} until a pass tells it {box.url}: pbem club run")
    waiting, strange = waiting_posts(box.folder)
    if strange:
        raise PbemError(f"{strange} files in {box.folder / POSTS} are not posts: remove them")
    for path in (box.folder, box.folder / POSTS):
        if path.exists() and not os.access(path, os.W_OK):
            raise PbemError(f"nothing can be written into {path}")
    return f"{box.url} runs; {len(waiting)} posts wait for the next pass"


def _letters(club: Club) -> str:
    if found := troubles(club):
        raise PbemError("; ".join(found))
    without = [player.name for player in club.store.players() if lacks_address(club, player)]
    return "; ".join(["nothing is stuck", *(f"{name} has no address" for name in without)])


def _answers(club: Club) -> str:
    if many := unanswered_senders(club, player=True):
        raise PbemError(many)
    if many := unanswered_senders(club, needed=True):
        raise Advice(many)  # of strangers alone: the limit does what it is for
    return unanswered_senders(club) or "nobody waits for one"


def _returned_mails(club: Club) -> str:
    if strange := strange_reports(club):
        raise PbemError(strange)
    return "nothing that is not a letter of ours"


def _restore(club: Club) -> str:
    if games := unconfirmed_ledgers(club):
        raise PbemError(
            f"restored from a backup: enter the highest heads of {', '.join(games)}: pbem club confirm"
        )
    return "nothing to confirm"


def _backup(club: Club) -> str:
    made = club.store.note(BACKUP)
    told = f"the last was made {last_backup(club)}" if made else "none was made yet"
    if not made or club.clock() - parse_utc(made) > OLD_BACKUP:
        raise Advice(f"{told}: pbem club backup --into FOLDER")
    return told


def _journal(club: Club) -> str:
    settings = read_journal(club)
    if settings is None:
        raise Advice(
            "none: if the disk is lost, all since the last backup is lost, and every game that has moved "
            "since then may end; name a folder on another disk in club.toml: [journal] folder"
        )
    if settings.folder is not None and not os.access(settings.folder, os.W_OK):
        raise PbemError(f"{settings.folder} is not there, or nothing can be written into it")
    if club.store.is_record_pending():
        raise PbemError(
            "a record has not been accepted; before it is, nothing signed is sent: pbem club status"
        )
    ways = [str(settings.folder or ""), "mail to sent_to" if settings.mail else ""]
    return f"{' and '.join(filter(None, ways))}; nothing waits to leave"


def _short(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%d %H:%M")
