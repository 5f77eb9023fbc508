"""How long mails are kept in the judge's own Maildir, and which stay there."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbem.errors import ConfigError
from pbem.judge.upkeep import backups
from pbem.mail.settings import read_settings
from tests.mail.postal import Postal
from tests.mail.test_passes import STRANGER

pytestmark = pytest.mark.ci


def settle(postal: Postal, keep_days: int = 90, *, delete: bool = True) -> None:
    inbox = postal.box("inbox") | ({"delete_handled": True} if delete else {})
    postal.settle(inbox=inbox, keep_days=keep_days)


def kept(postal: Postal) -> list[Path]:
    """What lies in the judge's mailbox."""
    return sorted(path for name in ("new", "cur") for path in (postal.post.box("judge") / name).iterdir())


def backup(postal: Postal, folder: Path) -> None:
    backups.backup(postal.table.club, folder / f"{len(list(folder.iterdir()))}.tar.gz")


def take_in(postal: Postal) -> None:
    """A mail comes and is handled."""
    postal.deliver("hello\n", STRANGER)
    assert len(kept(postal)) == 1


def later(postal: Postal, days: float) -> list[str]:
    postal.table.clock.pass_days(days)
    return [line.text for line in postal.run(after_gap=True) if line.step == "kept"]


def test_handled_mails_are_deleted_when_they_are_old_and_saved(postal: Postal, tmp_path: Path) -> None:
    settle(postal)
    take_in(postal)
    later(postal, 2)
    backup(postal, tmp_path)
    assert later(postal, 80) == []
    assert len(kept(postal)) == 1, "not older than keep_days"
    postal.send("another\n", STRANGER, Message_ID="<2@example.org>")
    assert "1 handled mails were deleted in the maildir" in later(postal, 10)
    (young,) = kept(postal)
    assert b"another" in young.read_bytes()


@pytest.mark.parametrize(
    ("keep_days", "delete", "saved"),
    [(90, False, True), (0, True, True), (90, True, False)],
    ids=["a club that does not say so", "kept for ever", "without a backup"],
)
def test_what_may_not_be_deleted_stays(
    postal: Postal, tmp_path: Path, keep_days: int, delete: bool, saved: bool
) -> None:
    settle(postal, keep_days, delete=delete)
    take_in(postal)
    later(postal, 2)
    if saved:
        backup(postal, tmp_path)
    forgets = "1 mails older than 90 days are no longer kept"
    assert later(postal, 1000) == [forgets] * (keep_days > 0)
    assert len(kept(postal)) == 1


def test_what_no_backup_holds_is_not_deleted(postal: Postal, tmp_path: Path) -> None:
    """A restored club fetches from the mailbox what came after its backup."""
    settle(postal)
    backup(postal, tmp_path)
    take_in(postal)
    later(postal, 100)
    assert len(kept(postal)) == 1, "it came after the backup"
    backup(postal, tmp_path)
    later(postal, 1)
    assert kept(postal) == []


def test_a_flagged_mail_and_one_that_was_never_taken_in_stay(postal: Postal, tmp_path: Path) -> None:
    box = postal.post.box("judge")
    (box / "cur" / "older:2,S").write_bytes(b"Subject: of the time before\n\n")
    settle(postal)
    postal.send("one\n", STRANGER, Message_ID="<1@example.org>")
    postal.deliver("two\n", STRANGER, Message_ID="<2@example.org>")
    flagged = next(path for path in kept(postal) if path.name != "older:2,S")
    flagged.rename(flagged.with_name(flagged.name.replace(":2,S", ":2,FS")))
    later(postal, 2)
    backup(postal, tmp_path)
    later(postal, 100)
    assert {path.name.partition(":2,")[2] for path in kept(postal)} == {"S", "FS"}
    assert (box / "cur" / "older:2,S").exists()
    assert len(kept(postal)) == 2


@pytest.mark.parametrize("keep_days", [90, 0])
def test_counts_of_answers_go_once_no_quota_asks_for_them(postal: Postal, keep_days: int) -> None:
    settle(postal, keep_days)
    store, address = postal.table.club.store, "stranger@example.org"

    def count() -> str:
        day = f"{postal.table.club.clock():%Y-%m-%d} other"
        with store.step():
            store.count_answer(address, day)
        return day

    first = count()
    later(postal, 1)
    second = count()
    assert store.count_answers(address, first) == 1, "a repeated answer is known since yesterday began"
    later(postal, 1)
    third = count()
    assert [store.count_answers(address, day) for day in (first, second, third)] == [0, 1, 1]
    later(postal, 0)
    assert [store.count_answers(address, day) for day in (first, second, third)] == [0, 1, 1], "once a day"


def test_a_maildir_that_is_gone_is_told_and_stops_nothing(postal: Postal, tmp_path: Path) -> None:
    settle(postal)
    take_in(postal)
    later(postal, 2)
    backup(postal, tmp_path)
    box = postal.post.box("judge")
    box.rename(box.with_name("elsewhere"))
    (told,) = later(postal, 100)[1:]
    assert "Is its disk mounted?" in told


@pytest.mark.parametrize(
    ("inbox", "told"),
    [
        ({"maildir": "m", "delete_handled": "yes"}, "delete_handled must be true or false, not 'yes'"),
        ({"host": "h", "delete_handled": True}, "delete_handled is for a maildir"),
    ],
)
def test_the_setting_is_for_a_maildir(inbox: dict[str, object], told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        read_settings({"mail": {"address": "judge@club.example", "inbox": inbox}})
