"""Reads conditions: what may stand after `if`.

    condition  = both {"or" both}
    both       = single {"and" single}
    single     = ["not"] (fact | comparison)
    comparison = quantity [how] quantity          round 2; our strength less than half their strength

A condition may use only what its writer sees at that moment. Strengths and names of enemy blocks are
seen in a battle alone, so outside a plan they are refused here, with the reason.
"""

from __future__ import annotations

from pbem.orders.cursor import Cursor
from pbem.orders.hammer.tree import (
    OUR,
    THEIR,
    Both,
    Compare,
    Comparison,
    Condition,
    Either,
    Fact,
    Not,
    Quantity,
)
from pbem.orders.hammer.vocabulary import (
    ALL_BLOCKS,
    AREA_NAMES,
    CARDS,
    GROUPS,
    NOBLE_NAMES,
    can_hold,
)
from pbem.orders.names import Names
from pbem.rules.hammer.facts import EVENT_CARDS, MOVE_CARDS

FOG = "2.0"
"""The section by which blocks stand upright and only their owner sees their faces."""

EXAMPLES = (
    "first",
    "second against 2",
    "none of my areas is attacked",
    "Fife is attacked",
    "Mar is mine",
    "round 2",
    "Wallace strength at most 1",
    "our strength less than their strength",
    "they have archers",
)

_AREA_STATES = {
    "attacked": "attacked",
    "mine": "mine",
    "ours": "mine",
    "friendly": "mine",
    "theirs": "theirs",
    "hostile": "theirs",
    "empty": "empty",
    "vacant": "empty",
    "contested": "contested",
}

_PHRASES: tuple[tuple[tuple[str, ...], Fact], ...] = tuple(
    (tuple(phrase.split()), fact)
    for phrase, fact in (
        ("first", Fact(what="first")),
        ("second", Fact(what="second")),
        ("i am first", Fact(what="first")),
        ("i am second", Fact(what="second")),
        ("i move first", Fact(what="first")),
        ("i move second", Fact(what="second")),
        ("none of my areas is attacked", Fact(what="attacked only")),
        ("none of my areas are attacked", Fact(what="attacked only")),
        ("no area of mine is attacked", Fact(what="attacked only")),
        ("nothing of mine is attacked", Fact(what="attacked only")),
        ("none of my battles is reinforced", Fact(what="reinforced")),
        ("none of my battles are reinforced", Fact(what="reinforced")),
        ("no battle of mine is reinforced", Fact(what="reinforced")),
    )
)

_BATTLE_PHRASES: tuple[tuple[tuple[str, ...], Fact], ...] = tuple(
    (tuple(phrase.split()), fact)
    for phrase, fact in (
        ("attacking", Fact(what="attacking")),
        ("i attack", Fact(what="attacking")),
        ("i am attacking", Fact(what="attacking")),
        ("defending", Fact(what="defending")),
        ("i defend", Fact(what="defending")),
        ("i am defending", Fact(what="defending")),
        ("event battle", Fact(what="event battle")),
    )
)

_HOW: tuple[tuple[tuple[str, ...], Comparison], ...] = (
    (("is", "less", "than"), "less than"),
    (("is", "more", "than"), "more than"),
    (("is", "at", "most"), "at most"),
    (("is", "at", "least"), "at least"),
    (("less", "than"), "less than"),
    (("fewer", "than"), "less than"),
    (("more", "than"), "more than"),
    (("at", "most"), "at most"),
    (("at", "least"), "at least"),
    (("below",), "less than"),
    (("above",), "more than"),
    (("is",), "is"),
    (("are",), "is"),
    (("<",), "less than"),
    ((">",), "more than"),
    (("<=",), "at most"),
    ((">=",), "at least"),
    (("=",), "is"),
)

_OPEN_ENDED: dict[str, Comparison] = {
    "more": "at least",
    "later": "at least",
    "stronger": "at least",
    "less": "at most",
    "fewer": "at most",
    "weaker": "at most",
}

_OPENINGS = Names(
    "first second against attacking defending none only drawn round our their they we noble not half".split()
)
"""Words with which conditions begin."""

_WHOSE = {"our": OUR, "my": OUR, "their": THEIR, "his": THEIR, "enemy": THEIR}
_COUNTED = ("blocks", "strength", "reserves", "nobles")


