"""What mail in and out refuses: mails that are not read, mailboxes, servers, commands, folders."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from pathlib import Path
from socketserver import StreamRequestHandler, ThreadingTCPServer
from threading import Thread

from pbem.errors import MailError
from pbem.judge.tables.packing import pack_mail, read_mail
from pbem.judge.upkeep.journal import Journal, keep_records
from pbem.mail import club_mailbox
from pbem.mail.club_mailbox import MAX_FAILED_MAILS, fetch_mail
from pbem.mail.extract import (
    _MAX_BOUNDARIES,
    _MAX_MARKS,
    DEEPEST,
    MAX_HEAD_SIZE,
    MAX_MAIL_SIZE,
    MAX_PARTS,
    extract,
)
from pbem.mail.imap import Imap
from pbem.mail.maildir import Listed, Maildir, open_folder
from pbem.mail.restore_sources import Heads, mail_records, read_mails, settle
from pbem.mail.sessions import Command, Folder, try_way_out
from pbem.mail.settings import MailSettings, Server, read_settings
from tests.judge.table import GAME, Table
from tests.mail.servers import Post, smtp_server
from tests.refusals.clauses import Row
from tests.refusals.club import at_table, in_folder

# -- mails that are not read

HEAD = b"From: a@example.org\n"


def why(mail: bytes) -> Callable[[], object]:
    return lambda: extract(mail).reason


def parts(boundaries: int) -> bytes:
    """A mail whose parts are in each other."""
    opened = (
        b'Content-Type: multipart/mixed; boundary="b%d"\n\n--b%d\n' % (at, at) for at in range(boundaries)
    )
    return HEAD + b"".join(opened)


def beside(count: int) -> bytes:
    return HEAD + b'Content-Type: multipart/mixed; boundary="b"\n\n' + b"--b\n\nx\n" * count


MANY = f"the mail has more than {MAX_PARTS} parts"
MAILS = (
    Row("the mail is empty", why(b"\0\n")),
    Row("the mail has more than 2,000,000 bytes", why(HEAD + b"\n" + b"x" * MAX_MAIL_SIZE)),
    Row("the head of the mail has more than 131,072 bytes", why(HEAD + b"x" * MAX_HEAD_SIZE + b"\n\nx\n")),
    Row(MANY, why(HEAD + b"\n" + b"\n--" * (_MAX_MARKS + 1))),
    Row(MANY, why(HEAD + b"\n" + b"boundary= " * (_MAX_BOUNDARIES + 1))),
    Row(MANY, why(beside(MAX_PARTS))),
    Row("the mail has parts within parts, too many times", why(parts(DEEPEST + 1))),
    Row("its orders are not sealed; sign and seal them", why(HEAD + b"\n> pbem1 orders\n")),
)

# -- mailboxes


def maildir(path: Path) -> Path:
    for name in ("new", "cur", "tmp"):
        (path / name).mkdir()
    return path


def lacking(name: str) -> Callable[[Path], object]:
    """A Maildir without one of its folders is opened."""

    def do(path: Path) -> object:
        maildir(path)
        (path / name).rmdir()
        return Maildir(path)

    return do


def link(path: Path) -> object:
    (maildir(path) / "new/1").symlink_to("nothing")
    return Maildir(path).fetch(Listed("maildir:1", str(path / "new/1")))


def gone_since(path: Path) -> object:
    box = Maildir(maildir(path))
    (path / "cur").rmdir()
    return box.seen_mails()


def undeletable(path: Path) -> object:
    (maildir(path) / "cur/1").mkdir()
    return Maildir(path).delete(["maildir:1"])


def given_up(table: Table) -> object:
    inbox = table.club.path / "inbox"
    inbox.mkdir()
    for number in range(MAX_FAILED_MAILS):
        (maildir(inbox) if not number else inbox).joinpath(f"new/{number}").symlink_to("nothing")
    return fetch_mail(table.club, mail(inbox={"maildir": str(inbox)}))


def counting(path: str) -> Callable[[Table], None]:
    """A folder lies where the club's counter does, or where it is written before."""

    def do(table: Table) -> None:
        inbox = table.club.path / "inbox"
        inbox.mkdir()
        maildir(inbox).joinpath(path.format(mark=f"pbem-{club_mailbox._mark(table.club)}")).mkdir()
        club_mailbox.write_counter(table.club, mail(inbox={"maildir": str(inbox)}))

    return do


