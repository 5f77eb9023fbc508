"""Write the figures that stand in sentences and tables of our pages: python -m tests.tools.write_figures.

Each figure has one source: a table that a script has printed, a limit in the code, a count that a test
holds, a sum that is reckoned, or a game by mail that is played here. `tests/test_measurements.py` compares
the pages with what would be written. Times are not among them: they stand with their script, the day and
what else ran.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.tools import figures
from tests.tools.figures import FIGURE, PROJECT, Figures

_BLANK = re.compile(r"\\\{(\w+)\\\}")


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence, or a row of a table, with figures in it."""

    page: str
    text: str
    figures: Callable[[], Figures]


PROTOCOL = "pbem/docs/protocol.md"
LEAGUES = "pbem/docs/protocol-leagues.md"


def _listed(kind: str) -> tuple[Said, ...]:
    rows = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))[kind]
    return tuple(
        Said(row["page"], text, getattr(figures, row["figures"])) for row in rows for text in row["texts"]
    )


SAID = _listed("said")
"""What can be looked up at once."""
WEIGHED = _listed("weighed")
"""What takes some seconds, for games are played by mail."""


def rewritten(page: str, said: Said, known: Figures) -> str:
    """The page with these figures in that sentence, wherever its lines are broken.

    Raises:
        ValueError: the sentence does not stand there, or twice.
    """
    words = r"\s+".join(re.escape(word) for word in said.text.split())
    found = list(re.finditer(_BLANK.sub(lambda _: FIGURE, words), page))
    if len(found) != 1:
        raise ValueError(f"{said.page}: {len(found)} times: {said.text}")
    for place, name in reversed(list(enumerate(_BLANK.findall(words), start=1))):
        if found[0][place].split() != known[name].split():
            page = page[: found[0].start(place)] + known[name] + page[found[0].end(place) :]
    return page


def stale(every: tuple[Said, ...], *, write: bool = False) -> list[str]:
    """Where a page has another figure than its source; `write`: what its source has is written there."""
    found = []
    known = {source: source() for source in {said.figures for said in every}}
    for said in every:
        path = PROJECT / said.page
        page = path.read_text(encoding="utf-8")
        if (new := rewritten(page, said, known[said.figures])) != page:
            found.append(f"{said.page}: {said.text}")
            if write:
                path.write_text(new, encoding="utf-8")
    return found


if __name__ == "__main__":
    print(*stale(SAID + WEIGHED, write=True) or ["every figure is as it was"], sep="\n")
