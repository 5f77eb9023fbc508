"""What a club refuses of what arrives, and why an exchange cannot end yet."""

from __future__ import annotations

import fcntl
import tarfile
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

from pbem.judge.acts import act
from pbem.judge.agenda import read_agendas
from pbem.judge.club import Club
from pbem.judge.deadlines.waits_for_mail import Look, note_look, why_mail_delays, why_waiting
from pbem.judge.intake.consents import MAX_CONSENTS, take_consent
from pbem.judge.intake.player_files import key_of
from pbem.judge.intake.quarantine import Apart, drop
from pbem.judge.intake.waiting_list import FOLDER
from pbem.judge.saved_places import check_agrees
from pbem.judge.tables.note_tables import CONTRADICTED, DISAGREES, RESTORED
from pbem.judge.upkeep.backups import FILES, LOCK, _write, backup, check, confirm, restore, rotate, unpack
from pbem.judge.upkeep.folder_identity import MOVED, check_here
from pbem.judge.upkeep.journal import _apply
from pbem.judge.upkeep.mailbox_counter import Counter, check_counter
from pbem.judge.upkeep.rebuilding import put_away
from pbem.trust.formats import MAX_ACTS_IN_EXCHANGE
from pbem.trust.times import utc_text
from tests.attacks.framing.arena import table_title
from tests.judge.table import GAME, Table
from tests.refusals.clauses import Row
from tests.refusals.club import at_table, closed, in_folder
from tests.refusals.rooms import OTHER, in_club


def gave_up(club: Club) -> object:
    with club.store.step():
        club.store.put_note(RESTORED, "2026-01-02T00:00:00Z")
    return put_away(club, GAME, "x", [])


def consents(to: str) -> Callable[[Table], object]:
    """What bob signs."""
    return lambda table: take_consent(table.club, table.consent(to))


LATER = "extend 2026-01-09T12:00:00Z"


def more_time(
    before: Callable[[Table], object] = id, to: str = LATER, days: int = 2, **options: Any
) -> Callable[[], object]:
    """Bob signs a later deadline, after something else, where players may agree on so many days."""

    def do(table: Table) -> object:
        table.club.settings = {**table.club.settings, "rhythm": {"agreed_days": days}}
        before(table)
        return consents(to)(table)

    return at_table(do, **options)


def agreed(table: Table) -> None:
    for name in table.people:
        take_consent(table.club, table.consent(LATER, by=name))


def endless(table: Table) -> None:
    """The ledger, as it was read, has no deadline for the open exchange."""
    exchange = table.book.history.exchanges[0]
    exchange.opened = replace(exchange.opened, deadline=None)


def held(table: Table, *more: str) -> None:
    for what in ("hold", *more):
        act(table.club, GAME, what, reason="x")
        table.clock.pass_days(1)


def moved(table: Table) -> None:
    with table.club.store.step():
        table.club.store.put_note(MOVED, "2099-01-01T00:00:00Z")
    check_here(table.club.store)


def without_room(table: Table) -> None:
    for _ in range(MAX_ACTS_IN_EXCHANGE):
        act(table.club, GAME, "look", "gm", reason="x")


def left(table: Table) -> None:
    consent = table.consent("concede bob")
    act(table.club, GAME, "concede", "bob", reason="x", consents=[consent])


def enough(table: Table) -> object:
    folder = table.club.path / FOLDER
    folder.mkdir()
    for number in range(MAX_CONSENTS):
        (folder / f"{GAME}-1-bob-{number}.consent").touch()
    return consents("concede bob")(table)


def another_key(club: Club) -> object:
    known = club.store.player("alice")
    assert known is not None
    with club.store.step():
        club.store.put_player(known._replace(key=OTHER.line))
    return key_of(club, club.book(GAME), "alice", 1)


def disagrees(club: Club) -> None:
    with club.store.step():
        club.store.put_note(f"{DISAGREES}{GAME}", "held: it stands elsewhere")
    check_agrees(club, GAME)


def by_mail(do: Callable[[Club], object]) -> Callable[[], object]:
    """Of a club that plays by mail."""

    def door(club: Club) -> object:
        club.settings = {
            "mail": {"address": "judge@example.org", "inbox": {"maildir": "x"}, "outbox": {"host": "x"}}
        }
        return do(club)

    return in_club(door)


def waiting(club: Club) -> object:
    return why_waiting(club, read_agendas(club)[GAME], timedelta())


def looked_before(club: Club) -> object:
    note_look(club, Look(utc_text(club.clock()), 0, ()), 0, [])
    return waiting(club)


def counted_elsewhere(club: Club) -> None:
    found = Counter(turn=9, number=9, identity="another", at="2026-01-01T00:00:00Z", ledgers={})
    check_counter(club, found, is_afar=True)