def mail(**more: object) -> MailSettings:
    found = read_settings({"mail": {"address": "judge@example.org", **more}})
    assert found is not None
    return found


def server(port: int) -> Server:
    return Server(host="127.0.0.1", port=port, tls="none", user="judge", password_command="echo secret")


def answers(fetch: bytes) -> Callable[[], object]:
    """A mail is fetched from an IMAP server that answers this, or hangs up and comes back as another."""

    class Session(StreamRequestHandler):
        begun = count(1)

        def handle(self) -> None:
            said = {
                b"CAPABILITY": b"CAPABILITY IMAP4rev1",
                b"SELECT": b"OK [UIDVALIDITY %d] x" % next(Session.begun),
                b"UID": fetch,
            }
            self.wfile.write(b"* OK\r\n")
            for line in self.rfile:
                tag, command, *_ = line.split()
                if not (answer := said.get(command, b"OK")):
                    return
                self.wfile.write(b"* %s\r\n%s OK done\r\n" % (answer, tag))

    def door() -> object:
        with ThreadingTCPServer(("127.0.0.1", 0), Session) as running:
            Thread(target=running.serve_forever, args=(0.01,)).start()
            box = Imap(server(running.server_address[1]))
            try:
                return box.fetch(Listed("imap:1:1", "1"))
            finally:
                with suppress(MailError):
                    box.close()
                running.shutdown()

    return door


def packed(raw: bytes) -> Callable[[Path], object]:
    """A Maildir in which a mail lies as its server has packed it."""

    def do(path: Path) -> object:
        box = Maildir(maildir(path))
        (path / "cur" / "1.a").write_bytes(raw)
        return box.fetch(Listed("x", str(path / "cur" / "1.a")))

    return do


GZIP = gzip.compress(bytes(range(250)))
NO_MAILDIR = "is not a maildir: it has no folders new and cur"
BOXES = (
    Row(NO_MAILDIR, in_folder(lacking("new"))),
    Row(NO_MAILDIR, in_folder(lacking("cur"))),
    Row("has no folder 'Other': see folders in", in_folder(lambda path: open_folder(path, "Other"))),
    Row("it is a link to nothing", in_folder(link)),
    Row("it is not a file", in_folder(lambda path: Maildir(maildir(path)).fetch(Listed("x", str(path))))),
    Row(
        "file name too long",
        in_folder(lambda path: Maildir(maildir(path)).fetch(Listed("x", str(path / ("x" * 300))))),
    ),
    Row("its server has packed it: have it pack by gz", in_folder(packed(b"BZh91AY"))),
    Row("its server has packed it, and it is damaged", in_folder(packed(GZIP[:2] + b"?" * 90))),
    Row("and it is damaged: its end is missing", in_folder(packed(GZIP[:-99]))),
    Row("cur cannot be read: No such file", in_folder(gone_since)),
    Row("cur/1 cannot be deleted: ", in_folder(undeletable)),
    Row(f"{MAX_FAILED_MAILS} mails in it cannot be read: it is a link to nothing", at_table(given_up)),
    Row("the mailbox on 127.0.0.1:1 cannot be read: ", lambda: Imap(server(1))),
    Row("the mailbox on 127.0.0.1 is not the same as before", answers(b"")),
    Row("the server does not send it: it does not say how large mail 1 is", answers(b"1 FETCH (UID 1)")),
    Row("the server does not send it: it sends nothing of it", answers(b"1 FETCH (UID 1 RFC822.SIZE 9)")),
    Row("no such folder", lambda: Imap.ok(("NO", [b"no such folder"])) and "taken"),
    Row(" cannot be read: is a directory", at_table(counting("{mark}"))),
    Row(" cannot be written: is a directory", at_table(counting(".{mark}.part"))),
)

