"""An archive may come from anybody: it is read, or it is said why not; in no time, with no stack trace."""

from __future__ import annotations

import gzip
import io
import random
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.audit import bundle as bundles
from pbem.audit.bundle import BLOCK, BadArchive, Files, members, read_bundle
from pbem.cli import main
from pbem.errors import ConfigError
from pbem.trust import formats
from pbem.trust.entries import Genesis
from pbem.trust.formats import largest
from pbem.trust.ledger import parse_entry
from tests.audit.attack import Scene
from tests.audit.test_bundle import _file, packed
from tests.golden.test_recorded_games import GAMES

NAME = "bundle/log/0001.entry"
SHORT, LONG = 300, 100_000


def header(kind: bytes, size: int, name: str = NAME) -> bytes:
    """One header block."""
    info = tarfile.TarInfo(name)
    info.type, info.size = kind, size
    return info.tobuf(tarfile.GNU_FORMAT)


def noted(kind: bytes, data: bytes) -> bytes:
    """A header that says more of the next member."""
    return header(kind, len(data)) + data + bytes(-len(data) % BLOCK)


def record(key: str, value: str) -> bytes:
    """A pax record."""
    rest = f" {key}={value}\n"
    size = len(rest) + 1
    return f"{size + (len(str(size + len(str(size)))) - 1)}{rest}".encode()


def _sparse() -> bytes:
    packet = io.BytesIO()
    with tarfile.open(fileobj=packet, mode="w", format=tarfile.PAX_FORMAT) as tar:
        info = tarfile.TarInfo(NAME)
        info.pax_headers = {"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.realsize": "9" * 18}
        info.size = 4
        tar.addfile(info, io.BytesIO(b"9\n9\n"))
    return packet.getvalue()


HOSTILE = {
    "a pax size": noted(b"x", record("size", "9" * 20)) + header(b"0", 0) + bytes(1024),
    "a pax size for all": noted(b"g", record("size", "9" * 20)) + header(b"0", 0) + bytes(1024),
    "sparse by pax": _sparse(),
    "sparse by GNU": header(b"S", 1 << 30) + bytes(1024),
    "nested long names": noted(b"L", b"a" * 200) * 30_000 + header(b"0", 0) + bytes(1024),
    "nested pax records": noted(b"x", record("path", NAME)) * 30_000 + header(b"0", 0) + bytes(1024),
    "pax records for all without end": noted(b"g", record("comment", "x")) * 30_000 + bytes(1024),
    "an endless long name": header(b"L", 1 << 30) + bytes(1024),
    "pax records of no length": noted(b"x", b"0 path=\n" * 100) + header(b"0", 0) + bytes(1024),
    "a negative size": header(b"0", 0)[:124] + b"-0000000001\0" + header(b"0", 0)[136:] + bytes(1024),
    "a size in base 256": header(b"0", 1 << 40) + bytes(1024),
    "a header of nothing": noted(b"L", b"a") + bytes(1024),
    "cut off": header(b"0", 900) + b"x" * 100,
}


