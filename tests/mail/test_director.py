"""The director hears of what only a person understands, and of what waits for them."""

from __future__ import annotations

import pytest

from pbem.judge.newgame import new_game
from pbem.mail.director import MAX_FROM_STRANGERS, MAX_PER_SENDER, MAX_QUESTION_LENGTH
from pbem.mail.mail_problems import unanswered_senders
from pbem.trust import keys
from pbem.trust.fields import sign_fields
from pbem.trust.player_statements import Join
from tests.judge.table import TITLE
from tests.mail.postal import Postal
from tests.mail.test_passes import body

pytestmark = pytest.mark.ci(
    but=("test_a_director_who_plays_in_the_second_of_the_writer_s_games_is_not_shown_it",)
)

GM = "gm@club.example"
ILL = "Dear game master, I am in hospital, please hold my game.\n"


@pytest.fixture
def watched(postal: Postal) -> Postal:
    """A director who does not play."""
    postal.settle(watch={"address": GM, "summary": ""})
    postal.run()
    for name in ("alice", "bob", "gm"):
        postal.mails(name)
    return postal


def asked(postal: Postal, text: str = ILL, sender: str = "alice@example.org", **headers: str) -> list[str]:
    """Somebody writes; what the director gets."""
    postal.deliver(text, sender, **headers)
    return [" ".join(body(mail).split()) for mail in postal.mails("gm")]


def test_what_a_player_writes_is_passed_on_and_answered(watched: Postal) -> None:
    (letter,) = asked(watched, Subject="My games")
    assert letter.startswith(
        "alice@example.org, enrolled as alice and playing demo, has written to the judge."
    )
    assert "Subject: My games Dear game master, I am in hospital" in letter
    assert "Answer them at alice@example.org." in letter
    (told,) = watched.mails("alice")
    assert "A person will read it: the director." in " ".join(body(told).split())


@pytest.mark.parametrize("name", ["alice", "eve"])
def test_who_has_had_the_days_answer_is_answered_in_the_next_days_letter(watched: Postal, name: str) -> None:
    """A player and a stranger, who write nothing more.

    They were told nothing at all once, since From may be forged; but the letter takes the place of the next
    day's answer, so that nobody gets more of them than before.
    """
    sender = f"{name}@example.org"
    (first,) = asked(watched, "Is my last turn in?\n", sender)
    assert "has told them that a person will read it" in first
    assert len(watched.mails(name)) == 1
    for text in ("And when does it end?\n", "And who begins?\n"):
        (letter,) = asked(watched, text, sender)
        assert watched.mails(name) == []
        assert "has not told them yet that a person will read it" in letter
    assert unanswered_senders(watched.table.club) == ""
    watched.after(1 / 4)
    assert watched.mails(name) == [], "it is still the same day"
    watched.after(1 / 4)
    told = " ".join(" ".join(map(body, watched.mails(name))).split())
    assert told.count("Your mail of 2026-01-") == 2
    assert told.count("A person will read it: the director.") == 2
    watched.mails("gm")
    (letter,) = asked(watched, "One more question.\n", sender)
    assert watched.mails(name) == [], "one letter a day"
    watched.after(1)
    assert len(watched.mails(name)) == 1
    watched.after(3)
    assert watched.mails(name) == []


def test_a_stranger_is_passed_on_and_answered_too(watched: Postal) -> None:
    (letter,) = asked(watched, "How do I join?\n", "eve@elsewhere.example")
    assert letter.startswith("eve@elsewhere.example, who is not enrolled, has written")
    (told,) = watched.mails("eve")
    assert "A person will read it" in body(told)


@pytest.mark.parametrize(
    ("sender", "headers"),
    [
        ("alice@example.org", {"Auto_Submitted": "auto-replied"}),
        ("news@example.org", {"List_Id": "<news.example.org>"}),
        ("no-reply@example.org", {}),
        ("alice@example.org", {"X_Spam_Flag": "YES"}),
        (GM, {}),
    ],
)
def test_machines_lists_spam_and_the_director_are_not(
    watched: Postal, sender: str, headers: dict[str, str]
) -> None:
    assert asked(watched, sender=sender, **headers) == []


@pytest.mark.parametrize("text", ["help\n", "status\n", "pbem1 orders\ncard 1\n", "\n"])
def test_what_the_judge_understands_goes_to_nobody_else(watched: Postal, text: str) -> None:
    assert asked(watched, text) == []


