"""The sending of mail: letters leave the database, each noted before it is tried and after it was taken.

What cannot be noted is not sent: a full disk repeats no letter. A crash between taking and noting sends a
letter twice, under the same Message-ID, and loses none. A letter that is refused is tried again after a
while, twice as long each time, and at last given up, which is trouble to be told; so is one at which the
connection breaks twice. Letters of one game to one reader leave as one mail; if that is refused or breaks
the connection, each leaves by itself at once. A server that hangs up (421) is called again within the pass,
at once if it has taken something, else after a pause; one that cannot be reached is left alone until the next
pass.
"""

from __future__ import annotations

import contextlib
import smtplib
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from email.message import EmailMessage

from pbem.errors import MailError, PbemError
from pbem.judge.club import Club
from pbem.judge.letters.wishes import Wishes, all_wishes, digest_after
from pbem.judge.tables.database import LetterRow, UnsentRow
from pbem.mail.compose import as_bytes, compose, is_answer, primary
from pbem.mail.envelope import PRESS, heard_as, kind_of
from pbem.mail.mail_problems import ALERT, ARCHIVE, LAST_RETRY, may_be_tried
from pbem.mail.sessions import Smtp, Way, answer_text, error_text, open_session
from pbem.mail.settings import MailSettings
from pbem.trust.letters import COPY
from pbem.trust.player_statements import DIGEST, MESSAGE
from pbem.trust.times import parse_utc, utc_text

FIRST_RETRY = timedelta(minutes=10)
MAX_LETTERS_TOGETHER = 8
"""Maximum number of letters in one mail."""
MAX_SIZE_TOGETHER = 10_000_000
"""Maximum size in bytes of a mail with several letters."""
MAX_TRIES = 12
"""Maximum number of tries of a letter that a server puts off for the time being: about five days."""
MAX_TRIES_REFUSED = 7
"""Maximum number of tries of a letter that a server refuses for good (5xx): half a day, for servers err."""
NOTHING = ""
FOR_JOURNAL = "wait for a record of the journal to be accepted"
FOR_DIGEST = "wait for the hours at which their readers want such mails"
FOR_ROOM = "wait for the next hour, for this one's limit is reached (per_hour in [mail.outbox])"
AFTER_REFUSAL = "wait after a refusal"
PAUSE_SECONDS, MAX_PAUSES = 5.0, 12
"""Seconds between tries, and tries in one pass, with a server that hangs up before it takes anything."""
_CLOSING, _TOO_MANY = 421, 452
_CHARACTERS = "its address, or another of its head, has characters that a mail cannot carry"


@dataclass(frozen=True, slots=True)
class Sent:
    """The result of sending one letter."""

    letter: str
    player: str
    trouble: str = ""
    given_up: bool = False
    fault: str = ""
    """The error that kept the letter's page from being made, so that the letter left without it."""


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A letter that waits for its turn in this pass."""

    address: str
    together: tuple[str, ...] = ()
    """Game, reader and address, which letters that leave as one mail have in common; () if this one leaves
    alone."""


@dataclass(frozen=True, slots=True)
class _Refusal:
    """A server's refusal of one recipient, with the server's words; empty if there was none."""

    text: str = NOTHING
    for_good: bool = False


class _HungUp(Exception):
    """Raised if the server closed the connection; the message is the server's answer."""


class _Closing(_HungUp):
    """Raised if the server announced that it closes the connection (421), which is not the letter's fault."""


class _Enough(_Closing):
    """Raised if the server takes no more on a connection on which it has taken something."""


