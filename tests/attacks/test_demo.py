"""A year of the demonstration with a hostile player and a hostile stranger in it ends proven."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbem.audit import audit
from pbem.audit.findings import State
from pbem.cli import main
from tests.audit.script import verify_sh


@pytest.mark.ci
def test_a_hostile_year_ends_proven(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "demo"
    assert main(["demo", "--hostile", "--into", str(folder)]) == 0
    out = capsys.readouterr().out
    handed_in = len(list((folder / "hostile").glob("*.age")))
    assert f"{handed_in} hostile files were handed in" in out
    assert handed_in > 30
    genesis = (folder / "genesis").read_text().strip()
    findings = audit(folder / "bundle", genesis, folder / "held")
    assert [str(row) for row in findings.rows if row.state is not State.PROVEN] == []
    log = folder / "bundle" / "log"
    refused = [text for entry in log.glob("*.entry") if (text := entry.read_text()).startswith("refused ")]
    assert {text.split()[2] for text in refused} == {"alice"}
    assert {text.split()[6] for text in refused} >= {"wrong-side", "rev-taken", "late"}
    status, printed = verify_sh(folder / "bundle", genesis)
    assert status == 0, printed
