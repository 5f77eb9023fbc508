"""What other programs leave in a Maildir: orders in it are taken once, and what is no mail harms nobody."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest

from pbem.judge.intake.quarantine import all_apart
from tests.mail.habit_kinds import ManyHops, MarkedBytes, MboxLine, WrongDates, ZeroBytes
from tests.mail.postal import Postal, mail

pytestmark = pytest.mark.ci
HABITS: dict[str, Callable[[bytes], bytes]] = {
    "a line of mbox at the top": MboxLine().change,
    "a mark of byte order": MarkedBytes().change,
    "two hundred hops": ManyHops().change,
    "zero bytes at the end": ZeroBytes().change,
    "of 1970": WrongDates().change,
    "an empty line at the top": lambda raw: b"\r\n" + raw,
    "CR alone": lambda raw: raw.replace(b"\n", b"\r"),
    "CR CR LF": lambda raw: raw.replace(b"\n", b"\r\r\n"),
    "packed by Dovecot's mail_compress": gzip.compress,
    "escaped as in an mbox": lambda raw: raw.replace(b"\n-----B", b"\n>From nobody\n-----B"),
    "eight bits in a header": lambda raw: b"X-Spam-Report: gr\xfc\xdfe \xff\n" + raw,
    "a header folded by nothing": lambda raw: b"X-Folded: a\n \n\t\n b\n" + raw,
    "a header of 90 kB": lambda raw: b"X-MS-Exchange-AntiSpam: " + b"x" * 90_000 + b"\n" + raw,
}


def deliver(postal: Postal, raw: bytes, name: str, part: str = "new") -> Path:
    path = postal.post.box("judge") / part / name
    path.write_bytes(raw)
    return path


@pytest.mark.parametrize("habit", HABITS)
def test_orders_are_taken_whatever_was_done_to_their_mail(habit: str, quiet: Postal) -> None:
    raw = HABITS[habit](mail(quiet.table.sealed("alice"), Subject="orders"))
    deliver(quiet, raw, "1.a.host")
    quiet.run()
    (exchange,) = quiet.table.book.history.exchanges
    assert [one.player for one in exchange.received] == ["alice"]


@pytest.mark.parametrize(
    "name",
    [
        "1.a.host:2,",
        "1.a.host:2,abc",  # Dovecot's keywords
        "1.a.host:2,FRSTXYZ",
        "1.a.host:1,exp",  # an experimental mark
        "1.a.host",  # no mark at all
        "1.a,S=900,W=920:2,S",  # sizes of Dovecot and Courier
        "1.a.host;2,S",  # isync and rclone on file systems without colons
        "1.a.host!2,S",  # offlineimap there
        "1.a.host-2,S",
    ],
)
def test_mails_lie_in_cur_under_every_mark(name: str, quiet: Postal) -> None:
    deliver(quiet, mail(quiet.table.sealed("alice"), Subject="orders"), name, "cur")
    quiet.run()
    (exchange,) = quiet.table.book.history.exchanges
    assert [one.player for one in exchange.received] == ["alice"]
    quiet.run()
    assert len(quiet.mails("alice")) == 1, "one receipt"


@pytest.mark.parametrize("mark", [";2,", "!2,"])
def test_a_mail_that_is_flagged_under_another_mark_is_the_same(mark: str, quiet: Postal) -> None:
    """Isync writes `;2,` where a file system has no colons; flags of one mail change, its name does not."""
    path = deliver(quiet, mail("help\n"), f"1.a.host{mark}", "cur")
    quiet.run()
    assert len(quiet.mails("alice")) == 1
    for one in (quiet.post.box("judge") / "cur").iterdir():
        one.rename(path.with_name(f"1.a.host{mark}RS"))
    assert [line.text for line in quiet.run() if line.step == "in"] == []


def test_files_of_servers_are_no_mails(quiet: Postal) -> None:
    box = quiet.post.box("judge")
    for part in ("new", "cur"):
        for name in (".nfs0000000123", ".DS_Store", "._1234.host"):
            (box / part / name).write_bytes(b"\0\5\7" * 40)
    for name in ("dovecot-uidlist", "dovecot.index.log", "maildirfolder", "subscriptions"):
        (box / name).write_bytes(b"3 V1 N1\n")
    (box / ".Sent" / "cur").mkdir(parents=True)
    (box / ".Sent" / "cur" / "1.b.host:2,S").write_bytes(mail("help\n"))
    assert [line.text for line in quiet.run() if line.step in ("in", "orders")] == []
    assert all_apart(quiet.table.club) == []


def test_a_mail_that_is_delivered_twice_is_answered_once(quiet: Postal) -> None:
    """An alias and a rule: the same bytes in two files."""
    raw = mail(quiet.table.sealed("alice"), Subject="orders")
    deliver(quiet, raw, "1.a.host")
    deliver(quiet, raw, "2.b.host")
    quiet.run()
    assert len(quiet.mails("alice")) == 1


@pytest.mark.parametrize(
    ("raw", "told"),
    [
        (gzip.compress(bytes(range(250)))[:99], "its server has packed it, and it is damaged"),
        (b"\x28\xb5\x2f\xfd" + b"x" * 90, "have it pack by gz"),
    ],
    ids=["damaged", "zstd"],
)
def test_a_packed_mail_that_cannot_be_read_is_told(raw: bytes, told: str, quiet: Postal) -> None:
    deliver(quiet, raw, "1.a.host", "cur")
    quiet.run()
    (one,) = all_apart(quiet.table.club)
    assert told in one.why


def test_a_packed_mail_is_unpacked_up_to_what_any_mail_may_have(quiet: Postal) -> None:
    """Its sender is told that it is too large; what it unpacks to is not held in memory."""
    deliver(quiet, gzip.compress(mail(b"x\n" * 30_000_000)), "1.a.host", "cur")
    lines = [line.text for line in quiet.run()]
    assert any("the mail has more than 2,000,000 bytes" in line for line in lines), lines