def send_mail(
    club: Club, settings: MailSettings, *, alerts_only: bool = False, early: bool = False
) -> Iterator[Sent]:
    """Send every letter that is due and has an address; yield the result of each.

    `alerts_only`: alerts to the game master alone. `early` says that this pass still plays games, so that
    copies of orders wait for the reports that may follow, if nothing else leaves for their readers. No other
    letter ever waits.

    Raises:
        MailError: the server cannot be reached or does not let us in.
    """
    if not settings.has_way_out:
        return
    due = list(_due(club, settings))
    if alerts_only:
        due = [one for one in due if not one[0].player and one[0].name.startswith(ALERT)]
    if not due:
        return
    if early:
        due = _without_copies(due)
    waiting, pauses, broken = dict(_begin_sending(club, due)), MAX_PAUSES, set[int]()
    try:
        while waiting:
            before = len(waiting)
            try:
                with open_session(settings) as server:
                    yield from _send_all(server, club, settings, waiting, broken)
            except _HungUp as problem:
                if len(waiting) < before:
                    continue
                if not pauses:
                    raise MailError(f"the mail server hangs up again and again: {problem}") from None
                pauses -= 1
                time.sleep(PAUSE_SECONDS)
    finally:
        if waiting:
            with contextlib.suppress(PbemError), club.store.step():
                for number in waiting:
                    club.store.not_tried(number)


def _send_all(
    server: Way, club: Club, settings: MailSettings, waiting: dict[int, _Waiting], broken: set[int]
) -> Iterator[Sent]:
    """Send the waiting letters on one connection; remove each from `waiting` that was sent or refused.

    `broken` holds the numbers of letters at which a server has hung up once.

    Raises:
        _HungUp: the server has closed the connection.
    """
    zone_of = _zones(club)
    while waiting:
        number, about = next(iter(waiting.items()))
        letters = []
        for one in _together(waiting, number):
            letter = club.store.letter(one)
            if letter is None or letter.sent:
                del waiting[one]  # another process was here first
            else:
                letters.append(letter)
        if not letters:
            continue
        zone = zone_of(letters[0], about.address)
        try:
            sent = _send_mail_of(server, settings, letters, about.address, zone)
        except (smtplib.SMTPException, OSError, _HungUp) as problem:
            if isinstance(problem, _Enough):
                raise
            if len(letters) > 1:
                _part(waiting, letters)
                raise
            again = number in broken and not isinstance(problem, _Closing)
            if again or not isinstance(problem, _HungUp):
                del waiting[number]
                _note(club, letters[0], _Refusal(error_text(problem)), _Refusal())
            broken.add(number)
            raise
        except ValueError:  # whatever characters are to blame stop this letter and no other
            sent = _Refusal(_CHARACTERS, for_good=True), _Refusal(), ""
        refused, archive, fault = sent
        if refused.text and len(letters) > 1:
            _part(waiting, letters)
            continue
        noted = []
        with club.store.step():
            for letter in letters:
                del waiting[letter.id]
                noted.append(replace(_note(club, letter, refused, archive), fault=fault))
        yield from noted


def _together(waiting: Mapping[int, _Waiting], number: int) -> list[int]:
    """Return the numbers of the letters that leave as one mail with a given letter, itself among them."""
    key = waiting[number].together
    if not key:
        return [number]
    return [one for one, about in waiting.items() if about.together == key][:MAX_LETTERS_TOGETHER]


def _part(waiting: dict[int, _Waiting], letters: Iterable[LetterRow]) -> None:
    """Note that each of these letters leaves as a mail of its own."""
    for letter in letters:
        waiting[letter.id] = _Waiting(waiting[letter.id].address)


def _begin_sending(club: Club, due: list[tuple[UnsentRow, str]]) -> Iterator[tuple[int, _Waiting]]:
    """Count a try of each letter, in one transaction; yield the letters with their addresses.

    A letter that is tried again or sent again leaves by itself, and so does one that nobody seals.
    """
    with club.store.step():
        for letter, address in due:
            wait = min(FIRST_RETRY * 2 ** min(letter.tries, 10), LAST_RETRY)
            club.store.begin_sending(letter.id, utc_text(club.clock() + wait))
            yield letter.id, _Waiting(address, _common(letter, address))


def _common(letter: UnsentRow, address: str) -> tuple[str, ...]:
    """Return what a letter has in common with those that leave in one mail with it; () if it leaves alone."""
    joins = letter.game and letter.player and letter.sealed and not letter.tries and not letter.copy
    return (letter.game, letter.player, address) if joins else ()


def _without_copies(due: list[tuple[UnsentRow, str]]) -> list[tuple[UnsentRow, str]]:
    """Return the letters but for copies of orders to readers to whom nothing else of the game leaves now."""
    heavier = {_common(letter, address) for letter, address in due if kind_of(letter.name) != COPY}
    return [
        one for one in due if kind_of(one[0].name) != COPY or not _common(*one) or _common(*one) in heavier
    ]


