"""The readers whom the notifier shall call: those whose orders are awaited, and the club's webhook.

    [notify]                                # in club.toml: the club has a notifier, 'pbem notify'
    folder = "notify"                       # the folder that it works in; relative to the club's
    webhook = "https://hooks.example/a/b"   # is told of all games and leagues; may be left out
    contact = "mailto:gm@club.example"      # whom push services may write to; without it no devices are woken

Two public facts decide: an exchange or a league's call is open, and nothing of this reader has come for
it. Whether anything is asked of them is under the seal, and is not looked at; nor are messages. How often a
reader is called follows from their pace for games, leagues and reminders, as for mails. A player's webhook is
told the facts of games, the club's those of leagues too; the wake of a device says nothing but whose it is,
so it comes for leagues too. An address that its push service refuses is dropped, and its player told. What
was told is noted before the pass ends:

    wake reader <person>        note: the number by which the notifier knows a reader
    wake told <person>          note: the exchanges of which the person was told, and the time of the last;
                                for the club's webhook also the heads of the leagues that were read
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from pbem.errors import ConfigError, PbemError
from pbem.judge.agenda import Agenda, read_agendas
from pbem.judge.club import Club
from pbem.judge.leagues.status import headlines_of, open_calls
from pbem.judge.letters.wishes import Wishes, all_wishes, digest_after, keep_wishes
from pbem.judge.tables.database import LEAGUE as LEDGER
from pbem.notify.spool import (
    CLUB,
    DEVICE,
    FINISHED,
    OF_LEAGUES,
    OPEN,
    OVER,
    REMINDER,
    RESULTS,
    Table,
    Wake,
    address_hash,
    put_wake,
    read_public_key,
    read_refused,
    write_table,
)
from pbem.trust.faults import TrustFault
from pbem.trust.identifiers import shown_value
from pbem.trust.player_statements import DIGEST, GAME, LEAGUE, NOBODY, NONE, ONCE, YES, check_webhook
from pbem.trust.player_statements import REMINDER as REMINDERS
from pbem.trust.times import parse_utc, utc_text

READER, TOLD = "wake reader ", "wake told "
FACTS = "facts"
"""The word for a webhook among the means to call a reader: unlike a device, it is told public facts."""
LAST_NUMBER = "wake number"
"""Name of the note of the highest number that was ever given to a reader."""
_is_contact = re.compile(r"mailto:[!-~]+@[!-~]+|https://[!-~]+").fullmatch
_PLAIN = str.maketrans({":": "", "-": ""})


@dataclass(frozen=True, slots=True)
class NotifySettings:
    """The settings of a club's notifier."""

    folder: Path
    webhook: str = ""
    contact: str = ""


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
    words = "folder webhook contact"
    if odd := sorted(set(found) - set(words.split())):
        raise ConfigError(f"club.toml, [notify]: no setting called {odd[0]}; there are {words}")
    folder, webhook, contact = (
        found.get("folder", "notify"),
        found.get("webhook", ""),
        found.get("contact", ""),
    )
    if not isinstance(folder, str) or not folder or "\0" in folder:
        raise ConfigError(f"club.toml, [notify]: {shown_value(folder)} is not a folder")
    try:
        if webhook != "":
            check_webhook(str(webhook))
    except TrustFault as fault:
        raise ConfigError(f"club.toml, [notify]: webhook: {fault}") from None
    if contact != "" and _is_contact(str(contact)) is None:
        raise ConfigError(
            f"club.toml, [notify]: contact: {shown_value(contact)} is neither written "
            "mailto:gm@club.example nor https://club.example/"
        )
    return NotifySettings(club / folder, str(webhook), str(contact))


def wake_readers(club: Club) -> Iterator[str]:
    """Write a wake for each reader whom the notifier shall call now; yield a line about each.

    Raises:
        ConfigError: a setting of the notifier is not valid.
        OSError: the notifier's folder cannot be written.
    """
    settings = read_notify(club.settings, club.path)
    if settings is None:
        return
    agendas = [one for one in read_agendas(club).values() if not one.trouble]
    yield from _drop_gone(club, settings, agendas)
    for name in sorted(wishes := all_wishes(club.store)):
        if _ways(settings, wishes[name]):
            _number(club, name)
    readers = _write_addresses(club, settings)
    calls = open_calls(club) if any(DEVICE in _ways(settings, wish) for wish in wishes.values()) else []
    for name, wish in wishes.items():
        if ways := _ways(settings, wish):
            facts = _facts_for(club, [*agendas, *(calls if DEVICE in ways else ())], name, wish)
            yield from _wake(club, settings, readers[name], name, facts, ways)
    if settings.webhook:
        yield from _wake(club, settings, CLUB, CLUB, _facts_of_club(club, agendas), (FACTS,))
    push_key(club)  # whoever runs the club hears what is wrong with it


