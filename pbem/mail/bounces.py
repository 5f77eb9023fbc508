"""The handling of bounces: which letter came back, and what its player's opponents are told after a while.

A mail server that cannot deliver a letter returns it, or its head, with the Message-ID. That holds a mark
which only those know who have seen the letter, so a stranger who knows game and player cannot make up such
a report. Of whom it speaks is read by flufl.bounce, which knows how many kinds of servers say so: only what
it finds to have failed has failed. If the copy for the archive alone failed, the letter has arrived.
Vacation notes, read receipts and answers of ticket systems return nothing, even with an empty Return-Path.
The game master sees what a mail server says and nobody can read, complaints about spam, and reports that
belong to no letter. A letter that came back is trouble until its player answers what came after it or has
another address.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Iterable, Iterator
from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple

from pbem.judge.agenda import Agenda, Done
from pbem.judge.club import Club
from pbem.judge.tables.database import LetterRow
from pbem.mail.envelope import mark_of
from pbem.mail.headers import BOUNCE_SENDERS, OWN_IDS, OWN_MARKS, Head
from pbem.mail.mail_problems import LATEST, STRANGE
from pbem.rendering import render
from pbem.trust.times import parse_utc, utc_text

if TYPE_CHECKING:
    from email.message import Message

PATIENCE = timedelta(days=2)
"""Time without a letter that arrives after which a player's opponents are told."""
MAX_LETTERS_IN_REPORT = 10
"""Maximum number of letters that are looked for in one bounce report, more than leave in one mail."""
LARGEST = 300_000
"""Number of bytes that are read of a bounce report; what the report says stands at its beginning."""
_BASE64 = re.compile(rb"(?:^[A-Za-z0-9+/=]{4,100}\r?\n){1,4000}", re.MULTILINE)
_STATUS = re.compile(rb"\b([45]\.\d{1,3}\.\d{1,3})\b")
_COMPLAINT = "feedback-report"


class Failures(NamedTuple):
    """Recipients that a mail server reports as not reached: those it still tries, and those it gave up."""

    delayed: frozenset[str]
    failed: frozenset[str]


def take_bounce(club: Club, number: int, raw: bytes, head: Head, domain: str, archive: str = "") -> list[str]:
    """Note that letters came back; return a line for each. `archive` is the address of copies."""
    from email import message_from_bytes, policy  # a pass without mail reads none

    message = message_from_bytes(raw[:LARGEST], policy=policy.compat32)
    said = _read_failures(message)
    of_players = said.failed - {archive.lower()}
    if said.failed and not of_players:
        return [f"the copies for {archive} come back"]
    if not said.failed:
        return _told_else(club, number, head, message) if head.is_automatic and not said.delayed else []
    texts = list(_texts(raw[:LARGEST], message))
    letters = list(_letters(club, texts, domain))
    if not letters:
        return [_strange(club, number, head, of_players)]
    code = _code(message, of_players, texts)
    done = []
    for letter in letters:
        enrolled = club.store.player(letter.player)
        address = (letter.address or (enrolled.address if enrolled else "")).lower()
        if address in said.delayed and address not in of_players:
            continue
        club.store.mark_trouble(letter.id, f"a mail server returned it ({code})", utc_text(club.clock()))
        done.append(f"{letter.name} to {letter.player} came back ({code})")
    return done


def _told_else(club: Club, number: int, head: Head, message: Message) -> list[str]:
    """Note, for the game master, a report that may be a bounce and names no letter; return lines about it."""
    if _is_delivery_report(message):
        return []  # relayed, delivered
    if message.get_param("report-type") == _COMPLAINT or (
        BOUNCE_SENDERS.search(head.sender) and not message["Auto-Submitted"]
    ):
        return [_strange(club, number, head, frozenset())]
    return ["no letter came back: no report says that one failed"]


def _code(message: Message, failed: frozenset[str], texts: list[bytes]) -> str:
    """Return the status code of a failed recipient: from their block in the report, else the first in it."""
    for part in _statuses(message):
        for block in part.get_payload() if isinstance(part.get_payload(), list) else ():
            said = bytes(str(block), "utf-8", "replace")
            if any(one.encode() in said.lower() for one in failed) and (match := _STATUS.search(said)):
                return match[1].decode()
    return next((match[1].decode() for text in texts if (match := _STATUS.search(text))), "no reason given")


def _read_failures(message: Message) -> Failures:
    """Return each recipient's status in a report; nothing if the report is hostile or of an unknown kind."""
    from flufl.bounce import all_failures  # most passes read no report

    for reading in (message, *_decode_report(message)):
        try:
            found = all_failures(reading)
        except Exception:  # noqa: BLE001, S112 - whatever the library dies of, the mail is at fault
            continue
        delayed, failed = (
            frozenset(one.decode("utf-8", "replace").strip("<> ").lower() for one in addresses)
            for addresses in found
        )
        if delayed or failed:
            return Failures(delayed, failed)
    return Failures(frozenset(), frozenset())