def _note(club: Club, letter: LetterRow, refused: _Refusal, archive: _Refusal) -> Sent:
    """Note the result of sending a letter, and return it."""
    now = utc_text(club.clock())
    most = MAX_TRIES_REFUSED if refused.for_good else MAX_TRIES
    given_up = bool(refused.text) and letter.tries >= most
    with club.store.step():
        if refused.text:
            trouble = (
                refused.text if letter.player or not given_up else ""
            )  # nobody needs to act for an answer
            club.store.mark_trouble(letter.id, trouble, now if given_up else "")
        else:
            club.store.mark_sent(letter.id, now)
        if not refused.text and club.store.note(ARCHIVE).partition(": ")[2] != archive.text:
            club.store.put_note(ARCHIVE, f"since {now}: {archive.text}" if archive.text else "")
    return Sent(letter.name, letter.player, refused.text, given_up)


def _due(club: Club, settings: MailSettings) -> Iterator[tuple[UnsentRow, str]]:
    """Yield the letters that may leave now, with their addresses: players' first, within the limit."""
    for letter, goal, waits in unsent_mail(club, settings.per_hour):
        if goal and not waits:
            yield letter, goal


def unsent_mail(club: Club, per_hour: int) -> Iterator[tuple[UnsentRow, str, str]]:
    """Yield the letters that have not left, each with its address, and what keeps it; "" if it may leave now.

    Players' letters come first. `per_hour` is the maximum number of letters in an hour; 0 is no limit.
    """
    now = club.clock()
    addresses = {player.name: player.address for player in club.store.players()}
    uncovered = club.store.uncovered_letters()
    wishes = all_wishes(club.store)
    unsent = club.store.unsent_letters()
    unsent.sort(key=lambda letter: (_is_press(letter), letter.player == "", letter.id))
    room, for_press = len(unsent), len(unsent)
    if per_hour:
        room = per_hour - club.store.count_sent(utc_text(now - timedelta(hours=1)))
        for_press = room - per_hour // 2
    for letter in unsent:
        goal, waits = letter.address or addresses.get(letter.player, ""), ""
        if letter.id in uncovered:
            waits = FOR_JOURNAL
        elif _awaits_digest(club, letter, wishes.get(letter.player)):
            waits = FOR_DIGEST
        elif not may_be_tried(letter, now):
            waits = AFTER_REFUSAL
        elif goal and (room <= 0 or (_is_press(letter) and for_press <= 0)):
            waits = FOR_ROOM
        elif goal:
            room, for_press = room - 1, for_press - 1
        yield letter, goal, waits


def waiting_mail(club: Club) -> str:
    """Return how many letters leave with the next pass, and what others wait for; "" if there are none."""
    per_hour = club.settings.get("mail", {}).get("outbox", {}).get("per_hour", 0) if club.mails else 0
    kept: dict[str, list[str]] = {}
    for letter, _, waits in unsent_mail(club, per_hour if isinstance(per_hour, int) else 0):
        if club.mails or letter.player:
            kept.setdefault(waits, []).append(letter.retry)
    found = []
    if now := kept.pop("", ()):
        found.append(f"{len(now)} letters will be sent in the next pass")
    for waits, retries in kept.items():
        then = f"; the next try is at {min(retries)}" if waits == AFTER_REFUSAL else ""
        found.append(f"{len(retries)} letters {waits}{then}")
    return "; ".join(found)


def _awaits_digest(club: Club, letter: UnsentRow, wishes: Wishes | None) -> bool:
    """Tell whether a letter waits for the hour at which its reader wants such mails.

    None waits beyond its own deadline. Messages have waited before they became letters.
    """
    kind = heard_as(letter.game, letter.name)
    if wishes is None or letter.copy or kind in ("", MESSAGE) or wishes.pace(kind) != DIGEST:
        return False
    hour = digest_after(club.store, letter.player, wishes, parse_utc(letter.at))
    is_late = bool(letter.deadline) and parse_utc(letter.deadline) <= hour
    return not is_late and club.clock() < hour


