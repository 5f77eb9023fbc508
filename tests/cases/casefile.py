"""Text to cases: what stands in a `.case` file, cut into lines; nothing here knows a game's rules.

The format is described in README.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

HEADERS = ("shows", "options", "given", "attack")
PLACE = re.compile(r"(?P<place>[A-Z][\w ]*|pool|off map):(?P<blocks>.*)")


class CaseFault(Exception):
    """A case that cannot be read."""

    def __init__(self, place: str, reason: str) -> None:
        super().__init__(f"{place}: {reason}")


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a case, its continuations joined, and where it stands in its file."""

    number: int
    text: str

    @property
    def word(self) -> str:
        """The first word, which says what the line means."""
        return self.text.partition(" ")[0]

    @property
    def rest(self) -> str:
        """What follows the first word."""
        return self.text.partition(" ")[2].strip()


@dataclass(frozen=True, slots=True)
class Case:
    """One numbered case: a position, what is played from it, and what must come of it."""

    path: Path
    line: int
    number: str  # "4.3/2": section, and place within it
    title: str
    shows: tuple[str, ...]  # sections and rulings
    options: dict[str, str]
    given: tuple[str, ...]  # facts about the position
    attacks: tuple[str, ...]
    places: tuple[tuple[str, str], ...]  # area, "pool" or "off map", and the blocks there
    script: tuple[Line, ...]

    @property
    def place(self) -> str:
        """File and line, as an editor wants them."""
        return f"{self.path}:{self.line}"


def lines(text: str) -> Iterator[Line]:
    """The lines that mean something; an indented line continues the one before it."""
    held: Line | None = None
    for number, raw in enumerate(text.splitlines(), 1):
        if not raw.strip() or raw.lstrip().startswith("#"):
            continue
        if raw[0].isspace() and held is not None:
            held = Line(held.number, f"{held.text} {raw.strip()}")
            continue
        if held is not None:
            yield held
        held = Line(number, raw.strip())
    if held is not None:
        yield held


def read_cases(path: Path) -> list[Case]:
    """Every case of a file, in order.

    Raises:
        CaseFault: a line that is not part of a case, or a case that lacks something.
    """
    groups: list[list[Line]] = []
    for line in lines(path.read_text(encoding="utf-8")):
        if line.word == "case":
            groups.append([line])
        elif groups:
            groups[-1].append(line)
        else:
            raise CaseFault(f"{path}:{line.number}", "stands before the first case")
    return [read_case(path, group) for group in groups]


def read_case(path: Path, group: list[Line]) -> Case:
    """One case from its lines."""
    number, _, title = group[0].rest.partition(" ")
    where = f"{path}:{group[0].number}"
    if not re.fullmatch(r"[\w.-]+/\d+", number) or not title.strip():
        raise CaseFault(where, "a case begins 'case 4.3/2  what it shows'")
    headers: dict[str, list[str]] = {word: [] for word in HEADERS}
    places: list[tuple[str, str]] = []
    script: list[Line] = []
    for line in group[1:]:
        found = PLACE.fullmatch(line.text)
        if (line.word in HEADERS or found) and script:
            raise CaseFault(f"{path}:{line.number}", "positions, options and facts stand before the play")
        if line.word in HEADERS:
            headers[line.word].append(line.rest)
        elif found:
            places.append((found["place"], found["blocks"].strip()))
        else:
            script.append(line)
    shows = tuple(" ".join(headers["shows"]).split())
    if not shows or not script:
        raise CaseFault(where, "a case needs a line 'shows' and something that is played or checked")
    return Case(
        path=path,
        line=group[0].number,
        number=number,
        title=title.strip(),
        shows=shows,
        options=dict(_option(where, text) for text in _listed(headers["options"])),
        given=tuple(_listed(headers["given"])),
        attacks=tuple(headers["attack"]),
        places=tuple(places),
        script=tuple(script),
    )


def _listed(texts: list[str]) -> list[str]:
    return [part.strip() for text in texts for part in text.split(",") if part.strip()]


def _option(where: str, text: str) -> tuple[str, str]:
    name, _, value = text.partition(" ")
    if not value:
        raise CaseFault(where, f"option {name!r} has no value")
    return name, value.strip()


def all_cases(folder: Path) -> list[Case]:
    """Every case below a folder, in the order of the files' names."""
    return [case for path in sorted(folder.rglob("*.case")) for case in read_cases(path)]
