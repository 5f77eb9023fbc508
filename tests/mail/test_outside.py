"""Nothing that travels outside a seal tells what is in it; and leaks that are put in are found."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from pbem.judge.adjudication import replay
from pbem.judge.agenda import Agenda, Done
from pbem.judge.club import Club
from pbem.judge.deadlines import running_deadlines
from pbem.judge.leagues.book import begin_league
from pbem.judge.letters import letters_out
from pbem.judge.tables.database import LetterRow
from pbem.judge.tables.packing import Part
from pbem.mail import compose, envelope
from pbem.mail.envelope import Envelope
from pbem.titles import load
from pbem.trust import sealing
from pbem.trust.armor import find_sealed
from pbem.trust.entries import AFTER_CLOSE
from pbem.trust.ledger import echo_salt, parse_receipt
from pbem.trust.letters import NOTICE, without_salt
from pbem.trust.sealing import LETTER_SIZE, open_sealed, sealed_name, to_armor
from pbem.trust.signature import split
from tests.conftest import chance
from tests.judge.table import GAME
from tests.leagues.world import World, file_of
from tests.mail.outside import Options, Seen, Told, Wire, check_alike, compare, outside
from tests.mail.postal import Postal, make_postal
from tests.mail.servers import smtp_server

pytestmark = pytest.mark.ci

GAMES: list[tuple[str, Options]] = [
    ("hammer", {"scenario": "braveheart"}),
    ("lords", {"players": 3, "pace": "turn"}),
    ("lords", {"players": 3, "pace": "strict"}),
    ("first-war", {"years": 2, "pace": "season"}),
    ("first-war", {"years": 2, "pace": "strict"}),
]
IDLE = "".join(f"note {number} {'x' * 40}\nmvster nobody {number}\n" for number in range(60))
"""Orders that do nothing, and of which a receipt has much to say."""
Patch = pytest.MonkeyPatch


@pytest.mark.parametrize(("title", "options"), GAMES, ids=str)
def test_whole_mails_are_alike_for_whoever_carries_them(tmp_path: Path, title: str, options: Options) -> None:
    look_at(compare(tmp_path, title, options, ("", IDLE)), title)


@pytest.mark.parametrize(("title", "options"), [GAMES[0], GAMES[2], GAMES[4]], ids=str)
def test_so_they_are_where_all_reveal_after_the_close(tmp_path: Path, title: str, options: Options) -> None:
    mails = compare(tmp_path, title, options, ("", IDLE), mode=AFTER_CLOSE)
    look_at(mails, title)
    assert any(b"-notice.txt" in content for _, _, content in mails)


def look_at(mails: list[Seen], title: str) -> None:
    """Is there each kind of mail, so that all of them were compared?"""
    names = b"".join(content for _, _, content in mails)
    for kind in (b"-report.txt", b"-receipt-", b"-reminder", b"-copy-", b"page.html.age", b"SEQUENCE:"):
        assert kind in names, kind
    assert (b"-forecast-" in names) == load(title).has_forecast
    for goal in {goal for _, goal, _ in mails}:
        heads = b"".join(content.partition(b"\r\n\r\n")[0] for _, to, content in mails if to == goal)
        assert b": orders for" in heads


CARDS = "card 1\n", "card 3\n"
"""Cards that are played face-down: the open exchange's best-kept secret."""


def test_no_mail_tells_which_card_was_played(tmp_path: Path) -> None:
    mails = compare(tmp_path, *GAMES[0], CARDS, to_its_end=False)
    assert any(b"-forecast-" in content for _, _, content in mails)


def test_an_id_that_tells_a_card_is_found(tmp_path: Path, monkeypatch: Patch) -> None:
    """The id of a forecast alone, by which the card was found once after 51 tries."""
    honest = envelope.mark_of

    def mark_of(letter: LetterRow) -> str:
        told = hashlib.sha256(f"{letter.at} {letter.text}".encode()).hexdigest()[:16]
        return told if "-forecast-" in letter.name else honest(letter)

    monkeypatch.setattr(envelope, "mark_of", mark_of)
    with pytest.raises(Told, match="forecast"):
        compare(tmp_path, *GAMES[0], CARDS, to_its_end=False)


def an_id_of_what_it_says(patch: Patch) -> None:
    """Message-IDs that are a hash of plain words."""

    def mark_of(letter: LetterRow) -> str:
        return hashlib.sha256(f"{letter.at} {letter.text}".encode()).hexdigest()[:16]

    patch.setattr(envelope, "mark_of", mark_of)


def a_size_of_what_it_says(patch: Patch) -> None:
    """Letters as long as what they say."""
    patch.setattr(Part, "filled", property(lambda part: part.text))


