"""A Maildir by itself: what it lists, gives, marks and deletes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pbem.errors import MailError
from pbem.judge.intake.quarantine import all_apart
from pbem.mail.extract import MAX_HEAD_SIZE, MAX_MAIL_SIZE
from pbem.mail.imap import _flat
from pbem.mail.maildir import Fetched, Listed, Maildir, NotGiven
from tests.mail.postal import Postal, mail


@pytest.fixture
def box(tmp_path: Path) -> Maildir:
    """Mails with flags, of which each is a second younger than the one before."""
    for number, name in enumerate(["new/a", "cur/b:2,S", "cur/c:2,FS", "new/.d", "cur/e:2,R", "cur/f:2,RS"]):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(name)
        os.utime(path, (number, number))
    return Maildir(tmp_path)


def lying(box: Maildir) -> list[str]:
    return sorted(str(path.relative_to(box.path)) for path in box.path.glob("*/*"))


def test_each_mail_is_listed_and_marked_as_its_flags_say(box: Maildir) -> None:
    os.utime(box.path / "new/a", (9, 9))
    listed = box.list_mails(lambda: {"maildir:e"}, "")
    assert [mail.source for mail in listed] == ["maildir:b", "maildir:c", "maildir:f", "maildir:a"]
    assert box.name == "maildir"
    assert sorted(box.seen_mails()) == ["maildir:b", "maildir:c", "maildir:f"]
    assert sorted(box.seen_mails(datetime.fromtimestamp(5, UTC))) == ["maildir:b", "maildir:c"]
    for name in ("new/a", "cur/b:2,S", "cur/e:2,R", "cur/gone"):
        box.mark_seen(Fetched("", b"", 0, str(box.path / name)))
    assert lying(box) == ["cur/a:2,S", "cur/b:2,S", "cur/c:2,FS", "cur/e:2,RS", "cur/f:2,RS", "new/.d"]


class Taken(set[str]):
    """Names of mails; another program deletes a mail as soon as it is asked for."""

    box: Path

    def __contains__(self, source: object) -> bool:
        (self.box / f"new/{str(source).removeprefix('maildir:')}").unlink(missing_ok=True)
        return super().__contains__(source)


def test_what_is_named_is_deleted_but_for_what_has_a_flag(box: Maildir) -> None:
    names = Taken(f"maildir:{name}" for name in "abcdf")
    names.box = box.path
    assert box.delete(names) == 3
    assert lying(box) == ["cur/c:2,FS", "cur/e:2,R", "new/.d"]
    (box.path / "new/g").mkdir()
    with pytest.raises(MailError, match=r"/new/g cannot be deleted: \w+"):
        box.delete({"maildir:g"})
    (box.path / "new/g").rename(box.path / "g")
    (box.path / "new/.d").unlink()
    (box.path / "new").rmdir()
    with pytest.raises(MailError, match="/new cannot be read: No such file"):
        box.seen_mails()
    with pytest.raises(MailError, match="is not a maildir"):
        Maildir(box.path)
    (box.path / "cur").rename(box.path / "new")
    with pytest.raises(MailError, match="is not a maildir"):
        Maildir(box.path)


def test_a_mail_is_given_whole_or_its_head_or_not(box: Maildir) -> None:
    def given(name: str) -> tuple[int, int] | None:
        mail = box.fetch(Listed(f"of {name}", str(box.path / "new" / name)))
        assert mail is None or (mail.source, mail.handle) == (f"of {name}", str(box.path / "new" / name))
        return None if mail is None else (len(mail.raw), mail.size)

    for name, size in (("most", MAX_MAIL_SIZE), ("more", MAX_MAIL_SIZE + 1)):
        with (box.path / "new" / name).open("wb") as file:
            file.truncate(size)
    (box.path / "new/link").symlink_to("nothing")
    (box.path / "new/loop").symlink_to("loop")
    os.mkfifo(box.path / "new/pipe")
    assert (given("a"), given("most"), given("gone")) == ((5, 5), (MAX_MAIL_SIZE, MAX_MAIL_SIZE), None)
    assert given("more") == (MAX_HEAD_SIZE, MAX_MAIL_SIZE + 1)
    for name, why in (("link", "it is a link to nothing"), ("pipe", "it is not a file"), ("loop", "too ")):
        with pytest.raises(NotGiven, match=f"^{why}"):
            given(name)


def test_what_a_server_answers_is_taken_in_its_order() -> None:
    assert list(_flat([(b"1", b"2"), None, b"3", (b"4",)])) == [b"1", b"2", b"3", b"4"]


@pytest.mark.parametrize("moved", ["cur/a", "cur/a:2,S", "cur/a:2,FRS", "new/a:2,"])
def test_a_mail_that_another_reader_has_moved_is_given_from_where_it_is(box: Maildir, moved: str) -> None:
    (mail,) = (one for one in box.list_mails(set, "") if one.source == "maildir:a")
    (box.path / "new/a").rename(box.path / moved)
    found = box.fetch(mail)
    assert found is not None
    assert (found.source, found.raw, found.handle) == ("maildir:a", b"new/a", str(box.path / moved))
    box.mark_seen(found)
    (lies,) = (name for name in lying(box) if name.startswith("cur/a"))
    assert "S" in lies


def test_a_mail_that_another_reader_has_deleted_is_gone(box: Maildir) -> None:
    (mail,) = (one for one in box.list_mails(set, "") if one.source == "maildir:a")
    (box.path / "new/a").unlink()
    assert box.fetch(mail) is None


class Restless(Maildir):
    """Whenever a folder is listed, another reader gives the mail another name before it is opened."""

    def _files(self) -> Iterator[Path]:
        found = list(super()._files())
        yield from found
        for path in found:
            path.rename(path.with_name(f"{path.name}x" if ":2," in path.name else f"{path.name}:2,"))


def test_a_mail_that_another_reader_never_leaves_alone_is_not_gone(box: Maildir) -> None:
    restless = Restless(box.path)
    (mail,) = (one for one in restless.list_mails(set, "") if one.source == "maildir:a")
    with pytest.raises(NotGiven, match="another program goes on moving it"):
        restless.fetch(mail)


def test_what_is_moved_while_it_is_listed_is_listed_once(box: Maildir) -> None:
    (box.path / "cur/a:2,S").write_bytes(
        b"new/a"
    )  # as it lies between a link and the removal of the old name
    listed = box.list_mails(set, "")
    assert [mail.source for mail in listed].count("maildir:a") == 1


def test_orders_that_another_reader_moves_during_a_pass_are_in_time(
    postal: Postal, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed = Maildir.list_mails

    def moved(self: Maildir, known: Callable[[], set[str]], reached: str) -> list[Listed]:
        found = listed(self, known, reached)
        for path in (self.path / "new").iterdir():
            path.rename(self.path / "cur" / f"{path.name}:2,S")
        return found

    monkeypatch.setattr(Maildir, "list_mails", moved)
    postal.run()
    postal.send(postal.table.sealed("alice"))
    lines = postal.run()
    assert any("received" in str(line) or "receipt" in str(line) for line in lines), lines
    assert not all_apart(postal.table.club)


def test_a_second_mail_under_a_used_name_is_taken_and_the_first_one_kept(postal: Postal) -> None:
    """As of a program whose clock and counter began anew."""
    box = postal.post.box("judge")
    postal.run()
    for who in ("alice", "bob"):
        (box / "new/1.2.host").write_bytes(mail(postal.table.sealed(who), f"{who}@example.org"))
        postal.run()
    assert postal.table.exchange == 2, "both count"
    assert (box / "cur/1.2.host:2,S").exists()
    assert (box / "new/1.2.host").exists(), "it does not take the place of the first"
    receipts = len(postal.mails("alice"))
    for _ in range(2):
        postal.run()
    assert len(postal.mails("alice")) == 0 < receipts


def test_a_mail_that_cannot_be_moved_to_cur_is_looked_at_once_more_and_no_more(
    postal: Postal, monkeypatch: pytest.MonkeyPatch
) -> None:
    postal.run()
    monkeypatch.setattr(Maildir, "mark_seen", lambda *_: None)
    read, real = [], Maildir.fetch

    def fetch(self: Maildir, mail: Listed) -> Fetched | None:
        read.append(mail.source)
        return real(self, mail)

    monkeypatch.setattr(Maildir, "fetch", fetch)
    postal.send("help\n")
    for _ in range(4):
        postal.run()
    assert len(read) == 2
    assert len(postal.mails("alice")) == 2, "the invitation and one answer"
