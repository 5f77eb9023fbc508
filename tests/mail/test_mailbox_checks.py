"""No exchange ends while mail cannot: the mailbox is away, letters do not leave, one mail cannot be had."""

from __future__ import annotations

import os
from datetime import timedelta
from pathlib import Path

import pytest

from pbem.errors import MailError
from pbem.judge.deadlines import running_deadlines, waits_for_mail
from pbem.judge.intake import quarantine
from pbem.judge.intake.quarantine import all_apart, drop
from pbem.mail import club_mailbox, imap, maildir
from pbem.mail.club_mailbox import MAX_FAILED_MAILS, fetch_mail
from pbem.mail.mail_problems import troubles
from pbem.mail.settings import MailSettings
from pbem.trust.times import is_over
from tests.judge.table import GAME, START, Table
from tests.mail.postal import JUDGE, Postal, mail
from tests.mail.servers import Post
from tests.mail.test_passes import body, names

DAY = timedelta(days=1)


def begin(postal: Postal) -> None:
    """Both have accepted, exchange 2 is open and everybody has the report."""
    postal.run()
    postal.all_send()
    postal.run()
    assert postal.table.exchange == 2


def away(postal: Postal) -> Path:
    """The mailbox's disk is not mounted."""
    box = postal.post.box("judge")
    aside = box.with_name("aside")
    return box.rename(aside)


def passes(postal: Postal, count: int, step: timedelta) -> None:
    for _ in range(count):
        postal.table.clock.now += step
        postal.run()


@pytest.mark.ci
def test_no_exchange_ends_before_the_mailbox_was_looked_at_after_its_deadline(postal: Postal) -> None:
    """The mailbox is away for nine days, with orders in it that came in time."""
    begin(postal)
    postal.send(postal.table.sealed("alice"))
    aside = away(postal)
    passes(postal, 9, DAY)
    assert postal.table.exchange == 2
    assert any(
        "waits past its deadline: the judge has not read" in text for text in troubles(postal.table.club)
    )
    told = [mail for mail in postal.mails("bob") if "waits" in str(mail["Message-ID"])]
    assert len(told) == 1
    assert "does not end by its deadline yet" in body(told[0])
    aside.rename(aside.with_name("judge"))
    postal.run()
    book = postal.table.book
    assert {one.player for one in book.history.exchanges[1].received} == {"alice"}
    assert postal.table.exchange == 3
    assert troubles(postal.table.club) == []


def test_a_complete_exchange_waits_for_no_mailbox(postal: Postal) -> None:
    begin(postal)
    away(postal)
    for name in postal.table.people:
        postal.table.send(name)
    postal.run()
    assert postal.table.exchange == 3


def to_deadline(postal: Postal) -> None:
    """The deadline is over, and no pass has been since."""
    deadline = postal.table.deadline
    postal.table.clock.now = deadline + timedelta(hours=2)
    running_deadlines.note_pass(postal.table.club, deadline)


NO_MAIL = {
    "folder": "it is not a file",
    "pipe": "it is not a file",
    "nowhere": "it is a link to nothing",
    "strange": "too many levels of symbolic links",
}
"""What lies there, or where the link that does leads -> why it is not taken in."""


@pytest.mark.ci
@pytest.mark.parametrize("how", NO_MAIL)
def test_what_is_no_mail_in_a_maildir_harms_itself_alone(postal: Postal, how: str) -> None:
    """Orders beside it are taken in; it is told, no game waits for it for ever, it can be dropped."""
    begin(postal)
    path = postal.post.box("judge") / "new" / "strange"
    if how == "folder":
        path.mkdir()
    elif how == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to(how)
    postal.deliver(postal.table.sealed("alice"))
    assert {one.player for one in postal.table.book.history.exchanges[1].received} == {"alice"}
    (one,) = all_apart(postal.table.club)
    assert (one.kind, one.name, one.why) == ("mail", "maildir:strange", NO_MAIL[how])
    to_deadline(postal)
    postal.run()
    assert postal.table.exchange == 2, "it has been tried twice"
    postal.table.clock.now += timedelta(hours=1)
    postal.run()
    assert postal.table.exchange == 3, "the third try is the last that a game waits for"
    drop(postal.table.club, one)
    postal.table.clock.now += DAY
    postal.run()
    assert all_apart(postal.table.club) == []


