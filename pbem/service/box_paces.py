"""The pace of mails to players who fetch letters from the post box: which letters cause a mail, and when.

All letters lie in the box whatever is mailed, so a mail tells these readers only that something is there. Who
has never fetched from the box is sent each letter, since nothing else would bring it.

    hear once <person> <kind>   note: the number of the last letter that the reader had then
    hear digest <person>        note: the time at which a short mail says that letters wait
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pbem.box.folder import folder_name
from pbem.box.stores import acknowledged_number, letter_numbers
from pbem.judge.club import Club
from pbem.judge.letters.wishes import NO_WISHES, ONE_DAY, all_wishes, digest_after
from pbem.judge.tables.rows import LetterRow, PlayerRow
from pbem.mail.envelope import heard_as
from pbem.mail.settings import MailSettings
from pbem.rendering import render
from pbem.service.box_table import SHORT, BoxSettings
from pbem.trust.keys import parse_public
from pbem.trust.player_statements import DIGEST, MESSAGE, NONE, ONCE
from pbem.trust.times import is_over, parse_utc, utc_text

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
        """Note facts that decide when this letter's reader is mailed next; an answer shows activity."""
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
        """Write a short mail to each reader whose time for one has come, if letters are still unfetched."""
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
