"""Orders are looked through with the game's own language; nothing of it keeps them from leaving."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pbem.player import Home
from pbem.player.outgoing.drafts import check_orders
from pbem.reports.packing import pack_view
from pbem.rules import load
from pbem.rules.base import View
from pbem.trust.chance import Dice
from pbem.trust.entries import Genesis
from pbem.trust.orderfile import parse_bare
from tests.player.judge import GAME, Judge
from tests.player.tools import told

SIDE = load("hammer").sides({})[1]
BODY = "move Walace to Fife\n"


def scottish_view() -> View:
    """What the second side sees when the first cards are chosen."""
    dice = Dice()
    dice.begin(1, b"o" * 32, b"s" * 32)
    return load("hammer").start(options={}, chance=dice, stops=True).view(SIDE)


def genesis_of(judge: Judge) -> Genesis:
    return replace(judge.genesis(), options=(("game", "hammer"),))


def test_mistakes_are_shown_where_they_stand_in_the_draft(judge: Judge) -> None:
    report = "\n".join(["What happened", *pack_view(scottish_view()), ""])
    faults = check_orders(genesis_of(judge), SIDE, report, parse_bare(f"\n\n\n\n{BODY}"))
    assert [(fault.line, fault.meant) for fault in faults] == [(5, ("Wallace",))]


def test_the_view_of_the_report_is_looked_at(judge: Judge) -> None:
    report = "\n".join(["What happened", *pack_view(scottish_view()), ""])
    body = "move Edward to Fife\n"
    assert check_orders(genesis_of(judge), SIDE, report, parse_bare(body))
    assert not check_orders(genesis_of(judge), SIDE, "no view in here\n", parse_bare("card 3\n"))


def test_a_game_that_is_not_installed_is_not_checked(judge: Judge) -> None:
    genesis = replace(judge.genesis(), options=(("game", "nine-mens-morris"),))
    assert check_orders(genesis, SIDE, "", parse_bare(BODY)) == ()
    assert check_orders(judge.genesis(), SIDE, "", parse_bare(BODY)) == ()


@pytest.fixture
def judge(joins: tuple[bytes, ...]) -> Judge:
    """A game of hammer, by its genesis."""
    judge = Judge()
    judge.begin(*joins)
    judge.entries[0] = genesis_of(judge)
    return judge


@pytest.fixture
def invited(alice: Home, bob: Home, judge: Judge) -> Judge:
    """The same, when both have received their invitations."""
    return told(judge, 0, alice, bob)


def test_the_remarks_come_with_the_sealed_orders(alice: Home, invited: Judge) -> None:
    orders = alice.seal(f"pbem1 orders\n---\n{BODY}")
    remark = orders.remarks[-1]
    assert remark.startswith("these orders were sealed, but look at them again:\nline 3: no block called")
    assert invited.read(1, "alice", orders.sealed).body == BODY


def test_a_check_that_fails_keeps_nothing_back(alice: Home, judge: Judge) -> None:
    """A report whose view the language cannot read at all."""
    text = "\n".join([*pack_view({"areas": 7}), ""])
    alice.receive(judge.mail(judge.letter(0)).encode())
    since = len(judge.entries)
    judge.receive(1, "alice", alice.seal(None, game=GAME).sealed)
    judge.close(1)
    judge.resolve(1, {"north": text})
    alice.receive(judge.mail(replace(judge.letter(1, since=since), report=text)).encode())
    orders = alice.seal("pbem1 orders\n---\nmove Wallace to Fife\n")
    remark = orders.remarks[-1]
    assert remark.startswith("the orders were signed without a check, because the check failed (")
    assert judge.read(2, "alice", orders.sealed).rev == 1
