"""The contents of a player's home: its keys, and the folders of its games and leagues.

`Home` adds what a player does with them. Whatever works on several games of a home takes these contents. A
game is forgotten if its first invitation was false, or if it is not to be played on:

    forgotten/<game>-1/         all that was kept of it; nothing here is ever read again
    forgotten/<game>-1.next/    what remains of it, on its way back to games/

A chain of which no step was shown to anybody remains, with the join file: then the true invitation, which
anchors it, can be received. One that was spent does not come back: who has seen a step could foresee dice.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from pbem.player import files
from pbem.player.faults import Damaged, Refused
from pbem.player.files import default_home
from pbem.player.keyring import Keyring, Passphrase
from pbem.player.store.game_store import Folder, GameFolder, game_folder

if TYPE_CHECKING:
    from pbem.player.leagues.league import PlayersLeague
    from pbem.player.press import Press


def wall_clock() -> datetime:
    """Return the present time by the machine's clock, in UTC."""
    return datetime.now(UTC)


class HomeContents:
    """The keys, games and leagues of a player's home; `path`, `passphrase` and `clock` are as for `Home`."""

    def __init__(
        self,
        path: Path | None = None,
        *,
        passphrase: Passphrase | str = "",
        clock: Callable[[], datetime] = wall_clock,
    ) -> None:
        self.path = path or default_home()
        self.clock = clock
        self.keys = Keyring(
            self.path / "keys", (lambda _: passphrase) if isinstance(passphrase, str) else passphrase
        )

    def folder(self, game: str) -> GameFolder:
        """Return the folder of a joined game."""
        folder = self.place(game)
        if folder.find_membership() is None:
            bring_back(self.path, game)
        folder.membership()
        return folder

    def place(self, game: str) -> GameFolder:
        """Return the folder that a game has or would have."""
        return game_folder(self.path, game)

    def place_of(self, name: str) -> Folder:
        """Return the folder that a game has or would have, or a league by the name of its ledger."""
        return self.league(name).folder if name.startswith("league.") else self.place(name)

    def folders(self) -> tuple[GameFolder, ...]:
        """Return the folders of all joined games."""
        found = sorted((self.path / "games").glob("*/player"))
        return tuple(GameFolder(path.parent) for path in found)

    def league_folders(self) -> Iterator[Folder]:
        """Yield the folders of all leagues that were entered."""
        for path in sorted((self.path / "leagues").glob("*/player")):
            yield self.league(path.parent.name).folder

    def only_game(self) -> str:
        """Return the only game that is played from this home, for orders that name no game."""
        if (game := self._lone_game()) is None:
            known = ", ".join(folder.game for folder in self.folders()) or "none yet"
            raise Refused(f"the orders do not say for which game; you play: {known}")
        return game

    def _lone_game(self) -> str | None:
        folders = self.folders()
        return folders[0].game if len(folders) == 1 else None

    def now(self) -> datetime:
        """Return the present time by this home's clock, to the second."""
        return self.clock().replace(microsecond=0)

    def press(self, game: str) -> Press:
        """Return the press of a joined game, or of a league by the name of its ledger."""
        from pbem.player.press import Press

        league = self.league(game) if game.startswith("league.") else None
        return Press(league.folder if league else self.place(game), self.keys, self.now, league)

    def league(self, name: str) -> PlayersLeague:
        """Return a league of this home by its name."""
        from pbem.player.leagues.league import PlayersLeague

        return PlayersLeague(self.path, self.keys, name)


FORGOTTEN = "forgotten"
_REMAINS = ("join.txt", "chain-secret", "player")


def is_spent(folder: GameFolder) -> bool:
    """Tell whether somebody may know a step of a player's chain, as each file of orders may hold one."""
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