def push_key(club: Club) -> str:
    """Return the public key by which a club wakes players' devices; "" if the club wakes none.

    Raises:
        ConfigError: a setting of the notifier is not valid, or its key cannot be read.
    """
    settings = read_notify(club.settings, club.path)
    return read_public_key(settings.folder) if settings is not None and settings.contact else ""


def _ways(settings: NotifySettings, wish: Wishes) -> tuple[str, ...]:
    """Return the means to call a person: a webhook, which tells facts, or a device, which tells nothing."""
    ways = ((FACTS, wish.webhook), (DEVICE, wish.push if settings.contact else ""))
    return tuple(way for way, address in ways if address)


def _write_addresses(club: Club, settings: NotifySettings) -> dict[str, str]:
    """Write the table of all addresses for the notifier; return the number by which it knows each person."""
    wishes = all_wishes(club.store)
    readers = {name.removeprefix(READER): number for name, number in club.store.notes(READER).items()}
    known = [(number, wishes[name]) for name, number in readers.items() if name in wishes]
    webhooks = {number: wish.webhook for number, wish in known if wish.webhook}
    devices = {number: wish.push for number, wish in known if DEVICE in _ways(settings, wish)}
    own = {CLUB: settings.webhook} if settings.webhook else {}
    write_table(settings.folder, Table(webhooks | own, devices, settings.contact))
    return readers


def _drop_gone(club: Club, settings: NotifySettings, agendas: list[Agenda]) -> Iterator[str]:
    """Drop addresses of devices that push services refuse, and tell their players; yield a line on each."""
    if not (refused := read_refused(settings.folder)):
        return
    now = utc_text(club.clock())
    for name, wish in all_wishes(club.store).items():
        if not wish.push or address_hash(wish.push) not in refused:
            continue
        game = next((one.game for one in agendas if name in one.seated_people and not one.over), "")
        host = urlsplit(wish.push).hostname
        text = f"Your device is woken no more: {host} takes no wakes for it. Switch it on again in the page."
        if is_silent := not (wish.wants_mails or wish.webhook):
            text += " Until then mails come to you again, as you have signed for each kind."
        with club.store.step():
            keep_wishes(club.store, name, push=NOBODY, mails=YES if is_silent else "")
            if game:
                file = f"{game}-device-{now.translate(_PLAIN)}.txt"
                club.store.add_letter(game, name, file, b"", text=f"{text}\n")
        yield f"the device of reader {club.store.note(f'{READER}{name}')} is gone; its address is dropped"


class _Subject(NamedTuple):
    """The game and exchange, or the league and round, that a fact is about, as a wake names them."""

    game: str = ""
    exchange: int = 0
    league: str = ""
    round: int = 0
    deadline: str = ""


@dataclass(frozen=True, slots=True)
class _Facts:
    """The public facts for one reader: those that hold, and those to tell now."""

    present: tuple[str, ...]
    """The facts that still hold, `<about> <game> <exchange>`; no others need to be remembered."""
    fresh: tuple[tuple[str, _Subject], ...]
    past: tuple[str, ...] = ()
    """The facts that hold and are noted as told, without a wake."""
    heads: Mapping[str, str] = field(default_factory=dict)
    """The heads of the leagues' ledgers that tell these facts, by league."""


def _facts_for(club: Club, agendas: list[Agenda], person: str, wishes: Wishes) -> _Facts:
    """Return the open exchanges that wait for a person, and those of which the person is to be told now."""
    told, last, _ = _told(club, person)
    awaited = [one for one in agendas if one.waits_for_orders_of(person)]
    opened = {f"{OPEN} {one.game} {one.exchange}": one for one in awaited}
    near = {
        f"{REMINDER} {one.game} {one.exchange}": one
        for one in awaited
        if club.store.note(f"reminded {one.game}") == str(one.exchange)
    }
    if wishes.pace(REMINDERS) == NONE:
        near = {}
    fresh: list[tuple[str, Agenda]] = []
    for kind in (GAME, LEAGUE):
        of_kind = {fact: one for fact, one in opened.items() if one.is_league == (kind == LEAGUE)}
        new = [(fact, one) for fact, one in of_kind.items() if fact not in told]
        pace = wishes.pace(kind)
        is_held = pace == NONE or (pace == ONCE and len(new) < len(of_kind))
        begun = min((one.opened for _, one in new), default="")
        if pace == DIGEST and (since := max(last, begun)):
            is_held = club.clock() < digest_after(club.store, person, wishes, parse_utc(since))
        fresh += [] if is_held else new[:1] if pace == ONCE else new
    fresh += [(fact, one) for fact, one in near.items() if fact not in told]
    return _Facts((*opened, *near), tuple((fact, _subject(one)) for fact, one in fresh))


