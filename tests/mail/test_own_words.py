"""Words beside something that the program uses reach a person; what only accompanies it does not."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from pbem.mail.director import WILL_READ_WORDS, words_beside
from pbem.player.outgoing.mailing import press_mail
from pbem.trust.letters import Addresses
from tests.mail.postal import Postal
from tests.mail.test_director import ILL, asked, watched
from tests.mail.test_passes import body

pytestmark = pytest.mark.ci
__all__ = ["watched"]

ARMOR = "-----BEGIN AGE ENCRYPTED FILE-----\nYWdl\n-----END AGE ENCRYPTED FILE-----\n"


def test_words_above_another_players_sealed_orders(watched: Postal) -> None:
    orders = watched.table.sealed("alice").decode()
    assert asked(watched, orders) == []
    (letter,) = asked(watched, f"Alice has broken our truce, is that allowed?\n\n{orders}", "bob@example.org")
    assert "Alice has broken our truce" in letter
    assert "AGE ENCRYPTED" not in letter
    assert "has told them that a person will read it" in letter
    (told,) = watched.mails("bob")
    assert WILL_READ_WORDS in " ".join(body(told).split())


def test_words_above_an_absence_and_above_orders(watched: Postal) -> None:
    days = date(2026, 1, 20)
    (letter,) = asked(watched, ILL + watched.table.absence(days, days).decode())
    assert "I am in hospital" in letter
    (told,) = watched.mails("alice")
    assert "2026-01-20" in body(told)
    assert WILL_READ_WORDS in " ".join(body(told).split())
    (letter,) = asked(watched, ILL + watched.table.sealed("alice").decode())
    assert "I am in hospital" in letter


def test_words_below_a_command(watched: Postal) -> None:
    (letter,) = asked(watched, f"status\n\n{ILL}")
    assert "hospital" in letter
    assert "status" not in letter


@pytest.mark.parametrize(
    "text",
    [
        "Hello judge,\n\nhere are my orders for exchange 2.\n\n{}\nThanks, Alice\n",
        "{}\n-- \nAlice Smith, plays since 1970\n",
        "{}\nSent from my iPhone\n",
        "{}\nOn Monday, the judge of the club\nwrote:\n> Your orders are due.\n> Hurry.\n",
        "demo, exchange 1: revision 1 of alice, sealed to\nthe judge.\n\n{}",
    ],
)
def test_what_only_accompanies_orders_stays(watched: Postal, text: str) -> None:
    assert asked(watched, text.format(watched.table.sealed("alice").decode())) == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (f"Thanks!\n\n> demo: a message\n> {ARMOR}", "Thanks!"),
        (f"On Monday Bob wrote:\n> {ARMOR}> bye\n\nI resign.\n", "I resign."),
        (f"{ARMOR}\nAre my orders here?\n", "Are my orders here?"),
        ("> Please wait for me.\n" + ARMOR, ""),
        ("I accept!\n" + ARMOR, "I accept!"),
        ("Anmeldung zur Liga.\n" + ARMOR, ""),
        ("Mein neuer Schlüssel:\n" + ARMOR, ""),
        ("My settings, and my answer to the call.\n" + ARMOR, ""),
        ("Zwei Dateien; die zweite zählt nicht.\n" + ARMOR, "Zwei Dateien; die zweite zählt nicht."),
        ("My key is stolen, here is a new one.\n" + ARMOR, "My key is stolen, here is a new one."),
    ],
)
def test_the_words_that_are_left(text: str, words: str) -> None:
    assert words_beside(text, ["alice"], is_own=False) == words


def test_words_of_the_program_itself_are_none() -> None:
    mail = press_mail("demo", ARMOR, Addresses(judge="judge@club.example"), datetime(2026, 1, 1, tzinfo=UTC))
    assert words_beside(mail.decode().partition("\n\n")[2], [], is_own=False) == ""


def test_a_stranger_who_has_had_an_answer_still_gets_help(watched: Postal) -> None:
    stranger = "eve@elsewhere.example"
    asked(watched, "How do I join?\n", stranger)
    assert len(watched.mails("eve")) == 1
    for _ in range(2):
        asked(watched, "help\n\ndemo\n", stranger, Subject="demo")
    (told,) = watched.mails("eve")
    assert "status" in body(told)
