"""The sentences that tell a reader each kind of event: one entry of the table for each kind.

An entry is given the event as the reader was told it. What only its owner was told is there or is not;
no sentence asks who reads. Events that follow each other and belong together (`TOGETHER`) are told by
one sentence, which is given all of them. A sentence may have several lines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pbem.characters import capitalize
from pbem.orders.base import listed
from pbem.reports.base import HARD
from pbem.reports.words import count
from pbem.rules.base import Event
from pbem.rules.hammer.facts import AREAS, BLOCKS, ENGLAND, SCOTLAND

SIDE = {ENGLAND: "England", SCOTLAND: "Scotland"}
LETTER = {ENGLAND: "E", SCOTLAND: "S"}

PHASE = {
    "set-up": "set-up",
    "cards": "cards",
    "events": "events",
    "first move": "first player's moves",
    "second move": "second player's moves",
    "battles": "battles",
    "turn end": "end of the turn",
    "english nobles": "nobles go home",
    "scottish nobles": "nobles go home",
    "moray": "nobles go home",
    "king": "the King's quarters",
    "edward": "Edward's quarters",
    "english disbanding": "the English disband",
    "wallace": "Wallace's quarters",
    "scottish disbanding": "the Scots disband",
    "french knights": "builds",
    "scottish builds": "Scottish builds",
    "english builds": "English builds",
    "levy": "feudal levy",
    "new cards": "new cards",
}
STOPS: dict[str, str] = {
    "cards": "your card, and orders for the turn that follows",
    "winter": "your winter: homes, the kings, disbanding",
    "builds": "your builds",
}
"""The orders that are wanted after a public stop, in words, by the stop."""


def card_name(card: str) -> str:
    """Return the name of a card for people: `3`, `Sea Move`."""
    return " ".join(map(capitalize, card.split(" ")))


def names(found: Iterable[str]) -> str:
    """Return names with commas alone, for tables; no line breaks inside a name."""
    return ", ".join(name.replace(" ", HARD) for name in found)


def spread(counts: Mapping[str, int], join: str = "to") -> str:
    """Return how many blocks go where: `2 blocks to Fife, 1 to Ross`."""
    parts = [f"{number} {join} {area}" for area, number in counts.items()]
    first = next(iter(counts.values()))
    parts[0] = parts[0].replace(str(first), count(first, "block"), 1)
    return ", ".join(parts)


def ways(who: Mapping[str, str], join: str = "to") -> str:
    """Return which blocks go where: `Wallace and Douglas to Fife, Barclay to Ross`."""
    by_area: dict[str, list[str]] = {}
    for block, area in who.items():
        by_area.setdefault(area, []).append(block)
    return ", ".join(f"{listed(blocks)} {join} {area}" for area, blocks in by_area.items())


def steps(added: Mapping[str, int]) -> str:
    """Return the steps added to each block: `Edward 2, York Knights 1`."""
    return ", ".join(f"{block} {number}" for block, number in added.items())


def rating(name: str, number: int | None = None) -> str:
    """Return the printed Combat Rating, and what is added to it: `A3`, `B2+1`."""
    fact = BLOCKS[name]
    bonus = 0 if number is None else number - fact.number
    return f"{fact.letter}{fact.number}{f'+{bonus}' if bonus else ''}"


def in_full(name: str, block: Mapping[str, Any]) -> str:
    """Return a block as its owner sees it: `Wallace 3/4 A3`."""
    return f"{name} {block['strength']}/{BLOCKS[name].max} {rating(name)}"


def by_order(found: Iterable[str]) -> list[str]:
    """Return names of blocks in the order of the block list."""
    return sorted(found, key=lambda name: BLOCKS[name].order)


def by_map(found: Iterable[str]) -> list[str]:
    """Return names of areas from north to south."""
    return sorted(found, key=lambda area: AREAS[area].order)


@dataclass(frozen=True, slots=True)
class Sentence:
    """The way to tell events of one kind: in which words, where on the line, and whether after a gap."""

    say: Callable[[Sequence[Event]], str]
    indent: int = 0
    gap: bool = False


# -- the year, its cards and events: 3.0, 8.0


def set_up(events: Sequence[Event]) -> str:
    """8.0: tell that the scenario begins."""
    return f"{events[0]['scenario']} begins in {events[0]['year']}."


def turn(events: Sequence[Event]) -> str:
    """3.0: tell that a turn begins, and how many cards each side holds."""
    event = events[0]
    return f"{event['year']}, turn {event['turn']}. Each side holds {count(event['cards'], 'card')}."


def hand(events: Sequence[Event]) -> str:
    """3.0, 7.8: tell that a side is dealt its hand."""
    event = events[0]
    cards = f": {names(map(card_name, event['cards']))}" if "cards" in event else ""
    return f"{SIDE[event['side']]} is dealt {count(event['size'], 'card')}{cards}."


def cards(events: Sequence[Event]) -> str:
    """3.1: tell which cards were played, and who is Player 1."""
    played = [f"{name} plays {card_name(events[0][side])}" for side, name in SIDE.items()]
    return f"{' and '.join(played)}. {SIDE[events[0]['first']]} is player 1."


def herald_calls(events: Sequence[Event]) -> str:
    """3.12, R11: tell which noble was named before the herald's die."""
    return f"{SIDE[events[0]['side']]}'s herald calls {events[0]['noble']}."


