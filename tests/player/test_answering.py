"""What a home answers by itself, and all that keeps it from doing so."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from pbem.player import Home, answering
from pbem.player.answering import Answer, answers, mark_sent, next_hour, read_answering, switch_off, switch_on
from pbem.player.faults import Refused
from pbem.reports.base import NOTHING_ASKED
from pbem.trust.act_entries import Act
from pbem.trust.entries import AFTER_CLOSE
from pbem.trust.fields import ConsentRef
from pbem.trust.orderfile import parse_orders
from tests.player.judge import DEADLINE, GAME, SIDES, Judge
from tests.player.tools import told

SEEN = DEADLINE + timedelta(hours=1)
HOUR = DEADLINE + timedelta(hours=4)
AT = (f"{HOUR:%H:%M}",)


@pytest.fixture(autouse=True)
def _here(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The clock of this device is in UTC."""
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.fixture
def asking(monkeypatch: pytest.MonkeyPatch) -> set[int]:
    """The exchanges that ask: after the report of the one before them."""
    found = set[int]()

    def report_text(exchange: int, audience: str) -> str:
        said = "Orders" if exchange + 1 in found else f"{NOTHING_ASKED}."
        return f"Exchange {exchange}, as {audience} saw it.\n\n{said}\n"

    monkeypatch.setattr(Judge, "report_text", staticmethod(report_text))
    return found


def at(home: Home, now: datetime) -> Home:
    """The home at a time."""
    return Home(home.path, clock=lambda: now)


class Party:
    """Two players and their judge, of whom alice answers by herself."""

    def __init__(self, judge: Judge, alice: Home, bob: Home, *, accepts: bool = True) -> None:
        self.judge = judge
        self.alice, self.bob = (Home(home.path, clock=lambda: SEEN) for home in (alice, bob))
        told(judge, 0, self.alice, self.bob)
        self.since = len(judge.entries)
        self.exchange = 1
        self.close({"alice": alice.seal(None).sealed} if accepts else {})

    def close(self, sent: dict[str, bytes]) -> None:
        """Close the exchange with what alice has sent, and bob's file; alice gets the report."""
        sent = {**sent, "bob": self.bob.seal(None).sealed}
        self.judge.exchange(self.exchange, sent)
        for name, home in (("alice", self.alice), ("bob", self.bob)):
            home.receive(self.judge.mail(self.judge.letter(self.exchange, name, since=self.since)).encode())
        self.since = len(self.judge.entries)
        self.exchange += 1

    def answers(self, now: datetime) -> tuple[Answer, ...]:
        """What comes of it at a time, with a program that was just started."""
        return tuple(answers(at(self.alice, now)))

    def on(self) -> None:
        switch_on(self.alice.folder(GAME), AT)


@pytest.fixture
def party(alice: Home, bob: Home, judge: Judge, asking: set[int]) -> Party:
    """In exchange 2, which asks nothing."""
    assert asking == set()
    found = Party(judge, alice, bob)
    found.on()
    return found


def sealed(found: tuple[Answer, ...]) -> bytes:
    (one,) = found
    assert one.orders is not None
    return one.orders.sealed


def said(found: tuple[Answer, ...]) -> str:
    (one,) = found
    assert one.orders is None
    return one.said


def test_it_is_off_until_it_is_switched_on(alice: Home, bob: Home, judge: Judge, asking: set[int]) -> None:
    party = Party(judge, alice, bob)
    assert asking == set()
    assert party.answers(SEEN) == party.answers(HOUR + timedelta(days=9)) == ()
    party.on()
    assert party.answers(SEEN) != ()
    switch_off(alice.folder(GAME))
    assert party.answers(HOUR + timedelta(days=9)) == ()
    assert not alice.folder(GAME).sent_files.orders_of(2)


def test_it_sends_a_bare_file_at_the_players_hour_and_not_at_once(party: Party) -> None:
    assert said(party.answers(SEEN)) == "exchange 2 will be answered by itself at 2026-11-28T22:00:00Z"
    assert said(party.answers(HOUR - timedelta(seconds=1))).startswith("exchange 2 will be answered")
    file = sealed(party.answers(HOUR))
    assert sealed(party.answers(HOUR + timedelta(days=1))) == file, "until it is known to be on its way"
    mark_sent(party.alice.folder(GAME))
    assert party.answers(HOUR) == ()
    (own,) = party.alice.folder(GAME).sent_files.orders_of(2)
    assert parse_orders(own.text).body.strip() == ""
    party.close({"alice": file})
    assert said(party.answers(HOUR)).startswith("exchange 3 will be answered by itself at 2026-11-29T22:00")
    assert switch_on(party.alice.folder(GAME), ("08:00",)).since == 2, "other hours begin nothing anew"