def _facts_of_club(club: Club, agendas: list[Agenda]) -> _Facts:
    """Return the facts that everybody may know of all games and leagues.

    What is past when a club gets a webhook, or a league is first read, is noted without a wake.
    """
    told, _, heads = _told(club, CLUB)
    facts = {
        f"{OVER if one.over else OPEN} {one.game} {one.exchange}": _subject(one)
        for one in agendas
        if one.over or one.is_open
    }
    past = () if club.store.note(f"{TOLD}{CLUB}") else [fact for fact in facts if fact.startswith(f"{OVER} ")]
    known = dict(heads)
    for row in club.store.leagues():
        name, head = row.name.removeprefix("league."), club.store.league_head(row.name)
        found = None if heads.get(name) == head else _facts_of_league(club, row.name)
        if found is None:
            facts |= {fact: _Subject() for fact in told if _is_about(fact, name)}
            continue
        facts |= found
        known[name] = head
        if name not in heads:
            past = [*past, *(fact for fact in found if fact.startswith((f"{RESULTS} ", f"{FINISHED} ")))]
    fresh = tuple((fact, one) for fact, one in facts.items() if fact not in told and fact not in past)
    return _Facts(tuple(facts), fresh, tuple(past), known)


def _facts_of_league(club: Club, ledger: str) -> dict[str, _Subject] | None:
    """Return the facts of one league, which name no player; None if its ledger cannot be read."""
    name = ledger.removeprefix("league.")
    try:
        return {
            f"{one.about} {name} {one.key}": _Subject(league=name, round=one.round, deadline=one.until)
            for one in headlines_of(club, ledger)
        }
    except PbemError:  # what stops a league is told by those who run it
        return None


def _subject(agenda: Agenda) -> _Subject:
    return _Subject(agenda.game, agenda.exchange, deadline="" if agenda.over else agenda.deadline)


def _is_about(fact: str, league: str) -> bool:
    about, _, rest = fact.partition(" ")
    return about in OF_LEAGUES and rest.partition(" ")[0] == league


def _wakes(
    club: Club, reader: str, facts: _Facts, ways: tuple[str, ...], now: str
) -> Iterator[tuple[str, Wake]]:
    """Yield the wakes for a reader, with their content: every fact for a webhook, nothing for a device."""
    for fact, subject in facts.fresh if FACTS in ways else ():
        if subject.game.startswith(LEDGER):
            continue  # a player's webhook hears of games
        about = fact.partition(" ")[0]
        yield fact, Wake(reader=reader, club=club.name, about=about, at=now, **subject._asdict())
    if facts.fresh and DEVICE in ways:
        yield DEVICE, Wake(reader=reader, about=DEVICE, at=now)


def _wake(
    club: Club, settings: NotifySettings, reader: str, person: str, facts: _Facts, ways: tuple[str, ...]
) -> Iterator[str]:
    """Write the wakes for one reader, then note it, so that a crash repeats them; yield a line on each."""
    told, last, _ = _told(club, person)
    now = utc_text(club.clock())
    for what, wake in _wakes(club, reader, facts, ways, now):
        if not put_wake(settings.folder, wake):
            yield "the notifier's folder is full; is 'pbem notify' running?"
            break
        yield f"reader {reader} is woken: {what}"
    new = [fact for fact, _ in facts.fresh]
    kept = sorted({fact for fact in told if fact in facts.present} | {*new, *facts.past})
    note = json.dumps({"facts": kept, "last": now if new else last, "heads": dict(facts.heads)})
    if club.store.note(f"{TOLD}{person}") != note:
        with club.store.step():
            club.store.put_note(f"{TOLD}{person}", note)


def _told(club: Club, person: str) -> tuple[set[str], str, dict[str, str]]:
    """Return the facts of which a person was told, the time of the last wake or "", and leagues' heads."""
    note = club.store.note(f"{TOLD}{person}")
    kept: dict[str, Any] = json.loads(note) if note else {"facts": [], "last": ""}
    return set(kept["facts"]), kept["last"], kept.get("heads", {})


def _number(club: Club, person: str) -> str:
    """Return the number by which the notifier knows a person; a number is given only once."""
    if number := club.store.note(f"{READER}{person}"):
        return number
    number = str(int(club.store.note(LAST_NUMBER) or 0) + 1)
    with club.store.step():
        club.store.put_note(f"{READER}{person}", number)
        club.store.put_note(LAST_NUMBER, number)
    return number


def forget_wakes(club: Club, person: str) -> None:
    """Delete what is stored about a person's wakes, and their address from the notifier's table.

    Wakes that still wait for them reach nobody, since the table does not name their number any more.
    """
    for start in (READER, TOLD):
        club.store.drop_note(f"{start}{person}")
    if (settings := read_notify(club.settings, club.path)) is not None:
        with contextlib.suppress(OSError):  # the next pass writes it
            _write_addresses(club, settings)
