"""Shows a game again from a player's home: its story, and the forecast before each exchange.

The story comes from the player's own reports and orders, as their judge's letters brought them. Beside it
stands, for each exchange, a forecast that the player had before it was played: the one that the page gave for
the orders, else the judge's. The page keeps the last forecast of an exchange beside its draft, in the home:

    page/<game>-<n>.forecast     {"orders": "<the draft that it is about>", "lines": ["...", ...]}

Nothing here is sent, and no file of a game holds it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pbem.errors import ConfigError, PbemError
from pbem.moments.documents import pack
from pbem.moments.tracks import Story, tell_reports
from pbem.play.adjudicate import setting_of
from pbem.player import Home, files
from pbem.player.faults import reading_position
from pbem.player.store.game_store import GameFolder
from pbem.web.reading import counted_files, counted_orders, foretold

MAX_FORECAST_SIZE = 60_000
"""Maximum length in characters of a forecast with its draft; a longer one is not kept."""


@dataclass(frozen=True, slots=True)
class Feared:
    """A forecast that a player had before an exchange was played."""

    lines: tuple[str, ...]
    judges: bool = False
    """Whether the judge made the forecast, from the sealed orders."""
    draft: str = ""
    """The draft that the forecast is about, if it differs from the orders that counted; else ""."""


@dataclass(frozen=True, slots=True)
class LookedBack:
    """The data with which the page's viewer shows a game again: its story, and each exchange's forecast."""

    story: str
    """The story of the game as one packed document (format: `pbem.moments.documents`)."""
    feared: Mapping[int, Feared]


@reading_position()
def look_back(folder: GameFolder, page: Path) -> LookedBack:
    """Return the story of a game as its player was shown it, with the forecast before each exchange.

    `page`: the folder of the home in which the page keeps its forecasts.

    Raises:
        ConfigError: there is no report yet.
        LedgerError: a report cannot be read.
        DamagedPosition: what a report shows is no position.
    """
    story = own_story(folder)
    counted = {
        chapter.exchange: orders.text
        for track in story.tracks
        for chapter in track.chapters
        for orders in chapter.orders
    }
    return LookedBack(pack(story), dict(_feared(folder, page, counted)))


def own_story(folder: GameFolder) -> Story:
    """Return the story of a game as a player was shown it, from the reports in the player's home.

    Raises:
        ConfigError: there is no report yet.
        LedgerError: a report cannot be read.
    """
    chronicle = folder.chronicle()
    if chronicle is None:
        raise ConfigError(f"there is no report of {folder.game} here; first open the judge's letters")
    setting = setting_of(chronicle.history.genesis)
    reports = {number: text for number in folder.reports() if number and (text := folder.report(number))}
    orders_of = counted_orders(folder)
    orders = {number: text for number in reports if (text := orders_of(number))}
    return tell_reports(setting, chronicle.history, setting.side_of(folder.player), reports, orders)


def first_heads(home: Home) -> dict[str, str]:
    """Return the first heads of the ledgers of a home's games; damaged ledgers are left out."""
    found: dict[str, str] = {}
    for folder in home.folders():
        with suppress(PbemError):
            if (chronicle := folder.chronicle()) is not None:
                found[folder.game] = chronicle.heads[0]
    return found


def keep_forecast(
    page: Path, game: str, exchange: int, draft: str, forecast: Sequence[Mapping[str, Any]]
) -> None:
    """Store the forecast of a draft in place of the previous one, unless the forecast is too long.

    `forecast` is its paragraphs, as the page gets them.
    """
    lines = [part["said"] for part in forecast]
    kept = json.dumps({"orders": draft, "lines": lines})
    if lines and len(kept) <= MAX_FORECAST_SIZE:
        files.write(_place(page, game, exchange), kept.encode())


def _feared(folder: GameFolder, page: Path, counted: Mapping[int, str]) -> Iterator[tuple[int, Feared]]:
    """Yield each exchange that has a forecast, with the forecast made before the exchange was resolved.

    The page's forecast is taken if it is about the orders that counted (`counted`: their text by exchange),
    else the judge's forecast of the sealed orders, else the page's forecast of another draft.
    """
    sealed_of = counted_files(folder)
    for exchange in folder.reports():
        draft, lines = _kept(_place(page, folder.game, exchange)) or ("", ())
        if lines and _same(draft, counted.get(exchange, "")):
            yield exchange, Feared(lines)
        elif judges := folder.forecast(sealed_of(exchange)):
            yield exchange, Feared(tuple(part["said"] for part in foretold(judges.splitlines())), judges=True)
        elif lines:
            yield exchange, Feared(lines, draft=draft)


def _place(page: Path, game: str, exchange: int) -> Path:
    return page / f"{game}-{exchange:04}.forecast"


def _same(draft: str, counted: str) -> bool:
    """Tell whether two texts of orders are the same but for the ends of their lines."""
    first, second = ([line.strip() for line in text.split("\n") if line.strip()] for text in (draft, counted))
    return first == second


def _kept(path: Path) -> tuple[str, tuple[str, ...]] | None:
    """Return a draft and its forecast from the page's file; None if the file is missing or damaged."""
    data = files.read_file(path) or b""
    try:
        found: Any = json.loads(data) if len(data) <= MAX_FORECAST_SIZE else None
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict) or not isinstance(found.get("orders"), str):
        return None
    lines = found.get("lines")
    if not isinstance(lines, list) or not all(isinstance(line, str) for line in lines):
        return None
    return found["orders"], tuple(lines)
