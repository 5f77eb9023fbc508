"""Where a player's games stand, as far as his home knows."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from pbem.errors import PbemError
from pbem.player.keeping import GameFolder
from pbem.player.receipts import missing


@dataclass(frozen=True, slots=True, kw_only=True)
class GameStatus:
    """Where a joined game stands, as far as this home knows."""

    game: str
    player: str
    side: str | None = None
    """None before the invitation."""
    exchange: int | None = None
    """The exchange that is open; None if none is."""
    closed: bool = False
    """Whether that exchange takes no more orders."""
    deadline: datetime | None = None
    over: bool = False
    last_report: int | None = None
    revs: tuple[int, ...] = ()
    """The revisions sealed for the open exchange."""
    receipted: tuple[int, ...] = ()
    """Those of them that the judge has given a receipt for."""
    missing_receipts: tuple[int, ...] = ()
    forks: tuple[Path, ...] = ()
    trouble: str = ""
    """Why nothing can be said of it: its files are damaged."""


def status_of(folder: GameFolder) -> GameStatus:
    """Where one game stands; damaged files are told, not raised."""
    try:
        member = folder.membership()
        player = member.player
        chronicle, receipts = folder.chronicle(), folder.held.receipts()
    except PbemError as fault:
        return GameStatus(game=folder.game, player="", trouble=str(fault))
    if chronicle is None:
        return GameStatus(game=folder.game, player=player)
    enrolled, current = chronicle.enrolled(player), chronicle.history.current
    number = current.number if current else None
    receipted = [one.receipt.rev for one in receipts.values() if one.receipt.exchange == number]
    return GameStatus(
        game=folder.game,
        player=player,
        side=enrolled.side if enrolled else None,
        exchange=number,
        closed=current is not None and current.closed is not None,
        deadline=current.deadline if current else None,
        over=chronicle.history.over,
        last_report=max(folder.reports(), default=None),
        revs=tuple(file.rev for file in folder.sent.orders() if file.exchange == number),
        receipted=tuple(sorted(receipted)),
        missing_receipts=tuple(missing(receipts, chronicle, member)),
        forks=folder.held.forks(),
    )
