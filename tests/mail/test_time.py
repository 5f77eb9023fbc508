"""Deadlines that fit people: rhythm, grace, absences, stores of time, reminders, silence, false clocks."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from pbem.audit import audit
from pbem.audit.findings import State
from pbem.cli import main
from pbem.judge.acts import act
from pbem.judge.deadlines.rhythm import Rhythm, rhythm_of
from pbem.judge.deadlines.running_deadlines import MAX_DRAWS
from pbem.judge.export import export
from pbem.service.doctor import examine
from pbem.service.one_pass import Pass
from pbem.trust.times import utc_text
from tests.judge.table import GAME, START, make_table
from tests.mail.postal import Postal
from tests.mail.test_passes import body, names

pytestmark = pytest.mark.dated


FRIDAY = datetime(2026, 7, 31, 12, tzinfo=UTC)


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


@pytest.mark.ci
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
    assert len(drawn) == MAX_DRAWS
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
@pytest.mark.parametrize("days", [40, 1 / 24 / 60, -400])
def test_orders_that_come_by_a_wrong_clock_are_played_by_the_right_one(
    postal: Postal, days: float, tmp_path: Path
) -> None:
    """Alice's files are stamped with a time to come, or long past.

    When the clock is right the game goes on, and its audit refutes nobody.
    """
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
    assert not audit(tmp_path / "bundle").is_refuted


def test_a_clock_far_ahead_is_told_before_receipts_are_signed_by_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Though nothing waits: by the pass, by doctor, and to whoever hands in orders; told once, it is well."""
    table = make_table(tmp_path)
    act(table.club, GAME, "hold", reason="winter")
    list(Pass(table.club).run())
    (tmp_path / "orders.age").write_bytes(table.sealed("alice"))
    words = ["submit", str(tmp_path / "orders.age"), "--club", str(table.club.path)]
    assert main(words) == 0, "the machine's clock is ahead of the test's"
    assert "days ago by the clock, which says" in capsys.readouterr().err
    table.clock.pass_days(4_000)
    said = "the last pass was 4,000 days ago by the clock, which says 2036-12-14T12:00:00Z"
    assert any(said in one.text for one in examine(table.club) if one.what == "clock")
    (told,) = [line.text for line in Pass(table.club).run() if line.trouble]
    assert said in told
    assert not [line for line in Pass(table.club).run() if line.trouble]
    table.clock.pass_days(31)
    assert not [line for line in Pass(table.club, after_gap=True).run() if line.trouble]


@pytest.mark.ci(but=("30",))
@pytest.mark.parametrize("days", [30, 3000])
def test_a_machine_that_was_off_asks_before_deadlines_pass(postal: Postal, days: float) -> None:
    postal.run()
    postal.table.clock.pass_days(days)
    before = postal.table.ledger()
    (line,) = [line for line in postal.run() if line.trouble]
    assert "pbem club run --after-gap" in line.text
    assert postal.table.ledger() == before
    assert [line.text for line in postal.run() if line.trouble], "it goes on asking"
    postal.run(after_gap=True)
    assert postal.table.exchange == 2


@pytest.mark.ci
def test_mail_that_came_while_the_machine_was_off_counts(postal: Postal) -> None:
    postal.run()
    postal.all_send()
    postal.after(30)
    assert postal.table.exchange == 1, "the game master looks at the clock first"
    postal.run(after_gap=True)
    assert postal.table.exchange == 2
    assert set(postal.table.club.book(GAME).history.exchanges[0].counted()) == {"alice", "bob"}


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


def test_an_absence_that_ends_early_counts_for_what_is_opened_afterwards(postal: Postal) -> None:
    """What is announced stays, and what was signed before changes nothing when it comes again."""
    postal.run()
    earlier = absence(postal, "2026-01-06", "2026-01-20")
    postal.send(earlier)
    postal.run()
    announced = postal.table.deadline
    assert announced == datetime(2026, 1, 21, 12, tzinfo=UTC)
    postal.table.clock.pass_days(4)
    postal.send(absence(postal, "2026-01-06", "2026-01-08"))
    postal.run()
    assert postal.table.deadline == announced
    postal.send(earlier)
    postal.go()
    assert (postal.table.exchange, postal.table.deadline) == (2, START + timedelta(days=4 + 7))


def test_players_agree_on_more_time_by_mail(postal: Postal) -> None:
    rhythm(postal, agreed_days=2)
    later = postal.table.deadline + timedelta(days=1)
    said = f"extend {utc_text(later)}"
    postal.run()
    for name, told in (
        ("alice", "It has come. Who else plays must sign it, too."),
        ("bob", "Done: exchange 1"),
    ):
        postal.mails(name)
        postal.send(postal.table.consent(said, by=name), f"{name}@example.org")
        postal.run()
        assert any(told in " ".join(body(mail).split()) for mail in postal.mails(name))
    assert postal.table.deadline == later
    assert not [line for line in postal.run() if line.step == "time"], "nothing moves it again"


def test_an_absence_can_become_longer(postal: Postal) -> None:
    for last in ("2026-01-08", "2026-01-12"):
        postal.send(absence(postal, "2026-01-06", last))
        postal.run()
        postal.table.clock.pass_days(1)
    assert postal.table.deadline == datetime(2026, 1, 13, 12, tzinfo=UTC)
    assert len(postal.table.club.store.absences("alice")) == 1


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


def test_a_clock_that_goes_back_ends_nothing(postal: Postal) -> None:
    postal.after(1)
    postal.table.clock.pass_days(-400)
    (line,) = [line for line in postal.run() if line.trouble]
    assert "set it right" in line.text
