"""What a pass leaves behind, where nobody looks at once."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, cast

import pytest

from pbem.cli import main
from pbem.judge.agenda import read_agendas
from pbem.judge.book import Unconfirmed, check_restored, note_begun
from pbem.judge.intake.desk import Desk
from pbem.judge.tables.database import IncomingRow, LetterRow
from pbem.judge.tables.note_tables import DISAGREES, LAST_PASS, RESTORED
from pbem.mail import club_mailbox
from pbem.mail.answers import Answers, Reply, forget_answers, forget_joins
from pbem.mail.bounces import take_bounce, tell_opponents
from pbem.mail.club_mailbox import _Fetching
from pbem.mail.command_runner import _letters_asked_for, obey
from pbem.mail.director import MAX_FROM_STRANGERS, count_question, is_heard
from pbem.mail.headers import PERSON, Head, read_head
from pbem.mail.mail_problems import ARCHIVE, OWED, UNANSWERED
from pbem.mail.mail_text import Command
from pbem.mail.maildir import Maildir
from pbem.mail.outbox import MAX_TRIES, MAX_TRIES_REFUSED, Sent, _note, _Refusal
from pbem.mail.settings import read_settings
from pbem.service.doctor import examine
from pbem.service.watch import alert
from pbem.trust.fields import sign_fields
from pbem.trust.keys import generate
from pbem.trust.times import utc_text
from tests.judge.table import GAME, Table
from tests.mail.postal import JUDGE, Postal
from tests.mail.servers import Post
from tests.mail.test_quarantine import second_game
from tests.mail.test_zones import calendar

WELL = _Refusal("")


def test_a_mailbox_that_was_opened_is_closed(postal: Postal, monkeypatch: pytest.MonkeyPatch) -> None:
    opened, closed = list[Maildir](), list[Maildir]()
    begin, end = Maildir.__init__, Maildir.close

    def opens(self: Maildir, path: Path) -> None:
        opened.append(self)
        begin(self, path)

    def closes(self: Maildir) -> None:
        closed.append(self)
        end(self)

    monkeypatch.setattr(Maildir, "__init__", opens)
    monkeypatch.setattr(Maildir, "close", closes)
    postal.run()
    assert opened
    assert [one.what for one in examine(postal.table.club) if one.text == "the mailbox opens"] == ["mail in"]
    assert closed == opened
    (postal.table.club.path / "club.toml").chmod(0o644)
    assert main(["doctor", "--club", str(postal.table.club.path)]) == 1, "though all behind it is right"


def test_the_doctor_names_the_second_damaged_ledger_and_the_second_folder_that_is_not_there(
    table: Table, tmp_path: Path
) -> None:
    second_game(table)
    box = Post(tmp_path / "post").box("judge")
    for folder in ("new", "cur", "tmp"):
        (box / ".Archive" / folder).mkdir(parents=True)
    inbox = {"maildir": str(box), "folders": ["Archive", "Junk"]}
    table.club.settings = {"mail": {"address": JUDGE, "inbox": inbox}}
    with table.club.store.step():
        table.club.store._change("UPDATE entry SET salt = 'x' WHERE number = 2")
    wrong = {one.what: one.text for one in examine(table.club) if one.wrong}
    assert re.findall(r"entry 2 of (\w+) was changed", wrong["ledgers"]) == [GAME, "other"]
    assert "has no folder 'Junk'" in wrong["mail in"]


def test_each_deadline_of_a_reader_has_the_next_number(postal: Postal) -> None:
    """A calendar takes an event of a higher number for a change, and of the same for a copy."""
    postal.run()
    postal.table.go()
    postal.run()
    mails = [mail for mail in postal.mails("alice") if mail.is_multipart() and b"SEQUENCE" in mail.as_bytes()]
    numbers = [int(re.findall(rb"SEQUENCE:(\d+)", calendar(mail))[0]) for mail in mails]
    assert len(numbers) > 1
    assert sorted({*numbers}) == numbers


def test_a_copy_that_could_not_be_put_away_is_told_until_one_can(postal: Postal) -> None:
    with postal.table.club.store.step():
        postal.table.club.store.put_note(ARCHIVE, "since 2026-01-01T12:00:00Z: no folder Sent")
    postal.run()
    assert postal.table.club.store.note(ARCHIVE) == ""


def test_a_letter_counts_how_often_it_was_tried(postal: Postal) -> None:
    """That no server was there is no try."""
    server = postal.box("outbox")
    for port in (1, server["port"]):
        postal.settle(outbox=server | {"port": port})
        postal.run()
    letters = postal.table.club.store.letters_to(GAME, "alice")
    assert {(one.tries, bool(one.sent)) for one in letters} == {(1, True)}


def test_a_leap_of_the_clock_that_was_looked_at_is_over(postal: Postal) -> None:
    """With --after-gap a pass notes its time, so that the next one stops nothing."""
    postal.run()
    postal.table.clock.pass_days(60)
    assert any(line.trouble for line in postal.run())
    assert postal.table.club.store.note(LAST_PASS) != utc_text(postal.table.clock())
    postal.run(after_gap=True)
    assert postal.table.club.store.note(LAST_PASS) == utc_text(postal.table.clock())
    assert not any(line.trouble for line in postal.run())


def test_mails_are_stored_before_they_are_too_many_bytes(
    postal: Postal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One killed while it fetches has lost no more than that."""
    stored = list[int]()
    store = _Fetching.store

    def counted(self: _Fetching) -> None:
        stored.append(len(self._batch))
        store(self)

    monkeypatch.setattr(club_mailbox, "BATCH_BYTES", 1)
    monkeypatch.setattr(_Fetching, "store", counted)
    for _ in range(3):
        postal.send("hello")
    postal.run()
    assert max(stored) == 1


