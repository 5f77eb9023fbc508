"""Moves deadlines: for announced absences, and by drawing on players' stores of extra time.

An extension is an entry made before the deadline, with the reason as a further line:

    extend 7
    deadline 2026-08-15T18:00:00Z
    at 2026-07-30T09:00:00Z
    absence alice 86400             or: bank alice 86400, the seconds drawn from her store of time

Who has sent nothing is known to everybody, so extensions tell nothing of what a side knows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from pbem.characters import is_decimal
from pbem.errors import LedgerError
from pbem.judge.agenda import Agenda, Done
from pbem.judge.club import Club
from pbem.judge.deadlines.rhythm import Rhythm
from pbem.play.absences import absence_lines, moved_by
from pbem.rendering import render
from pbem.trust.entries import Extend
from pbem.trust.formats import MAX_ABSENCE_DAYS, MAX_ACTS_IN_EXCHANGE
from pbem.trust.times import find_zone, parse_utc, utc_text

if TYPE_CHECKING:  # loaded when there is something to say
    from pbem.judge.book import Book
    from pbem.play.exchange import Exchange

BANK_STEP = timedelta(days=1)
BANK_WINDOW = timedelta(hours=24)
MAX_DRAWS = 12
"""Maximum number of draws on stores of time in one exchange; the last draw takes all that is left, after
which only the game master can move the deadline."""


def extend_deadlines(club: Club, agendas: Iterable[Agenda]) -> Iterator[Done]:
    """Move deadlines for absences and by stores of time in exchanges that still wait for somebody's orders.

    The absences that count are those of the people who sign the exchange, whoever has their seats now.
    """
    now, away = club.clock(), club.absences()
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
            first <= day <= last for who in agenda.senders for first, last in club.absences(who)
        )
        banking = bool(rhythm.bank_days or rhythm.increment_days) and is_near
        if is_away or banking:
            try:
                yield from _extend(club, agenda.game, rhythm)
            except LedgerError as fault:
                yield Done(agenda.game, f"stopped: {fault}", is_stopped=True)


def _extend(club: Club, game: str, rhythm: Rhythm) -> Iterator[Done]:
    with club.store.step():
        book = club.book(game)
        history, exchange, now = book.history, book.history.current, book.time(club.clock())
        if exchange is None or exchange.closed or exchange.deadline is None or exchange.deadline <= now:
            return
        waiting = sorted(exchange.awaited - {entry.player for entry in exchange.received})
        away = {name: club.absences(history.seats.awaited_from(name, exchange.number)) for name in waiting}
        start = (exchange.opened.deadline or exchange.deadline) - moved_by(exchange.opened)
        latest = start + exchange.paused + timedelta(days=rhythm.absence_days)
        deadline, by = rhythm.move_deadline(exchange.deadline, away, history.absences.left, latest)
        reasons = list(absence_lines(by))
        if deadline <= exchange.deadline and exchange.deadline - now <= BANK_WINDOW:
            deadline, reasons = _draw(book, exchange, waiting, rhythm, exchange.deadline)
        if deadline <= exchange.deadline or exchange.counted_acts == MAX_ACTS_IN_EXCHANGE:
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
            most=MAX_ABSENCE_DAYS,
        )
        notify(club.store, book, club.key, text)
    yield Done(game, f"exchange {exchange.number} now ends {utc_text(deadline)} ({'; '.join(reasons)})")


def _draw(
    book: Book, exchange: Exchange, waiting: list[str], rhythm: Rhythm, deadline: datetime
) -> tuple[datetime, list[str]]:
    """Return the next deadline, paid for from missing players' stores of time, and a line on each payer."""
    left = {name: bank_left(book, name, rhythm) for name in waiting}
    step = most = max(left.values(), default=timedelta())
    if exchange.counted_acts < MAX_DRAWS - 1:
        step = min(BANK_STEP, most)
    if step < timedelta(hours=1):
        return deadline, []
    drawn = [f"bank {name} {int(min(step, has).total_seconds())}" for name, has in left.items() if has]
    return deadline + step, drawn


def bank_left(book: Book, player: str, rhythm: Rhythm) -> timedelta:
    """Return the time left in a player's store of time, computed from the ledger."""
    resolved = sum(bool(one.resolved and one.seals) for one in book.history.exchanges)
    store = timedelta(days=rhythm.bank_days + rhythm.increment_days * resolved)
    for exchange in book.history.exchanges:
        for entry in exchange.extended:
            for line in entry.extra:
                kind, _, rest = line.partition(" ")
                name, _, seconds = rest.partition(" ")
                if kind == "bank" and name == player and is_decimal(seconds):
                    store -= timedelta(seconds=int(seconds))
    return max(store, timedelta())
