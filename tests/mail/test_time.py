"""Deadlines that fit people: rhythm, grace, absences, stores of time, reminders, silence, false clocks."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from pbem.audit.any_bundle import audit
from pbem.audit.findings import State
from pbem.judge.acts.entering import act, extend
from pbem.judge.deadlines.extensions import MOST_DRAWS
from pbem.judge.deadlines.rhythm import Moved, Rhythm, rhythm_of
from pbem.judge.deadlines.timing import LONGEST_GAP, note_pass
from pbem.judge.export import export
from pbem.player.incoming.parts import PLAIN, find_plain
from tests.judge.table import GAME, START
from tests.mail.postal import Postal
from tests.mail.test_passes import body, names

pytestmark = pytest.mark.dated


FRIDAY = datetime(2026, 7, 31, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("rhythm", "expected"),
    [
        (Rhythm(days=7), datetime(2026, 8, 7, 12, tzinfo=UTC)),
        (Rhythm(days=2, weekdays=("sun",)), datetime(2026, 8, 2, 12, tzinfo=UTC)),
        (Rhythm(days=3, weekdays=("sun",)), datetime(2026, 8, 9, 12, tzinfo=UTC)),
        (Rhythm(days=2, hour="20:00", zone="Europe/London"), datetime(2026, 8, 2, 19, tzinfo=UTC)),
        (Rhythm(days=2, hour="08:00"), datetime(2026, 8, 3, 8, tzinfo=UTC)),
        (
            Rhythm(days=2, hour="20:00", weekdays=("mon", "thu"), zone="America/New_York"),
            datetime(2026, 8, 4, 0, tzinfo=UTC),
        ),
    ],
)
def test_a_rhythm_makes_deadlines(rhythm: Rhythm, expected: datetime) -> None:
    assert rhythm.deadline(FRIDAY) == expected


def test_the_hour_stays_when_clocks_change() -> None:
    rhythm = Rhythm(days=7, hour="20:00", zone="Europe/London")
    before = rhythm.deadline(datetime(2026, 10, 17, 19, tzinfo=UTC))
    after = rhythm.deadline(before)
    assert (before.hour, after.hour) == (19, 20)


def moved(rhythm: Rhythm, opened: datetime, left: int = 42, **away: tuple[date, date]) -> Moved:
    """When an exchange ends that is opened then, while each of these is away once."""
    spans = {name: [days] for name, days in away.items()}
    return rhythm.moved(rhythm.deadline(opened), spans, lambda _: timedelta(days=left))


def test_absences_move_a_deadline_up_to_the_cap() -> None:
    rhythm = Rhythm(days=7, absence_days=10)
    short = moved(rhythm, FRIDAY, alice=(date(2026, 8, 5), date(2026, 8, 10)))
    assert short == (datetime(2026, 8, 11, 12, tzinfo=UTC), {"alice": timedelta(days=4)})
    long = moved(rhythm, FRIDAY, alice=(date(2026, 8, 5), date(2026, 12, 24)))
    assert long == (datetime(2026, 8, 17, 12, tzinfo=UTC), {"alice": timedelta(days=10)})


def test_each_is_charged_with_what_they_have_moved() -> None:
    alice, bob = (date(2026, 8, 5), date(2026, 8, 10)), (date(2026, 8, 6), date(2026, 8, 15))
    found = moved(Rhythm(days=7), FRIDAY, alice=alice, bob=bob)
    assert found.deadline == datetime(2026, 8, 16, 12, tzinfo=UTC)
    assert found.by == {"alice": timedelta(days=4), "bob": timedelta(days=5)}


@pytest.mark.parametrize(("left", "expected"), [(0, 2), (6, 2), (7, 9), (20, 16)])
def test_what_is_left_of_their_days_is_spent_on_deadlines_that_fit(left: int, expected: int) -> None:
    """On a Sunday at eight, and not an hour beyond what is left."""
    rhythm = Rhythm(days=2, hour="20:00", weekdays=("sun",), zone="Europe/London")
    found = moved(rhythm, FRIDAY, left, alice=(date(2026, 8, 1), date(2026, 9, 30)))
    assert found.deadline == datetime(2026, 8, expected, 19, tzinfo=UTC)


def test_the_days_of_an_absence_are_those_of_the_game_s_zone() -> None:
    """The deadline falls on the 6th in UTC, and on the 5th where the game is played."""
    rhythm = Rhythm(days=7, zone="America/New_York")
    opened = datetime(2026, 7, 30, 2, tzinfo=UTC)
    fifth, sixth = date(2026, 8, 5), date(2026, 8, 6)
    assert moved(rhythm, opened, alice=(fifth, fifth)).deadline == datetime(2026, 8, 7, 2, tzinfo=UTC)
    assert moved(rhythm, opened, alice=(sixth, sixth)).deadline == datetime(2026, 8, 6, 2, tzinfo=UTC)


def test_a_game_has_a_rhythm_of_its_own() -> None:
    settings = {"days": 7, "rhythm": {"hour": "20:00", "dunbar": {"days": 2}}}
    assert rhythm_of(settings, "dunbar") == Rhythm(days=2, hour="20:00")
    assert rhythm_of(settings, "other") == Rhythm(days=7, hour="20:00")


def rhythm(postal: Postal, **values: Any) -> None:
    """Settle the club's rhythm."""
    postal.settle(rhythm=values)


