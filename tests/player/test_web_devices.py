"""The page's questions about its device: answering by itself, and one home on several devices."""

from __future__ import annotations

import base64
import hashlib
import json
import shutil
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from pbem.player import Home
from pbem.player.faults import Refused
from pbem.reports.base import NOTHING_ASKED
from pbem.trust.keys import load_private
from pbem.trust.post_box import Deed, verify_request
from pbem.web.api import Api
from pbem.web.calls import UNSAVED
from pbem.web.door import CALLS
from tests.player.judge import DEADLINE, GAME, Judge
from tests.player.test_answering import Party
from tests.player.test_press import letter_of
from tests.player.test_web_outbox import BOX, named

NOW = DEADLINE + timedelta(hours=1)


def page(home: Home, now: datetime = NOW) -> Api:
    """The page of a home, with the key unlocked and the home saved."""
    found = Api(home.path, clock=lambda: now)
    found.unlock("alice", "")
    found.saved()
    return found


@pytest.fixture
def idle(alice: Home, bob: Home, judge: Judge, monkeypatch: pytest.MonkeyPatch) -> Party:
    """A game with a box in whose second exchange nothing is asked."""
    monkeypatch.setattr(Judge, "report_text", staticmethod(lambda *_: f"x\n\n{NOTHING_ASKED}.\n"))
    party = Party(judge, alice, bob)
    alice.receive(named(judge))
    return party


def test_the_page_answers_by_itself_when_it_is_opened(idle: Party) -> None:
    api = page(idle.alice)
    (line,) = api.answering()
    assert (line.game, line.hours, line.off) == (GAME, "", "")
    assert any("you give up the time" in cost for cost in line.costs)
    assert api.answer() == ()
    with pytest.raises(Refused, match="names no hours"):
        api.answer_by_itself(GAME, "soon")
    api.answer_by_itself(GAME, "00:00, 12:00")
    assert api.answering()[0].hours == "00:00, 12:00"
    (one,) = api.answer()
    assert (one.sealed, "will be answered by itself at" in one.said) == (False, True)
    assert api.waiting() == ()

    later = page(idle.alice, NOW + timedelta(days=1))
    (one,) = later.answer()
    assert (one.game, one.sealed) == (GAME, True)
    (waiting,) = later.waiting()
    assert (waiting.game, waiting.exchange, waiting.rev) == (GAME, 2, 1)
    assert later.standing().games[0].state == "to be sent"
    assert later.answer() == (), "it waits once"
    later.answer_by_itself(GAME, "")
    assert later.answering()[0].hours == ""


def test_nothing_is_answered_before_the_home_is_saved(idle: Party) -> None:
    api = page(idle.alice)
    api.answer_by_itself(GAME, "18:00")
    (idle.alice.path / "page/saved").unlink()
    assert [one.said for one in api.answer()] == [UNSAVED]


def test_nothing_is_answered_with_a_locked_key_or_without_a_box(idle: Party) -> None:
    api = page(idle.alice)
    api.answer_by_itself(GAME, "18:00")
    path = idle.alice.path / "keys/alice"
    key = path.read_bytes()
    path.write_bytes(load_private(key).to_openssh("a horse", rounds=4))
    locked = Api(idle.alice.path, clock=lambda: NOW)
    assert (locked.answer(), locked.answering()) == ((), ())
    path.write_bytes(key)
    (idle.alice.folder(GAME).path / "box").unlink()
    assert (page(idle.alice).answer(), page(idle.alice).answering()) == ((), ())


def test_the_page_may_ask_for_it() -> None:
    assert {"answering", "answer_by_itself", "answer", "standing"} <= CALLS.keys()
    assert "seed_of" not in CALLS


# One home on several devices


class CopyBox:
    """A box that keeps the copy of alice's home, and looks who asks."""

    def __init__(self, home: Home) -> None:
        self.key = home.keys.public("alice")
        self.generation, self.copy = 0, b""

    def ask(self, api: Api) -> str:
        call = api.copy_question()
        assert call is not None
        digest = hashlib.sha256(call.body.encode()).hexdigest()
        assert verify_request(call.header, Deed.GET_COPY, BOX, digest, NOW) == self.key
        copy = b"" if call.body == f"since {self.generation}\n" else self.copy
        return json.dumps({"generation": self.generation, "copy": base64.b64encode(copy).decode()})

    def give(self, api: Api) -> bool:
        if (call := api.copy_put()) is None:
            return False
        assert call.url == f"{BOX}put-copy"
        first, _, copy = call.body.partition("\n")
        if first != f"generation {self.generation + 1}":
            return False
        self.generation, self.copy = self.generation + 1, copy.encode()
        api.copy_was_put(json.dumps({"generation": self.generation}))
        return True


