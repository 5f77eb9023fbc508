"""What a club refuses in its own rooms: its folder, its ledgers, letters, the journal."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from pbem.judge.book import Book, begin_book, check_rows, load_book
from pbem.judge.club import Club, create_club, open_club
from pbem.judge.export import Bundle, check_new
from pbem.judge.intake import quarantine
from pbem.judge.intake.waiting_list import close_questions
from pbem.judge.letters.addresses import post_of, webpage_of
from pbem.judge.letters.letter_files import resend
from pbem.judge.tables.database import NEWEST, EntryRow
from pbem.judge.tables.note_tables import CONTRADICTED
from pbem.judge.tables.packing import _decompress
from pbem.judge.tables.store import Record, Store
from pbem.judge.upkeep.journal import Journal, _write, check_accepted, keep_records, read_journal
from pbem.judge.upkeep.self_seal import _identity, mac_of, open_own
from pbem.trust import keys
from pbem.trust.entries import Entry
from pbem.trust.sealing import pad, recipient_of, seal
from tests.judge.table import GAME, Table
from tests.refusals.clauses import Row
from tests.refusals.club import at_table, in_folder

# -- the folder

OTHER = keys.generate("other").public


def in_club(do: Callable[[Club], object]) -> Callable[[], object]:
    return at_table(lambda table: do(table.club))


def opened(settings: bytes) -> Callable[[], object]:
    """The club, with this as its club.toml."""

    def do(table: Table) -> object:
        (table.club.path / "club.toml").write_bytes(settings)
        return open_club(table.club.path)

    return at_table(do)


DAYS = "club.toml: days must be a number of days such as 7, not"
FOLDER = (
    Row("holds a club already", at_table(lambda table: create_club(table.club.path, "x"))),
    Row("holds no club (", in_folder(open_club)),
    Row("club.toml has a mistake: ", opened(b"days =\n")),
    Row(f"{DAYS} True", opened(b"days = true\n")),
    Row(f"{DAYS} 'x'", opened(b'days = "x"\n')),
    Row(f"{DAYS} -1", opened(b"days = -1\n")),
    Row("this club has no game called next; there are: demo", in_club(lambda club: club.book("next"))),
    Row("is not a key that the judge of this club has had", in_club(lambda club: club.judge_key("x"))),
    Row("alice is enrolled with another key", in_club(lambda club: club.add_player("alice", OTHER))),
    Row(
        "is not the key with which alice is enrolled",
        in_club(lambda club: club.add_player("alice", OTHER, in_place_of=OTHER.fingerprint)),
    ),
    Row(
        "this key is that of alice; every player needs",
        at_table(lambda table: table.club.add_player("nora", table.people["alice"].key.public)),
    ),
    Row("exists already; name a new folder", at_table(lambda table: check_new(table.club, table.club.path))),
    Row("nothing called x is set apart; there is nothing", in_club(lambda club: quarantine.find(club, "x"))),
    Row("no mail 7 waits for an answer; there is none", in_club(lambda club: close_questions(club, [7]))),
    Row("a bundle can be for ", at_table(lambda table: Bundle(table.club, table.book, "nobody"))),
)

# -- ledgers


def rows(change: Callable[[list[EntryRow]], list[EntryRow]], **signed: Any) -> Callable[[], object]:
    """A ledger whose rows are otherwise, or its signed heads."""

    def do(table: Table) -> None:
        club = table.club
        heads = [row._replace(**signed) for row in club.store.checkpoints(GAME)]
        check_rows(GAME, change(club.store.entries(GAME)), heads, club.roots(GAME))

    return at_table(do)


def first(**changed: Any) -> Callable[[list[EntryRow]], list[EntryRow]]:
    return lambda found: [found[0]._replace(**changed), *found[1:]]


def contradicted(club: Club) -> object:
    with club.store.step():
        club.store.put_note(f"{CONTRADICTED}next", "next was signed otherwise")
    return begin_book(club.store, club.roots("next"), replace(club.book(GAME).history.genesis, game="next"))


def beginning(entry: Callable[[Book], Entry]) -> Callable[[], object]:
    """The ledger of a game, next, begins with this."""

    def do(club: Club) -> object:
        store, roots, book = club.store, club.roots("next"), club.book(GAME)
        with store.step():
            store.add_game("next")
            Book(store, "next", roots, book.history, [], [])._keep(entry(book))
        return load_book(store, "next", roots)

    return in_club(do)


NO_GENESIS = "the ledger of next does not begin with its genesis"
LEDGERS = (
    Row("the ledger of demo is empty", rows(lambda _: [])),
    Row("entry 1 of demo is missing from the database", rows(lambda found: found[1:])),
    Row("entry 1 of demo was changed after it was written", rows(first(salt="0" * 64))),
    Row("entry 1 of demo was changed after it was written", rows(first(leaf="0" * 64))),
    Row("up to 2 was changed after its head was signed", rows(list, head="0" * 64)),
    Row("ends at entry 1, yet a head of 2 entries was signed", rows(lambda found: found[:1])),
    Row("next was signed otherwise; give the new game another name", in_club(contradicted)),
    Row(NO_GENESIS, beginning(lambda book: book.history.genesis)),
    Row(NO_GENESIS, beginning(lambda book: book.history.exchanges[0].opened)),
    Row("its end is missing, or something follows its end", lambda: _decompress(zlib.compress(b"x")[:-2])),
    Row("its end is missing, or something follows its end", lambda: _decompress(zlib.compress(b"x") + b"x")),
    Row("incorrect header check", lambda: _decompress(b"xx")),
)

# -- letters


def unsent(table: Table) -> object:
    """What the journal does not hold yet is not sent again."""
    keep_records(table.club, Journal(mail=True))
    return resend(table.club, GAME, "alice")


def page(**said: object) -> Callable[[], object]:
    return lambda: webpage_of({"page": said})


ADDRESS, HASH = "club.toml: [page] needs an address", "club.toml: [page] needs sha256, the 64 digits"
WELL = "https://example.org/"
LETTERS = (
    Row("club.toml, [mail]: copies must be one of ", lambda: post_of({"mail": {"copies": "x"}}, GAME)),
    Row("nora has no seat in demo", at_table(lambda table: resend(table.club, GAME, "nora"))),
    Row("there are no letters of demo to alice", at_table(unsent)),
    Row("[page] has a table; it needs address", lambda: webpage_of({"page": 1})),
    Row("[page] has no adress; it needs address", page(adress="x")),
    Row(ADDRESS, page(address=1, sha256="a" * 64)),
    Row(ADDRESS, page(address="http://example.org/", sha256="a" * 64)),
    Row(HASH, page(address=WELL, sha256=1)),
    Row(HASH, page(address=WELL, sha256="a")),
    Row("[page] boxes is a list of", page(address=WELL, sha256="a" * 64, boxes="https://b.example/")),
    Row("[page] boxes is a list of", page(address=WELL, sha256="a" * 64, boxes=["http://b.example/"])),
)

# -- the journal


def journal(said: object) -> Callable[[], object]:
    def do(table: Table) -> object:
        table.club.settings = {"journal": said}
        return read_journal(table.club)

    return at_table(do)


def pending(table: Table) -> None:
    keep_records(table.club, Journal(mail=True))
    check_accepted(table.club)


def due(table: Table) -> None:
    """The journal has the first record, and something was entered since."""
    settings = Journal(table.club.path)
    keep_records(table.club, settings)
    table.send("alice")
    check_accepted(table.club)


def there_already(path: Path) -> None:
    for data in (b"one", b"other"):
        _write(path, Record(1, "era", data, 0, 0))


def own(head: Callable[[Club], bytes]) -> Callable[[], object]:
    """A file of the judge's own, whose first line is this."""

    def do(table: Table) -> object:
        club = table.club
        sealed = seal(pad(head(club) + b"\nabc", 64), [recipient_of(_identity(club, "record"))])
        return open_own(club, "record", sealed)

    return at_table(do)


