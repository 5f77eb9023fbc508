"""The mails that wait for an answer of the director, whether they were passed on to them or not.

The director answers from their own mail program, which the judge does not see. So a mail waits until they
say that it is answered (`pbem club status --answered NUMBER`). `--read NUMBER` shows what it says.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING

from pbem.characters import lower
from pbem.errors import ConfigError

if TYPE_CHECKING:
    from pbem.judge.club import Club

NOTE = "question "
"""Prefix of the note of a mail that waits for an answer: `question NUMBER`."""
MAX_QUESTIONS = 20
"""Maximum number of waiting mails that are listed one by one."""
_DIGITS = 6
"""Number of digits of a mail's number in the name of its note, so that notes stand in their order."""
_SUBJECT = 60
"""Maximum number of characters of a mail's subject that are shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenQuestion:
    """One mail that waits for an answer of the director."""

    at: str
    sender: str
    players: list[str]
    """The players who are enrolled with the sender's address."""
    games: list[str]
    subject: str = ""
    """The subject of the mail; "" if the director may not read it, because they play against the sender."""
    limit: bool = False
    """Whether the judge held the mail back, for its sender had reached the limit of mails to the director."""
    more: int = 0
    """The number of further mails from the same sender on the same day that the limit has kept back."""
    last: str = ""
    """The subject of the last of these further mails, which may be more urgent than the first."""

    @property
    def text(self) -> str:
        """The mail described in one line for the director."""
        who = f"({', in '.join(filter(None, (' and '.join(self.players), ', '.join(self.games))))})"
        whose = f"{self.sender} {who}" if self.players else f"{self.sender}, who is not enrolled,"
        subject = f" '{self.subject[:_SUBJECT]}'" if self.subject else ""
        what = f"a mail of {whose}{subject} of {self.at}"
        if not self.limit:
            return f"{what} waits for your answer"
        last = f" (the last: '{self.last[:_SUBJECT]}')" if self.last else ""
        more = f", and {self.more} more that day{last}" if self.more else ""
        return f"{what}{more} was not passed on, because so many came; it is in the mailbox"


def keep_question(club: Club, number: int, question: OpenQuestion) -> None:
    """Note that a mail waits for an answer of the director, within a transaction.

    Mails that a limit has kept back are one for each sender and day.
    """
    if question.limit:
        for name, one in open_questions(club).items():
            if one.limit and one.sender == question.sender and one.at[:10] == question.at[:10]:
                _put(club, name, replace(one, more=one.more + 1, last=question.subject))
                return
    _put(club, number, question)


def open_questions(club: Club) -> dict[int, OpenQuestion]:
    """Return the mails that wait for an answer of the director, by number, the oldest first."""
    return {
        int(name.removeprefix(NOTE)): OpenQuestion(**json.loads(note))
        for name, note in club.store.notes(NOTE).items()
    }


def waiting_questions(club: Club, until: str = "") -> list[str]:
    """Return a line on each mail that waits for the director's answer and came before `until`.

    There is a line for each of the first twenty, and one for all others.
    """
    found = [
        f"{one.text}; when you have answered it: pbem club status --answered {number}"
        for number, one in open_questions(club).items()
        if not until or one.at < until
    ]
    if len(found) > MAX_QUESTIONS:
        found[MAX_QUESTIONS:] = [f"and {len(found) - MAX_QUESTIONS} more mails that wait for your answer"]
    return found


def open_question(club: Club, number: int) -> OpenQuestion:
    """Return a mail that waits for an answer of the director.

    Raises:
        ConfigError: no such mail waits for an answer.
    """
    known = open_questions(club)
    if number not in known:
        there = ", ".join(map(str, known)) or "none"
        raise ConfigError(f"no mail {number} waits for an answer; there is {there}")
    return known[number]


def close_questions(club: Club, numbers: Sequence[int]) -> list[str]:
    """Note that the director has answered mails; return a line about each.

    Raises:
        ConfigError: one of them does not wait for an answer; the others go on waiting, too.
    """
    found = {number: open_question(club, number) for number in numbers}
    with club.store.step():
        for number in found:
            club.store.drop_note(_name(number))
    return [f"the mail of {one.sender} of {one.at} waits no more" for one in found.values()]


def forget_questions(club: Club, player: str, address: str) -> None:
    """Remove the notes of waiting mails from a player or their address, within a transaction."""
    for number, one in open_questions(club).items():
        if player in one.players or one.sender == lower(address):
            club.store.drop_note(_name(number))


def _put(club: Club, number: int, question: OpenQuestion) -> None:
    club.store.put_note(_name(number), json.dumps(asdict(question)))


def _name(number: int) -> str:
    return f"{NOTE}{number:0{_DIGITS}d}"
