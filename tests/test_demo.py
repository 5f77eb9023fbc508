"""`pbem demo`: a whole story by the real commands, left in place to be looked at."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pbem.audit import audit
from pbem.audit.findings import State
from pbem.cli import main
from pbem.demo import Demo, DemoFault, demonstrate
from pbem.titles import load

pytestmark = pytest.mark.ci


def test_the_demonstration_leaves_a_game_that_anybody_can_check(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = dict(os.environ)
    folder = tmp_path / "demo"
    assert main(["demo", "--into", str(folder)]) == 0
    assert dict(os.environ) == before
    told = capsys.readouterr().out
    assert told.startswith("This plays the first year of a game of hammer, with real keys")
    assert f"Everything is written into {folder}" in told.splitlines()[0]
    for word in ("keygen alice", "seal", "receive", "resolve", "export", "audit"):
        assert word in told
    assert "last report:" in told
    assert "begin view" not in told, "a first look is at what people read"
    reports = sorted((folder / "reports").glob("*/*.txt"))
    assert all("\nend view\n" in path.read_text() for path in reports)
    assert {path.name for path in folder.iterdir()} >= {
        "club",
        "alice",
        "bob",
        "orders",
        "reports",
        "bundle",
        "held",
    }
    findings = audit(folder / "bundle", (folder / "genesis").read_text().strip(), folder / "held")
    assert not [row for row in findings.rows if row.state is State.REFUTED]
    assert "The winter of" in "".join(path.read_text() for path in reports)


def test_a_folder_with_something_in_it_is_left_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine").write_text("kept")
    assert main(["demo", "--into", str(tmp_path)]) == 1
    assert "is not empty; name a new folder" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_a_command_that_fails_stops_the_demonstration(tmp_path: Path) -> None:
    said: list[str] = []
    demo = Demo(tmp_path, (), said.append, whole=False)
    with pytest.raises(DemoFault, match="pbem resolve nothing failed"):
        demo.run("resolve", "nothing")
    assert said[0] == "$ pbem resolve nothing"


@pytest.mark.ci
def test_a_game_whose_name_has_a_hyphen_is_audited_to_the_last_claim(tmp_path: Path) -> None:
    folder = tmp_path / "demo"
    demonstrate(folder, lambda _: None, title=load("first-war"), options={"years": "1"})
    findings = audit(folder / "bundle", (folder / "genesis").read_text().strip(), folder / "held")
    assert {row.state for row in findings.rows} == {State.PROVEN}
