"""Where the rules themselves show what was hidden, so that two worlds may part."""

from __future__ import annotations

from typing import NamedTuple

from pbem.rules.base import Event
from pbem.rules.hammer.facts import BLOCKS
from tests.properties.random_play import Options

SHOWS = (
    *"revealed unity fire pass hit retreat captured dead home crowned defects herald".split(),
    "winter move",
    "herald calls",
)
"""Events by which everybody learns which block it is that they name."""

PLACES = (*"revealed home crowned defects captured dead herald move".split(), "winter move", "herald calls")
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
FORCED_DRAW = Parting(set(), "R101, R103: no draw inland if the pool holds nobody but Norse and French", True)
ARCHERS_IN_RESERVE = Parting({"rating", "hits"}, "R85: archers count before they are turned up")
INLAND_DRAW = "R103 by the German rule: a ship's crew drawn inland lands next door"


def partings(options: Options) -> dict[str, Parting]:
    """The table for a game's house rules."""
    table = dict(PARTING)
    if options["spend_rp"] == "forced":
        table["builds"] = FORCED_BUILDS
        table["draw"] = FORCED_DRAW
    if options["schiltroms"] and options["schiltrom_reserve_archers"] == "count":
        table["fire"] = ARCHERS_IN_RESERVE
    return table


def excuse(table: dict[str, Parting], one: Event, other: Event) -> str | None:
    """Why these two events may differ though neither names a block; None if they may not."""
    fields = {key for key in {**one, **other} if one.get(key) != other.get(key)}
    for event in (one["event"], other["event"]):
        parting = table.get(event)
        if parting and (fields <= parting.fields or (fields & {"event", "side"} and parting.or_not_at_all)):
            return parting.why
    return None


def landed_elsewhere(one: Event, other: Event) -> bool:
    """Has the judge's word of a draw put blocks into different areas?"""
    return bool(one["event"] == other["event"] == "draw" and one["placed"] != other["placed"])


def raided_unlike(one: Event, other: Event) -> bool:
    """5.9: has a raid cost blocks of different kinds? What is left in the two worlds is no longer alike."""
    names = one.get("block"), other.get("block")
    if not one["event"] == other["event"] == "raid" or not all(names):
        return False
    return BLOCKS[one["block"]].kind != BLOCKS[other["block"]].kind


def shown_blocks(event: Event) -> set[str]:
    """The blocks that everybody knows from this event: turned up, gone home, or the Norse at sea."""
    if event["event"] not in SHOWS and (event["event"], event.get("block")) != ("move", "Norse"):
        return set()
    found: list[str] = []
    for key in ("block", "noble", "king", "blocks"):
        value = event.get(key)
        if isinstance(value, str):
            found.append(value if value != "Balliol" else "French Knights")  # 6.22: he came with them
        elif isinstance(value, list | dict):
            found += value
    return {name for name in found if name in BLOCKS}
