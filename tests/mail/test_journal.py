"""The journal: a backup and what was journalled since are the club as it was; it leaves first."""

from __future__ import annotations

import os
import shutil
import signal
from itertools import count
from pathlib import Path

import pytest

from pbem.cli import main
from pbem.errors import ConfigError, PbemError
from pbem.judge.acts import act
from pbem.judge.agenda import unconfirmed_ledgers
from pbem.judge.club import open_club
from pbem.judge.export import export
from pbem.judge.upkeep import backups
from pbem.judge.upkeep.journal import open_record, read_journal, written_records
from pbem.mail.outbox import FOR_JOURNAL, waiting_mail
from pbem.service.one_pass import Pass
from tests.judge.killing import die_at, is_killed
from tests.judge.table import GAME, Clock, Table, copy_of_disk
from tests.mail.postal import JUDGE, Postal
from tests.mail.test_passes import names
from tests.mail.test_restore import SENT, second_game


@pytest.fixture
def kept(postal: Postal, tmp_path: Path) -> Postal:
    """The judge writes a journal into a folder, and the game is at exchange 2."""
    (tmp_path / "stick").mkdir()
    postal.settle(sent_to=SENT, journal={"folder": str(tmp_path / "stick")})
    postal.run()
    postal.go()
    return postal


@pytest.fixture
def mailed(postal: Postal) -> Postal:
    """The same, by mail."""
    postal.settle(sent_to=SENT, journal={"mail": True})
    postal.run()
    postal.go()
    return postal


def dump(postal: Postal) -> dict[str, list[object]]:
    """All rows of all tables that a journal holds, but for what passes note."""
    store = postal.table.club.store
    found: dict[str, list[object]] = {}
    for table in store.kept_tables():
        rows = [tuple(row.items()) for row in store.db.query(f"SELECT * FROM {table}")]  # noqa: S608
        if table != "note":
            found[table] = sorted(rows, key=repr)
    return found


@pytest.mark.ci
def test_a_restore_from_an_old_backup_goes_on_by_itself(kept: Postal, tmp_path: Path) -> None:
    """All that was entered since is there, with nobody's help, and the game goes on."""
    archive = kept.back_up(tmp_path)
    kept.go(2)
    kept.run()
    before, heads = dump(kept), kept.table.club.store.heads()
    replayed = kept.come_back(archive)
    assert replayed.applied > 0
    assert replayed.missing == []
    assert kept.table.club.store.heads() == heads
    after = dump(kept)
    for table, rows in before.items():
        if table != "letter":
            assert after[table] == rows, table
    assert unconfirmed_ledgers(kept.table.club) == []
    kept.mails("alice")
    assert [line.text for line in kept.run() if line.trouble] == []
    kept.go()
    assert kept.table.exchange == 5
    assert "demo-0004-report.txt" in names(kept.mails("alice"))


