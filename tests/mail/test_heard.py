"""Nothing that a person writes is lost in silence: they hear of it, or the director does."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest

from pbem.cli import main
from pbem.errors import ConfigError
from pbem.judge.intake.waiting_list import waiting_questions
from pbem.judge.new_keys import rotate
from pbem.mail.answers import forget_answers
from pbem.mail.director import MAX_FROM_STRANGERS, MAX_PER_SENDER, WILL_READ_WORDS
from pbem.trust import keys
from pbem.trust.armor import find_sealed
from pbem.trust.rotations import sign_rotation
from pbem.trust.sealing import to_armor
from tests.judge.table import GAME
from tests.mail.postal import Postal
from tests.mail.test_passes import body

GM = "gm@club.example"
ALICE = "alice@example.org"


def told(postal: Postal, name: str = "alice") -> list[str]:
    """What has come for somebody, on one line each."""
    return [" ".join(body(one).split()) for one in postal.mails(name)]


def waiting(postal: Postal, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """What `status` shows first, as what waits for the director."""
    capsys.readouterr()
    main(["club", "status", "--club", str(postal.table.club.path)])
    return [line for line in capsys.readouterr().out.splitlines() if line.startswith("for you: ")]


def questions(postal: Postal, capsys: pytest.CaptureFixture[str]) -> list[tuple[str, str]]:
    """The mails that wait for an answer: their numbers, and their lines."""
    found = [(re.search(r"--answered (\d+)", line), line) for line in waiting(postal, capsys)]
    return [(match[1], line) for match, line in found if match]


def day_after(postal: Postal) -> str:
    return f"{postal.table.clock.now + timedelta(days=1):%Y-%m-%d}"


@pytest.mark.ci
def test_orders_that_come_three_exchanges_late_are_answered_with_game_and_exchange(watched: Postal) -> None:
    late = watched.table.sealed("alice", rev=7)
    watched.go(3)
    told(watched)
    before = watched.table.ledger()
    watched.deliver(late, ALICE)
    (text,) = told(watched)
    assert "Orders of alice for demo do not count: exchange 2 of demo is closed; exchange 5 is open." in text
    assert watched.table.ledger() == before, "no ledger has an entry for an exchange so long ago"


@pytest.mark.ci
def test_a_stranger_learns_nothing_of_orders_that_come_late(watched: Postal) -> None:
    late = watched.table.sealed("alice", rev=7)
    watched.go(3)
    told(watched)
    watched.deliver(late, "eve@elsewhere.example", Subject="demo")
    assert all("exchange" not in text for text in told(watched, "eve"))
    assert any("exchange 2 of demo is closed" in text for text in told(watched))


@pytest.mark.ci
def test_the_fourth_question_of_a_day_is_told_the_limit_once_and_the_director_sees_it(
    watched: Postal, capsys: pytest.CaptureFixture[str]
) -> None:
    for number in range(MAX_PER_SENDER):
        watched.deliver(f"Question {number}?\n", ALICE)
    told(watched)
    for number in (4, 5, 6):
        watched.deliver(f"And what of question {number}?\n", ALICE, Subject=f"question {number}")
    (text,) = told(watched)
    assert f"at most {MAX_PER_SENDER} mails a day from one address" in text
    assert f"You can write again from {day_after(watched)} 00:00 UTC" in text
    assert len(told(watched, "gm")) == MAX_PER_SENDER
    (line,) = [one for one in waiting(watched, capsys) if "was not passed on" in one]
    assert "alice@example.org (alice, in demo)" in line
    assert "'question 4'" in line
    assert "and 2 more that day (the last: 'question 6')" in line
    watched.table.clock.pass_days(1)
    watched.deliver("Is it my turn?\n", ALICE)
    assert "A person will read it" in told(watched)[0]


def test_words_beside_orders_beyond_the_limit_are_told_it_too(watched: Postal) -> None:
    for number in range(MAX_PER_SENDER):
        watched.deliver(f"Question {number}?\n", ALICE)
    told(watched)
    watched.deliver(f"Is this right?\n\n{watched.table.sealed('alice').decode()}", ALICE)
    assert any("mails a day from one address" in text for text in told(watched))


@pytest.mark.ci
def test_a_stranger_beyond_the_directors_limit_is_told_it_once(watched: Postal) -> None:
    for number in range(MAX_FROM_STRANGERS):
        watched.send(f"How do I join {number}?\n", f"stranger{number}@example.net")
    for text in ("How do I join?\n", "Hello, how do I join?\n"):
        watched.send(text, "carol@example.net")
    watched.run()
    (text,) = told(watched, "carol")
    assert f"at most {MAX_FROM_STRANGERS} mails a day from people who are not enrolled" in text


def test_what_waits_for_an_answer_is_shown_until_it_is_answered(
    watched: Postal, capsys: pytest.CaptureFixture[str]
) -> None:
    watched.deliver("May I have two more days?\n", ALICE, Subject="to the gm")
    watched.deliver("How do I join?\n", "eve@elsewhere.example")
    (number, line), (other, stranger) = questions(watched, capsys)
    assert "alice@example.org (alice, in demo)" in line
    assert "'to the gm'" in line
    assert "eve@elsewhere.example, who is not enrolled" in stranger
    folder = str(watched.table.club.path)
    assert main(["club", "status", "--club", folder, "--read", number]) == 0
    assert "Subject: to the gm\n\nMay I have two more days?\n" in capsys.readouterr().out
    assert main(["club", "status", "--club", folder, "--answered", number]) == 0
    assert [one for one, _ in questions(watched, capsys)] == [other]
    for words in (["--answered", other, "--read", other], ["--answered", other, "--json"]):
        assert main(["club", "status", "--club", folder, *words]) == 2
        assert "choose one of --answered, --read and --json" in capsys.readouterr().err
    assert [one for one, _ in questions(watched, capsys)] == [other]
    assert main(["club", "status", "--club", folder, "--answered", number]) == 1
    assert f"no mail {number} waits for an answer; there is {other}" in capsys.readouterr().err
    watched.deliver("And four?\n", ALICE)
    (_, (last, _)) = questions(watched, capsys)
    assert main(["club", "status", "--club", folder, "--answered", f"{other},{number}"]) == 1
    assert len(questions(watched, capsys)) == 2, "all or none"
    assert main(["club", "status", "--club", folder, "--answered", f"{other},{last}"]) == 0
    assert questions(watched, capsys) == []


def test_what_waits_for_an_answer_is_mailed_again_the_next_day_and_not_at_once(postal: Postal) -> None:
    postal.settle(watch={"address": GM, "summary": ""})
    postal.run()
    told(postal, "gm")
    postal.deliver("May I have two more days?\n", ALICE)
    assert len(told(postal, "gm")) == 1, "the mail itself"
    postal.after(1)
    (letter,) = told(postal, "gm")
    assert "of alice@example.org (alice, in demo)" in letter


def test_status_shows_a_director_who_plays_no_words_of_an_opponent(
    postal: Postal, capsys: pytest.CaptureFixture[str]
) -> None:
    postal.settle(watch={"address": GM, "summary": "", "waiting": ""})
    postal.run()
    postal.deliver("Is it legal?\n", ALICE)
    postal.settle(watch={"address": "bob@example.org", "summary": "", "waiting": ""})
    postal.deliver("Is it legal?\n", ALICE, Subject="I attack Fife")
    before, (number, line) = questions(postal, capsys)
    assert "alice@example.org" in line
    assert "Fife" not in line
    for one in (before[0], number):
        assert main(["club", "status", "--club", str(postal.table.club.path), "--read", one]) == 0
        assert "legal" not in (shown := capsys.readouterr().out)
        assert "You play against them" in shown


@pytest.mark.ci
def test_a_player_who_is_forgotten_waits_for_no_answer(watched: Postal) -> None:
    watched.deliver("How do I join?\n", "eve@elsewhere.example")
    watched.deliver("Hello, is it on?\n", ALICE)
    club = watched.table.club
    with club.store.step():
        forget_answers(club, "alice", ALICE)
    assert len(waiting_questions(club)) == 1


LINES = "-----BEGIN AGE ENCRYPTED FILE-----", "-----END AGE ENCRYPTED FILE-----"


@pytest.mark.parametrize("harm", ["a character", "its head", "cut short", "no begin", "no end"])
def test_words_beside_damaged_orders_are_passed_on(watched: Postal, harm: str) -> None:
    lines = watched.table.sealed("alice").decode().splitlines()
    if harm == "a character":
        lines[3] = f"{lines[3][:-1]}!"
    elif harm == "its head":
        lines = to_armor(find_sealed("\n".join(lines).encode())[0].replace(b"\n--- ", b"\n-!- ")).splitlines()
    elif harm == "cut short":
        lines = [*lines[: len(lines) // 2], lines[5][:20]]
    else:
        lines = [line for line in lines if line != LINES[harm == "no end"]]
    text = "\n".join(("I am in hospital, please hold my game.", "", *lines, ""))
    watched.deliver(text, ALICE)
    (answer,) = told(watched)
    assert "Nothing was used" in answer
    assert WILL_READ_WORDS in answer
    (letter,) = told(watched, "gm")
    assert "in hospital, please hold my game. Answer them at" in letter, "and nothing else"
    assert "The program could not use what it brought" in letter
    watched.deliver("\n".join(lines) + "\n", ALICE)
    assert told(watched, "gm") == [], "without words there is nothing for a person"


def test_words_beside_orders_that_are_not_sealed_are_passed_on_without_the_orders(watched: Postal) -> None:
    watched.deliver("I am in hospital.\n\npbem1 orders\ngame demo\n\nmove Wallace to Fife\n", ALICE)
    (letter,) = told(watched, "gm")
    assert "I am in hospital." in letter
    assert "Wallace" not in letter


def test_a_key_that_neither_the_old_nor_a_recovery_key_signs_is_told_with_its_fingerprint(
    watched: Postal, capsys: pytest.CaptureFixture[str]
) -> None:
    table, new = watched.table, keys.generate("new")
    change = table.key_change("alice", new.public)
    key, consent = new.public.fingerprint, f"pbem sign consent {GAME} 2 {change.consent} --as NAME"
    watched.deliver(sign_rotation(change, None, new).decode(), ALICE)
    (text,) = told(watched)
    assert f"Your new key for {GAME} has come: {key}." in text
    assert f"all others who play, or the second official, must consent: {consent}" in text
    (line,) = waiting(watched, capsys)
    assert f"alice has signed a new key, {key}, by neither the old nor a recovery key" in line
    assert consent in line
    assert "replace-key" not in line, "the command would be refused"
    with pytest.raises(ConfigError, match=f"the key {re.escape(key)} for the seat of alice: not without"):
        rotate(table.club, sign_rotation(change, None, new))
    given = table.consent(change.consent, "bob", table.people["bob"].key, seen=(1, table.genesis))
    watched.deliver(given.decode(), "bob@example.org")
    assert f"The new key is {key}." in told(watched, "bob")[0]
    (line,) = waiting(watched, capsys)
    assert "bob has signed 'rotate alice" in line
    assert "pbem game replace-key" in line
