"""The contents of a player's home: its keys, and the folders of its games and leagues.

`Home` adds what a player does with them. Whatever works on several games of a home takes these contents.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from pbem.player.faults import Refused
from pbem.player.keyring import Keyring, Passphrase
from pbem.player.place import default_home
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
            from pbem.player.store.forgetting import bring_back

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
