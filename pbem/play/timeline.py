"""Plays every exchange of a ledger in turn, each from where the one before it in its own history ended.

A roll-back makes exchanges void, and the game goes on from an earlier one; a correction may change a house
rule as well. What was resolved before was reported all the same, so whoever writes those reports again must
be able to play it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from pbem.play.adjudicate import Adjudication, Adjudicator
from pbem.play.exchange import Exchange
from pbem.play.history import Bases, History, bases_of

Adjudicate = Callable[[Adjudicator, Exchange], Adjudication]


def timeline(
    history: History, adjudicate: Adjudicate, wanted: Callable[[Exchange], bool] = lambda _: True
) -> Iterator[tuple[Exchange, Adjudicator, Adjudication]]:
    """Yield every wanted resolved exchange, void ones too, with the adjudicator that has just played it."""
    adjudicator = Adjudicator(history.genesis)
    last: Exchange | None = None
    bases = bases_of(history)
    for exchange in history.exchanges:
        if exchange.resolved is None or not wanted(exchange):
            continue
        if bases[exchange.number] is not last or adjudicator.genesis != exchange.genesis:
            adjudicator = Adjudicator(exchange.genesis)
            for past in _before(bases, exchange):
                adjudicate(adjudicator, past)
        yield exchange, adjudicator, adjudicate(adjudicator, exchange)
        last = exchange


def _before(bases: Bases, exchange: Exchange) -> list[Exchange]:
    """Return the resolved exchanges that stood when an exchange was opened, in their order."""
    before: list[Exchange] = []
    base = bases[exchange.number]
    while base is not None:
        before.append(base)
        base = bases[base.number]
    return before[::-1]


def following(history: History, exchange: Exchange) -> Exchange | None:
    """Return the exchange that was opened after the given one was resolved; None if there is none."""
    later = history.exchanges[exchange.number : exchange.number + 1]
    return later[0] if later else None