def _decode_report(message: Message) -> Iterator[Message]:
    """Yield the report with its base64 text decoded, since the library reads the lines as they came."""
    from email import message_from_bytes, policy

    data = message.get_payload(decode=True)
    if (
        not isinstance(data, bytes)
        or message.get("Content-Transfer-Encoding", "").strip(" \t").lower() != "base64"
    ):
        return
    fields = "".join(
        f"{name}: {value}\n" for name, value in message.items() if not name.lower().startswith("content-")
    )
    yield message_from_bytes(f"{fields}\n".encode("utf-8", "replace") + data, policy=policy.compat32)
    yield message_from_bytes(data, policy=policy.compat32)


def _is_delivery_report(message: Message) -> bool:
    """Tell whether a report says by RFC 3464 what became of recipients, so that silence means no failure."""
    return any(b"action:" in bytes(str(part), "utf-8", "replace").lower() for part in _statuses(message))


def _statuses(message: Message) -> Iterator[Message]:
    return (part for part in message.walk() if part.get_content_type() == "message/delivery-status")


def _texts(raw: bytes, message: Message) -> Iterator[bytes]:
    """Yield a bounce report as it came, then its parts decoded: some servers wrap the letter once more."""
    yield raw
    for part in message.walk():
        if isinstance(data := part.get_payload(decode=True), bytes):
            yield data
    for block in _BASE64.finditer(raw):
        try:
            yield base64.b64decode(block[0].replace(b"\r", b"").replace(b"\n", b""), validate=True)
        except binascii.Error:
            continue


def _letters(club: Club, texts: Iterable[bytes], domain: str) -> Iterator[LetterRow]:
    """Yield the letters that a report names by their marks, if they left lately."""
    own = re.compile(rf"<{re.escape(OWN_IDS)}([a-z0-9._-]{{1,200}})@{re.escape(domain)}>", re.IGNORECASE)
    since = utc_text(club.clock() - LATEST)
    stems = dict.fromkeys(match[1] for text in texts for match in own.finditer(text.decode("latin-1")))
    for stem in list(stems)[:MAX_LETTERS_IN_REPORT]:
        marks = OWN_MARKS.search(stem)
        for game, player, name in _readings(OWN_MARKS.sub("", stem)):
            letter = club.store.letter_named(game, player, f"{name}.txt")
            if marks is None or letter is None or marks["mark"] != mark_of(letter):
                continue
            if letter.sent >= since and not letter.failed:
                yield letter


def _strange(club: Club, number: int, head: Head, failed: frozenset[str]) -> str:
    """Note a bounce that belongs to no known letter for the game master; return words for the log."""
    note = club.store.note(STRANGE)
    kept = json.loads(note) if note else {}
    if not kept or parse_utc(kept["at"]) < club.clock() - LATEST:
        kept = {"count": 0}
    players = [row.name for row in club.store.players() if row.address.lower() in failed]
    kept = {
        "count": kept["count"] + 1,
        "at": utc_text(club.clock()),
        "mail": number,
        "sender": head.sender,
        "subject": head.subject,
        "whom": ", ".join(players) or ", ".join(sorted(failed)[:3]),
    }
    club.store.put_note(STRANGE, json.dumps(kept))
    return "a report of a mail server that does not fit any letter of the judge; the game master sees it"


def _readings(stem: str) -> Iterator[tuple[str, str, str]]:
    """Yield every reading of a letter's id as game, player and name: each dot may be a border."""
    parts = stem.split(".")
    for first in range(1, len(parts) - 1):
        game = ".".join(parts[:first])
        for second in range(first + 1, len(parts)):
            name = ".".join(parts[second:])
            if name.startswith(f"{game}-"):
                yield game, ".".join(parts[first:second]), name


def tell_opponents(club: Club, agendas: Iterable[Agenda]) -> Iterator[Done]:
    """Tell the other players, once an exchange, that a player's letters do not arrive; yield the actions."""
    before = utc_text(club.clock() - PATIENCE)
    failed: dict[tuple[str, str], str] = {}
    for letter in club.store.letters_in_trouble():
        if letter.failed and letter.game:
            failed.setdefault((letter.game, letter.player), letter.failed)
    if not failed:
        return
    for agenda in (one for one in agendas if one.is_open):
        for player in agenda.waiting:
            since = failed.get((agenda.game, agenda.person(player)), "")
            if since and since <= before:
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
