"""What a bundle says does not decide how much memory its audit takes: only what is being read is in it."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from pbem.audit import audit
from pbem.audit.bundle import MAX_SIZE_IN_MEMORY, SpooledFiles
from pbem.audit.findings import State
from pbem.trust import ledger
from pbem.trust.formats import MAX_ENTRY_SIZE
from tests.audit.attack import Scene
from tests.audit.workshop import Workshop
from tests.benchmarks.bench_audit import memory

MOST = 150
"""Megabytes; the audit of an honest bundle of this game takes 50."""
ZEROS = bytes(1_999_000)


SALT = "5" * 64


def packed(folder: Path, files: Mapping[str, bytes]) -> Path:
    """Write an archive of a bundle, its first entry first."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "bundle.tar.gz"
    with tarfile.open(path, "w:gz", compresslevel=1) as archive:
        for file, data in {"log/0001.entry": files["log/0001.entry"], **files}.items():
            member = tarfile.TarInfo(file)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return path


@pytest.mark.ci
@pytest.mark.parametrize(
    "name", ["sealed/{:064x}.age", "reports/scotland/{:04d}.txt", "checkpoints/{:04d}.txt"]
)
def test_a_bundle_as_large_as_its_game_may_have_is_not_held_in_memory(
    scene: Scene, folder: Callable[[], Path], name: str
) -> None:
    """It has 290 MB, and 0.7 as an archive."""
    files = scene.skirmish.bundle()
    more = {name.format(number): ZEROS for number in range(900, 1_045)}
    assert memory(packed(folder(), files | more), refuted=True) < MOST


@pytest.mark.ci
@pytest.mark.parametrize("size", [MAX_ENTRY_SIZE, 2 * MAX_ENTRY_SIZE])
def test_entries_that_cannot_follow_each_other_are_not_all_held_in_memory(
    scene: Scene, folder: Callable[[], Path], size: int
) -> None:
    """Each is a whole `resolve`, with as many dice as an entry has room for."""
    shop = Workshop(scene.skirmish)
    text = shop.find("resolve 3").text
    last = next(line for line in reversed(text.split("\n")) if line.startswith("die "))
    many = "".join(f"die 3 6 x/{number:06}/die-1 2\n" for number in range((size - len(text)) // 27))
    entry = text.replace(f"{last}\n", f"{last}\n{many}").encode()
    entries = [shop.files["log/0001.entry"], *[entry] * 300]
    leaves = [ledger.leaf(SALT, one) for one in entries]
    files = {f"log/{number:04d}.entry": one for number, one in enumerate(entries, 1)}
    files |= {f"log/{number:04d}.salt": f"{SALT}\n".encode() for number in range(1, len(entries) + 1)}
    files["log/leaves"] = "".join(f"{number} {leaf}\n" for number, leaf in enumerate(leaves, 1)).encode()
    path = packed(folder(), files)
    assert memory(path, refuted=True) < MOST
    (row,) = [row for row in audit(path).rows if row.state is State.REFUTED]
    assert ("no entry has more than 131,072" in row.detail) == (size > MAX_ENTRY_SIZE)


def test_files_are_the_same_in_memory_and_on_disk() -> None:
    files, large = SpooledFiles(), bytes(range(256)) * (MAX_SIZE_IN_MEMORY // 512)
    for number in range(4):
        files[str(number)] = large + str(number).encode()
        files[f"empty {number}"] = b""
    files["0"] = b"another"
    del files["1"]
    assert list(files) == ["0", "empty 0", "empty 1", "2", "empty 2", "3", "empty 3"]
    assert (files["0"], files["2"], files["empty 2"]) == (b"another", large + b"2", b"")
    assert "1" not in files
    with pytest.raises(KeyError):
        files["1"]
