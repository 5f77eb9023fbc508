"""Time in running games: extensions, reminders, silence, and a clock that cannot be right.

An extension is an entry made before the deadline, with the reason as a further line:

    extend 7
    deadline 2026-08-15T18:00:00Z
    at 2026-07-30T09:00:00Z
    absence alice 86400             or: bank alice 86400, the seconds drawn from her store of time

Who has sent nothing is known to everybody, so extensions, reminders and what is said of silence tell nothing
of what a side knows: who is waited for is reminded, whether they are asked anything or not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from pbem.errors import LedgerError
from pbem.judge.agenda import Agenda, Done
from pbem.judge.club import Club
from pbem.judge.deadlines.rhythm import GRANT, Rhythm
from pbem.judge.tables.note_tables import LAST_PASS
from pbem.play.absences import absence_lines, moved_by
from pbem.rendering import render
from pbem.steps import Step
from pbem.trust.act_entries import LEAST_SILENCE
from pbem.trust.entries import Extend
from pbem.trust.formats import MOST_ABSENCE_DAYS, MOST_ACTS_IN_EXCHANGE
from pbem.trust.times import parse_utc, utc_text
from pbem.trust.zones import find_zone, local_text

if TYPE_CHECKING:  # loaded when there is something to say
    from pbem.judge.book import Book
    from pbem.play.exchange import Exchange

LONGEST_GAP = timedelta(days=2)
"""A pass so long after the last one asks before it ends exchanges by their deadlines."""
BACKWARDS = timedelta(minutes=10)
BANK_STEP = timedelta(days=1)
BANK_WINDOW = timedelta(hours=24)
MOST_DRAWS = 12
"""An exchange has room for some such entries; the last of so many draws all that is left, and the rest are
the game master's."""


@dataclass(frozen=True, slots=True)
class Jump:
    """The clock cannot be believed, or the judge was away too long: deadlines wait for the game master."""

    text: str


def clock_jump(club: Club, agendas: Iterable[Agenda]) -> Jump | None:
    """Whether games may go on now.

    A clock that has gone back is wrong. One that has leapt may be right, if the judge was away. Then
    exchanges would end by deadlines that passed unseen, or new deadlines be counted from a wrong day, so the
    game master looks at it first.
    """
    before = club.store.note(LAST_PASS)
    now = club.clock()
    if not before:
        return None
    gap = now - parse_utc(before)
    if gap < -BACKWARDS:
        return Jump(
            f"the clock says {utc_text(now)}, but the last pass was at {before}: set it right; "
            "if it is right now, run: pbem run --after-gap"
        )
    if gap <= LONGEST_GAP:
        return None
    ready = [one for one in agendas if one.complete or one.due(now - club.rhythm(one.game).grace)]
    if not ready:
        return None
    return Jump(
        f"the last pass was {gap.days} days ago by the clock, which says {utc_text(now)}, and exchanges of "
        f"{len(ready)} games would end or begin by it; look at the clock and at the mail, then run: "
        "pbem run --after-gap"
    )


def note_pass(club: Club, now: datetime) -> None:
    """Note that deadlines up to now have been looked at."""
    with club.store.step():
        club.store.put_note(LAST_PASS, utc_text(now))


def extend_deadlines(club: Club, agendas: Iterable[Agenda]) -> Iterator[Done]:
    """Move deadlines for absences and from stores of time, where somebody is still waited for.

    The absences are those of who signs the exchange, whoever has the seat now.
    """
    now, away = club.clock(), club.away()
    for agenda in agendas:
        if not agenda.exchange or agenda.closed or not agenda.waiting or not agenda.deadline:
            continue
        deadline = parse_utc(agenda.deadline)
        is_near = deadline - now <= BANK_WINDOW
        if deadline <= now or not (away or is_near):
            continue
        rhythm = club.rhythm(agenda.game)
        day = deadline.astimezone(find_zone(rhythm.zone)).date()
        is_away = any(first <= day <= last for first, last in away) and any(
            first <= day <= last for who in agenda.senders for first, last in club.away(who)
        )
        banking = bool(rhythm.bank_days or rhythm.increment_days) and is_near
        if is_away or banking:
            try:
                yield from _extend(club, agenda.game, rhythm)
            except LedgerError as fault:
                yield Done(agenda.game, f"stopped: {fault}", stopped=True)


