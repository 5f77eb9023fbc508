"""Nobody is bothered: who is answered, how often, and what a hostile mail may cost."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from itertools import count, repeat
from types import SimpleNamespace

import pytest

from pbem.errors import ConfigError
from pbem.judge.agenda import Agenda
from pbem.judge.intake import desk
from pbem.judge.tables.store import Store
from pbem.mail import inbox
from pbem.mail.inbox import BATCH, BATCH_SECONDS
from pbem.service.watch import read_watch
from pbem.trust import keys
from pbem.trust.faults import IdentifierFault
from pbem.trust.fields import sign_fields
from pbem.trust.player_statements import Join
from pbem.trust.sealing import SealKey, seal, seal_key, to_armor
from tests.judge.table import GAME, Table, make_table
from tests.mail.postal import Postal
from tests.mail.test_passes import STRANGER, body

pytestmark = pytest.mark.ci


ALICE = "alice@example.org"
DMARC = "mx.club.example; dkim=none; dmarc=fail (p=reject) header.from=example.org"


def answers(postal: Postal, *mails: tuple[str, str, dict[str, str]], to: str) -> list[str]:
    for text, sender, headers in mails:
        postal.send(text, sender, **headers)
    postal.run()
    return [body(one) for one in postal.mails(to)]


def test_what_nobody_has_signed_is_answered_once_a_day(quiet: Postal) -> None:
    thirty: list[tuple[str, str, dict[str, str]]] = [
        (f"hello number {number}\n", ALICE, {}) for number in range(30)
    ]
    assert len(answers(quiet, *thirty, to="alice")) == 1
    quiet.table.clock.pass_days(1)
    assert len(answers(quiet, ("hello again\n", ALICE, {}), to="alice")) == 1


def test_an_address_that_was_never_enrolled_gets_no_answer(quiet: Postal) -> None:
    assert answers(quiet, ("help\n", STRANGER, {}), ("hello\n", STRANGER, {}), to="mallory") == []


@pytest.mark.parametrize("mail", [("status demo\n", {}), ("hello\n", {"Subject": "about demo"})])
def test_one_that_names_a_game_is_answered_once(quiet: Postal, mail: tuple[str, dict[str, str]]) -> None:
    text, headers = mail
    assert len(answers(quiet, (text, STRANGER, headers), to="mallory")) == 1
    assert answers(quiet, (f"{text}\n", STRANGER, headers), to="mallory") == []


def test_a_wish_to_join_is_answered(quiet: Postal) -> None:
    key = keys.generate("carol")
    text = sign_fields(Join(game="dunbar", player="carol", key=key.public), key).decode()
    assert len(answers(quiet, (text, "carol@example.org", {}), to="carol")) == 1


def test_the_club_answers_so_many_in_an_hour(quiet: Postal) -> None:
    for number in range(50):
        quiet.send("hello\n", f"mallory+{number}@example.org", Subject=f"demo {number}")
    quiet.run()
    answered = [letter for letter in quiet.table.club.store.letters() if letter.address]
    assert len(answered) == 30
    quiet.table.clock.pass_days(0.1)
    assert len(answers(quiet, ("hello\n", STRANGER, {"Subject": "demo"}), to="mallory")) == 1


@pytest.mark.parametrize(
    "marks",
    [{}, {"X_Spam_Flag": "YES"}, {"X_Spam_Status": "Yes, score=9"}, {"Authentication_Results": DMARC}],
)
def test_marks_of_spam_and_forgery_keep_nobody_from_hearing_of_what_they_signed(
    quiet: Postal, marks: dict[str, str]
) -> None:
    """Three refused files in a day: each is told to whoever signed it."""
    quiet.send(quiet.table.sealed("alice"))
    for number in range(3):
        quiet.send(quiet.table.sealed("alice", f"card {number + 1}\n"), STRANGER, **marks)
    quiet.run()
    told = [body(one) for one in quiet.mails("alice")]
    assert sum("do not count" in text for text in told) == 3
    assert quiet.table.club.book(GAME).history.exchanges[0].received, "what is signed counts all the same"


def test_one_mail_gets_one_answer_to_each_who_has_signed_something_in_it(quiet: Postal) -> None:
    table = quiet.table
    for name in ("alice", "bob"):
        quiet.send(table.sealed(name), f"{name}@example.org")
    files = [table.sealed(name, f"card {number}\n") for number in (1, 2) for name in ("alice", "bob")]
    quiet.run()
    for name in ("alice", "bob", "mallory"):
        quiet.mails(name)
    quiet.deliver(b"\n".join(files), STRANGER, Subject="orders for demo")
    assert [len(quiet.mails(name)) for name in ("alice", "bob", "mallory")] == [1, 1, 0]


def test_a_damaged_file_is_called_damaged(quiet: Postal) -> None:
    book = quiet.table.club.book(GAME)
    whole = seal(b"pbem1 orders\n" + b"x" * 9_000, [book.history.exchanges[0].seals["alice"]])
    (told,) = answers(quiet, (to_armor(whole[:-50] + bytes(50)), ALICE, {}), to="alice")
    assert "the sealed file is damaged" in " ".join(told.split())


def test_orders_whose_first_lines_were_changed_are_told_so(quiet: Postal) -> None:
    """As by a phone that begins each line with a capital: of these files one whose key that changes."""
    files = (quiet.table.sealed("alice", rev=number).decode().splitlines() for number in count(1))
    lines = next(lines for lines in files if lines[2][0].islower())
    (told,) = answers(
        quiet, ("\n".join(f"{one[:1].upper()}{one[1:]}" for one in lines), ALICE, {}), to="alice"
    )
    assert "or its first lines were changed on the way: attach it as a file" in " ".join(told.split())


def test_a_file_for_another_club_is_not_called_damaged(quiet: Postal) -> None:
    other = seal(b"x" * 9_000, [seal_key(bytes(32), GAME, 1, "alice").recipient])
    (told,) = answers(quiet, (to_armor(other), ALICE, {}), to="alice")
    assert "the file is not sealed to an exchange that is open here" in " ".join(told.split())


def test_orders_that_come_again_long_after_their_receipt_are_told(quiet: Postal) -> None:
    """Whoever sends a file once more waits for a word; a mail that comes twice at once has its receipt."""
    mail = quiet.table.sealed("alice").decode()
    assert answers(quiet, (mail, ALICE, {}), (f"{mail}\n", ALICE, {}), to="alice")[1:] == []
    quiet.table.clock.pass_days(0.5)
    (told,) = answers(quiet, (f"again\n{mail}", ALICE, {}), to="alice")
    assert "Orders of alice for demo were received before, at" in " ".join(told.split())
    assert "whose first line is: resend demo" in " ".join(told.split())
    assert answers(quiet, (f"and again\n{mail}", ALICE, {}), to="alice") == [], "once a day"
    quiet.table.clock.pass_days(1)
    both = f"{mail}\n{quiet.table.sealed('alice', rev=2).decode()}"
    letters = "".join(answers(quiet, (both, ALICE, {}), to="alice"))
    assert "received before" not in letters, "the receipt for the other file says enough"


def test_a_receipt_for_an_older_revision_says_that_a_higher_one_is_in(quiet: Postal) -> None:
    quiet.send(quiet.table.sealed("alice", rev=2))
    quiet.deliver(quiet.table.sealed("alice", rev=1))
    texts = [one.text for one in quiet.table.club.store.letters() if "-receipt-" in one.name]
    told = [" ".join(text.split()) for text in texts]
    assert "Revision 2 of your orders has come, and it counts. This one does not." in told[1]
    assert "a file with a higher revision replaces this one" in told[0]


class Counting:
    """How many seal keys were tried."""

    def __init__(self, table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
        self.count = 0
        (agenda,) = desk.open_desk(table.club).agendas.values()
        self.desk = desk.Desk(table.club, {f"g{number}": _named(agenda, number) for number in range(1_000)})
        ordered = desk.Desk._keys_to_try

        def count(one: desk.Desk, search: desk.Search) -> Iterator[SealKey]:
            for key in ordered(one, search):
                self.count += 1
                yield key

        monkeypatch.setattr(desk.Desk, "_keys_to_try", count)


def _named(agenda: Agenda, number: int) -> Agenda:
    return agenda._replace(game=f"g{number}")


def test_sixteen_files_for_nobody_cost_no_more_than_two(
    tmp_path: object, monkeypatch: pytest.MonkeyPatch, postal: Postal
) -> None:
    """A thousand games: an honest mail with one file tries each key once, a hostile one twice."""
    counting = Counting(postal.table, monkeypatch)
    seats = 2 * sum(1 for agenda in counting.desk.agendas.values() for _ in range(agenda.first, 2))
    stranger = seal_key(bytes(32), GAME, 1, "alice").recipient
    files = [seal(bytes([number]) * 9_000, [stranger]) for number in range(16)]
    search = counting.desk.search()
    verdicts = [desk.take_sealed(counting.desk, files[0], search)]
    assert verdicts[0].is_elsewhere
    assert counting.count == seats, "one file is looked for in every game"
    verdicts = [desk.take_sealed(counting.desk, one, search) for one in files[1:]]
    assert "name the game in the subject" in verdicts[-1].text
    assert counting.count <= 2 * seats + len(files)


def test_orders_are_found_among_many_games(monkeypatch: pytest.MonkeyPatch, postal: Postal) -> None:
    """The last game of a thousand, and nothing in the mail names it."""
    counting = Counting(postal.table, monkeypatch)
    key = postal.table.club.seal("g999", 1, "bob")
    (verdict,) = [desk.take_sealed(counting.desk, seal(b"x" * 9_000, [key.recipient]))]
    assert verdict.player == "bob" or "g999" in verdict.text


@pytest.mark.parametrize(("seconds", "most"), [(0.0, BATCH), (BATCH_SECONDS, 1)])
def test_no_transaction_takes_in_many_mails(
    quiet: Postal, monkeypatch: pytest.MonkeyPatch, seconds: float, most: int
) -> None:
    """Others write between them: `seconds` are what looking at one mail takes."""
    for number in range(2 * BATCH + 1):
        quiet.send(f"hello number {number}\n", STRANGER)
    clock = count(step=seconds) if seconds else repeat(0.0)
    monkeypatch.setattr(inbox, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    handled = [0]

    def watch(statement: str) -> None:
        if statement == "BEGIN IMMEDIATE":
            handled.append(0)
        handled[-1] += statement.startswith("UPDATE incoming SET done = 1")

    quiet.table.club.store.connection.set_trace_callback(watch)
    quiet.run()
    assert sum(handled) == 2 * BATCH + 1
    assert max(handled) == most


def test_a_writer_that_is_kept_waiting_tries_once_more(
    tmp_path: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pathlib import Path

    assert isinstance(tmp_path, Path)
    table = make_table(tmp_path)
    other = Store(table.club.path / "club.db")
    other.db.conn.execute("PRAGMA busy_timeout = 50")
    blocker = sqlite3.connect(table.club.path / "club.db", check_same_thread=False)
    blocker.execute("BEGIN IMMEDIATE")
    tried = threading.Event()

    def watch(statement: str) -> None:
        if statement == "BEGIN IMMEDIATE":
            if tried.is_set():
                blocker.rollback()  # the second try finds it free
            tried.set()

    other.db.conn.set_trace_callback(watch)
    with other.step():
        other.put_note("a", "b")
    assert other.note("a") == "b"
    blocker.execute("BEGIN IMMEDIATE")
    other.db.conn.set_trace_callback(None)
    with pytest.raises(Exception, match="another process holds it"), other.step():
        pass
    blocker.close()
    other.close()


def test_nobody_is_enrolled_with_the_judge_s_own_address(postal: Postal) -> None:
    """What comes from there is taken for the judge's own mail, and their orders would be dropped."""
    club, alice = postal.table.club, postal.table.people["alice"]
    with pytest.raises(ConfigError, match="the judge's own address"):
        club.add_player("alice", alice.key.public, "Judge@club.example")
    club.add_player("alice", alice.key.public, "alice@club.example")


@pytest.mark.parametrize("address", ["bj\u00f6rn@x.test", "a@x.test,b@x.test", "a@x.test\n", "a b@x.test"])
def test_nobody_is_enrolled_with_an_address_that_stops_mail(postal: Postal, address: str) -> None:
    club, alice = postal.table.club, postal.table.people["alice"]
    before = club.store.player("alice")
    with pytest.raises(IdentifierFault, match="address"):
        club.add_player("alice", alice.key.public, address)
    assert club.store.player("alice") == before
    club.add_player("alice", alice.key.public, "alice@b\u00fccher.example")
    changed = club.store.player("alice")
    assert changed
    assert changed.address == "alice@xn--bcher-kva.example"


def test_the_address_for_alerts_is_read_as_one_that_is_typed() -> None:
    assert read_watch({"watch": {"address": "gm@b\u00fccher.example"}}).address == "gm@xn--bcher-kva.example"
    for address in ("nobody", "bj\u00f6rn@x.test"):
        with pytest.raises(ConfigError, match=r"club\.toml, \[watch\], address: .*mail address"):
            read_watch({"watch": {"address": address}})
