"""The mode after-close: orders carry no reveal; it is sent when the signed ledger has closed the exchange."""

from __future__ import annotations

import pytest

from pbem.errors import PbemError
from pbem.player import Home
from pbem.trust.entries import AFTER_CLOSE
from tests.player.judge import GAME, Judge
from tests.player.tools import Stopped, folder, killed_at, refused, told, tree


@pytest.fixture
def judge(joins: tuple[bytes, ...]) -> Judge:
    """A game in which reveals follow the close."""
    judge = Judge(mode=AFTER_CLOSE)
    judge.begin(*joins)
    return judge


@pytest.fixture
def invited(alice: Home, bob: Home, judge: Judge) -> Judge:
    """The same, when both have received their invitations."""
    return told(judge, 0, alice, bob)


def closed(alice: Home, bob: Home, judge: Judge, exchange: int) -> None:
    """Both send orders; the judge closes and says so."""
    since = len(judge.entries)
    for name, home in (("alice", alice), ("bob", bob)):
        judge.receive(exchange, name, home.seal(None).sealed)
    judge.close(exchange)
    alice.receive(judge.mail(judge.notice(exchange, since=since)).encode())
    bobs = judge.letter(exchange, "bob", since=since, kind="notice")
    bob.receive(judge.mail(bobs).encode())


@pytest.mark.ci
def test_a_whole_game(alice: Home, bob: Home, invited: Judge) -> None:
    homes = {"alice": alice, "bob": bob}
    for exchange in (1, 2, 3):
        since = len(invited.entries)
        closed(alice, bob, invited, exchange)
        since = len(invited.entries)
        for name, home in homes.items():
            late = invited.receive_reveal(exchange, name, home.reveal(GAME).sealed)
            assert late.seen.size == invited.numbers(type(invited.entries[since - 1]), exchange)[-1]
        invited.resolve(exchange)
        for name, home in homes.items():
            home.receive(invited.mail(invited.letter(exchange, name, since=since)).encode())
    assert alice.games()[0].exchange == 4


def test_orders_carry_no_reveal(alice: Home, invited: Judge) -> None:
    orders = alice.seal(None)
    assert invited.read(1, "alice", orders.sealed).reveal is None
    assert orders.remarks == (
        "this holds no reveal: when the exchange is closed, send one, by pbem reveal hearth",
    )
    secret = alice.folder(GAME).chain("alice.1")
    assert secret is not None
    assert not [name for name, data in tree(alice.path).items() if secret.reveal(1).encode() in data]


def test_a_reveal_is_the_same_every_time(alice: Home, bob: Home, invited: Judge) -> None:
    closed(alice, bob, invited, 1)
    first = alice.reveal(GAME)
    before = tree(alice.path)
    assert alice.reveal(GAME).sealed == first.sealed
    assert tree(alice.path) == before
    assert {"sent/0001-reveal.txt", "sent/0001-reveal.txt.sig", "sent/0001-reveal.age"} <= set(
        tree(folder(alice))
    )


@pytest.mark.parametrize("write", [1, 2, 3])
def test_a_kill_is_mended_by_revealing_again(alice: Home, bob: Home, invited: Judge, write: int) -> None:
    closed(alice, bob, invited, 1)
    with pytest.raises(Stopped), killed_at(write, after=True):
        alice.reveal(GAME)
    assert invited.receive_reveal(1, "alice", alice.reveal(GAME).sealed).exchange == 1


def test_after_the_resolution_it_is_too_late(alice: Home, bob: Home, invited: Judge) -> None:
    closed(alice, bob, invited, 1)
    since = len(invited.entries)
    invited.resolve(1)
    alice.receive(invited.mail(invited.letter(1, since=since)).encode())
    with pytest.raises(PbemError, match="exchange 2 of hearth is not closed"):
        alice.reveal(GAME)


def test_a_received_reveal_cannot_be_left_out(alice: Home, bob: Home, invited: Judge) -> None:
    closed(alice, bob, invited, 1)
    since = len(invited.entries)
    invited.receive_reveal(1, "alice", alice.reveal(GAME).sealed)
    invited.reveals.clear()
    invited.resolve(1)
    fault = refused(alice, invited.mail(invited.letter(1, since=since)))
    assert "who contributed to exchange 1: alice is left out, whose file was received" in str(fault)


def test_nobody_reveals_twice(alice: Home, bob: Home, invited: Judge) -> None:
    closed(alice, bob, invited, 1)
    since = len(invited.entries)
    reveal = alice.reveal(GAME).sealed
    invited.receive_reveal(1, "alice", reveal)
    invited.receive_reveal(1, "alice", reveal)
    fault = refused(alice, invited.mail(invited.notice(1, since=since)))
    assert str(fault).startswith(f"entry {since + 2}: the reveal of alice was received twice in")
