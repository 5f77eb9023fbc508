"""A second pair of eyes: the limits of the rulebook, counted again from what was told.

Nothing here asks the engine whether something is allowed. It reads the facts, the judge's view after
each answer and the events since the last one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from pbem.rules.base import Event, View
from pbem.rules.hammer.facts import (
    AREAS,
    BLOCKS,
    ENGLAND,
    NOBLES,
    OFF_MAP,
    POOL,
    SCOTLAND,
    SIDES,
    read_options,
)
from pbem.rules.hammer.game import Hammer
from tests.hammer.parting import SHOWS

BORDER_LIMIT = {True: 2, False: 6}  # red, green
MAY_STAY_IN_SCOTLAND = ("infantry", "noble")
SEAMEN = ("Norse", "French Knights")


class Referee:
    """Watches one game from its first moment."""

    def __init__(self, game: Hammer) -> None:
        self.game = game
        self.options = read_options(game.view("gm")["options"])
        self.rating = {name: fact.move for name, fact in BLOCKS.items()} | dict(self.options.moves)
        self.before: View = game.view("gm")
        self.heard = 0
        self.cards: dict[str, str] = {}
        self.card_turn = (0, 0)
        self.moved: list[Event] = []
        self.crossed: Counter[tuple[str, str]] = Counter()  # (side, border) over which blocks went
        self.left: Counter[str] = Counter()
        self.retreats: Counter[tuple[Any, ...]] = Counter()
        self.battle = 0
        self.landed: Counter[str] = Counter()
        self.kings = 0
        self.year = self.before["year"]
        self.check()

    def check(self) -> None:
        """Everything that must hold now, and every limit since the last call."""
        now = self.game.view("gm")
        events = self.game.told("gm")[self.heard :]
        for event in self.game.told("public")[self.heard :]:
            check_named(event)
        self.heard += len(events)
        check_blocks(now)
        check_index(self.game)
        check_counts(self.game, now)
        for event in events:
            self.hear(event)
        self.before = now
        if now["turn"] == 1 and now["year"] > self.year:
            self.year = now["year"]
            self.check_castle_limits(now)
            self.landed.clear()

    def hear(self, event: Event) -> None:
        """One event, by its kind."""
        match event["event"]:
            case "cards":
                self.cards = {side: event[side] for side in SIDES}
                self.moved.clear()
                self.crossed.clear()
                self.left.clear()
            case "move":
                self.check_move(event)
            case "battle":
                self.battle += 1
            case "revealed":
                self.check_revealed(event)
            case "retreat" | "withdraw" | "regroup":
                self.check_leaving(event)
            case "fire":
                check_fire(event)
            case "crowned":
                self.kings += 1
                assert self.kings + (self.options.scenario == "the-bruce") == 1, "a second king was crowned"
            case "draw":
                self.landed[event["placed"]] += 1

    # -- 4.0

    def check_move(self, event: Event) -> None:
        """4.0-4.6: one block's move."""
        name, path, side = event["block"], event["path"], event["side"]
        block = self.before["blocks"][name]
        enemy = SCOTLAND if side == ENGLAND else ENGLAND
        enemies = {area: counts[enemy] for area, counts in self.before["areas"].items()}
        assert block["side"] == side
        assert block["area"] == path[0]
        assert all(earlier["block"] != name for earlier in self.moved), f"{name} moved twice"
        self.moved.append(event)
        if side in self.before["truce"]:
            assert not enemies[path[-1]], "an attack in spite of the truce"
            assert not (side == SCOTLAND and path[-1] == "England"), "a raid in spite of the truce"
        if self.rating[name] == 0:
            assert len(path) == 2
            assert AREAS[path[1]].coastal
            assert path[1] != "England"
        else:
            self.check_path(name, side, path, enemies)
        self.check_group_moves(side)
        self.check_pinned(side, path[0])

    def check_path(self, name: str, side: str, path: list[str], enemies: dict[str, int]) -> None:
        """4.0, 4.3: borders, their limits, and where a block must stop."""
        assert 1 <= len(path) - 1 <= self.rating[name]
        assert len(set(path)) == len(path)
        for index, (here, there) in enumerate(pairwise(path)):
            border = AREAS[here].neighbours[there]
            self.crossed[side, border.name] += 1
            assert self.crossed[side, border.name] <= BORDER_LIMIT[border.red], f"too many over {border.name}"
            if index < len(path) - 2:
                assert not border.red, f"{name} went on over a red border"
                assert not enemies[there], f"{name} went on past enemies"
                assert there != "England", f"{name} went on through England"

    def check_group_moves(self, side: str) -> None:
        """4.2, 4.4: one Group Move for each start area; one block over England's border for each."""
        groups: dict[str, list[bool]] = {}
        spent = 0
        for event in self.moved:
            if event["side"] != side:
                continue
            if self.rating[event["block"]] == 0:
                spent += 1
            else:
                path = event["path"]
                over = any("England" in pair for pair in pairwise(path))
                groups.setdefault(path[0], []).append(over)
        for crossings in groups.values():
            across, within = sum(crossings), len(crossings) - sum(crossings)
            if self.options.border_crossing == "uses_group_move":
                spent += across + (within > 0)
            else:
                spent += max(across, 1)
        assert spent <= int(self.cards[side]), f"{spent} Group Moves for a {self.cards[side]}"

    def check_pinned(self, side: str, area: str) -> None:
        """4.6, R48: each attacker holds one of those who stood there when Player 2 began."""
        self.left[area] += 1
        attack = self.before["attacks"].get(area)
        if side == self.before["first"] or attack is None or attack["attacker"] == side:
            return
        enemy = SCOTLAND if side == ENGLAND else ENGLAND
        attackers = self.before["areas"][area][enemy]
        arrived = sum(event["side"] == side and event["path"][-1] == area for event in self.moved)
        stay = self.before["areas"][area][side] - arrived - 1
        defenders = stay + self.left[area]
        assert stay >= min(attackers, defenders), f"a pinned block left {area}"

    # -- 5.1, 5.5, 5.6

    def check_revealed(self, event: Event) -> None:
        """5.32, 5.33: nobody in reserve is turned up in the first round."""
        attack = self.before["attacks"].get(event["area"])
        if attack and event["round"] == 1:
            assert not set(event["blocks"]) & set(attack["reserve_blocks"]), "a reserve was turned up"

    def check_leaving(self, event: Event) -> None:
        """5.5, 5.6: Border Limits, per round and side; the Norse sail."""
        here = event["area"]
        for name, there in event["who"].items():
            if self.rating[name] == 0:
                assert AREAS[there].coastal
                assert there != "England"
                continue
            border = AREAS[here].neighbours[there]
            key = (self.battle, event["event"], event.get("round"), event["side"], border.name)
            self.retreats[key] += 1
            assert self.retreats[key] <= BORDER_LIMIT[border.red], f"too many fell back over {border.name}"
            assert not (event["side"] == SCOTLAND and there == "England")
            assert not (event["side"] == ENGLAND and here == "England")

    # -- 7.3, 7.5

    def check_castle_limits(self, now: View) -> None:
        """7.32, 7.5: at the new year nobody who could have disbanded stands above a limit."""
        court = now["blocks"]["Edward"]["area"] if now["edward_wintered"] else None
        for area, counts in now["areas"].items():
            fact = AREAS[area]
            standing = {name: row for name, row in now["blocks"].items() if row["area"] == area}
            if area not in ("England", court):
                english = [name for name, row in standing.items() if row["side"] == ENGLAND]
                kinds = [BLOCKS[name].kind for name in english]
                assert set(kinds) <= set(MAY_STAY_IN_SCOTLAND), f"{english} stayed in {area}"
                assert len(english) <= fact.castle_limit or "infantry" not in kinds, f"{area} is overfull"
            could_go = [
                name
                for name, row in standing.items()
                if row["side"] == SCOTLAND
                and (name not in NOBLES or name == "Moray")
                and not (name == "Wallace" and area == "Selkirk")
            ]
            german = [name for name in could_go if name in SEAMEN and self.options.inland_draw != "redraw"]
            exempt = sum(name == "Wallace" for name in standing) if area == "Selkirk" else 0
            over = counts[SCOTLAND] - exempt - len(german) - fact.castle_limit - fact.cathedral
            if over > 0 and area == "England":
                raise AssertionError("Scots wintered in England")
            assert over <= 0 or set(could_go) == set(german), f"{could_go} stayed above the limit of {area}"


