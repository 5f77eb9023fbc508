"""Every game kept under games/ is played again to its recorded end, from its bundle alone."""

from __future__ import annotations

import shutil
import tarfile
from pathlib import Path

import pytest

from pbem.audit import audit
from pbem.audit.findings import State
from pbem.audit.replay import ALIKE, BY_ITS_RULES
from tests.kept import as_kept
from tests.running import python
from tests.tools.record_game import SUMS, is_worth_keeping, sums

GAMES = sorted(path.parent for path in (Path(__file__).parents[2] / "games").glob("*/bundle.tar.gz"))


TOLD = Path(__file__).parent / "audits"


def test_there_is_a_recorded_game() -> None:
    assert GAMES


@pytest.mark.ci(but=("first-war-1298",))
@pytest.mark.parametrize("game", GAMES, ids=lambda path: str(path.name))
def test_a_recorded_game_is_played_again_to_its_end(game: Path) -> None:
    genesis = (game / "genesis").read_text(encoding="ascii").strip()
    findings = audit(game / "bundle.tar.gz", genesis, game / "held")
    others = [str(row) for row in findings.rows if row.state is not State.PROVEN]
    proven = [row.claim for row in findings.rows if row.state is State.PROVEN]
    assert ALIKE in proven, (
        "this release plays or tells the recorded game differently; if that is meant, say so in the "
        f"changelog and record it anew (tests/tools/record_game.py): {others}"
    )
    assert BY_ITS_RULES in proven, (
        "a pinned file has changed, and this release plays and tells the recorded game as it was: nothing is "
        "wrong with it; record it anew when all pinned changes are together (tests/tools/record_game.py)"
    )
    assert "the bundle agrees with what players kept" in proven
    as_kept(TOLD / f"{game.name}.txt", "\n".join((*map(str, findings.rows), findings.shown, "")))


@pytest.mark.ci
@pytest.mark.parametrize("seed", ["0", "4711"])
@pytest.mark.parametrize("game", GAMES, ids=lambda path: str(path.name))
def test_a_recorded_game_is_played_again_alike_under_other_orders_of_hashes(game: Path, seed: str) -> None:
    genesis = (game / "genesis").read_text(encoding="ascii").strip()
    words = ("audit", game / "bundle.tar.gz", "--genesis", genesis, "--held", game / "held")
    audited = python("-m", "pbem", *words, check=False, PYTHONHASHSEED=seed)
    assert "played again, every exchange is as the ledger says" in audited.stdout
    assert "REFUTED" not in audited.stdout


@pytest.mark.ci(but=("campaign-to-1298", "first-war-1298"))
@pytest.mark.parametrize("game", GAMES, ids=lambda path: str(path.name))
def test_a_recorded_game_is_as_it_was_recorded(game: Path, tmp_path: Path) -> None:
    """Every file of it, for the audit reads no more than the bundle and what players held."""
    assert (game / SUMS).read_text(encoding="ascii") == sums(game)
    changed = shutil.copytree(game, tmp_path / "changed")
    report = next((changed / "reports").glob("*/*.txt"))
    report.write_bytes(report.read_bytes() + b"\n")
    assert sums(changed) != sums(game)
    report.unlink()
    assert sums(changed) != sums(game)


@pytest.mark.ci(but=("campaign-to-1298", "first-war-1298"))
@pytest.mark.parametrize("game", GAMES, ids=lambda path: str(path.name))
def test_the_reports_beside_a_recorded_game_are_those_of_its_bundle(game: Path) -> None:
    with tarfile.open(game / "bundle.tar.gz") as archive:
        names = [name for name in archive.getnames() if "/reports/" in name and name.endswith(".txt")]
        kept = {name.partition("/reports/")[2]: archive.extractfile(name) for name in names}
        told = {name: file.read() for name, file in kept.items() if file is not None}
    beside = {
        f"{path.parent.name}/{path.name.rpartition('-')[2]}": path.read_bytes()
        for path in (game / "reports").glob("*/*.txt")
    }
    assert beside
    assert {name: told.get(name) for name in beside} == beside


@pytest.mark.parametrize("game", GAMES, ids=lambda path: str(path.name))
def test_a_recorded_game_is_worth_keeping(game: Path) -> None:
    last = max((game / "reports").glob("*/*.txt"), key=lambda path: path.name)
    assert "is over" in last.read_text(encoding="utf-8")
    assert is_worth_keeping(game / "reports")
