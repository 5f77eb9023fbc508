"""How long the audit of a nine-year game takes, against what it cannot do without.

The floor is what the libraries take for its signatures, seals and dice; beside it stands playing the game
again, reports included. As benchmarks: pytest tests/benchmarks/bench_audit.py. As a table, with memory, with
the shell script and with shorter games: python -m tests.benchmarks.bench_audit.
"""

from __future__ import annotations

import hmac
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from pbem.audit import audit
from pbem.audit.bundle import read_bundle
from pbem.audit.findings import Findings
from pbem.play.adjudicate import Adjudicator
from pbem.trust import keys, sealing, signature
from pbem.trust.chance import DRAW_CHAIN, OPEN_CHAIN, Reveal
from pbem.trust.ledger import parse_game_entry
from pbem.trust.primitives.native import verifies
from tests.audit.randomly import play
from tests.audit.script import verify_sh
from tests.audit.stage import GAME, Stage, write

KINDS = ("public", "scotland", "all")
ROUNDS = 5
MEMORY = """
import sys
from pathlib import Path
from pbem.audit import audit
assert bool(audit(Path(sys.argv[1])).is_refuted) == (sys.argv[2:] == ["refuted"])
print(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0])
"""
"""Asks the kernel, for getrusage counts what the parent had before this process was started."""


def nine_years(folder: Path, most: int = 1_000) -> Stage:
    """Braveheart from 1297 to its end in 1305, or its first exchanges."""
    stage = Stage(folder, seed=1, scenario="braveheart")
    play(stage, seed=1, most=most)
    return stage


def fastest(work: Callable[[], object], rounds: int = ROUNDS) -> float:
    """The shortest of some runs, in seconds of this process."""
    times = []
    for _ in range(rounds):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def each(work: Callable[[], object]) -> float:
    """What one call takes, in seconds."""
    return fastest(lambda: [work() for _ in range(200)]) / 200


def floor(stage: Stage) -> float:
    """What the libraries take for the signatures, seals and dice of a bundle of everything."""
    key = keys.generate()
    text = bytes(2_000)
    raw = key.sign_raw(text)
    seal = sealing.seal_key(bytes(32), GAME, 1, "alice")
    sealed = sealing.seal(bytes(8_192), [seal.recipient])
    orders = sum(len(exchange.received) + len(exchange.refused) for exchange in stage.book.history.exchanges)
    checkpoints = len(stage.club.store.checkpoints(GAME))
    verify = each(lambda: verifies.__wrapped__(key.public.raw, raw, text))
    unseal = each(lambda: sealing.open_sealed(sealed, [seal]))
    die = each(lambda: hmac.digest(bytes(32), b"d6 1297.2/battle-1/fife/round-1/wallace/die-3 0", "sha256"))
    return verify * (orders + checkpoints) + unseal * orders + die * len(stage.adjudicator.dice.rolled)


def audit_afresh(bundle: Path) -> Findings:
    """An audit as in a process of its own, in which nothing has been read before."""
    for remembers in (verifies, signature.parse, parse_game_entry):
        remembers.cache_clear()
    return audit(bundle)


def replay(stage: Stage) -> None:
    """Play a game again from its order files, with every report."""
    opened, secret = stage.club.chains(GAME)
    adjudicator = Adjudicator(stage.book.history.genesis)
    for exchange in stage.book.history.exchanges:
        if exchange.resolved is None:
            return
        number = exchange.number
        result = adjudicator.resolve(
            stage.book.history,
            exchange,
            stage.opened[number],
            {name: file.reveal for name, file in stage.opened[number].items() if file.reveal},
            Reveal(OPEN_CHAIN, number, opened.reveal(number)),
            Reveal(DRAW_CHAIN, number, secret.reveal(number)),
        )
        adjudicator.reports(result, exchange.resolved_at, "0" * 64, None)


def memory(bundle: Path, *, refuted: bool = False) -> float:
    """The most that an audit in a process of its own has of the machine's memory, in megabytes."""
    command = [sys.executable, "-c", MEMORY, str(bundle), *(["refuted"] if refuted else [])]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return int(done.stdout) / 1024


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> Stage:
    """A nine-year game."""
    return nine_years(tmp_path_factory.mktemp("nine"))


@pytest.mark.parametrize("kind", KINDS)
def test_audit(benchmark: BenchmarkFixture, game: Stage, tmp_path: Path, kind: str) -> None:
    bundle = write(game.bundle(kind), tmp_path)
    benchmark(audit_afresh, bundle)


def test_read_bundle(benchmark: BenchmarkFixture, game: Stage, tmp_path: Path) -> None:
    bundle = write(game.bundle(), tmp_path)
    benchmark(read_bundle, bundle)


def test_replay(benchmark: BenchmarkFixture, game: Stage) -> None:
    benchmark(replay, game)


def line(*cells: object) -> None:
    """One line of the table; numbers to three digits."""
    shown = [f"{cell:.3f}" if isinstance(cell, float) else str(cell) for cell in cells]
    sys.stdout.write(shown[0].ljust(24) + "".join(cell.rjust(12) for cell in shown[1:]) + "\n")


def main() -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory() as scratch:
        line("exchanges", "audit s", "floor s", "replay s", "ratio", "ms/exchange", "memory MB")
        for most in (50, 100, 1_000):
            folder = Path(scratch) / str(most)
            folder.mkdir()
            stage = nine_years(folder, most)
            bundle = write(stage.bundle(), folder / "bundle")
            taken = fastest(lambda: audit_afresh(bundle))  # noqa: B023
            least, again = floor(stage), fastest(lambda: replay(stage))  # noqa: B023
            count = len(stage.played)
            ratio, per_exchange = taken / (least + again), taken / count * 1e3
            line(count, taken, least, again, ratio, per_exchange, memory(bundle))
        line("")
        line("kind", "audit s", "script s", "files", "MB")
        for kind in KINDS:
            files = stage.bundle(kind)
            bundle = write(files, folder / kind)
            start = time.monotonic()
            assert verify_sh(bundle)[0] == 0
            script = time.monotonic() - start
            size = sum(map(len, files.values())) / 1e6
            line(kind, fastest(lambda: audit_afresh(bundle)), script, len(files), size)  # noqa: B023


if __name__ == "__main__":
    main()