@pytest.mark.ci
@pytest.mark.parametrize("data", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_archive_is_refused_with_a_reason(
    data: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = _file(gzip.compress(data), tmp_path)
    assert main(["audit", str(path)]) == 1
    told = capsys.readouterr().err
    assert "is not a readable .tar.gz: " in told
    assert "fault in the program" not in told


@pytest.mark.ci
@pytest.mark.parametrize("format_of", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
@pytest.mark.parametrize("top", ["b", "a-bundle-with-a-name-that-is-so-long-that-it-does-not-fit-any-more"])
def test_what_tar_writes_is_read(scene: Scene, tmp_path: Path, format_of: int, top: str) -> None:
    packet = io.BytesIO()
    with tarfile.open(fileobj=packet, mode="w:gz", format=format_of) as tar:
        for name, data in scene.earlier.items():
            info = tarfile.TarInfo(f"{top}/{name}")
            info.size, info.mtime = len(data), 1.5 if format_of == tarfile.PAX_FORMAT else 1
            tar.addfile(info, io.BytesIO(data))
    assert read_bundle(_file(packet.getvalue(), tmp_path)) == Files(scene.earlier, ())


@given(st.binary(max_size=3 * BLOCK))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    try:
        list(members(io.BytesIO(data).read, largest))
    except BadArchive:
        return


FIELDS = st.sampled_from([0, 99, 100, 124, 135, 136, 148, 155, 156, 257, 262, 263, 345, 499, 511])


@pytest.mark.ci
@given(
    st.lists(
        st.tuples(st.sampled_from(b"0567LKxgS12\0"), st.binary(max_size=600), FIELDS, st.binary(max_size=8))
    )
)
def test_any_headers_are_read_or_refused(parts: list[tuple[int, bytes, int, bytes]]) -> None:
    """Headers whose sums are right, and whose fields are anything."""
    packet = b""
    for kind, data, place, odd in parts:
        block = bytearray(header(bytes([kind]), len(data)))
        block[place : place + len(odd)] = odd
        packet += summed(bytes(block[:BLOCK])) + data + bytes(-len(data) % BLOCK)
    try:
        list(members(io.BytesIO(packet + bytes(1024)).read, largest))
    except BadArchive:
        return


def summed(block: bytes) -> bytes:
    """A header with the right checksum."""
    total = sum(block[:148]) + 8 * 32 + sum(block[156:])
    return block[:148] + f"{total:06o}\0 ".encode() + block[156:]


def mutated(raw: bytes, chooser: random.Random) -> bytes:
    """A real archive, unpacked, in which something was changed; half of the time the sums fit again."""
    data = bytearray(raw)
    for _ in range(chooser.randint(1, 4)):
        place = chooser.randrange(len(data))
        block = place - place % BLOCK
        match chooser.randrange(5):
            case 0:
                data[place] = chooser.randrange(256)
            case 1:
                del data[place : place + chooser.randint(1, 2000)]
            case 2:
                data[place:place] = data[block : block + BLOCK * chooser.randint(1, 4)]
            case 3:
                data[block + 156 : block + 157] = bytes([chooser.choice(b"LKxgS01234567DMV")])
            case _:
                data[block + 124 : block + 136] = chooser.choice(
                    [b"77777777777\0", b"00000000000\0", bytes(12)]
                )
        if not data:
            return b""
        if chooser.random() < 0.5 and len(data) >= block + BLOCK:
            data[block : block + BLOCK] = summed(bytes(data[block : block + BLOCK]))
    return bytes(data)


@pytest.mark.ci
@pytest.mark.parametrize("count", [SHORT, pytest.param(LONG, marks=pytest.mark.slow)])
def test_mutations_of_a_real_archive(scene: Scene, folder: Callable[[], Path], count: int) -> None:
    few = dict(list(scene.earlier.items())[:12])
    raw = gzip.decompress(packed(few))
    chooser = random.Random("archives")
    path = folder()
    ended = {"read": 0, "refused": 0}
    for _ in range(count):
        data = gzip.compress(mutated(raw, chooser), 0)
        if chooser.random() < 0.1:  # the compression is damaged as well
            place = chooser.randrange(len(data))
            data = data[:place] + bytes([chooser.randrange(256)]) + data[place + chooser.randrange(3) :]
        try:
            read_bundle(_file(data, path))
        except ConfigError:
            ended["refused"] += 1
        else:
            ended["read"] += 1
    assert min(ended.values()) > count / 20, ended


def test_how_large_a_bundle_may_be_its_genesis_says_and_no_other_of_its_files() -> None:
    genesis = read_bundle(GAMES[-1] / "bundle.tar.gz").known_files[bundles.GENESIS]
    said, before = parse_entry(genesis), formats.BEFORE_GENESIS
    assert isinstance(said, Genesis)
    game = formats.limits(len(said.players), said.exchanges)
    rows: list[tuple[str, bytes | None, formats.Limits, formats.Limits]] = [
        (bundles.GENESIS, genesis, game, game),
        *((name, genesis, before, game) for name in ("log/0002.entry", "dice/all.txt", bundles.LEAGUE_FILE)),
        *((bundles.GENESIS, data, before, game) for data in (None, b"", b"leagues x\n", b"close 1\n")),
        *((bundles.LEAGUE_FILE, data, before, game) for data in (None, b"no league")),
        (bundles.GENESIS, b"league x\n", formats.MAX_LEAGUE_SIZE, game),
    ]
    for name, data, first, later in rows:
        assert [bundles._limits(name, data, one) for one in (before, game)] == [first, later], (name, data)
