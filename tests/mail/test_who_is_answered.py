"""Answers by who needs them: a player whose orders were not taken is told, whoever else writes how much."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from pbem.cli import main
from pbem.mail.answers import MAX_PER_PLAYER, MAX_STRANGERS, ORDERS_PER_DAY, TOO_OFTEN
from pbem.mail.mail_problems import OWED, unanswered_senders
from pbem.service.doctor import examine
from pbem.trust import keys
from pbem.trust.fields import sign_fields
from pbem.trust.keys import PrivateKey
from pbem.trust.player_statements import Join
from tests.judge.table import Table
from tests.mail.postal import Postal, make_postal
from tests.mail.servers import Post, smtp_server
from tests.mail.test_passes import body

ALICE = "alice@example.org"


def told(postal: Postal, name: str = "alice") -> list[str]:
    """What has come for somebody, on one line each."""
    return [" ".join(body(one).split()) for one in postal.mails(name)]


def damaged(table: Table, number: int = 0) -> str:
    """A player's orders, one character of whose armor is lost on the way."""
    lines = table.sealed("alice", rev=number + 1).decode().splitlines()
    lines[3] = lines[3][:-1] + "!"
    return "\n".join(lines) + "\n"


def stump(table: Table) -> str:
    """Their first half."""
    lines = table.sealed("alice").decode().splitlines()
    return "\n".join(lines[: len(lines) // 2]) + "\n"


def test_damaged_orders_are_told_after_help_status_and_a_stranger_s_mail(quiet: Postal) -> None:
    for text in ("help\n", "status\n", "hello, I am not Alice\n"):
        quiet.send(text, ALICE)
    quiet.run()
    assert len(told(quiet)) == 3
    quiet.send(damaged(quiet.table), ALICE)
    quiet.deliver(stump(quiet.table), ALICE)
    texts = told(quiet)
    assert sum("Nothing was used" in text for text in texts) == 2
    assert sum("END AGE ENCRYPTED FILE is missing" in text for text in texts) == 1


@pytest.mark.ci
def test_strangers_cannot_use_up_what_players_need(quiet: Postal) -> None:
    for number in range(35):
        text = "hello\n" if number < 30 else damaged(quiet.table, number)
        quiet.send(text, f"mallory+{number}@example.org", Subject=f"demo {number}")
    quiet.run()
    assert sum(bool(one.address) for one in quiet.table.club.store.letters()) == 30
    assert quiet.table.club.store.notes(OWED) == {}, "nothing on another day"
    for text in ("help\n", "status\n", stump(quiet.table)):
        quiet.send(text, ALICE)
    quiet.run()
    assert len(told(quiet)) == 3
    assert "5 of strangers (mallory+30@example.org, mallory+31" in unanswered_senders(quiet.table.club)
    (answers,) = (one for one in examine(quiet.table.club) if one.what == "answers")
    assert answers.state == "advice", "the limit does what it is for: nothing is wrong"


@pytest.mark.parametrize(
    "headers",
    [
        {"Precedence": "bulk"},
        {"List-Unsubscribe": "<mailto:off@example.org>"},
        {"X-MS-Exchange-Inbox-Rules-Loop": ALICE},
        {"X-MS-Exchange-Generated-Message-Source": "Mailbox Rules Agent"},
        {"Subject": "Vacation week, and my orders"},
        {"Subject": "On holiday: orders for demo"},
        {"X-Spam-Flag": "YES"},
        {"Authentication-Results": "mx.club.example; dmarc=fail header.from=example.org"},
    ],
)
@pytest.mark.parametrize("shape", [damaged, stump])
def test_what_looks_like_a_machine_s_is_told_if_orders_are_in_it(
    quiet: Postal, headers: dict[str, str], shape: object
) -> None:
    assert callable(shape)
    quiet.send(shape(quiet.table), ALICE, **headers)
    quiet.deliver("hello, without orders\n", ALICE, **headers)
    assert [
        text for text in told(quiet) if "Nothing was used" in text and "there is nothing sealed" not in text
    ]


def test_orders_of_somebody_who_is_postmaster_are_told(quiet: Postal) -> None:
    club, alice = quiet.table.club, quiet.table.people["alice"]
    club.add_player("alice", alice.key.public, "postmaster@alice.example")
    quiet.deliver(damaged(quiet.table), "postmaster@alice.example")
    assert any("Nothing was used" in text for text in told(quiet, "postmaster"))


@pytest.mark.parametrize(
    "headers",
    [
        {"Auto-Submitted": "auto-replied"},
        {"Return-Path": "<>"},
        {"X-Autoreply": "yes"},
        {"Precedence": "auto_reply"},
    ],
)
def test_an_automatic_reply_is_not_answered_whatever_is_in_it(quiet: Postal, headers: dict[str, str]) -> None:
    quiet.deliver(damaged(quiet.table), ALICE, **headers)
    assert told(quiet) == []


def test_what_is_left_of_our_own_letter_is_no_orders(postal: Postal) -> None:
    """A vacation message that quotes half of a report, and does not say that a machine wrote it."""
    postal.run()
    postal.mails("alice")
    (letter,) = postal.table.club.store.letters_to("demo", "alice")
    text = letter.data.decode()
    start = text.index("-----BEGIN AGE")
    for quoted in (text[start : start + 900], text[start:].replace("\n", "!\n", 3)):
        postal.send(f"I am away.\n\n{quoted}\n", ALICE, Subject="Vacation week")
    postal.run()
    assert told(postal) == []


@pytest.mark.ci
def test_beyond_sixteen_a_day_they_are_told_in_one_letter_on_the_next(
    quiet: Postal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pbem.mail.answers.MAX_OWED_LINES", 3)
    many = ORDERS_PER_DAY + 4
    for number in range(many):
        quiet.send(damaged(quiet.table, number), ALICE)
    quiet.run()
    assert len(told(quiet)) == ORDERS_PER_DAY
    club = quiet.table.club
    assert "4 of alice" in unanswered_senders(club)
    (found,) = [one for one in examine(club) if one.what == "answers"]
    assert found.wrong
    quiet.run()
    assert told(quiet) == []
    quiet.after(1)
    (text,) = told(quiet)
    assert text.count("Nothing was used") == 3
    assert "And 1 more." in text
    quiet.run()
    assert told(quiet) == []
    quiet.table.clock.pass_days(1)
    assert unanswered_senders(club) == ""


def test_who_has_a_receipt_was_answered(quiet: Postal) -> None:
    """Words beside good orders are answered once a day; the receipt is an answer to each mail."""
    quiet.settle(watch={"address": "gm@club.example"})
    for number in range(3):
        orders = quiet.table.sealed("alice", rev=number + 1).decode()
        quiet.send(f"My train is late, so I write from the station, number {number}.\n\n{orders}", ALICE)
        quiet.run()
    assert sum("Your orders were received" in text for text in told(quiet)) == 3
    assert unanswered_senders(quiet.table.club) == ""


def test_the_game_master_is_told_once_who_was_not_answered(
    quiet: Postal, capsys: pytest.CaptureFixture[str]
) -> None:
    quiet.settle(watch={"address": "gm@club.example"})
    quiet.table.clock.now = datetime.now(UTC)  # as the command sees it
    for number in range(2):
        for other in range(8):
            quiet.send("status\n", ALICE, X_Number=f"{number} {other}")
        quiet.run()
    alerts = told(quiet, "gm")
    assert sum("some were not answered:" in text and "of alice" in text for text in alerts) == 1
    assert main(["status", "--club", str(quiet.table.club.path)]) == 0
    assert "11 of alice" in capsys.readouterr().out


KEY = keys.generate("somebody")


def join(game: str, name: str, key: PrivateKey = KEY) -> str:
    return sign_fields(Join(game=game, player=name, key=key.public), key).decode()


@pytest.mark.ci
def test_five_hundred_wishes_of_strangers_close_the_club_to_nobody(
    quiet: Postal, capsys: pytest.CaptureFixture[str]
) -> None:
    """An honest newcomer before the flood, one after it, and an enrolled player."""
    club, folder = quiet.table.club, quiet.table.club.path / "joins"
    quiet.deliver(join("dunbar", "carol"), "carol@example.org")
    for number in range(MAX_STRANGERS + 5):
        quiet.send(join(f"flood{number}", "mallory"), f"mallory{number}@flood.example")
    quiet.run()
    alice = quiet.table.people["alice"].key
    quiet.send(join("dunbar", "dave"), "dave@example.org")
    quiet.deliver(join("dunbar", "alice", alice), ALICE)
    for name in ("carol", "dave", "alice"):
        assert len(list(folder.glob(f"dunbar-{name}-*.join"))) == 1, name
    assert len(list(folder.iterdir())) == MAX_STRANGERS + 1
    assert len(told(quiet, "carol")) == 1
    assert len(told(quiet)) == 1
    answered = 0
    for _ in range(30):
        answered += len(told(quiet, "dave"))
        quiet.after(1 / 24)
    assert answered == 1, "in its turn, and once"
    capsys.readouterr()
    assert main(["status", "--club", str(club.path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) < 30
    assert any("alice wishes to join" in line for line in lines)
    assert any("more who wish to join" in line for line in lines)


def test_a_wish_for_a_game_that_has_begun_goes_first(quiet: Postal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pbem.mail.answers.MAX_STRANGERS", 3)
    for game, name in (("dunbar", "carol"), ("dunbar", "dave"), ("demo", "erin"), ("dunbar", "frank")):
        quiet.deliver(join(game, name), f"{name}@example.org")
    kept = sorted(path.name.partition("-")[0] for path in (quiet.table.club.path / "joins").iterdir())
    assert kept == ["dunbar", "dunbar", "dunbar"]


def test_one_player_s_wishes_have_room_of_their_own_and_an_end(quiet: Postal) -> None:
    alice = quiet.table.people["alice"].key
    for number in range(MAX_PER_PLAYER + 3):
        quiet.send(join(f"game{number:02}", "alice", alice), ALICE)
    quiet.run()
    kept = sorted(path.name[:6] for path in (quiet.table.club.path / "joins").iterdir())
    assert kept == [f"game{number:02}" for number in range(3, MAX_PER_PLAYER + 3)]


def owed(postal: Postal) -> set[str]:
    """The addresses for which an answer is kept."""
    return {name.removeprefix(OWED) for name in postal.table.club.store.notes(OWED)}


AWAY = "I am away, and read this when I am back.\n"


def test_the_same_words_are_not_answered_the_next_day(watched: Postal) -> None:
    """A machine without any mark of one, which answers each letter: it gets no letter that begins it anew."""
    for number in range(2):
        watched.deliver(AWAY, ALICE, X_Number=f"{number}")
    assert len(told(watched)) == 1
    assert owed(watched) == set()
    watched.deliver("And a question of my own?\n", ALICE)
    assert owed(watched) == {ALICE}
    for number in range(4):
        watched.after(1)
        if told(watched):
            watched.deliver(AWAY, ALICE, X_Number=f"later {number}")
    assert owed(watched) == set()


def test_a_flood_of_strangers_is_not_answered_for_days(
    watched: Postal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From can be forged: so many wait for the next day's letter, and none who was never answered."""
    monkeypatch.setattr("pbem.mail.answers.MAX_OWED_STRANGERS", 3)
    for number in range(35):
        for text in ("status demo\n", "standings demo\n"):
            watched.send(text, f"mallory+{number}@example.net")
    watched.run()
    assert len(owed(watched)) == 3
    before = len(watched.table.club.store.letters())
    watched.after(1)
    assert len(watched.table.club.store.letters()) - before == 3


@pytest.mark.parametrize(
    "marks", [{"X_Spam_Flag": "YES"}, {"Auto_Submitted": "auto-replied"}, {"List_Id": "<a>"}]
)
def test_what_is_forged_or_of_a_machine_is_not_answered_on_the_next_day(
    watched: Postal, marks: dict[str, str]
) -> None:
    watched.deliver("Is my last turn in?\n", ALICE)
    told(watched)
    watched.deliver("And when does it end?\n", ALICE, **marks)
    watched.after(1)
    assert told(watched) == []


def test_commands_and_what_was_signed_are_told_the_next_day_beside_words(watched: Postal) -> None:
    day = datetime(2026, 1, 20, tzinfo=UTC).date()
    for command in ("help", "status", "my games", "standings", "standings x", "standings y"):
        watched.send(f"{command}\n", ALICE)
    for number in range(6):
        watched.send(watched.table.absence(day, day + timedelta(days=number)), ALICE)
    for text in ("Is my last turn in?\n", "And when does it end?\n"):
        watched.send(text, ALICE)
    watched.run()
    told(watched)
    assert "2 of alice" in unanswered_senders(watched.table.club), "the words are none of them"
    watched.after(1)
    (letter,) = told(watched)
    assert letter.count("Your mail of ") == 3
    for text in (TOO_OFTEN, "from 2026-01-20 until 2026-01-25 is noted", "A person will read it"):
        assert text in letter, text


def test_a_stranger_s_wish_to_join_is_answered_at_once_whatever_came_before(watched: Postal) -> None:
    for text in ("How do I join?\n", "help\n", join("dunbar", "carol")):
        watched.deliver(text, "carol@example.org")
        assert len(told(watched, "carol")) == 1, text


def test_a_reveal_that_comes_again_is_told(tmp_path: Path) -> None:
    post = Post(tmp_path / "post")
    with smtp_server(post) as port:
        postal = make_postal(tmp_path, port, post, mode="after-close")
        postal.go()
        reveal = postal.table.sealed_reveal("alice")
        postal.deliver(reveal, ALICE)
        told(postal)
        for days in (0, 0.5):
            postal.table.clock.pass_days(days)
            postal.deliver(f"again, {days}\n".encode() + reveal, ALICE)
            assert sum(
                "The reveal of alice for demo was received before" in one for one in told(postal)
            ) == bool(days)
