"""Where the rules themselves show what was hidden, so that two worlds may part."""

from __future__ import annotations

from typing import NamedTuple

from pbem.rules.base import Event
from pbem.rules.hammer.facts import BLOCKS

SHOWS = (
    *"revealed unity fire pass hit retreat captured dead home crowned defects herald".split(),
    "winter move",
    "herald calls",
)
"""Events by which everybody learns which block it is that they name."""

PLACES = (
    "revealed",
    "home",
    "winter move",
    "crowned",
    "defects",
    "captured",
    "dead",
    "herald",
    "herald calls",
)
"""Those of them that also tell where the block stands: from then on the worlds look different."""


class Parting(NamedTuple):
    """Why an event may differ though it names nobody."""

    fields: set[str]  # in which of its facts
    why: str
    or_not_at_all: bool = False  # it may also be told in one world alone


PARTING = {
    "cards": Parting({"england", "scotland", "first"}, "3.1: the last card of a hand is played unasked"),
    "pillage hits": Parting({"hits", "blocks"}, "R17: no more hits than the area has steps", True),
    "to pool": Parting(set(), "R17: strong blocks outlast a pillage, weak ones do not", True),
    "withdraw": Parting({"to", "lost"}, "5.5: blocks that cannot retreat are lost"),
    "raid": Parting({"area"}, "5.9: nobles cannot be lost to a raid"),
    "disband": Parting({"areas"}, "7.3, 7.5: whole kinds of blocks must go, and numbers are told", True),
    "french": Parting(set(), "7.61: Moray counts where he is on the map", True),
}
FORCED_BUILDS = Parting({"points"}, "R101 as a house rule: weakened blocks are built without a question")


def excuse(one: Event, other: Event, forced_builds: bool) -> str | None:
    """Why these two events may differ though neither names a block; None if they may not."""
    table = {**PARTING, "builds": FORCED_BUILDS} if forced_builds else PARTING
    fields = {key for key in {**one, **other} if one.get(key) != other.get(key)}
    for event in (one["event"], other["event"]):
        parting = table.get(event)
        if parting and (fields <= parting.fields or ("event" in fields and parting.or_not_at_all)):
            return parting.why
    return None


def shown_blocks(event: Event) -> set[str]:
    """The blocks that everybody knows from this event: turned up, gone home, or the Norse at sea."""
    if event["event"] not in SHOWS and (event["event"], event.get("block")) != ("move", "Norse"):
        return set()
    found: set[str] = set()
    for key in ("block", "noble", "king", "blocks"):
        value = event.get(key)
        names = (
            ["French Knights"]
            if value == "Balliol"
            else [value]
            if isinstance(value, str)
            else value
            if isinstance(value, list | dict)
            else []
        )
        found.update(name for name in names if name in BLOCKS)
    return found
