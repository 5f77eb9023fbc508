"""Tables of plain text: a line of orders, and what comes of it."""

from __future__ import annotations

from pathlib import Path

from tests.cases.casefile import lines


def rows(file: str, table: str) -> list[tuple[str, ...]]:
    """The rows of a file of this folder below the line `table NAME`.

    Cells are parted by ' => ', lines in a cell by ' | '; an indented line goes on with the one before it.
    """
    found: dict[str, list[tuple[str, ...]]] = {}
    for line in lines((Path(__file__).parent / file).read_text(encoding="utf-8")):
        if line.word == "table":
            below = found.setdefault(line.rest, [])
        else:
            cells = f" {line.text} ".split(" => ")
            below.append(tuple(cell.strip(" ").replace(" | ", "\n") for cell in cells))
    return found[table]
