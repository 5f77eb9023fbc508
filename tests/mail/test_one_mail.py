"""Letters of one game to one reader leave as one mail, and each of them is still known by its own mark."""

from __future__ import annotations

import re
from collections.abc import Iterator
from email.message import Message

import pytest
from aiosmtpd.smtp import SMTP, Envelope, Session

from pbem.judge.tables.database import LetterRow
from pbem.mail import outbox
from pbem.mail.bounces import MAX_LETTERS_IN_REPORT
from pbem.mail.compose import primary
from pbem.mail.headers import LETTER, read_head
from pbem.mail.mail_problems import troubles
from pbem.mail.outbox import MAX_LETTERS_TOGETHER
from pbem.mail.restore_sources import read_sent
from pbem.service.one_pass import Line, Pass
from pbem.trust.armor import find_sealed
from tests.mail.postal import Postal
from tests.mail.servers import Post
from tests.mail.test_bounces import bounce, deliver

NAMED = re.compile(r"-(report|notice|receipt|copy|forecast)\b")


@pytest.fixture
def relayed(postal: Postal) -> Postal:
    """A game whose judge passes on copies, in its second exchange."""
    postal.settle(copies="relay", sent_to="archive@club.example")
    postal.run()
    postal.go()
    for name in ("alice", "bob"):
        postal.mails(name)
    return postal


def ids(mail: Message) -> list[str]:
    """The ids of the letters in a mail, its own first."""
    return [str(mail["Message-ID"]), *map(str, mail.get_all(LETTER, []))]


def kinds(mail: Message) -> list[str]:
    """The kinds of the letters in a mail, that of its own id first."""
    return [found[1] for one in ids(mail) if (found := NAMED.search(one))]


def last_exchange(postal: Postal, *, apart: bool = False) -> list[list[str]]:
    """What alice gets when both have sent orders, mail by mail."""
    for name in ("alice", "bob"):
        postal.send(postal.table.sealed(name), f"{name}@example.org")
        if apart:
            postal.run()
    postal.run()
    return [kinds(mail) for mail in postal.mails("alice")]


@pytest.mark.ci
def test_a_copy_leaves_with_the_report_of_its_pass(relayed: Postal) -> None:
    receipt, *_, last = last_exchange(relayed, apart=True)
    assert receipt == ["receipt"]
    assert last == ["report", "copy"]


@pytest.mark.ci
def test_a_receipt_waits_for_nothing(relayed: Postal, monkeypatch: pytest.MonkeyPatch) -> None:
    """It has left when the games are played; what else leaves for its reader then goes with it."""
    left: list[int | str] = []
    honest = relayed.table.club.store.mark_sent

    def games(_: Pass) -> Iterator[Line]:
        left.append("games")
        return iter(())

    def mark_sent(_: object, number: int, at: str) -> None:
        left.append(number)
        honest(number, at)

    monkeypatch.setattr(Pass, "_games", games)
    monkeypatch.setattr(type(relayed.table.club.store), "mark_sent", mark_sent)
    relayed.all_send()
    relayed.run()
    assert left.index("games") == 4, "two receipts, and a copy with each"
    assert [kinds(mail) for mail in relayed.mails("alice")] == [["receipt", "copy"], ["forecast"]]


@pytest.mark.ci
def test_the_whole_mail_as_it_was_saved_holds_each_letter(relayed: Postal) -> None:
    last_exchange(relayed)
    relayed.all_send()
    relayed.run()
    (receipt, report) = [mail for mail in relayed.mails("alice") if "forecast" not in kinds(mail)]
    for mail in (receipt, report):
        held = {bytes(one) for one in find_sealed(mail.as_bytes())}
        for one in ids(mail):
            name = f"demo-{one.partition('.demo-')[2].partition('.id')[0]}.txt"
            row = relayed.table.club.store.letter_named("demo", "alice", name)
            assert row is not None
            assert {bytes(sealed) for sealed in find_sealed(row.data)} <= held


