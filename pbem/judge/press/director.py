"""The director's acts on press: to send its rules, read messages, write, and close the press of a game."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from pbem.characters import plain, split_lines
from pbem.errors import ConfigError, LedgerError
from pbem.judge.acts import reason_of
from pbem.judge.agenda import Agenda, Done, read_agendas
from pbem.judge.club import Club
from pbem.judge.letters.letters_out import notify
from pbem.judge.press.desk import LEAGUE, PressPlace, press_place, press_settings, put_letter, send_paper
from pbem.judge.tables.note_tables import FOR_GM
from pbem.trust.press import (
    ALL,
    GM,
    NONE,
    WHITE,
    PressPaper,
    PressReceipt,
    PressShown,
    PressTerms,
    check_readers,
    check_text,
    closing_entry,
    content_hash,
    read_paper,
    reason_closed,
    show_paper,
    sign_receipt,
    sign_terms,
)
from pbem.trust.signature import parse, split
from pbem.trust.times import utc_text

CLUB = "club"
"""Word used for the game's name in an announcement to everybody in the club."""
TERMS = "press terms "
"""Prefix of the note that says which rules of press were sent to the seats of a game."""


@dataclass(frozen=True, slots=True)
class ToDirector:
    """A message that was sent to the director."""

    shown: PressShown
    reported: PressShown | None
    """The message that this message reports, with all signatures checked; None if it reports none."""
    is_new: bool

    @property
    def in_words(self) -> str:
        """The message to the director as text, with any message that it reports."""
        text = _in_words(self.shown)
        if self.reported is not None:
            told = _in_words(self.reported).replace("\n", "\n    ").rstrip(" ")
            text += f"    it reports this, which the judge has passed on:\n    {told}"
        return text


def _in_words(shown: PressShown) -> str:
    receipt = shown.receipt
    key = f", signed with {shown.signer.fingerprint}" if shown.signer else ""
    head = f"{utc_text(receipt.at)}, {receipt.game}: {receipt.writer} to {', '.join(receipt.to)}{key}"
    lines = [f"    {line}".rstrip(" ") for line in split_lines(shown.text)]
    return "\n".join([f"{head}: {shown.subject}" if shown.subject else head, *lines, ""])


def send_terms(club: Club, agendas: Iterable[Agenda]) -> Iterator[Done]:
    """Send each seat its game's rules of press: once, and if they or its key change; yield a line on each."""
    told = club.store.notes(TERMS)
    if "press" not in club.settings and not told:
        return
    heads = {name: head for name, (_, head) in club.store.heads().items()}
    names = [agenda.game for agenda in agendas if not agenda.over and not agenda.trouble]
    for row in club.store.leagues():
        names.append(row.name)
        heads[row.name] = row.head
    for name in names:
        kind = press_settings(club, name).kind
        note = told.get(f"{TERMS}{name}", "")
        kept: dict[str, Any] = json.loads(note) if note else {"kind": NONE, "head": "", "keys": {}}
        if (kept["kind"], kept["head"]) == (kind, heads.get(name, "")) or kind == kept["kind"] == NONE:
            continue
        place = press_place(club, name)
        present = {seat: reader.key.fingerprint for seat, reader in place.seats.items()}
        with club.store.step():
            changed = kind != kept["kind"]
            signed = sign_terms(PressTerms(game=name, kind=kind, made=club.clock()), club.key)
            for seat, reader in place.seats.items():
                if changed or kept["keys"].get(seat) != present[seat]:
                    put_letter(club, name, reader, [signed])
            now_told = {"kind": kind, "head": heads.get(name, ""), "keys": present}
            club.store.put_note(f"{TERMS}{name}", json.dumps(now_told))
        if changed:
            yield Done(name, f"its players are told that its press is {kind}")


def close_press(club: Club, game: str, reason: str) -> str:
    """Close the press of a game for good, by an entry that all players see; return a line about it.

    Raises:
        ConfigError: the press is closed already, or the game is over.
    """
    with club.store.step():
        book = club.book(game)
        current = book.history.current
        if current is None:
            raise ConfigError(f'{game} is over; set kind = "none" for it in club.toml, under [press]')
        if reason_closed(book.entries):
            raise ConfigError(f"the press of {game} is closed already")
        why = reason_of(reason)
        book.append(closing_entry(current.number, book.time(club.clock()), why))
        text = f"The director has closed the press of {game}.\nReason: {why}\n"
        notify(club.store, book, club.key, text)
    return f"{game}: its press is closed"