@pytest.mark.ci
def test_the_journal_s_mail_does_it_too(
    mailed: Postal, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    archive = mailed.back_up(tmp_path)
    mailed.go(2)
    heads = mailed.table.club.store.heads()
    mailed.table.club.store.close()
    other = tmp_path / "other"
    assert main(["restore", str(archive), str(other), "--journal", str(mailed.post.box("sent"))]) == 0
    told = capsys.readouterr()
    assert "records of its journal" in told.out
    assert told.err == ""
    assert main(["take-over", "--club", str(other)]) == 0
    mailed.table.club = open_club(other, mailed.table.clock)
    assert mailed.table.club.store.heads() == heads
    mailed.run()
    mailed.go()
    assert mailed.table.exchange == 5


@pytest.mark.ci
def test_without_its_journal_it_waits(mailed: Postal, tmp_path: Path) -> None:
    archive = mailed.back_up(tmp_path)
    mailed.go()
    replayed = mailed.come_back(archive)
    assert not replayed.has_begun
    assert unconfirmed_ledgers(mailed.table.club) == [GAME]


@pytest.mark.ci
def test_an_idle_club_writes_no_records(kept: Postal, tmp_path: Path) -> None:
    kept.run()
    before = len(list((tmp_path / "stick").iterdir()))
    for _ in range(5):
        kept.after(0.01)
    assert len(list((tmp_path / "stick").iterdir())) == before


@pytest.mark.ci
def test_without_a_journal_nothing_is_noted(kept: Postal) -> None:
    kept.table.send("alice")
    assert kept.table.club.store.is_record_due()
    kept.settle(sent_to=SENT)
    kept.run()
    assert kept.table.club.store.watched_tables() == []
    assert not kept.table.club.store.is_record_due()
    kept.go()
    assert not kept.table.club.store.is_record_due()


def test_records_that_come_back_to_the_judge_are_not_journalled_again(postal: Postal) -> None:
    """The mail for sent_to lies in the judge's own mailbox: what is fetched from there does not grow."""
    postal.settle(sent_to=JUDGE, journal={"mail": True})
    for _ in range(4):
        postal.run()
    before = postal.table.club.store.last_record()
    for _ in range(4):
        postal.run()
    assert postal.table.club.store.last_record() == before
    assert not [raw for _, raw in postal.table.club.store.stored_arrivals() if b"Subject: journal" in raw]


@pytest.mark.ci
def test_switched_on_again_it_begins_with_the_whole_club(kept: Postal, tmp_path: Path) -> None:
    """What came while it was off is in it; a backup from before is enough."""
    archive = kept.back_up(tmp_path)
    kept.settle(sent_to=SENT)
    kept.go()
    kept.settle(sent_to=SENT, journal={"folder": str(tmp_path / "stick")})
    kept.go()
    heads = kept.table.club.store.heads()
    kept.come_back(archive)
    assert kept.table.club.store.heads() == heads
    assert unconfirmed_ledgers(kept.table.club) == []


@pytest.mark.ci
def test_nothing_signed_leaves_before_the_journal_is_accepted(kept: Postal, tmp_path: Path) -> None:
    """Its disk is away: no receipt and no report, no exchange ends, and it is told; then all goes on."""
    stick = tmp_path / "stick"
    stick.rename(tmp_path / "away")
    size = kept.table.club.book(GAME).size
    kept.mails("alice")
    kept.all_send()
    lines = kept.run()
    assert any(line.step == "journal" and "cannot be written" in line.text for line in lines if line.trouble)
    assert kept.mails("alice") == []
    assert kept.table.exchange == 2
    assert kept.table.club.book(GAME).size == size + 2
    waiting = len(kept.table.club.store.unsent_letters())
    assert waiting_mail(kept.table.club) == f"{waiting} letters {FOR_JOURNAL}"
    assert main(["status", "--club", str(kept.table.club.path)]) == 1
    (tmp_path / "away").rename(stick)
    kept.run()
    assert {"demo-receipt-0002.txt", "demo-0002-report.txt"} <= set(names(kept.mails("alice")))


@pytest.mark.ci
def test_a_server_that_takes_no_journal_lets_nothing_out(mailed: Postal) -> None:
    mailed.post.refusal = "552 too much"
    mailed.mails("alice")
    mailed.all_send()
    lines = mailed.run()
    assert any("does not accept the journal" in line.text for line in lines)
    assert mailed.table.exchange == 2
    mailed.post.refusal = ""
    mailed.run()
    assert {"demo-receipt-0002.txt", "demo-0002-report.txt"} <= set(names(mailed.mails("alice")))


def test_the_record_leaves_before_what_it_holds(mailed: Postal) -> None:
    texts = [str(one) for one in mailed.mails("sent")]
    records = ["Subject: journal" in text for text in texts]
    reports = ["demo-0001-report" in text for text in texts]
    first = next(place for place in range(len(texts)) if reports[place] and not records[place])
    assert sum(records[:first]) >= 2


@pytest.mark.ci
def test_a_gap_holds_the_games_that_had_entries_in_it_and_no_other(kept: Postal, tmp_path: Path) -> None:
    second_game(kept, "second")
    archive = kept.back_up(tmp_path)
    stick = tmp_path / "stick"
    before = set(stick.iterdir())
    kept.go()
    lost = sorted(set(stick.iterdir()) - before)
    kept.go()
    for path in lost:
        path.unlink()
    replayed = kept.come_back(archive)
    assert replayed.missing == [path.name for path in lost]
    assert unconfirmed_ledgers(kept.table.club) == [GAME]
    book = kept.table.club.book(GAME)
    with pytest.raises(PbemError, match="what is missing is lost"):
        backups.confirm(kept.table.club, GAME, book.size, book.head)
    kept.table.clock.pass_days(30)
    lines = kept.run(after_gap=True)
    assert any(line.game == "second" and "exchange 1 resolved" in line.text for line in lines)


def test_a_forged_record_counts_for_nothing(kept: Postal, tmp_path: Path) -> None:
    """Who knows the key that records are sealed to cannot write one."""
    from pbem.judge.upkeep import self_seal
    from pbem.trust.sealing import recipient_of, seal

    archive = kept.back_up(tmp_path)
    club = kept.table.club
    record = written_records(read_journal(club))[-1]
    assert open_record(club, record.read_bytes())[1]["number"] > 1
    forged = b"pbem1 journal 5 " + b"0" * 64 + b"\nabcde"
    later = tmp_path / "stick" / "journal-29991231T000000Z-00000001.age"
    later.write_bytes(seal(forged, [recipient_of(self_seal._identity(club, "journal"))]))
    assert kept.come_back(archive).missing == []
    assert unconfirmed_ledgers(kept.table.club) == []


@pytest.mark.ci
def test_a_journal_that_ends_before_the_backup_confirms_nothing(kept: Postal, tmp_path: Path) -> None:
    early = tmp_path / "early"
    shutil.copytree(tmp_path / "stick", early)
    kept.go()
    archive = kept.back_up(tmp_path)
    shutil.rmtree(tmp_path / "stick")
    assert not kept.come_back(archive, early).has_begun
    assert unconfirmed_ledgers(kept.table.club) == [GAME]


@pytest.mark.ci
def test_restored_twice_it_goes_on_twice(kept: Postal, tmp_path: Path) -> None:
    archive = kept.back_up(tmp_path)
    kept.go()
    kept.come_back(archive)
    kept.run()
    kept.go()
    heads = kept.table.club.store.heads()
    (tmp_path / "other").rename(tmp_path / "first")
    kept.come_back(archive)
    assert kept.table.club.store.heads() == heads
    assert unconfirmed_ledgers(kept.table.club) == []
    kept.go()
    assert kept.table.exchange == 5


@pytest.mark.ci
def test_files_and_a_new_key_of_the_judge_come_back(kept: Postal, tmp_path: Path) -> None:
    from pbem.judge.new_keys import replace_judge_key

    archive = kept.back_up(tmp_path)
    kept.table.club, _ = replace_judge_key(kept.table.club)
    kept.table.reopen()
    fingerprint = kept.table.club.key.public.fingerprint
    (kept.table.club.path / "joins").mkdir(mode=0o700, exist_ok=True)
    (kept.table.club.path / "joins" / "x-carol-1.join").write_bytes(b"a wish")
    kept.run()
    kept.come_back(archive)
    assert kept.table.club.key.public.fingerprint == fingerprint
    assert (kept.table.club.path / "joins" / "x-carol-1.join").read_bytes() == b"a wish"
    assert unconfirmed_ledgers(kept.table.club) == []


def journalling_pass_killed(folder: Path, clock: Clock, statement: int, name: str) -> bool:
    """A pass in a child that kills itself at a database statement, or as it renames or syncs a file."""

    def dying_pass() -> None:
        club = open_club(folder, clock)
        if name:
            _die_at_call(name, statement)
        else:
            die_at(club, statement)
        list(Pass(club).run())

    return is_killed(dying_pass)


def _die_at_call(name: str, number: int) -> None:
    real, count = getattr(os, name), 0

    def call(*words: object, **named: object) -> object:
        nonlocal count
        count += 1
        if count == number:
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*words, **named)

    setattr(os, name, call)


