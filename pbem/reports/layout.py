"""The layout of lines of plain text: filled, hung and set in columns."""

from __future__ import annotations

from pbem.characters import BLANKS
from pbem.reports.base import WIDTH

HARD = "\N{NO-BREAK SPACE}"
"""The character for a blank at which no line is broken; in finished lines it is an ordinary blank."""


def fill(text: str, indent: str = "", hang: str | None = None, width: int = WIDTH) -> list[str]:
    """Return `text` in lines of at most `width`; the first begins with `indent`, the others with `hang`."""
    text = indent + text
    if len(text) <= width:
        return [text.replace(HARD, " ").rstrip(BLANKS)]
    rest = indent if hang is None else hang
    lines: list[str] = []
    line, empty = indent, True
    for word in text[len(indent) :].split(" "):
        if not empty and len(line) + 1 + len(word) > width:
            lines.append(line)
            line, empty = rest, True
        line = line + word if empty else f"{line} {word}"
        empty = False
    return [one.replace(HARD, " ").rstrip(BLANKS) for one in (*lines, line)]


def hanging_indent(head: str, text: str, column: int, indent: str = "") -> list[str]:
    """Return the lines of a head with a text beside it that stays right of `column`."""
    start = f"{indent}{head}".ljust(column)
    if len(start) > column:
        start += " "
    return fill(text, start, " " * column)