def a_page_as_large_as_it_is(patch: Patch) -> None:
    """A page that is not padded."""
    patch.setattr(compose, "pad", lambda text, _size: text)


def a_subject_of_ones_own(patch: Patch) -> None:
    """A subject that depends on what its reader alone is told."""

    def own(letter: LetterRow, address: str = "", zone: str = "") -> Envelope:
        made = envelope.envelope_of(letter, address, zone)
        return replace(made, moment=made.moment and f"{made.moment}, {len(letter.text)} letters")

    patch.setattr(compose, "envelope_of", own)


def a_calendar_that_counts_for_all(patch: Patch) -> None:
    """A SEQUENCE that counts the letters of the whole club."""
    numbers: dict[tuple[str, str], int] = {}
    honest = Envelope.calendar

    def numbered(letter: LetterRow, address: str = "", zone: str = "") -> Envelope:
        numbers[letter.player, letter.name] = letter.id
        return envelope.envelope_of(letter, address, zone)

    def calendar(own: Envelope, domain: str) -> str:
        lines = honest(own, domain).split("\r\n")
        number = numbers[own.player, own.name]
        return "\r\n".join(f"SEQUENCE:{number}" if "SEQUENCE" in line else line for line in lines)

    patch.setattr(compose, "envelope_of", numbered)
    patch.setattr(Envelope, "calendar", calendar)


def reminders_by_what_is_secret(patch: Patch) -> None:
    """Who has not sent is reminded or not by what the judge alone sees."""
    honest, first = running_deadlines._remind, []

    def remind(club: Club, agenda: Agenda) -> Iterator[Done]:
        first.append(str(replay(club, agenda.game).adjudicator.play.game.view("gm")))
        if first[-1] == first[0]:
            yield from honest(club, agenda)

    patch.setattr(running_deadlines, "_remind", remind)


def a_name_of_what_it_says(patch: Patch) -> None:
    """Attachments that are called by what is in them."""

    def own(letter: LetterRow, address: str = "", zone: str = "") -> Envelope:
        made = envelope.envelope_of(letter, address, zone)
        return replace(made, name=f"{made.stem}-{len(letter.text)}.txt")

    patch.setattr(compose, "envelope_of", own)


LEAKS: dict[Callable[[Patch], None], str] = {
    an_id_of_what_it_says: "Message-ID",
    a_size_of_what_it_says: "bytes sealed",
    a_page_as_large_as_it_is: "bytes sealed",
    a_subject_of_ones_own: "Subject",
    a_calendar_that_counts_for_all: "SEQUENCE",
    reminders_by_what_is_secret: "who is written to",
    a_name_of_what_it_says: "Message-ID",
}
"""Leak -> where the outside of a mail shows it first."""


@pytest.mark.parametrize("leak", LEAKS)
def test_a_leak_is_found(leak: Callable[[Patch], None], tmp_path: Path, monkeypatch: Patch) -> None:
    leak(monkeypatch)
    with pytest.raises(Told, match=LEAKS[leak]):
        compare(tmp_path, "first-war", {"years": 2}, ("", IDLE))


@pytest.mark.parametrize("size", [8_192, 16_384])
def test_a_smaller_size_of_letters_would_tell_orders(tmp_path: Path, monkeypatch: Patch, size: int) -> None:
    """It is why letters are as large as they are (decision 7): the words of a receipt would show."""
    monkeypatch.setattr(sealing, "LETTER_SIZE", size)
    with pytest.raises(Told, match="bytes sealed"):
        compare(tmp_path, "hammer", {"scenario": "braveheart"}, ("", IDLE))


# -- leagues


def league_mails(tmp_path: Path, bid: str) -> list[Seen]:
    """The outside of the mails of a league up to a sealed bid of ann's."""
    folder = tmp_path / bid
    folder.mkdir()
    wire = Wire(folder / "post")
    with smtp_server(wire) as port:
        postal = make_postal(folder, port, wire)
        with closing(postal.table.club.store):
            files = bid_of(postal, bid)
    assert any(b"league.cup-receipt-" in content for _, _, content in wire.seen)
    return list(outside(wire.seen, files))


def bid_of(postal: Postal, bid: str) -> set[str]:
    """A league is drawn, and ann bids; the files that were sent."""
    club, clock = postal.table.club, postal.table.clock
    data = file_of("swiss", count=1, more='[sides]\nby = "bids"')
    begin_league(club, data.replace(b"2027-01-31", b"2026-01-31"))
    world, files = World(club, clock), set()
    world.enter("ann", "ben")
    for name in ("ann", "ben"):
        club.store._change("UPDATE player SET address = ? WHERE name = ?", f"{name}@example.org", name)
    clock.now = world.book.file.until
    postal.run(after_gap=True)
    for names in (("ann", "ben"), ("ann",)):
        for name in names:
            sealed = world.reply(name, bids=(lambda _: bid) if names == ("ann",) else None)
            files.add(sealed_name(sealed))
            postal.send(to_armor(sealed), sender=f"{name}@example.org")
        postal.run()
    return files


