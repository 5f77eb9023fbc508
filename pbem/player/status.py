"""The status of joined games and what comes next in each, cached while no file of a game changes.

To find it out a whole ledger is read and every receipt verified (`status_of`). What was found is kept under
`glances/` with the size and times of every file that it was found in; of other files it says nothing.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pbem import __version__
from pbem.player.store.known_files import (
    ANOTHER,
    RECEIPTED,
    SEALED,
    KnownFile,
    files_in_words,
    known_files,
    own_files,
    state_of,
)
from pbem.steps import Step

if TYPE_CHECKING:
    from pbem.play.history import Exchange
    from pbem.player.store.game_store import GameFolder

GLANCES = "glances"
ACCEPTING = 1
"""The number of the exchange that accepts a game (pbem.play.history.READY; importing it takes long)."""
_TITLE = re.compile(r"^rules \S+ \(([ -~]{1,80})\)$", re.MULTILINE)
"""The line of an invitation that names the game's rules."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GameStatus:
    """The status of a joined game, as far as this home knows."""

    game: str
    player: str
    side: str | None = None
    """The player's side; None before the invitation."""
    exchange: int | None = None
    """The open exchange; None if there is none."""
    closed: bool = False
    """Whether the game's open exchange takes no more orders."""
    reveal_due: bool = False
    """Whether the open exchange is closed for orders and waits for the player's secret."""
    deadline: datetime | None = None
    over: bool = False
    last_report: int | None = None
    files: tuple[KnownFile, ...] = ()
    """The player's sealed files for the open exchange, those made in this home and those made elsewhere."""
    missing_receipts: tuple[int, ...] = ()
    forks: tuple[Path, ...] = ()
    unread: int = 0
    """The number of messages by others in the game's press that were not shown to the player yet."""
    is_last: bool = False
    """Whether the open exchange waits for the player's file alone, by the ledger that has come here."""
    clock: str = ""
    """The rules of the game's deadlines in words, as the invitation tells them; "" if it does not."""
    title: str = ""
    """The title of the game's rules, as the invitation tells it; "" if it does not."""
    others: tuple[str, ...] = ()
    """The names of those who play against the player, or beside them."""
    trouble: str = ""
    """The reason why the game has no status, if its files are damaged; "" if it has one."""

    @property
    def revs(self) -> tuple[int, ...]:
        """The revisions of orders that were sealed in this home for the open exchange."""
        return tuple(file.rev for file in own_files(self.files))

    @property
    def receipted(self) -> tuple[int, ...]:
        """The revisions of the player's orders that have a receipt from the judge."""
        return tuple(file.rev for file in own_files(self.files) if file.state == RECEIPTED)

    @property
    def orders(self) -> str:
        """The state of the player's orders for the open exchange; "" if no file of theirs is known."""
        return state_of(self.files)

    @property
    def remarks(self) -> tuple[str, ...]:
        """Remarks on the player's files that were sealed elsewhere, or that do not count."""
        return tuple(files_in_words(self.files))

    @property
    def step(self) -> Step | None:
        """The next step of the player in the game; None if they have nothing to do but wait."""
        if self.trouble or self.forks:
            return None
        if self.over:
            return Step.OVER
        if self.side is None:
            return Step.LETTER
        if self.exchange is None or self.closed:
            return Step.REVEAL if self.reveal_due else None
        if self.orders in (SEALED, RECEIPTED, ANOTHER):
            return None
        return Step.INVITED if self.exchange == ACCEPTING else Step.ASKED

    @property
    def command(self) -> str:
        """The command for the player's next step; "" if there is none."""
        return self.step.command(game=self.game, exchange=self.exchange or 0) if self.step else ""


def glance(home: Path) -> tuple[GameStatus, ...]:
    """Return the status of every joined game, as `Home.games` does, from the cache where it holds."""
    return tuple(_status(home, file.parent) for file in sorted((home / "games").glob("*/player")))