def test_what_is_beyond_the_most_that_may_fail_is_tried_later(table: Table, tmp_path: Path) -> None:
    """And each again when its pause is over, not sooner."""
    box = Post(tmp_path / "post").box("judge")
    for number in range(MAX_FAILED_MAILS + 2):
        (box / f"new/{number:02}").symlink_to("nowhere")
    settings = MailSettings(address=JUDGE, maildir=box)
    for tries in (1, 2):
        with pytest.raises(MailError, match=f"{MAX_FAILED_MAILS} mails in it cannot be read"):
            fetch_mail(table.club, settings)
        assert len([one for one in all_apart(table.club) if one.tries == tries]) == MAX_FAILED_MAILS
        (box / f"new/good{tries}").write_bytes(mail(f"help\n{tries}\n"))
        assert fetch_mail(table.club, settings) == 1
        assert [one.tries for one in all_apart(table.club)] == [tries] * (MAX_FAILED_MAILS + 2)
        table.clock.now += timedelta(minutes=11)


def test_a_server_may_say_other_things_before_what_it_was_asked() -> None:
    """RFC 3501, 7: flags of a mail may come unasked, in a line of their own."""
    parts = [b"1 (FLAGS (\\Seen))", (b"1 (BODY[] {4}", b"mail"), None, b"1 (RFC822.SIZE 4)"]
    assert b" ".join(imap._flat(parts)) == b"1 (FLAGS (\\Seen)) 1 (BODY[] {4} mail 1 (RFC822.SIZE 4)"


def test_a_mail_that_is_given_at_last_is_taken(postal: Postal, monkeypatch: pytest.MonkeyPatch) -> None:
    """While it may still be had, the game waits for it."""
    begin(postal)
    postal.send(postal.table.sealed("alice"))
    real = maildir.Maildir.fetch

    def not_given(box: maildir.Maildir, mail: maildir.Listed) -> maildir.Fetched | None:
        raise maildir.NotGiven("it is busy")

    monkeypatch.setattr(maildir.Maildir, "fetch", not_given)
    to_deadline(postal)
    postal.run()
    assert postal.table.exchange == 2
    monkeypatch.setattr(maildir.Maildir, "fetch", real)
    postal.table.clock.now += timedelta(minutes=11)
    postal.run()
    assert {one.player for one in postal.table.book.history.exchanges[1].received} == {"alice"}
    assert postal.table.exchange == 3


@pytest.mark.ci
def test_a_flood_holds_no_game_up_for_ever(postal: Postal, monkeypatch: pytest.MonkeyPatch) -> None:
    """More comes with each pass than a pass takes in; orders at the flood's beginning are taken in."""
    monkeypatch.setattr(club_mailbox, "MAX_MAILS_AT_ONCE", 3)
    begin(postal)
    passes(postal, 1, timedelta(0))

    def flood() -> None:
        for number in range(5):
            content = f"news {postal.table.clock()} {number}"
            postal.send(
                content, "x@example.net", Precedence="bulk", Message_ID=f"<{content.replace(' ', '.')}>"
            )

    flood()
    postal.send(postal.table.sealed("alice"))
    to_deadline(postal)
    for _ in range(6):
        flood()
        postal.run()
        postal.table.clock.now += timedelta(minutes=5)
        if postal.table.exchange == 3:
            break
    assert {one.player for one in postal.table.book.history.exchanges[1].received} == {"alice"}
    assert postal.table.exchange == 3


@pytest.fixture
def refusing(postal: Postal) -> list[str]:
    """Whom the mail server puts off for ever."""
    refused: list[str] = []

    async def handle_rcpt(
        server: object, session: object, envelope: object, address: str, options: object
    ) -> str:
        if address.partition("@")[0] in refused:
            return "451 come back later"
        envelope.rcpt_tos.append(address)  # type: ignore[attr-defined]
        return "250 OK"

    postal.post.handle_RCPT = handle_rcpt  # type: ignore[attr-defined]
    return refused