def herald_die(events: Sequence[Event]) -> str:
    """3.12: tell the herald's die, and whether it succeeded."""
    event = events[0]
    return (
        f"{SIDE[event['side']]}'s herald: die {event['die']}, {'success' if event['success'] else 'failure'}."
    )


def herald(events: Sequence[Event]) -> str:
    """3.12: tell which noble answers the herald."""
    event = events[0]
    return f"{event['noble']} answers the herald." if event["noble"] else "No noble follows the herald."


def pillage(events: Sequence[Event]) -> str:
    """3.12: tell which area is pillaged."""
    event = events[0]
    return f"{SIDE[event['side']]} pillages {event['area'] or 'no area'}."


def pillage_hits(events: Sequence[Event]) -> str:
    """3.12: tell how many hits a pillage made, and to its owner on whom."""
    event = events[0]
    taken = f": {steps(event['taken'])}" if event.get("taken") else ""
    return f"{SIDE[event['side']]} takes {count(event['hits'], 'hit')} in {event['area']}{taken}."


def gains(events: Sequence[Event]) -> str:
    """3.12: tell which steps Victuals or a Pillage added."""
    event = events[0]
    if not event["steps"]:
        return f"{SIDE[event['side']]} adds no steps."
    added = f": {steps(event['steps_to'])}" if "steps_to" in event else ""
    return f"{SIDE[event['side']]} adds {count(event['steps'], 'step')} in {event['area']}{added}."


def sea_move(events: Sequence[Event]) -> str:
    """3.12: tell which blocks sail from where to where."""
    event = events[0]
    if not event["count"]:
        return f"{SIDE[event['side']]} moves no block by sea."
    who = listed(event["blocks"]) if "blocks" in event else count(event["count"], "block")
    return f"{SIDE[event['side']]} sails {who} from {event['origin']} to {event['to']}."


def truce(events: Sequence[Event]) -> str:
    """3.12: tell whether a side uses its truce."""
    side, other = (
        SIDE[events[0]["side"]],
        next(name for key, name in SIDE.items() if key != events[0]["side"]),
    )
    if not events[0]["agreed"]:
        return f"{side} does not use the truce."
    return f"{side} has a truce: {other} may move but not attack this turn."


# -- kings and nobles: 2.22, 6.0


def crowned(events: Sequence[Event]) -> str:
    """6.2: tell who is crowned, or that Balliol returns."""
    event = events[0]
    if event["king"] == "Balliol":
        return f"Balliol returns as King of the Scots, with the French in {event['area']}."
    return f"{event['king']} is crowned King of the Scots in {event['area']}."


