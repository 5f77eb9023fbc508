"""A local way out: a command called as sendmail is, or a Maildir that another program empties."""

from __future__ import annotations

import email
import errno
import mailbox
from email.message import Message
from pathlib import Path

import pytest

from pbem.cli import main
from pbem.judge.letters.wishes import keep_wishes
from pbem.mail.mail_problems import troubles
from pbem.mail.outbox import FOR_DIGEST, FOR_ROOM, waiting_mail
from pbem.service.doctor import examine
from tests.judge.table import Table, make_table
from tests.mail.postal import Postal
from tests.mail.servers import Post
from tests.mail.test_passes import STRANGER

SENDMAIL = """\
#!/bin/sh
# What a mail server's own sendmail does with a mail: it is called with -i -f SENDER -- ADDRESS.
test "$1 $2 $4 $#" = "-i -f -- 5" || exit 64
echo "$3 $5" >> "{folder}/envelopes"
if [ -e "{folder}/status" ]; then echo "sendmail: no such user here" >&2; exit "$(cat "{folder}/status")"; fi
mkdir -p "{folder}/$5"
cat > "{folder}/$5/$(ls "{folder}/$5" | wc -l).eml"
"""


class Local:
    """A table whose mail leaves without a server."""

    def __init__(self, tmp_path: Path, way: str) -> None:
        self.folder = tmp_path / "outgoing"
        self.way = way
        self.table: Table = make_table(tmp_path)
        self.post = Post(tmp_path / "post")
        self.postal = Postal(self.table, self.post)
        outbox = {"maildir": str(self.folder)}
        if way == "sendmail":
            self.folder.mkdir()
            script = tmp_path / "sendmail"
            script.write_text(SENDMAIL.format(folder=self.folder))
            script.chmod(0o755)
            outbox = {"sendmail": str(script)}
        else:
            mailbox.Maildir(self.folder, create=True)
        self.postal.settle(
            inbox={"maildir": str(self.post.box("judge"))}, outbox=outbox, sent_to="archive@club.example"
        )

    def sent(self, address: str) -> list[Message]:
        """What has left for an address."""
        if self.way == "sendmail":
            found = [path.read_bytes() for path in sorted((self.folder / address).glob("*.eml"))]
            return [email.message_from_bytes(one) for one in found]
        return [one for one in mailbox.Maildir(self.folder) if one["X-Envelope-To"] == address]


@pytest.fixture(params=["sendmail", "maildir"])
def local(request: pytest.FixtureRequest, tmp_path: Path) -> Local:
    return Local(tmp_path, request.param)


@pytest.mark.ci
def test_a_game_is_played_by_it(local: Local) -> None:
    postal = local.postal
    postal.run()
    for name in local.table.people:
        assert len(local.sent(f"{name}@example.org")) == 1
        postal.send(local.table.sealed(name), f"{name}@example.org")
    postal.run()
    postal.run()
    left = [path for path in local.folder.rglob("*") if path.is_file()]
    assert not any(b"\r" in path.read_bytes() for path in left), "a line ends as on this machine"
    for name in local.table.people:
        found = [str(one["Message-ID"]) for one in local.sent(f"{name}@example.org")]
        assert sum("-report." in one for one in found) == 2, "the invitation and the report"
        assert len(found) == len(set(found)), "each leaves once"
    assert len(local.sent("archive@club.example")) == sum(
        len(local.sent(f"{name}@example.org")) for name in local.table.people
    )
    assert troubles(local.table.club) == []


def test_an_answer_has_an_empty_sender(local: Local) -> None:
    local.postal.send("help\n", "alice@example.org")
    local.postal.run()
    if local.way == "sendmail":
        lines = (local.folder / "envelopes").read_text().splitlines()
        assert "<> alice@example.org" in lines
        assert "judge@club.example alice@example.org" in lines
    else:
        senders = {one["X-Envelope-From"] for one in local.sent("alice@example.org")}
        assert senders == {"<>", "judge@club.example"}


def test_the_doctor_says_what_takes_mail(local: Local, tmp_path: Path) -> None:
    (found,) = [one for one in examine(local.table.club) if one.what == "mail out"]
    assert not found.wrong
    assert str(tmp_path) in found.text
    if local.way == "sendmail":
        (tmp_path / "sendmail").unlink()
    else:
        (local.folder / "new").rmdir()
    (found,) = [one for one in examine(local.table.club) if one.what == "mail out"]
    assert found.wrong
    lines = local.postal.run()
    assert any(line.step == "out" and line.trouble for line in lines)
    assert local.table.club.store.unsent_letters(), "nothing is lost"