def mac(club: Club) -> bytes:
    return mac_of(club, "record", b"abc")


NOTHING_ELSE = "[journal] has a folder, or mail = true, or both, and nothing else"
FOLDER_OR_MAIL = "folder must be the path of a folder, mail true or false"
NOT_YET, NO_RECORD = "the journal does not hold the last entries yet", "this is no record of a judge"
JOURNAL = (
    Row(NOTHING_ELSE, journal(1)),
    Row(NOTHING_ELSE, journal({"folder": "x", "else": 1})),
    Row(FOLDER_OR_MAIL, journal({"folder": 1})),
    Row(FOLDER_OR_MAIL, journal({"folder": "x", "mail": 1})),
    Row(FOLDER_OR_MAIL, journal({})),
    Row("mail = true needs sent_to in [mail]", journal({"mail": True})),
    Row(NOT_YET, at_table(pending)),
    Row(NOT_YET, at_table(due)),
    Row("exists already, and another folder writes it", in_folder(there_already)),
    Row("the journal cannot be written into ", lambda: _write(Path("/none"), Record(1, "era", b"x", 0, 0))),
    Row(NO_RECORD, own(lambda club: b"3 " + mac(club))),
    Row(NO_RECORD, own(lambda club: b"pbem1 record x " + mac(club))),
    Row(NO_RECORD, own(lambda club: b"pbem1 record 0000000003 " + mac(club))),
    Row("this record was not written by this judge, or is damaged", own(lambda _: b"pbem1 record 3 x")),
)
# -- the database


