"""Writes the pages of leagues into a folder that club.toml names.

    [leagues]
    publish = "/srv/www/leagues"    # each league's pages are a folder below this one, for everybody to read

A league is written when its ledger has grown since it was written last. What cannot be written is told, and
is tried again in the next pass.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pbem import __version__
from pbem.characters import lower
from pbem.errors import ConfigError, LedgerError
from pbem.judge.club import Club
from pbem.judge.leagues.book import Done

PUBLISHED = "published "
"""Prefix of the note about a league's pages: the head of the ledger they show, the release that wrote
them, and where."""


def publish_folder(settings: Mapping[str, Any], club: Path) -> Path | None:
    """Return the folder below which leagues are published; None if club.toml names none.

    Raises:
        ConfigError: the setting has a mistake.
    """
    found = settings.get("leagues", {})
    if not isinstance(found, Mapping) or set(found) - {"publish"}:
        raise ConfigError('club.toml: [leagues] has publish, as in publish = "/srv/www", and nothing else')
    folder = found.get("publish", "")
    if not isinstance(folder, str):
        raise ConfigError("club.toml, [leagues]: publish must be the path of a folder")
    return club / folder if folder else None


def publish(club: Club) -> Iterator[Done]:
    """Write the pages of each league that has changed; yield a line about each, or about why it failed."""
    target = publish_folder(club.settings, club.path)
    if target is None:
        return
    for row in club.store.leagues():
        name = row.name.removeprefix("league.")
        note, now = f"{PUBLISHED}{name}", f"{club.store.league_head(row.name)} {__version__} {target}"
        folder = target / name
        if club.store.note(note) == now and (folder / "index.html").is_file():
            continue
        try:
            count = _write(club, name, folder)
        except LedgerError:  # told by whoever runs the league
            continue
        except OSError as problem:
            why = lower(problem.strerror or str(problem))
            yield Done(name, f"its pages cannot be written to {folder}: {why}", is_stopped=True)
            continue
        with club.store.step():
            club.store.put_note(note, now)
        yield Done(name, f"{count} pages are written to {folder}")


def _write(club: Club, name: str, folder: Path) -> int:
    from pbem.judge.leagues.book import load_league
    from pbem.leagues.pages import write
    from pbem.leagues.results_table import view

    return write(view(load_league(club, name).season), folder, public=True)
