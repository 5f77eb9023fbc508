"""Takes in messages between players, which are sealed to the judge's own key, and sends them on at once.

From club.toml:

    [press]                         # without it there is none
    kind = "white"                  # none, public, white or grey: each allows what those before it do
    per_day = 30                    # messages of one player in one game on one day (UTC)

    [press.game.hearth]             # the same for one game, or a league: [press.game."league.spring-2027"]
    kind = "grey"

Nothing of a message enters a ledger. What has to be remembered is in notes:

    press had <game> <writer> <kind> <number> <readers>     the SHA-256 of a message that was passed on
    press held <person> <game> <letter>                     a signed letter that waits for these
    press gm <new or old> <game> <time> <number>            a paper that was sent to the director
    press waits                                             there are messages that the next pass takes in

Messages have a lane of their own: one pass opens `MAX_IN_PASS` of them, and those of one writer have a
number for each day. Orders that come with them or after them are taken in as ever.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from pbem.errors import ConfigError, LedgerError, PbemError
from pbem.judge.book import Unconfirmed, check_restored
from pbem.judge.club import Club
from pbem.judge.intake import quarantine
from pbem.judge.intake.player_files import Verdict
from pbem.judge.letters.letters_out import Reader, reader_of, unsealed_letter
from pbem.judge.letters.wishes import free_from
from pbem.judge.press import KIND, NOTED, WAITS
from pbem.judge.tables.database import Unwritable
from pbem.judge.tables.note_tables import FOR_GM
from pbem.judge.upkeep.folder_identity import check_folder
from pbem.trust import keys, sealing
from pbem.trust.identifiers import shown_value
from pbem.trust.press import (
    ALL,
    GM,
    GREY,
    KINDS,
    MAX_SEALED_SIZE,
    NOBODY,
    NONE,
    PRESS_UNIT,
    PUBLIC,
    SIDE,
    Message,
    PressLetter,
    PressPaper,
    PressReceipt,
    content_hash,
    read_message,
    read_paper,
    reason_closed,
    show_paper,
    sign_letter,
    sign_receipt,
    verify_message,
)
from pbem.trust.times import check_made, parse_utc, utc_text

PER_DAY = 30
MAX_PER_DAY = 500
LEAGUE = "league."
MAX_IN_PASS = 100
"""Maximum number of messages that are opened in one pass; others wait for the next pass."""
MAX_REPORTS = 10
"""Maximum number of messages to the director alone that one writer may send on one day, beside all others."""
MAX_AHEAD = 100
"""Maximum difference of a message's number from the last one its writer used."""
MAX_NAMED_IN_LEAGUE = 8
MAX_IN_LETTER = 10
"""Maximum number of messages in one letter of a daily digest."""


@dataclass(frozen=True, slots=True)
class PressSettings:
    """The settings in club.toml for the press of a game or league."""

    kind: str = NONE
    per_day: int = PER_DAY


@dataclass(frozen=True, slots=True)
class PressPlace:
    """The facts about a game or league that the handling of press needs."""

    name: str
    genesis: str
    settings: PressSettings
    seats: Mapping[str, Reader]
    """The person who gets each seat's letters from now on, with their key."""
    sides: Mapping[str, str]
    """The side of each seat; empty in a league."""
    closed: str = ""
    """The reason why the director closed the press; "" if it is open."""
    is_league: bool = False

    def readers(self, to: tuple[str, ...], writer: str = "") -> dict[str, Reader]:
        """Return the readers of a message by their seats, without the seat of its writer.

        Raises:
            ConfigError: one of the readers does not belong to the game or league.
        """
        named: set[str] = set()
        for one in to:
            if one == ALL:
                found = set(self.seats)
            elif one == GM:
                found = set()
            elif one.startswith(SIDE):
                found = {seat for seat, side in self.sides.items() if side == one.removeprefix(SIDE)}
            else:
                found = {one} & self.seats.keys()
            if not found and one != GM:
                raise ConfigError(f"{one} is nobody in {self.name}")
            named |= found
        return {seat: self.seats[seat] for seat in sorted(named - {writer})}