@pytest.mark.ci
@pytest.mark.parametrize(("status", "tries"), [("67", 7), ("75", 12), ("1", 12)])
def test_a_command_that_refuses_is_tried_again_and_at_last_no_more(
    tmp_path: Path, status: str, tries: int
) -> None:
    local = Local(tmp_path, "sendmail")
    (local.folder / "status").write_text(status)
    for _ in range(20):
        local.postal.run()
        local.table.clock.pass_days(1)
    rows = [row for row in local.table.club.store.letters() if row.name.endswith("0000-report.txt")]
    assert {row.tries for row in rows} == {tries}
    assert any("ended with" in text and "no such user here" in text for text in troubles(local.table.club))


def test_a_letter_that_was_refused_leaves_when_the_command_takes_it(tmp_path: Path) -> None:
    local = Local(tmp_path, "sendmail")
    (local.folder / "status").write_text("75")
    local.postal.run()
    (local.folder / "status").unlink()
    local.table.clock.pass_days(0.1)
    local.postal.run()
    assert len(local.sent("alice@example.org")) == 1
    assert troubles(local.table.club) == []


def test_a_letter_whose_copy_cannot_be_written_has_left_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk of the Maildir has room for the letter alone."""
    local, add = Local(tmp_path, "maildir"), mailbox.Maildir.add

    def full(self: mailbox.Maildir, mail: bytes) -> str:
        if b"X-Envelope-To: archive@" in mail:
            raise OSError(errno.ENOSPC, "No space left on device")
        return add(self, mail)

    with monkeypatch.context() as patch:
        patch.setattr(mailbox.Maildir, "add", full)
        local.postal.run()
        assert "No space left on device" in " ".join(troubles(local.table.club))
    for _ in range(3):
        local.table.clock.pass_days(0.1)
        local.postal.run()
    assert len(local.sent("alice@example.org")) == len(local.sent("bob@example.org")) == 1


def test_the_journal_leaves_by_it_ahead_of_what_it_holds(local: Local) -> None:
    local.postal.settle(sent_to="archive@club.example", journal={"mail": True})
    local.postal.run()
    assert any("journal-" in str(one["Message-ID"]) for one in local.sent("archive@club.example"))
    assert len(local.sent("alice@example.org")) == 1


def test_the_command_line_looks_at_it(local: Local, capsys: pytest.CaptureFixture[str]) -> None:
    main(["doctor", "--club", str(local.table.club.path)])
    assert "takes mail" in capsys.readouterr().out


# How fast mails leave, and under whose envelope sender


def settle_outbox(postal: Postal, **outbox: object) -> None:
    """The same mailboxes and server, with these settings for the outbox."""
    postal.settle(outbox=postal.box("outbox") | outbox)


def left(postal: Postal) -> int:
    """How many mails have left since the last time."""
    return sum(len(postal.mails(name)) for name in ("alice", "bob", "mallory"))


def test_no_more_leave_in_an_hour_than_the_club_says(postal: Postal) -> None:
    settle_outbox(postal, per_hour=1)
    postal.run()
    assert left(postal) == 1
    assert waiting_mail(postal.table.club) == f"1 letters {FOR_ROOM}"
    postal.after(0.5 / 24)
    assert left(postal) == 0, "half an hour later the limit still holds"
    postal.after(0.6 / 24)
    assert left(postal) == 1, "nothing is lost by waiting"
    assert postal.table.club.store.unsent_letters() == []


def test_a_letter_that_waits_for_a_digest_is_not_said_to_leave_in_the_next_pass(postal: Postal) -> None:
    postal.run()
    store = postal.table.club.store
    with store.step():
        keep_wishes(store, "alice", hear="game=digest")
    postal.go()
    assert waiting_mail(postal.table.club) == f"{len(store.unsent_letters())} letters {FOR_DIGEST}"
    postal.after(1)
    assert waiting_mail(postal.table.club) == ""


def test_under_the_limit_players_come_before_strangers(postal: Postal) -> None:
    settle_outbox(postal, per_hour=2)
    postal.deliver("hello\n", STRANGER, Subject="about demo")
    assert postal.mails("mallory") == []
    assert len(postal.mails("alice")) == len(postal.mails("bob")) == 1
    postal.after(1.1 / 24)
    assert len(postal.mails("mallory")) == 1


def test_answers_have_our_own_envelope_sender_where_the_club_says_so(postal: Postal) -> None:
    settle_outbox(postal, empty_sender=False)
    postal.deliver("hello\n", STRANGER, Subject="about demo")
    (answer,) = postal.mails("mallory")
    assert answer["Return-Path"] == "<judge@club.example>"
    assert answer["Auto-Submitted"] == "auto-replied", "a machine still knows that a machine has answered"
