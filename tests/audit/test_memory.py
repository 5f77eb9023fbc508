"""What a bundle says does not decide how much memory its audit takes: only what is being read is in it."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from pbem.audit.bundle import LARGEST_IN_MEMORY, SpooledFiles
from tests.audit.attack import Scene
from tests.benchmarks.bench_audit import memory

MOST = 150
"""Megabytes; the audit of an honest bundle of this game takes 50."""
ZEROS = bytes(1_999_000)


@pytest.mark.ci
@pytest.mark.parametrize(
    "name", ["sealed/{:064x}.age", "reports/scotland/{:04d}.txt", "checkpoints/{:04d}.txt"]
)
def test_a_bundle_as_large_as_its_game_may_have_is_not_held_in_memory(
    scene: Scene, folder: Callable[[], Path], name: str
) -> None:
    """It has 290 MB, and 0.7 as an archive."""
    path = folder() / "bundle.tar.gz"
    path.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(path, "w:gz", compresslevel=1) as archive:
        files = scene.skirmish.bundle()
        first = {"log/0001.entry": files["log/0001.entry"]}
        more = {name.format(number): ZEROS for number in range(900, 1_045)}
        for file, data in (first | files | more).items():
            member = tarfile.TarInfo(file)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    assert memory(path, refuted=True) < MOST


def test_files_are_the_same_in_memory_and_on_disk() -> None:
    files, large = SpooledFiles(), bytes(range(256)) * (LARGEST_IN_MEMORY // 512)
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
