"""What a pass leaves behind, where nobody looks at once."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from pbem.judge.book import Unconfirmed, check_restored, note_begun
from pbem.judge.tables.note_tables import LAST_PASS, RESTORED
from pbem.mail import club_mailbox
from pbem.mail.answers import forget_answers
from pbem.mail.club_mailbox import _Fetching
from pbem.mail.mail_problems import ARCHIVE, OWED, UNANSWERED
from pbem.mail.maildir import Maildir
from pbem.mail.outbox import MAX_TRIES, MAX_TRIES_REFUSED, Sent, _note, _Refusal
from pbem.service.doctor import examine
from pbem.trust.times import utc_text
from tests.judge.table import GAME, Table
from tests.mail.postal import Postal
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
    postal.run()
    assert {one.tries for one in postal.table.club.store.letters_to(GAME, "alice")} == {1}


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
    left = {"since": "then", "players": {"bob": 3, "alicea and bob": 4}}
    assert json.loads(store.note(UNANSWERED)) == left
    assert list(store.notes(OWED)) == [f"{OWED}bob@example.org"]


def test_a_ledger_that_begins_after_a_restore_needs_no_confirmation(postal: Postal) -> None:
    store = postal.table.club.store
    with store.step():
        store.put_note(RESTORED, "2026-01-01T12:00:00Z")
        note_begun(store, "next")
    check_restored(store, "next")
    with pytest.raises(Unconfirmed):
        check_restored(store, GAME)