def absence(postal: Postal, first: str, last: str, name: str = "alice") -> bytes:
    days = date.fromisoformat(first), date.fromisoformat(last)
    return postal.table.absence(*days, name, postal.table.people["alice"].key)


def test_a_signed_absence_moves_the_open_deadline_before_it_passes(postal: Postal) -> None:
    postal.run()
    assert postal.table.deadline == START + timedelta(days=7)
    postal.send(absence(postal, "2026-01-06", "2026-01-12"))
    told = [line.text for line in postal.run()]
    assert any("exchange 1 now ends 2026-01-13T12:00:00Z (absence alice 432000)" in line for line in told)
    assert postal.table.deadline == datetime(2026, 1, 13, 12, tzinfo=UTC)
    entry = postal.table.ledger()[-1]
    assert (
        entry == b"extend 1\ndeadline 2026-01-13T12:00:00Z\nat 2026-01-01T12:00:00Z\nabsence alice 432000\n"
    )
    assert any("notice" in name for name in names(postal.mails("bob")))
    assert not [line for line in postal.run() if line.step == "time"], "once is enough"


def test_an_absence_that_another_signed_moves_nothing(postal: Postal) -> None:
    postal.run()
    postal.deliver(absence(postal, "2026-01-06", "2026-01-12", name="bob"))
    assert postal.table.deadline == START + timedelta(days=7)


@pytest.mark.ci
def test_an_exchange_opened_during_an_absence_respects_it(postal: Postal) -> None:
    postal.run()
    postal.send(absence(postal, "2026-01-06", "2026-01-12"))
    postal.go()
    assert postal.table.exchange == 2
    assert postal.table.deadline == datetime(2026, 1, 13, 12, tzinfo=UTC)


@pytest.mark.ci
def test_absences_move_a_whole_game_by_so_much(postal: Postal) -> None:
    """Who is always away has 42 days; then deadlines pass, they are told, and the other is not harmed."""
    rhythm(postal, absence_days=21)
    postal.send(absence(postal, "2026-01-01", "2026-12-24"))
    ends, told = {}, []
    for _ in range(73):
        postal.run()
        told += [body(mail) for mail in postal.mails("alice")]
        ends[postal.table.exchange] = (postal.table.deadline - START).days
        postal.table.clock.pass_days(1)
    assert ends == {1: 28, 2: 56, 3: 63, 4: 70, 5: 77}
    assert any("your absences can move them by 42 more days" in " ".join(text.split()) for text in told)
    history = postal.table.club.book(GAME).history
    assert (history.absences.left("alice"), history.absences.left("bob")) == (
        timedelta(0),
        timedelta(days=42),
    )
    export(postal.table.club, GAME, "public", postal.table.club.path / "bundle")
    found = audit(postal.table.club.path / "bundle")
    assert not [row for row in found.rows if row.state is State.REFUTED]


