"""The tables of a position: the map by region, cards, nobles, kings, pools, battles, and blocks once shown.

All of it is read off one view; what that view does not hold is not there. Enemy blocks that were shown are
told with where they can be since (R2).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from typing import Any

from pbem.characters import lower, strip_blanks
from pbem.orders.base import listed, pack, unpack
from pbem.reports.base import fill, hanging_indent
from pbem.reports.words import Memory, count
from pbem.rules.base import Event, View
from pbem.rules.hammer.facts import (
    AREAS,
    BLOCKS,
    ENGLAND,
    NOBLES,
    POOL,
    SCENARIOS,
    SCOTLAND,
    SIDES,
    WINTER_TURN,
    read_options,
)
from pbem.rules.hammer.sightings import LAST_SEEN, Sighting, Watcher
from pbem.titles.hammer.reports.sentences import SIDE, by_map, by_order, card_name, in_full, names

REGIONS: dict[str, tuple[str, ...]] = {
    "Highlands": ("Ross", "Garmoran", "Moray", "Lochaber", "Badenoch", "Argyll"),
    "North-east": ("Strathspey", "Buchan", "Mar", "Angus"),
    "Centre": ("Atholl", "Lennox", "Mentieth", "Fife", "Lanark", "Lothian"),
    "South-west": ("Carrick", "Galloway", "Annan"),
    "Borders": ("Selkirk", "Dunbar", "Teviot"),
    "England": ("England",),
}
HOMES = frozenset(home for name in NOBLES for home in BLOCKS[name].homes)
LIMIT_GREEN, LIMIT_RED = (
    next(border.limit for area in AREAS.values() for border in area.neighbours.values() if border.red is red)
    for red in (False, True)
)
"""4.3: the number of blocks of a side that may cross a border of each kind."""
BORDER_COLUMN = 12
COLUMN_OF_LIMIT = 11
"""The column of the castle limit after the name of an area."""
COLUMN = 30
"""The column where the list of blocks in an area begins."""
HEAD = 18
"""The column of the text beside "Your hand" and its like."""

Places = dict[tuple[str, str], list[str]]
"""The names of blocks by side and area."""

MAP_KEY = "Castle limit (+1 with cathedral, for the Scots), c = coast, h = noble's home."
BLOCK_KEY = "3/4 A3 beside a block: 3 of its 4 steps are left, and its Combat Rating is A3."
"""The key to the map's letters and numbers, which a page shows too."""


def world(view: View) -> list[str]:
    """Return the map as a table by region."""
    lines = fill(MAP_KEY)
    known = blocks_by_place(view)
    for region, areas in REGIONS.items():
        lines.append(region)
        for area in areas:
            there = "; ".join(present(view, known, area))
            lines += hanging_indent(f"  {place(area)}{holder(view, area)}", there, COLUMN)
    return lines


def map_rows(view: View) -> Iterator[tuple[str, ...]]:
    """Yield the map as rows of a table: area, castle limit, who stands there."""
    known = blocks_by_place(view)
    for areas in REGIONS.values():
        for area in areas:
            there = "; ".join(present(view, known, area))
            side = holder(view, area)
            named = f"{side}: {there}" if there and side != "both" else there or "-"
            yield area, strip_blanks(place(area)[COLUMN_OF_LIMIT:]), named


@cache
def border_rows() -> tuple[tuple[str, str, str], ...]:
    """4.3: return for each area the neighbours that it is easy to reach, and those that it is not."""
    rows = []
    for area, fact in AREAS.items():
        red = [name for name, border in fact.neighbours.items() if border.red]
        green = [name for name in fact.neighbours if name not in red]
        rows.append((area, ", ".join(green) or "-", ", ".join(red) or "-"))
    return tuple(rows)


TO_ENGLAND = "With each Group Move, only one block may enter or leave England (4.4)."


@cache
def borders() -> tuple[str, ...]:
    """4.3: return the borders in lines; after the stroke stand the neighbours that only two blocks reach."""
    lines = [
        *fill(
            f"In one turn, {LIMIT_GREEN} blocks of each side may cross the border to a neighbour before the "
            f"/. Only {LIMIT_RED} may cross to a neighbour after the /, and they must stop there. "
            f"{TO_ENGLAND}"
        )
    ]
    for area, green, red in border_rows():
        lines += hanging_indent(area, f"{green} / {red}", BORDER_COLUMN)
    return tuple(lines)


@cache
def place(area: str) -> str:
    """Return the beginning of an area's line in the table of the map: `Fife        2+1 ch  `."""
    fact = AREAS[area]
    limit = f"{fact.castle_limit}{'+1' if fact.cathedral else ''}"
    marks = f"{'c' if fact.coastal else ' '}{'h' if area in HOMES else ''}"
    return f"{area:<11}{limit:<4}{marks:<3}"


