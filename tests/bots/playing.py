"""Whole games between bots, at a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from pbem.bots import Bot
from pbem.play.resolve import Resolution
from pbem.practice.table import Table
from pbem.rules import Outcome

MAX_EXCHANGES = 2_000
"""No game comes near; bots that go on longer are caught in a loop."""


@dataclass(frozen=True, slots=True)
class Record:
    """A game that bots have played."""

    outcome: Outcome
    resolutions: tuple[Resolution, ...]
    orders: tuple[Mapping[str, str], ...]
    """Side -> what it wrote, for each exchange after the first."""


def play_bots(
    table: Table, bots: Mapping[str, Bot], watch: Callable[[Resolution], None] | None = None
) -> Record:
    """A whole game between bots, each of which reads its own view and writes an order file."""
    resolutions, orders = [table.last], []
    while table.outcome is None and table.number < MAX_EXCHANGES:
        texts = {side: bot.write(table.view(side), table.open_asks(side)) for side, bot in bots.items()}
        resolutions.append(table.exchange(texts))
        orders.append(texts)
        if watch:
            watch(table.last)
    assert table.outcome is not None, "the bots never come to an end"
    return Record(table.outcome, tuple(resolutions), tuple(orders))