def defects(events: Sequence[Event]) -> str:
    """2.22: tell that a noble joins the other side."""
    event = events[0]
    strength = f", strength {event['strength']}" if event["strength"] else ""
    return f"{event['noble']} joins {SIDE[event['side']]} in {event['area']}{strength}."


def captured(events: Sequence[Event]) -> str:
    """5.7: tell that a noble is captured and changes side."""
    event = events[0]
    return f"{event['noble']} is captured in {event['area']} and joins {SIDE[event['side']]} at strength 1."


def dead(events: Sequence[Event]) -> str:
    """5.8: tell that a block is out of the game."""
    return f"{events[0]['block']} is out of the game."


def to_pool(events: Sequence[Event]) -> str:
    """5.8: tell that a block goes to the pool."""
    event = events[0]
    side = SIDE[event["side"]]
    if "block" in event:
        return f"{event['block']} goes from {event['area']} to the pool of {side}."
    return f"A block goes from {event['area']} to the pool of {side}."


def edward_ii(events: Sequence[Event]) -> str:
    """6.1: tell that Edward II is king."""
    if events[0]["reason"] == "killed":
        return "Edward I dies in battle. Edward II is King of England, and his block is in the pool."
    return "Edward I dies. Edward II is King of England."


# -- movement: 4.0


def moves(events: Sequence[Event]) -> str:
    """4.0: tell equal moves of one group in one line."""
    event = events[0]
    known = [event["block"] for event in events if "block" in event]
    who = listed(known) if known else count(len(events), "block")
    role = {"main": " (main attack)", "reserve": " (in reserve)", None: ""}[event["role"]]
    sea = " by sea" if event.get("block") == "Norse" else ""
    return f"{who}: {' to '.join(event['path'])}{sea}{role}"


def moves_over(events: Sequence[Event]) -> str:
    """4.2: tell how many Group Moves were used."""
    event = events[0]
    if not event["blocks"]:
        return f"{SIDE[event['side']]} moves no block."
    return f"{event['used']} of {count(event['allowed'], 'group move')} used"


# -- battles: 5.0


def battle(events: Sequence[Event]) -> str:
    """5.1: tell that a battle begins, and with how many blocks."""
    event = events[0]
    parts = []
    for side, number in event["blocks"].items():
        verb = "attacks" if side == event["attacker"] else "defends"
        reserve = event["reserves"][side]
        more = f" and {reserve} in reserve" if reserve else ""
        parts.append(f"{SIDE[side]} {verb} with {count(number, 'block')}{more}")
    return f"Battle {event['number']}, {event['area']}: {', '.join(parts)}."


def battle_round(events: Sequence[Event]) -> str:
    """5.3: tell which round of a battle begins."""
    return f"Round {events[0]['round']}"


def revealed(events: Sequence[Event]) -> str:
    """5.1: tell which blocks were turned up, in a line for each side."""
    event = events[0]
    lines = []
    for side, name in SIDE.items():
        found = [block for block in by_order(event["blocks"]) if event["blocks"][block]["side"] == side]
        if found:
            lines.append(f"{name}: {names(in_full(block, event['blocks'][block]) for block in found)}")
    if event["round"] > 1:
        lines = [f"{line} (from reserve)" for line in lines]
    return "\n".join(lines)


def unity(events: Sequence[Event]) -> str:
    """5.2: tell whether a Celtic block stays, by its die."""
    event = events[0]
    result = "goes to the pool" if event["leaves"] else "stays"
    return f"Celtic unity, {event['block']}: die {event['die']}, {result}"


def control(events: Sequence[Event]) -> str:
    """5.32: tell that the defender has become the attacker."""
    return (
        f"{SIDE[events[0]['attacker']]} attacks now. It was the defender, but the enemy now controls "
        "the area."
    )


def fire(events: Sequence[Event]) -> str:
    """5.4: tell a block's dice; the table of a battle tells them with their hits."""
    event = events[0]
    dice = " ".join(str(die) for die in event["dice"])
    return f"{event['block']} rolls {dice}: {count(event['hits'], 'hit')}"


