"""Reads one order: a verb, what it is about, from where, to where, and under which condition.

The smallest faulty part is dropped (R113): a wrong entry of a list leaves the others standing; a wrong
area of a way leaves nothing that could be walked.
"""

from __future__ import annotations

from pbem.orders.cursor import SEPARATORS, Cursor, Wrong
from pbem.orders.hammer.condition_reader import ConditionReader
from pbem.orders.hammer.tree import FULL, Condition, Order, Pick
from pbem.orders.hammer.verbs import (
    OPENERS,
    OTHER_TOPICS,
    OTHER_WORDS,
    TOPICS,
    VERB_WORDS,
    VERBS,
    Verb,
)
from pbem.orders.hammer.vocabulary import (
    ALL_BLOCKS,
    AREA_NAMES,
    CANDIDATES,
    CARDS,
    GROUPS,
    NOBLE_NAMES,
    blocks_of,
    can_hold,
)
from pbem.orders.lines import BLANK
from pbem.orders.names import Names

CLAUSES = frozenset(("from", "to", "in", "by", "except", "but", "if", "when", "stay", "stays", ":"))
"""Words at which a list ends."""

EVERYBODY = {
    "all": "all",
    "everyone": "all",
    "everybody": "all",
    "rest": "rest",
    "others": "rest",
    "any": "rest",
}
NOBODY = frozenset(("none", "nobody", "nothing", "nowhere"))
MOST_STEPS = 60


def find_verb(cursor: Cursor) -> Verb | None:
    """The verb that begins here, if one does; goes past it."""
    if cursor.word in OTHER_WORDS:
        verb = VERBS[OTHER_WORDS[cursor.word]]
        cursor.take()
        return verb
    for count in (2, 1):
        verb_ = VERBS.get(" ".join(cursor.words[:count])) if len(cursor.words) >= count else None
        if verb_ is not None:
            cursor.place += count
            return verb_
    return None


def is_unfilled(cursor: Cursor, verb: Verb) -> bool:
    """Is this a line of a form in which nobody has written anything?"""
    words = {token.word for token in cursor.rest}
    if BLANK not in words:
        return False
    return verb.name == "home" or words <= {BLANK} | CLAUSES | SEPARATORS | set(EVERYBODY)


def condition_at(cursor: Cursor, side: str, in_battle: bool) -> Condition:
    """The condition after `if`, and the colon or `then` after it."""
    condition = ConditionReader(cursor, side, in_battle, VERB_WORDS | OPENERS).read()
    cursor.skip(",", "and")
    cursor.skip(":", "then")
    return condition


