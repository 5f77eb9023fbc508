"""Puts letters into the post box: each that may be sent, as the mail that would bring it, without addresses.

They are put in the order in which they were written, under the key that they are sealed to, with growing
numbers. A letter is on the disk of the box before the database notes it: after a crash the same letter is
met again, known by its Message-ID, and not put a second time. Numbers go on from the highest that box or
database knows, so that neither's backup gives one twice.

All letters lie in the box whatever is mailed, so a mail tells these readers only that something is there: see
`BoxPaces`.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta

from pbem.box.folder import UnreadableBox, folder_name, names_in, read_file
from pbem.box.stores import (
    LETTERS,
    MAX_LETTER_SIZE,
    acknowledged_number,
    letter_numbers,
    letter_path,
    put_letter,
)
from pbem.errors import ConfigError, LedgerError
from pbem.judge.agenda import read_agendas, unconfirmed_ledgers
from pbem.judge.club import Club
from pbem.judge.leagues.book import load_league
from pbem.judge.letters.letters_out import Reader, reader_of, unsealed_letter
from pbem.judge.letters.wishes import NO_WISHES, ONE_DAY, all_wishes, digest_after
from pbem.judge.tables.database import LetterRow, PlayerRow
from pbem.judge.tables.note_tables import RESTING
from pbem.mail.compose import as_bytes, compose
from pbem.mail.envelope import heard_as
from pbem.mail.settings import MailSettings
from pbem.rendering import render
from pbem.service.box_table import SHORT, BoxSettings
from pbem.trust.keys import parse_public
from pbem.trust.letters import BOX
from pbem.trust.player_statements import DIGEST, MESSAGE, NONE, ONCE
from pbem.trust.post_box import BoxLetter, sign_box_letter
from pbem.trust.sealing import RECEIPT_SIZE
from pbem.trust.times import is_over, parse_utc, utc_text

THROUGH = "box through"
"""Name of the note of the last letter that was put into the box."""
NUMBER, COPIED, TOLD, FETCHED = "box number ", "box copy ", "box told ", "box fetched "
"""Prefixes of notes: a reader's last letter number, a letter's last copy, who was told of the box, and up
to which letter a reader has fetched."""
NO_MAIL = MailSettings(address="judge@box.invalid")
"""The mail settings used for a club without mail; the address in them never gets into the box."""
_MAX_HEAD_LENGTH = 4_000


def put_letters(club: Club, box: BoxSettings, settings: MailSettings | None) -> Iterator[str]:
    """Put every letter that may be sent now into the post box; yield a line about each.

    Raises:
        ConfigError: the box cannot be written.
    """
    store = club.store
    if store.note(RESTING):
        return
    held, uncovered = set(unconfirmed_ledgers(club)), store.uncovered_letters()
    begun = utc_text(club.clock() - timedelta(days=box.keep_days))
    through = int(store.note(THROUGH) or store.last_letter(before=begun))
    players = {row.name: row for row in store.players()}
    paces = BoxPaces(club, box, players)
    yield from paces.write_digests(settings)
    for row in store.letters_after(through):
        if row.id in uncovered or row.game in held:
            return
        if row.player in players:
            is_short, is_heard = row.player in paces.short, paces.is_heard(row)
            mailed = bool(players[row.player].address) and is_heard and not is_short
            _put_once(club, box, settings, row.id, mailed)
            if is_short and is_heard:
                write_short_mail(club, settings, players[row.player], row.game)
            paces.note(row, is_heard=is_heard)
            yield f"put {row.name} into the box for {row.player}"
        with store.step():
            store.put_note(THROUGH, str(row.id))
    for row in store.letters_again(through):
        if row.player in players and store.note(f"{COPIED}{row.id}") != str(row.copy):
            if row.id in uncovered or row.game in held:
                continue
            _put_once(club, box, settings, row.id, bool(players[row.player].address), str(row.copy))
            yield f"put {row.name} into the box for {row.player} again"


def _put_once(
    club: Club, box: BoxSettings, settings: MailSettings | None, number: int, mailed: bool, copy: str = ""
) -> None:
    """Put a letter into the post box unless it is there, and note so in the same transaction."""
    store = club.store
    letter = store.letter(number)
    if letter is None or not (letter.data or letter.text):
        return  # its reader was forgotten
    line = store.letter_key(number) or letter.key
    if not line:
        known = store.player(letter.player)
        assert known is not None
        line = known.key
    reader = folder_name(parse_public(line))
    mail, message_id = _mail(club, letter, settings or NO_MAIL)
    noted = int(store.note(f"{NUMBER}{reader}") or 0)
    try:
        there = max(letter_numbers(box.folder, reader), default=0)
        place = max(noted, there, acknowledged_number(box.folder, reader)) + 1
        if there > noted and _is_letter(box, reader, there, message_id):
            place = there
        else:
            put_letter(box.folder, reader, place, mail)
    except OSError as problem:
        raise ConfigError(
            f"{box.folder / LETTERS} cannot be written: {str(problem.strerror).lower()}; letters wait"
        ) from None
    with store.step():
        store.put_note(f"{NUMBER}{reader}", str(place))
        if copy:
            store.put_note(f"{COPIED}{number}", copy)
        else:
            store.put_note(THROUGH, str(number))
        if not mailed:
            store.mark_sent(number, utc_text(club.clock()))


def _mail(club: Club, letter: LetterRow, settings: MailSettings) -> tuple[bytes, str]:
    """Return a letter's mail as it lies in the box, and its Message-ID."""
    wish = club.store.profile(letter.player)
    zone = wish.zone if wish else ""
    try:
        message = compose(letter, "", settings, zone)
    except Exception:  # noqa: BLE001 - a fault of a picture must not keep a report back
        message = compose(letter, "", settings, zone, pages=False)
    del message["From"], message["To"]
    return as_bytes(message), str(message["Message-ID"])


