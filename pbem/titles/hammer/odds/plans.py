"""Tactics by order files: in every state of a battle the orders are asked what a judge would ask them.

A plan sees what its writer would see then: their own blocks, the enemy's that stand face up, the round, and
how many wait in reserve. Where the orders want their writer to be asked, or say nothing, they are taken to do
what the rules take for granted: to fight, and to lose what is cheapest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from pbem.orders.base import Answer, Follower
from pbem.orders.kit.follow import KitFollower
from pbem.rules.base import Ask, View
from pbem.rules.hammer.facts import AREAS, BLOCKS, SIDES
from pbem.titles.hammer.odds.states import Field, State, Tactics, Turn


def _named(follower: Follower) -> frozenset[str] | None:
    """The blocks of which orders may look whether the enemy has them; None if it may be any.

    Only two conditions tell the enemy's blocks apart; to all others they are so many, and so strong.
    """
    if not isinstance(follower, KitFollower):
        return None
    found = [term for term in follower.judged if term.what in ("they have", "block strength")]
    names = frozenset(name for term in found for names in term.values for name in names)
    return names if names <= BLOCKS.keys() else None


class PlanTactics(Tactics):
    """Fights as a follower's orders say; `view` is their writer's, before the battle.

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

    def turn(self, where: Field, state: State, round_: int, legal: Sequence[Turn]) -> Turn:
        """5.31: what the plan says, or else the first block fires."""
        by_text = {_turn_text(where, turn): turn for turn in legal}
        return by_text[self._reply("combat", "5.31", where, state, round_, list(by_text))]

    def hit(self, where: Field, state: State, round_: int, tied: Sequence[int]) -> int:
        """5.41: whom the plan names first, or else the cheapest."""
        cheapest_first = sorted(tied, key=lambda index: where.fighters[index].cheap)
        by_text = {f"hit {where.fighters[index].name}": index for index in cheapest_first}
        return by_text[self._reply("hit", "5.41", where, state, round_, list(by_text))]

    def _reply(
        self, kind: str, rule: str, where: Field, state: State, round_: int, legal: Sequence[str]
    ) -> str:
        """The answer to one question; the first of `legal` is the default."""
        key = (kind, round_, tuple(legal), *self._shown(where, state))
        known = self._known.get(key)
        if known is not None and known in legal:
            return known
        self.asking()
        ask = Ask(self.side, kind, rule, lambda: legal, public=True, preferred=lambda: legal[0])
        reply = self.follower.copy().reply(ask, self._view(where, state, round_))
        if isinstance(reply, Answer):
            text = reply.text
        else:
            self.open.add(kind)
            text = legal[0]
        self._known[key] = text
        return text

    def _shown(self, where: Field, state: State) -> Iterator[object]:
        """All that an answer may hang on; of the enemy number and strength, and whom the orders name."""
        mine = SIDES.index(self.side)
        yield from (where.area, state.attacker, state.crossed, len(state.reserves[1 - mine]))
        for units in (state.fighting[mine], state.reserves[mine], state.left[mine]):
            yield tuple((where.fighters[index].name, strength) for index, strength in units)
        theirs = state.fighting[1 - mine]
        yield len(theirs), sum(strength for _, strength in theirs)
        for index, strength in theirs:
            name = where.fighters[index].name
            if self._named is None or name in self._named:
                yield name, strength

    def _view(self, where: Field, state: State, round_: int) -> View:
        """What the side sees in this state."""
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
