"""The counter in a club's mailbox: its content, and what follows if another copy of the folder wrote it.

pbem.mail.club_mailbox writes and reads it; see folder_identity for what it is good for.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from pbem.judge.club import Club
from pbem.judge.intake.quarantine import kept_for
from pbem.judge.tables.note_tables import CONFIRMED, CONTRADICTED, REBUILT, RESTORED
from pbem.judge.tables.store import Store
from pbem.judge.upkeep.folder_identity import COUNTED, OWN, TAKES_OVER, Elsewhere
from pbem.trust.times import utc_text

TURN, NUMBER = "identity turn", "identity number"
WRITING = "identity writing"
"""Name of the note that holds the mailbox counter's next content, made before that is written."""
_HEAD = 16


class End(NamedTuple):
    """The end of a ledger: its size and head, and the size and head that were signed last."""

    size: int
    head: str
    """The beginning of the ledger's head."""
    signed: int
    signed_head: str


_NOTHING = End(0, "", 0, "")


class Counter(NamedTuple):
    """The content of the counter in a club's mailbox, by which copies of the folder find each other."""

    identity: str
    turn: int
    """Number of times that a copy of the club's folder was made the working folder."""
    number: int
    at: str
    ledgers: dict[str, list[Any]]
    """The `End` of each ledger, by its name."""


def counter_of(club: Club) -> Counter:
    """Return the content that this folder must write into the mailbox's counter now."""
    store = club.store
    ends = {name: list(end) for name, end in ends_of(store).items()}
    number, turn = int(store.note(NUMBER) or 0), int(store.note(TURN) or 0)
    return Counter(_own(store), turn, number, utc_text(club.clock()), ends)


def ends_of(store: Store) -> dict[str, End]:
    """Return the end of each ledger of the club, by name."""
    signed = store.signed_ends()
    heads = store.heads() | {row.name: store.league_end(row.name) for row in store.leagues()}
    return {
        name: End(size, head[:_HEAD], *((of := signed.get(name, (0, "")))[0], of[1][:_HEAD]))
        for name, (size, head) in heads.items()
    }


def _own(store: Store) -> str:
    return store.note(OWN).partition(" ")[0]


def check_counter(club: Club, found: Counter | None, *, is_afar: bool) -> None:
    """Raise an error if the counter shows another copy at work; stop games that lack entries here.

    `is_afar`: the counter lies on another machine, so it is not as old as a backup that was brought back;
    then it confirms the games that stand here as it says.

    Raises:
        Elsewhere: another copy of the club's folder is at work.
    """
    store = club.store
    turn, number = int(store.note(TURN) or 0), int(store.note(NUMBER) or 0)
    if found is None:
        return
    if not store.note(TAKES_OVER) and found.turn >= turn:
        if found.identity != _own(store):
            raise Elsewhere(
                f"another folder of this club has signed at {found.at}, and goes on in this one's place: put "
                f"{store.path.parent} away. If it is this one that should go on, stop the other first; "
                "then: pbem club take-over"
            )
        if store.note(WRITING) == _counter_text(found):  # it was killed between writing it and noting so
            remember_counted(store, found)
        elif found.number > number:
            raise Elsewhere(
                f"{store.path.parent} was set back, or is a copy of a whole disk: more was signed, at "
                f"{found.at}. Restore the last backup, with its journal; or stop the other folder, then: "
                "pbem club take-over"
            )
        return
    with store.step():
        ends = {name: End(*end) for name, end in found.ledgers.items()}
        settle(club, ends, "the counter in the mailbox", is_newest=is_afar and found.number >= number)
        store.put_note(TURN, str(max(turn, found.turn + 1)))
        store.put_note(NUMBER, str(max(number, found.number)))
        store.put_note(TAKES_OVER, "")


def settle(club: Club, known: Mapping[str, End], where: str, *, is_newest: bool) -> None:
    """Stop, in a transaction, each ledger of which a signed head is known that this folder lacks.

    `is_newest`: nothing has left that is not in what is `known`, so what is here as a whole goes on. Where
    entries are missing that no signed head covers, such as orders with a receipt, somebody must look.
    """
    store, own = club.store, ends_of(club.store)
    lost = {}
    for name, end in known.items():
        if _head_at(store, name, end.signed) != end.signed_head:
            here = own[name].size if name in own else 0
            said = f"{where} shows that a head of {end.signed} entries of {name} was signed"
            lost[name] = f"{said}; {here} are here, or others: what is missing is lost"
    hold(club, lost)
    for name in own if is_newest else ():
        end = known.get(name, _NOTHING)
        if name in lost:
            continue
        if end.signed == own[name].signed:  # the highest head that was sent; a file may still be missing
            store.drop_note(f"{REBUILT}{name}")
        if _head_at(store, name, end.size) == end.head:
            confirm_as_it_stands(club, name)


def _head_at(store: Store, name: str, size: int) -> str:
    if size == 0:
        return ""
    rows = store.league_entries(name) if store.league(name) else store.entries(name, size - 1)
    return next((row.head[:_HEAD] for row in rows if row.number == size), "-")


def confirm_as_it_stands(club: Club, name: str) -> None:
    """Let a restored ledger go on, in a transaction, since this folder has all of it that was ever signed."""
    restored = club.store.note(RESTORED)
    club.store.drop_note(f"{REBUILT}{name}")
    if restored and club.store.note(f"{CONFIRMED}{name}") != restored:
        club.store.put_note(f"{CONFIRMED}{name}", restored)
        club.store.look_again(kept_for(name))


def hold(club: Club, lost: dict[str, str]) -> None:
    """Stop these ledgers, in a transaction, for the reasons in `lost` (name -> words)."""
    if not lost:
        return
    store = club.store
    if not store.note(RESTORED):
        store.put_note(RESTORED, utc_text(club.clock()))
        for name in (*store.games(), *(row.name for row in store.leagues())):
            store.put_note(f"{CONFIRMED}{name}", store.note(RESTORED))
    for name, said in lost.items():
        store.put_note(f"{CONFIRMED}{name}", "")
        store.put_note(f"{CONTRADICTED}{name}", said)


def begin_counting(store: Store, counter: Counter) -> None:
    """Note the content that is about to be written to the mailbox's counter, to recognise it later."""
    with store.step():
        store.put_note(WRITING, _counter_text(counter))


def _counter_text(counter: Counter) -> str:
    return f"{counter.number} {_signed_counter(counter)}"


def remember_counted(store: Store, counter: Counter) -> None:
    """Note that the mailbox's counter was written with this content."""
    with store.step():
        store.put_note(NUMBER, str(counter.number))
        store.put_note(COUNTED, _signed_counter(counter))


def is_counted(store: Store, counter: Counter) -> bool:
    """Tell whether the mailbox's counter has this content already."""
    return store.note(COUNTED) == _signed_counter(counter)


def _signed_counter(counter: Counter) -> str:
    told = json.dumps([counter.identity, counter.turn, counter.ledgers], sort_keys=True)
    return hashlib.sha256(told.encode()).hexdigest()
