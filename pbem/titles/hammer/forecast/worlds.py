"""The worlds that a view of Hammer leaves possible: which enemy blocks stand where nobody sees them (R2).

Who was shown and can be followed is where it can be, nobles are on the map, and Edward is in the place that
all know. Of the rest all that may be is drawn. A battle or moves that are under way begin anew: the rules
know no place amid them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pbem.forecast.replay import Hidden, Placed, Unseen, Worlds
from pbem.orders.base import pack
from pbem.rules.base import Chance, View
from pbem.rules.hammer.facts import BLOCKS, DECK, OFF_MAP, POOL, SCENARIOS, enemy_of, read_options
from pbem.rules.hammer.restart import imagined
from pbem.rules.hammer.sightings import LAST_SEEN, Sighting
from pbem.rules.hammer.winter_7 import WINTER
from pbem.titles.hammer.forecast.expectations import any_strength, strengths

HAND, DECK_PLACE = "hand", "deck"
"""The places where the enemy's cards may be."""

ANEW = {
    **dict.fromkeys(("first move", "second move"), "This Movement Phase begins anew, with all its moves."),
    "events": "The events of this turn begin anew.",
    **dict.fromkeys(WINTER, "This step of winter begins anew."),
}
"""The warnings of a try, by phase: a position taken in the middle of such a phase begins it again."""


class HammerWorlds:
    """The maker of possible worlds for the game "hammer"."""

    def hidden(self, view: View) -> Hidden:
        """Return the enemy's blocks that lie face down, and the cards that nobody has shown."""
        enemy = enemy_of(view["viewer"])
        rooms = {area: counts[enemy] for area, counts in view["areas"].items()} | {POOL: view["pools"][enemy]}
        for row in view["blocks"].values():
            if row["side"] == enemy and row["area"] in rooms:
                rooms[row["area"]] -= 1
        rooms = {area: room for area, room in rooms.items() if room}
        known = _followed(view, rooms)
        blocks = [
            Unseen(name, known.get(name) or _places(name, view, tuple(rooms)))
            for name in _blocks(view, enemy)
        ]
        cards = list(DECK)
        for card in (*view["played"]["england"], *view["played"]["scotland"], *view["hand"]):
            cards.remove(card)
        held = view["hand_sizes"][enemy]
        rooms |= {HAND: held, DECK_PLACE: len(cards) - held}
        return Hidden((*blocks, *(Unseen(card, (HAND, DECK_PLACE)) for card in cards)), rooms)

    def world(self, view: View, placed: Placed, chance: Chance) -> View:
        """Return a position with the enemy's blocks and cards where they are placed."""
        enemy = enemy_of(view["viewer"])
        seen = {one["block"]: one for one in view.get(LAST_SEEN, ())}
        blocks = {name: dict(row) for name, row in view["blocks"].items()}
        gone = [name for name in view["out"] if name not in blocks]
        blocks |= {name: {"side": enemy, "area": OFF_MAP, "strength": 1} for name in gone}
        hand = []
        for name, place in placed:
            if place in (HAND, DECK_PLACE):
                hand += [name] if place == HAND else []
                continue
            most = (BLOCKS[name].max,)
            may = most if place == POOL else strengths(name, seen[name], view) if name in seen else None
            may = may or any_strength(name)
            strength = int(chance.draw(f"strength/{name}", tuple(map(str, may))))
            blocks[name] = {"side": enemy, "area": place, "strength": strength}
        hands = {view["viewer"]: view["hand"], enemy: sorted(hand, key=DECK.index)}
        return imagined(
            view,
            blocks=blocks,
            hands=hands,
            battles=view["battles"] - (view["battle"] is not None),
            attacks={
                area: {
                    **{key: entry[key] for key in ("attacker", "origin", "border")},
                    "reserve_blocks": [
                        *entry.get("reserve_blocks", ()),
                        *_reserves(area, view, blocks, chance),
                    ],
                }
                for area, entry in view["attacks"].items()
            },
        )

    def memory(self, view: View) -> Any:
        """Return the blocks that the viewer can still follow, as the memory of the reports loads them."""
        found = {
            one["block"]: Sighting(**{**one, "may_be": tuple(one["may_be"])})
            for one in view.get(LAST_SEEN, ())
        }
        return pack((found, (view["year"], view["turn"]), {}))

    def remark(self, view: View) -> str:
        """Return a sentence on what a game begun from a view begins anew: 5.0 a battle, 4.0 moves; or ""."""
        if view["battle"] is not None:
            return (
                f"The battle in {view['battle']['area']} begins anew, at its first round, with the strengths "
                "that are left."
            )
        return ANEW.get(view["phase"], "")


def _blocks(view: View, enemy: str) -> list[str]:
    """Return the enemy's blocks in play that the viewer does not see."""
    return [
        name
        for name, fact in BLOCKS.items()
        if (view["nobles"].get(name) if fact.noble else fact.side) == enemy
        and name not in view["out"]
        and name not in view["blocks"]
    ]


def _followed(view: View, rooms: Mapping[str, int]) -> dict[str, tuple[str, ...]]:
    """R2: return the areas where each followed block may be, by block; the last seen have first choice."""
    left, found = dict(rooms), {}
    for one in view.get(LAST_SEEN, ()):  # the last seen come first
        if areas := tuple(area for area in one["may_be"] if left.get(area)):
            found[one["block"]] = areas
            if len(areas) == 1:
                left[areas[0]] -= 1
    return found


def _places(name: str, view: View, rooms: tuple[str, ...]) -> tuple[str, ...]:
    """Return the areas in which a block of which nothing is known may stand, and the pool if it may be."""
    if name == "Edward":
        options = read_options(view["options"])
        first = SCENARIOS[options.scenario].first_year + options.years_without_edward
        if view["edward_winters"] in rooms:
            return (view["edward_winters"],)
        if view["year"] < first and POOL in rooms:
            return (POOL,)  # R5
    if BLOCKS[name].noble and not BLOCKS[name].black_cross:
        return tuple(area for area in rooms if area != POOL)
    return rooms


def _reserves(area: str, view: View, blocks: View, chance: Chance) -> list[str]:
    """5.32: return hidden enemy blocks in a contested area, drawn as its reserves; their number is public."""
    enemy = enemy_of(view["viewer"])
    there = [
        name
        for name, row in blocks.items()
        if row["side"] == enemy and row["area"] == area and name not in view["blocks"]
    ]
    found: list[str] = []
    for _ in range(min(view["attacks"][area].get("reserves", {}).get(enemy, 0), len(there))):
        found.append(chance.draw(f"reserve/{area}/{len(found)}", tuple(there)))
        there.remove(found[-1])
    return found


WORLDS: Worlds = HammerWorlds()
