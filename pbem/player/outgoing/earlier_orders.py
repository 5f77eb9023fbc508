"""A player's orders for earlier exchanges: doctrine, plans and winter lists may still answer.

A follower is made of the files that counted, each at the moment that the report before it showed. What of
them has been carried out since then only the judge knows; a report says what is left of them.
"""

from __future__ import annotations

from pbem.errors import PbemError
from pbem.orders.base import Follower, Language
from pbem.play.exchange import READY, Exchange
from pbem.player.store.chronicle import Chronicle
from pbem.player.store.game_store import GameFolder
from pbem.player.store.position import position_in
from pbem.reports.packing import unpack_view
from pbem.rules.base import View
from pbem.trust.orderfile import parse_orders


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