def test_two_pages_have_one_home_and_a_cleared_one_gets_it_back(idle: Party, tmp_path: Path) -> None:
    saved = shutil.copytree(idle.alice.path, tmp_path / "saved")
    desk, box = page(idle.alice), CopyBox(idle.alice)
    assert desk.copy_question() is None
    desk.keep_copy("alice", BOX)
    assert not desk.copy_came(box.ask(desk)).changed
    assert box.give(desk)
    assert desk.standing().saved, "the sheet is no secret that must be saved"
    made = desk.seal(GAME, "", post=True)
    assert box.give(desk)
    assert (desk.copying().generation, desk.copying().is_own) == (2, True)

    phone = page(Home(saved))
    phone.keep_copy("alice", BOX)
    assert phone.copy_came(box.ask(phone)).changed
    assert (phone.copying().generation, phone.copying().is_own) == (2, False)
    again = phone.last_sealed(GAME)
    assert again is not None
    assert again.text == made.text
    assert [one.text for one in phone.waiting()] == [made.text]
    assert phone.copy_put() is None
    assert phone.copy_sheet() == desk.copy_sheet()
    phone.keep_draft(GAME, "move wallace")
    assert box.give(phone)
    assert desk.copy_came(box.ask(desk)).changed
    desk.keep_copy("alice", "")
    assert (desk.copy_question(), desk.copying().box) == (None, "")


def test_a_locked_key_asks_for_no_copy(idle: Party) -> None:
    page(idle.alice).keep_copy("alice", BOX)
    path = idle.alice.path / "keys/alice"
    path.write_bytes(load_private(path.read_bytes()).to_openssh("a horse", rounds=4))
    assert Api(idle.alice.path, clock=lambda: NOW).copy_question() is None


ODD: dict[str, Callable[[], str]] = {
    "no JSON": lambda: "<html>",
    "a list": lambda: "[]",
    "no copy": lambda: '{"generation": 1}',
    "a copy that is a number": lambda: '{"generation": 1, "copy": 1}',
    "no base64": lambda: '{"generation": 1, "copy": "*"}',
    "no text": lambda: '{"generation": 1, "copy": "/w=="}',
    "a generation that is a text": lambda: '{"generation": "1", "copy": ""}',
    "nothing of it": lambda: '{"generation": 1, "copy": ""}',
}


@pytest.mark.parametrize("what", ODD)
def test_what_is_no_answer_about_a_copy_changes_nothing(what: str, idle: Party) -> None:
    api = page(idle.alice)
    api.keep_copy("alice", BOX)
    with pytest.raises(Refused):
        api.copy_came(ODD[what]())
    assert api.copying().generation == 0


def test_what_was_read_on_either_device_is_read_on_both(idle: Party, tmp_path: Path) -> None:
    for text, number in (("Peace?\n", 1), ("Or war?\n", 2)):
        idle.alice.press(GAME).take(letter_of(idle.judge, idle.bob, text, number=number))
    saved = shutil.copytree(idle.alice.path, tmp_path / "saved")
    desk, phone, box = page(idle.alice), page(Home(saved)), CopyBox(idle.alice)
    for one in (desk, phone):
        one.keep_copy("alice", BOX)
        assert one.standing().games[0].unread == 2
    assert [one.is_new for one in desk.talk(GAME).lines] == [True, True]
    desk.talk_seen(GAME, [1])
    phone.talk_seen(GAME, [2, 9])
    assert [one.is_new for one in phone.talk(GAME).lines] == [True, False]
    desk.copy_came(box.ask(desk))
    assert box.give(desk)
    phone.copy_came(box.ask(phone))
    assert phone.standing().games[0].unread == 0
    assert box.give(phone)
    desk.copy_came(box.ask(desk))
    assert desk.standing().games[0].unread == 0

    new = Api(tmp_path / "new", clock=lambda: NOW)
    assert new.load_home(desk.save_home()).games[0].unread == 0, "a saved home knows it as well"
