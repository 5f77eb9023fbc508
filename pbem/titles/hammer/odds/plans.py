"""The tactics of order files: in every state of a battle the orders are asked what a judge would ask them.

A plan sees what its writer would see then: their own blocks, the enemy's that stand face up, the round, and
how many wait in reserve. Where the orders want their writer to be asked, or say nothing, they are taken to do
what the rules take for granted: to fight, and to lose what is cheapest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from pbem.orders.base import Answer, Follower
from pbem.orders.hammer.vocabulary import Seen
from pbem.orders.kit.conditions import holds
from pbem.orders.kit.follow import KitFollower
from pbem.orders.kit.parsed_orders import NUMBER, Compare, terms
from pbem.rules.base import Ask, View
from pbem.rules.hammer.facts import AREAS, BLOCKS, SIDES, enemy_of
from pbem.titles.hammer.odds.states import Field, Pair, State, Tactics, Turn, Units

BY_STATE = {NUMBER, "blocks here", "reserves here", "round", "strength here"}
"""The kinds of number in conditions for which `_Table` has the values."""
SETTLED = {"against", "attacking", "defending", "event battle", "first", "second", "they have"}
"""The facts in conditions that stay as they are in a battle, or that a question's key tells apart."""

SOMEBODY = tuple(
    Seen("", "", "", strength) for strength in range(max(one.max for one in BLOCKS.values()) + 1)
)


class _Table:
    """A state of a battle as conditions see it: the part of a side's sight that their numbers need."""

    def __init__(self, side: str, area: str, state: State, round_: int) -> None:
        self.side, self.enemy, self.battle = side, enemy_of(side), area
        self.battle_moment = (1, round_)
        self.state = state

    def fighting(self, side: str) -> tuple[Seen, ...]:
        """Return a side's blocks that fight, by strength alone: none of the numbers asks who they are."""
        return tuple(SOMEBODY[strength] for _, strength in self._of(self.state.fighting, side))

    def reserves(self, side: str) -> int:
        """Return how many of a side's blocks are still in reserve."""
        return len(self._of(self.state.reserves, side))

    def _of(self, pair: Pair, side: str) -> Units:
        return pair[SIDES.index(side)]


def _compared(follower: Follower) -> tuple[Compare, ...] | None:
    """Return the comparisons through which alone an answer depends on how strong the fighters are.

    Return None if an answer may depend on something else.
    """
    if not isinstance(follower, KitFollower):
        return None
    found = follower.judged
    what = {term.what for single in found for term in terms(single)}
    compared = tuple(single for single in found if isinstance(single, Compare))
    return compared if what <= BY_STATE | SETTLED else None


def _named(follower: Follower) -> frozenset[str] | None:
    """Return the names of enemy blocks for which conditions in orders may look; None if it may be any.

    Only two conditions tell the enemy's blocks apart; all others look at number and strength alone.
    """
    if not isinstance(follower, KitFollower):
        return None
    judged = (term for single in follower.judged for term in terms(single))
    found = [term for term in judged if term.what in ("they have", "block strength")]
    names = frozenset(name for term in found for names in term.values for name in names)
    return names if names <= BLOCKS.keys() else None


def may_decide(follower: Follower, area: str) -> bool:
    """Tell whether orders may decide anything in a battle there; if not, their writer fights to the end."""
    return not isinstance(follower, KitFollower) or follower.may_answer(("combat", "hit"), area)


def may_look_for(follower: Follower, fact: str) -> bool:
    """Tell whether a condition of these orders could ask for a fact."""
    return not isinstance(follower, KitFollower) or any(
        term.what == fact for single in follower.judged for term in terms(single)
    )