def read_for_director(club: Club, game: str = "") -> tuple[ToDirector, ...]:
    """Return the messages to the director from one game or all, and note that they were read."""
    found = []
    notes = club.store.notes(FOR_GM)
    order = sorted(notes, key=lambda name: name.split(" ")[4:])
    for name in order:
        state, place = name.removeprefix(FOR_GM).split(" ")[:2]
        if game and place != game:
            continue
        shown = _read_paper(club, base64.b64decode(notes[name]))
        about = shown.message.about if shown.message else b""
        found.append(ToDirector(shown, _read_paper(club, about) if about else None, state == "new"))
        if state == "new":
            with club.store.step():
                club.store.drop_note(name)
                club.store.put_note(name.replace(f"{FOR_GM}new ", f"{FOR_GM}old ", 1), notes[name])
    return tuple(found)


def unread_by_director(club: Club) -> dict[str, str]:
    """Return, by game, alerts about messages to the director that were not read yet."""
    names = club.store.notes(f"{FOR_GM}new ")
    games = sorted({name.removeprefix(FOR_GM).split(" ")[1] for name in names})
    how = "has written to you; to read it: pbem press"
    return {f"press {game}": f"a player of {game} {how} {game} --club {club.path}" for game in games}


def _read_paper(club: Club, data: bytes) -> PressShown:
    paper = read_paper(data)
    signer = parse(split(paper.receipt).armor).key.fingerprint
    return show_paper(paper, club.judge_key(signer))


def write_as_director(club: Club, goal: str, to: tuple[str, ...], subject: str, text: str) -> str:
    """Send the director's words to readers in a game or league, or to the club; return a line about it.

    Raises:
        PbemError: the text cannot be sent, or a reader in `to` does not belong to the game or league.
    """
    told = "".join(f"{plain(line).rstrip(' ')}\n" for line in split_lines(text))
    check_text(subject, told)
    check_readers(to)
    if goal == CLUB:
        return _to_club(club, subject, told)
    name = goal if goal in club.store.games() else f"{LEAGUE}{goal.removeprefix(LEAGUE)}"
    place = press_place(club, name if name in _leagues(club) else goal)
    readers = place.readers(to)
    if not readers:
        raise ConfigError(f"name players of {goal}, a side, or {ALL}")
    with club.store.step():
        for seat in readers:
            send_paper(club, place, seat, readers[seat], _own_paper(club, place, to, subject, told))
    return f"{goal}: it goes to {', '.join(readers)}"


def _to_club(club: Club, subject: str, text: str) -> str:
    """Write to each person in the club once, in the first of their games or leagues; return a line on it."""
    names = [one.game for one in read_agendas(club).values() if not one.over and not one.trouble]
    reached: set[str] = set()
    with club.store.step():
        for name in (*sorted(names), *_leagues(club)):
            try:
                place = press_place(club, name)
            except LedgerError:
                continue  # a league that is stopped; its director knows
            paper = _own_paper(club, place, (ALL,), subject, text)
            for seat, reader in place.seats.items():
                if reader.person not in reached:
                    reached.add(reader.person)
                    send_paper(club, place, seat, reader, paper)
    missed = sorted({row.name for row in club.store.players()} - reached)
    rest = f"; not to {', '.join(missed)}, who are in no game or league" if missed else ""
    return f"it goes to {', '.join(sorted(reached)) or 'nobody'}{rest}"


def _leagues(club: Club) -> list[str]:
    return [row.name for row in club.store.leagues()]


def _own_paper(club: Club, place: PressPlace, to: tuple[str, ...], subject: str, text: str) -> PressPaper:
    receipt = PressReceipt(
        game=place.name,
        writer=GM,
        kind=WHITE,
        to=to,
        content=content_hash(subject, text),
        at=club.clock().replace(microsecond=0),
    )
    return PressPaper(receipt=sign_receipt(receipt, club.key), subject=subject, text=text)
