"""A folder knows that it is the one: copies refuse until they take over, and the other notices."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path

import pytest

from pbem.cli import main
from pbem.judge.agenda import unconfirmed_ledgers
from pbem.judge.club import open_club
from pbem.judge.upkeep import backups, folder_identity
from pbem.judge.upkeep.folder_identity import COUNTED, Elsewhere, take_over
from pbem.judge.upkeep.mailbox_counter import NUMBER, WRITING
from pbem.mail.club_mailbox import read_counter, write_counter
from pbem.mail.settings import MailSettings, Server
from pbem.service.one_pass import Pass
from tests.judge.killing import die_at, is_killed
from tests.judge.table import GAME, Clock, Table, copy_of_disk
from tests.mail.odd_imap import odd_imap
from tests.mail.postal import JUDGE, Postal, mail
from tests.mail.servers import dovecot, needs_dovecot
from tests.mail.test_restore import second_game

GM = "gm@example.org"


@pytest.fixture(params=["maildir", pytest.param("imap", marks=[pytest.mark.imap, needs_dovecot])])
def one(request: pytest.FixtureRequest, postal: Postal) -> Iterator[Postal]:
    """A club whose game is at exchange 2, with a Maildir or an IMAP server."""
    if request.param == "maildir":
        postal.settle(watch={"address": GM})
        postal.go()
        yield postal
        return
    with dovecot() as server:
        postal.settle(inbox=server.inbox("one"), watch={"address": GM})
        postal.send = lambda content, sender="alice@example.org", **headers: server.deliver(  # type: ignore[method-assign]
            "one", mail(content, sender, **headers)
        )
        postal.run()
        postal.go()
        yield postal


def another(postal: Postal, folder: Path) -> Postal:
    """The same people, with a copy of the club."""
    table = replace(postal.table, club=open_club(folder, postal.table.clock))
    other = Postal(table, postal.post)
    other.send = postal.send  # type: ignore[method-assign]
    return other


def copied(postal: Postal, folder: Path) -> Postal:
    """A copy of the folder, as by cp or rsync."""
    shutil.copytree(postal.table.club.path, folder / "copy")
    return another(postal, folder / "copy")


def test_a_copy_refuses_and_says_so_to_the_game_master(one: Postal, tmp_path: Path) -> None:
    copy = copied(one, tmp_path)
    size = copy.table.club.book(GAME).size
    one.send(one.table.sealed("alice"))
    with pytest.raises(Elsewhere, match="is a copy of a club's folder"):
        copy.run()
    with pytest.raises(Elsewhere, match="pbem club take-over"):
        copy.run()
    (told,) = one.mails("gm")
    assert "is a copy of a club's folder" in " ".join(told.get_payload(0).get_payload().split())  # type: ignore[union-attr]
    (verdict,) = copy.table.send("bob")
    assert not verdict.is_accepted
    assert copy.table.club.book(GAME).size == size
    one.run()
    assert one.table.club.book(GAME).size == size + 1


@pytest.mark.ci
def test_it_takes_over_and_the_other_notices(one: Postal, tmp_path: Path) -> None:
    copy = copied(one, tmp_path)
    assert main(["take-over", "--club", str(copy.table.club.path)]) == 0
    copy.run()
    copy.go()
    assert copy.table.exchange == 3
    one.mails("gm")
    one.send(copy.table.sealed("alice"))
    with pytest.raises(Elsewhere):
        one.run()
    assert one.table.exchange == 2
    assert one.mails("gm")
    copy.go()
    assert copy.table.exchange == 4


@pytest.mark.ci
def test_two_copies_of_a_whole_disk_find_each_other(one: Postal, tmp_path: Path) -> None:
    """No file tells them apart: who signs first goes on, the other stops."""
    copy_of_disk(one.table.club.path, tmp_path / "copy")
    copy = another(one, tmp_path / "copy")
    one.go()
    with pytest.raises(Elsewhere, match="was set back, or is a copy of a whole disk"):
        copy.run()
    assert (one.table.exchange, copy.table.exchange) == (3, 2)


@pytest.mark.ci
def test_set_back_and_taken_over_it_holds_what_is_lost_alone(one: Postal, tmp_path: Path) -> None:
    second_game(one, "second")
    one.run()
    copy_of_disk(one.table.club.path, tmp_path / "copy")
    copy = another(one, tmp_path / "copy")
    one.go()
    take_over(copy.table.club.store)
    lines = copy.run()
    assert unconfirmed_ledgers(copy.table.club) == [GAME]
    assert any("restored from a backup and not confirmed" in line.text for line in lines)
    book = copy.table.club.book(GAME)
    with pytest.raises(Exception, match="the counter in the mailbox shows"):
        backups.confirm(copy.table.club, GAME, book.size, book.head)
    copy.table.clock.pass_days(30)
    lines = copy.run(after_gap=True)
    assert any(line.game == "second" and "exchange 1 resolved" in line.text for line in lines)
    assert copy.table.exchange == 2


@pytest.mark.ci
def test_a_restart_and_a_container_with_its_volume_go_on(one: Postal) -> None:
    """Another process, another name for the folder: the same file."""
    path = one.table.club.path
    one.table.reopen()
    one.run()
    one.table.club.store.close()
    path.rename(path.with_name("volume"))
    one.table.club = open_club(path.with_name("volume"), one.table.clock)
    one.run()
    one.go()
    assert one.table.exchange == 3


def test_a_restored_club_takes_over(one: Postal, tmp_path: Path) -> None:
    """By an IMAP server's counter all that had gone on no further is confirmed; a Maildir's may be as old."""
    archive = one.back_up(tmp_path)
    is_afar = "maildir" not in one.table.club.settings["mail"]["inbox"]
    old = one.table.club
    one.come_back(archive)
    old = open_club(old.path, one.table.clock)
    one.run()
    assert unconfirmed_ledgers(one.table.club) == ([] if is_afar else [GAME])
    with pytest.raises(Elsewhere):
        list(Pass(old).run())


@pytest.mark.ci
def test_an_old_backup_is_shown_by_the_counter(one: Postal, tmp_path: Path) -> None:
    second_game(one, "second")
    archive = one.back_up(tmp_path)
    one.go()
    one.come_back(archive)
    one.run()
    assert GAME in unconfirmed_ledgers(one.table.club)
    book = one.table.club.book(GAME)
    with pytest.raises(Exception, match="the counter in the mailbox shows"):
        backups.confirm(one.table.club, GAME, book.size, book.head)


def test_nothing_signed_leaves_while_the_mailbox_is_away(postal: Postal) -> None:
    """Then nobody could notice; what the game master must know leaves."""
    postal.run()
    box = postal.post.box("judge")
    postal.send(postal.table.sealed("alice"))
    box.rename(box.with_name("away"))
    from pbem.judge.intake import desk

    desk.submit(postal.table.club, postal.table.sealed("alice"))
    postal.mails("alice")
    postal.run()
    assert postal.mails("alice") == []
    box.with_name("away").rename(box)
    postal.run()
    assert postal.mails("alice")


@pytest.mark.ci
def test_a_stranger_cannot_write_the_counter(one: Postal) -> None:
    """A mail that looks like it is none: it is no draft, and not sealed by the judge."""
    one.deliver("x", "mallory@example.org", Subject="pbem counter-0123456789abcdef 99: leave this here")
    one.go()
    assert one.table.exchange == 3


def dying_take_over(folder: Path, clock: Clock, statement: int) -> None:
    club = open_club(folder, clock)
    die_at(club, statement)
    take_over(club.store)


@pytest.mark.ci
def test_killed_anywhere_in_a_take_over_it_is_done_again(postal: Postal, tmp_path: Path) -> None:
    """Never do both folders go on."""
    postal.run()
    postal.go()
    base = tmp_path / "base"
    shutil.copytree(postal.table.club.path, base)
    for statement in count(1):
        shutil.rmtree(tmp_path / "copy", ignore_errors=True)
        shutil.copytree(base, tmp_path / "copy")
        was_killed = is_killed(partial(dying_take_over, tmp_path / "copy", postal.table.clock, statement))
        club = open_club(tmp_path / "copy", postal.table.clock)
        if not was_killed:
            break
        try:
            folder_identity.check_folder(club.store)
        except Elsewhere:
            take_over(club.store)
        folder_identity.check_folder(club.store, begin=True)
        club.store.close()
    assert statement > 5


def test_of_several_counters_the_newest_counts(table: Table) -> None:
    """Older ones that could not be dropped hide from nobody that their folder was set back."""
    club = table.club
    with odd_imap() as server:
        settings = MailSettings(address=JUDGE, imap=Server(**server.inbox()))
        read_counter(club, settings)
        write_counter(club, settings)
        (older,) = server.mails.values()
        with club.store.step():
            club.store.put_note(COUNTED, "")
        write_counter(club, settings)
        (newest,) = server.mails.values()
        server.mails = dict(enumerate((older, newest, older), 1))
        server.flags = {uid: {"Draft"} for uid in server.mails}
        read_counter(club, settings)
        with club.store.step():
            for name, value in ((NUMBER, "1"), (WRITING, "")):
                club.store.put_note(name, value)
        with pytest.raises(Elsewhere, match="was set back"):
            read_counter(club, settings)