@pytest.mark.ci
@pytest.mark.parametrize(
    ("name", "step"),
    [("", 5), pytest.param("", 1, marks=pytest.mark.slow), ("fsync", 1), ("replace", 1)],
)
def test_killed_anywhere_a_letter_that_left_is_in_the_journal(
    table: Table, tmp_path: Path, name: str, step: int
) -> None:
    """The club's disk dies with it: what reached a player is known to the backup and the journal.

    `step`: the pass is killed at each so-manieth call.
    """
    stick, work = tmp_path / "stick", tmp_path / "work"
    base_stick = tmp_path / "base-stick"
    base_stick.mkdir()
    with (table.club.path / "club.toml").open("a") as file:
        file.write(f'[journal]\nfolder = "{stick}"\n')
    base_stick.rename(stick)
    table.reopen()
    list(Pass(table.club).run())
    backups.backup(table.club, tmp_path / "backup.tar.gz")
    with table.club.store.step():
        for person in ("alice", "bob"):
            table.club.store.add_incoming("", table.sealed(person), "")
    table.club.store.close()
    shutil.copytree(stick, base_stick)
    killed = 0
    for statement in count(1, step):
        for folder, base, copy in (
            (work, table.club.path, copy_of_disk),
            (stick, base_stick, shutil.copytree),
        ):
            shutil.rmtree(folder, ignore_errors=True)
            copy(base, folder)
        if not journalling_pass_killed(work, table.clock, statement, name):
            break
        killed += 1
        shutil.rmtree(tmp_path / "other", ignore_errors=True)
        club = backups.restore(tmp_path / "backup.tar.gz", tmp_path / "other")
        assert unconfirmed_ledgers(club) == []
        known = {(letter.player, letter.name): letter.data for letter in club.store.letters()}
        for path in (work / "out").rglob("*.txt"):
            assert known.get((path.parent.name, path.name)) == path.read_bytes(), (
                f"{path}, killed at {statement}"
            )
        club.store.close()
        list(Pass(open_club(work, table.clock)).run())  # nor does the club itself stumble over it
        club = open_club(work, table.clock)
        assert not club.store.is_record_pending()
        assert not club.store.unsent_letters()
        club.store.close()
    assert killed * step >= {"": 50, "fsync": 2, "replace": 1}[name]


@pytest.mark.ci
def test_what_the_journal_does_not_hold_is_not_exported(kept: Postal, tmp_path: Path) -> None:
    """Not while a record is refused, and not before one is made of what was entered by hand."""
    club = kept.table.club
    export(club, GAME, "public", tmp_path / "one", "")
    act(club, GAME, "hold", reason="a test")
    with pytest.raises(ConfigError, match="nothing signed is shown before it does"):
        export(club, GAME, "public", tmp_path / "two", "")
    (tmp_path / "stick").rename(tmp_path / "gone")
    kept.run()
    with pytest.raises(ConfigError, match="nothing signed is shown before it does"):
        export(club, GAME, "public", tmp_path / "two", "")
    (tmp_path / "gone").rename(tmp_path / "stick")
    kept.run()
    export(club, GAME, "public", tmp_path / "two", "")
