"""What verify.sh costs: processor time of all that it starts, beside the audit's, on the same bundles.

As a table: python -m tests.benchmarks.bench_script [OTHER_SCRIPT], to compare with another version of it.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from pbem.audit import audit
from tests.audit.script import SCRIPT
from tests.audit.stage import write
from tests.benchmarks.bench_audit import fastest, line, nine_years

ROUNDS = 3


def spent(*command: str | Path) -> float:
    """Seconds of the processor, user and system, that a command and all that it starts take."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, capture_output=True, timeout=600)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def main() -> None:
    """Print the table: the least of some runs each."""
    scripts = [SCRIPT, *(Path(name) for name in sys.argv[1:])]
    with tempfile.TemporaryDirectory() as scratch:
        line("exchanges", "seals", "signatures", "audit s", *(f"{script.stem} s" for script in scripts))
        for most in (114, 1_000):
            folder = Path(scratch) / str(most)
            folder.mkdir()
            stage = nine_years(folder, most)
            files = stage.bundle()
            bundle = write(files, folder / "bundle")
            seals = sum(name.startswith("sealed/") for name in files)
            signatures = seals + sum(name.endswith(".sig") for name in files)
            taken = [min(spent("sh", script, bundle) for _ in range(ROUNDS)) for script in scripts]
            line(len(stage.played), seals, signatures, fastest(lambda: audit(bundle), ROUNDS), *taken)  # noqa: B023


if __name__ == "__main__":
    main()