def of_folder(change: Callable[[Path], object]) -> Callable[[], object]:
    """The database is another file when the club is opened again."""

    def do(table: Table) -> object:
        table.club.store.close()
        path = table.club.path / "club.db"
        path.unlink()
        change(path)
        return Store(path)

    return at_table(do)


def with_tables(sql: str, in_the_way: str = "x") -> Callable[[], object]:
    """The club is opened again when its tables are said to be others; a folder is in the way of a file."""

    def do(table: Table) -> object:
        with table.club.store.step():
            table.club.store.connection.execute(sql)
        table.club.store.close()
        (table.club.path / in_the_way).mkdir()
        return Store(table.club.path / "club.db")

    return at_table(do)


def within_step(club: Club) -> None:
    with club.store.step():
        club.store.connection.execute("nonsense")


def changed_report(club: Club) -> object:
    with club.store.step():
        club.store.add_sealed("a" * 64, b"x")
    return club.store.report("a" * 64)


def other_file(club: Club) -> object:
    with club.store.step():
        club.store.add_sealed("a" * 64, b"x" * 1_000)
        club.store.connection.execute("UPDATE sealed SET data = substr(data, 1, length(data) - 1)")
    return club.store.named_file("a" * 64)


def damaged_letter(club: Club) -> object:
    with club.store.step():
        club.store.connection.execute("UPDATE letter SET data = substr(data, 1, 99)")
    return club.store.letters()


def damaged_mail(club: Club) -> object:
    with club.store.step():
        number = club.store.add_incoming("2026-01-01T12:00:00Z", b"x" * 1_000, "alice@example.org")
        club.store.finish_incoming(number, "looked at")
        club.store.connection.execute("UPDATE incoming SET raw = substr(raw, 1, length(raw) - 1)")
    return list(club.store.stored_arrivals())


NEWER = "INSERT INTO _sqlite_migrations (migration_set, name, applied_at) VALUES ('pbem', 'of_tomorrow', '')"
OLDER = "DELETE FROM _sqlite_migrations WHERE migration_set = 'pbem'"
NONSENSE = 'the database cannot be written: near "nonsense"'
DATABASE = (
    Row("is missing; the judge does not make a new one", of_folder(lambda _: None)),
    Row("is empty; the judge does not make a new one", of_folder(Path.touch)),
    Row("is damaged (file is not a database)", of_folder(lambda path: path.write_bytes(b"x" * 5_000))),
    Row("was written by a newer release (of_tomorrow)", with_tables(NEWER)),
    Row("can be kept before its tables change: ", with_tables(OLDER, f"club.db.before-{NEWEST}.part")),
    Row(NONSENSE, in_club(within_step)),
    Row(NONSENSE, in_club(lambda club: club.store._rows("nonsense"))),
    Row(NONSENSE, in_club(lambda club: club.store._change("nonsense"))),
    Row("entry.lost", in_club(lambda club: club.store.put_row("entry", 1, {"lost": 1}))),
    Row("is damaged in the database (", in_club(other_file)),
    Row(f"the report {'a' * 64} was changed in the database", in_club(changed_report)),
    Row("the letter demo-0000-report.txt is damaged in the database (", in_club(damaged_letter)),
    Row("what arrived as 1 is damaged in the database (", in_club(damaged_mail)),
)
ROWS = (*FOLDER, *LEDGERS, *LETTERS, *JOURNAL, *DATABASE)
FOLDERS = (
    "judge/agenda.py",
    "judge/club.py",
    "judge/export.py",
    "judge/book.py",
    "judge/tables/packing.py",
    "judge/tables/database.py",
    "judge/tables/file_tables.py",
    "judge/tables/store.py",
    "judge/tables/mail_tables.py",
    "judge/letters",
)
ELSEWHERE = {
    "judge/tables/database.py _begin: ": "mail/test_answers.py",
    "judge/tables/packing.py read_letter: ": "judge/test_letters_kept.py",
}
"""What takes a story of its own -> the test that tells it."""
