"""The next step of each game, found without reading its ledger: whose files are awaited, and until when.

It is worked out from the ledger once for each head and kept in the database with that head; whenever the
ledger has another head, it is worked out anew. Nothing is decided by it alone: a game that seems to have
something to do is read and checked as a whole before anything is done.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

from pbem.errors import ConfigError, LedgerError
from pbem.judge.intake.quarantine import in_words
from pbem.judge.tables.database import LEAGUE
from pbem.judge.tables.note_tables import CHECKED, CONFIRMED, DISAGREES, HELD, LAST_PASS, PUT_AWAY, RESTORED
from pbem.trust.times import parse_utc, utc_text

if TYPE_CHECKING:  # what has been worked out before is read without them
    from pbem.judge.book import Book
    from pbem.judge.club import Club

NAME = "agenda 2"
"""Name under which the database keeps agendas; it changes with their content, so that old ones are not
read."""
ON_HOLD = "on hold"
DECIDED = "decided by its league"
"""The trouble of a game that stopped because its league has a result for it: nothing goes on there."""
UNCONFIRMED = "restored from a backup and not confirmed"
FAR_AHEAD = timedelta(days=30)
"""Time since the last pass beyond which the clock is reported, because receipts are signed by that clock."""


class Done(NamedTuple):
    """One action of the judge in a pass, or the reason why a game was stopped."""

    game: str
    text: str
    is_stopped: bool = False


class Agenda(NamedTuple):
    """The facts of a game that a pass of the judge needs without reading the ledger."""

    game: str
    exchange: int = 0
    """The number of the exchange that is open, or closed and not resolved.

    It is 0 if there is none, and for a game that is put away, in dispute or not confirmed after a restore.
    """
    first: int = 1
    """The number of the first exchange whose orders are still recognised."""
    players: tuple[str, ...] = ()
    """The names of the game's seats, as in its genesis."""
    people: tuple[str, ...] = ()
    """The people in the game's seats, in the same order; empty if their names are those of the seats."""
    waiting: tuple[str, ...] = ()
    """The seats whose files the open exchange waits for."""
    senders: tuple[str, ...] = ()
    """The people who send the files of the seats in `waiting`, in the same order; "" for a seat without
    one."""
    opened: str = ""
    deadline: str = ""
    closed: bool = False
    over: bool = False
    trouble: str = ""
    """The reason why the game is stopped; "" if it is not."""

    @property
    def is_league(self) -> bool:
        """Tell whether this is the open call of a league, and no game."""
        return self.game.startswith(LEAGUE)

    @property
    def complete(self) -> bool:
        """Tell whether the open exchange has all the files that it waits for."""
        return bool(self.exchange) and not self.waiting

    @property
    def is_finished(self) -> bool:
        """Whether nothing goes on in the game any more: it is over, or its league has decided it."""
        return self.over or self.trouble == DECIDED

    @property
    def is_open(self) -> bool:
        """Whether the game takes orders now: its exchange is open, and not closed."""
        return bool(self.exchange) and not self.closed

    def waits_for_orders_of(self, person: str) -> bool:
        """Tell whether the open exchange waits for a person's orders; a closed one waits for reveals."""
        return self.is_open and person in self.senders

    def person(self, player: str) -> str:
        """Return the name of the person in a seat."""
        return dict(zip(self.players, self.people, strict=False)).get(player, player)

    @property
    def seated_people(self) -> tuple[str, ...]:
        """The people who sit in the game's seats now."""
        return self.people or self.players

    def is_due(self, now: datetime) -> bool:
        """Tell whether the game's deadline has passed."""
        return bool(self.exchange and self.deadline) and parse_utc(self.deadline) <= now


def standing_line(agenda: Agenda) -> str:
    """Return a line about the state of a game, made of what everybody may know."""
    if agenda.trouble:
        return f"{agenda.game}: {agenda.trouble if agenda.trouble == DECIDED else 'held by the judge'}"
    if agenda.over or not agenda.exchange:
        return f"{agenda.game}: over"
    what = "closed, waiting for reveals of" if agenda.closed else "open, waiting for"
    until = f", until {agenda.deadline}" if agenda.deadline else ""
    return (
        f"{agenda.game}: exchange {agenda.exchange} {what} {' and '.join(agenda.waiting) or 'nobody'}{until}"
    )


