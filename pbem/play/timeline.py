"""Every exchange of a ledger in turn, each played from where the one before it in its own history left off.

A roll-back makes exchanges void, and the game goes on from an earlier one; a correction may change a house
rule as well. What was resolved before was reported all the same, so whoever writes those reports again must
be able to play it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from pbem.play.adjudicate import Adjudication, Adjudicator
from pbem.play.exchange import Exchange
from pbem.play.history import History

Adjudicate = Callable[[Adjudicator, Exchange], Adjudication]


def timeline(
    history: History, adjudicate: Adjudicate, wanted: Callable[[Exchange], bool] = lambda _: True
) -> Iterator[tuple[Exchange, Adjudicator, Adjudication]]:
    """Every resolved exchange that is wanted, void ones too, with the adjudicator that has just played it."""
    adjudicator = Adjudicator(history.genesis)
    played: list[int] = []
    for exchange in history.exchanges:
        if exchange.resolved is None or not wanted(exchange):
            continue
        before = _before(history, exchange)
        if [one.number for one in before] != played or adjudicator.genesis != exchange.genesis:
            adjudicator = Adjudicator(exchange.genesis)
            for past in before:
                adjudicate(adjudicator, past)
        yield exchange, adjudicator, adjudicate(adjudicator, exchange)
        played = [*(one.number for one in before), exchange.number]


def _before(history: History, exchange: Exchange) -> list[Exchange]:
    """The resolved exchanges that stood when this one was opened."""
    return [
        past
        for past in history.exchanges[: exchange.number - 1]
        if past.resolved is not None and not 0 < past.voided_by < exchange.opened_at
    ]


def base_of(history: History, exchange: Exchange) -> Exchange | None:
    """The exchange whose end this one was opened on; None for the first."""
    before = _before(history, exchange)
    return before[-1] if before else None


def following(history: History, exchange: Exchange) -> Exchange | None:
    """The exchange that was opened after this one was resolved."""
    later = history.exchanges[exchange.number : exchange.number + 1]
    return later[0] if later else None
