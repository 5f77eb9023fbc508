"""A home refuses messages that it cannot write, and letters about press that no honest judge sends."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from pbem.cli import main
from pbem.errors import PbemError
from pbem.player import Home
from pbem.player import press as press_module
from pbem.player.faults import Damaged, NotOurs, Refused
from pbem.player.press import Press
from pbem.player.store.press_store import plain_text, targets
from pbem.trust.armor import find_sealed
from pbem.trust.press import (
    GM,
    GREY,
    MAX_TEXT_SIZE,
    NOBODY,
    Message,
    PressLetter,
    PressPaper,
    PressReceipt,
    PressTerms,
    content_hash,
    sign_letter,
    sign_message,
    sign_receipt,
    sign_terms,
)
from tests.player.judge import GAME, START, Judge


@pytest.fixture
def press(alice: Home, invited: Judge) -> Press:
    """Alice's press of a game in which all kinds are allowed."""
    found = alice.press(GAME)
    found.take(terms(invited, GREY))
    return found


def terms(judge: Judge, kind: str, game: str = GAME) -> bytes:
    """What the judge signs about a game's press."""
    return sign_terms(PressTerms(game=game, kind=kind, made=START), judge.key)


def message_of(judge: Judge, bob: Home, text: str = "Peace?\n", **more: object) -> tuple[Message, bytes]:
    """A message of bob's, with his signature."""
    parts = {"game": GAME, "genesis": judge.heads[0], "writer": "bob", "to": ("alice",), "number": 1}
    message = Message(**{**parts, "made": START, "text": text, **more})  # type: ignore[arg-type]
    return message, sign_message(message, bob.keys.unlock("bob"))


def letter_of(judge: Judge, bob: Home, text: str = "Peace?\n", **more: object) -> bytes:
    """The judge's letter that brings it to alice; `reader`, `outer` and `hidden` change that."""
    reader, outer, hidden = more.pop("reader", "alice"), more.pop("outer", GAME), more.pop("hidden", False)
    message, signed = message_of(judge, bob, text, **more)
    receipt = PressReceipt(
        game=message.game,
        writer=NOBODY if hidden else message.writer,
        kind=message.kind,
        to=message.to,
        number=0 if hidden else message.number,
        message=NOBODY if hidden else message.sha256,
        content=content_hash(message.subject, message.text),
        at=START,
    )
    paper = PressPaper(receipt=sign_receipt(receipt, judge.key), message=signed)
    if hidden:
        paper = replace(paper, message=b"", text=text)
    return sign_letter(PressLetter(game=str(outer), reader=str(reader), paper=paper), judge.key)


def test_a_letter_is_taken_once_and_numbers_tell_of_missing_ones(
    press: Press, invited: Judge, bob: Home
) -> None:
    assert press.take(letter_of(invited, bob)).new
    assert not press.take(letter_of(invited, bob)).new
    arrival = press.take(letter_of(invited, bob, "Three.\n", number=3))
    assert arrival.remarks == ("before it 1 of bob did not come",)
    arrival = press.take(letter_of(invited, bob, "Another three.\n", number=3))
    assert "has used this number before" in arrival.remarks[0]
    press.take(letter_of(invited, bob, "Two.\n", number=2))
    assert press.take(letter_of(invited, bob, "Four.\n", number=4)).remarks == (), "whatever came late"
    texts = ["Peace?\n", "Three.\n", "Another three.\n", "Two.\n", "Four.\n"]
    assert [one.text for one in press.lines()] == texts


def test_a_grey_letter_names_nobody(press: Press, invited: Judge, bob: Home) -> None:
    press.take(letter_of(invited, bob, kind=GREY, hidden=True))
    (line,) = press.lines()
    assert line.writer == NOBODY
    press.mute(GREY)
    press.mute("bob")
    press.mute("bob", is_muted=False)
    assert press.lines()[0].is_muted
    with pytest.raises(NotOurs, match="names the writer of a grey message"):
        press.take(letter_of(invited, bob, "Two.\n", kind=GREY))


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"reader": "bob"}, "this message is for"),
        ({"outer": "other"}, "this message is for"),
        ({"game": "other"}, "the message in it is of another game"),
        ({"writer": "carol"}, "names carol as its writer, and is signed with another key"),
    ],
)
def test_a_letter_that_cannot_be_is_refused(
    press: Press, invited: Judge, bob: Home, changed: dict[str, Any], words: str
) -> None:
    with pytest.raises(PbemError, match=words):
        press.take(letter_of(invited, bob, **changed))
    assert press.lines() == ()


