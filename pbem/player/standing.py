"""Where a player's games stand, as far as their home knows."""

from __future__ import annotations

from pbem.errors import PbemError
from pbem.player.incoming.receipts import missing
from pbem.player.kept.keeping import GameFolder
from pbem.player.status import GameStatus
from pbem.trust.entries import AFTER_CLOSE


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
        reveal_due=chronicle.genesis.mode == AFTER_CLOSE
        and current is not None
        and current.closed is not None
        and folder.sent.reveal(current.number) is None,
        deadline=current.deadline if current else None,
        over=chronicle.history.over,
        last_report=max(folder.reports(), default=None),
        revs=tuple(file.rev for file in folder.sent.orders() if file.exchange == number),
        receipted=tuple(sorted(receipted)),
        missing_receipts=tuple(missing(receipts, folder, chronicle)),
        forks=folder.held.forks(),
    )
