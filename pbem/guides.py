"""The pages of `pbem guide`, and the files with which an author begins a new game, out of one of them.

The blocks of the guide to writing a game, under the game's name, are the files of a new one.
The guide is the only place where they are written. Which file a block is stands before it: `rules.py`: begins
it, `rules.py`, further down: goes on. What comes after the heading `BEYOND` is for those who want more.
"""

from __future__ import annotations

import re
import sys
import tomllib
from functools import cache
from importlib.resources import files
from importlib.util import find_spec
from keyword import iskeyword
from pathlib import Path

from pbem.errors import ConfigError
from pbem.rules import names
from pbem.rules.base import UnknownOption, UnknownRules
from pbem.titles import load

FIRST, ORDERS, WORDS, GAMES = "first-turn", "orders", "glossary", "writing-a-game"
DOCS = files("pbem").joinpath("docs")


@cache
def guides() -> dict[str, str]:
    """Return the headings of all pages by the pages' names, the first turn first."""
    names = sorted(one.name.removesuffix(".md") for one in DOCS.iterdir() if one.name.endswith(".md"))
    pages = [FIRST, *(name for name in names if name.startswith(ORDERS)), WORDS, GAMES]
    return {name: guide(name).partition("\n")[0].removeprefix("# ") for name in pages}


def guide(page: str) -> str:
    """Return the text of a page as its file has it, in Markdown."""
    return DOCS.joinpath(f"{page}.md").read_text(encoding="utf-8")


def title_of(rules: str) -> str:
    """Return the title of a game by the name of its rules; "" if the game is not installed."""
    try:
        return load(rules).rules.title
    except UnknownRules:
        return ""


def chosen_options(rules: str, options: dict[str, str]) -> dict[str, str]:
    """Return a game's options without those that follow from the others and the rules."""
    kept = dict(options)
    try:
        checked = load(rules).rules.checked
        everything = checked(options)
        for name in reversed(options):
            if checked(rest := {key: value for key, value in kept.items() if key != name}) == everything:
                kept = rest
    except (UnknownRules, UnknownOption):
        return dict(options)
    return kept


def guide_to(rules: str) -> str:
    """Return the name of the page on a game's orders; "" for a game from outside, with pages elsewhere."""
    heading = f"Orders for {title_of(rules)}"
    return next((page for page, said in guides().items() if said == heading), "")


BEYOND = "\n## Beyond the skeleton\n"
"""The heading in the guide below which a block replaces the file of its name, unless it is "further down"."""

_BLOCK = re.compile(
    r"`(?P<path>[\w./]+)`(?P<goes_on>, further down)?:\n\n```\w+\n(?P<text>.*?\n)```\n", re.DOTALL
)
_NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")


@cache
def own_name() -> str:
    """Return the name of the game that the guide builds."""
    name: str = tomllib.loads(_files(guide(GAMES))["pyproject.toml"])["project"]["name"]
    return name


def skeleton(name: str, *, whole: bool = False) -> dict[str, str]:
    """Return the texts of a new game's files by their paths; `whole`: with all that the guide adds later."""
    begun, _, beyond = guide(GAMES).partition(BEYOND)
    files = _files(begun) | (_files(beyond) if whole else {})
    said = name.replace("_", " ").title()

    def renamed(text: str) -> str:
        return text.replace(own_name(), name).replace(own_name().title(), said)

    return {renamed(path): renamed(text) for path, text in files.items()}


def begin_game(folder: Path, name: str) -> tuple[str, ...]:
    """Write a new game into a folder that is made for it; return the paths of its files.

    Raises:
        ConfigError: the folder exists already, or a new game cannot have this name.
    """
    if folder.exists() or folder.is_symlink():
        raise ConfigError(f"{folder} is there already; name another folder: pbem tool new-game {name} FOLDER")
    check_name(name)
    return write_game(folder, skeleton(name))


def write_game(folder: Path, files: dict[str, str]) -> tuple[str, ...]:
    """Write the files of a game into a folder; return their paths."""
    for path, text in files.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    return tuple(files)


def check_name(name: str) -> None:
    """Raise ConfigError unless a new game, and its Python package, can have this name.

    Raises:
        ConfigError: the name is not possible; the message says why.
    """
    if not _NAME.fullmatch(name):
        near = "_".join(re.findall(r"[a-z0-9]+", name.lower())).lstrip("_0123456789")
        meant = f", such as {near}" if near and _NAME.fullmatch(near) else ""
        raise ConfigError(
            f"{name!r} is not a name of a package: it begins with a letter, and has small "
            "letters, digits and "
            f"single _ between them{meant}"
        )
    if iskeyword(name) or name in sys.stdlib_module_names:
        raise ConfigError(f"{name} is a word or a module of Python itself; choose another name")
    if name in names():
        raise ConfigError(f"a game called {name} is installed; choose another name")
    if name in {Path(path).parts[0] for path in skeleton(own_name())} - {own_name()}:
        raise ConfigError(f"{name} is a folder of every game; choose another name")
    if find_spec(name) is not None:
        raise ConfigError(f"a package called {name} is installed; choose another name")


def _files(text: str) -> dict[str, str]:
    """Return the texts of all files whose blocks a page of the guide shows, by their paths."""
    files: dict[str, str] = {}
    for block in _BLOCK.finditer(text):
        path, shown = block["path"], block["text"]
        if block["goes_on"]:
            parting = "\n" if shown.startswith(" ") else "\n\n"
            shown = f"{files[path]}{parting}{shown}"
        files[path] = shown
    return files