@pytest.mark.parametrize(
    ("refused", "tries", "player", "archive", "given_up", "note"),
    [
        (_Refusal("no room"), MAX_TRIES - 1, "alice", WELL, False, "since then: full"),
        (_Refusal("no room"), MAX_TRIES, "alice", WELL, True, "since then: full"),
        (
            _Refusal("nobody", for_good=True),
            MAX_TRIES_REFUSED - 1,
            "",
            _Refusal("shut"),
            False,
            "since then: full",
        ),
        (
            _Refusal("nobody", for_good=True),
            MAX_TRIES_REFUSED,
            "",
            _Refusal("shut"),
            True,
            "since then: full",
        ),
        (WELL, MAX_TRIES, "alice", WELL, False, ""),
        (WELL, 1, "alice", _Refusal("full"), False, "since then: full"),
        (WELL, 1, "alice", _Refusal("shut"), False, "since 2026-01-01T12:00:00Z: shut"),
    ],
)
def test_what_became_of_a_letter_is_noted(
    table: Table, refused: _Refusal, tries: int, player: str, archive: _Refusal, given_up: bool, note: str
) -> None:
    store = table.club.store
    letter = store.letters_to(GAME, "alice")[0]._replace(tries=tries, player=player)
    with store.step():
        store.put_note(ARCHIVE, "since then: full")
    assert _note(table.club, letter, refused, archive) == Sent(letter.name, player, refused.text, given_up)
    assert store.note(ARCHIVE) == note
    after = store.letters_to(GAME, "alice")[0]
    assert bool(after.sent) is not bool(refused.text)
    assert after.trouble == (refused.text if player or not given_up else "")
    assert after.failed == (utc_text(table.clock()) if given_up else "")


def test_a_player_who_is_forgotten_is_owed_no_answers(table: Table) -> None:
    store = table.club.store
    players = {"alice": 1, "bob and alice": 2, "bob": 3, "alicea and bob": 4}
    with store.step():
        store.put_note(UNANSWERED, json.dumps({"since": "then", "players": players}))
        for name in ("alice", "bob"):
            store.put_note(f"{OWED}{name}@example.org", "{}")
        forget_answers(table.club, "alice", "Alice@example.org")
        table.club.joins_folder.mkdir()
        alice = table.people["alice"]
        for name, data in (("a", b"x"), ("b", sign_fields(alice.join(), alice.key)), ("c", b"x")):
            (table.club.joins_folder / f"{name}.join").write_bytes(data)
        forget_joins(table.club, "alice")
    left = {"since": "then", "players": {"bob": 3, "alicea and bob": 4}}
    assert json.loads(store.note(UNANSWERED)) == left
    assert list(store.notes(OWED)) == [f"{OWED}bob@example.org"]
    assert {one.name for one in table.club.joins_folder.iterdir()} == {"a.join", "c.join"}


def test_a_ledger_that_begins_after_a_restore_needs_no_confirmation(postal: Postal) -> None:
    store = postal.table.club.store
    with store.step():
        store.put_note(RESTORED, "2026-01-01T12:00:00Z")
        note_begun(store, "next")
    check_restored(store, "next")
    with pytest.raises(Unconfirmed):
        check_restored(store, GAME)


ALICE, BOB = "alice@example.org", "bob@example.org"


def _reply(sender: str, *, is_suspect: bool = False) -> Reply:
    row = IncomingRow(7, "2026-01-01T12:00:00Z", b"", sender)
    return Reply(row, Head(origin=PERSON, sender=sender, is_suspect=is_suspect))


def test_answers_do_not_wait_for_each_other(postal: Postal, monkeypatch: pytest.MonkeyPatch) -> None:
    club, store = postal.table.club, postal.table.club.store
    settings = read_settings(club.settings, club.path)
    assert settings is not None
    answers = Answers(club, settings)
    monkeypatch.setattr("pbem.mail.answers.MAX_OWED_LINES", 1)
    with store.step():
        for word in ("first", "second"):
            for address in (ALICE, BOB):
                answers._owe(_reply(address), address, [word])
        note = json.loads(store.note(f"{OWED}{BOB}"))
        store.put_note(f"{OWED}{BOB}", json.dumps(note | {"day": "2025-12-31"}))
    answers.send_owed()
    assert list(store.notes(OWED)) == [f"{OWED}{ALICE}"], "which is of today"
    (told,) = [one.text for one in store.letters_to("", "") if one.address == BOB]
    assert re.search(r"UTC: first\s+And 1 more", told)
    with store.step():
        allowed = [answers._counts((ALICE, "a", 2), ("", "all", 1)) for _ in range(2)]
    assert allowed == [True, False], "the second quota is used up"
    club.add_player("carol", generate().public, "")
    assert Answers(club, settings).players_at("") == []


