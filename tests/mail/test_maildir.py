"""A Maildir by itself: what it lists, gives, marks and deletes."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pbem.errors import MailError
from pbem.mail.extract import LARGEST_HEAD, LARGEST_MAIL
from pbem.mail.fetch import Fetched, Listed, Maildir, NotGiven, _flat


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
    listed = box.listed(lambda: {"maildir:e"}, "")
    assert [mail.source for mail in listed] == ["maildir:b", "maildir:c", "maildir:f", "maildir:a"]
    assert box.name == "maildir"
    assert sorted(box.seen()) == ["maildir:b", "maildir:c", "maildir:f"]
    assert sorted(box.seen(datetime.fromtimestamp(5, UTC))) == ["maildir:b", "maildir:c"]
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
        box.seen()
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

    for name, size in (("most", LARGEST_MAIL), ("more", LARGEST_MAIL + 1)):
        with (box.path / "new" / name).open("wb") as file:
            file.truncate(size)
    (box.path / "new/link").symlink_to("nothing")
    (box.path / "new/loop").symlink_to("loop")
    os.mkfifo(box.path / "new/pipe")
    assert (given("a"), given("most"), given("gone")) == ((5, 5), (LARGEST_MAIL, LARGEST_MAIL), None)
    assert given("more") == (LARGEST_HEAD, LARGEST_MAIL + 1)
    for name, why in (("link", "it is a link to nothing"), ("pipe", "it is not a file"), ("loop", "too ")):
        with pytest.raises(NotGiven, match=f"^{why}"):
            given(name)


def test_what_a_server_answers_is_taken_in_its_order() -> None:
    assert list(_flat([(b"1", b"2"), None, b"3", (b"4",)])) == [b"1", b"2", b"3", b"4"]
