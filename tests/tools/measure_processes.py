"""What several processes gain: the audit of many bundles by `pbem audit --processes`.

    python -m tests.tools.measure_processes [COPIES [PROCESSES]]

Every recorded game is audited so many times, by one process and by several: seconds that pass, and seconds of
the processor, starts included. What passes depends on who else uses the machine.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from time import perf_counter

GAMES = Path(__file__).parents[2] / "games"


def measure(bundles: list[str], processes: int) -> tuple[float, float]:
    """Seconds passed, and of the processor."""
    before, begun = os.times(), perf_counter()
    command = [sys.executable, "-m", "pbem", "audit", *bundles, "--processes", str(processes)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    passed, after = perf_counter() - begun, os.times()
    used = after.children_user - before.children_user + after.children_system - before.children_system
    return passed, used


def main(copies: int = 10, processes: int = 2) -> None:
    """Measure and print."""
    bundles = [str(path) for path in sorted(GAMES.glob("*/bundle.tar.gz"))] * copies
    print(f"{len(bundles)} bundles; other work waiting: {os.getloadavg()[0]:.1f}")
    for number in (1, processes):
        passed, used = measure(bundles, number)
        print(f"--processes {number}: {passed:.1f} s, of the processor {used:.1f} s")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
