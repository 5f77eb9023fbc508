"""A club restored from a backup: no game of it is touched until its highest head has been entered again (18).

The backup may be older than what was sent since. If the judge went on from it, he would sign a second
history, and every player could prove that. So a restored club keeps a list of its games in the file
`restored`; a game leaves the list when somebody enters the size and head of its ledger from the last mail
that was sent, or from a player's program (`pbem games`, or the end of a report).
"""

from __future__ import annotations

import shutil
from pathlib import Path

from pbem.errors import ConfigError, LedgerError
from pbem.judge.book import load_book
from pbem.judge.club import RESTORED, Club, open_club, unconfirmed


def restore(backup: Path, into: Path) -> list[str]:
    """Copy a backup into a new folder, in which every game waits for its head; those games.

    Raises:
        ConfigError: there is no club in the backup, or the new folder exists.
    """
    if into.exists():
        raise ConfigError(f"{into} exists already; name a new folder")
    open_club(backup).store.close()
    part = into.with_name(f"{into.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    shutil.copytree(backup, part)
    club = open_club(part)
    games = club.store.games()
    club.store.close()
    _write(part, dict.fromkeys(games, ""))
    part.replace(into)
    return games


def confirm(club: Club, game: str, size: int, head: str) -> str:
    """Enter the highest head that was ever sent of a game; what came of it, in one line.

    Raises:
        ConfigError: the game does not wait for it, or a higher head is known.
        LedgerError: entries are lost, or the head is that of another history.
    """
    waiting = unconfirmed(club.path)
    if game not in waiting:
        raise ConfigError(f"{game} does not wait for a head; it goes on as it is")
    book = load_book(club.store, game, club.roots(game))
    highest = max((row.size for row in club.store.checkpoints(game)), default=0)
    if size > book.size:
        lost = f"{book.size + 1}" if size == book.size + 1 else f"{book.size + 1} to {size}"
        waiting[game] = f"its entries {lost} are lost: a head of {size} entries was sent"
        _write(club.path, waiting)
        raise LedgerError(
            f"{game} cannot go on: {waiting[game]}; restore a later backup, "
            "or have the players agree on a new game"
        )
    if book.head_at(size) != head:
        raise LedgerError(f"{game} has another head at {size} entries: this is not the history that was sent")
    if size < highest:
        raise ConfigError(f"a head of {highest} entries was signed later; enter that one, or a higher one")
    del waiting[game]
    _write(club.path, waiting)
    again = "orders that were sent since the backup must be sent again"
    return f"{game} goes on exactly from entry {book.size}; {again}"


def _write(folder: Path, waiting: dict[str, str]) -> None:
    """Keep the list; no file at all when nothing waits."""
    path = folder / RESTORED
    if not waiting:
        path.unlink(missing_ok=True)
        return
    text = "".join(f"{game} {why}".rstrip() + "\n" for game, why in waiting.items())
    part = path.with_name(f"{path.name}.part")
    part.write_text(text, encoding="utf-8")
    part.replace(path)
