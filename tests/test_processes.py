"""Many games at once: the same is printed by one process and by many, and one failure names its game."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from pbem.cli import main
from pbem.cli.processes import Failed, map_in_processes
from pbem.errors import LedgerError
from tests.tools.in_processes import results
from tests.tools.simulate_seasons import main as simulate_seasons

pytestmark = pytest.mark.ci


def work(number: int) -> int:
    """Some fail, and some kill the process that does them."""
    if number == 3:
        raise LedgerError("entry 7 was changed")
    if number == 5:
        os.kill(os.getpid(), signal.SIGKILL)
    if number == 6:
        raise ValueError("six")
    return number * number


@pytest.mark.parametrize("processes", [1, 2])
def test_one_that_fails_keeps_no_other_from_it(processes: int) -> None:
    found = list(map_in_processes(work, [1, 2, 3, 4, 6], processes))
    assert found == [
        (1, 1),
        (2, 4),
        (3, Failed("entry 7 was changed", 1)),
        (4, 16),
        (6, Failed("this is a fault in the program, not in what you did (six)", 1)),
    ]


def test_of_a_process_that_is_killed_the_game_is_named() -> None:
    found = dict(map_in_processes(work, [4, 5, 7, 8, 9], 2))
    died = found.pop(5)
    assert isinstance(died, Failed)
    assert "killed" in died.why
    assert found == {number: number * number for number in (4, 7, 8, 9)}


@pytest.mark.parametrize("processes", [1, 2])
def test_of_what_is_measured_the_game_is_named_that_fails(processes: int) -> None:
    assert list(results(divmod, [(7, 2), (9, 3)], processes)) == [(3, 1), (3, 0)]
    found = results(divmod, [(7, 2), (9, 0), (9, 3)], processes)
    assert next(found) == (3, 1)
    with pytest.raises(SystemExit, match=r"^\(9, 0\): .*by zero"):
        next(found)


def test_seasons_are_simulated_at_once_as_one_after_the_other(capsys: pytest.CaptureFixture[str]) -> None:
    told = []
    for processes in ("1", "2"):
        assert simulate_seasons(["--seasons", "2:4", "--most", "5", "--processes", processes]) == 0
        told.append(capsys.readouterr().out)
    assert told[0] == told[1]
    assert [line.split(",")[0] for line in told[0].splitlines()] == ["season 2: sections", "season 3: ladder"]


@pytest.mark.parametrize("processes", ["1", "2"])
def test_the_season_is_named_that_fails(processes: str, capsys: pytest.CaptureFixture[str]) -> None:
    """No season has fewer than three players."""
    assert simulate_seasons(["--seasons", "7:9", "--most", "2", "--processes", processes]) == 1
    failed = capsys.readouterr().out.splitlines()
    assert [line.partition(":")[0] for line in failed] == ["season 7", "season 8"]
    assert all("fault" in line for line in failed)


def audited(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str, str]:
    status = main(["audit", *map(str, words)])
    shown = capsys.readouterr()
    return status, shown.out, shown.err


def test_bundles_are_audited_at_once_as_one_after_the_other(
    project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bundles = sorted(project.glob("games/*/bundle.tar.gz"))
    assert len(bundles) > 1
    broken = tmp_path / "broken.tar.gz"
    broken.write_bytes(b"no archive")
    empty = tmp_path / "empty"
    empty.mkdir()
    alone = audited(capsys, bundles[0])
    alike = [audited(capsys, *bundles, "--processes", number) for number in (1, 2)]
    assert alike[0] == alike[1]
    status, told, wrong = alike[0]
    assert (status, wrong) == (0, "")
    assert told.splitlines()[0] == f"{bundles[0]}: {alone[1].splitlines()[-1]}"
    assert [line.split(": ")[0] for line in told.splitlines()] == [str(bundle) for bundle in bundles]
    status, told, wrong = audited(capsys, broken, bundles[0], empty, "--processes", 2)
    assert status != 0
    assert str(broken) in told + wrong
    assert str(empty) in told + wrong
    assert f"{bundles[0]}: this shows" in told
