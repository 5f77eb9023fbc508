"""The quarantine of files, mails, games, leagues or steps in which something unforeseen went wrong.

Such a thing harms itself alone. A note in the database says since when it is there, how often it was tried,
when it is tried again and what was wrong; status, doctor and the watch read it. It is tried again with
growing pauses, or at once with `pbem club apart NAME --again`; a file or mail can be dropped. A full disk is
no fault of one of them, and stops a pass as before.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple

from pbem.characters import split_words
from pbem.errors import ConfigError, PbemError
from pbem.trust.times import is_over, parse_utc, utc_text

if TYPE_CHECKING:
    from pbem.judge.club import Club

NOTE = "apart "
"""Prefix of the name of the note about one thing in quarantine: `apart KIND NAME`."""
FILE, MAIL, GAME, CLOCK, LEAGUE, STEP = "file", "mail", "game", "clock", "league", "step"
"""Kinds of things that can be set apart.

FILE is a stored mail or file, named by its number; MAIL is one that the mailbox does not give, named by its
location; CLOCK is about a game's deadlines.
"""
PAUSES = (timedelta(minutes=10), timedelta(hours=1), timedelta(hours=6), timedelta(days=1))
"""Pauses before the next try of a thing in quarantine: after its first try, its second, and so on; the
last pause is used from then on."""


class Apart(NamedTuple):
    """One thing in quarantine: its fault, since when it is there, and how often it was tried."""

    kind: str
    name: str
    since: str
    tries: int
    retry: str
    """The time of the next try to handle the thing."""
    why: str

    @property
    def text(self) -> str:
        """The explanation of the fault for the game master, with what to do about it."""
        drop = ", or give it up with --drop" if self.kind in (FILE, MAIL) else ""
        if self.kind == MAIL and self.tries >= 3:
            drop += "; games no longer wait for it"
        return (
            f"{self.kind} {self.name} is set apart since {self.since}: {self.why}; it is tried again at "
            f"{self.retry}, or with 'pbem club apart {self.name} --again'{drop}"
        )

    def is_due(self, club: Club) -> bool:
        """Tell whether the pause before the next try of the thing is over."""
        return is_over(parse_utc(self.retry), club.clock(), PAUSES[-1])


def all_apart(club: Club) -> list[Apart]:
    """Return all things that are in quarantine."""
    return [_read(name, value) for name, value in club.store.notes(NOTE).items() if value]


def find(club: Club, name: str) -> Apart:
    """Return the thing in quarantine under a name. Raises ConfigError if there is none."""
    for one in all_apart(club):
        if one.name == name:
            return one
    known = ", ".join(one.name for one in all_apart(club)) or "nothing"
    raise ConfigError(f"nothing called {name} is set apart; there is {known}")


def is_apart(club: Club, kind: str, name: object) -> bool:
    """Tell whether the thing of this kind and name is in quarantine."""
    return bool(club.store.note(f"{NOTE}{kind} {name}"))


def is_paused(club: Club, kind: str, name: object) -> bool:
    """Tell whether the thing of this kind and name is in quarantine and its next try is not due."""
    note = club.store.note(f"{NOTE}{kind} {name}")
    return bool(note) and not _read(f"{NOTE}{kind} {name}", note).is_due(club)


def set_apart(club: Club, kind: str, name: object, problem: Exception | str) -> Apart:
    """Put a thing into quarantine; if it is there already, count one more try to process the thing."""
    now = club.clock()
    before = club.store.note(f"{NOTE}{kind} {name}")
    since, tries = utc_text(now), 0
    if before:
        since, tries = _read(f"{NOTE}{kind} {name}", before)[2:4]
    retry = utc_text(now + PAUSES[min(tries, len(PAUSES) - 1)])
    found = Apart(kind, str(name), since, tries + 1, retry, in_words(problem))
    with club.store.step():
        club.store.put_note(f"{NOTE}{kind} {name}", f"{since} {tries + 1} {retry} {found.why}")
    return found


def put_back(club: Club, kind: str, name: object) -> None:
    """Take a thing out of quarantine, because it was handled without an error, or given up."""
    if is_apart(club, kind, name):
        with club.store.step():
            club.store.drop_note(f"{NOTE}{kind} {name}")


@contextmanager
def by_itself(club: Club, kind: str, name: object) -> Iterator[list[Apart]]:
    """Run an action on a thing; an error puts it in quarantine and is returned, success takes it out.

    Raises:
        ConfigError: the club's set-up or its disk is at fault, not the thing.
    """
    wrong: list[Apart] = []
    try:
        yield wrong
    except ConfigError:
        raise
    except Exception as problem:  # noqa: BLE001 - one bad item harms itself alone
        wrong.append(set_apart(club, kind, name, problem))
    else:
        put_back(club, kind, name)


def try_again(club: Club, one: Apart) -> None:
    """Let the next pass try a thing in quarantine again."""
    with club.store.step():
        club.store.put_note(f"{NOTE}{one.kind} {one.name}", f"{one.since} {one.tries} {one.since} {one.why}")


def drop(club: Club, one: Apart) -> None:
    """Give up a file or mail in quarantine, which is kept and not looked at again.

    Raises:
        ConfigError: a game or league cannot be dropped.
    """
    if one.kind == MAIL:
        with club.store.step():
            club.store.leave_alone(utc_text(club.clock()), one.name)
    elif one.kind != FILE:
        raise ConfigError(f"a {one.kind} cannot be dropped; try it again with --again")
    put_back(club, one.kind, one.name)


def wake_files(club: Club) -> None:
    """Mark the files and mails in quarantine whose pause is over as to be handled again."""
    for one in all_apart(club):
        if one.kind == FILE and one.is_due(club):
            with club.store.step():
                club.store.look_at(int(one.name))


def in_words(problem: Exception | str) -> str:
    """Return the text of an error as one line."""
    if isinstance(problem, str):
        return problem
    if isinstance(problem, PbemError):
        return " ".join(split_words(str(problem)))
    return " ".join(split_words(f"a fault in the program ({type(problem).__name__}: {problem})"))[:300]


def _read(name: str, value: str) -> Apart:
    kind, _, what = name.removeprefix(NOTE).partition(" ")
    since, tries, retry, why = value.split(" ", 3)
    parse_utc(retry)
    return Apart(kind, what, since, int(tries), retry, why)


def kept_for(game: str) -> str:
    """Return the answer to a file for a game that waits after a restore, by which the file is later found."""
    return (
        f"{game} was restored from a backup and waits for the game master; this file is kept, and counts "
        f"when the game goes on"
    )
