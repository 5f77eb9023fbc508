"""What a ledger asks for is opened, answered, closed and resolved, each once and in its turn."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from pbem.trust.entries import Close, Open, Received, Refused, Resolve
from pbem.trust.faults import LedgerFault
from pbem.trust.life import AskedExchange, ExchangeLife

AT = datetime(2026, 11, 21, 18, tzinfo=UTC)
Entry = Received | Refused | Close | Resolve
SEAL = "age1" + "q" * 58


def opened(number: int) -> AskedExchange:
    return AskedExchange(number, Open(exchange=number, seals=(("alice", SEAL),), deadline=AT), 2)


def received(number: int, sealed: str = "a") -> Received:
    return Received(exchange=number, player="alice", rev=1, sealed=sealed * 64, at=AT)


def refused(number: int, player: str = "alice", of: int = 0) -> Refused:
    return Refused(exchange=number, player=player, of=of or number, sealed="b" * 64, reason="late", at=AT)


CLOSE, RESOLVE = Close(exchange=2, at=AT), Resolve(exchange=2, reveals=(), absent=(), mix="c" * 64)


def lived(*entries: Entry) -> ExchangeLife[AskedExchange]:
    """The second exchange, after these."""
    life: ExchangeLife[AskedExchange] = ExchangeLife({}, 600, "exchange")
    life.exchanges = [opened(1), opened(2)]
    for number, entry in enumerate(entries, 3):
        life.take(entry, number)
    return life


def test_each_comes_once_and_in_its_turn() -> None:
    life = lived(received(2), refused(2, of=1), CLOSE, refused(2), RESOLVE, refused(2))
    assert life.current is None
    assert life.last is not None
    assert (life.last.closed_at, life.last.resolved_at) == (5, 7)


@pytest.mark.parametrize(
    ("before", "entry", "told"),
    [
        ((), received(1), "exchange 2 is in progress"),
        ((), Close(exchange=3, at=AT), "exchange 2 is in progress"),
        ((), RESOLVE, "a resolve cannot stand here"),
        ((CLOSE,), CLOSE, "a close cannot stand here"),
        ((CLOSE,), received(2), "a received cannot stand here"),
        ((CLOSE, RESOLVE), RESOLVE, "a resolve cannot stand here"),
        ((), refused(2, player="bob"), "waited for nothing of bob"),
        ((), refused(2, of=3), "which is none of the last"),
    ],
)
def test_what_has_no_place_is_refused(before: tuple[Entry, ...], entry: Entry, told: str) -> None:
    with pytest.raises(LedgerFault, match=told):
        lived(*before).take(entry, 9)


def test_a_player_who_has_used_up_their_files_has_one_left_for_the_open_exchange() -> None:
    """Protocol 21: what is refused takes nobody's last place."""
    life = lived(
        *(
            Refused(exchange=2, player="alice", of=2, sealed=f"{n:064x}", reason="late", at=AT)
            for n in range(15)
        )
    )
    assert life.files_left("alice") == (1, 0)
    with pytest.raises(LedgerFault, match="no more files of alice may be entered now"):
        life.take(refused(2), 30)
    life.take(received(2), 30)