def check_blocks(now: View) -> None:
    """2.0: all blocks are there, each somewhere, of a side that may own it, with a strength it can have."""
    blocks = now["blocks"]
    assert set(blocks) == set(BLOCKS)
    for name, row in blocks.items():
        fact = BLOCKS[name]
        assert row["side"] in SIDES
        assert fact.side in (None, row["side"])
        assert row["area"] in AREAS or row["area"] in (POOL, OFF_MAP)
        if row["area"] in AREAS:
            assert 1 <= row["strength"] <= fact.max, f"{name} has strength {row['strength']}"
    king = blocks["King"]["area"]
    assert king == OFF_MAP or now["crowned"], "a king without a coronation"


def check_index(game: Hammer) -> None:
    """The lists of who is where agree with the blocks: nobody in two places, nobody on two sides."""
    position = game.position
    listed = Counter(
        (block.name, side, area)
        for side, areas in position.at.items()
        for area, blocks in areas.items()
        for block in blocks
    )
    meant = {
        (block.name, block.side, block.area) for block in position.blocks.values() if block.area in AREAS
    }
    assert set(listed) == meant, "a block is in two places, or in none"
    assert max(listed.values(), default=1) == 1, "a block is in two places"


def in_play(seen: View, side: str) -> int:
    """How many blocks a side has on the map and in its pool."""
    return int(seen["pools"][side] + sum(sides[side] for sides in seen["areas"].values()))


