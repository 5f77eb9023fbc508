"""The project's words are its own: no run of ten words of a rulebook stands in any of its files."""

import subprocess
from pathlib import Path

import pytest

from tests.tools.rulebook_words import DATA, HASH_BYTES, copied_lines, known_runs, normalised, runs

OUR_OWN = """
The clerk counts his candles twice before he locks the long room,
and on the way home he tells nobody what he has counted.
"""


@pytest.fixture(scope="module")
def rulebooks() -> frozenset[bytes]:
    return known_runs(DATA.read_bytes())


def text_files(project: Path) -> list[Path]:
    """Every text file that git tracks, or would after `git add`."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=project,
        capture_output=True,
        text=True,
        check=True,
    )
    files = {project / name for name in listed.stdout.split("\0") if name} - {DATA}
    return [path for path in sorted(files) if path.is_file() and b"\0" not in path.read_bytes()]


def test_no_file_repeats_a_rulebook(project: Path, rulebooks: frozenset[bytes]) -> None:
    copied = [
        f"{path.relative_to(project)}:{line}"
        for path in text_files(project)
        for line in copied_lines(path.read_text(encoding="utf-8", errors="replace"), rulebooks)
    ]
    assert not copied, (
        "from these lines on ten words in a row stand in a rulebook too: "
        "say it in words of your own; put a list of names into an order of your own"
    )


def test_the_data_is_there_sorted_and_whole(rulebooks: frozenset[bytes]) -> None:
    data = DATA.read_bytes()
    assert data == b"".join(sorted(rulebooks))
    assert all(len(run) == HASH_BYTES for run in rulebooks)
    assert len(rulebooks) > 30_000


@pytest.mark.parametrize(
    "disguise",
    [
        "The clerk counts his candles twice before he locks the",
        "# THE CLERK counts his candles\n# twice, before he locks the door",
        '"the clerk counts his "\n    "candles twice (before he) locks the"',
        "**The** clerk _counts_ his candles; twice - before he locks the ...",
        "On the way: the \ufb01rst clerk. The clerk counts his candles twice before he locks the gate",
    ],
)
def test_a_planted_run_is_found_in_any_dress(disguise: str) -> None:
    known = frozenset(run for _, run in runs(normalised(OUR_OWN)))
    assert copied_lines(f"first line\n{disguise}\n", known) == [2]


def test_nine_words_are_nobody_s() -> None:
    known = frozenset(run for _, run in runs(normalised(OUR_OWN)))
    assert copied_lines("The clerk counts his candles twice before he locks", known) == []
    assert copied_lines("The clerk counts his candles twice before she locks the long room", known) == []


def test_a_table_of_numbers_is_a_fact() -> None:
    assert not list(runs("1 2 3 4 5 6 7 8 9 10 11 12"))
