"""Finds the lines of a player's own orders that belong beside the steps of a report's story."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache

from pbem.moments.own_lines import Answered, OrdersOf, Shown
from pbem.moments.own_lines import lines_beside as beside
from pbem.playback import Step
from pbem.player.faults import DamagedPosition, reading_position
from pbem.player.store.game_store import GameFolder
from pbem.player.store.known_files import RECEIPTED, known_files
from pbem.reports.packing import unpack
from pbem.trust.orderfile import parse_orders


class Unpacked(Mapping[int, Shown]):
    """The data for programs in each report, read once when first asked for; damaged ones are left out."""

    def __init__(self, reports: Mapping[int, str]) -> None:
        self._reports = reports
        self._read = cache(lambda number: unpack(reports[number]))

    def __getitem__(self, number: int) -> Shown:
        """Return the data for programs in the report of an exchange."""
        found = self._read(number)
        if found is None:
            raise KeyError(number)
        return found

    def __iter__(self) -> Iterator[int]:
        """Iterate over the numbers of the exchanges that have a report."""
        return iter(self._reports)

    def __contains__(self, number: object) -> bool:
        """Tell whether an exchange has a report that can be read."""
        return number in self._reports and isinstance(number, int) and self._read(number) is not None

    def __len__(self) -> int:
        """Return the number of reports that can be read."""
        return len(self._reports)


def lines_beside(
    reports: Mapping[int, str], orders: OrdersOf, exchange: int, steps: Sequence[Step]
) -> tuple[tuple[Answered, ...], ...]:
    """Return, for each step of a report, the lines of its reader's orders that decided or did not.

    `reports` are those before it, by exchange. Nothing is returned where one of them is damaged.
    """
    nothing: tuple[tuple[Answered, ...], ...] = ((),) * len(steps)
    try:
        with reading_position():
            return beside(Unpacked(reports), orders, exchange, steps)
    except DamagedPosition:
        return nothing


def counted_orders(folder: GameFolder) -> OrdersOf:
    """Return a function that gives the orders that counted in an exchange, from receipts and the ledger."""
    sealed_of = counted_files(folder)

    def orders_of(exchange: int) -> str | None:
        sealed = sealed_of(exchange)
        if not sealed:
            return ""
        sent = [one for one in folder.sent_files.orders_of(exchange) if one.name == sealed]
        return parse_orders(sent[0].text).body if sent else None

    return orders_of


def counted_files(folder: GameFolder) -> Callable[[int], str]:
    """Return a function that gives the hash of the player's file that counted in an exchange, or ""."""
    chronicle = folder.chronicle()

    @cache
    def sealed_of(exchange: int) -> str:
        known = known_files(folder, chronicle, exchange)
        arrived = [one for one in known if one.state == RECEIPTED]
        return arrived[-1].sealed if arrived else ""

    return sealed_of
