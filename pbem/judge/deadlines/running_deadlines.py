"""Moves deadlines of running games, reminds players of them, and finds a clock that must be wrong.

Deadlines move for announced absences, and by drawing on players' stores of extra time. An extension is an
entry made before the deadline, with the reason as a further line:

    extend 7
    deadline 2026-08-15T18:00:00Z
    at 2026-07-30T09:00:00Z
    absence alice 86400             or: bank alice 86400, the seconds drawn from her store of time

Who has sent nothing is known to everybody, so extensions tell nothing of what a side knows. So that reminders
and notes about silence disclose nothing more, every player who has sent nothing is reminded, whether the game
asks them anything or not. If one file alone is missing, its sender is told so where the public may know how
many files are in.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from pbem.characters import is_decimal
from pbem.errors import LedgerError
from pbem.judge.agenda import Agenda, Done
from pbem.judge.club import Club
from pbem.judge.deadlines.rhythm import GRANT, Rhythm
from pbem.judge.intake.waiting_list import SILENT
from pbem.judge.tables.database import LEAGUE
from pbem.judge.tables.note_tables import LAST_PASS
from pbem.play.seats import absence_lines, moved_by
from pbem.rendering import render
from pbem.steps import Step
from pbem.trust.act_entries import LEAST_SILENCE
from pbem.trust.entries import Extend
from pbem.trust.formats import MAX_ABSENCE_DAYS, MAX_ACTS_IN_EXCHANGE
from pbem.trust.times import find_zone, local_text, parse_utc, utc_text

if TYPE_CHECKING:
    from pbem.judge.book import Book
    from pbem.play.history import Exchange

BANK_STEP = timedelta(days=1)
BANK_WINDOW = timedelta(hours=24)
MAX_DRAWS = 12
"""Maximum number of draws on stores of time in one exchange; the last draw takes all that is left, after
which only the game master can move the deadline."""
MAX_GAP = timedelta(days=2)
"""Maximum time since the judge's last pass after which the next pass ends exchanges without asking."""
BACKWARDS = timedelta(minutes=10)


def extend_deadlines(club: Club, agendas: Iterable[Agenda]) -> Iterator[Done]:
    """Move deadlines for absences and by stores of time, where orders are awaited; yield a line on each.

    The absences that count are those of the people who sign the exchange, whoever has their seats now.
    """
    now, away = club.clock(), club.absences()
    for agenda in agendas:
        if not agenda.is_open or not agenda.waiting or not agenda.deadline:
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


@dataclass(frozen=True, slots=True)
class Jump:
    """A jump of the judge's clock, or a long absence of the judge: deadlines wait for the game master."""

    text: str


def clock_jump(club: Club, agendas: Iterable[Agenda]) -> Jump | None:
    """Return a jump of the clock that keeps games from going on; None if there is none.

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
            "if it is right now, run: pbem club run --after-gap"
        )
    if gap <= MAX_GAP:
        return None
    ready = [one for one in agendas if one.complete or one.is_due(now - club.rhythm(one.game).grace)]
    if not ready:
        return None
    return Jump(
        f"the last pass was {gap.days} days ago by the clock, which says {utc_text(now)}, and exchanges of "
        f"{len(ready)} games would end or begin by it; look at the clock and at the mail, then run: "
        "pbem club run --after-gap"
    )


def note_pass(club: Club, now: datetime) -> None:
    """Note that a pass has checked the deadlines up to now."""
    with club.store.step():
        club.store.put_note(LAST_PASS, utc_text(now))


def remind(club: Club, agendas: Iterable[Agenda]) -> Iterator[Done]:
    """Remind the players whose files are awaited, once an exchange; yield a line on each reminder.

    A player is reminded even if the game asks them nothing.

    For a seat that changes hands, whoever signs the exchange is reminded. The open call of a league is
    reminded of as an exchange is, by the rhythm of the league's file.
    """
    now = club.clock()
    for agenda in agendas:
        is_invitation = agenda.exchange < 2 and not agenda.is_league
        if not agenda.waiting or not agenda.deadline or is_invitation or agenda.closed:
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
    from pbem.judge.letters.wishes import wishes_of
    from pbem.trust.player_statements import NONE, REMINDER

    wishes, step = club.store.profiles(), Step.CALL if agenda.is_league else Step.ASKED
    for player, person in zip(agenda.waiting, agenda.senders, strict=True):
        if not person or wishes_of(club.store, person).pace(REMINDER) == NONE:
            continue
        zone = wishes[person].zone if person in wishes else ""
        until = local_text(parse_utc(agenda.deadline), zone)
        text = render(
            "mail/reminder.txt.j2",
            game=agenda.game,
            exchange=agenda.exchange,
            deadline=until,
            is_last=len(agenda.waiting) == 1 < len(agenda.players) and not club.public_delay,
            is_league=agenda.is_league,
            command=step.command(game=agenda.game.removeprefix(LEAGUE)),
        )
        name = f"{agenda.game}-{agenda.exchange:04d}-reminder.txt"
        club.store.add_letter(agenda.game, person, name, b"", text=text)
        what = "call" if agenda.is_league else "exchange"
        yield Done(agenda.game, f"{player} is reminded of {what} {agenda.exchange}")


def tell_of_silence(club: Club, game: str) -> Iterator[Done]:
    """Tell players what they may do about others who were silent repeatedly; yield a line on each one."""
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
        with club.store.step():
            club.store.put_note(f"{SILENT}{game} {player}", f"{current.number} {silent}")
        for other in players:
            if other != player:
                name = f"{game}-{current.number - 1:04d}-silence-of-{player}.txt"
                with club.store.step():
                    club.store.add_letter(game, book.history.seats.person(other), name, b"", text=text)
        yield Done(game, f"{player} has sent nothing for {silent} exchanges")