# -- mail out


def to_nowhere(path: Path) -> object:
    box = Folder(maildir(path))
    (path / "tmp").rmdir()
    return box.sendmail("a@example.org", ["b@example.org"], b"x")


def journal_by(**outbox: object) -> Callable[[Table], None]:
    """The first record of a journal leaves by this way."""

    def do(table: Table) -> None:
        journal = Journal(mail=True)
        keep_records(table.club, journal)
        mail_records(table.club, journal, mail(sent_to="kept@example.org", outbox=outbox))

    return do


def not_taken(table: Table) -> None:
    post = Post(table.club.path / "post")
    post.refusal = "554 no journals here"
    with smtp_server(post) as port:
        journal_by(host="127.0.0.1", port=port, tls="none")(table)


REPEATS = pack_mail(b"orders", "ab" * 32, b"orders")
"""A mail that was kept as what a file says."""
NOT_TAKEN = "the mail server does not accept the journal for sent_to: "
OUT = (
    Row("false ended with 1", lambda: Command("false").sendmail("a", ["b"], b"x")),
    Row("/ cannot be run: ", lambda: Command("/").sendmail("a", ["b"], b"x")),
    Row("a mail cannot be written to the maildir: ", in_folder(to_nowhere)),
    Row("no-such-program is not found", lambda: try_way_out(mail(outbox={"sendmail": "no-such-program"}))),
    Row(f"{NOT_TAKEN}451 false ended with 1", at_table(journal_by(sendmail="false"))),
    Row(f"{NOT_TAKEN}554 no journals here", at_table(not_taken)),
    Row("0 mails do not say whether anything was", at_table(lambda table: settle(table.club, GAME, Heads()))),
    Row("nothing cannot be read: ", in_folder(lambda path: list(read_mails([path / "nothing"])))),
    Row("the file that it needs is missing: abab", lambda: read_mail(REPEATS, lambda _: b"")),
)
ELSEWHERE = {
    "mail/sessions.py _open_server: the mail server ... does not send:": "mail/test_login.py",
    "mail/extract.py _parts: the mail has parts within parts, too many times": "the limits keep such mails "
    "away",
    "mail/extract.py _parts: the mail is broken; attach the file to a new one": "mail/test_headers.py",
    "mail/club_mailbox.py fetch_mail: wrong": "mail/test_folders.py",
    "mail/maildir.py list_mails: cannot be read:": "only a file that is listed and may not be looked at",
    "mail/imap.py _fetch: self.search('UID', uid)": "no server is known that lists a mail and tells nothing",
    "mail/outbox.py _refused: ": "mail/test_login.py",
    "mail/outbox.py _refused: "
    "isinstance(server, Smtp) and server.has_taken and (problem.smtp_code != _CLOSING)": (
        "mail/test_odd_smtp.py"
    ),
    "mail/outbox.py _refused: code == _CLOSING": "mail/test_login.py",
    "mail/outbox.py _refused: isinstance(server, Smtp)": "mail/test_odd_smtp.py",
    "mail/outbox.py _refused: server.has_taken": "mail/test_odd_smtp.py",
    "mail/outbox.py _refused: problem.smtp_code != _CLOSING": "mail/test_odd_smtp.py",
    "mail/sessions.py data: code != _GO_ON": "mail/test_odd_smtp.py",
    "mail/sessions.py _begin: code != _LET_IN": "mail/test_login.py",
    "judge/upkeep/backups.py restore: exists already, perhaps of a restore that was ended: look at it and "
    "remove it, or name another folder": "mail/test_restore.py",
    "mail/answers.py _make_room: was removed to make room": "no refusal; mail/test_who_is_answered.py",
}
"""What no row says -> why, or where."""
ROWS = (*MAILS, *BOXES, *OUT)
