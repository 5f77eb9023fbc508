"""The sealed copy of a home: what its player signs, who can open it, and how large it is."""

from __future__ import annotations

import zipfile
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path

import pytest

from pbem.trust import post_box
from pbem.trust.faults import TrustFault
from pbem.trust.identifiers import Namespace
from pbem.trust.keys import generate
from pbem.trust.post_box import MAX_HOME_SIZE, HomeCopyText, copy_size, make_copy_key, open_copy, seal_copy
from pbem.trust.sealing import AGE_MAGIC, open_sealed, recipient_of, seal
from pbem.trust.signature import sign_text
from tests.trust.stock import finished, run

BOX = "https://box.club.example/"
MADE = datetime(2026, 11, 28, 3, tzinfo=UTC)
ALICE, BOB = generate("alice"), generate("bob")
COPY_KEY = make_copy_key()


def zipped(**contents: str) -> bytes:
    out = BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in contents.items():
            archive.writestr(name, content)
    return out.getvalue()


ZIP = zipped(one="1", two="2")


def sealed(data: bytes = ZIP, generation: int = 7) -> bytes:
    return seal_copy(data, BOX, generation, MADE, ALICE, COPY_KEY)


def test_a_copy_comes_back_as_it_was_signed() -> None:
    said, data = open_copy(sealed(), BOX, [ALICE])
    assert (said.generation, said.box, said.made, data) == (7, BOX, MADE, ZIP)


def test_nobody_else_opens_it_and_nobody_else_makes_one() -> None:
    with pytest.raises(TrustFault, match="sealed to another key"):
        open_copy(sealed(), BOX, [BOB])
    forged = seal(open_sealed(seal_copy(ZIP, BOX, 7, MADE, BOB, COPY_KEY), [BOB]), [ALICE.public])
    with pytest.raises(TrustFault, match="the signature was made with the key"):
        open_copy(forged, BOX, [ALICE])


def test_what_is_larger_than_a_copy_can_be_is_not_opened() -> None:
    most = post_box._MAX_SEALED_SIZE
    for size, why in ((most, "does not end"), (most + 1, f"{most:,} are accepted at most")):
        with pytest.raises(TrustFault, match=why):
            open_copy(AGE_MAGIC.ljust(size), BOX, [ALICE])


@pytest.mark.parametrize(
    ("before", "after", "why"),
    [
        (b"generation 7", b"generation 8", "changed"),
        (ZIP, zipped(one="3"), "is not the one that was signed"),
        (b"pbem1 home-copy", b"pbem1 box-request", "changed"),
        (b"\n\n", b"\nx", "is not the one that was signed"),
        (b"-----END SSH", b"-----END PGP", "not written as its format demands"),
    ],
)
def test_what_was_changed_is_refused(before: bytes, after: bytes, why: str) -> None:
    plain = open_sealed(sealed(), [ALICE])
    with pytest.raises(TrustFault, match=why):
        open_copy(seal(plain.replace(before, after, 1), [ALICE.public]), BOX, [ALICE])


GOOD = HomeCopyText(key=ALICE.public.fingerprint, box=BOX, generation=7, made=MADE, zip_sha256="a" * 64)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("generation 7\n", ""),
        ("generation 7", "generation 07"),
        ("generation 7", "generation x"),
        ("zip aaaa", "zip xaaa"),
        pytest.param(f"key {ALICE.public.fingerprint}", f"key {BOB.public.fingerprint}", id="another's key"),
        ("pbem1 home-copy", "pbem1 box-request"),
    ],
)
def test_another_text_that_the_player_has_signed_is_no_copy(before: str, after: str) -> None:
    text = GOOD.text.decode().replace(before, after)
    assert text != GOOD.text.decode()
    signed = sign_text(ALICE, Namespace.BOX, text.encode())
    with pytest.raises(TrustFault, match="not written as its format demands"):
        open_copy(seal(signed + ZIP, [ALICE.public]), BOX, [ALICE])


def test_a_signature_for_something_else_is_refused() -> None:
    signed = sign_text(ALICE, Namespace.ORDERS, GOOD.text)
    with pytest.raises(TrustFault, match="the signature was made for"):
        open_copy(seal(signed + ZIP, [ALICE.public]), BOX, [ALICE])


def test_a_copy_of_another_box_is_refused() -> None:
    with pytest.raises(TrustFault, match="was made for another box"):
        open_copy(sealed(), "https://other.example/", [ALICE])


def test_its_size_hardly_tells_what_is_in_it() -> None:
    plain = {len(open_sealed(sealed(ZIP + bytes(size)), [ALICE])) for size in (0, 1, 30_000, 60_000)}
    assert plain == {65_536}, "what age draws beside it has nothing to do with it"
    sizes = {copy_size(size) for size in range(1, MAX_HOME_SIZE, 10_007)}
    assert sorted(sizes) == [65_536 * 2**n for n in range(5)] + [1_048_576 * n for n in range(2, 6)]


def test_one_byte_more_has_no_room_in_a_box() -> None:
    assert copy_size(MAX_HOME_SIZE) == MAX_HOME_SIZE
    with pytest.raises(TrustFault, match="a post box keeps a copy of 5,242,880 at most"):
        copy_size(MAX_HOME_SIZE + 1)
    head = len(open_sealed(sealed(), [ALICE])) - len(ZIP)
    whole = seal_copy(bytes(MAX_HOME_SIZE - post_box._HEAD), BOX, 1, MADE, ALICE, COPY_KEY)
    assert head > 0
    assert len(open_copy(whole, BOX, [ALICE])[1]) == MAX_HOME_SIZE - post_box._HEAD


def test_the_sheet_opens_it_with_stock_programs(tmp_path: Path) -> None:
    (tmp_path / "sheet").write_text(f"{COPY_KEY}\n")
    (tmp_path / "copy").write_bytes(sealed())
    run("age", "-d", "-i", tmp_path / "sheet", "-o", tmp_path / "home.zip", tmp_path / "copy")
    finished("unzip", "-q", "-d", tmp_path / "home", tmp_path / "home.zip")
    assert (tmp_path / "home/two").read_text() == "2"
    assert recipient_of(COPY_KEY).startswith("age1")