def press_settings(club: Club, name: str) -> PressSettings:
    """Return the settings in club.toml for the press of a game or league.

    Raises:
        ConfigError: one of the settings is invalid.
    """
    table: Mapping[str, Any] = club.settings.get("press", {})
    games = table.get("game", {})
    own = games.get(name, {}) if isinstance(games, Mapping) else {}
    own = own if isinstance(own, Mapping) else {}
    kind = own.get("kind", table.get("kind", NONE))
    per_day = own.get("per_day", table.get("per_day", PER_DAY))
    if kind not in KINDS:
        raise ConfigError(
            f"club.toml, [press]: kind must be one of {', '.join(KINDS)}, not {shown_value(kind)}"
        )
    if isinstance(per_day, bool) or not isinstance(per_day, int) or not 0 <= per_day <= MAX_PER_DAY:
        raise ConfigError(
            f"club.toml, [press]: per_day must be a number from 0 to {MAX_PER_DAY}, not "
            f"{shown_value(per_day)}"
        )
    return PressSettings(kind, per_day)


def press_place(club: Club, name: str) -> PressPlace:
    """Return the facts that press needs about the game or league whose ledger has this name.

    Raises:
        ConfigError: this club has no ledger of that name.
    """
    settings = press_settings(club, name)
    if name.startswith(LEAGUE):
        from pbem.judge.leagues.book import load_league

        league = load_league(club, name.removeprefix(LEAGUE))
        season = league.season
        members = [player for player, member in season.members.items() if not member.leaving_reason]
        seats = {player: Reader(player, keys.parse_public(season.key_of(player))) for player in members}
        return PressPlace(name, str(league.head_at(1)), settings, seats, {}, is_league=True)
    book = club.book(name)
    players = book.history.genesis.players
    return PressPlace(
        name,
        str(book.head_at(1)),
        settings,
        {player.name: reader_of(club.store, book, player.name) for player in players},
        {player.name: player.side for player in players},
        reason_closed(book.entries),
    )


HAD, HELD = "press had ", "press held "


def take_message(club: Club, sealed: bytes, place_in_pass: int) -> Verdict:
    """Take in one sealed message between players, within a transaction, and send it on."""
    known = Verdict(False, "", is_press=True, is_signed=False)
    if place_in_pass > MAX_IN_PASS:
        club.store.put_note(NOTED, "yes")
        return replace(known, text=WAITS)
    try:
        message, body, armor = read_message(sealing.open_sealed(sealed, [club.key], MAX_SEALED_SIZE))
        place = press_place(club, message.game)
        verify_message(body, armor, _writer(place, message).key)
    except Unwritable:
        raise
    except PbemError as fault:
        return replace(known, text=str(fault))
    except Exception as bug:  # noqa: BLE001 - one file must not stop all others
        return replace(known, text="it is kept and tried again", apart=quarantine.in_words(bug))
    person = place.seats[message.writer].person
    known = replace(known, game=message.game, player=message.writer, person=person, is_signed=True)
    try:
        with club.store.step():
            return replace(known, is_accepted=True, text=_pass_on(club, place, message, body + armor))
    except Unwritable:
        raise
    except Unconfirmed:
        return replace(known, text=quarantine.kept_for(message.game), is_signed=False)
    except LedgerError as fault:
        return replace(known, text=str(fault))
    except PbemError as fault:
        return replace(known, text=str(fault))
    except Exception as bug:  # noqa: BLE001 - one file must not stop all others
        return replace(known, text="it is kept and tried again", apart=quarantine.in_words(bug))


def _writer(place: PressPlace, message: Message) -> Reader:
    """Return the person who may write for the seat that a message names: the reader of the seat's letters."""
    if message.writer not in place.seats:
        raise ConfigError(f"{message.writer} is nobody in {message.game}")
    return place.seats[message.writer]


def look_again(club: Club) -> None:
    """Take in the messages that an earlier pass has left for this one."""
    if club.store.note(NOTED):
        with club.store.step():
            club.store.drop_note(NOTED)
            club.store.look_again(WAITS)