def test_several_commands_have_one_answer_and_finished_games_are_not_listed(postal: Postal) -> None:
    club = postal.table.club
    settings, agendas = read_settings(club.settings, club.path), read_agendas(club)
    assert settings is not None
    answers, reply = Answers(club, settings), _reply(ALICE)
    obey(answers, Desk(club, agendas), reply, [Command("help"), Command("status"), Command("my games")])
    assert reply.page.count(f"{GAME}: ") == 2
    assert "resend GAME" in reply.page
    over = {GAME: agendas[GAME]._replace(over=True)}
    obey(answers, Desk(club, over), reply, [Command("my games")])
    assert reply.page == "You play no game now."


@pytest.mark.parametrize(
    ("names", "number", "found"),
    [
        (["0000-report", "0001-copy", "0001-report", "receipt-0002"], 0, [2, 3]),
        (["0000-report", "0001-copy", "0001-report", "0010-report"], 1, [1, 2]),
        ([f"said-{number:04}" for number in range(25)], 0, [*range(5, 25)]),
        (["0001-report", *(f"receipt-{number:04}" for number in range(25))], 0, [*range(20)]),
    ],
)
def test_letters_are_sent_again_from_a_report_on(names: list[str], number: int, found: list[int]) -> None:
    files = enumerate(f"{GAME}-{name}.txt" for name in names)
    letters = [LetterRow(place, GAME, "alice", file, b"", "") for place, file in files]
    assert [one.id for one in _letters_asked_for(letters, GAME, number)] == found


def test_the_director_hears_of_others_and_of_so_many(table: Table) -> None:
    settings: Any = table.club.settings
    settings["watch"] = {"address": ALICE}
    heard = [is_heard(table.club, one) for one in (_reply(ALICE), _reply(BOB), _reply(BOB, is_suspect=True))]
    assert heard == [False, True, False]
    strangers = [_reply(f"{number}@example.org") for number in range(MAX_FROM_STRANGERS + 1)]
    with table.club.store.step():
        limits = [count_question(table.club, one, []) for one in strangers]
    assert [bool(one) for one in limits] == [False] * MAX_FROM_STRANGERS + [True]


def test_of_a_report_about_two_letters_the_one_that_failed_comes_back_once(postal: Postal) -> None:
    postal.run()
    club, mails = postal.table.club, {name: postal.mails(name)[0] for name in ("alice", "bob")}
    raw = report(*(str(mail["Message-ID"]) for mail in mails.values()))
    with club.store.step():
        told = [take_bounce(club, number, raw, read_head(raw), "club.example") for number in (1, 2)]
    assert told == [["demo-0000-report.txt to bob came back (5.1.1)"], []]
    assert [one.player for one in club.store.letters_in_trouble()] == ["bob"]
    postal.table.clock.pass_days(3)
    with club.store.step(keep=False):
        club.store.put_note(f"{DISAGREES}{GAME}", "why")
        assert not [*tell_opponents(club, read_agendas(club).values())], "no exchange of a held game is open"
    assert len([*tell_opponents(club, read_agendas(club).values())]) == 1
    letters = [one for name in mails for one in club.store.letters_to(GAME, name)]
    assert [one.player for one in letters if "unreached" in one.name] == ["alice"]


def report(*ids: str) -> bytes:
    """A mail server's word about two letters: alice's is still tried, bob's has failed."""
    status = "\n".join(
        f"Final-Recipient: rfc822; {address.title()}\nAction: {action}\nStatus: {code}\n"
        for address, action, code in ((ALICE, "delayed", "4.4.1"), (BOB, "failed", "5.1.1"))
    )
    heads = "".join(f"--b\nContent-Type: text/rfc822-headers\n\nMessage-ID: {one}\n\n" for one in ids)
    return f"""From: MAILER-DAEMON@mx.example.org
Content-Type: multipart/report; report-type=delivery-status; boundary="b"

--b
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.example.org

{status}
{heads}--b--
""".encode()


def test_several_troubles_are_all_told_and_each_once_a_day(table: Table, tmp_path: Path) -> None:
    settings, path = cast("dict[str, Any]", table.club.settings), tmp_path / "told"
    settings["watch"] = {"address": "gm@club.example", "command": f"tee {path}"}
    wrong = {"disk": "it is full", "server": "it is away"}
    lines = [f"pbem, test: {text}" for text in wrong.values()]
    assert list(alert(table.club, wrong)) == []
    assert path.read_text().splitlines() == lines
    path.unlink()
    for troubles in ({}, wrong):
        table.clock.pass_days(0.3)
        assert list(alert(table.club, troubles)) == []
    assert not path.exists(), "what comes back within a day was told"
    table.clock.pass_days(1)
    for troubles in ({}, wrong):
        assert list(alert(table.club, troubles)) == []
    assert path.read_text().splitlines() == lines
