"""The readers whom the notifier is to wake: those whom an open exchange waits for, and the club's webhook.

    [notify]                                # in club.toml: the club has a notifier, 'pbem notify'
    folder = "notify"                       # the folder that it works in; relative to the club's
    webhook = "https://hooks.example/a/b"   # an address that is told of all games; may be left out

Two public facts decide: an exchange is open, and nothing of this reader has come for it. Whether anything is
asked of them is under the seal, and is not looked at; nor are messages. How often is their pace for games and
for reminders, as for mails. What was told is noted before the pass ends:

    wake reader <person>        note: the number by which the notifier knows a reader
    wake told <person>          note: the exchanges of which the person was told, and the time of the last
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pbem.errors import ConfigError
from pbem.judge.agenda import Agenda, read_agendas
from pbem.judge.club import Club
from pbem.judge.letters.wishes import Wishes, all_wishes, digest_after
from pbem.notify.spool import CLUB, OPEN, OVER, REMINDER, Wake, put_wake, write_table
from pbem.trust.faults import TrustFault
from pbem.trust.identifiers import shown_value
from pbem.trust.profile import DIGEST, GAME, NONE, ONCE, check_webhook
from pbem.trust.profile import REMINDER as REMINDERS
from pbem.trust.times import parse_utc, utc_text

READER, TOLD = "wake reader ", "wake told "
LAST_NUMBER = "wake number"
"""Name of the note of the highest number that a reader ever had."""


@dataclass(frozen=True, slots=True)
class NotifySettings:
    """The settings of a club's notifier."""

    folder: Path
    webhook: str = ""


def read_notify(settings: Mapping[str, Any], club: Path) -> NotifySettings | None:
    """Read the settings of the notifier from a club's settings; None if the club has none.

    Raises:
        ConfigError: a setting of the notifier is not valid.
    """
    found = settings.get("notify")
    if found is None:
        return None
    if not isinstance(found, Mapping):
        raise ConfigError("club.toml: notify must be a table, [notify]")
    if odd := sorted(set(found) - {"folder", "webhook"}):
        raise ConfigError(f"club.toml, [notify]: no setting called {odd[0]}; there are folder, webhook")
    folder, webhook = found.get("folder", "notify"), found.get("webhook", "")
    if not isinstance(folder, str) or not folder or "\0" in folder:
        raise ConfigError(f"club.toml, [notify]: {shown_value(folder)} is not a folder")
    try:
        if webhook != "":
            check_webhook(str(webhook))
    except TrustFault as fault:
        raise ConfigError(f"club.toml, [notify]: webhook: {fault}") from None
    return NotifySettings(club / folder, str(webhook))


def wake_readers(club: Club) -> Iterator[str]:
    """Write a wake for each reader who is to be told something now; yield a line about each.

    Raises:
        ConfigError: a setting of the notifier is not valid.
        OSError: the notifier's folder cannot be written.
    """
    settings = read_notify(club.settings, club.path)
    if settings is None:
        return
    wishes = {name: wish for name, wish in all_wishes(club.store).items() if wish.webhook}
    readers = {name: _number(club, name) for name in sorted(wishes)}
    _write_webhooks(club, settings)
    agendas = [one for one in read_agendas(club).values() if not one.trouble]
    for name, wish in wishes.items():
        yield from _wake(club, settings, readers[name], name, _facts_for(club, agendas, name, wish))
    if settings.webhook:
        yield from _wake(club, settings, CLUB, CLUB, _facts_of_club(club, agendas))


def _write_webhooks(club: Club, settings: NotifySettings) -> None:
    """Write the table of the notifier: the addresses of all who have signed one, and the club's own."""
    wishes = all_wishes(club.store)
    readers = {name.removeprefix(READER): number for name, number in club.store.notes(READER).items()}
    webhooks = {
        readers[name]: wish.webhook for name, wish in wishes.items() if wish.webhook and name in readers
    }
    write_table(settings.folder, webhooks | ({CLUB: settings.webhook} if settings.webhook else {}))


@dataclass(frozen=True, slots=True)
class _Facts:
    """The public facts for a reader: which hold now, and which of these they are to be told of now."""

    present: tuple[str, ...]
    """The facts that still hold, `<about> <game> <exchange>`; the others need not be remembered."""
    fresh: tuple[tuple[str, Agenda], ...]