def _status(home: Path, folder: Path) -> GameStatus:
    kept = home / GLANCES / f"{folder.name}.json"
    stamp = [[__version__], *sorted(_stamp(folder, ""))]
    with suppress(OSError, ValueError, KeyError, TypeError):  # nothing is kept, or it is damaged
        known = json.loads(kept.read_bytes())
        if known["stamp"] == stamp:
            return _load(known["status"])
    from pbem.player import files
    from pbem.player.store.game_store import GameFolder

    status = status_of(GameFolder(folder))
    facts = {"stamp": stamp, "status": asdict(status)}
    with suppress(OSError):  # a home that can only be read
        files.write(kept, json.dumps(facts, default=_text).encode())
    return status


def _stamp(folder: Path, below: str) -> Iterator[list[str | int]]:
    """Yield name, size and times of each file of a folder, by which a change of the folder is noticed."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                yield from _stamp(Path(entry.path), f"{below}{entry.name}/")
            else:
                found = entry.stat()
                yield [f"{below}{entry.name}", found.st_size, found.st_mtime_ns, found.st_ctime_ns]


def _text(value: datetime | Path) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)


def _load(facts: dict[str, Any]) -> GameStatus:
    facts = {name: tuple(value) if isinstance(value, list) else value for name, value in facts.items()}
    facts["files"] = tuple(KnownFile(**file) for file in facts["files"])
    facts["forks"] = tuple(map(Path, facts["forks"]))
    if facts["deadline"] is not None:
        facts["deadline"] = datetime.fromisoformat(facts["deadline"])
    return GameStatus(**facts)


def status_of(folder: GameFolder) -> GameStatus:
    """Return a game's status, read from all its files; damage is reported in the status, not raised."""
    from pbem.errors import PbemError
    from pbem.player.incoming.mail_parts import missing_receipts
    from pbem.trust.entries import AFTER_CLOSE
    from pbem.trust.times import find_clock

    try:
        member = folder.membership()
        player = member.player
        chronicle, receipts = folder.chronicle(), folder.judge_statements.receipts()
    except PbemError as fault:
        return GameStatus(game=folder.game, player="", trouble=str(fault))
    if chronicle is None:
        return GameStatus(game=folder.game, player=player)
    enrolled, current = chronicle.enrolled_player(player), chronicle.history.current
    number = current.number if current else None
    invitation = folder.report(0) or ""
    return GameStatus(
        game=folder.game,
        player=player,
        side=enrolled.side if enrolled else None,
        exchange=number,
        closed=current is not None and current.closed is not None,
        reveal_due=chronicle.genesis.mode == AFTER_CLOSE
        and current is not None
        and current.closed is not None
        and folder.sent_files.reveal(current.number) is None,
        deadline=current.deadline if current else None,
        over=chronicle.history.over,
        last_report=max(folder.reports(), default=None),
        files=known_files(folder, chronicle, number) if number is not None else (),
        missing_receipts=tuple(missing_receipts(receipts, folder, chronicle)),
        forks=folder.judge_statements.forks(),
        unread=_unread_messages(folder),
        is_last=current is not None and current.closed is None and _is_last(current, player),
        clock=find_clock(invitation),
        title=found[1] if (found := _TITLE.search(invitation)) else "",
        others=tuple(one.name for one in chronicle.genesis.players if one.name != player),
    )


def _is_last(exchange: Exchange, player: str) -> bool:
    """Tell whether an exchange waits for one player's file alone, by its entries, which all may read."""
    missing = exchange.awaited - {entry.player for entry in exchange.received}
    return missing == {player} and len(exchange.awaited) > 1


def _unread_messages(folder: GameFolder) -> int:
    if not (folder.path / "press").exists():  # and nothing is imported for it
        return 0
    from pbem.player.store.press_store import PressStore

    return len(PressStore(folder).unread())
