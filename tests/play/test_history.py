"""What corrections and other releases do to a ledger, entry by entry, and where they cannot stand."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from pbem.play.history import History
from pbem.trust.act_entries import Act
from pbem.trust.entries import Close, Enrolled, Entry, Genesis, Open, Received, Resolve
from pbem.trust.entry_fields import Given
from pbem.trust.faults import LedgerFault

AT = datetime(2026, 5, 3, tzinfo=UTC)
OLD, NEW, NEWER = "a" * 64, "b" * 64, "c" * 64
SEALS = (("alice", "age1x"), ("bob", "age1y"))
BOTH = (("alice", Given("d" * 64, 1)), ("bob", Given("e" * 64, 1)))
GENESIS = Genesis(
    game="hearth",
    gm="SHA256:x",
    rules=OLD,
    anchor="1" * 64,
    secret_anchor="2" * 64,
    salt_commitment="3" * 64,
    seal_commitment="4" * 64,
    players=(Enrolled(name="alice", fingerprint="x", side="scotland"),
             Enrolled(name="bob", fingerprint="y", side="england")),
    options=(("game", "hammer"), ("bid", "S1")),
)  # fmt: skip


def opened(number: int) -> Open:
    return Open(exchange=number, seals=SEALS, deadline=AT)


def exchange(number: int) -> list[Entry]:
    """A whole exchange."""
    return [opened(number), *resolved(number)]


def resolved(number: int) -> list[Entry]:
    return [
        Close(exchange=number, at=AT),
        Resolve(exchange=number, reveals=(), absent=(), mix=str(number) * 64),
    ]


def again(number: int, source: int) -> list[Entry]:
    """An exchange that plays another again."""
    return [Open(exchange=number, seals=(), again=source), *resolved(number)]


def act(number: int, what: str, of: str = "", change: str = "") -> Act:
    return Act(exchange=number, what=what, of=of, change=change, at=AT, reason="x", consents=BOTH)


def history(*entries: Entry) -> History:
    """Exchanges 1 to 3, exchange 4 open, and what follows."""
    found = History(GENESIS)
    for entry in (*exchange(1), *exchange(2), *exchange(3), opened(4), *entries):
        found.add(entry)
    return found


def test_what_is_corrected_twice_is_played_from_the_same_orders() -> None:
    found = history(
        act(4, "correct", "2", "bid=E1"),
        *again(5, 2),
        opened(6),
        act(6, "correct", "5", "bid=E2"),
        *again(7, 2),
    )
    assert [one.number for one in found.resolved] == [1, 7]


@pytest.mark.parametrize("what", ["go-on", "correct"])
def test_a_release_that_the_players_agreed_to_answers_for_nothing_before(what: str) -> None:
    if what == "go-on":
        found = history(act(4, "go-on", "", f"rules={NEW}"), *resolved(4))
    else:
        found = history(act(4, "correct", "3", f"rules={NEW}"), *again(5, 3))
    assert found.rules == NEW
    last = found.exchanges[-1]
    assert [found.answers(NEW, one) for one in found.exchanges[:3]] == [False] * 3
    assert [found.answers(OLD, one) for one in found.exchanges[:3]] == [True] * 3
    assert found.answers(NEW, last)
    assert not found.answers(OLD, last)
    assert not any(found.answers(NEWER, one) for one in found.exchanges)


@pytest.mark.parametrize(
    "entries",
    [
        [act(4, "correct", "5", "bid=E1")],
        [act(4, "correct", "0", "bid=E1")],
        [act(4, "correct", "03", "bid=E1")],
        [act(4, "correct", "2", "bid=S1")],
        [act(4, "correct", "2", f"rules={OLD}")],
        [act(4, "correct", "2", "bid=E1"), opened(5)],
        [act(4, "correct", "2", "bid=E1"), Open(exchange=5, seals=SEALS, again=2)],
        [act(4, "correct", "2", "bid=E1"), act(4, "look", "gm")],
        [act(4, "roll-back", "2"), again(5, 2)[0]],
        [
            act(4, "correct", "2", "bid=E1"),
            again(5, 2)[0],
            Received(exchange=5, player="alice", rev=1, sealed="f" * 64, at=AT),
        ],
        [act(4, "correct", "1", "bid=E1"), *again(5, 1), opened(6), act(6, "roll-back", "5")],
        [act(4, "correct", "2", "bid=E1"), *again(5, 2), opened(6), act(6, "correct", "2", "bid=E2")],
    ],
)  # fmt: skip
def test_what_cannot_stand_is_refused(entries: list[Entry]) -> None:
    history(*entries[:-1])
    with pytest.raises(LedgerFault):
        history(*entries)


def silent_in(*numbers: int) -> list[Entry]:
    """Exchange 4, and more in which alice alone sends; an outage stands in those with these numbers."""
    found: list[Entry] = []
    for number in range(4, 7):
        found += [opened(number)] if number > 4 else []
        found.append(Received(exchange=number, player="alice", rev=1, sealed=f"{number}" * 64, at=AT))
        found += [act(number, "outage")] if number in numbers else []
        found += resolved(number)
    return [*found, opened(7)]


@pytest.mark.parametrize(("outages", "count"), [((), 6), ((4,), 5), ((4, 6), 4)])
def test_an_exchange_in_which_mail_failed_counts_for_nobody_s_silence(
    outages: tuple[int, ...], count: int
) -> None:
    found = history(*silent_in(*outages))
    assert found.silence("bob") == count
    found.add(Received(exchange=7, player="alice", rev=1, sealed="9" * 64, at=AT))
    assert found.silence("alice") == 0
