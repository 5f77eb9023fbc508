"""What leaves, how fast, and under whose envelope sender: [mail.outbox]."""

from __future__ import annotations

from tests.mail.postal import Postal
from tests.mail.test_passes import STRANGER


def settle_outbox(postal: Postal, **outbox: object) -> None:
    """The same mailboxes and server, with these settings for the outbox."""
    mail = postal.table.club.settings["mail"]
    postal.settle(inbox=dict(mail["inbox"]), outbox=dict(mail["outbox"]) | outbox)


def left(postal: Postal) -> int:
    """How many mails have left since the last time."""
    return sum(len(postal.mails(name)) for name in ("alice", "bob", "mallory"))


def test_no_more_leave_in_an_hour_than_the_club_says(postal: Postal) -> None:
    settle_outbox(postal, per_hour=1)
    postal.run()
    assert left(postal) == 1
    postal.after(0.5 / 24)
    assert left(postal) == 0, "half an hour later the limit still holds"
    postal.after(0.6 / 24)
    assert left(postal) == 1, "nothing is lost by waiting"
    assert postal.table.club.store.unsent() == []


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