def _is_letter(box: BoxSettings, reader: str, number: int, message_id: str) -> bool:
    """Tell whether the letter of a number in a reader's box has this Message-ID."""
    with contextlib.suppress(UnreadableBox):
        data = read_file(letter_path(box.folder, reader, number), MAX_LETTER_SIZE) or b""
        return f"Message-ID: {message_id}\r\n".encode() in data[:_MAX_HEAD_LENGTH]
    return False


@dataclass(frozen=True, slots=True)
class _Named:
    """The address of the post box, and the key by which the club wakes devices, as letters name them."""

    url: str = ""
    push: str = ""

    @property
    def text(self) -> str:
        """The text by which a note tells which box and key a reader was told of; "" without a box."""
        return f"{self.url} {self.push}".rstrip()


def tell_box(club: Club, box: BoxSettings | None, push: str = "") -> None:
    """Tell the players of running games and leagues which post box to use: once, and again when it changes.

    `push`: the key by which the club wakes devices, which the same letter names.
    """
    named = _Named(box.url, push) if box is not None else _Named()
    told = club.store.notes(TOLD)
    if not named.url and not told:
        return
    for agenda in read_agendas(club).values():
        if agenda.over or agenda.trouble or not agenda.exchange:
            continue
        for player in agenda.players:
            note = f"{TOLD}{agenda.game} {agenda.person(player)}"
            if told.get(note, "") != named.text:
                reader = reader_of(club.store, club.book(agenda.game), player)
                with club.store.step():
                    _tell(club, f"{agenda.game}-{agenda.exchange:04d}", agenda.game, reader, named)
                    club.store.put_note(note, named.text)
    held = unconfirmed_ledgers(club)
    for row in club.store.leagues():
        before, due = told.get(f"{TOLD}{row.name}", ""), f"{club.store.league_head(row.name)} {named.text}"
        if (before or named.url) and before != due and not row.over and row.name not in held:
            with contextlib.suppress(LedgerError):  # told by whoever runs the league
                _tell_entrants(club, row.name, named, told)


def _tell_entrants(club: Club, name: str, named: _Named, told: Mapping[str, str]) -> None:
    """Tell the entrants of a league its post box, if they have not been told or have a new key since."""
    book = load_league(club, name)
    start = f"{TOLD}{name}"
    with club.store.step():
        for player, member in book.season.members.items():
            reader = Reader(player, parse_public(book.season.key_of(player)))
            known = f"{reader.key.fingerprint} {named.text}" if named.url else ""
            if not member.leaving_reason and told.get(f"{start} {player}", "") != known:
                _tell(club, f"{name}-{len(book.season.calls):04d}", name, reader, named)
                club.store.put_note(f"{start} {player}", known)
        club.store.put_note(start, f"{book.head} {named.text}")


def _tell(club: Club, stem: str, game: str, reader: Reader, named: _Named) -> None:
    """Put a letter that names the post box of a game or league into the outbox for one reader."""
    now = club.clock()
    letter = BoxLetter(game=game, url=named.url, push=named.push, made=now.replace(microsecond=0))
    signed = sign_box_letter(letter, club.key)
    said = f"uses the post box {named.url}" if named.url else "uses no post box any more"
    club.store.add_letter(
        game,
        reader.person,
        f"{stem}-{BOX}-{utc_text(now).translate(PLAIN)}.txt",
        unsealed_letter(reader.key, (signed, RECEIPT_SIZE)),
        text=f"{game} {said}.\n",
    )


def remove_fetched(club: Club, box: BoxSettings) -> int:
    """Remove letters acknowledged longer ago than the club keeps them from the post box; return how many.

    The day of an acknowledgement is that on which the judge first saw it.
    """
    today = club.clock().date()
    last = (today - timedelta(days=box.keep_days)).isoformat()
    count = 0
    for reader in names_in(box.folder / LETTERS, 1_000_000):
        with contextlib.suppress(UnreadableBox):
            through = acknowledged_number(box.folder, reader)
            note = f"{FETCHED}{reader}"
            kept: dict[str, int] = json.loads(club.store.note(note) or "{}")
            seen = kept | ({today.isoformat(): through} if through > max(kept.values(), default=0) else {})
            goes = max((number for day, number in seen.items() if day <= last), default=0)
            seen = {day: number for day, number in seen.items() if number > goes}
            for number in letter_numbers(box.folder, reader):
                if number <= goes:
                    letter_path(box.folder, reader, number).unlink(missing_ok=True)
                    count += 1
            if seen != kept:
                with club.store.step():
                    club.store.put_note(note, json.dumps(seen))
    return count