def test_a_league_s_mails_tell_no_sealed_bid(tmp_path: Path) -> None:
    check_alike(league_mails(tmp_path, "s1"), league_mails(tmp_path, "e3"))


def test_an_id_that_tells_a_sealed_bid_is_found(tmp_path: Path, monkeypatch: Patch) -> None:
    an_id_of_what_it_says(monkeypatch)
    with pytest.raises(Told):
        check_alike(league_mails(tmp_path, "s1"), league_mails(tmp_path, "e3"))


# -- what is hashed


def test_a_receipt_that_is_shown_tells_no_orders(postal: Postal) -> None:
    """Its hash is over words and a salt of its own, so that nobody finds the words by trying."""
    table = postal.table
    table.go()
    table.send("alice", "move Wallace from Fife to Angus")
    letters = [row for row in table.club.store.letters_to("demo", "alice") if "-receipt-" in row.name]
    texts = [
        [open_sealed(one, [table.people["alice"].key]) for one in find_sealed(row.data)] for row in letters
    ]
    letter, (signed, words) = letters[-1], texts[-1]
    echo = parse_receipt(split(signed).body).echo
    text = words.rstrip(b"\n") + b"\n"
    assert hashlib.sha256(text).hexdigest() == echo
    said = without_salt(text.decode())
    assert said == letter.text
    assert text.startswith(said.encode())
    assert hashlib.sha256(said.encode()).hexdigest() != echo
    salts = {told.split()[-1] for _, told in texts}
    assert len(salts) == len(letters) > 1, "none tells that of another"
    due = echo_salt(table.club.roots("demo").salt, "demo", letter.sealed)
    assert words.split()[-1].decode() == due, "it follows from a secret of the judge's alone"


# -- sizes


def sizes(postal: Postal) -> list[int]:
    """Of the reports that were sent last, as their readers open them."""
    table = postal.table
    rows = [table.club.store.letters_to("demo", name)[-1] for name in ("alice", "bob")]
    opened = [open_sealed(next(iter(find_sealed(row.data))), [table.people[row.player].key]) for row in rows]
    return [len(text) for text in opened]


def test_a_letter_that_is_too_long_makes_all_of_its_exchange_as_long(postal: Postal) -> None:
    table = postal.table
    table.go()
    assert sizes(postal) == [LETTER_SIZE, LETTER_SIZE]
    book, store = table.book, table.club.store
    texts = {person.side: "x\n" for person in table.people.values()}
    texts[table.people["alice"].side] = "x\n" * LETTER_SIZE
    with store.step():
        checkpoint = store.checkpoints("demo")[-1]
        letters_out.send_reports(store, book, table.club.key, checkpoint, 2, texts, NOTICE)
    assert sizes(postal) == [3 * LETTER_SIZE, 3 * LETTER_SIZE]


# -- what others send

KEYED = re.compile(rb"(?<=answer-)[0-9a-f]{16}(?=[.])")
"""The keyed hash in the name of an answer, by which nobody counts anything."""


def sequence(folder: Path, others: int) -> list[Seen]:
    """The outside of all mails to alice, while so many mails of others come between hers."""
    folder.mkdir()
    wire = Wire(folder / "post")
    with chance.of("outside a sequence"), smtp_server(wire) as port:
        postal = make_postal(folder, port, wire)
        files: set[str] = set()
        for number in range(3):
            for other in range(others):
                postal.send(f"when does {GAME} begin?\n", f"m{number}{other}@example.net")
                postal.send("help\n", "bob@example.org")
                postal.send(b"no age file", "bob@example.org", Subject=f"orders {GAME}")
            postal.send("help\n", Subject=f"help {number}", Message_ID=f"<help-{number}@example.org>")
            armor = postal.table.sealed("alice", rev=number + 1)
            files |= {sealed_name(one) for one in find_sealed(armor)}
            postal.send(armor, Message_ID=f"<orders-{number}@example.org>")
            postal.send(armor[:-60], Message_ID=f"<cut-{number}@example.org>")
            postal.run()
            postal.table.clock.pass_days(1)
        postal.table.club.store.close()
    seen = [one for one in wire.seen if one[1] == "alice@example.org"]
    assert sum(b"pbem1.club.answer" in content for _, _, content in seen) >= 6
    return [(one, two, KEYED.sub(b"(keyed)", content)) for one, two, content in outside(seen, files)]


def test_no_sequence_of_mails_counts_what_others_send(tmp_path: Path) -> None:
    check_alike(sequence(tmp_path / "quiet", 0), sequence(tmp_path / "busy", 3))