@pytest.mark.ci
def test_each_of_them_came_back_if_the_mail_did(relayed: Postal) -> None:
    for name in ("alice", "bob"):
        relayed.deliver(relayed.table.sealed(name), f"{name}@example.org")
    *_, last = relayed.mails("alice")
    assert kinds(last) == ["report", "copy"]
    heads = "".join(f"\n{LETTER}: {one}" for one in last.get_all(LETTER, []))
    deliver(relayed, bounce(last).replace(b"\nSubject: demo for", f"{heads}\nSubject: demo for".encode()))
    told = " ".join(troubles(relayed.table.club))
    assert "report.txt to alice: a mail server returned it" in told
    assert "copy" in told
    assert MAX_LETTERS_IN_REPORT > MAX_LETTERS_TOGETHER


@pytest.mark.ci
def test_the_sent_mail_tells_of_each(relayed: Postal) -> None:
    last_exchange(relayed)
    sent = relayed.post.box("archive")
    heads = read_sent(["demo"], [sent])["demo"]
    rows = relayed.table.club.store.letter_names("demo")
    with_heads = {
        (player, name) for player, name, left in rows if left and re.search("-report|-notice", name)
    }
    assert heads.letters == with_heads
    receipts = {(player, name) for player, name, _ in rows if "-receipt-" in name}
    assert {(one.player, one.name) for one in heads.receipts} == receipts


class Picky(Post):
    """A post office that takes no mail with several letters."""

    hangs_up = False

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802
        if read_head(envelope.original_content or b"").letters:
            if self.hangs_up:
                assert server.transport is not None
                server.transport.close()
            return "552 too large"
        return await super().handle_DATA(server, session, envelope)


@pytest.mark.ci
@pytest.mark.parametrize("hangs_up", [False, True])
def test_what_is_not_taken_as_one_leaves_one_by_one_at_once(relayed: Postal, hangs_up: bool) -> None:
    relayed.post.__class__ = Picky
    relayed.post.hangs_up = hangs_up  # type: ignore[attr-defined]
    got = last_exchange(relayed)
    assert sorted(kind for kind in got if kind != ["forecast"]) == [["copy"], ["receipt"], ["report"]]
    assert troubles(relayed.table.club) == []


@pytest.mark.ci
def test_what_is_too_large_for_one_mail_leaves_one_by_one(
    relayed: Postal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outbox, "MAX_SIZE_TOGETHER", 100_000)
    got = last_exchange(relayed)
    assert sorted(kind for kind in got if kind != ["forecast"]) == [["copy"], ["receipt"], ["report"]]


@pytest.mark.ci
def test_an_open_club_shows_the_words_of_each(relayed: Postal) -> None:
    relayed.settle(reports="open", copies="relay")
    relayed.all_send()
    relayed.run()
    receipt, *_ = [mail for mail in relayed.mails("alice") if kinds(mail)[0] == "receipt"]
    assert kinds(receipt) == ["receipt", "copy"]
    text, page = (
        part.get_payload(decode=True).decode()  # type: ignore[union-attr]
        for part in receipt.walk()
        if part.get_content_type() in ("text/plain", "text/html") and not part.get_filename()
    )
    words = "sealed orders of another player: demo-0002-copy-"
    assert words in text
    assert words in page


def test_the_report_is_the_mail_that_others_join() -> None:
    names = [
        "demo-0002-receipt-1.txt",
        "demo-0002-report.txt",
        "demo-0002-copy-1-x.txt",
        "demo-0003-report.txt",
    ]
    rows = [LetterRow(number, "demo", "alice", name, b"x", "") for number, name in enumerate(names)]
    assert primary(rows).name == "demo-0003-report.txt"
    assert primary([rows[0], rows[2]]).name == names[0]


@pytest.mark.parametrize("name", ["demo-0000-report.txt", "demo-0002-receipt-1.txt", "demo-0002-notice.txt"])
def test_a_message_of_a_player_gives_no_mail_its_subject_that_brings_more(name: str) -> None:
    names = [name, f"demo-press-{'0' * 12}.txt"]
    rows = [LetterRow(number, "demo", "alice", one, b"x", "") for number, one in enumerate(names)]
    assert primary(rows).name == name