def check_counts(game: Hammer, now: View) -> None:
    """What everybody sees of numbers is what the judge sees, but for who is still under way."""
    counts = Counter((row["area"], row["side"]) for row in now["blocks"].values())
    for area, sides in now["areas"].items():
        assert sides == {side: counts[area, side] for side in SIDES}
    assert now["pools"] == {side: counts[POOL, side] for side in SIDES}
    public = game.view("public")
    for side in SIDES:
        for seen in (public, game.view(side)):
            assert in_play(seen, side) == in_play(now, side), "no block appears or vanishes under way"
        for name, row in game.view(side)["blocks"].items():
            fights = now["battle"] is not None and name in now["battle"]["fighting"]
            assert row["side"] == side or fights, f"{side} sees {name}"


def check_named(event: Event) -> None:
    """R2: what everybody is told names blocks only where the rules turn them up."""
    if event["event"] in SHOWS or (event["event"], event.get("block")) == ("move", "Norse"):
        return
    named = {word for word in words_of(event) if word in BLOCKS and word not in AREAS}
    assert not named, f"everybody is told of {named}: {event}"


def words_of(value: Any) -> Iterator[str]:
    """Every text in an event, keys and values."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, part in value.items():
            yield key
            yield from words_of(part)
    elif isinstance(value, list):
        for part in value:
            yield from words_of(part)


def check_fire(event: Event) -> None:
    """5.4: a die for each step, a hit for each at or below the rating."""
    assert 1 <= len(event["dice"]) <= BLOCKS[event["block"]].max
    assert all(1 <= die <= 6 for die in event["dice"])
    assert event["hits"] == sum(die <= event["rating"] for die in event["dice"])