def _is_press(letter: UnsentRow) -> bool:
    """Tell whether a letter brings press; such letters leave last, and fill at most half of each hour."""
    return kind_of(letter.name) == PRESS


def _zones(club: Club) -> Callable[[LetterRow, str], str]:
    """Return the function that yields the time zone in which a letter's reader wants to read times."""
    wishes = {name: wish.zone for name, wish in club.store.profiles().items() if wish.zone}
    at = {row.address.lower(): wishes[row.name] for row in club.store.players() if row.name in wishes}

    def zone_of(letter: LetterRow, address: str) -> str:
        return wishes.get(letter.player, "") if letter.player else at.get(address.lower(), "")

    return zone_of


def _compose_letter(
    letter: LetterRow, address: str, settings: MailSettings, zone: str, others: Sequence[LetterRow]
) -> tuple[EmailMessage, str]:
    """Return a letter's mail, and the fault if its page could not be made; that page is left out."""
    try:
        return compose(letter, address, settings, zone, others=others), ""
    except Exception as bug:  # noqa: BLE001 - a fault of a picture must not keep a report back
        return compose(letter, address, settings, zone, pages=False, others=others), type(bug).__name__


def _send_mail_of(
    server: Way, settings: MailSettings, letters: Sequence[LetterRow], address: str, zone: str
) -> tuple[_Refusal, _Refusal, str]:
    """Send letters as one mail; return what `_send` returns, and the fault that kept a page from being made.

    A mail that is too large is refused here, so that its letters leave one by one.
    """
    first = primary(letters)
    others = [one for one in letters if one is not first]
    message, fault = _compose_letter(first, address, settings, zone, others)
    content = as_bytes(message)
    if others and len(content) > MAX_SIZE_TOGETHER:
        return _Refusal("too large for one mail"), _Refusal(), ""
    return *_send(server, settings, first, address, content), fault


def _send(
    server: Way, settings: MailSettings, letter: LetterRow, address: str, content: bytes
) -> tuple[_Refusal, _Refusal]:
    """Send a letter's mail; return the refusals of the mail and of its archived copy."""
    sender = "" if is_answer(letter.name) and settings.empty_sender else settings.address
    goals = list(filter(None, (address, settings.sent_to)))
    refused = _refused(server, sender, goals, address, content)
    if refused.get(settings.sent_to, (0, b""))[0] == _TOO_MANY and address not in refused:
        try:
            refused = _refused(server, sender, [settings.sent_to], settings.sent_to, content)
        except (smtplib.SMTPException, OSError, _HungUp) as problem:  # the letter itself has left
            return _Refusal(), _Refusal(error_text(problem))
    return _refusal(refused.get(address)), _refusal(refused.get(settings.sent_to))


def _refused(
    server: Way, sender: str, goals: Sequence[str], address: str, content: bytes
) -> Mapping[str, tuple[int, bytes | str]]:
    """Send a mail; return the answers by which it was refused, for `address` if all of it was refused.

    Raises:
        _HungUp: the server has closed the connection, or takes no more on it.
    """
    refused: Mapping[str, tuple[int, bytes | str]]
    try:
        refused = server.sendmail(sender, goals, content)
    except smtplib.SMTPRecipientsRefused as problem:
        refused = problem.recipients
    except smtplib.SMTPSenderRefused as problem:
        if isinstance(server, Smtp) and server.has_taken and problem.smtp_code != _CLOSING:
            raise _Enough(answer_text(problem.smtp_code, problem.smtp_error)) from None
        refused = {address: (problem.smtp_code, problem.smtp_error)}
    except smtplib.SMTPResponseException as problem:
        if isinstance(server, smtplib.SMTP):
            with contextlib.suppress(smtplib.SMTPException, OSError):
                server.rset()
        refused = {address: (problem.smtp_code, problem.smtp_error)}
    except smtplib.SMTPServerDisconnected as problem:
        raise _HungUp(error_text(problem)) from None
    for code, said in refused.values():
        if code == _CLOSING:
            raise _Closing(answer_text(code, said))
    return refused


def _refusal(said: tuple[int, bytes | str] | None) -> _Refusal:
    return _Refusal(answer_text(*said), said[0] >= 500) if said else _Refusal()
