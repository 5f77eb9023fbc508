"""What a pass leaves behind, where nobody looks at once."""

from __future__ import annotations

import re

import pytest

from pbem.judge.book import Unconfirmed, check_restored, note_begun
from pbem.judge.tables.note_tables import RESTORED
from pbem.mail.fetch import Maildir
from pbem.mail.outbox import ARCHIVE, MOST_TRIES, _note, _Refusal
from tests.judge.table import GAME
from tests.mail.postal import Postal
from tests.mail.test_zones import calendar

WELL = _Refusal("")


def test_a_mailbox_that_was_opened_is_closed(postal: Postal, monkeypatch: pytest.MonkeyPatch) -> None:
    opened, closed = list[object](), list[object]()
    begin, end = Maildir.__init__, Maildir.close
    monkeypatch.setattr(Maildir, "__init__", lambda self, path: (opened.append(self), begin(self, path))[1])
    monkeypatch.setattr(Maildir, "close", lambda self: (closed.append(self), end(self))[1])
    postal.run()
    assert opened
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


@pytest.mark.parametrize("tries", [MOST_TRIES - 1, MOST_TRIES])
def test_the_last_try_of_a_letter_is_the_last(postal: Postal, tries: int) -> None:
    club = postal.table.club
    letter = club.store.letters_to(GAME, "alice")[0]._replace(tries=tries)
    assert _note(club, letter, _Refusal("no room"), WELL).given_up is (tries == MOST_TRIES)


def test_a_ledger_that_begins_after_a_restore_needs_no_confirmation(postal: Postal) -> None:
    store = postal.table.club.store
    with store.step():
        store.put_note(RESTORED, "2026-01-01T12:00:00Z")
        note_begun(store, "next")
    check_restored(store, "next")
    with pytest.raises(Unconfirmed):
        check_restored(store, GAME)