class PlanTactics(Tactics):
    """The tactics that a follower's orders give; `view` is their writer's, before the battle.

    `asking`: called before each question to the orders.
    """

    plain = False

    def __init__(self, follower: Follower, view: View, asking: Callable[[], None] = lambda: None) -> None:
        self.follower = follower
        self.asking = asking
        self.side: str = view["viewer"]
        self.before = view
        self.open: set[str] = set()
        """The kinds of question that the orders left open in some state."""
        self._known: dict[tuple[object, ...], str] = {}
        self._named = _named(follower)
        self._compared = _compared(follower)
        self._alike: dict[tuple[object, ...], str] = {}
        self.plain_hits = isinstance(follower, KitFollower) and not follower.may_answer(("hit",))

    def turn(self, where: Field, state: State, round_: int, legal: Sequence[Turn]) -> Turn:
        """5.31: return the Combat Turn that the plan says, or else the first block fires."""
        by_text = {_turn_text(where, turn): turn for turn in legal}
        return by_text[self._reply("combat", "5.31", where, state, round_, list(by_text))]

    def hit(self, where: Field, state: State, round_: int, tied: Sequence[int]) -> int:
        """5.41: return the block to be hit that the plan names first, or else the cheapest."""
        if self.plain_hits:
            self.open.add("hit")
            return super().hit(where, state, round_, tied)
        cheapest_first = sorted(tied, key=lambda index: where.fighters[index].cheap)
        by_text = {f"hit {where.fighters[index].name}": index for index in cheapest_first}
        return by_text[self._reply("hit", "5.41", where, state, round_, list(by_text))]

    def _reply(
        self, kind: str, rule: str, where: Field, state: State, round_: int, legal: Sequence[str]
    ) -> str:
        """Return the answer to one question; the first of `legal` is the default."""
        key = (kind, round_, tuple(legal), *self._what_is_shown(where, state))
        known = self._known.get(key)
        if known is not None and known in legal:
            return known
        self.asking()
        if self._compared is None or self._named is None:
            text = self._ask(kind, rule, where, state, round_, legal)
        else:
            alike = (kind, round_, tuple(legal), *self._in_truth(where, state, round_))
            if alike not in self._alike:
                self._alike[alike] = self._ask(kind, rule, where, state, round_, legal)
            text = self._alike[alike]
        self._known[key] = text
        return text

    def _ask(
        self, kind: str, rule: str, where: Field, state: State, round_: int, legal: Sequence[str]
    ) -> str:
        """Return what the orders say to a question, or the default."""
        ask = Ask(self.side, kind, rule, lambda: legal, public=True, preferred=lambda: legal[0])
        reply = self.follower.copy().reply(ask, self._view(where, state, round_))
        if isinstance(reply, Answer):
            return reply.text
        self.open.add(kind)
        return legal[0]

    def _in_truth(self, where: Field, state: State, round_: int) -> Iterator[object]:
        """Yield the values on which an answer depends if the orders only compare strengths.

        Among them are the blocks that are there, and which comparisons hold.
        """
        mine = SIDES.index(self.side)
        yield from (where.area, state.attacker, state.crossed, len(state.reserves[1 - mine]))
        for units in (state.fighting[mine], state.reserves[mine], state.left[mine]):
            yield tuple(where.fighters[index].name for index, _ in units)
        yield bool(state.fighting[1 - mine])
        names = (where.fighters[index].name for index, _ in state.fighting[1 - mine])
        yield tuple(name for name in names if name in (self._named or ()))
        assert isinstance(self.follower, KitFollower)
        table: Any = _Table(self.side, where.area, state, round_)
        rows = self.follower.rows
        yield tuple(holds(single, table, rows) for single in self._compared or ())

    def _what_is_shown(self, where: Field, state: State) -> tuple[object, ...]:
        """Return all that an answer may depend on.

        Of the enemy that is number and strength, and the blocks that the orders name.
        """
        mine, fighters = SIDES.index(self.side), where.fighters
        theirs = state.fighting[1 - mine]
        return (
            *(where.area, state.attacker, state.crossed, len(state.reserves[1 - mine])),
            *(
                tuple([(fighters[index].name, strength) for index, strength in units])
                for units in (state.fighting[mine], state.reserves[mine], state.left[mine])
            ),
            *(len(theirs), sum([strength for _, strength in theirs])),
            *(
                (fighters[index].name, strength)
                for index, strength in theirs
                if self._named is None or fighters[index].name in self._named
            ),
        )

    def _view(self, where: Field, state: State, round_: int) -> View:
        """Return the view that the side has in this state."""
        here = {
            where.fighters[index].name: (SIDES[side], strength, in_line)
            for side in (0, 1)
            for units, in_line in ((state.fighting[side], True), (state.reserves[side], False))
            for index, strength in units
        }
        blocks: dict[str, Any] = {
            name: row for name, row in self.before["blocks"].items() if row["side"] == self.side
        }
        for one in where.fighters:
            blocks.pop(one.name, None)
        for name, (side, strength, in_line) in here.items():
            if in_line or side == self.side:
                blocks[name] = {"side": side, "area": where.area, "strength": strength}
        away = next(iter(where.ways_out.get(self.side) or AREAS[where.area].neighbours))
        for index, strength in state.left[SIDES.index(self.side)]:
            blocks[where.fighters[index].name] = {"side": self.side, "area": away, "strength": strength}
        areas = {area: dict(counts) for area, counts in self.before["areas"].items()}
        areas[where.area] = {side: sum(owner == side for owner, _, _ in here.values()) for side in SIDES}
        for side, crossed in zip(SIDES, state.crossed, strict=True):
            for area in crossed:
                areas[area][side] += 1
        fight = {
            "area": where.area,
            "number": 1,
            "round": round_,
            "attacker": SIDES[state.attacker],
            "defender": SIDES[1 - state.attacker],
            "fighting": [name for name, (_, _, in_line) in here.items() if in_line],
            "numbers": {side: len(state.fighting[place]) for place, side in enumerate(SIDES)},
            "reserves": {side: len(state.reserves[place]) for place, side in enumerate(SIDES)},
        }
        return {**self.before, "blocks": blocks, "areas": areas, "battle": fight}


def _turn_text(where: Field, turn: Turn) -> str:
    text = f"{turn.action} {where.fighters[turn.fighter].name}"
    return f"{text} to {turn.to}" if turn.to else text