def test_only_the_known_judge_is_believed(press: Press, invited: Judge, bob: Home) -> None:
    other = Judge(key=bob.keys.unlock("bob"))
    other.entries, other.salts = invited.entries, invited.salts
    with pytest.raises(PbemError, match="the judge of hearth has the key"):
        press.take(letter_of(other, bob))
    with pytest.raises(PbemError, match="the judge of hearth has the key"):
        press.take(terms(other, "none"))
    with pytest.raises(NotOurs, match="these terms are for"):
        press.take(terms(invited, "none", "other"))
    older = PressTerms(game=GAME, kind="none", made=START - timedelta(hours=1))
    assert not press.take(sign_terms(older, invited.key)).new
    assert press.kind == GREY


def test_what_cannot_be_written_is_refused_with_a_way_out(press: Press, alice: Home, bob: Home) -> None:
    with pytest.raises(Refused, match="say to whom"):
        press.write((), "Peace?\n")
    with pytest.raises(Refused, match="you can write to"):
        press.write(("dora",), "Peace?\n")
    with pytest.raises(PbemError, match="nobody writes to themselves"):
        press.write(("alice",), "Peace?\n")
    with pytest.raises(Refused, match="waits for its receipt"):
        press.send_again()
    with pytest.raises(Refused, match="first receive the invitation"):
        alice.press("other").write(("bob",), "Peace?\n")
    with pytest.raises(Refused, match="there is no message"):
        press.paper(1)
    with pytest.raises(Refused, match="name no mail address"):
        press.mail(press.write(("bob",), "Peace?\n"))