class ConditionReader:
    """Reads the condition at a cursor. `in_battle`: a battle's face-up blocks may be spoken of."""

    def __init__(self, cursor: Cursor, side: str, in_battle: bool, verbs: frozenset[str]) -> None:
        self.cursor = cursor
        self.side = side
        self.in_battle = in_battle
        self.verbs = verbs

    def read(self) -> Condition:
        """condition = both {"or" both}"""
        parts = [self._both()]
        while self.cursor.word == "or" and not self._verb_follows():
            self.cursor.take()
            parts.append(self._both())
        return parts[0] if len(parts) == 1 else Either(tuple(parts))

    def _both(self) -> Condition:
        """both = single {"and" single}; "first against 2" needs no "and"."""
        parts = [self._single()]
        while not self.cursor.done:
            if self.cursor.word in ("and", ",") and not self._verb_follows():
                self.cursor.take()
            elif self.cursor.word != "against":
                break
            parts.append(self._single())
        return parts[0] if len(parts) == 1 else Both(tuple(parts))

    def _verb_follows(self) -> bool:
        """Does the condition end here, and its order begin after this word?"""
        words = self.cursor.words[1:]
        ends = not words or words[0] in (":", "then")
        if ends and self.cursor.word in ("and", "or"):
            said = f"after '{self.cursor.word}' another condition is missing"
            self.cursor.wrong(self.cursor.ahead(1), said)
        return ends or words[0] in self.verbs

    def _single(self) -> Condition:
        cursor = self.cursor
        cursor.token("a condition is missing here")
        if cursor.skip("not"):
            if cursor.word == "not":
                cursor.wrong(cursor.ahead(1), "one 'not' is enough")
            return Not(self._single())
        return (
            self._phrase()
            or self._visible_fact()
            or self._battle_fact()
            or self._comparison()
            or self._place_fact()
        )

    # -- facts

    def _phrase(self) -> Fact | None:
        cursor = self.cursor
        for phrase, fact in _PHRASES:
            if cursor.skip_phrase(*phrase):
                return fact
        for phrase, fact in _BATTLE_PHRASES:
            start = cursor.place
            if cursor.skip_phrase(*phrase):
                if not self.in_battle:
                    self._only_in_battle(start)
                return fact
        return None

    def _visible_fact(self) -> Fact | None:
        """Facts that everybody sees: the enemy's card, how many reinforced, which areas are attacked."""
        cursor = self.cursor
        if cursor.skip("against"):
            return Fact(what="against", names=self._cards())
        if cursor.skip("only"):
            areas = self._areas()
            cursor.skip("is", "are")
            if not cursor.skip("attacked"):
                cursor.wrong(cursor.ahead(1), "after 'only' and areas comes 'attacked'")
            return Fact(what="attacked only", areas=areas)
        if cursor.sees("at", "most"):
            cursor.place += 2
            number = cursor.number(99, "blocks")
            cursor.skip("block", "blocks")
            if not cursor.skip("reinforce", "reinforces"):
                cursor.wrong(cursor.ahead(1), "after 'at most' and a number comes 'reinforce'")
            return Fact(what="reinforced", number=number)
        if cursor.skip("noble"):
            name = cursor.name(NOBLE_NAMES, "a noble", "2.22")
            cursor.skip("is")
            if cursor.word not in ("mine", "ours", "theirs"):
                cursor.wrong(cursor.ahead(1), "a noble is 'mine' or 'theirs'", "2.22")
            return Fact(
                what="noble theirs" if cursor.take().word == "theirs" else "noble mine", names=(name,)
            )
        return None

    def _battle_fact(self) -> Fact | None:
        """What stands face up in a battle, and what has been drawn."""
        cursor = self.cursor
        start = cursor.place
        if cursor.sees("they", "have") or cursor.sees("we", "have") or cursor.sees("i", "have"):
            what = "they have" if cursor.take().word == "they" else "we have"
            cursor.take()
            names = [self._block_or_kind()]
            while cursor.word in ("or", ",") and not self._verb_follows():
                place = cursor.place
                cursor.take()
                if cursor.words[0] not in GROUPS and not ALL_BLOCKS.read(cursor.words).names:
                    cursor.place = place
                    break
                names.append(self._block_or_kind())
            if not self.in_battle:
                self._only_in_battle(start)
            return Fact(what=what, names=tuple(names))
        if cursor.skip("drawn"):
            names = [self._own_block("which blocks the enemy draws stays hidden")]
            while cursor.word in ("or", ",") and not self._verb_follows() and self._block_follows():
                cursor.take()
                names.append(self._own_block("which blocks the enemy draws stays hidden"))
            return Fact(what="drawn", names=tuple(names))
        return None

    def _place_fact(self) -> Condition:
        """`Fife is attacked`, `Wallace in Fife`, `Edward winters`, `Edward winters in Mar`."""
        cursor = self.cursor
        first = cursor.ahead(1)
        block = ALL_BLOCKS.read(cursor.words)
        after = (
            tuple(token.word for token in cursor.ahead(block.words + 2)[block.words :]) if block.names else ()
        )
        if after[:1] == ("winters",):
            name = cursor.name(ALL_BLOCKS, "a block")
            cursor.take()
            if name != "Edward":
                cursor.wrong(first, f"{name} has no winter quarters; only Edward has", "7.4")
            areas = (cursor.name(AREA_NAMES, "an area", "1.1"),) if cursor.skip("in") else ()
            return Fact(what="winters", names=(name,), areas=areas)
        if after[:1] in (("in",), ("on",)) or after in (("is", "in"), ("is", "on")):
            name = self._own_block("where enemy blocks stand is hidden until they fight")
            cursor.skip("is")
            if cursor.skip("on"):
                cursor.skip("map")
                return Fact(what="on map", names=(name,))
            cursor.take()
            return Fact(what="in", names=(name,), areas=(cursor.name(AREA_NAMES, "an area", "1.1"),))
        if not AREA_NAMES.read(cursor.words).names:
            near = tuple(
                name for names in (_OPENINGS, AREA_NAMES, ALL_BLOCKS) for name in names.near(cursor.word)
            )
            message = f"no condition begins with {cursor.quoted(first)}"
            cursor.wrong(first, message, meant=tuple(dict.fromkeys(near)), legal=() if near else EXAMPLES)
        area = cursor.name(AREA_NAMES, "an area", "1.1")
        cursor.skip("is", "are")
        negated = cursor.skip("not")
        if (state := _AREA_STATES.get(cursor.word)) is None:
            cursor.wrong(
                cursor.ahead(1) or first,
                f"what about {area}? an area is attacked, contested, mine, theirs or empty",
                "4.5",
            )
        cursor.take()
        fact = Fact(what=state, areas=(area,))
        return Not(fact) if negated else fact

    # -- comparisons

    def _comparison(self) -> Compare | None:
        left = self._quantity()
        if left is None:
            return None
        how: Comparison = "is"
        for words, meaning in _HOW:
            if self.cursor.skip_phrase(*words):
                how = meaning
                break
        right = self._quantity()
        if right is None:
            self.cursor.wrong(self.cursor.ahead(1), "a number, or another quantity, is missing here")
        if how == "is" and self.cursor.word == "or" and len(self.cursor.words) > 1:
            open_ended = _OPEN_ENDED.get(self.cursor.words[1])
            if open_ended:
                self.cursor.place += 2
                how = open_ended
        self._check_round(left, how, right)
        return Compare(left=left, how=how, right=right)

    def _check_round(self, left: Quantity, how: Comparison, right: Quantity) -> None:
        if left.what == "round" and right.what == "number" and not 1 <= right.number <= 3:
            last = self.cursor.tokens[self.cursor.place - 1 : self.cursor.place]
            if how in ("is", "at least") or right.number < 1:
                self.cursor.wrong(last, "a battle has rounds 1 to 3", "5.3")

    def _quantity(self) -> Quantity | None:
        cursor = self.cursor
        start = cursor.place
        word = cursor.word
        if word.isascii() and word.isdigit():
            return Quantity(what="number", number=cursor.number(999, "anything here"))
        if cursor.skip("round"):
            if not self.in_battle:
                self._only_in_battle(start)
            return Quantity(what="round")
        if word in ("ours", "theirs"):
            cursor.take()
            return self._seen(start, Quantity(what="strength", whose=OUR if word == "ours" else THEIR))
        if word in ("half", "twice") or word in _WHOSE:
            return self._total(start)
        block = ALL_BLOCKS.read(cursor.words)
        after = cursor.ahead(block.words + 1)[block.words :]
        if not block.names or not after or after[0].word != "strength":
            return None
        name = cursor.name(ALL_BLOCKS, "a block")
        cursor.take()
        if not self.in_battle and not can_hold(self.side, name):
            self._hidden(start, f"how strong {name} is stays hidden until it fights")
        return Quantity(what="strength", block=name)

    def _total(self, start: int) -> Quantity:
        """["half" | "twice"] ("our" | "their") ("blocks" | "strength" | "reserves" | "nobles") ["in" AREA]"""
        cursor = self.cursor
        factor = cursor.take().word if cursor.word in ("half", "twice") else ""
        if cursor.word in ("ours", "theirs"):
            whose, what = (OUR if cursor.take().word == "ours" else THEIR), "strength"
        else:
            token = cursor.token("'our' or 'their' is missing here")
            if token.word not in _WHOSE:
                cursor.wrong([token], "after 'half' or 'twice' comes 'our' or 'their' and what is counted")
            whose = _WHOSE[cursor.take().word]
            token = cursor.token("what is counted is missing here: blocks, strength, reserves or nobles")
            if token.word not in _COUNTED:
                cursor.wrong([token], f"{cursor.quoted([token])} cannot be counted", legal=_COUNTED)
            what = cursor.take().word
        area = ""
        if what != "nobles" and cursor.word == "in" and not cursor.sees("in", "battle"):
            cursor.take()
            area = cursor.name(AREA_NAMES, "an area", "1.1")
        quantity = Quantity(what=what, whose=whose, area=area, factor=factor)  # type: ignore[arg-type]
        return self._seen(start, quantity)

    def _seen(self, start: int, quantity: Quantity) -> Quantity:
        """Refuse what the writer cannot see."""
        if quantity.what == "nobles":
            return quantity
        if quantity.whose == THEIR and quantity.what == "strength" and (quantity.area or not self.in_battle):
            self._hidden(start, "how strong enemy blocks are stays hidden until they fight")
        if not quantity.area and not self.in_battle:
            tokens = self.cursor.tokens[start : self.cursor.place]
            self.cursor.wrong(tokens, f"outside a plan say where: '{quantity.whose} {quantity.what} in Fife'")
        return quantity

    # -- parts

    def _cards(self) -> tuple[str, ...]:
        """CARD {"or" CARD}; "event" is any event card, "move" any Move card."""
        cursor = self.cursor
        cards = self._card()
        while cursor.word in ("or", ",") and len(cursor.words) > 1:
            follows = cursor.words[1:]
            if follows[0] not in ("a", "an", "event", "move") and not CARDS.read(follows).names:
                break
            cursor.take()
            cards += self._card()
        return tuple(dict.fromkeys(cards))

    def _card(self) -> tuple[str, ...]:
        cursor = self.cursor
        cursor.skip("a", "an")
        for word, cards in (("event", EVENT_CARDS), ("move", MOVE_CARDS)):
            if cursor.skip(word):
                cursor.skip("card")
                return cards
        return (cursor.name(CARDS, "a card", "3.0"),)

    def _areas(self) -> tuple[str, ...]:
        cursor = self.cursor
        areas = [cursor.name(AREA_NAMES, "an area", "1.1")]
        while cursor.skip(",", "and"):
            areas.append(cursor.name(AREA_NAMES, "an area", "1.1"))
        return tuple(areas)

    def _block_follows(self) -> bool:
        return bool(ALL_BLOCKS.read(self.cursor.words[1:]).names) if len(self.cursor.words) > 1 else False

    def _block_or_kind(self) -> str:
        if self.cursor.word in GROUPS:
            return self.cursor.take().word
        return self.cursor.name(ALL_BLOCKS, "a block", "2.2")

    def _own_block(self, why: str) -> str:
        start = self.cursor.place
        name = self.cursor.name(ALL_BLOCKS, "a block", "2.2")
        if not can_hold(self.side, name):
            self._hidden(start, why)
        return name

    def _hidden(self, start: int, why: str) -> None:
        message = f"{why}; a condition may use only what you see"
        self.cursor.wrong(self.cursor.tokens[start : self.cursor.place], message, FOG)

    def _only_in_battle(self, start: int) -> None:
        tokens = self.cursor.tokens[start : self.cursor.place]
        message = f"{self.cursor.quoted(tokens)} can be judged only in a battle; write it inside a plan"
        self.cursor.wrong(tokens, message, "5.1")
