"""Random games, honestly judged: both verifiers accept every bundle of them, of every kind."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from pbem.audit import audit
from pbem.audit.bundle import read_bundle
from pbem.audit.findings import State
from pbem.judge import adjudication
from pbem.judge.export import Bundle, export
from pbem.trust.entries import AFTER_CLOSE, WITH_ORDERS
from tests.audit.randomly import play
from tests.audit.script import verify_sh
from tests.audit.stage import SEATS, Stage, write
from tests.judge.every_game import run_pass
from tests.judge.table import GAME, make_table

pytestmark = pytest.mark.ci


AUDIENCES = ("public", "scotland", "england", "all")
GAMES = 100


def settings(seed: int) -> dict[str, object]:
    """Some game that can be played to its end in a short time."""
    chooser = random.Random(f"settings {seed}")
    scenario = chooser.choice(("campaign", "campaign", "braveheart", "the-bruce"))
    return {
        "seed": seed,
        "scenario": scenario,
        "last_year": chooser.choice((1297, 1297, 1298)) if scenario == "campaign" else None,
        "edition": chooser.choice(("4", "4", "3", "3-de")),
        "mode": chooser.choice((WITH_ORDERS, WITH_ORDERS, AFTER_CLOSE)),
    }


def check(stage: Stage, folder: Callable[[], Path], audience: str, *, script: bool) -> None:
    """One bundle passes, and what is held against it agrees."""
    bundle, held = write(stage.bundle(audience), folder()), write(stage.held, folder())
    findings = audit(bundle, stage.genesis, held)
    assert not findings.is_refuted, "\n".join(str(row) for row in findings.rows)
    if audience == "all" and stage.over:
        unproven = [row.claim for row in findings.rows if row.state != State.PROVEN]
        assert all("share in the dice" in claim for claim in unproven)
    if script:
        status, printed = verify_sh(bundle, stage.genesis, held)
        assert status == 0, printed


@pytest.mark.parametrize("seed", range(4))
def test_the_beginning_of_a_random_game(
    fresh: Callable[..., Stage], folder: Callable[[], Path], seed: int
) -> None:
    stage = fresh(**settings(seed))
    play(stage, seed, most=8)
    for audience in AUDIENCES:
        check(stage, folder, audience, script=audience == "public")


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(GAMES))
def test_a_random_game(fresh: Callable[..., Stage], folder: Callable[[], Path], seed: int) -> None:
    """Every tenth goes on to its end; of the others, some exchanges, for the script takes its time."""
    stage = fresh(**settings(seed))
    play(stage, seed, most=1_000 if seed % 10 == 0 else 5 + seed % 30)
    for audience in AUDIENCES:
        check(stage, folder, audience, script=True)


def test_a_game_of_the_real_judge(tmp_path: Path, folder: Callable[[], Path]) -> None:
    """Through the judge's own desk, bench and export: the stage leaves nothing out that matters."""
    table = make_table(tmp_path, scenario="campaign", last_year=1297)
    chooser = random.Random("the real judge")
    for number in range(1, 7):
        played = adjudication.replay(table.club, GAME)
        for name, side in SEATS.items():
            asks = played.adjudicator.play.asks(side) if number > 1 else ()
            answers = [chooser.choice(ask.legal) for ask in asks]
            (verdict,) = table.send(name, "".join(f"{line}\n" for line in [*answers, "plan any: fire"]))
            assert verdict.is_accepted, verdict.text
        run_pass(table.club)
    genesis = table.club.book(GAME).head_at(1)
    assert genesis is not None
    for audience in AUDIENCES:
        bundle = folder() / audience
        assert export(table.club, GAME, audience, bundle, "a test") == len(read_bundle(bundle).known_files)
        assert not audit(bundle, genesis).is_refuted
        if audience == "all":
            status, printed = verify_sh(bundle, genesis)
            assert status == 0, printed


def test_the_stage_is_an_honest_judge(fresh: Callable[..., Stage]) -> None:
    """Whoever does not cheat on the stage writes the bundle that the judge's program writes."""
    stage = fresh(seed=7)
    play(stage, 7, most=6)
    for audience in AUDIENCES:
        assert dict(Bundle(stage.club, stage.book, audience).files()) == stage.bundle(audience)
