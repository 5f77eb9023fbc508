"""The settings of a club's post box, and the table of the readers' keys that the box knows.

    [box]                                   # in club.toml
    folder = "box"                          # the folder that 'pbem box' serves; relative to the club's
    url = "https://box.club.example/"       # its address, with a slash at its end
    keep_days = 30                          # so long letters stay after they were acknowledged
    pages = ["https://play.club.example"]   # origins of pages that may talk to it, besides that of [page]
    mails = "all"                           # "short": players with a box get one short mail in a pass

The table names keys, and not whose they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from pbem.box.folder import TABLE, BoxTable, Reader, make_folder, read_file, write_file
from pbem.errors import ConfigError
from pbem.judge.club import Club
from pbem.judge.letters.addresses import webpage_of
from pbem.judge.letters.wishes import fetch_keys
from pbem.trust.faults import TrustFault
from pbem.trust.identifiers import shown_value
from pbem.trust.keys import parse_public
from pbem.trust.post_box import check_box_url
from pbem.trust.times import FARTHEST

ALL, SHORT = "all", "short"
MAX_OWN_TABLE_SIZE = 8_000_000


@dataclass(frozen=True, slots=True)
class DoneInBox:
    """One action on the post box, in a line for the game master alone."""

    text: str
    trouble: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class BoxSettings:
    """The settings of a club's post box."""

    folder: Path
    url: str
    keep_days: int = 30
    pages: tuple[str, ...] = ()
    mails: str = ALL


def read_box(settings: Mapping[str, Any], club: Path) -> BoxSettings | None:
    """Read the settings of the post box from a club's settings; None if the club has no post box.

    Raises:
        ConfigError: a setting of the box is not valid.
    """
    found = settings.get("box")
    if found is None:
        return None
    words = "folder url keep_days pages mails"
    if not isinstance(found, Mapping):
        raise ConfigError("club.toml: box must be a table, [box]")
    if odd := sorted(set(found) - set(words.split())):
        raise ConfigError(f"club.toml, [box]: no setting called {odd[0]}; there are {words}")
    folder, days, mails = found.get("folder", "box"), found.get("keep_days", 30), found.get("mails", ALL)
    if not isinstance(folder, str) or not folder or "\0" in folder:
        raise ConfigError(f"club.toml, [box]: {shown_value(folder)} is not a folder")
    if not isinstance(days, int) or isinstance(days, bool) or not 0 <= days <= FARTHEST:
        raise ConfigError(f"club.toml, [box]: keep_days must be a number of days, not {shown_value(days)}")
    if mails not in (ALL, SHORT):
        raise ConfigError(f"club.toml, [box]: mails must be {ALL} or {SHORT}, not {shown_value(mails)}")
    try:
        url = check_box_url(str(found.get("url", "")))
    except TrustFault as fault:
        raise ConfigError(f"club.toml, [box]: url: {fault}") from None
    pages = _pages(found.get("pages", []), settings)
    return BoxSettings(folder=club / folder, url=url, keep_days=days, pages=pages, mails=mails)


def _pages(found: object, settings: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the origins of web pages that may talk to the post box, that of the club's own page first."""
    if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
        raise ConfigError("club.toml, [box]: pages must be a list of addresses of pages")
    try:
        own = webpage_of(settings)
    except ConfigError:
        own = None  # the doctor says so
    origins = []
    for address in (*([own.address] if own else []), *found):
        try:
            parts = urlsplit(address)
        except ValueError:
            parts = urlsplit("")
        if parts.scheme not in ("http", "https") or not parts.netloc or "@" in parts.netloc:
            raise ConfigError(f"club.toml, [box]: {shown_value(address)} is not the address of a page")
        origins.append(f"{parts.scheme}://{parts.netloc.lower()}")
    return tuple(dict.fromkeys(origins))


def table_of(club: Club, box: BoxSettings) -> BoxTable:
    """Return the post box's table: every key that players have or had, with the keys that fetch for it."""
    fetching = fetch_keys(club.store)
    lines = {player.key for player in club.store.players()}
    lines |= set(club.store.notes("key ").values())
    readers = tuple(Reader(parse_public(line), fetching.get(line, ())) for line in sorted(lines))
    return BoxTable(url=box.url, pages=box.pages, readers=readers)


def write_table(club: Club, box: BoxSettings) -> bool:
    """Write the post box's table if it differs from the table that is there; return whether it was written.

    Raises:
        OSError: the folder cannot be written.
        ConfigError: something else lies where the table belongs.
    """
    text = table_of(club, box).text
    if read_file(box.folder / TABLE, MAX_OWN_TABLE_SIZE) == text:
        return False
    make_folder(box.folder)
    write_file(box.folder / TABLE, text)
    return True
