"""Letters are kept packed and unsealed, and leave with the same bytes whenever they are read."""

from __future__ import annotations

import base64
import shutil
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from pbem.judge.letters import letter_files
from pbem.judge.tables.database import Damaged
from pbem.judge.tables.packing import Part, Unsealed, read_letter
from pbem.judge.tables.store import Store
from pbem.judge.upkeep import backups
from pbem.trust.armor import find_sealed
from pbem.trust.faults import SealFault
from pbem.trust.sealing import COPY_UNIT, LETTER_SIZE, RECEIPT_SIZE, open_sealed, sealed_name, to_armor
from tests.judge.table import GAME, SEATS, Table, make_table

SEALED = to_armor(bytes(number * number % 251 for number in range(65_536))).encode()


@pytest.mark.parametrize("data", [b"", SEALED, SEALED + b"\n" + SEALED, b"x", b"x\x9c", bytes(range(256))])
def test_a_letter_is_read_as_it_was_written(tmp_path: Path, data: bytes) -> None:
    store = Store(tmp_path / "club.db", create=True)
    try:
        store.add_letter("demo", "alice", "demo-0001-report.txt", data)
        (letter,) = store.letters()
        assert letter.data == data
        assert store.letter(letter.id) == letter
        assert store.letters_to("demo", "alice") == [letter]
    finally:
        store.close()


def test_armor_takes_less_room_than_it_has_letters(tmp_path: Path) -> None:
    """Base64 has 64 signs in 256: a quarter of it carries nothing."""
    noise = base64.b64decode(SEALED.split(b"\n", 1)[1].rsplit(b"\n", 2)[0])
    store = Store(tmp_path / "club.db", create=True)
    try:
        store.add_letter("demo", "alice", "demo-0001-report.txt", SEALED)
        kept = store.connection.execute("SELECT length(data) FROM letter").fetchone()[0]
    finally:
        store.close()
    assert kept < len(noise) * 1.05


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Table:
    """Two exchanges, of which every letter has left; the club is closed."""
    table = make_table(tmp_path_factory.mktemp("kept"))
    letter_files.deliver(table.club)
    for _ in range(2):
        table.go(1)
        letter_files.deliver(table.club)
    table.club.store.close()
    return table


@pytest.fixture
def played(made: Table, tmp_path: Path) -> Iterator[Table]:
    """A copy of that club."""
    table = made.copied(tmp_path)
    yield table
    table.club.store.close()


def files(folder: Path) -> dict[tuple[str, str], bytes]:
    """What lies in `out`, by reader and name."""
    return {(path.parent.name, path.name): path.read_bytes() for path in folder.rglob("*.txt")}


def test_letters_that_are_sent_again_have_the_bytes_that_left(played: Table) -> None:
    """Though no ciphertext is kept: by the same process, by another, and in a club that was restored."""
    out = played.club.out
    left = files(out)
    assert {name for _, name in left} >= {"demo-0002-report.txt", "demo-receipt-0002.txt"}
    kept = [row[0] for row in played.club.store.connection.execute("SELECT data FROM letter")]
    assert not any(b"AGE ENCRYPTED" in data for data in kept)
    backups.backup(played.club, played.club.path.parent / "backup.tar.gz")
    played.reopen()
    again = backups.restore(played.club.path.parent / "backup.tar.gz", played.club.path.parent / "again")
    for club in (played.club, again):
        shutil.rmtree(club.out, ignore_errors=True)
        for name in SEATS:
            letter_files.resend(club, GAME, name)
        assert files(club.out) == left
    again.store.close()


def test_what_leaves_opens_to_what_was_signed(played: Table) -> None:
    """Filled up to its size, and sealed to its reader alone; each letter by a seed of its own."""
    sizes = {"report": [LETTER_SIZE], "receipt": [RECEIPT_SIZE, LETTER_SIZE], "copy": [COPY_UNIT]}
    seeds = set()
    for letter in played.club.store.letters():
        own, other = (played.people[name].key for name in sorted(SEATS, key=letter.player.__ne__))
        (wanted,) = (size for kind, size in sizes.items() if f"-{kind}" in letter.name)
        parts = find_sealed(letter.data)
        assert [len(open_sealed(part, [own])) for part in parts] == wanted
        assert letter.text.split("\n")[0].encode() in open_sealed(parts[-1], [own])
        seeds |= {part[part.index(b"---") :][:48] for part in parts}
        with pytest.raises(SealFault, match="another key"):
            open_sealed(parts[0], [other])
    count = played.club.store.connection.execute("SELECT count(DISTINCT substr(data, 2, 32)) FROM letter")
    assert count.fetchone()[0] == len(played.club.store.letters())


def test_a_letter_takes_no_room_for_what_is_kept_elsewhere(played: Table) -> None:
    """The ledger's report and its orders are kept for it; letters add the new entries and what is signed."""
    rows = played.club.store.connection.execute(
        "SELECT name, length(data), length(text) FROM letter"
    ).fetchall()
    room = {name: size for name, size, _ in rows}
    assert not any(words for *_, words in rows)
    report = played.club.store.letter_text(GAME, "alice", "demo-0002-report.txt").encode()
    assert room["demo-0002-report.txt"] < len(zlib.compress(report, 9))
    assert room["demo-receipt-0002.txt"] < 1_500
    assert max(size for name, size in room.items() if "-0002-copy-" in name) < 1_000