def _facts_for(club: Club, agendas: list[Agenda], person: str, wishes: Wishes) -> _Facts:
    """Return the exchanges that are open and wait for a person, and those of which they are told now."""
    told, last = _told(club, person)
    awaited = [one for one in agendas if one.exchange and not one.closed and person in one.senders]
    opened = {f"{OPEN} {one.game} {one.exchange}": one for one in awaited}
    near = {
        f"{REMINDER} {one.game} {one.exchange}": one
        for one in awaited
        if club.store.note(f"reminded {one.game}") == str(one.exchange)
    }
    pace = wishes.pace(GAME)
    is_held = pace == NONE or (pace == ONCE and any(fact in told for fact in opened))
    begun = min((one.opened for fact, one in opened.items() if fact not in told), default="")
    if pace == DIGEST and (since := max(last, begun)):
        is_held = club.clock() < digest_after(club.store, person, wishes, parse_utc(since))
    if wishes.pace(REMINDERS) == NONE:
        near = {}
    due = ({} if is_held else opened) | near
    fresh = tuple((fact, one) for fact, one in due.items() if fact not in told)
    if pace == ONCE:  # one of what is open, and the reminders, which have a pace of their own
        fresh = tuple(one for one in fresh if one[0] in opened)[:1] + tuple(
            one for one in fresh if one[0] in near
        )
    return _Facts((*opened, *near), fresh)


def _facts_of_club(club: Club, agendas: list[Agenda]) -> _Facts:
    """Return what everybody may know of all games: what is open, and what is over."""
    told, _ = _told(club, CLUB)
    facts = {
        f"{OVER if one.over else OPEN} {one.game} {one.exchange}": one
        for one in agendas
        if one.over or (one.exchange and not one.closed)
    }
    is_first = not club.store.note(f"{TOLD}{CLUB}")
    fresh = tuple(
        (fact, one) for fact, one in facts.items() if fact not in told and not (is_first and one.over)
    )
    return _Facts(tuple(facts), fresh)


def _wake(club: Club, settings: NotifySettings, reader: str, person: str, facts: _Facts) -> Iterator[str]:
    """Write the wakes for one reader, then note that they were written; a crash between writes them again."""
    told, last = _told(club, person)
    now = utc_text(club.clock())
    for fact, agenda in facts.fresh:
        about = fact.partition(" ")[0]
        wake = Wake(
            reader=reader,
            club=club.name,
            about=about,
            game=agenda.game,
            exchange=agenda.exchange,
            deadline="" if about == OVER else agenda.deadline,
            at=now,
        )
        if not put_wake(settings.folder, wake):
            yield "the notifier's folder is full; is 'pbem notify' running?"
            break
        yield f"reader {reader} is woken: {fact}"
    new = [fact for fact, _ in facts.fresh]
    kept = sorted({fact for fact in told if fact in facts.present} | set(new))
    note = json.dumps({"facts": kept, "last": now if new else last})
    if club.store.note(f"{TOLD}{person}") != note:
        with club.store.step():
            club.store.put_note(f"{TOLD}{person}", note)


def _told(club: Club, person: str) -> tuple[set[str], str]:
    """Return the facts of which a person was told, and the time of their last wake; "" if there was none."""
    note = club.store.note(f"{TOLD}{person}")
    kept: dict[str, Any] = json.loads(note) if note else {"facts": [], "last": ""}
    return set(kept["facts"]), kept["last"]


def _number(club: Club, person: str) -> str:
    """Return the number by which the notifier knows a person, which is given once."""
    if number := club.store.note(f"{READER}{person}"):
        return number
    number = str(int(club.store.note(LAST_NUMBER) or 0) + 1)
    with club.store.step():
        club.store.put_note(f"{READER}{person}", number)
        club.store.put_note(LAST_NUMBER, number)
    return number


def forget_wakes(club: Club, person: str) -> None:
    """Drop what is kept about a person's wakes, and their address from the notifier's table.

    Wakes that still wait for them reach nobody, since the table does not name their number any more.
    """
    for start in (READER, TOLD):
        club.store.drop_note(f"{start}{person}")
    if (settings := read_notify(club.settings, club.path)) is not None:
        with contextlib.suppress(OSError):  # the next pass writes it
            _write_webhooks(club, settings)
