"""Mails that come back: which letter it was, and what its player's opponents are told after a while.

A report of a mail server names the Message-ID of the letter that it could not deliver. Anybody can write such
a report, so it changes nothing but that the letter is shown as trouble, until its player answers what came
after it or has another address.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import timedelta
from typing import NamedTuple

from pbem.judge.agenda import Agenda, Done
from pbem.judge.club import Club
from pbem.judge.rows import LetterRow
from pbem.mail.headers import OWN_IDS, OWN_MARKS
from pbem.rendering import render
from pbem.trust.times import parse_utc, utc_text

LATEST = timedelta(days=14)
"""A report counts for letters that left so lately."""
PATIENCE = timedelta(days=2)
"""After so long without a letter that arrives a player's opponents are told."""
MOST = 5
"""So many letters are looked for in one report."""
_ACTION = re.compile(rb"^Action:\s{0,8}([a-z]{1,20})", re.IGNORECASE | re.MULTILINE)
_RECIPIENT = re.compile(
    rb"^(?:Original|Final)-Recipient:\s{0,8}rfc822;\s{0,8}<?([^\s<>]{3,320})>?", re.IGNORECASE | re.MULTILINE
)
_STATUS = re.compile(rb"^Status:\s{0,8}([245]\.\d{1,3}\.\d{1,3})", re.IGNORECASE | re.MULTILINE)


def take_bounce(club: Club, raw: bytes, domain: str, archive: str = "") -> list[str]:
    """Note that letters of ours came back; one line for each. `archive`: where copies of them go."""
    reports = list(_reports(raw))
    of_players = [one for one in reports if not archive or one.recipient != archive.lower()]
    if reports and not of_players:
        return [f"the copies for {archive} come back"] if any(one.failed for one in reports) else []
    done = []
    for letter in _letters(club, raw, domain):
        enrolled = club.store.player(letter.player)
        address = letter.address or (enrolled.address if enrolled else "")
        own = [one for one in of_players if one.recipient == address.lower()] or of_players
        failed = [one for one in own if one.failed]
        if own and not failed:
            continue  # delayed, relayed, delivered
        code = failed[0].status if failed else "no reason given"
        club.store.mark_trouble(letter.id, f"a mail server returned it ({code})", utc_text(club.clock()))
        done.append(f"{letter.name} to {letter.player} came back ({code})")
    return done


class _Report(NamedTuple):
    """What a report of a mail server says of one recipient."""

    recipient: str
    failed: bool
    status: str


def _reports(raw: bytes) -> Iterator[_Report]:
    """What is said of each recipient: the fields of a delivery report come in blocks (RFC 3464)."""
    for block in re.split(rb"\r?\n[ \t]*\r?\n", raw):
        if (action := _ACTION.search(block)) is None:
            continue
        recipient, status = _RECIPIENT.search(block), _STATUS.search(block)
        yield _Report(
            recipient[1].decode("ascii", "replace").lower() if recipient else "",
            action[1].lower() == b"failed",
            status[1].decode() if status else "no reason given",
        )


def _letters(club: Club, raw: bytes, domain: str) -> Iterator[LetterRow]:
    """The letters that a report names and that left lately."""
    own = re.compile(rf"<{re.escape(OWN_IDS)}([a-z0-9._-]{{1,200}})@{re.escape(domain)}>", re.IGNORECASE)
    since = utc_text(club.clock() - LATEST)
    stems = list(dict.fromkeys(match[1] for match in own.finditer(raw.decode("latin-1"))))[:MOST]
    for stem in stems:
        for game, player, name in _readings(OWN_MARKS.sub("", stem)):
            for letter in club.store.letters_to(game, player):
                if letter.name == f"{name}.txt" and letter.sent >= since and not letter.failed:
                    yield letter


def _readings(stem: str) -> Iterator[tuple[str, str, str]]:
    """Game, player and name in an id, wherever its dots may stand for an end."""
    parts = stem.split(".")
    for first in range(1, len(parts) - 1):
        game = ".".join(parts[:first])
        for second in range(first + 1, len(parts)):
            name = ".".join(parts[second:])
            if name.startswith(f"{game}-"):
                yield game, ".".join(parts[first:second]), name


def tell_opponents(club: Club, agendas: Iterable[Agenda]) -> Iterator[Done]:
    """Tell the other players, once for each exchange, that a player's letters do not arrive."""
    before = utc_text(club.clock() - PATIENCE)
    failed: dict[tuple[str, str], str] = {}
    for letter in club.store.letters_in_trouble():
        if letter.failed and letter.game:
            failed.setdefault((letter.game, letter.player), letter.failed)
    if not failed:
        return
    for agenda in agendas:
        for player in agenda.waiting:
            since = failed.get((agenda.game, agenda.person(player)), "")
            if since and since <= before and not agenda.closed:
                yield from _tell(club, agenda, player, since)


def _tell(club: Club, agenda: Agenda, player: str, since: str) -> Iterator[Done]:
    rhythm = club.rhythm(agenda.game)
    text = render(
        "mail/unreached.txt.j2",
        game=agenda.game,
        player=player,
        exchange=agenda.exchange,
        since=parse_utc(since),
        deadline=agenda.deadline,
        silent=rhythm.silent_exchanges,
    )
    name = f"{agenda.game}-{agenda.exchange:04d}-unreached-{player}.txt"
    others = [one for one in agenda.players if one != player]
    if club.store.letter_text(agenda.game, agenda.person(others[0]), name):
        return
    with club.store.step():
        for other in others:
            club.store.add_letter(agenda.game, agenda.person(other), name, b"", text=text)
    yield Done(agenda.game, f"the letters to {player} do not arrive, and the opponents are told so")
