"""A bundle of a named format stays readable; of a format that is not known nothing is said."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pbem.audit.bundle import Files as Read
from pbem.audit.bundle import read_bundle
from pbem.audit.game import audit_files
from pbem.errors import ConfigError
from tests.audit.script import verify_sh
from tests.audit.stage import write

KEPT = Path(__file__).parents[2] / "games/first-war-1298/bundle.tar.gz"
"""A finished game. From the first release on one of its day is kept here, and never made anew."""


@pytest.mark.ci
def test_a_bundle_of_the_format_is_readable(folder: Callable[[], Path]) -> None:
    """Whatever becomes of the rules, all but playing it again is proven."""
    files = read_bundle(KEPT)
    findings = audit_files(files)
    assert not findings.is_refuted, [str(row) for row in findings.rows]
    proven = {row.claim for row in findings.rows if row.state == "proven"}
    assert {
        "the entries follow each other as the protocol demands",
        "every opened order file is its player's, and was rightly received or refused",
        "every die is the one that its key and label give, and no label was used twice",
        "the judge's secrets are those that the genesis fixes",
    } <= proven
    status, printed = verify_sh(write(files.known_files, folder()))
    assert status == 0, printed


@pytest.mark.parametrize("line", [b"format 4\n", b""])
def test_of_a_format_that_is_not_known_nothing_is_said(folder: Callable[[], Path], line: bytes) -> None:
    files = dict(read_bundle(KEPT).known_files)
    files["log/0001.entry"] = files["log/0001.entry"].replace(b"format 3\n", line)
    with pytest.raises(ConfigError, match="nothing can be said of this bundle"):
        audit_files(Read(files, ()))
    status, printed = verify_sh(write(files, folder()))
    assert status == 2, printed
    assert "this script reads format 3" in printed
