"""The reports of Hammer of the Scots: the story in order, and the words by which people find an event.

sentences.py has a sentence for each kind of event, position.py reads the tables off a view. In the story
battles are tables, narrow enough for a telephone, and equal moves one line. A row: whose block, its Combat
Rating with any bonus, and its dice; below it the hits, and what they did.

      E York Knights        B3    1 5 3
        2 hits: Wallace 4 to 3,
                Fraser 1 to 0, to the pool
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pbem.characters import is_decimal, lower, split_words
from pbem.orders.hammer.form import QUESTIONS
from pbem.reports.base import HARD, NARROW, WIDTH, fill
from pbem.reports.words import Memory, Table, Words, count, runs, values
from pbem.rules.base import Event, View
from pbem.rules.hammer.facts import WINTER_TURN
from pbem.titles.hammer.reports.position import (
    BLOCK_KEY,
    MAP_KEY,
    TO_ENGLAND,
    Sightings,
    battles,
    border_rows,
    borders,
    fact_rows,
    facts,
    map_rows,
    rules_played,
    standing,
    world,
)
from pbem.titles.hammer.reports.sentences import ACT, LETTER, PHASE, SENTENCES, SIDE, STOPS, TOGETHER, rating

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
    """Return the lines below a row: how many hits, and beside that what they did, if it is decided."""
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


SECTIONS: dict[str, tuple[str, ...]] = {
    "set-up": ("8.0",),
    "turn": ("3.0",),
    "hand": ("3.0", "7.8"),
    "cards": ("3.1",),
    "herald calls": ("3.12",),
    "herald die": ("3.12",),
    "herald": ("3.12",),
    "pillage": ("3.12",),
    "pillage hits": ("3.12",),
    "pillage gains": ("3.12",),
    "sea move": ("3.12",),
    "truce": ("3.12",),
    "victuals": ("3.12",),
    "crowned": ("6.2",),
    "defects": ("2.22",),
    "captured": ("5.7",),
    "dead": ("5.8",),
    "to pool": ("5.8",),
    "edward ii": ("6.1",),
    "move": ("4.0", "4.2", "4.3"),
    "moves over": ("4.2",),
    "battle": ("5.1",),
    "round": ("5.3",),
    "revealed": ("5.1",),
    "unity": ("5.2",),
    "control": ("5.32",),
    "fire": ("5.31", "5.4"),
    "pass": ("5.31",),
    "hit": ("5.41",),
    "retreat": ("5.5",),
    "withdraw": ("5.3", "5.5"),
    "regroup": ("5.6",),
    "battle over": ("5.3",),
    "raid": ("5.9",),
    "winter": ("7.0",),
    "home": ("7.1",),
    "winter move": ("7.1", "7.2", "7.5"),
    "edward": ("7.4",),
    "disband": ("7.3", "7.5"),
    "french": ("7.61",),
    "draw": ("7.62",),
    "builds": ("7.62", "7.63"),
    "levy": ("7.7",),
}
"""The sections of the rulebook by which each kind of event happens."""

ALSO = {
    "fire": "combat dice roll",
    "hit": "combat",
    "pass": "combat",
    "captured": "capture",
    "defects": "conversion converted",
    "withdraw": "retreat",
    "move": "movement",
    "builds": "build",
    "dead": "eliminated",
    "to pool": "eliminated",
    "crowned": "coronation",
}
"""The other words that people use for each kind of event."""


def search_words(told: Sequence[Event]) -> list[tuple[str, str]]:
    """Return for each event its time and the words by which people look for it, in lower case."""
    found = []
    year, turn, fight, fought = 0, 0, "", ""
    for event in told:
        kind = event["event"]
        if kind == "set-up":
            year, turn = event["year"], 1
        elif kind == "turn":
            year, turn = event["year"], event["turn"]
        elif kind == "winter":
            year, turn = event["year"], WINTER_TURN
        if kind == "battle":
            fight, fought = f"battle {event['area']} battle-{event['number']}", ""
        elif kind == "round":
            fought = f"round-{event['round']}"
        when = f"{year} winter" if turn == WINTER_TURN else f"{year} turn-{turn}"
        more = ALSO.get(kind, "")
        if event.get("converted"):
            more += " conversion converted"
        what = f"{fight} {fought} {kind} {more} {' '.join(values(event))}"
        found.append((f"{year}.{turn} {when}", lower(what)))
        if kind == "battle over":
            fight = fought = ""
    return found


def time_of(paragraph: str) -> str:
    """Return the time that a paragraph names: `1297.2 1297`, or all its words if of a winter; else ""."""
    words = split_words(re.sub(r"[^a-z0-9_.]+", " ", lower(paragraph)))
    for year, turn, number in zip(words, words[1:], words[2:], strict=False):
        if turn == "turn" and is_decimal(year):
            return f"{year}.{number.rstrip('.')} {year}"
    return " ".join(words) if "winter" in words else ""


class HammerWords(Words):
    """The words of Hammer's reports."""

    template = "position.txt.j2"
    sides: Mapping[str, str] = SIDE
    questions: Mapping[str, str] = {kind: asked.about for kind, asked in QUESTIONS.items()}
    stops: Mapping[str, str] = STOPS
    example = "a turn (1297.2), winter 1297, or exchange 7, with an area, a block or what happened"

    def moment(self, view: View) -> str:
        """Return where the game stands in time: `1297, turn 2, cards`."""
        if view["outcome"]:
            return f"{view['year']}, the game is over"
        return ", ".join((*view["moment"], PHASE[view["phase"]]))

    def standing(self, view: View) -> str:
        """Return the score of the game."""
        return standing(view)

    def memory(self, reader: str) -> Memory:
        """R2: return a memory of the enemy blocks that the reader was shown."""
        return Sightings(reader)

    def story(self, before: View | None, told: Sequence[Event]) -> list[str]:
        """Return what happened in the game by the events told, in lines of a report."""
        return story(before, told)

    def search_words(self, told: Sequence[Event]) -> list[tuple[str, str]]:
        """Return for each event its time and the words by which people look for it."""
        return search_words(told)

    def time_of(self, paragraph: str) -> str:
        """Return the time that a paragraph of a report names: `1297.2 1297`; "" if it names none."""
        return time_of(paragraph)

    def sections(self, kind: str) -> tuple[str, ...]:
        """Return the sections of the rulebook by which events of a kind happen."""
        return SECTIONS.get(kind, ())

    def position(self, view: View) -> dict[str, Any]:
        """Return the values that the game's report template shows of a view, by name."""
        return {
            "rules": rules_played(view),
            "world": world(view),
            "battles": battles(view),
            "facts": facts(view),
            "borders": borders(),
        }

    def tables(self, view: View) -> tuple[Table, ...]:
        """Return the tables of the map, and of who may cross which border."""
        return (
            Table("THE MAP", ("Area", "Castles", "Blocks"), tuple(map_rows(view)), f"{MAP_KEY} {BLOCK_KEY}"),
            Table("CARDS, NOBLES AND POOLS", (), tuple(fact_rows(view))),
            Table(
                "BORDERS",
                ("Area", "Six blocks may cross to", "Two, and stop"),
                tuple(border_rows()),
                TO_ENGLAND,
                drawn=True,
            ),
        )


WORDS = HammerWords()