def test_a_report_with_too_long_a_text_is_refused(
    press: Press, invited: Judge, bob: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    press.take(letter_of(invited, bob, "a" * (MAX_TEXT_SIZE - 1) + "\n"))
    assert press.write((), "Look.\n", report=1).to == (GM,)
    assert press.write((), "a" * (MAX_TEXT_SIZE - 1) + "\n", report=1).sealed
    monkeypatch.setattr(press_module, "PRESS_UNIT", MAX_TEXT_SIZE)
    with pytest.raises(Refused, match="has no room beside so long a text"):
        press.write((), "Look.\n", report=1)


def test_of_a_closed_press_the_director_is_left(press: Press, monkeypatch: pytest.MonkeyPatch) -> None:
    assert press.readers() == ("all", "bob", GM), "a side of one player is no reader beside them"
    monkeypatch.setattr(Press, "closed", "quarrels")
    with pytest.raises(Refused, match="has closed the press of hearth: quarrels"):
        press.write(("bob",), "Peace?\n")
    assert press.write((GM,), "Why?\n").to == (GM,)


def test_numbers_count_for_each_kind_and_set_of_readers(press: Press) -> None:
    press.now = (START + timedelta(minutes=number) for number in range(4)).__next__
    press.write(("bob",), "One.\n")
    press.write(("bob",), "Two.\n")
    press.write(("all",), "One.\n")
    press.write(("bob",), "One.\n", grey=True)
    sent = [message for message, _ in press.store.sent_messages().values()]
    assert sorted((one.to, one.kind, one.number) for one in sent) == [
        (("all",), "white", 1),
        (("bob",), GREY, 1),
        (("bob",), "white", 1),
        (("bob",), "white", 2),
    ]
    assert [one.text for one in press.lines()] == ["One.\n", "Two.\n", "One.\n", "One.\n"]
    assert len(press.send_again()) == 4


def test_a_damaged_file_says_what_to_do(press: Press, invited: Judge, bob: Home) -> None:
    press.take(letter_of(invited, bob))
    press.write(("bob",), "One.\n")
    (press.store.path / "letters/0001.txt").write_bytes(b"x")
    with pytest.raises(Damaged, match="is damaged; ask the judge to send it again"):
        press.lines()
    (press.store.path / "letters/0001.txt").unlink()
    next((press.store.path / "sent").glob("*.txt")).write_bytes(b"x")
    with pytest.raises(Damaged, match="remove it: the judge has what was sent"):
        press.lines()
    (press.store.path / "terms.txt").write_bytes(b"x")
    with pytest.raises(Damaged, match="is damaged; ask the judge to send it again"):
        _ = press.kind


def test_what_somebody_means_is_what_is_sent() -> None:
    assert plain_text("a\tb\r\nc \u202e\n\n") == "a    b\nc\n"
    assert plain_text("a\x1b[2J") == "a [2J\n"


LONG = "https://" + "b\u00e4" * 90 + ".example"


@pytest.mark.parametrize(
    ("text", "leads"),
    [
        ("see https://example.org/a and HTTP://Example.org\n", ()),
        ("https://bank.example@evil.example/x\n", (("https://bank.example@evil.example", "evil.example"),)),
        ("https://b\u00e4nk.example:8080/\n", (("https://b\u00e4nk.example:8080", "xn--bnk-qla.example"),)),
        (f"{LONG}\n", ((LONG, "a name that cannot be written"),)),
    ],
)  # fmt: skip
def test_a_link_that_leads_elsewhere_is_named(text: str, leads: tuple[tuple[str, str], ...]) -> None:
    assert targets(text) == leads


def test_a_player_who_is_called_like_a_side_is_told_apart(
    press: Press, monkeypatch: pytest.MonkeyPatch
) -> None:
    people = (("alice", "bob", "north"), {"alice": "north", "bob": "south", "north": "south"})
    monkeypatch.setattr(Press, "_people", lambda _: people)
    with pytest.raises(Refused, match="is a player and a side; for the side write"):
        press.write(("north",), "Peace?\n")
    assert press.write(("side/north", "south"), "Peace?\n").to == ("side/north", "side/south")


def unread(home: Home) -> int:
    """How many messages are new, by the list of games."""
    (status,) = home.games()
    return status.unread


def test_a_message_is_new_until_it_was_shown(press: Press, alice: Home, invited: Judge, bob: Home) -> None:
    assert unread(alice) == 0
    for number in (1, 2):
        press.take(letter_of(invited, bob, f"{number}\n", number=number))
        press.take(letter_of(invited, bob, f"{number}\n", number=number))
    assert unread(alice) == 2, "a letter that comes twice is one message"
    press.keep_seen(press.lines()[:1])
    assert press.store.unread() == (2,)
    press.keep_seen(press.lines())
    assert unread(alice) == 0
    press.take(letter_of(invited, bob, "2\n", number=2))
    assert unread(alice) == 0, "it came again, and was seen"


def test_own_messages_and_muted_ones_are_not_new(
    press: Press, alice: Home, invited: Judge, bob: Home
) -> None:
    press.write(("bob",), "Mine.\n")
    ((sha256, (message, signed)),) = press.store.sent_messages().items()
    receipt = PressReceipt(
        game=GAME,
        writer="alice",
        kind=message.kind,
        to=message.to,
        number=1,
        message=sha256,
        content=content_hash(message.subject, message.text),
        at=START,
    )
    paper = PressPaper(receipt=sign_receipt(receipt, invited.key), message=signed)
    press.take(sign_letter(PressLetter(game=GAME, reader="alice", paper=paper), invited.key))
    press.take(letter_of(invited, bob))
    assert press.store.unread() == (2,)
    press.mute("bob")
    assert unread(alice) == 0
    press.keep_seen(press.lines())
    press.mute("bob", is_muted=False)
    assert unread(alice) == 1, "of what was muted only the head was shown"


def test_a_damaged_message_is_not_counted_and_stops_nothing(
    press: Press, alice: Home, invited: Judge, bob: Home
) -> None:
    press.take(letter_of(invited, bob))
    (alice.path / f"games/{GAME}/press/letters/0001.txt").write_text("torn")
    assert unread(alice) == 0
    press.store.keep_seen((1, 7))


def test_hostile_marks_of_what_was_seen_hide_no_text_and_stop_nothing(
    press: Press, alice: Home, invited: Judge, bob: Home
) -> None:
    """Marks in a home's file or copy that somebody else has made: nothing in them is read."""
    press.take(letter_of(invited, bob, "Peace?\n"))
    seen = alice.path / f"games/{GAME}/press/seen"
    seen.mkdir()
    for name in ("0001", "0001.txt", "A" * 64, "a" * 64, f"{'b' * 64}.txt"):
        (seen / name).write_bytes(b"\x1b[2J" * 1_000)
    (seen / ("c" * 64)).mkdir()
    assert unread(alice) == 1, "they are of no message"
    mark = press.store._seen(1)
    mark.mkdir()
    assert unread(alice) == 0
    press.keep_seen(press.lines())
    (line,) = press.lines()
    assert line.text == "Peace?\n", "a mark takes no text away"
    shutil.rmtree(seen)
    seen.write_text("no folder")
    assert unread(alice) == 1
    press.keep_seen(press.lines())
    assert unread(alice) == 1


def test_the_command_line_writes_all_again_that_waits(
    press: Press, alice: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for text in ("One.\n", "Two.\n"):
        press.write(("bob",), text)
    monkeypatch.setenv("PBEM_HOME", str(alice.path))
    assert main(["press", GAME, "--again", "--out", str(tmp_path / "again.age")]) == 0
    assert len(find_sealed((tmp_path / "again.age").read_bytes())) == 2


def test_the_command_line_counts_what_is_new(
    press: Press, alice: Home, invited: Judge, bob: Home, capsys: pytest.CaptureFixture[str]
) -> None:
    def said(*words: str) -> str:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("PBEM_HOME", str(alice.path))
            assert main(list(words)) == 0
        return capsys.readouterr().out

    assert "new message" not in said("games")
    press.take(letter_of(invited, bob))
    assert "; nothing sent; 1 new message\n" in said("games")
    assert f"{GAME} has 1 new message: pbem press {GAME}\n" in said()
    press.take(letter_of(invited, bob, "More.\n", number=2))
    assert "; nothing sent; 2 new messages\n" in said("games")
    assert json.loads(said("games", "--json"))[0]["unread"] == 2
    assert "Peace?" in said("press", GAME)
    assert "new message" not in said("games") + said()