def test_the_exchange_in_which_it_is_switched_on_counts(
    alice: Home, bob: Home, judge: Judge, asking: set[int]
) -> None:
    asking.add(2)
    party = Party(judge, alice, bob)
    party.on()
    party.close({})
    assert "exchange 2 asked you" in said(party.answers(HOUR))
    party.on()
    (party.alice.folder(GAME).path / "ledger.txt").write_bytes(b"x")
    assert said(party.answers(HOUR)).startswith("nothing is answered by itself: ")


def test_it_answers_no_invitation(alice: Home, bob: Home, judge: Judge, asking: set[int]) -> None:
    told(judge, 0, alice, bob)
    assert asking == set()
    switch_on(alice.folder(GAME), AT)
    for now in (SEEN, HOUR):
        assert tuple(answers(at(alice, now))) == ()


def test_it_answers_only_what_its_player_has_accepted(
    alice: Home, bob: Home, judge: Judge, asking: set[int]
) -> None:
    assert asking == set()
    party = Party(judge, alice, bob, accepts=False)
    party.on()
    for now in (SEEN, HOUR):
        assert said(party.answers(now)).endswith("so you have not accepted this game")


def test_it_answers_nothing_that_asks_and_is_off_once_that_has_passed(party: Party, asking: set[int]) -> None:
    asking.add(3)
    party.answers(SEEN)
    party.close({"alice": sealed(party.answers(HOUR))})
    mark_sent(party.alice.folder(GAME))
    assert party.answers(HOUR + timedelta(days=2)) == ()
    party.close({})
    why = "exchange 3 asked you, and has passed without your orders"
    assert said(party.answers(HOUR)) == f"answering by itself is off again: {why}"
    assert party.answers(HOUR + timedelta(days=9)) == ()
    kept = read_answering(party.alice.folder(GAME))
    assert (kept.is_on, kept.off) == (False, why)
    party.on()
    assert said(party.answers(SEEN)).startswith("exchange 4 will be answered"), "what is past is past"


def test_it_stays_on_where_its_player_has_answered_what_asked(party: Party, asking: set[int]) -> None:
    asking.add(3)
    party.close({})
    party.close({"alice": party.alice.seal("place wallace fife").sealed})
    assert said(party.answers(SEEN)).startswith("exchange 4 will be answered")


def test_what_was_made_void_was_not_missed(party: Party, asking: set[int]) -> None:
    asking.add(3)
    party.close({})
    judge = party.judge
    judge.exchange(3, {})
    agreed = tuple((name, ConsentRef("a" * 64, 1)) for name in ("alice", "bob"))
    judge.add(Act(exchange=4, what="roll-back", of="3", at=DEADLINE, reason="x", consents=agreed))
    judge.open(5)
    party.alice.receive(judge.mail(judge.notice(4, since=party.since)).encode())
    assert party.answers(HOUR) == ()
    assert read_answering(party.alice.folder(GAME)).is_on


def test_it_leaves_alone_what_its_player_has_sealed_or_begun(party: Party) -> None:
    draft = party.alice.path / f"page/{GAME}-0002.txt"
    draft.parent.mkdir(exist_ok=True)
    draft.write_text("move")
    assert said(party.answers(HOUR)).endswith("you have begun to write")
    draft.unlink()
    party.answers(SEEN)
    party.alice.seal("move wallace fife")
    assert party.answers(HOUR) == ()


def test_a_remark_on_a_letter_is_for_a_person(party: Party) -> None:
    party.judge.extend(2, DEADLINE + timedelta(days=9), DEADLINE)
    early = Home(party.alice.path, clock=lambda: DEADLINE - timedelta(days=1))
    letters = {name: party.judge.letter(2, name, since=party.since, kind="notice") for name in SIDES}
    party.bob.receive(party.judge.mail(letters["bob"]).encode())
    (arrival,) = early.receive(party.judge.mail(letters["alice"]).encode())
    party.since = len(party.judge.entries)
    assert "one of the two clocks is wrong" in " ".join(arrival.remarks)
    for now in (SEEN, HOUR):
        assert "a letter brought a remark, or was refused" in said(party.answers(now))
    party.close({"alice": party.alice.seal(None).sealed})
    assert said(party.answers(SEEN)).startswith("exchange 3 will be answered")


def test_a_letter_that_is_refused_is_for_a_person(party: Party) -> None:
    assert party.alice.deliver({"mail": b"-----BEGIN AGE ENCRYPTED FILE-----\nx\n"}).faults
    assert "was refused" in said(party.answers(HOUR))