def passes(events: Sequence[Event]) -> str:
    """5.31: tell that a block passes."""
    return f"{events[0]['block']} passes"


def hit(events: Sequence[Event]) -> str:
    """5.41: tell which block is hit, and what strength is left."""
    event = events[-1]
    left = f"strength {event['strength']}" if event["strength"] else "no strength is left"
    return f"{event['block']} is hit: {left}"


def retreat(events: Sequence[Event]) -> str:
    """5.5, R79: tell retreats: to their owner block by block, else who left and how many came where."""
    event = events[0]
    if "who" in event:
        return "\n".join(f"{block} retreats to {area}" for block, area in event["who"].items())
    verb = "retreats" if len(event["blocks"]) == 1 else "retreat"
    if len(event["to"]) == 1:
        return f"{listed(event['blocks'])} {verb} to {next(iter(event['to']))}"
    return f"{listed(event['blocks'])} {verb}: {spread(event['to'])}"


def withdraw(events: Sequence[Event]) -> str:
    """5.3, 5.5: tell who must retreat, and who is lost."""
    event = events[0]
    parts = []
    if event["to"]:
        parts.append(ways(event["who"]) if "who" in event else spread(event["to"]))
    if event["lost"]:
        lost = listed(event["who_lost"]) if "who_lost" in event else count(event["lost"], "block")
        parts.append(f"{lost} cannot retreat and {'is' if event['lost'] == 1 else 'are'} lost")
    return f"{SIDE[event['side']]} must retreat: {'; '.join(parts)}."


def regroup(events: Sequence[Event]) -> str:
    """5.6: tell who regroups to where."""
    event = events[0]
    return f"{SIDE[event['side']]} regroups: {ways(event['who']) if 'who' in event else spread(event['to'])}."


def battle_over(events: Sequence[Event]) -> str:
    """5.3: tell who holds the area after a battle."""
    event = events[0]
    if event["holder"] is None:
        return f"Nobody is left in {event['area']}."
    return f"{SIDE[event['holder']]} holds {event['area']}."


def raid(events: Sequence[Event]) -> str:
    """5.9: tell which block a border raid costs."""
    event = events[0]
    return f"Border raid: England disbands {event.get('block', 'a block')} in {event['area']}."


# -- winter: 7.0


def winter(events: Sequence[Event]) -> str:
    """7.0: tell that the winter begins."""
    return f"The winter of {events[0]['year']}."


def homes(events: Sequence[Event]) -> str:
    """7.1: tell in a line who winters with each side, and in one for each who goes over."""
    lines = []
    for side, name in SIDE.items():
        found = [
            one["noble"] if one["noble"] == one["area"] else f"{one['noble']} ({one['area']})"
            for one in events
            if one["side"] == side and not one["converted"]
        ]
        if found:
            lines.append(f"Nobles of {name} go home: {names(found)}.")
    lines += [
        f"{one['noble']} joins {SIDE[one['side']]}, who holds his home {one['area']}."
        for one in events
        if one["converted"]
    ]
    return "\n".join(lines)


def winter_move(events: Sequence[Event]) -> str:
    """7.1, 7.2, 7.5: tell where a block goes for the winter."""
    event = events[0]
    return f"{event['block']} goes from {event['origin']} to {event['to']}."


def edward(events: Sequence[Event]) -> str:
    """7.4: tell where Edward I winters."""
    area = events[0]["area"]
    return f"Edward I winters in {area}." if area else "Edward does not winter in Scotland."


def disband(events: Sequence[Event]) -> str:
    """7.3, 7.5: tell who disbands."""
    event = events[0]
    if "blocks" in event:
        gone = {area: listed(event["blocks"][area]) for area in by_map(event["blocks"])}
        return (
            f"{SIDE[event['side']]} disbands {', '.join(f'{who} in {area}' for area, who in gone.items())}."
        )
    return f"{SIDE[event['side']]} disbands {spread(event['areas'], 'in')}."