def holder(view: View, area: str) -> str:
    """4.5: return in words the side that alone has blocks in an area; "both", or "-" if nobody has."""
    there = [side for side in SIDES if view["areas"][area][side]]
    return "both" if len(there) > 1 else SIDE[there[0]] if there else "-"


def present(view: View, known: Places, area: str) -> Iterator[str]:
    """Yield the blocks in an area: known ones by name, others by number, the enemy's with their side."""
    both = all(view["areas"][area].values())
    for side in SIDES:
        number = view["areas"][area][side]
        if not number:
            continue
        named = known.get((side, area), [])
        parts = [in_full(name, view["blocks"][name]) for name in named]
        if number > len(named):
            parts.append(count(number - len(named), "block"))
        yield f"{f'{SIDE[side]}: ' if both else ''}{names(parts)}"


def blocks_by_place(view: View) -> Places:
    """Return the blocks that this view shows, by side and area, the pool or off the map."""
    found: Places = {}
    for name in by_order(view["blocks"]):
        block = view["blocks"][name]
        found.setdefault((block["side"], block["area"]), []).append(name)
    return found


def battles(view: View) -> list[str]:
    """5.32: return contested areas, who attacks them from where, and with what.

    The battle in progress comes first.
    """
    lines: list[str] = []
    if view["outcome"]:
        return lines
    fight = view["battle"]
    if fight:
        said = f"{fight['area']}: battle {fight['number']}, round {fight['round']}. "
        for side in (fight["attacker"], fight["defender"]):
            blocks = [name for name in by_order(fight["fighting"]) if view["blocks"][name]["side"] == side]
            faces = names(in_full(name, view["blocks"][name]) for name in blocks)
            reserve = f" and {fight['reserves'][side]} in reserve" if fight["reserves"][side] else ""
            verb = "attacks" if side == fight["attacker"] else "defends"
            said += f"{SIDE[side]} {verb}: {faces or count(fight['numbers'][side], 'block')}{reserve}. "
        lines += fill(strip_blanks(said), "", "  ")
    for area in by_map(view["attacks"]):
        if not fight or area != fight["area"]:
            lines += fill(attack(view, area), "", "  ")
    if len(view["attacks"]) > 1:
        lines.append(f"{SIDE[view['first'] or SIDES[0]]} chooses the order of the battles.")
    return lines


def attack(view: View, area: str) -> str:
    """5.32: return one battle that is still to be fought, in words."""
    entry = view["attacks"][area]
    origin = f" from {entry['origin']}" if entry["origin"] not in ("", area) else ""
    said = f"{area}: {SIDE[entry['attacker']]} attacks{origin} with {count(entry['main'], 'block')}"
    reserves = [f"{number} of {SIDE[side]}" for side, number in entry["reserves"].items() if number]
    mine = f" ({names(by_order(entry['reserve_blocks']))})" if entry.get("reserve_blocks") else ""
    return f"{said}{f'; in reserve {listed(reserves)}{mine}' if reserves else ''}."


def facts(view: View) -> list[str]:
    """Return cards, nobles, kings, pools and losses, in lines."""
    return [line for head, text in fact_rows(view) for line in hanging_indent(head, text, HEAD)]


def fact_rows(view: View) -> Iterator[tuple[str, str]]:
    """Yield cards, nobles, kings, pools and losses as rows of a table."""
    yield from (*card_facts(view), *noble_facts(view), *king_facts(view), *pool_facts(view))


def card_facts(view: View) -> Iterator[tuple[str, str]]:
    """3.0: yield rows on cards: hands as far as they are seen, cards played this year, and truces."""
    if "hand" in view:
        yield "Your hand", names(map(card_name, view["hand"])) or "no cards"
    for side, hand in view.get("hands", {}).items():
        yield f"{SIDE[side]}'s hand", names(map(card_name, hand)) or "no cards"
    sizes = ", ".join(f"{SIDE[side]} {number}" for side, number in view["hand_sizes"].items())
    yield "Cards in hand", sizes
    played = "; ".join(
        f"{SIDE[side]} {names(map(card_name, found)) or 'none'}" for side, found in view["played"].items()
    )
    yield "Played this year", played
    for side in view["truce"]:
        yield "Truce", f"{SIDE[side]} may not attack this turn"


def noble_facts(view: View) -> Iterator[tuple[str, str]]:
    """2.22, 9.0: yield who holds which nobles, and what wins."""
    for side in SIDES:
        held = [name for name in NOBLES if view["nobles"].get(name) == side]
        yield f"{SIDE[side]} {len(held)}", names(held) or "no nobles"
    yield "To win", goal(view)


def goal(view: View) -> str:
    """9.0, 9.1: return what a side needs to win, with the numbers of this game."""
    number = len(view["nobles"])
    last = view["options"]["last_year"]
    when = f"after {last}" if last else "when the campaign ends"
    tie = ""
    if number % 2 == 0:
        tie = f". With {number // 2} each, Scotland wins if Wallace is on the map, otherwise England"
    at_once = "all nobles at the end of a turn, or the death in battle of the King of the Scots or Edward II"
    return f"{number // 2 + 1} nobles on the map {when}{tie}. At once: {at_once}"


