"""Habits of mail servers that take letters, each by itself: every letter leaves, and leaves once."""

from __future__ import annotations

import email
from collections import Counter
from pathlib import Path
from socketserver import StreamRequestHandler, ThreadingTCPServer
from threading import Thread

import pytest

from pbem.mail.mail_problems import ARCHIVE as ARCHIVE_NOTE
from pbem.mail.outbox import send_mail
from pbem.mail.settings import MailSettings, Server
from tests.mail.misfortunes import MoodyPost
from tests.mail.month import MaildirBox
from tests.mail.postal import JUDGE, Postal
from tests.mail.servers import smtp_server

ARCHIVE = "sent@club.example"


def ids(post: MoodyPost, name: str) -> Counter[str]:
    """The letters that somebody has, and how often."""
    found = (path.read_bytes() for path in (post.box(name) / "new").iterdir())
    return Counter(str(email.message_from_bytes(raw)["Message-ID"]) for raw in found)


def sent(postal: Postal, post: MoodyPost) -> list[str]:
    """One look at the outbox; what is wrong with each letter."""
    post.box_of_judge = MaildirBox(post.box("judge"))
    with smtp_server(post) as port:
        server = Server(host="127.0.0.1", port=port, tls="none", user="", password_command="")
        settings = MailSettings(address=JUDGE, smtp=server, sent_to=ARCHIVE)
        return [one.trouble for one in send_mail(postal.table.club, settings)]


@pytest.mark.parametrize(
    "mood",
    [
        "",
        "one mail a connection",  # "503 Sender already specified": old MailEnable, and appliances
        "closes after data",  # a load balancer that drops what is idle
        "452 to the second",  # Postfix: smtpd_recipient_limit = 1
        "strange answers",  # several lines, bytes of a code page
    ],
)
def test_every_letter_leaves_once_in_one_pass(mood: str, tmp_path: Path, postal: Postal) -> None:
    post = MoodyPost(tmp_path / "odd")
    post.moods = {mood}
    count = len(postal.table.club.store.unsent_letters())
    assert count > 1
    assert sent(postal, post) == [""] * count
    assert postal.table.club.store.unsent_letters() == []
    letters = ids(post, "alice") + ids(post, "bob")
    assert set(letters.values()) == {1}
    assert ids(post, "sent") == letters, "and the archive has each"


def test_a_copy_for_the_archive_that_fails_sends_no_letter_twice(tmp_path: Path, postal: Postal) -> None:
    """It is sent by itself, and the server has hung up by then."""
    post = MoodyPost(tmp_path / "odd")
    post.moods = {"452 to the second", "closes after data"}
    count = len(postal.table.club.store.unsent_letters())
    assert sent(postal, post) == [""] * count
    assert set((ids(post, "alice") + ids(post, "bob")).values()) == {1}
    assert postal.table.club.store.note(ARCHIVE_NOTE), "and the director hears of it"


def test_a_server_that_takes_no_sender_is_called_once_for_each_letter(tmp_path: Path, postal: Postal) -> None:
    """That is a refusal, and counts as one."""

    class Refusing(MoodyPost):
        async def handle_MAIL(self, *_: object) -> str:  # noqa: N802
            return "550 5.7.1 not allowed to send"

    count = len(postal.table.club.store.unsent_letters())
    assert sent(postal, Refusing(tmp_path / "odd")) == ["550 5.7.1 not allowed to send"] * count


def test_greylisting_after_the_mail_is_no_refusal(tmp_path: Path, postal: Postal) -> None:
    """Exim and rspamd know a mail by its Message-ID, which is the same when it comes again."""
    post = MoodyPost(tmp_path / "odd")
    post.moods = {"greylists at data"}
    assert all("451" in trouble for trouble in sent(postal, post))
    postal.table.clock.pass_days(0.1)
    assert set(sent(postal, post)) == {""}
    assert set((ids(post, "alice") + ids(post, "bob")).values()) == {1}


@pytest.mark.parametrize("hangs_up", [False, True])
def test_a_server_that_takes_no_mail_after_its_recipients_refuses_it(postal: Postal, hangs_up: bool) -> None:
    """Filters say so at DATA, before they have seen a byte; or hang up, and the others get theirs."""
    answers = {b"MAIL": b"250 ok", b"RCPT": b"250 ok", b"DATA": b"554 5.7.1 no mails from this network"}

    class Session(StreamRequestHandler):
        def handle(self) -> None:
            self.wfile.write(b"220 hello\r\n")
            for line in self.rfile:
                if hangs_up and b"<alice@" in line:
                    return
                self.wfile.write(answers.get(line[:4].upper(), b"250 ok") + b"\r\n")

    with ThreadingTCPServer(("127.0.0.1", 0), Session) as running:
        Thread(target=running.serve_forever, args=(0.01,), daemon=True).start()
        port = running.server_address[1]
        server = Server(host="127.0.0.1", port=port, tls="none", user="", password_command="")
        done = list(send_mail(postal.table.club, MailSettings(address=JUDGE, smtp=server)))
        running.shutdown()
    said = {one.trouble for one in done if one.player == "bob" or not hangs_up}
    assert said == {"554 5.7.1 no mails from this network"}
    troubled = postal.table.club.store.letters_in_trouble()
    assert {one.player for one in troubled} == {"alice", "bob"}