def _pass_on(club: Club, place: PressPlace, message: Message, signed: bytes) -> str:
    """Check a message that its writer has signed, and send it on to its readers; return a line about it.

    Raises:
        PbemError: the message is not sent on.
    """
    check_restored(club.store, place.name)
    if message.genesis != place.genesis:
        raise ConfigError(f"the message is for another game that is called {place.name}")
    check_made(message.made, club.clock())
    said = f"message {message.number} of {message.writer} in {place.name} to {' '.join(message.to)}"
    if _had_before(club, message):
        return f"{said} was passed on before"
    _check_allowed(place, message)
    readers = place.readers(message.to, message.writer)
    if not readers and GM not in message.to:
        raise ConfigError("nobody but you would read it")
    if message.about:
        show_paper(read_paper(message.about), club.judge_key(_judge_of(message.about)))
    _count(club, place, message)
    club.store.put_note(_had(message, message.number), message.sha256)
    receipt = PressReceipt(
        game=place.name,
        writer=message.writer,
        kind=message.kind,
        to=message.to,
        number=message.number,
        message=message.sha256,
        content=content_hash(message.subject, message.text),
        at=club.clock(),
    )
    paper = PressPaper(receipt=sign_receipt(receipt, club.key), message=signed)
    own = replace(paper, message=b"") if message.about else paper
    send_paper(club, place, message.writer, place.seats[message.writer], own, at_once=True)
    shown = paper
    if message.kind == GREY:
        hidden = replace(receipt, writer=NOBODY, number=0, message=NOBODY)
        shown = PressPaper(receipt=sign_receipt(hidden, club.key), subject=message.subject, text=message.text)
    for seat, reader in readers.items():
        send_paper(club, place, seat, reader, shown)
    if GM in message.to:
        keep_for_director(club, place.name, paper)
    return f"{said}: passed on"


def _check_allowed(place: PressPlace, message: Message) -> None:
    """Raise ConfigError unless the settings for the press of a game allow a message."""
    kind, only_gm = place.settings.kind, message.to == (GM,)
    if kind == NONE:
        raise ConfigError(f"{place.name} has no press")
    if place.closed and not only_gm:
        raise ConfigError(f"the director has closed the press of {place.name}: {place.closed}")
    if message.kind == GREY and kind != GREY:
        raise ConfigError(f"in {place.name} whoever writes is named; the press there is {kind}")
    if kind == PUBLIC and message.to != (ALL,) and not only_gm:
        raise ConfigError(f"in {place.name} you can only write to all, or to the director (gm)")
    if place.is_league and (ALL in message.to or len(message.to) > MAX_NAMED_IN_LEAGUE):
        raise ConfigError(f"in a league name your readers, at most {MAX_NAMED_IN_LEAGUE}")


def _had(message: Message, number: int | None = None) -> str:
    start = f"{HAD}{message.game} {message.writer} {message.kind} {' '.join(message.to)} "
    return start if number is None else f"{start}{number:09d}"


def _had_before(club: Club, message: Message) -> bool:
    """Tell whether a message was sent on before; refuse a number that was used for another message.

    Raises:
        ConfigError: the number was used for another message, or is too far ahead.
    """
    kept = club.store.note(_had(message, message.number))
    if kept == message.sha256:
        return True
    start = _had(message)
    used = (name.removeprefix(start) for name in club.store.notes(start))
    last = max((int(one) for one in used if one.isascii() and one.isdigit()), default=0)
    if kept:
        raise ConfigError(
            f"you have used number {message.number} for another message to these readers; the next is "
            f"{last + 1}"
        )
    if message.number > last + MAX_AHEAD:
        raise ConfigError(f"number {message.number} is far ahead; the next is {last + 1}")
    return False


