"""The files of a practice game, which lie in one folder.

    game.json           how the game was begun
    report-0002.txt     the report of exchange 2, with its form
    orders-0003.txt     what you sent in exchange 3

The game is played again from these files whenever it is touched; nothing else is kept.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

from pbem.errors import ConfigError
from pbem.practice.session import Session, Start

START = "game.json"


def begin(folder: Path, start: Start) -> Session:
    """Return a new practice game in a new or empty folder."""
    if folder.exists() and any(folder.iterdir()):
        raise ConfigError(f"{folder} is not empty; name a new folder")
    session = Session(start)
    folder.mkdir(parents=True, exist_ok=True)
    _write(folder / START, json.dumps(asdict(start), indent=2) + "\n")
    _write(report_path(folder, session), session.report())
    return session


def resume(folder: Path) -> Session:
    """Return the practice game in a folder, played again from the folder's files."""
    try:
        start = Start(**json.loads((folder / START).read_text(encoding="utf-8")))
    except (ValueError, TypeError):
        raise ConfigError(f"{folder / START} is damaged") from None
    session = Session(start)
    while not session.over and (path := orders_path(folder, session)).exists():
        session.send(path.read_text(encoding="utf-8"))
    return session


def send(folder: Path, session: Session, text: str) -> None:
    """Hand in orders, keep them in the folder, and write the report that follows."""
    if session.over:
        raise ConfigError("the game is over")
    path = orders_path(folder, session)
    session.send(text)
    _write(path, text)
    _write(report_path(folder, session), session.report())


def is_begun(folder: Path) -> bool:
    """Tell whether there is a practice game in the folder."""
    return (folder / START).exists()


def orders_path(folder: Path, session: Session) -> Path:
    """Return the path at which the orders of the open exchange are kept once they are sent."""
    return folder / f"orders-{session.exchange:04}.txt"


def report_path(folder: Path, session: Session) -> Path:
    """Return the path at which the last report is kept."""
    return folder / f"report-{session.exchange - 1:04}.txt"


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
