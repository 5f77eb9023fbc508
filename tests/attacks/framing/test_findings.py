"""Five ways in which an honest judge was made to look guilty, each found by attack."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from pbem.audit import audit
from pbem.judge.export import export
from pbem.trust import keys
from pbem.trust.entries import Refused
from pbem.trust.formats import MAX_IN_EXCHANGE, files_left, limits
from pbem.trust.identifiers import Namespace
from pbem.trust.sealing import seal
from pbem.trust.signature import sign_text
from tests.attacks.framing.arena import Arena, make_arena
from tests.audit.script import verify_sh
from tests.judge.every_game import run_pass
from tests.judge.table import GAME, SEATS
from tests.trust.envelopes import sealed_by_hand
from tests.trust.sealed import seal_orders

pytestmark = pytest.mark.ci


@pytest.fixture
def arena(tmp_path: Path) -> Arena:
    """Exchange 2 is open."""
    arena = make_arena(tmp_path, Random(1), "with-orders", 600)
    for name in SEATS:
        arena.send_honestly(name)
    arena.run()
    return arena


def entered(arena: Arena) -> list[bytes]:
    """The entries of the open exchange below its opening."""
    book = arena.club.book(GAME)
    return [row.text for row in book.rows[book.history.exchanges[-1].opened_at :]]


def stands(arena: Arena, folder: Callable[[], Path]) -> None:
    """The game goes on, and both verifiers find nothing wrong with it, in every bundle."""
    for name in SEATS:
        arena.send_honestly(name, rev=99)
    arena.run()
    for audience in ("public", "all"):
        bundle = folder() / audience
        export(arena.club, GAME, audience, bundle, "a test")
        findings = audit(bundle)
        assert not findings.is_refuted, [str(row) for row in findings.rows]
        status, printed = verify_sh(bundle)
        assert status == 0, printed


def recipients(arena: Arena) -> list[str]:
    """Whom the players seal to in the open exchange."""
    return list(arena.club.book(GAME).history.exchanges[-1].seals.values())


@pytest.mark.parametrize("turned", [False, True])
def test_a_strangers_orders_sealed_to_both_players(
    arena: Arena, folder: Callable[[], Path], turned: bool
) -> None:
    """Finding 1: judge and audit tried the keys in different orders, so that the reason was called wrong."""
    text = sign_text(keys.generate("mallory"), Namespace.ORDERS, arena.orders("alice").text)
    to = recipients(arena)
    (verdict,) = arena.hand_in(seal(text, to[::-1] if turned else to))
    assert not verdict.is_accepted
    assert entered(arena) == []
    stands(arena, folder)


@pytest.mark.parametrize("turned", [False, True])
def test_valid_orders_sealed_to_both_players(arena: Arena, folder: Callable[[], Path], turned: bool) -> None:
    """Finding 2: "valid orders of alice were refused"."""
    text = sign_text(arena.key("alice"), Namespace.ORDERS, arena.orders("alice").text)
    to = recipients(arena)
    (verdict,) = arena.hand_in(seal(text, to[::-1] if turned else to))
    assert not verdict.is_accepted
    assert "to one age1... recipient" in verdict.text
    assert entered(arena) == []
    stands(arena, folder)


def test_a_file_that_pyrage_opens_and_age_does_not(arena: Arena, folder: Callable[[], Path]) -> None:
    """Finding 3: the script said that it does not open."""
    text = sign_text(arena.key("alice"), Namespace.ORDERS, arena.orders("alice").text)
    stanza = b"-> x-grease\n" + b"A" * 64 + b"\n"
    (verdict,) = arena.hand_in(sealed_by_hand(text, recipients(arena)[0], after=[stanza]))
    assert not verdict.is_accepted
    assert entered(arena) == []
    stands(arena, folder)


@pytest.mark.parametrize("padding", [b"\n\r\r\n", b"\r\n", b"\r\n\r\n"])
def test_padding_that_one_reader_strips_and_another_does_not(
    arena: Arena, folder: Callable[[], Path], padding: bytes
) -> None:
    """Finding 3: the script said that something follows the signature."""
    text = sign_text(arena.key("alice"), Namespace.ORDERS, arena.orders("alice").text)
    (verdict,) = arena.hand_in(seal(text + padding, recipients(arena)[:1]))
    assert not verdict.is_accepted
    assert "something other than empty lines follows it" in verdict.text
    assert entered(arena) == []
    stands(arena, folder)


def test_as_many_and_as_large_revisions_as_can_be(arena: Arena, folder: Callable[[], Path]) -> None:
    """Finding 4: 232 revisions made the bundle larger than the audit takes."""
    taken = [
        arena.hand_in(seal_orders(arena.orders("alice", "x" * 27_000, rev=rev), arena.key("alice")))[
            0
        ].is_accepted
        for rev in range(100, 100 + 3 * MAX_IN_EXCHANGE)
    ]
    assert sum(taken) == MAX_IN_EXCHANGE
    arena.send_honestly("bob")
    arena.run()
    assert arena.exchange == 3
    stands(arena, folder)


def test_a_budget_leaves_one_file_for_each_exchange_to_come() -> None:
    """Whoever wastes what he has can still order in every exchange, and his files keep to the limit."""
    for exchanges in (2, 5, 40, 600):
        entered = 0
        for exchange in range(1, exchanges + 1):
            here, received = 0, False
            while True:
                good, bad = files_left(
                    exchange=exchange, exchanges=exchanges, entered=entered, here=here, received=received
                )
                if not good:
                    break
                is_bad = bad > 0
                entered, here, received = entered + 1, here + 1, received or not is_bad
            assert received, "one was kept for this exchange"
        assert entered <= 2 * exchanges
    assert limits(2, 600).size > 600 * 2 * 2 * 33_792


def test_junk_for_a_player_costs_him_nothing(arena: Arena, folder: Callable[[], Path]) -> None:
    """Finding 5: junk sealed to bob's public recipient used up bob's refusals in that exchange."""
    for number in range(30):
        assert not arena.hand_in(seal(b"junk %d" % number, recipients(arena)[1:]))[0].is_accepted
    assert entered(arena) == []
    late = arena.orders("bob", rev=5)
    stands(arena, folder)
    assert not arena.hand_in(seal_orders(late, arena.key("bob")))[0].is_accepted
    refused = arena.club.book(GAME).entries[-1]
    assert isinstance(refused, Refused)
    assert (refused.player, refused.of, refused.reason) == ("bob", 2, "late")
    run_pass(arena.club)