def _extend(club: Club, game: str, rhythm: Rhythm) -> Iterator[Done]:
    with club.store.step():
        book = club.book(game)
        history, exchange, now = book.history, book.history.current, book.time(club.clock())
        if exchange is None or exchange.closed or exchange.deadline is None or exchange.deadline <= now:
            return
        waiting = sorted(exchange.awaited - {entry.player for entry in exchange.received})
        away = {name: club.away(history.seats.awaited_from(name, exchange.number)) for name in waiting}
        start = (exchange.opened.deadline or exchange.deadline) - moved_by(exchange.opened)
        latest = start + exchange.paused + timedelta(days=rhythm.absence_days)
        deadline, by = rhythm.moved(exchange.deadline, away, history.absences.left, latest)
        reasons = list(absence_lines(by))
        if deadline <= exchange.deadline and exchange.deadline - now <= BANK_WINDOW:
            deadline, reasons = _draw(book, exchange, waiting, rhythm, exchange.deadline)
        if deadline <= exchange.deadline or exchange.counted_acts == MOST_ACTS_IN_EXCHANGE:
            return
        from pbem.judge.letters.letters_out import notify

        moved = deadline - exchange.paused  # what a hold has added stays added
        book.append(Extend(exchange=exchange.number, deadline=moved, at=now, extra=tuple(reasons)))
        text = render(
            "deadline.txt.j2",
            game=game,
            exchange=exchange,
            reasons=reasons,
            absences={name: history.absences.left(name).days for name in by},
            most=MOST_ABSENCE_DAYS,
        )
        notify(club.store, book, club.key, text)
    yield Done(game, f"exchange {exchange.number} now ends {utc_text(deadline)} ({'; '.join(reasons)})")


def _draw(
    book: Book, exchange: Exchange, waiting: list[str], rhythm: Rhythm, deadline: datetime
) -> tuple[datetime, list[str]]:
    """The next step out of the stores of time of those who are waited for."""
    left = {name: bank_left(book, name, rhythm) for name in waiting}
    step = most = max(left.values(), default=timedelta())
    if exchange.counted_acts < MOST_DRAWS - 1:
        step = min(BANK_STEP, most)
    if step < timedelta(hours=1):
        return deadline, []
    drawn = [f"bank {name} {int(min(step, has).total_seconds())}" for name, has in left.items() if has]
    return deadline + step, drawn


def bank_left(book: Book, player: str, rhythm: Rhythm) -> timedelta:
    """A player's store of time, from the ledger."""
    resolved = sum(bool(one.resolved and one.seals) for one in book.history.exchanges)
    store = timedelta(days=rhythm.bank_days + rhythm.increment_days * resolved)
    for exchange in book.history.exchanges:
        for entry in exchange.extended:
            for line in entry.extra:
                kind, _, rest = line.partition(" ")
                name, _, seconds = rest.partition(" ")
                if kind == "bank" and name == player and seconds.isdigit():
                    store -= timedelta(seconds=int(seconds))
    return max(store, timedelta())


def remind(club: Club, agendas: Iterable[Agenda]) -> Iterator[Done]:
    """Remind those who are waited for, once for each exchange, whatever they are asked.

    Of a seat that changes hands, whoever signs the exchange.
    """
    now = club.clock()
    for agenda in agendas:
        if not agenda.waiting or not agenda.deadline or agenda.exchange < 2 or agenda.closed:
            continue
        hours = club.rhythm(agenda.game).reminder_hours
        deadline = parse_utc(agenda.deadline)
        if not now < deadline <= now + timedelta(hours=hours):
            continue
        key = f"reminded {agenda.game}"
        done = str(agenda.exchange)
        if club.store.note(key) == done:
            continue
        with club.store.step():
            sent = list(_remind(club, agenda))
            club.store.put_note(key, done)
        yield from sent


def _remind(club: Club, agenda: Agenda) -> Iterator[Done]:
    wishes = club.store.profiles()
    for player, person in zip(agenda.waiting, agenda.senders, strict=True):
        if not person:
            continue
        zone = wishes[person].zone if person in wishes else ""
        until = local_text(parse_utc(agenda.deadline), zone)
        text = render(
            "mail/reminder.txt.j2",
            game=agenda.game,
            exchange=agenda.exchange,
            deadline=until,
            turn=Step.ASKED.command(game=agenda.game),
        )
        name = f"{agenda.game}-{agenda.exchange:04d}-reminder.txt"
        club.store.add_letter(agenda.game, person, name, b"", text=text)
        yield Done(agenda.game, f"{player} is reminded of exchange {agenda.exchange}")


def tell_of_silence(club: Club, game: str) -> Iterator[Done]:
    """After repeated silence tell the other players what they may do; counted from what all can see."""
    book = club.book(game)
    rhythm = club.rhythm(game)
    current = book.history.current
    if not rhythm.silent_exchanges or current is None:
        return
    players = book.history.playing
    for player in players:
        silent = book.history.silence(player)
        if silent < max(rhythm.silent_exchanges, LEAST_SILENCE):
            continue
        text = render(
            "mail/silence.txt.j2",
            game=game,
            player=player,
            count=silent,
            exchange=current.number,
            granted=rhythm.claims == GRANT,
            several=len(players) > 2,
        )
        for other in players:
            if other != player:
                name = f"{game}-{current.number - 1:04d}-silence-of-{player}.txt"
                with club.store.step():
                    club.store.add_letter(game, book.history.seats.person(other), name, b"", text=text)
        yield Done(game, f"{player} has sent nothing for {silent} exchanges")