def test_after_a_hold_an_absence_moves_a_deadline_by_its_own_days_alone(postal: Postal) -> None:
    postal.run()
    act(postal.table.club, GAME, "hold", reason="a test")
    postal.table.clock.pass_days(1)
    act(postal.table.club, GAME, "resume", reason="a test")
    assert postal.table.deadline == START + timedelta(days=8)
    postal.deliver(absence(postal, "2026-01-08", "2026-01-12"))
    assert postal.table.deadline == datetime(2026, 1, 13, 12, tzinfo=UTC)


@pytest.mark.ci
def test_a_store_of_time_is_drawn_on_a_day_at_a_time(postal: Postal) -> None:
    rhythm(postal, bank_days=2)
    postal.table.send("bob")
    days = []
    for _ in range(12):
        postal.run()
        days.append((postal.table.deadline - START).days)
        postal.table.clock.pass_days(0.9)
    assert sorted(set(days)) == [7, 8, 9, 16], (
        "two days are drawn, then the exchange ends and the next is open"
    )
    drawn = [text for text in postal.table.ledger() if text.startswith(b"extend")]
    assert [text.splitlines()[-1] for text in drawn] == [b"bank alice 86400"] * 2


def test_a_large_store_of_time_is_drawn_whole_and_stops_no_pass(postal: Postal) -> None:
    """An exchange has room for so many extensions: the last that is drawn brings all that is left."""
    rhythm(postal, bank_days=21)
    postal.table.send("bob")
    ends, told = list[int](), list[str]()
    while postal.table.exchange == 1:
        assert len(ends) < 60, "the exchange never ends"
        told += [line.text for line in postal.run()]
        ends.append((postal.table.deadline - START).days)
        postal.table.clock.pass_days(1)
    assert not [line for line in told if "stopped" in line]
    assert max(ends[:-1]) == 7 + 21
    drawn = [text for text in postal.table.ledger() if text.startswith(b"extend")]
    assert len(drawn) == MOST_DRAWS
    assert {text.splitlines()[-1] for text in drawn} == {b"bank alice 86400", b"bank alice 864000"}


def test_orders_within_the_grace_count(postal: Postal) -> None:
    rhythm(postal, grace_hours=12)
    postal.run()
    for _ in range(4):
        postal.after(1.8)
    assert postal.table.exchange == 1
    postal.deliver(postal.table.sealed("alice"))
    postal.after(1)
    assert postal.table.exchange == 2
    counted = postal.table.club.book(GAME).history.exchanges[0].counted()
    assert list(counted) == ["alice"]


@pytest.mark.ci
def test_a_reminder_comes_once_and_to_him_alone_who_has_a_choice(postal: Postal) -> None:
    postal.table.go()
    postal.table.send("bob", "card 1\n")
    postal.run()
    for name in ("alice", "bob"):
        postal.mails(name)
    for _ in range(4):
        postal.after(1.5)
    (reminder,) = postal.mails("alice")
    assert "the judge has no orders from you" in body(reminder)
    assert [part.kind for part in find_plain(reminder.as_bytes())] == [PLAIN]
    assert postal.mails("bob") == []
    extend(postal.table.club, GAME, 3, "a test")
    lines = []
    for _ in range(6):
        postal.table.clock.pass_days(0.6)
        lines += postal.run()
    told = [mail["Subject"] for mail in postal.mails("alice")]
    assert sum("your orders are missing" in subject for subject in told) == sum(
        "alice is reminded" in line.text for line in lines
    ), "what is said to be done is done"