def read_agendas(club: Club, recent: int = 3) -> dict[str, Agenda]:
    """Return every game's next step; newly computed ones are stored, if the database can be written."""
    kept = club.store.derived(NAME)
    found: dict[str, Agenda] = {}
    fresh: dict[str, tuple[str, Agenda]] = {}
    for game, (_, head) in club.store.heads().items():
        known, data = kept.get(game, ("", ""))
        if known == head:
            found[game] = load_agenda(data)
            continue
        try:
            found[game] = agenda_of(club.book(game), recent)
        except ConfigError:
            raise
        except Exception as fault:  # noqa: BLE001 - one game must not stop all others
            found[game] = Agenda(game=game, trouble=in_words(fault))
            continue
        fresh[game] = (head, found[game])
    if fresh:
        with club.store.step():
            for game, (head, agenda) in fresh.items():
                club.store.put_derived(game, NAME, head, json.dumps(agenda._asdict()))
    for name in club.store.notes(PUT_AWAY):
        game = name.removeprefix(PUT_AWAY)
        found[game] = found[game]._replace(over=True, exchange=0, waiting=(), senders=(), trouble="")
    for name, said in club.store.notes(DISAGREES).items():
        game = name.removeprefix(DISAGREES)
        if not (found[game].trouble or found[game].over):
            found[game] = found[game]._replace(trouble=said, exchange=0)
    for game in _unconfirmed_lines(club, (game for game, agenda in found.items() if not agenda.over)):
        if found[game].trouble in ("", ON_HOLD):
            found[game] = found[game]._replace(trouble=UNCONFIRMED, exchange=0)
    return found | _decided(club, found)


def _decided(club: Club, found: Mapping[str, Agenda]) -> dict[str, Agenda]:
    held = (found[game] for game in club.store.decided_games() if game in found)
    return {one.game: one._replace(trouble=DECIDED) for one in held if one.trouble == ON_HOLD}


def note_held(club: Club, game: str, why: str) -> None:
    """Note the reason why a pass could not bring a game on; an empty `why` clears the note."""
    name = f"{HELD}{game}"
    said = f"{club.store.head(game)[1]} {why}" if why else ""
    if club.store.note(name) != said:
        with club.store.step():
            club.store.put_note(name, said)


def wrong_settings(settings: Mapping[str, Any]) -> dict[str, str]:
    """Return, by game, the mistake in the game's own table in club.toml; such a game waits."""
    mail = settings.get("mail")
    posts = mail.get("game", {}) if isinstance(mail, Mapping) else {}
    rhythms = _table(settings.get("rhythm"))
    rhythms = {name: own for name, own in rhythms.items() if isinstance(own, Mapping)}
    if not (posts or rhythms):
        return {}
    from pbem.judge.deadlines.rhythm import rhythm_of
    from pbem.judge.letters.addresses import check_own_post

    wrong: dict[str, str] = {}
    checks: tuple[tuple[object, Callable[[Mapping[str, Any], str], object]], ...] = (
        (rhythms, rhythm_of),
        (posts, check_own_post),
    )
    for tables, check in checks:
        for game in _table(tables):
            try:
                check(settings, game)
            except ConfigError as fault:
                wrong.setdefault(game, str(fault))
    return wrong


def _table(found: object) -> Mapping[str, Any]:
    return found if isinstance(found, Mapping) else {}


def held_games(club: Club) -> dict[str, str]:
    """Return the games that the last pass could not bring on, with reasons, unless their ledgers changed."""
    heads = club.store.heads()
    noted = {name.removeprefix(HELD): said.partition(" ") for name, said in club.store.notes(HELD).items()}
    return {
        game: why for game, (head, _, why) in noted.items() if head and heads.get(game, (0, ""))[1] == head
    }


