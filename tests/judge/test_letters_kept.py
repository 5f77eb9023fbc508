"""Letters are kept packed, and read byte for byte as they were written."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest

from pbem.judge.tables.database import Damaged
from pbem.judge.tables.store import Store
from pbem.trust.sealing import to_armor
from tests.judge.table import make_table

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


def test_a_letter_that_cannot_be_unpacked_is_named(tmp_path: Path) -> None:
    store = Store(tmp_path / "club.db", create=True)
    try:
        store.add_letter("demo", "alice", "demo-0001-report.txt", SEALED)
        store.connection.execute("UPDATE letter SET data = substr(data, 1, 99)")
        with pytest.raises(
            Damaged, match=r"letter demo-0001-report\.txt is damaged .* restore the last backup"
        ):
            store.letters()
    finally:
        store.close()


def test_letters_from_before_are_read_as_they_are(tmp_path: Path) -> None:
    """A journal of a release before has them, too, in its records."""
    table = make_table(tmp_path)
    store = table.club.store
    letter = next(one for one in store.letters() if one.data)
    try:
        with store.step():
            store.connection.execute("UPDATE letter SET data = ? WHERE id = ?", (letter.data, letter.id))
        assert store.letter(letter.id) == letter
        store.forget_letters(letter.player, "")
        assert (forgotten := store.letter(letter.id)) is not None
        assert forgotten.data == b""
    finally:
        store.close()
