"""How long a person waits for the command to say anything."""

import subprocess
import sys

from pytest_benchmark.fixture import BenchmarkFixture


def run(*arguments: str) -> None:
    subprocess.run([sys.executable, *arguments], capture_output=True, check=True)


def test_bare_python(benchmark: BenchmarkFixture) -> None:
    """The floor: the interpreter alone."""
    benchmark(run, "-c", "pass")


def test_help(benchmark: BenchmarkFixture) -> None:
    benchmark(run, "-m", "pbem", "--help")