class OrderReader:
    """Reads what stands after a verb."""

    def __init__(self, cursor: Cursor, side: str, in_battle: bool) -> None:
        self.cursor = cursor
        self.side = side
        self.in_battle = in_battle
        self.blocks = blocks_of(side)

    def read(self, verb: Verb, when: Condition | None) -> Order:
        """The order; `when` is the condition that stood before it."""
        cursor = self.cursor
        line = cursor.tokens[0].line
        cursor.drop_blanks()
        cursor.skip(":")
        picks = self._picks(verb)
        but: tuple[str, ...] = ()
        start = by = within = ""
        areas: tuple[str, ...] = ()
        stay = False
        while not cursor.done:
            word = cursor.word
            if word == ":":
                cursor.take()
            elif word in ("except", "but"):
                cursor.take()
                but = tuple(pick.name for pick in self._block_list(counted=False))
            elif word == "from" and verb.start:
                start = self._one_area()
            elif word == "in" and verb.within:
                within = self._one_area()
            elif word == "by" and verb.by:
                cursor.take()
                by = "" if cursor.word in ("", *CLAUSES) else self._own_block()
            elif word == "to" and verb.to:
                areas = self._to(verb)
            elif word in ("stay", "stays") and verb.stay:
                cursor.take()
                stay = True
            elif word in ("if", "when") and when is None:
                cursor.take()
                when = condition_at(cursor, self.side, self.in_battle)
            else:
                break
        self._check_whole(verb, picks, areas, stay, start or by)
        return Order(
            verb=verb.name,
            picks=picks,
            but=but,
            start=start,
            by=by,
            within=within,
            areas=areas,
            stay=stay,
            when=when,
            line=line,
        )

    def _check_whole(
        self, verb: Verb, picks: tuple[Pick, ...], areas: tuple[str, ...], stay: bool, start_or_by: str
    ) -> None:
        cursor = self.cursor
        head = cursor.tokens[:1]
        nobody = any(pick.name == "none" for pick in picks)
        if nobody and not verb.none:
            cursor.wrong(head, f"'{verb.name}' needs a name; leave the line out if there is none", verb.rule)
        if not picks and verb.takes != "nothing" and not verb.bare:
            cursor.wrong(head, f"what '{verb.name}' is about is missing; it reads '{verb.form}'", verb.rule)
        if verb.by and not start_or_by:
            message = "by which blocks is it made? write 'from' and their area, or 'by' and a block"
            cursor.wrong(cursor.tokens[-1:], message, verb.rule)
        if verb.to == "must" and not areas and not stay and not nobody:
            where = "to which area, or 'stay'?" if verb.stay else "to which area?"
            cursor.wrong(cursor.tokens[-1:], f"{where} it reads '{verb.form}'", verb.rule)

    # -- what the verb is about

    def _picks(self, verb: Verb) -> tuple[Pick, ...]:
        cursor = self.cursor
        if verb.takes == "nothing" or cursor.done or cursor.word in CLAUSES:
            return ()
        if verb.takes == "topic":
            return self._topic()
        if cursor.word in NOBODY:
            cursor.take()
            return (Pick("none"),)
        match verb.takes:
            case "card":
                return (Pick(cursor.name(CARDS, "a card", "3.0")),)
            case "candidates":
                return self._list(CANDIDATES, "a candidate for the crown", "6.2", {})
            case "nobles":
                return self._list(NOBLE_NAMES, "a noble", "2.22", {})
            case "areas":
                return self._list(AREA_NAMES, "an area", "1.1", dict.fromkeys(EVERYBODY, "rest"))
            case "draws":
                return self._list(AREA_NAMES, "an area", "1.1", {}, counted=True)
            case "area":
                return (Pick(cursor.name(AREA_NAMES, "an area", "1.1")),)
            case _:
                return self._block_list(counted=verb.takes == "steps")

    def _topic(self) -> tuple[Pick, ...]:
        cursor = self.cursor
        cursor.skip("about", "before")
        for count in (2, 1):
            said = " ".join(cursor.words[:count])
            topic = said if said in TOPICS else OTHER_TOPICS.get(said)
            if topic is not None and len(cursor.words) >= count:
                cursor.place += count
                return (Pick(topic),)
        message = f"nothing called {cursor.quoted(cursor.ahead(1))} is ever asked"
        return cursor.wrong(cursor.ahead(1), message, legal=TOPICS)

    def _block_list(self, counted: bool) -> tuple[Pick, ...]:
        special = {**EVERYBODY, **{word: word for word in GROUPS}}
        if counted:
            special["drawn"] = "drawn"
        return self._list(self.blocks, "a block of yours", "2.2", special, counted=counted)

    def _list(
        self, names: Names, what: str, rule: str, special: dict[str, str], *, counted: bool = False
    ) -> tuple[Pick, ...]:
        """Names with separators, or without; each perhaps with a count of steps."""
        cursor = self.cursor
        picks: list[Pick] = []
        faulty = False
        while not cursor.done and cursor.word not in CLAUSES:
            if cursor.word in SEPARATORS:
                if cursor.word == "or" and cursor.words[1:2] == ("ask",):
                    break
                cursor.take()
                continue
            try:
                name = self._entry(names, what, rule, special)
            except Wrong:
                faulty = True
                cursor.skip_entry(CLAUSES)
                continue
            picks.append(Pick(name, self._count(name) if counted else 1))
        if faulty and not picks:
            raise Wrong
        return tuple(picks)

    def _entry(self, names: Names, what: str, rule: str, special: dict[str, str]) -> str:
        cursor = self.cursor
        if cursor.word in special:
            return special[cursor.take().word]
        if names is self.blocks:
            return self._own_block()
        return cursor.name(names, what, rule)

    def _own_block(self) -> str:
        cursor = self.cursor
        match = self.blocks.read(cursor.words)
        other = ALL_BLOCKS.read(cursor.words)
        if not match.names and other.name and not can_hold(self.side, other.name):
            span = cursor.ahead(other.words)
            cursor.wrong(span, f"{other.name} is not a block of yours", "2.2")
        area = AREA_NAMES.read(cursor.words)
        if not match.names and area.name:
            span = cursor.ahead(area.words)
            cursor.wrong(
                span, f"{area.name} is an area, not a block; before an area comes 'from', 'to' or 'in'"
            )
        return cursor.name(self.blocks, "a block", "2.2")

    def _count(self, name: str) -> int:
        """How many steps; without a number one, or for a group as many as can be."""
        cursor = self.cursor
        if cursor.skip("full"):
            return FULL
        if cursor.word in ("once", "twice"):
            return 1 if cursor.take().word == "once" else 2
        if cursor.word.isascii() and cursor.word.isdigit():
            number = cursor.number(MOST_STEPS, "steps")
            cursor.skip("steps", "step", "times", "points")
            if number == 0:
                cursor.wrong(cursor.tokens[cursor.place - 1 :][:1], "nothing is done 0 times; leave it out")
            return number
        return FULL if name in (*GROUPS, "all", "rest") else 1

    # -- where

    def _one_area(self) -> str:
        self.cursor.take()
        if self.cursor.word in ("", *CLAUSES):
            return ""  # a blank of a form, left as it was
        return self.cursor.name(AREA_NAMES, "an area", "1.1")

    def _to(self, verb: Verb) -> tuple[str, ...]:
        """The areas after `to`: a way, of which every step must be right, or a choice of some."""
        cursor = self.cursor
        cursor.take()
        if cursor.skip("anywhere"):
            return ()
        if not verb.path:
            picks = self._list(AREA_NAMES, "an area", "1.1", {})
            return tuple(pick.name for pick in picks)
        areas: list[str] = []
        while not cursor.done and cursor.word not in CLAUSES:
            if cursor.word in SEPARATORS:
                if cursor.word == "or" and cursor.words[1:2] == ("ask",):
                    break
                cursor.take()
            else:
                areas.append(cursor.name(AREA_NAMES, "an area", "1.1"))
        return tuple(areas)