def french(events: Sequence[Event]) -> str:  # noqa: ARG001 - every entry of the table is called alike
    """7.61: tell that the French Knights join the Scottish pool."""
    return "The Scots hold eight nobles: the French Knights join their pool."


def draws(events: Sequence[Event]) -> str:
    """7.62: tell which blocks were drawn: their owner reads which, the others how many for each area."""
    areas = [event["area"] for event in events]
    parts = [spread({area: areas.count(area) for area in by_map(set(areas))}, "for")]
    if "block" in events[0]:
        parts = [
            f"{event['block']} for {event['area']}"
            + ("" if event["placed"] == event["area"] else f" (lands in {event['placed']})")
            for event in events
        ]
    return f"{SIDE[events[0]['side']]} draws {', '.join(parts)}."


def builds(events: Sequence[Event]) -> str:
    """7.6, 7.62, 7.63: tell what a side builds, and to its owner also what is left."""
    event = events[0]
    left = f" Points not used: {steps(event['left'])}." if event.get("left") else ""
    if not event["points"]:
        return f"{SIDE[event['side']]} builds nothing.{left}"
    points = f"{count(sum(event['points'].values()), 'point')}: {steps(event['points'])}"
    added = f". Steps: {steps(event['steps_to'])}" if event.get("steps_to") else ""
    return f"{SIDE[event['side']]} builds with {points}{added}.{left}"


def levy(events: Sequence[Event]) -> str:
    """7.7: tell which blocks the feudal levy brings."""
    event = events[0]
    if not event["blocks"]:
        return "No feudal levy comes to England."
    came = f": {names(event['names'])}" if "names" in event else ""
    return f"Feudal levy for England, {count(event['blocks'], 'block')}{came}."


ACT = 2

SENTENCES: dict[str, Sentence] = {
    "set-up": Sentence(set_up),
    "turn": Sentence(turn, gap=True),
    "hand": Sentence(hand),
    "cards": Sentence(cards),
    "herald calls": Sentence(herald_calls),
    "herald die": Sentence(herald_die),
    "herald": Sentence(herald),
    "pillage": Sentence(pillage),
    "pillage hits": Sentence(pillage_hits),
    "pillage gains": Sentence(gains),
    "sea move": Sentence(sea_move),
    "truce": Sentence(truce),
    "victuals": Sentence(gains),
    "crowned": Sentence(crowned),
    "defects": Sentence(defects),
    "captured": Sentence(captured),
    "dead": Sentence(dead),
    "to pool": Sentence(to_pool),
    "edward ii": Sentence(edward_ii),
    "move": Sentence(moves, indent=2),
    "moves over": Sentence(moves_over, indent=2),
    "battle": Sentence(battle, gap=True),
    "round": Sentence(battle_round),
    "revealed": Sentence(revealed, indent=ACT),
    "unity": Sentence(unity, indent=ACT),
    "control": Sentence(control),
    "fire": Sentence(fire, indent=ACT),
    "pass": Sentence(passes, indent=ACT),
    "hit": Sentence(hit, indent=ACT),
    "retreat": Sentence(retreat, indent=ACT),
    "withdraw": Sentence(withdraw),
    "regroup": Sentence(regroup),
    "battle over": Sentence(battle_over),
    "raid": Sentence(raid, gap=True),
    "winter": Sentence(winter, gap=True),
    "home": Sentence(homes),
    "winter move": Sentence(winter_move),
    "edward": Sentence(edward),
    "disband": Sentence(disband),
    "french": Sentence(french),
    "draw": Sentence(draws),
    "builds": Sentence(builds),
    "levy": Sentence(levy),
}

TOGETHER: dict[str, Callable[[Event], object]] = {
    "move": lambda event: (event["side"], event["path"], event["role"], event.get("block") == "Norse"),
    "home": lambda event: None,  # noqa: ARG005 - every entry of the table is called alike
    "draw": lambda event: event["side"],
    "hit": lambda event: event["block"],
}
"""The functions whose equal results join neighbouring events of a kind, by the kind of event."""
