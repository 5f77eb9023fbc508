"""Collects what a check finds, each fault at its place in the text."""

from __future__ import annotations

from collections.abc import Iterable

from pbem.orders.faults import Fault
from pbem.orders.hammer.tree import Order, Orders
from pbem.orders.hammer.vocabulary import ALL_BLOCKS, AREA_NAMES, CANDIDATES, CARDS
from pbem.orders.hammer.write import write_line
from pbem.orders.lines import Text, Token, find_words
from pbem.orders.names import Names

MOST = 200


class Findings:
    """The faults of one order file."""

    def __init__(self, orders: Orders) -> None:
        self._lines = orders.source
        self.found: dict[tuple[int, int, str], Fault] = {}

    def note(
        self,
        order: Order,
        about: str,
        message: str,
        rule: str = "",
        *,
        legal: Iterable[str] = (),
        remark: bool = False,
    ) -> None:
        """A fault in an order, at the name it is about (or at the whole line)."""
        if len(self.found) < MOST:
            text = Text(list(self._lines))
            tokens = self._place(order.line, about)
            if not tokens:  # orders that were not read from a text
                text, tokens = Text([write_line(order)]), [Token("", 1, 1, len(write_line(order)))]
            fault = text.fault(tokens, message, rule, legal=legal, remark=remark)
            self.found.setdefault((fault.line, fault.column, message), fault)

    def note_line(self, line: int, message: str, rule: str = "") -> None:
        """A remark about a whole line that is no order."""
        tokens = self._place(line, "")
        if tokens and len(self.found) < MOST:
            fault = Text(list(self._lines)).fault(tokens, message, rule, remark=True)
            self.found.setdefault((fault.line, fault.column, message), fault)

    def _place(self, line: int, about: str) -> list[Token]:
        if not 0 < line <= len(self._lines):
            return []
        kinds = [names for names in (ALL_BLOCKS, AREA_NAMES, CARDS, CANDIDATES) if about in names]

        def width(words: tuple[str, ...]) -> int:
            if about and words[0] == about:
                return 1
            return max((_width(names, words, about) for names in kinds), default=0)

        return find_words(self._lines, line, width)

    def faults(self) -> tuple[Fault, ...]:
        """All of them, in the order of the text."""
        return tuple(self.found[key] for key in sorted(self.found))


def _width(names: Names, words: tuple[str, ...], about: str) -> int:
    match = names.read(words)
    return match.words if match.name == about else 0
