"""What corrections and other releases do to a ledger, entry by entry, and where they cannot stand."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from pbem.play.history import History, bases_of
from pbem.play.seats import Seats
from pbem.trust.act_entries import Act
from pbem.trust.entries import Close, Enrolled, Entry, Genesis, NewRules, Open, Received, Resolve
from pbem.trust.faults import LedgerFault
from pbem.trust.fields import ConsentRef
from pbem.trust.rotations import Rotation

AT = datetime(2026, 5, 3, tzinfo=UTC)
OLD, NEW, NEWER = "a" * 64, "b" * 64, "c" * 64
SEALS = (("alice", "age1x"), ("bob", "age1y"))
BOTH = (("alice", ConsentRef("d" * 64, 1)), ("bob", ConsentRef("e" * 64, 1)))
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


def test_a_correction_plays_one_exchange_again_and_voids_the_rest() -> None:
    found = history(act(4, "correct", "2", "bid=E1"), *again(5, 2), opened(6))
    assert [one.number for one in found.resolved] == [1, 5]
    assert found.source(found.exchanges[4]).number == 2
    assert found.reason(found.exchanges[4]) == act(4, "correct", "2", "bid=E1")
    assert dict(found.corrected.options)["bid"] == "E1"
    assert [dict(one.genesis.options)["bid"] for one in found.exchanges] == [*["S1"] * 4, "E1", "E1"]
    assert found.current is found.exchanges[5]


def test_what_is_corrected_twice_is_played_from_the_same_orders() -> None:
    found = history(
        act(4, "correct", "2", "bid=E1"),
        *again(5, 2),
        opened(6),
        act(6, "correct", "5", "bid=E2"),
        *again(7, 2),
    )
    assert [one.number for one in found.resolved] == [1, 7]


def test_a_release_answers_for_what_it_played_and_what_it_took_over() -> None:
    found = history(NewRules(rules=NEW), *resolved(4), *exchange(5))
    assert all(found.answers(NEW, one) for one in found.exchanges)
    assert [found.answers(OLD, one) for one in found.exchanges] == [True, True, True, False, False]


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


def test_a_deadline_moves_by_as_long_as_the_game_was_on_hold() -> None:
    found = history()
    before = found.exchanges[3].deadline
    assert before is not None
    for what, days in (("hold", 1), ("resume", 3), ("hold", 4), ("resume", 9)):
        found.add(replace(act(4, what), at=AT + timedelta(days=days)))
    assert found.exchanges[3].deadline == before + timedelta(days=7)
    assert found.exchanges[2].deadline == before


def rotation(player: str, person: str) -> Rotation:
    """A new key, and perhaps a new person."""
    return Rotation(exchange=2, player=player, at=AT, old="x", key="z", person=person, text_sha256="f" * 64)


def test_letters_go_to_the_last_person_who_took_the_seat_whoever_changes_a_key_later() -> None:
    seats = Seats(GENESIS, [rotation("bob", "dave")])
    assert seats.person("alice") == "alice"
    for person, now in (("", "alice"), ("carol", "carol"), ("", "carol"), ("erin", "erin")):
        seats.rotations.append(rotation("alice", person))
        assert seats.person("alice") == now
    assert seats.person("bob") == "dave"


def test_an_exchange_is_opened_on_the_end_of_the_last_that_stood_then() -> None:
    found = history(
        act(4, "correct", "2", "bid=E1"), *again(5, 2), opened(6), act(6, "roll-back", "5"), opened(7)
    )
    bases = {number: base.number if base else 0 for number, base in bases_of(found).items()}
    assert bases == {1: 0, 2: 1, 3: 2, 4: 3, 5: 1, 6: 5, 7: 1}


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
    assert [found.silence(name) for name in ("alice", "bob")] == [0, count]
    sent = Received(exchange=7, player="bob", rev=1, sealed="9" * 64, at=AT)
    for entry in (sent, act(7, "outage"), *resolved(7), opened(8)):
        found.add(entry)
        assert [found.silence(name) for name in ("alice", "bob")] == [0, 0]


def test_who_has_a_new_key_is_silent_from_when_it_counts() -> None:
    """And not in an exchange that is played again, which asks nobody."""
    found = history(*silent_in(), act(7, "correct", "6", "bid=E1"), *again(8, 6), opened(9))
    for exchange, count in ((0, 5), (1, 4), (2, 3), (3, 2), (4, 1), (5, 0), (6, 0)):
        found.seats.rotations.append(replace(rotation("bob", ""), exchange=exchange))
        assert (found.silence("alice"), found.silence("bob")) == (0, count), exchange


def test_who_has_vanished_sent_nothing_for_what_was_closed_last() -> None:
    """Bob sends only for an exchange that is void before it is closed; who signs for themselves is there."""
    late = Received(exchange=7, player="bob", rev=1, sealed="9" * 64, at=AT)
    found = history(*silent_in(), late, act(7, "correct", "6", "bid=E1"), *again(8, 6), opened(9))
    by_olga = (("olga", ConsentRef("d" * 64, 1)),)
    asked = ((4, 2), (4, 3), (4, 4), (5, 4), (9, 8), (9, 9), (10, 9))
    both, bob, nobody = ["alice", "bob"], ["bob"], list[str]()
    for number, given, vanished in (
        (3, (), [nobody] * 7),
        (3, by_olga, [nobody, both, bob, nobody, nobody, nobody, nobody]),
        (8, by_olga, [nobody] * 4 + [bob, bob, nobody]),
    ):
        keys = [replace(rotation(name, ""), exchange=number, consents=given) for name in ("bob", "alice")]
        found.seats.rotations[:] = keys
        assert [found.vanished(*one) for one in asked] == vanished
    first = History(GENESIS)
    first.add(opened(1))
    first.seats.rotations[:] = [replace(one, exchange=1) for one in keys]
    assert first.vanished(1, 1) == []
