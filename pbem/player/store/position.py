"""The position that a player's program uses, and their earlier orders that may still answer.

The position is that of a report which the ledger commits, and no other. When an exchange is opened, it is
that of the last exchange before it that counts. After a roll-back the judge's notice shows it again, and is
shown only if it says what the report said (`pbem.letter_checks`).

Of earlier orders doctrine, plans and winter lists may still answer. A follower is made of the files that
counted, each at the moment that the report before it showed. What of them has been carried out since then
only the judge knows; a report says what is left of them.
"""

from __future__ import annotations

import hashlib

from pbem.errors import PbemError
from pbem.letter_checks import difference, last_report, with_form_for
from pbem.orders.base import Follower, Language
from pbem.play.history import READY, Exchange
from pbem.player.store.game_papers import Chronicle
from pbem.player.store.game_store import GameFolder
from pbem.reports.packing import shows_view, unpack_view
from pbem.rules.base import View
from pbem.trust.orderfile import parse_orders


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


def earlier_orders(
    folder: GameFolder, side: str, exchange: int | None, language: Language
) -> Follower | None:
    """Return a follower that knows a side's orders for the exchanges before `exchange`, as far as in force.

    Without an exchange: before the open one. None if the orders are not kept in this folder.
    """
    if folder.find_membership() is None or (chronicle := folder.chronicle()) is None:
        return None
    player = next((one.name for one in chronicle.genesis.players if one.side == side), "")
    if player != folder.membership().player:
        return None
    history = chronicle.history
    sent = {file.name: file.text for file in folder.sent_files.orders()}
    follower = language.follower(side)
    for played in history.resolved:
        if played.number == READY or (exchange is not None and played.number >= exchange):
            continue
        counted = history.source(played).counted().get(player)
        view = _view(folder, chronicle, played)
        if counted is None or view is None or counted.sealed not in sent:
            continue
        try:
            body = parse_orders(sent[counted.sealed]).body
        except PbemError:
            continue  # damaged here: the judge has it whole
        follower.receive(language.parse(body, side).orders, view)
    return follower


def _view(folder: GameFolder, chronicle: Chronicle, exchange: Exchange) -> View | None:
    """Return the view with which an exchange was opened, or that of the exchange which it plays again."""
    text = position_in(folder, chronicle, chronicle.history.source(exchange))
    return None if text is None else unpack_view(text)