def unconfirmed_ledgers(club: Club) -> list[str]:
    """Return the running games and leagues whose highest head must still be entered after a restore."""
    if not club.store.note(RESTORED):
        return []
    games = [agenda.game for agenda in read_agendas(club).values() if not agenda.over]
    return _unconfirmed_lines(club, games + [row.name for row in club.store.leagues() if not row.over])


def _unconfirmed_lines(club: Club, names: Iterable[str]) -> list[str]:
    if not (restored := club.store.note(RESTORED)):
        return []
    known = club.store.notes(CONFIRMED)
    return [name for name in names if known.get(f"{CONFIRMED}{name}") != restored]


def check_ledgers(club: Club, most: int | None) -> None:
    """Check the ledgers of `most` games (None: of all), other games each time, so that damage is found soon.

    The values derived from a ledger that was changed since it was written are dropped, so that whoever reads
    the agendas next meets the fault of the ledger, as long as it is there.
    """
    games = club.store.games()
    last = club.store.note(CHECKED)
    if most is not None:
        games = ([game for game in games if game > last] + [game for game in games if game <= last])[:most]
    faulty = [game for game in games if not is_whole(club, game)]
    if games and (faulty or games[-1] != last):
        with club.store.step():
            club.store.put_note(CHECKED, games[-1])
            for game in faulty:
                club.store.drop_derived(game)
                club.books.forget(game)


def is_whole(club: Club, game: str) -> bool:
    """Tell whether no entry in a game's ledger was changed since it was written."""
    from pbem.judge.book import checked_rows

    try:
        checked_rows(club.store, game, club.roots(game))
    except LedgerError:
        return False
    return True


def agenda_of(book: Book, recent: int = 3) -> Agenda:
    """Compute a game's next step from its ledger."""
    history = book.history
    players = tuple(player.name for player in history.genesis.players)
    people = tuple(history.seats.person(player) for player in players)
    exchange = history.current
    first = max(1, len(history.exchanges) - recent + 1)
    if history.held is not None:
        return Agenda(game=book.game, first=first, players=players, people=people, trouble=ON_HOLD)
    if exchange is None or history.over:
        return Agenda(game=book.game, first=first, players=players, people=people, over=history.over)
    if exchange.closed is not None:
        sent = {entry.player for entry in exchange.revealed}
        wanted = history.seats.contributors(exchange.number) - set(exchange.left)
        deadline = exchange.closed.deadline
    else:
        sent, wanted = {entry.player for entry in exchange.received}, exchange.awaited
        deadline = exchange.deadline
    waiting = tuple(sorted(wanted - sent))
    return Agenda(
        game=book.game,
        exchange=exchange.number,
        first=first,
        players=players,
        people=people,
        waiting=waiting,
        senders=tuple(history.seats.awaited_from(player, exchange.number) for player in waiting),
        opened=_opening_time(book),
        deadline=utc_text(deadline) if deadline else "",
        closed=exchange.closed is not None,
        over=history.over,
    )


def _opening_time(book: Book) -> str:
    """Return the time at which the open exchange was opened: when the previous exchange was closed."""
    before = book.history.exchanges[-2] if len(book.history.exchanges) > 1 else None
    return utc_text(before.closed.at) if before and before.closed and before.closed.at else ""


def load_agenda(data: str) -> Agenda:
    """Return an agenda from the JSON that the database keeps."""
    fields: Mapping[str, object] = json.loads(data)
    lists = {name: tuple(value) for name, value in fields.items() if isinstance(value, list)}
    return Agenda(**(dict(fields) | lists))  # type: ignore[arg-type]  # written from one


def far_ahead(club: Club) -> str:
    """Return a warning if the clock shows a much later time than at the last pass; "" otherwise."""
    before, now = club.store.note(LAST_PASS), club.clock()
    if not before or now - parse_utc(before) <= FAR_AHEAD:
        return ""
    days = (now - parse_utc(before)).days
    return (
        f"the last pass was {days:,} days ago by the clock, which says {utc_text(now)}, and receipts are "
        "signed by it: if that is not right, set it right"
    )
