"""The page's questions about its device: answering by itself."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from pbem.player import Home
from pbem.player.faults import Refused
from pbem.reports.base import NOTHING_ASKED
from pbem.trust.keys import load_private
from pbem.web.api import Api
from pbem.web.devices import UNSAVED
from pbem.web.door import CALLS
from tests.player.judge import DEADLINE, GAME, Judge
from tests.player.test_answering import Party
from tests.player.test_web_outbox import named

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
