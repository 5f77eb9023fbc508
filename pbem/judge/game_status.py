"""The state of games in words, each in one line or in several lines, and the people with their keys."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pbem.errors import LedgerError
from pbem.trust.times import local_text, parse_utc, utc_text

if TYPE_CHECKING:
    from pbem.judge.club import Club
    from pbem.play.seats import Seats

STATUS, KEYS = "status", "keys"


def status_lines(club: Club) -> dict[str, str]:
    """Return every game's line for `pbem club status`, computed once for each head of the game's ledger."""
    kept = club.store.derived(STATUS)
    found: dict[str, str] = {}
    fresh: dict[str, str] = {}
    heads = club.store.heads()
    for game, (_, head) in heads.items():
        known, found[game] = kept.get(game, ("", ""))
        if known == head:
            continue
        try:
            found[game] = fresh[game] = status_line(club, game)
        except LedgerError as fault:
            found[game] = f"{game}: stopped: {fault}"
    if fresh:
        with club.store.step():
            for game, line in fresh.items():
                club.store.put_derived(game, STATUS, heads[game][1], line)
    return found


def status_line(club: Club, game: str) -> str:
    """Return a game's line for `pbem club status`, computed from its last report to the public.

    Raises:
        LedgerError: ledger or report were changed.
    """
    from pbem.judge.letters.letters_out import PUBLIC
    from pbem.play.adjudicate import setting_of
    from pbem.reports.base import Context
    from pbem.reports.packing import unpack_view

    history = club.book(game).history
    exchange, resolved = history.current, history.resolved
    sent = {entry.player for entry in exchange.received} if exchange else set()
    waiting = tuple(sorted(exchange.awaited - sent)) if exchange else ()
    if not resolved:
        return f"{game}: waiting for the ready of {', '.join(waiting) or 'nobody'}"
    setting = setting_of(history.corrected)
    (public,) = (entry for entry in resolved[-1].reported if entry.audience == PUBLIC)
    view = unpack_view(club.store.report(public.sha256))
    assert view is not None, "every report to everybody has a view"
    context = Context(
        game=game,
        title=setting.rules.title,
        seats=setting.seats,
        open=exchange.number if exchange else 0,
        deadline=utc_text(exchange.deadline) if exchange and exchange.deadline else "",
        waiting=waiting,
    )
    return setting.style.status(view, context)


def player_facts(club: Club) -> list[dict[str, Any]]:
    """Return, for each enrolled person, their key, where letters go, their running games, and their silence.

    Silence is the number of exchanges in a row for which a game has got nothing from them, by game.
    """
    from pbem.judge.agenda import read_agendas
    from pbem.judge.intake.waiting_list import silent_exchanges
    from pbem.trust.keys import parse_public

    running = [one for one in read_agendas(club).values() if not one.over]
    found: list[dict[str, Any]] = []
    for row in club.store.players():
        games = [one for one in running if row.name in one.seated_people]
        seats = [(one, seat) for one in games for seat in one.waiting if one.person(seat) == row.name]
        silent = {one.game: silent_exchanges(club, one, seat) for one, seat in seats}
        facts = {
            "player": row.name,
            "key": parse_public(row.key).fingerprint,
            "address": row.address,
            "box": "box" in club.settings,
            "games": [one.game for one in games],
            "silent": {game: count for game, count in silent.items() if count},
        }
        found.append(facts)
    return found


def seat_keys(club: Club) -> dict[str, list[str]]:
    """Return, by person, lines on the keys of their seats in running games that came after the genesis.

    The lines are worked out once for each head of a game's ledger, because the ledger must be read for them.
    """
    from pbem.judge.agenda import read_agendas

    kept, fresh = club.store.derived(KEYS), dict[str, tuple[str, str]]()
    heads, found = club.store.heads(), dict[str, list[str]]()
    for game, agenda in read_agendas(club).items():
        if agenda.over or agenda.trouble:
            continue
        head = heads[game][1]
        known, data = kept.get(game, ("", ""))
        if known != head:
            data = json.dumps(_seat_keys(club, game))
            fresh[game] = (head, data)
        for person, line in json.loads(data):
            found.setdefault(person, []).append(line)
    if fresh:
        with club.store.step():
            for game, (head, data) in fresh.items():
                club.store.put_derived(game, KEYS, head, data)
    return found


def _seat_keys(club: Club, game: str) -> list[tuple[str, str]]:
    history = club.book(game).history
    exchange, seats = len(history.exchanges), history.seats
    changed = [one.name for one in history.genesis.players if seats.of(one.name)]
    return [(seats.person(one), f"{game}: {', then '.join(_keys(seats, one, exchange))}") for one in changed]


def _keys(seats: Seats, player: str, exchange: int) -> list[str]:
    """Return the key with which a seat signs an exchange, and the keys it has for later exchanges."""
    later = [one for one in seats.of(player) if one.starts > exchange]
    told = [f"{one.fingerprint} from exchange {one.starts} on" for one in later]
    return [seats.fingerprint(player, exchange), *told]


def described(club: Club, game: str) -> list[str]:
    """Return lines with public facts of a game: its players, its deadline, and how to check the game.

    A seat shows the key that it signs the open exchange with.

    Raises:
        ConfigError: there is no such game.
        LedgerError: the ledger of the game was changed.
    """
    from pbem.guides import chosen_options, title_of
    from pbem.judge.agenda import agenda_of, standing_line
    from pbem.trust.entries import GAME_OPTION

    book = club.book(game)
    history, agenda = book.history, agenda_of(book)
    options = dict(history.genesis.options)
    rules = options.pop(GAME_OPTION, "")
    chosen = ", ".join(f"{name} {value}" for name, value in chosen_options(rules, options).items())
    lines = [
        f"game {game}: {title_of(rules) or rules}, {chosen or 'with the usual options'}",
        f"first head {book.head_at(1)}",
        f"judge's key {history.seats.judge_at(book.size)}",
    ]
    exchange = history.current.number if history.current else len(history.exchanges)
    for seat in history.genesis.players:
        who = history.seats.person(seat.name)
        name = seat.name if who == seat.name else f"{seat.name}, now {who}"
        told = ", then ".join(_keys(history.seats, seat.name, exchange))
        lines.append(f"{seat.side}: {name}, key {told}")
    lines.append(standing_line(agenda).removeprefix(f"{game}: "))
    if agenda.exchange and agenda.deadline:
        zone = club.rhythm(game).zone
        lines.append(f"deadline {local_text(parse_utc(agenda.deadline), zone)}")
    audit = f"pbem audit {game}-public --genesis {book.head_at(1)}"
    lines.append(f"to check it: pbem game export {game}; {audit}")
    return lines