@pytest.mark.ci
def test_repeated_silence_is_told_to_the_opponent(postal: Postal) -> None:
    postal.table.go()
    for _ in range(16):
        if "bob" not in postal.table.club.book(GAME).history.exchanges[-1].counted():
            postal.table.send("bob", "card 1\n")
        postal.run()
        postal.table.clock.pass_days(1)
    told = [body(mail) for mail in postal.mails("bob")]
    assert any("alice has sent nothing for the last 2 exchanges of demo" in text for text in told)


@pytest.mark.parametrize("days", [40, 1 / 24 / 60, -400])
def test_orders_that_come_by_a_wrong_clock_are_played_by_the_right_one(
    postal: Postal, days: float, tmp_path: Path
) -> None:
    """Alice's are stamped with a time to come, or long past; when the clock is right the game goes on, and
    its audit refutes nobody."""
    postal.run()
    postal.table.clock.pass_days(days)
    postal.deliver(postal.table.sealed("alice"))
    postal.table.clock.pass_days(-days)
    postal.deliver(postal.table.absence(date(2026, 1, 6), date(2026, 1, 12), "bob"), "bob@example.org")
    is_kept = postal.table.deadline == START + timedelta(days=7)
    assert is_kept is (days == 40), "no extension after a deadline"
    postal.send(postal.table.sealed("bob"), "bob@example.org")
    for _ in range(2):
        postal.run()
    assert postal.table.exchange == 2
    export(postal.table.club, GAME, "all", tmp_path / "bundle", "a test")
    assert not audit(tmp_path / "bundle").refuted


@pytest.mark.ci(but=("30",))
@pytest.mark.parametrize("days", [30, 3000])
def test_a_machine_that_was_off_asks_before_deadlines_pass(postal: Postal, days: float) -> None:
    postal.run()
    postal.table.clock.pass_days(days)
    before = postal.table.ledger()
    (line,) = [line for line in postal.run() if line.trouble]
    assert "pbem run --after-gap" in line.text
    assert postal.table.ledger() == before
    assert [line.text for line in postal.run() if line.trouble], "it goes on asking"
    postal.run(after_gap=True)
    assert postal.table.exchange == 2


@pytest.mark.parametrize(("more", "asks"), [(0, False), (1, True)], ids=["two days", "a second more"])
def test_a_machine_that_was_off_for_two_days_goes_on(postal: Postal, more: int, asks: bool) -> None:
    postal.run()
    postal.table.clock.now = postal.table.deadline + timedelta(hours=12)
    note_pass(postal.table.club, postal.table.clock.now - LONGEST_GAP - timedelta(seconds=more))
    told = [line.text for line in postal.run() if line.trouble]
    assert [postal.table.exchange, any("--after-gap" in text for text in told)] == [2 - asks, asks]


@pytest.mark.ci
def test_mail_that_came_while_the_machine_was_off_counts(postal: Postal) -> None:
    postal.run()
    postal.all_send()
    postal.after(30)
    assert postal.table.exchange == 1, "the game master looks at the clock first"
    postal.run(after_gap=True)
    assert postal.table.exchange == 2
    assert set(postal.table.club.book(GAME).history.exchanges[0].counted()) == {"alice", "bob"}


def test_a_clock_that_goes_back_ends_nothing(postal: Postal) -> None:
    postal.after(1)
    postal.table.clock.pass_days(-400)
    (line,) = [line for line in postal.run() if line.trouble]
    assert "set it right" in line.text


def test_the_calendar_names_the_deadline(postal: Postal) -> None:
    postal.run()
    (invitation,) = postal.mails("alice")
    (calendar,) = [part for part in invitation.walk() if part.get_content_type() == "text/calendar"]
    text = calendar.get_payload(decode=True)
    assert isinstance(text, bytes)
    assert b"DTSTART:20260108T120000Z" in text
