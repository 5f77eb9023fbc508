"""The forgetting of a game whose first invitation was false, or that is not to be played on.

    forgotten/<game>-1/         all that was kept of it; nothing here is ever read again
    forgotten/<game>-1.next/    what remains of it, on its way back to games/

A chain of which no step was shown to anybody remains, with the join file: then the true invitation, which
anchors it, can be received. One that was spent does not come back: who has seen a step could foresee dice.
"""

from __future__ import annotations

import re
from pathlib import Path

from pbem.player import files
from pbem.player.faults import Damaged
from pbem.player.store.game_store import GameFolder

FORGOTTEN = "forgotten"
_REMAINS = ("join.txt", "chain-secret", "player")


def is_spent(folder: GameFolder) -> bool:
    """Tell whether something was sealed in a game: every file of orders may hold a step of the chain."""
    return any((folder.path / "sent").glob("*")) or any(folder.path.glob("chain-secret-*"))


def given_up(folder: GameFolder) -> tuple[str, ...]:
    """Return what a player gives up if they forget a game, each item a sentence."""
    try:
        size = len(folder.leaves())
    except Damaged:
        size = 0
    kept = f"its ledger of {size} entries, reports, receipts and evidence are put away" if size else ""
    if is_spent(folder):
        chain = (
            f"the chain that you joined {folder.game} with is given up, because steps of it were shown. If "
            f"this is the true game, you can send no orders in it until a new chain of yours counts "
            "('pbem sign rotation --help'); if you want an invitation from another judge, join again and "
            "send them the new file"
        )
    elif folder.join_file() is not None:
        chain = "no step of your chain was shown: your join file still counts for another invitation"
    else:
        chain = "you have no chain in it"
    return tuple(text for text in (kept, chain) if text)


def forget(home: Path, folder: GameFolder) -> Path:
    """Put a game's files away and return where they are; an interrupted move is finished later."""
    place = home / FORGOTTEN
    for stale in _returning(home, folder.game):
        import shutil

        shutil.rmtree(stale)
    number = 1
    while (place / f"{folder.game}-{number}").exists():
        number += 1
    away = place / f"{folder.game}-{number}"
    if not is_spent(folder) and folder.join_file() is not None:
        for name in _REMAINS:
            data = files.read_file(folder.path / name)
            if data is not None:
                files.write(away.with_name(f"{away.name}.next") / name, data)
    files.make_folder(place)
    folder.path.rename(away)
    bring_back(home, folder.game)
    return away


def bring_back(home: Path, game: str) -> None:
    """Move the remains of a forgotten game back to their place."""
    target = home / "games" / game
    for path in _returning(home, game):
        if not target.exists():
            path.rename(target)


def _returning(home: Path, game: str) -> list[Path]:
    """Return the folders with remains of one game, no other, that are being moved back."""
    named = re.compile(rf"{re.escape(game)}-[0-9]+\.next").fullmatch
    return [path for path in (home / FORGOTTEN).glob("*.next") if named(path.name)]
