"""Looks through orders before they are signed, with the game's own language and the last report's view.

Only remarks come of it: the judge decides, and a fault in the check must not keep anyone from sending.
"""

from __future__ import annotations

from dataclasses import replace
from importlib.metadata import entry_points
from typing import Any

from pbem.orders.faults import Fault
from pbem.trust.entries import Genesis

RULES_OPTION = "game"
"""The genesis option that names the rules."""


def check_orders(genesis: Genesis, side: str, report: str, body: str, body_line: int) -> tuple[Fault, ...]:
    """What is wrong or doubtful about orders, as far as their writer can see it.

    `report` is the last report to the side, whose view is read from it; `body_line` is the line of the
    draft on which `body` begins. Nothing is found if the game is not installed here.
    """
    name = dict(genesis.options).get(RULES_OPTION, "")
    language, style = _plug("pbem.orders", name), _plug("pbem.reports", name)
    if language is None:
        return ()
    parsed = language.parse(body, side)
    faults: tuple[Fault, ...] = parsed.faults
    if style is not None and (view := style.read_view(report)) is not None:
        faults += language.check(parsed.orders, view)
    return tuple(replace(fault, line=fault.line + body_line - 1) for fault in faults)


def _plug(group: str, name: str) -> Any:
    """A part of an installed game; None if it is not there."""
    for found in entry_points(group=group, name=name):
        try:
            return found.load()
        except (ImportError, AttributeError):
            return None
    return None
