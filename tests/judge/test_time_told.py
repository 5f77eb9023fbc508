"""When exchanges end, who waits and who is told of time: whole, about each moment that matters."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, date, datetime, timedelta
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from pbem.judge.acts import act, extend
from pbem.judge.agenda import Agenda, read_agendas
from pbem.judge.deadlines import running_deadlines, waits_for_mail
from pbem.judge.deadlines.rhythm import Rhythm
from pbem.judge.deadlines.running_deadlines import extend_deadlines
from pbem.judge.deadlines.waits_for_mail import Look
from pbem.judge.tables.database import AbsenceRow, ProfileRow
from pbem.trust.times import utc_text
from tests.judge.every_game import run_pass
from tests.judge.table import GAME, Table
from tests.kept import Telling, as_kept, plain

GOLDEN = Path(__file__).parent / "golden"
DAY, HOUR, SECOND, NOTHING = timedelta(days=1), timedelta(hours=1), timedelta(seconds=1), timedelta()
AGO, LATER = "2025-12-20T12:00:00Z", "2026-01-01T13:00:00Z"


class Trials:
    """What is tried at a table, told whole."""

    def __init__(self, table: Table) -> None:
        self.table, self.telling, self.store = table, Telling(), table.club.store

    def agenda(self) -> Agenda:
        """That of the game, now."""
        return read_agendas(self.table.club)[GAME]

    @contextmanager
    def undone(self, now: datetime | None = None, **settings: Any) -> Iterator[None]:
        """What is done within, by this clock and these settings in club.toml, is undone."""
        before, self.table.clock.now = self.table.clock.now, now or self.table.clock.now
        self.table.club.settings = settings
        with suppress(InterruptedError), self.store.step():
            yield
            raise InterruptedError
        self.table.clock.now = before

    def tell(self, heading: object, does: Callable[..., Any], *given: Any) -> None:
        """What is done, with what it enters, notes and writes to whom."""
        rows, size = self.store.connection.execute, self.table.book.size
        (last,) = rows("SELECT max(id) FROM letter").fetchone()
        found = does(self.table.club, *given)
        done = [*map(str, found if isinstance(found, Iterator) else [found])]
        done += [row.text.decode() for row in self.table.book.rows[size:]]
        done += [f"{name} = {value}" for name, value in self.store.notes("").items()]
        for (number,) in rows("SELECT id FROM letter WHERE id > ?", (last,)).fetchall():
            if one := self.store.letter(number):
                done.append(f"{one.name} to {one.player} until {one.deadline}: {one.text}")
        self.telling.add(str(heading), map(plain, done))


def rhythms(trials: Trials) -> None:
    """Deadlines of many rhythms, over the days when clocks change, with absences of three players."""
    spans = [(date(2026, 3, 26), date(2026, 3, 29)), (date(2026, 3, 30), date(2026, 4, 2))]
    away = {"carol": [(date(2026, 4, 1), date(2026, 4, 20))], "alice": spans, "bob": [spans[1]]}
    begins = datetime(2026, 3, 23, 20, 30, tzinfo=UTC), datetime(2026, 3, 28, 4, tzinfo=UTC)
    weeks, zones = ((), ("sun",), ("tue", "sat")), ("UTC", "America/New_York", "Europe/London")
    for weekdays, hour, zone, opened in product(weeks, ("", "00:00", "20:30"), zones, begins):
        one = Rhythm(days=2.5, weekdays=weekdays, hour=hour, zone=zone, absence_days=16)
        found = one.deadline(opened)
        told: list[object] = [one.next_fitting(found + more) for more in (NOTHING, SECOND, -SECOND)]
        for days, latest in ((42, None), (5, None), (3, found + 9 * DAY), (0, None)):
            told.append(one.move_deadline(found, away, lambda _, left=days * DAY: left, latest))  # type: ignore[misc]
        trials.telling.add(f"{weekdays} {hour} {zone} from {opened:%d}", [found, *told])


def stores_of_time(trials: Trials) -> None:
    """With and without absences, of one and of two who are waited for."""
    table = trials.table
    table.go()
    own, banks = trials.agenda(), {"bank_days": 2.2, "increment_days": 0.25}
    others: Any = ({"exchange": 0}, {"closed": True}, {"waiting": (), "senders": ()}, {"deadline": ""}, {})
    plan = [own._replace(**changed) for changed in others]
    away = [("bob", "08", "09"), ("alice", "07", "11"), ("emil", "08", "09"), ("alice", "01", "07")]
    rows = [AbsenceRow(name, f"2026-01-{begins}", f"2026-01-{ends}", AGO, b"") for name, begins, ends in away]
    moments = (-3 * DAY, -DAY - SECOND, -DAY, -SECOND, NOTHING)
    for which, before in product(((), (0, 1), (2,), (3,)), moments):
        with trials.undone(table.deadline + before, rhythm=banks):
            list(map(trials.store.add_absence, [rows[row] for row in which]))
            trials.tell(f"{which} away, {before}", extend_deadlines, plan)
    few: Any = ({"bank_days": 1 / 24}, {"bank_days": 0.0416}, {"increment_days": 1}, {"absence_days": 2}, {})
    for rhythm in few:
        with trials.undone(table.deadline - HOUR, rhythm=rhythm):
            if "absence_days" in rhythm:
                trials.store.add_absence(rows[0])
            trials.tell(rhythm, extend_deadlines, [own])
    table.send("bob")
    table.club.settings = {"rhythm": banks}
    for draw in range(4):
        table.clock.now = table.deadline - HOUR
        trials.tell(f"draw {draw}", extend_deadlines, [trials.agenda()])
    for what in ("hold", "resume"):
        act(table.club, GAME, what, reason="a test")
        table.clock.pass_days(1.5 if what == "hold" else 0)
    trials.store.add_absence(AbsenceRow("alice", "2026-01-11", "2026-01-14", AGO, b""))
    trials.tell("after a hold", extend_deadlines, [trials.agenda()])
    trials.tell("by hand", extend, GAME, 1.5, "a \n journey")


def reminders(trials: Trials) -> None:
    """Reminders, clocks that jump, and silence."""
    table = trials.table
    with trials.store.step():
        trials.store.put_profile(ProfileRow("bob", "Asia/Tokyo"))
    table.go()
    own = trials.agenda()
    later = own._replace(deadline="2026-03-30T12:00:00Z")
    others: Any = ({"waiting": ()}, {"deadline": ""}, {"exchange": 1}, {"closed": True}, {})
    plan = [later, *(own._replace(**changed) for changed in others)]
    plan += [own, own._replace(senders=("", "bob"), exchange=3), own]
    for hours, before in product((0, 36), (36 * HOUR + SECOND, 36 * HOUR, SECOND, NOTHING)):
        with trials.undone(table.deadline - before, rhythm={"reminder_hours": hours}):
            trials.tell(f"{hours} hours, {before}", running_deadlines.remind, plan)
    plans: Any = [], [later], [later, own], [later._replace(waiting=()), own]
    gaps = (-HOUR / 6 - SECOND, -HOUR / 6, NOTHING, 2 * DAY, 2 * DAY + SECOND, 5 * DAY)
    for (number, plan), gap, grace in product(enumerate(plans), gaps, (6 * HOUR - SECOND, 6 * HOUR)):
        with trials.undone(table.deadline + grace, rhythm={"grace_hours": 6}):
            running_deadlines.note_pass(table.club, table.clock() - gap)
            trials.tell(f"{gap} since, plan {number}, {grace}", running_deadlines.clock_jump, plan)
    table.send("bob")
    for exchange in range(4):
        for silent, claims in product(range(5), ("ask", "grant")):
            with trials.undone(rhythm={"silent_exchanges": silent, "claims": claims}):
                trials.tell(f"{exchange} later, {silent}, {claims}", running_deadlines.tell_of_silence, GAME)
        table.clock.pass_days(8)
        run_pass(table.club)


def looking(trials: Trials) -> None:
    """Looks at the mailbox that come to an end or do not, and mail that waits."""
    club, begun = trials.table.club, ((0, ""), (3, "ab"), (1, "ab"), (0, "ab"), (3, ""))
    for (left, missing), (taken, failed) in product(begun, ((1, "a"), (3, "c"), (4, ""), (0, "ab"))):
        with trials.undone():
            for name, count, fault in (("first", 1, "x"), ("next", taken, failed)):
                look = Look(
                    name, left if name == "first" else 3, tuple(missing if name == "first" else "abc")
                )
                trials.tell(f"{look}, {count} {fault}", waits_for_mail.note_look, look, count, fault)
    for inbox, seconds in product(({}, {"maildir": "."}), (None, 0, 1)):
        with trials.undone(mail={"inbox": inbox}):
            looked = utc_text(club.clock() + seconds * SECOND) if seconds is not None else ""
            trials.store.put_note(waits_for_mail.LOOKED, looked)
            trials.tell(f"looked {looked}, {inbox}", waits_for_mail.looked_until)
            trials.store.add_incoming(AGO, b"a mail", "")
            trials.tell("a mail waits", waits_for_mail.looked_until)


def waiting(trials: Trials) -> None:
    """Letters that do not leave, or late, and games that wait."""
    table, store, club = trials.table, trials.store, trials.table.club
    table.go()
    own, mail = trials.agenda(), {"outbox": {"host": "x"}}
    ids = [one.id for name in ("alice", "bob") for one in store.first_copies(GAME, name)]
    plans = (own, own._replace(senders=("", "bob")), own._replace(senders=()))
    for unsent, trouble, since in product((ids, ids[-1:]), (ids, ids[-1:], []), ("", AGO, LATER)):
        for after in (3 * DAY, 3 * DAY - SECOND):
            with trials.undone(mail=mail):
                for number in set(ids) - set(unsent):
                    store.mark_sent(number, utc_text(club.clock()))
                for number in set(trouble) & set(unsent):
                    store.mark_trouble(number, "refused")
                if since:
                    store.put_note(f"{waits_for_mail.PUT_OFF}{GAME} bob", since)
                heading = f"{len(unsent)} unsent, {len(trouble)} in trouble since {since}"
                for when in ("now", f"{after} later"):
                    trials.tell(f"{heading}, {when}", waits_for_mail.why_mail_delays, GAME, "bob")
                    trials.tell("undeliverable", waits_for_mail.undeliverable)
                    table.clock.now += after
    for late, more in product((6 * HOUR, 6 * HOUR + SECOND), (NOTHING, DAY - SECOND, DAY)):
        with trials.undone(table.clock.now + late + more, mail=mail):
            store.put_note(f"{waits_for_mail.PUT_OFF}{GAME} bob", AGO)
            for number in ids:
                store.mark_sent(
                    number, utc_text(table.clock.now - more - (late if number == ids[0] else NOTHING))
                )
            for plan in plans:
                trials.tell(f"late by {late}, {more} after", waits_for_mail.why_waiting, plan, 5 * HOUR)


def going_on(trials: Trials) -> None:
    """Games that wait past their deadline, and go on."""
    table, store = trials.table, trials.store
    table.go()
    own = trials.agenda()
    notes = ("", "2 a reason", "2 other", "1 a reason")
    for grace, after, note in product((NOTHING, HOUR), (HOUR - SECOND, HOUR, 2 * HOUR), notes):
        with trials.undone(table.deadline + after):
            store.put_note(f"{waits_for_mail.WAITS}{GAME}", note)
            trials.tell(f"{after} over, {note}", waits_for_mail.tell_wait, own, "a reason", grace)
            trials.tell("waits", waits_for_mail.waiting_games)
            for _ in range(2):
                trials.tell("it goes on", waits_for_mail.end_wait, own)
            store.put_note(f"{waits_for_mail.WAITS}{GAME}", "2 other")
            trials.tell("it waits again, and goes on", waits_for_mail.end_wait, own)
            store.put_note(f"{waits_for_mail.WAITS}{GAME}", "2 other")
            trials.tell("it waits no more", waits_for_mail.forget_wait, GAME)
    for looked, late in product((-SECOND, NOTHING, HOUR), (NOTHING, HOUR)):
        with trials.undone(table.deadline + 2 * HOUR, mail={"inbox": {"maildir": "."}}):
            store.put_note(waits_for_mail.LOOKED, utc_text(table.deadline + looked))
            trials.tell(f"looked {looked} after it, grace {late}", waits_for_mail.why_waiting, own, late)


@pytest.mark.ci(but=("rhythms", "looking"))
@pytest.mark.parametrize("story", [rhythms, stores_of_time, reminders, looking, waiting, going_on])
def test_time_is_told_as_it_was(story: Callable[[Trials], None], table: Table) -> None:
    story(trials := Trials(table))
    as_kept(GOLDEN / f"{story.__name__}.txt", str(trials.telling))