A_GAME = Apart("game", GAME, "", 1, "", "")


def nowhere(club: Club) -> object:
    return rotate(club, Path("/dev/null/x"), 1)


def two_backups(club: Club) -> object:
    with (club.path / LOCK).open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        return backup(club, club.path / "backup.tar.gz")


def folder_inside(path: Path) -> object:
    """An archive in which a folder has the name of a file."""
    (path / "x").mkdir()
    with tarfile.open(path / "backup.tar.gz", "w:gz") as tar:
        tar.add(path / "x", FILES[0])
    return unpack(path / "backup.tar.gz", path)


def changed_inside(club: Club) -> None:
    """An archive that was made while an entry was another one."""
    archive, scratch, (first, *_) = club.path / "x.tar.gz", club.path / "x", club.store.entries(GAME)
    scratch.mkdir()
    for text in (b"another", first.text):
        with club.store.step():
            club.store.connection.execute("UPDATE entry SET text = ? WHERE number = 1", (text,))
        if not archive.exists():
            _write(club, scratch, archive)
    check(club, archive, club.path / "y")


def contradicted(club: Club) -> None:
    with club.store.step():
        club.store.put_note(f"{CONTRADICTED}{GAME}", "a later head is known")
    book = club.book(GAME)
    confirm(club, GAME, book.size, book.head)


ON_HOLD, NO_ORDERS = "exchange 1 of demo was on hold", "exchange 1 of demo waits for no orders"
NOT_LOOKED = "the judge has not read the whole mailbox since its deadline"
ROWS = (
    Row("this club was restored elsewhere at 2099", at_table(moved)),
    Row("a game cannot be dropped; try it again with", in_club(lambda club: drop(club, A_GAME))),
    Row("consents in this exchange; you cannot sign more", at_table(enough)),
    Row("nora does not play demo", at_table(consents("claim nora"))),
    Row("do not agree on deadlines: ask the game master", more_time(days=0)),
    Row("bob does not play demo, and gives no time", more_time(left, title=table_title(), players=3)),
    Row("the players of demo have agreed on more time in exchange 1", more_time(agreed)),
    Row(ON_HOLD, more_time(held)),
    Row(ON_HOLD, more_time(lambda table: held(table, "resume"))),
    Row(NO_ORDERS, more_time(lambda table: table.clock.pass_days(7))),
    Row(NO_ORDERS, more_time(closed, mode="after-close")),
    Row(NO_ORDERS, more_time(endless)),
    Row("was moved as often as it can be", more_time(without_room)),
    Row("you can agree on a later time up to", more_time(to="extend 2026-01-08T12:00:00Z")),
    Row("you can agree on a later time up to", more_time(to="extend 2026-01-10T12:00:01Z")),
    Row("the key of alice is not the one that demo was opened with", in_club(another_key)),
    Row("held: it stands elsewhere", in_club(disagrees)),
    Row("letters to alice have not been sent", by_mail(lambda club: why_mail_delays(club, GAME, "alice"))),
    Row(NOT_LOOKED, by_mail(waiting)),
    Row(NOT_LOOKED, by_mail(looked_before)),
    Row("another folder of this club has signed at", in_club(counted_elsewhere)),
    Row("exists already; name a new file", in_club(lambda club: backup(club, club.path / "club.toml"))),
    Row("/dev/null/x cannot be made: not a directory", in_club(nowhere)),
    Row("another command makes a backup of this club now", in_club(two_backups)),
    Row("club.toml is not a file", in_folder(folder_inside)),
    Row("the ledger of demo in ", in_club(changed_inside)),
    Row("exists already; name a new folder", in_folder(lambda path: restore(path, path))),
    Row("a later head is known. If you enter a head by hand", in_club(contradicted)),
    Row("demo is not put away: alice and bob must consent", in_club(gave_up)),
    Row(
        "which had 'lost': install that one",
        in_club(lambda club: _apply(club, {"at": "then", "rows": {"lost": {"1": None}}})),
    ),
)
FOLDERS = ("judge/intake", "judge/deadlines", "judge/saved_places.py", "judge/upkeep")
_BACKUPS = "judge/upkeep/backups.py"
ELSEWHERE = {
    f"{_BACKUPS} check: (answer := restored.store.integrity()) != 'ok'": "it takes a bad disk",
    f"{_BACKUPS} unpack: member.size > MAX_BACKUP_SIZE": "it takes fifty gigabytes",
    "judge/deadlines/waits_for_mail.py why_mail_delays: late and max(late) > now": (
        "mail/test_mailbox_checks.py"
    ),
    "judge/intake/consents.py take_consent: what == CLAIM and (unheard := why_unheard(club, book))": (
        "mail/test_claims.py"
    ),
}
"""What takes a story of its own -> the tests that tell it."""
