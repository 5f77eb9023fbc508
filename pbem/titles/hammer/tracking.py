"""R2: enemy blocks that a reader has marked, tracked from the reader's own reports alone.

A block that is known by name is where the report says. Another one is followed like a block that was shown
once: where blocks of its side leave unseen, it may be one of them. It is lost where blocks of its side are
named in an area in which it may be, since it may be one of those; in winter, when blocks go home and to the
pools; and where it may be in more areas than the reports follow.
"""

from __future__ import annotations

from pbem.playback import EnemyBlock, Later, Trace
from pbem.rules.base import Event, View
from pbem.rules.hammer.facts import AREAS, POOL, SIDES
from pbem.rules.hammer.sightings import LAST_SEEN, Sighting, Watcher, surely_in
from pbem.titles.hammer.reports.position import describe_sighting
from pbem.titles.hammer.reports.sentences import SIDE

MARKED = "the marked block"
ADJECTIVES = {"england": "an English", "scotland": "a Scottish"}
NAMES = {"revealed": "shown", "captured": "captured", "defects": "named", "dead": "named", "home": "named"}
"""The kinds of event that name blocks of an area, or of anywhere, and what happened to those blocks."""


class HammerTracker:
    """The follower of marked blocks in Hammer of the Scots; a `Tracker`."""

    def enemies(self, view: View) -> tuple[EnemyBlock, ...]:
        """Return the blocks that are known by name, and one for each area with blocks that are not."""
        enemies = [side for side in SIDES if side != view["viewer"]]
        up = {name: one for name, one in view["blocks"].items() if one["side"] in enemies}
        known = {name: (one["side"], one["area"]) for name, one in up.items()}
        known |= {one["block"]: (one["side"], one["area"]) for one in view.get(LAST_SEEN, ())}
        named = [
            EnemyBlock(side=side, area=area, name=name, said=f"{name}, {SIDE[side]}")
            for name, (side, area) in sorted(known.items())
        ]
        unknown = [
            EnemyBlock(side=side, area=area, said=f"{ADJECTIVES[side]} block in {area}")
            for area in AREAS
            for side in enemies
            if view["areas"][area][side] > _known_in(view, up, side, area)
        ]
        return (*unknown, *named)

    def follow(self, block: EnemyBlock, later: Later) -> Trace:
        """Return where a block can be by the reports after the one in whose view it was listed.

        For a block that is known by name the last view alone counts.
        """
        if block.name:
            return _trace_name(block.name, [view for _, _, view in later])
        watcher = Watcher(next(side for side in SIDES if side != block.side))
        watcher.show(MARKED, block.side, 0, block.area)
        trace = Trace((block.area,), f"in {block.area}")
        for exchange, told, view in later:
            for event in told:
                if why := _loss(event, block.side, watcher.known[0][MARKED].may_be):
                    return Trace((), f"followed until exchange {exchange}: {why}")
                watcher.hear([event])
                if not _keep_marked(watcher):
                    return Trace((), f"followed until exchange {exchange}: it may have left the pool again")
            trace = _trace_unseen(watcher, view, exchange, trace)
        return trace


def _keep_marked(watcher: Watcher) -> bool:
    """Make a watcher forget all blocks but the marked one; return whether it still knows of that block."""
    found, now, _ = watcher.known
    watcher.known = {name: one for name, one in found.items() if name == MARKED}, now, {}
    return MARKED in found


def _known_in(view: View, up: dict[str, View], side: str, area: str) -> int:
    """Return how many blocks of a side stand in an area and are known by name."""
    face_up = {name for name, one in up.items() if one["side"] == side and one["area"] == area}
    return len(face_up | surely_in(view, area).keys())


def _trace_name(name: str, views: list[View]) -> Trace:
    if not views:
        return Trace((), "no report tells of it")
    view = views[-1]
    if name in view["blocks"]:
        area = view["blocks"][name]["area"]
        return Trace((area,), f"face up in {area}")
    for one in view.get(LAST_SEEN, ()):
        if one["block"] == name:
            places = tuple(area for area in one["may_be"] if area != POOL)
            return Trace(places, describe_sighting(Sighting(**{**one, "may_be": tuple(one["may_be"])}), view))
    return Trace((), "the last report does not tell where it can be")


def _loss(event: Event, side: str, may_be: tuple[str, ...]) -> str:
    """Return why a block that may be in these areas cannot be followed beyond an event; "" if it can."""
    kind = event["event"]
    if kind == "winter":
        return "in winter blocks go home and to the pools, and nobody sees which"
    if kind not in NAMES:
        return ""
    area = event.get("area")
    if area is not None and area not in may_be:
        return ""
    if kind == "dead" and event["side"] != side:
        return ""
    blocks = event.get("blocks") or {event.get("block") or event["noble"]: {"side": side}}
    named = [name for name, one in blocks.items() if one["side"] == side]
    where = f" in {area}" if area is not None else ""
    return f"it may be what was {NAMES[kind]}{where}: {', '.join(named)}" if named else ""


def _trace_unseen(watcher: Watcher, view: View, exchange: int, before: Trace) -> Trace:
    """Return where the marked block can be after the report of an exchange."""
    found = watcher.seen(view)
    if not found:
        said = before.said if not before.areas else f"followed until exchange {exchange}: it may be anywhere"
        return Trace((), said)
    areas = tuple(area for area in found[0].may_be if area != POOL)
    pool = " or in the pool" if POOL in found[0].may_be else ""
    return Trace(areas, f"in {' or '.join(areas)}{pool}")


TRACKER = HammerTracker()