def test_a_letter_without_what_it_repeats_is_named(played: Table) -> None:
    played.club.store.connection.execute("DELETE FROM sealed")
    with pytest.raises(
        Damaged, match=r"letter demo-0001-copy-\w+\.txt is damaged .* it needs .* restore the last backup"
    ):
        played.club.store.letters()


@pytest.mark.parametrize(
    "change", ["substr(data, 1, length(data) - 1)", "CAST(data || x'00' AS BLOB)", "substr(data, 1, 40)"]
)
def test_a_damaged_letter_is_never_sealed(played: Table, change: str) -> None:
    played.club.store.connection.execute(f"UPDATE letter SET data = {change}")  # noqa: S608
    with pytest.raises(Damaged, match="is damaged"):
        played.club.store.letters()


def test_a_letter_that_is_forgotten_says_nothing_any_more(played: Table) -> None:
    store = played.club.store
    with store.step():
        store.forget_letters("alice", "")
    assert store.letter_heads(GAME, "alice", sealed=True) == []
    assert {(one.data, one.text) for one in store.letters_to(GAME, "alice")} == {(b"", "")}
    assert store.letter_heads(GAME, "bob", sealed=True)


def test_who_is_forgotten_is_named_to_the_readers_of_letters_alone(played: Table) -> None:
    """The head of a letter may name an opponent's address; it leaves as ever, and is not kept to be read."""
    store, key = played.club.store, played.people["alice"].key
    said = Unsealed(key.public.line, (Part(b"copies Bob@example.org\n", COPY_UNIT),))
    with store.step():
        store.add_letter(GAME, "alice", "demo-0003-notice.txt", said, text="A notice.\n")
        store.add_letter(GAME, "alice", "demo-0004-notice.txt", said._replace(parts=(Part(b"x", COPY_UNIT),)))
    before = store.letters_to(GAME, "alice")
    with store.step():
        store.forget_letters("bob", "bob@example.org")
    assert store.letters_to(GAME, "alice") == before
    (sealed,) = find_sealed(before[-2].data)
    assert b"copies Bob@example.org" in open_sealed(sealed, [key])
    rows = store.connection.execute("SELECT data FROM letter ORDER BY id").fetchall()
    kept = [read_letter(row[0], store.base_words) for row in rows if row[0]]
    assert kept[-2] is None
    assert kept[-1] is not None


@pytest.mark.parametrize("raw", [b"\x01", b"\x01" + bytes(40), b"x", b"\x01" + zlib.compress(b"a mail")])
def test_whatever_arrives_is_kept_as_it_came(played: Table, raw: bytes) -> None:
    """Also what might pass for a packed mail: before it is looked at, after that, and when it is again."""
    store = played.club.store
    with store.step():
        number = store.add_incoming("2026-01-01T00:00:00Z", raw, "")
    for _ in range(2):
        assert [row.raw for row in store.waiting()] == [raw]
        with store.step():
            store.finish_incoming(number, "looked at")
        assert dict(store.stored_arrivals())[number] == raw
        with store.step():
            store.look_at(number)


def test_a_mail_takes_no_room_for_the_orders_in_it(played: Table) -> None:
    """Their file is kept for the ledger; the mail is read as it came, and not without that file."""
    store, armor = played.club.store, played.sealed("alice")
    raw = b"From: alice@example.org\r\n\r\n" + armor.replace(b"\n", b"\r\n")
    with store.step():
        number = store.add_incoming("2026-01-01T00:00:00Z", raw, "", "maildir:1")
        (file,) = find_sealed(armor)
        store.add_sealed(sealed_name(file), file)
        store.finish_incoming(number, "received", "alice@example.org", [b"another file", file])
    assert dict(store.stored_arrivals())[number] == raw
    row = store.connection.execute("SELECT length(raw) FROM incoming WHERE id = ?", (number,))
    assert row.fetchone()[0] < len(raw) / 10
    store.connection.execute("DELETE FROM sealed WHERE sha256 = ?", (sealed_name(file),))
    with pytest.raises(
        Damaged, match=f"arrived as {number} is damaged .* it needs .* restore the last backup"
    ):
        dict(store.stored_arrivals())


def test_files_from_before_are_read_as_they_are(played: Table) -> None:
    """Reports were kept as text, and a journal of a release before has them so."""
    store = played.club.store
    names = [row[0] for row in store.connection.execute("SELECT sha256 FROM sealed").fetchall()]
    before = {name: store.named_file(name) for name in names}
    assert any(data.startswith(b"age-") for data in before.values())
    assert not all(data.startswith(b"age-") for data in before.values())
    letters = store.letters()
    with store.step():
        for name, data in before.items():
            store.connection.execute("UPDATE sealed SET data = ? WHERE sha256 = ?", (data, name))
    assert {name: store.named_file(name) for name in names} == before
    assert store.letters() == letters


def test_letters_from_before_are_read_as_they_are(tmp_path: Path) -> None:
    """A journal of a release before has them, too, in its records."""
    table = make_table(tmp_path)
    store = table.club.store
    letter = next(one for one in store.letters() if one.data)
    try:
        with store.step():
            store.connection.execute(
                "UPDATE letter SET data = ?, text = ? WHERE id = ?", (letter.data, letter.text, letter.id)
            )
        assert store.letter(letter.id) == letter
        store.forget_letters(letter.player, "")
        assert (forgotten := store.letter(letter.id)) is not None
        assert forgotten.data == b""
    finally:
        store.close()