@pytest.mark.ci
def test_letters_that_are_put_off_for_a_day_are_told_once(postal: Postal, refusing: list[str]) -> None:
    """Whether one player's or everybody's: the server can be reached, and no other alert says so."""
    begin(postal)
    refusing += ["alice", "bob"]
    passes(postal, 1, timedelta(0))
    postal.deliver(postal.table.sealed("alice"))

    def told() -> list[str]:
        return [row.text for row in postal.table.club.store.alerts() if row.told]

    passes(postal, 23, timedelta(hours=1))
    assert told() == []
    passes(postal, 3, timedelta(hours=1))
    (text,) = told()
    assert text.startswith("letters to alice have waited for a day")
    refusing.clear()
    postal.after(0.5)
    postal.after(1)
    assert told() == []


@pytest.mark.ci
def test_a_player_whose_server_puts_the_judge_off_holds_the_game_up_for_three_days(
    refusing: list[str], postal: Postal
) -> None:
    postal.run()
    refusing.append("bob")
    postal.all_send()
    postal.run()
    to_deadline(postal)
    postal.run()
    assert postal.table.exchange == 2
    passes(postal, 4, DAY)
    assert postal.table.exchange == 3
    assert any(
        "letters of" in text and "bob" in text
        for text in waits_for_mail.undeliverable(postal.table.club).values()
    )


@pytest.mark.ci
def test_no_exchange_ends_whose_report_nobody_could_have(
    postal: Postal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No letter leaves for 31 days; then there is a day to answer. Asking for letters again gives no more."""
    from pbem.errors import MailError
    from pbem.mail import outbox, sessions

    postal.run()
    postal.all_send()
    real = sessions.open_session

    def closed(server: object) -> object:
        raise MailError("the mail server is away")

    monkeypatch.setattr(outbox, "open_session", closed)
    postal.run()
    passes(postal, 31, DAY)
    assert postal.table.exchange == 2
    assert any("letters to alice have not been sent" in text for text in troubles(postal.table.club))
    monkeypatch.setattr(outbox, "open_session", real)
    passes(postal, 2, timedelta(hours=1))
    assert postal.table.exchange == 2
    assert any(name.endswith("report.txt") for name in names(postal.mails("alice")))
    for _ in range(5):
        postal.send(
            f"resend {GAME}", "alice@example.org", Message_ID=f"<{postal.table.clock()}@x>".replace(" ", "")
        )
        passes(postal, 1, timedelta(hours=6))
    assert postal.table.exchange == 3


# A clock that was years ahead and is right again: what was reckoned by it holds up nothing and nobody


YEARS = 1_000


def ahead(postal: Postal) -> None:
    """One pass is made by a clock that is years ahead; then it is set right."""
    postal.after(YEARS)
    postal.table.clock.pass_days(-YEARS)


def test_a_letter_that_was_put_off_leaves_when_the_clock_is_right(postal: Postal) -> None:
    postal.run()
    postal.send(postal.table.sealed("alice"))
    postal.post.refusal = "451 try again later"
    ahead(postal)
    postal.post.refusal = ""
    postal.run()
    assert postal.table.club.store.unsent_letters() == []


def test_a_look_by_a_wrong_clock_ends_no_exchange(postal: Postal) -> None:
    """The mailbox is away since, with orders in it that came in time."""
    postal.run()
    ahead(postal)
    postal.send(postal.table.sealed("alice"))
    aside = away(postal)
    for _ in range(9):
        postal.after(1)
    assert postal.table.exchange == 1
    aside.rename(aside.with_name("judge"))
    postal.run()
    exchange = postal.table.book.history.exchanges[0]
    assert {one.player for one in exchange.received} == {"alice"}
    assert postal.table.exchange == 2


def test_what_was_set_apart_is_tried_when_the_clock_is_right(postal: Postal) -> None:
    club = postal.table.club
    postal.table.clock.pass_days(YEARS)
    quarantine.set_apart(club, quarantine.GAME, GAME, "it is broken")
    assert quarantine.is_paused(club, quarantine.GAME, GAME)
    postal.table.clock.pass_days(-YEARS)
    assert not quarantine.is_paused(club, quarantine.GAME, GAME)


@pytest.mark.parametrize(
    ("until", "over"), [(0, True), (1, False), (60, False), (61, True)], ids=("now", "soon", "last", "beyond")
)
def test_a_pause_is_over_when_it_ends_or_lies_too_far_ahead(until: int, over: bool) -> None:
    moment = START + timedelta(minutes=until)
    assert is_over(moment, START, timedelta(hours=1)) is over