def forget_letters(box: BoxSettings, key: str) -> None:
    """Remove all letters sealed to a key from the post box."""
    reader = folder_name(parse_public(key))
    for number in letter_numbers(box.folder, reader):
        letter_path(box.folder, reader, number).unlink(missing_ok=True)


HEARD, WAITS = "hear once ", "hear digest "
PLAIN = str.maketrans({":": "", "-": ""})


class BoxPaces:
    """The paces at which one pass of the judge writes mails to players who fetch from the post box."""

    def __init__(self, club: Club, box: BoxSettings, players: Mapping[str, PlayerRow]) -> None:
        self._club, self._box, self._players = club, box, players
        self._wishes = all_wishes(club.store)
        readers = {name: folder_name(parse_public(row.key)) for name, row in players.items() if row.address}
        fetched = {
            name: (reader, acknowledged_number(box.folder, reader)) for name, reader in readers.items()
        }
        self._fetched = {name: found for name, found in fetched.items() if found[1]}
        """The folder of each reader who has fetched, and the number of the last letter that they have."""
        self.short = set(self._fetched) if box.mails == SHORT else set[str]()
        """The readers who get one short mail in a pass instead of their letters."""

    def is_heard(self, row: LetterRow) -> bool:
        """Tell whether a mail may leave now that brings a letter, or says that one is in the post box."""
        pace = self._pace(row)
        if pace == ONCE:
            name = f"{HEARD}{row.player} {heard_as(row.game, row.name)}"
            return self._club.store.note(name) != str(self._fetched[row.player][1])
        if pace == DIGEST:
            return row.player not in self.short or bool(row.deadline and row.deadline <= self._hour(row))
        return pace != NONE

    def note(self, row: LetterRow, *, is_heard: bool) -> None:
        """Note whether a mail about a letter leaves now, which decides when its reader is mailed next."""
        store, pace = self._club.store, self._pace(row)
        kind = heard_as(row.game, row.name)
        if not kind and store.notes(start := f"{HEARD}{row.player} "):
            with store.step():
                for name in store.notes(start):
                    store.drop_note(name)
        if pace == ONCE and is_heard:
            with store.step():
                store.put_note(f"{HEARD}{row.player} {kind}", str(self._fetched[row.player][1]))
        if pace == DIGEST and not is_heard and not store.note(name := f"{WAITS}{row.player}"):
            with store.step():
                store.put_note(name, self._hour(row))

    def write_digests(self, settings: MailSettings | None) -> Iterator[str]:
        """Write a short mail to each reader who is due one and has letters to fetch; yield a line on each."""
        store = self._club.store
        for name, until in store.notes(WAITS).items():
            person = name.removeprefix(WAITS)
            if not is_over(parse_utc(until), self._club.clock(), ONE_DAY):
                continue
            reader, through = self._fetched.get(person, ("", 0))
            waits = bool(reader) and max(letter_numbers(self._box.folder, reader), default=0) > through
            with store.step():
                store.drop_note(name)
                if waits:
                    write_short_mail(self._club, settings, self._players[person], "")
            if waits:
                yield f"told {person} that letters wait in the box"

    def _pace(self, row: LetterRow) -> str:
        """Return the pace at which a player is mailed about a letter in the box; "" means at once."""
        kind, wishes = heard_as(row.game, row.name), self._wishes.get(row.player, NO_WISHES)
        if row.player in self._fetched and not wishes.wants_mails:
            return NONE
        if not kind or row.player not in self._fetched:
            return ""
        pace = wishes.pace(kind)
        return "" if kind == MESSAGE and pace == DIGEST else pace  # messages have waited for it before

    def _hour(self, row: LetterRow) -> str:
        wishes = self._wishes.get(row.player, NO_WISHES)
        return utc_text(digest_after(self._club.store, row.player, wishes, parse_utc(row.at)))


def write_short_mail(club: Club, settings: MailSettings | None, player: PlayerRow, game: str) -> None:
    """Write a short mail to a player that letters wait in the post box; it tells public facts alone."""
    page = settings.page.address.partition("#")[0] if settings and settings.page else ""
    route = "league" if game.startswith("league.") else "game"
    link = f"{page}#{route}/{game}" if page and game else page
    text = render("mail/box.txt.j2", club=club.name, link=link)
    name = f"box-{utc_text(club.clock()).translate(PLAIN)}-{player.name}.txt"
    with club.store.step():
        club.store.add_letter("", "", name, b"", text=text, address=player.address)
