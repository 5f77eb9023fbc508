"""Mutates every field of reports' positions, and demands that nothing but the program's own faults is raised.

    python -m tests.tools.mutate_reports [SHARE]

reads reports of the recorded games, each with one field of its part for programs changed (another type,
missing, huge, negative, nested, an unknown name, twice), as the page and `pbem check` read any judge's. SHARE
of all changes are drawn, all if it is left out. It prints how many were read, and how many were told.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

from pbem.errors import PbemError
from pbem.player.outgoing.drafts import study
from pbem.reports.packing import pack_view, unpack, without_view
from pbem.web.reading import offers_to, picture_after, read_report, steps_of

GAMES = Path("games")
EACH = 3
"""So many reports of each game are changed."""
STRANGE: tuple[Any, ...] = (
    None,
    True,
    -1,
    10**30,
    "",
    "nobody",
    "x" * 10_000,
    [],
    {},
    [[]],
    {"a": {"b": 1}},
    ["nobody", "nobody"],
)
"""What stands in a field's place."""
DEEP = 100
"""So deep a value is nested; the packing of a report has a bound of its own."""


def chosen() -> list[Path]:
    """Return some reports of each recorded game, from its beginning to its end."""
    found = []
    for game in sorted(GAMES.glob("*/reports")):
        side = min(game.iterdir())
        reports = sorted(side.glob("*.txt"))[1:]
        found += [reports[place * (len(reports) - 1) // (EACH - 1)] for place in range(EACH)]
    return found


def nested(depth: int) -> Any:
    """Return a list in a list, and so on."""
    found: Any = []
    for _ in range(depth):
        found = [found]
    return found


def paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield where each field of a position stands; of a long list the first and the last."""
    yield path
    if isinstance(value, dict):
        for name in value:
            yield from paths(value[name], (*path, name))
    elif isinstance(value, list):
        for place in dict.fromkeys((0, len(value) - 1)) if value else ():
            yield from paths(value[place], (*path, place))


def changed(value: Any, path: tuple[Any, ...], strange: Any) -> Any:
    """Return a position with a field changed; Ellipsis takes it away."""
    if not path:
        return strange if strange is not ... else {}
    found = deepcopy(value)
    inner = found
    for name in path[:-1]:
        inner = inner[name]
    if strange is ...:
        del inner[path[-1]]
    else:
        inner[path[-1]] = strange
    return found


def mutations(view: Any) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Yield each change of a position: where, and to what."""
    for path in paths(view):
        for strange in (*STRANGE, nested(DEEP), ...):
            yield path, strange


def read(report: str, view: Any) -> list[str]:
    """Read a report with another position in all ways; return what was told.

    Raises:
        Exception: what no player should see.
    """
    text = "\n".join((without_view(report), *pack_view(view)))
    told = [] if not (fault := read_report(text).fault) else [fault]
    for line in ("", "move Wallace", "recruit", "deploy"):
        try:
            offers_to(text, line, "")
        except PbemError as fault_of_offers:
            told.append(str(fault_of_offers))
    try:
        for step in steps_of(report, text)[:3]:
            picture_after(step)
    except PbemError as fault_of_steps:
        told.append(str(fault_of_steps))
    try:
        study("card 1\nmove Wallace to Fife\n", text, lambda _: None, lambda *_: None, forecast=False)
    except PbemError as fault_of_study:
        told.append(str(fault_of_study))
    return told


def main(share: float = 1.0, seed: int = 0) -> tuple[int, int, list[str]]:
    """Try changes; return how many were tried, how many told, and what was raised besides."""
    drawn, tried, told, raised = random.Random(seed), 0, 0, []
    for path in chosen():
        report = path.read_text(encoding="utf-8")
        found = unpack(report)
        if found is None:
            continue
        for where, strange in mutations(found[0]):
            if drawn.random() >= share:
                continue
            tried += 1
            try:
                told += bool(read(report, changed(found[0], where, strange)))
            except Exception as problem:  # noqa: BLE001 - this is what is looked for
                shown = (
                    "nested" if isinstance(strange, list) and len(repr(strange)) > 60 else repr(strange)[:40]
                )
                raised.append(f"{path.name} {where} = {shown}: {type(problem).__name__}: {str(problem)[:80]}")
    return tried, told, raised


if __name__ == "__main__":
    tried, told, raised = main(float(sys.argv[1]) if sys.argv[1:] else 1.0)
    print(*raised, sep="\n")
    print(f"{tried} changes read, {told} told, {len(raised)} raised something else")
    sys.exit(bool(raised))
