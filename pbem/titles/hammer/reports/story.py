"""The story of Hammer in order: the sentences of the events, battles as tables, equal moves as one line.

Battles are narrow enough for a telephone. A row: whose block, its Combat Rating with any bonus, and its dice;
below it the hits, and what they did.

      E York Knights        B3    1 5 3
        2 hits: Wallace 4 to 3,
                Fraser 1 to 0, to the pool
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pbem.reports.base import HARD, NARROW, WIDTH, fill
from pbem.reports.words import count, runs
from pbem.rules.base import Event, View
from pbem.titles.hammer.reports.sentences import ACT, SENTENCES, TOGETHER
from pbem.titles.hammer.reports.words import LETTER, SIDE, rating

FATES = {
    "captured": "captured",
    "dead": "out of the game",
    "to pool": "to the pool",
    "edward ii": "Edward II follows",
}
"""The fates of a block that a hit has eliminated, in words."""

IN_ROUND = frozenset({"round", "revealed", "unity", "control", "fire", "pass", "hit", "retreat"})
IN_BATTLE = IN_ROUND | {"battle", "withdraw", "regroup", "battle over"}
NAME, RATING, DICE = 20, 6, 9
HITS = ACT + 2


def story(before: View | None, told: Sequence[Event]) -> list[str]:
    """Return the lines that tell what happened since `before`."""
    lines: list[str] = []
    fight = before["battle"] if before else None
    if told and fight and fight["round"] and told[0]["event"] in IN_ROUND:
        lines += fill(f"The battle in {fight['area']} goes on in round {fight['round']}.", "", "  ", NARROW)
    mover = last = None
    width = NARROW if lines else WIDTH
    for run in runs(told, belongs):
        first = run[0]
        kind = first["event"]
        if kind == "move" and mover != first["side"]:
            lines += fill(f"{SIDE[first['side']]} moves:")
        mover = first["side"] if kind == "move" else None
        if lines and (SENTENCES[kind].gap or last == "battle over"):
            lines.append("")
        if kind not in FATES:  # a fate in a battle belongs to it
            width = NARROW if kind in IN_BATTLE else WIDTH
        lines += told_of(run, width)
        last = kind
    return lines


def belongs(run: Sequence[Event], event: Event) -> bool:
    """Tell whether an event is told together with those before it.

    Told together are equal moves, a shot and its hits, a round and who is turned up in it.
    """
    kind: str = event["event"]
    last = run[-1]
    before: str = last["event"]
    if kind == "revealed":
        return before == "round"
    if run[0]["event"] in ("fire", "hit"):
        fallen = before in FATES or (before == "hit" and not last["strength"])
        return kind == "hit" or (kind in FATES and fallen)
    return kind == before and kind in TOGETHER and TOGETHER[kind](event) == TOGETHER[kind](last)


def told_of(run: Sequence[Event], width: int) -> list[str]:
    """Return the lines for events that are told together."""
    first = run[0]
    kind = first["event"]
    sentence = SENTENCES[kind]
    if kind in ("fire", "hit"):
        return shot(run)
    if kind == "pass":
        return [row(first, "passes")]
    lines = sentence.say(run if kind in TOGETHER else run[:1]).split("\n")
    if kind == "retreat":
        lines = [f"{LETTER[first['side']]} {line}" for line in lines]
    indent = 0 if kind == "moves over" and not first["blocks"] else sentence.indent
    found = []
    for line in lines:
        hang = indent + (len(f"{line.partition(':')[0]}: ") if kind == "revealed" else 2)
        found += fill(line, " " * indent, " " * hang, width)
    return found + told_of(run[1:], width) if kind == "round" and run[1:] else found


def shot(run: Sequence[Event]) -> list[str]:
    """Return a row of a battle: a block's dice, and below it its hits one by one."""
    first = run[0]
    effect = ", ".join(effects(run))
    if first["event"] == "hit":
        return hits("Hits", effect)
    dice = " ".join(str(die) for die in first["dice"])
    rolled = f"{rating(first['block'], first['rating']):<{RATING}}{dice}"
    if not first["hits"]:
        return [row(first, f"{rolled:<{RATING + DICE}}-")]
    return [row(first, rolled), *hits(count(first["hits"], "hit"), effect)]


def row(event: Event, text: str) -> str:
    """Return a row of a battle: whose block, its name, and what it does."""
    return f"{' ' * ACT}{LETTER[event['side']]} {event['block']:<{NAME}}{text}"


def hits(head: str, effect: str) -> list[str]:
    """Return the line below a row: how many hits, and beside that what they did, as far as it is decided."""
    start = f"{' ' * HITS}{head}"
    return fill(effect, f"{start}: ", " " * len(f"{start}: "), NARROW) if effect else [start]


def effects(run: Sequence[Event]) -> Iterator[str]:
    """Yield in words what hits did, block by block: `Wallace 4 to 2`, `Ross 1 to 0, captured`."""
    most: dict[str, int] = {}
    now: dict[str, str] = {}
    for event in run:
        if event["event"] == "hit":
            block = event["block"]
            most.setdefault(block, event["strength"] + 1)
            now[block] = f"{event['strength']}"
        elif event["event"] in FATES:
            now[block] += f", {FATES[event['event']].replace(' ', HARD)}"
    for block, said in now.items():
        yield f"{block.replace(' ', HARD)}{HARD}{most[block]}{HARD}to{HARD}{said}"
