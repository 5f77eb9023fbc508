"""The calendar of a mail counts its reader's own deadlines, and nothing of anybody else's."""

from __future__ import annotations

import re
from email.message import Message

import pytest

from tests.mail.postal import Postal
from tests.mail.test_restore import Kept, keeper, kept

__all__ = ["keeper", "kept"]  # fixtures

pytestmark = pytest.mark.ci


def numbers(postal: Postal, name: str) -> list[int]:
    """The SEQUENCE of each calendar that has come for somebody since the last time."""
    found = []
    for mail in postal.mails(name):
        parts = [part for part in mail.walk() if part.get_content_type() == "text/calendar"]
        found += [_number(part) for part in parts]
    return found


def _number(part: Message) -> int:
    payload = part.get_payload(decode=True)
    assert isinstance(payload, bytes)
    sequence = re.search(rb"^SEQUENCE:(\d+)\r?$", payload, re.MULTILINE)
    assert sequence
    return int(sequence[1])


def test_each_reader_s_deadlines_are_counted_by_themselves(kept: Postal) -> None:
    for _ in range(3):
        kept.send(kept.table.sealed("alice"), "alice@example.org")  # answered, and no matter of bob's
        kept.deliver("status\n", "alice@example.org")
    kept.go()
    for name in ("alice", "bob"):
        found = numbers(kept, name)
        assert found == list(range(1, len(found) + 1)), name
        assert len(found) > 2


def test_what_is_asked_for_again_has_the_number_that_it_had(kept: Postal) -> None:
    before = numbers(kept, "alice")
    kept.table.clock.pass_days(1)
    kept.deliver("resend demo\n")
    assert numbers(kept, "alice") == before[-1:]
    kept.go()
    assert numbers(kept, "alice")[-1] == before[-1] + 1


def test_after_a_restore_no_number_is_as_low_as_one_that_is_lost(kept: Kept) -> None:
    """What the backup does not know of has left, and a calendar leaves out whatever has a lower number."""

    def warn(*days: int) -> list[int]:
        """As a league does of last dates, in letters that no head is signed for."""
        store = kept.table.club.store
        with store.step():
            for day in days:
                name, until = f"league.cup-last-date-{day}.txt", f"2026-02-0{day}T12:00:00Z"
                store.add_letter("league.cup", "alice", name, b"", text="soon", deadline=until)
        return [one.calendar for one in store.letters_to("league.cup", "alice")][-len(days) :]

    assert warn(1) == [1]
    kept.back_up()
    lost = warn(2, 3)
    assert lost == [2, 3]
    kept.table.clock.pass_days(1)
    kept.restore()
    kept.table.clock.pass_days(1)
    first, second = warn(2, 3)
    assert lost[-1] < first < second