def _count(club: Club, place: PressPlace, message: Message) -> None:
    """Count a message for its writer on this day; raise ConfigError if it is one too many."""
    only_gm = message.to == (GM,)
    what, most = ("report", MAX_REPORTS) if only_gm else (KIND, place.settings.per_day)
    who, day = f"{what} {place.name} {message.writer}", f"{club.clock():%Y-%m-%d} {what}"
    if club.store.count_answers(who, day) >= most:
        raise ConfigError(f"you have sent {most} messages in {place.name} today (UTC); write again tomorrow")
    club.store.count_answer(who, day)


def _judge_of(about: bytes) -> str:
    """Return the fingerprint of the key in the signature of a receipt that a message encloses."""
    from pbem.trust.signature import parse, split

    return parse(split(read_paper(about).receipt).armor).key.fingerprint


# Letters out


def send_paper(
    club: Club, place: PressPlace, seat: str, reader: Reader, paper: PressPaper, *, at_once: bool = False
) -> None:
    """Put a text about press for one seat into the outbox, or store it if its reader wants none now."""
    check_folder(club.store)
    signed = sign_letter(PressLetter(game=place.name, reader=seat, paper=paper), club.key)
    until = None if at_once else free_from(club.store, reader.person)
    name = _name(place.name, signed)
    if until is None:
        put_letter(club, place.name, reader, [signed])
        return
    order = max((json.loads(note)["order"] for note in club.store.notes(HELD).values()), default=0) + 1
    held = {
        "order": order,
        "until": utc_text(until),
        "key": reader.key.line,
        "data": base64.b64encode(signed).decode(),
    }
    club.store.put_note(f"{HELD}{reader.person} {place.name} {name}", json.dumps(held))


def put_letter(club: Club, game: str, reader: Reader, texts: list[bytes]) -> None:
    """Put signed texts about press into the outbox as one letter, whose open part shows nothing of them."""
    data = unsealed_letter(reader.key, *((text, PRESS_UNIT) for text in texts))
    club.store.add_letter(game, reader.person, _name(game, b"".join(texts)), data, key=reader.key.line)


def _name(game: str, signed: bytes) -> str:
    """Return the name of a letter, which only those who have its signed text can compute."""
    return f"{game}-{KIND}-{hashlib.sha256(signed).hexdigest()[:12]}.txt"


def release_held(club: Club) -> Iterator[str]:
    """Put stored letters about press whose readers want them now into the outbox; yield lines on them."""
    due: dict[tuple[str, str, str], list[str]] = {}
    found = club.store.notes(HELD)
    kept: dict[str, dict[str, Any]] = {name: json.loads(note) for name, note in found.items()}
    for name, held in sorted(kept.items(), key=lambda each: each[1]["order"]):
        person, game, _ = name.removeprefix(HELD).split(" ")
        wanted = free_from(club.store, person) is None or parse_utc(held["until"]) <= club.clock()
        if wanted:
            due.setdefault((person, game, held["key"]), []).append(name)
    for (person, game, line), names in due.items():
        with club.store.step():
            for start in range(0, len(names), MAX_IN_LETTER):
                texts = [
                    base64.b64decode(kept[name]["data"]) for name in names[start : start + MAX_IN_LETTER]
                ]
                put_letter(club, game, Reader(person, keys.parse_public(line)), texts)
            for name in names:
                club.store.drop_note(name)
        yield f"{len(names)} messages that waited go to {person} in {game}"


# To the director


def keep_for_director(club: Club, game: str, paper: PressPaper) -> None:
    """Store a signed text about press that the director is to read."""
    count = len(club.store.notes(FOR_GM))
    name = f"{FOR_GM}new {game} {utc_text(club.clock())} {count:06d}"
    club.store.put_note(name, base64.b64encode(paper.data).decode())


def forget_press(club: Club, player: str) -> None:
    """Delete all that is stored about press for a forgotten person: waiting letters, and reports."""
    for name in club.store.notes(f"{HELD}{player} "):
        club.store.drop_note(name)
    for name, note in club.store.notes(FOR_GM).items():
        receipt = read_paper(base64.b64decode(note)).receipt
        if f"\nwriter {player}\n".encode() in receipt:
            club.store.drop_note(name)
