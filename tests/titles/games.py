"""Every title that is installed."""

from __future__ import annotations

from pathlib import Path

from pbem.titles import Title, load, names
from tests.titles.installed import install_games

install_games()
TITLES = names()


def playable() -> list[Title]:
    """The titles that have all it takes to be played by order files."""
    titles = map(load, TITLES)
    return [title for title in titles if all((folder / "__init__.py").exists() for folder in folders(title))]


def folders(title: Title) -> list[Path]:
    """Where a title's packages lie; none of those that are not written yet."""
    try:
        return list(title.folders)
    except (ValueError, ModuleNotFoundError):
        return [Path("nowhere")]
