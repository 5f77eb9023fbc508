"""The recorded games as records and stories, read once for all tests of looking back."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

from pbem.audit.game import read_record
from pbem.disputes.record import Record
from pbem.moments.documents import write_page
from pbem.moments.tracks import Story, tell

GAMES = tuple(sorted(path.parent for path in (Path(__file__).parents[2] / "games").glob("*/bundle.tar.gz")))
NAMES = tuple(game.name for game in GAMES)


@cache
def record_of(name: str) -> Record:
    """What the bundle of a recorded game opens: everything."""
    return read_record(next(game for game in GAMES if game.name == name) / "bundle.tar.gz")


@cache
def story_of(name: str) -> Story:
    """The whole story of a recorded game."""
    return tell(record_of(name))


@cache
def page_of(name: str) -> bytes:
    """The file with the whole story of a recorded game."""
    return write_page(story_of(name))


def running(record: Record, exchanges: int) -> Record:
    """The same game before its end: so many exchanges are resolved, and its ledger does not say `over`."""
    history = object.__new__(type(record.history))
    history.__dict__.update(record.history.__dict__)
    history.over = False
    history.exchanges = record.history.exchanges[:exchanges]
    return replace(record, history=history)
