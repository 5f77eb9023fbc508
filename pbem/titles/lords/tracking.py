"""L18, L21, L32: face-down Followers of others that a reader has marked, tracked from the reader's reports.

An army lies in the order in which cards came to it, and all that moves a card between armies or out of one is
told with its number. So a face-down card is followed until it is turned up at the end of the round, or
discarded. A card that the reader knows is followed in the same way.
"""

from __future__ import annotations

from typing import Any

from pbem.playback import EnemyBlock, Later, Trace
from pbem.rules.base import View
from pbem.rules.lords.facts import CARDS
from pbem.titles.lords.playback import BACK, Scene
from pbem.titles.lords.reports.sentences import SIDE

MARKED = "marked"
"""The key of the row of the Follower that is followed."""


class LordsTracker:
    """The follower of face-down Followers in Lords of Scotland; a `Tracker`."""

    def enemies(self, view: View) -> tuple[EnemyBlock, ...]:
        """Return the face-down Followers in the armies of other sides."""
        return tuple(
            EnemyBlock(
                side=side,
                area=place_of(side, number),
                name="" if row["card"] == BACK else row["card"],
                said=describe(row, side, number, view),
            )
            for side, army in view["armies"].items()
            if side != view["viewer"]
            for number, row in enumerate(army, 1)
            if not row["up"]
        )

    def follow(self, block: EnemyBlock, later: Later) -> Trace:
        """Return the army and number at which a Follower lies, by the reports from its marking on."""
        (_, _, before), *reports = later
        side, _, number = block.area.partition("/#")
        place, said = (side, int(number)), block.said
        for exchange, told, view in reports:
            scene = Scene(before)
            lost = scene.armies[place[0]][place[1] - 1]
            lost[MARKED] = True
            for event in told:
                scene.play(event)
                found = [(one, row) for one, army in scene.armies.items() for row in army if row.get(MARKED)]
                if not found:
                    card = event.get("card", lost["card"])
                    was = "" if card == BACK else f"; it was {CARDS[card].title}"
                    return Trace((), f"discarded in exchange {exchange}{was}")
                lost = found[0][1]
                if lost["up"]:
                    return Trace((), f"turned up in exchange {exchange}: it was {CARDS[lost['card']].title}")
            place = next(
                (one, number)
                for one, army in scene.armies.items()
                for number, row in enumerate(army, 1)
                if row.get(MARKED)
            )
            row = view["armies"][place[0]][place[1] - 1]
            before, said = view, describe(row, *place, view)
        return Trace((place_of(*place),), said)


def place_of(side: str, number: int) -> str:
    """Return the place of a Follower as orders write it: its army, and its number there."""
    return f"{side}/#{number}"


def describe(row: dict[str, Any], side: str, number: int, view: View) -> str:
    """Return a face-down Follower in words, as its reader knows it."""
    card = "a face-down card" if row["card"] == BACK else f"{CARDS[row['card']].title}, face-down"
    whose = "your" if side == view["viewer"] else f"{SIDE[side]}'s"
    return f"{card}, number {number} of {whose} army"


TRACKER = LordsTracker()
