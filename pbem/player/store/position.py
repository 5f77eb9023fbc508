"""The position that a player's program uses: that of a report which the ledger commits, and no other.

When an exchange is opened, the position is that of the last exchange before it that counts. After a roll-back
the judge's notice shows it again, and is shown only if it says what the report said (`pbem.letter_checks`).
"""

from __future__ import annotations

import hashlib

from pbem.letter_checks import difference, last_report, with_form_for
from pbem.play.exchange import Exchange
from pbem.player.store.chronicle import Chronicle
from pbem.player.store.game_store import GameFolder
from pbem.reports.packing import shows_view


def committed_report(folder: GameFolder, chronicle: Chronicle, exchange: Exchange) -> str | None:
    """Return the kept report of an exchange, if it is the one that the ledger commits to; else None."""
    text, player = folder.report(exchange.number), chronicle.enrolled_player(folder.player)
    if text is None or player is None:
        return None
    reported = chronicle.report_hash(exchange.number, player.side)
    return text if hashlib.sha256(text.encode()).hexdigest() == reported else None


def position_in(folder: GameFolder, chronicle: Chronicle, exchange: Exchange) -> str | None:
    """Return the report that orders for an exchange answer; None if it is not kept in this home."""
    if (last := last_report(chronicle.history, exchange)) is None:
        text = folder.report(0)
        return None if text is None or shows_view(text) else text
    if (report := committed_report(folder, chronicle, last)) is None:
        return None
    if last.number + 1 == exchange.number:
        return report
    for notice in folder.notices(exchange.number):
        if not shows_view(notice):
            continue
        if difference(chronicle.history, chronicle.heads, last, exchange, report, notice) == "":
            return notice
    return with_form_for(report, exchange.number)


def position(folder: GameFolder, chronicle: Chronicle) -> str | None:
    """Return the report with the game's present or last position; None if it is not kept in this home."""
    if (current := chronicle.history.current) is not None:
        return position_in(folder, chronicle, current)
    last = last_report(chronicle.history)
    return folder.report(0) if last is None else committed_report(folder, chronicle, last)