def test_one_sender_does_not_fill_the_directors_box(watched: Postal) -> None:
    letters = [
        letter for number in range(MAX_PER_SENDER + 2) for letter in asked(watched, f"Question {number}?\n")
    ]
    assert len(letters) == MAX_PER_SENDER
    watched.table.clock.pass_days(1)
    letter, waiting = asked(watched)
    assert "hospital" in letter
    assert waiting.startswith("This waits for you in "), "yesterday's are not answered yet"


def test_strangers_take_no_place_of_players_in_the_directors_box(watched: Postal) -> None:
    for number in range(MAX_FROM_STRANGERS + 2):
        found = asked(watched, sender=f"stranger{number}@example.net")
        assert len(found) == (number < MAX_FROM_STRANGERS)
    assert len(asked(watched)) == 1, "a player is read all the same"


def test_a_long_mail_is_cut(watched: Postal) -> None:
    (letter,) = asked(watched, "word " * MAX_QUESTION_LENGTH)
    assert len(letter) < 2 * MAX_QUESTION_LENGTH
    assert "(cut here; all of it is in the mailbox)" in letter


@pytest.mark.parametrize("swapped", [ILL, "I attack Fife with Wallace in round 2, is that legal?\n"])
def test_a_director_who_plays_learns_only_that_an_opponent_has_written(postal: Postal, swapped: str) -> None:
    postal.settle(watch={"address": "bob@example.org", "summary": ""})
    postal.run()
    postal.mails("bob")
    postal.deliver(swapped, Subject=swapped.strip())
    (letter,) = (body(mail) for mail in postal.mails("bob"))
    assert " ".join(letter.split()) == (
        "alice@example.org, enrolled as alice and playing demo, has written to the judge. The program found "
        "nothing in it that it can use, and has told them that a person will read it. You play against "
        "them, so what they have written stays in the mailbox: let somebody else read it."
    )


def test_a_director_who_plays_in_the_second_of_the_writer_s_games_is_not_shown_it(postal: Postal) -> None:
    postal.settle(watch={"address": "bob@example.org", "summary": ""})
    postal.table.club.add_player("carol", keys.generate("carol").public, "carol@example.org")
    seats = {"scotland": "alice", "england": "carol"}
    new_game(postal.table.club, "another", TITLE.name, dict(TITLE.excerpt or {}), seats)
    postal.run()
    postal.mails("bob")
    postal.deliver(ILL)
    (letter,) = (" ".join(body(mail).split()) for mail in postal.mails("bob"))
    assert "playing another, demo" in letter
    assert "hospital" not in letter


def test_what_a_mail_holds_cannot_hurt_the_mail_that_passes_it_on(watched: Postal) -> None:
    (letter,) = asked(
        watched, "Grüße \x1b[31m \u202e x\r\n.\r\n{{ 7*7 }} %s <script>\n", Subject="a\tb {{ 7*7 }}"
    )
    assert "Grüße [31m x . {{ 7*7 }} %s <script>" in letter
    assert "Subject: a b {{ 7*7 }}" in letter


def test_without_a_director_the_sender_is_told_what_was_not_found(postal: Postal) -> None:
    postal.run()
    postal.mails("alice")
    postal.deliver(ILL)
    (told,) = postal.mails("alice")
    assert "there is nothing sealed in it, and no command" in " ".join(body(told).split())


def test_what_waits_is_mailed_once_a_day_until_it_is_done(watched: Postal) -> None:
    key = keys.generate("carol")
    watched.deliver(
        sign_fields(
            Join(
                game="spring", player="carol", key=key.public, judge=watched.table.club.key.public.fingerprint
            ),
            key,
        ),
        "carol@example.org",
    )
    (letter,) = (" ".join(body(mail).split()) for mail in watched.mails("gm"))
    assert letter.startswith("This waits for you in ")
    assert "spring: carol wishes to join" in letter
    watched.run()
    assert watched.mails("gm") == []
    watched.after(1)
    assert len(watched.mails("gm")) == 1
    for path in watched.table.club.joins_folder.iterdir():
        path.unlink()
    watched.after(1)
    assert watched.mails("gm") == []


def test_letters_and_help_name_the_director(postal: Postal) -> None:
    postal.settle(watch={"address": "gm@club.example"})
    postal.run()
    (invitation,) = postal.mails("alice")
    assert "who reads what you write to gm@club.example" in body(invitation)
    postal.deliver("help\n")
    (told,) = postal.mails("alice")
    assert "who reads what you write to gm@club.example" in body(told)


def test_nobody_is_named_where_nobody_is(postal: Postal) -> None:
    postal.run()
    (invitation,) = postal.mails("alice")
    assert "who reads what you write to" not in body(invitation)