def test_a_file_from_elsewhere_is_for_a_person(party: Party) -> None:
    other = Home(shutil.copytree(party.alice.path, party.alice.path.parent / "other"), clock=lambda: SEEN)
    party.close({"alice": other.seal("move wallace fife").sealed})
    switch_off(party.alice.folder(GAME))
    party.on()  # its player has read what receiving remarked, and switches it on all the same
    assert "a file of yours that was not sealed here" in said(party.answers(HOUR))


def test_a_game_without_an_invitation_cannot_be_switched_on(alice: Home, joins: tuple[bytes, ...]) -> None:
    assert joins
    with pytest.raises(Refused, match="the invitation to hearth is not here"):
        switch_on(alice.folder(GAME), AT)


def test_two_histories_end_it(party: Party) -> None:
    fork = party.alice.folder(GAME).path / "held/fork-0001"
    fork.mkdir()
    assert said(party.answers(HOUR)).endswith("the judge has signed two histories")


def test_other_rules_end_it(party: Party, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answering, "rules_remarks", lambda _: ["others"])
    assert said(party.answers(HOUR)).endswith("the game is played by other rules than this program has")


def test_a_reveal_that_is_due_goes_out(alice: Home, bob: Home, joins: tuple[bytes, ...]) -> None:
    judge = Judge(mode=AFTER_CLOSE)
    judge.begin(*joins)
    alice, bob = (Home(home.path, clock=lambda: SEEN) for home in (alice, bob))
    told(judge, 0, alice, bob)
    found = dict[int, bytes]()
    for exchange in (1, 2):
        since = len(judge.entries)
        for name, home in (("alice", alice), ("bob", bob)):
            judge.receive(exchange, name, home.seal("move wallace fife" if exchange > 1 else None).sealed)
        judge.close(exchange)
        alice.receive(judge.mail(judge.notice(exchange, since=since)).encode())
        bob.receive(judge.mail(judge.letter(exchange, "bob", since=since, kind="notice")).encode())
        switch_on(alice.folder(GAME), AT)
        for now in (SEEN, HOUR):
            for one in answers(at(alice, now)):
                if one.orders is not None:
                    assert now == HOUR
                    assert one.orders.rev == 0
                    found[exchange] = one.orders.sealed
        since = len(judge.entries)
        reveal = found.get(exchange) or alice.reveal(GAME).sealed
        for name, data in (("alice", reveal), ("bob", bob.reveal(GAME).sealed)):
            judge.receive_reveal(exchange, name, data)
        judge.resolve(exchange)
        for name, home in (("alice", alice), ("bob", bob)):
            home.receive(judge.mail(judge.letter(exchange, name, since=since)).encode())
    assert list(found) == [2], "from exchange 2 on"


def test_hours_are_hours_of_this_device(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Europe/London")
    time.tzset()
    before = datetime(2026, 10, 25, 0, 30, tzinfo=UTC)  # the clock goes back at one in UTC
    assert next_hour(("18:00",), before) == datetime(2026, 10, 25, 18, tzinfo=UTC)
    assert next_hour(("08:00", "18:00"), before - timedelta(days=1)) == datetime(2026, 10, 24, 7, tzinfo=UTC)
    assert next_hour(("18:00",), datetime(2026, 10, 25, 18, tzinfo=UTC)) == datetime(
        2026, 10, 26, 18, tzinfo=UTC
    ), "not at once"


@pytest.mark.parametrize("text", ["", "25:00", "8:00", "now", ",", ",".join(["18:00"] * 2 + ["x"])])
def test_what_names_no_hours_is_refused(text: str) -> None:
    with pytest.raises(Refused, match="names no hours of the day"):
        answering.check_hours(text)


def test_so_many_hours_may_be_named() -> None:
    most = [f"{hour:02}:00" for hour in range(answering.MAX_HOURS)]
    assert len(answering.check_hours(", ".join(most))) == answering.MAX_HOURS
    with pytest.raises(Refused):
        answering.check_hours(",".join([*most, "00:30"]))


DAMAGED: tuple[Callable[[dict[str, object]], object], ...] = (
    lambda _: None,
    lambda _: [],
    lambda _: "[" * 9_000,
    lambda good: {**good, "more": 1},
    lambda good: {**good, "hours": "18:00"},
    lambda good: {**good, "hours": ["18"]},
    lambda good: {**good, "since": "1"},
    lambda good: {**good, "due": [1, 2]},
    lambda good: {**good, "due": ["1"]},
)


@pytest.mark.parametrize("change", DAMAGED)
def test_a_damaged_wish_answers_nothing(change: Callable[[dict[str, object]], object], party: Party) -> None:
    path: Path = party.alice.folder(GAME).path / "answering"
    good = json.loads(path.read_text())
    bad = change(good)
    path.write_text(bad if isinstance(bad, str) else json.dumps(bad))
    assert party.answers(SEEN) == party.answers(HOUR) == ()
