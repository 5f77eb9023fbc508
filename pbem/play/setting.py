r"""The setting with which a game is played, its title, options and seats; and the hash to which it is pinned.

The hash is over the game's rules, its order language, the stop rule and its reports.

    rules <hex> = SHA-256 over the sorted lines `<sha256> <path>\n` of the pinned files

Pinned is what all games share, below pbem/ and templates/ (and how characters are read), and whatever lies in
the packages that the game's title names as its files, wherever those are installed. A path begins with the
package's name.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pbem.errors import ConfigError
from pbem.orders.base import Language
from pbem.rendering import find_templates
from pbem.rules import Rules, UnknownRules
from pbem.titles import Title, load

if TYPE_CHECKING:
    from pbem.reports.plain import Style
    from pbem.reports.words import Words


@dataclass(frozen=True, slots=True)
class Setting:
    """Everything about a game that is fixed in its genesis."""

    game: str
    title: Title
    options: Mapping[str, Any]
    seats: Mapping[str, str]
    """The player of each side."""

    @property
    def rules(self) -> Rules:
        """The rules of the game."""
        return self.title.rules

    @property
    def language(self) -> Language:
        """The order language of the game."""
        return self.title.language

    @property
    def words(self) -> Words:
        """The words of the game's reports."""
        return self.title.words

    @property
    def style(self) -> Style:
        """The style of the game's reports."""
        return self.title.style

    @property
    def sides(self) -> tuple[str, ...]:
        """The sides of the game, in the order of the rules."""
        return self.rules.sides(self.options)

    def side_of(self, player: str) -> str:
        """Return the side that a player plays."""
        return next(side for side, name in self.seats.items() if name == player)


def make_setting(game: str, name: str, options: Mapping[str, Any], seats: Mapping[str, str]) -> Setting:
    """Return the setting of a game of the title `name`.

    Raises:
        ConfigError: no such game is installed.
    """
    try:
        title = load(name)
    except UnknownRules as problem:
        raise ConfigError(str(problem)) from None
    return Setting(game, title, options, seats)


SUFFIXES = (".py", ".toml", ".j2")
PARTS = ("rules", "orders", "play", "reports")
"""The parts of the package pbem that adjudicate and report."""
CHARACTERS = "characters.py"


@lru_cache(maxsize=8)
def rules_hash(name: str) -> str:
    """Return the hash of everything that adjudicates and reports the game called `name`."""
    lines = sorted(f"{hashlib.sha256(path.read_bytes()).hexdigest()} {said}\n" for said, path in pinned(name))
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def pinned(name: str) -> Iterator[tuple[str, Path]]:
    """Yield every pinned file of the game called `name`, with the path by which the hash names it."""
    package, templates, title = Path(__file__).parent.parent, find_templates(), load(name)
    games = {folder.name for folder in (package / "rules").iterdir() if folder.is_dir()}
    yield f"pbem/{CHARACTERS}", package / CHARACTERS
    for part in PARTS:
        yield from _walk(package / part, f"pbem/{part}", without=games)
    yield from _walk(
        templates, "templates", without={one.name for one in templates.iterdir() if one.is_dir()}
    )
    for said, folder in zip(title.files, title.folders, strict=True):
        yield from _walk(folder, said.replace(".", "/"))


def _walk(folder: Path, said: str, without: Collection[str] = ()) -> Iterator[tuple[str, Path]]:
    """Yield the files below a folder, except for those in some folders directly in it."""
    for child in folder.iterdir():
        if child.is_dir():
            if child.name not in without:
                yield from _walk(child, f"{said}/{child.name}")
        elif child.name.endswith(SUFFIXES):
            yield f"{said}/{child.name}", child
