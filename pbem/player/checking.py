"""Looks through orders before they are signed, with the game's own language and the last report's view.

Only remarks come of it: the judge decides, and a fault in the check must not keep anyone from sending.
"""

from __future__ import annotations

from dataclasses import replace

from pbem.orders.faults import Fault
from pbem.rules import UnknownRules
from pbem.titles import load
from pbem.trust.entries import Genesis

RULES_OPTION = "game"
"""The genesis option that names the rules."""


def check_orders(genesis: Genesis, side: str, report: str, body: str, body_line: int) -> tuple[Fault, ...]:
    """What is wrong or doubtful about orders, as far as their writer can see it.

    `report` is the last report to the side, whose view is read from it; `body_line` is the line of the
    draft on which `body` begins. Nothing is found if the game is not installed here.
    """
    try:
        title = load(dict(genesis.options).get(RULES_OPTION, ""))
        language, style = title.language, title.style
    except (UnknownRules, ImportError, AttributeError):
        return ()
    parsed = language.parse(body, side)
    faults: tuple[Fault, ...] = parsed.faults
    if (view := style.read_view(report)) is not None:
        faults += language.check(parsed.orders, view)
    return tuple(replace(fault, line=fault.line + body_line - 1) for fault in faults)
