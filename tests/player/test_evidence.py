"""Evidence lies in a folder that is named by what is in it."""

from __future__ import annotations

from pathlib import Path

from pbem.player.kept.held import Held


def test_two_proofs_of_one_length_are_two_folders(tmp_path: Path) -> None:
    held = Held(tmp_path, ())
    first = held.keep_evidence("fork", {"head.txt": b"1"})
    assert held.keep_evidence("fork", {"head.txt": b"2"}) != first
    assert held.keep_evidence("fork", {"head.txt": b"1"}) == first
    assert (first / "head.txt").read_bytes() == b"1"