def king_facts(view: View) -> Iterator[tuple[str, str]]:
    """6.0: yield the facts about both kings."""
    crowned = f"{view['crowned']} has been crowned" if view["crowned"] else "none yet"
    yield "King of Scots", crowned
    wintered = ""
    if view["edward_winters"]:
        wintered = f", winters in {view['edward_winters']}"
    elif view["edward_wintered"]:
        wintered = ", wintered in Scotland last winter"
    yield "King of England", f"Edward {view['edward']}{wintered}"


def pool_facts(view: View) -> Iterator[tuple[str, str]]:
    """7.6, 5.8: yield the pools by size, one's own in full, and blocks that are out of play."""
    known = blocks_by_place(view)
    for side in SIDES:
        own = names(known.get((side, "pool"), ()))
        yield f"{SIDE[side]}'s pool", f"{count(view['pools'][side], 'block')}{f': {own}' if own else ''}"
    late = [name for name in view["out"] if is_late(view, name)]
    lost = [name for name in view["out"] if name not in late]
    if late:
        yield "Not yet in play", names(late)
    if lost:
        yield "Out of the game", names(lost)


def is_late(view: View, name: str) -> bool:
    """6.2, 7.61: tell whether a block is still to come: the uncrowned King, or the French Knights."""
    return (name == "King" and not view["crowned"]) or (name == "French Knights" and not view["french"])


def rules_played(view: View) -> str:
    """8.0: return `Braveheart, edition 4`, and the house rules that differ from the edition's."""
    return _options_said(tuple(view["options"].items()))


@lru_cache(maxsize=64)
def _options_said(given: tuple[tuple[str, Any], ...]) -> str:
    options = dict(given)
    usual = read_options({"scenario": options["scenario"], "edition": options["edition"]}).as_dict()
    house = [
        f"{name.replace('_', ' ')} {lower(str(value)).replace('_', ' ')}"
        for name, value in options.items()
        if value != usual[name]
    ]
    said = f"{SCENARIOS[options['scenario']].title}, edition {options['edition']}"
    return f"{said}; house rules: {names(house)}" if house else said


def standing(view: View) -> str:
    """Return the game's score in a few words."""
    held = {side: sum(owner == side for owner in view["nobles"].values()) for side in SIDES}
    return f"nobles {SIDE[ENGLAND]} {held[ENGLAND]}, {SIDE[SCOTLAND]} {held[SCOTLAND]}"


SEEN_COLUMN = 20


class Sightings(Memory):
    """The memory of which enemy blocks one reader saw face up."""

    def __init__(self, reader: str) -> None:
        self._watcher = Watcher(reader)
        self._seen: tuple[View, list[Sighting]] | None = None
        """The view that was looked at last, with its sightings: the lines and the view for programs share
        them."""

    def hear(self, told: Sequence[Event]) -> None:
        """Take in the events that were told to the reader since the last call."""
        self._watcher.hear(told)
        self._seen = None

    def lines(self, view: View) -> list[str]:
        """Return in lines where each known block was seen, and where it can be since.

        The text of one block: `York Knights  2/4 in Fife, 1298 turn 3. Since then there or in Lothian`.
        """
        return [
            line
            for one in self._look(view)
            for line in hanging_indent(one.block, describe_sighting(one, view), SEEN_COLUMN)
        ]

    def reminded(self, view: View) -> View:
        """Return the view with the blocks that can be followed, the last seen first."""
        seen = [
            {
                "block": one.block,
                "side": one.side,
                "strength": one.strength,
                "area": one.area,
                "year": one.year,
                "turn": one.turn,
                "may_be": list(one.may_be),
            }
            for one in self._look(view)
        ]
        return {**view, LAST_SEEN: seen}

    def save(self) -> Any:
        """Return what the memory's reader may still follow, JSON-able."""
        return pack(self._watcher.known)

    def load(self, data: Any) -> None:
        """Take over the state of a memory that was saved."""
        self._watcher.known = unpack(data, (Sighting,))

    def _look(self, view: View) -> list[Sighting]:
        if self._seen is None or self._seen[0] is not view:
            self._seen = view, self._watcher.seen(view)
        return self._seen[1]


def describe_sighting(one: Sighting, view: View) -> str:
    """Return in words where a block was seen, and where it can be."""
    when = f"{one.year} {'winter' if one.turn == WINTER_TURN else f'turn {one.turn}'}"
    strength = f"{one.strength}/{BLOCKS[one.block].max}" if one.strength else "strength unknown"
    whose = f"{SIDE[one.side]}, " if view["viewer"] == "public" else ""
    places = [
        "in the pool" if area == POOL else "there" if area == one.area else f"in {area}"
        for area in one.may_be
    ]
    now = "still there" if places == ["there"] else " or ".join(places)
    return f"{whose}{strength} in {one.area}, {when}; now {now}"
