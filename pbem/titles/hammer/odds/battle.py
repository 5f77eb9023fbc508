"""5.1-5.8 The exact odds of one battle, from its first round to the attacker's withdrawal.

The battle is played in all its ways at once: a `State` is what both players see on the table, and each
state has a weight, the number of equally likely rolls that lead to it. Since a hit falls on the strongest
(5.41), few states arise, and the whole of three rounds is a few thousand sums of whole numbers.

Both sides play by `Tactics`, which see what stands face up and nothing else, so the only chance left is
that of the dice. Not computed is what happens outside the battle: regroups and further retreats.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from math import comb

from pbem.rules.hammer.facts import ENGLAND, EVENTS, MAX_ROUNDS, SCOTLAND, SIDES
from pbem.titles.hammer.odds.states import (
    Ending,
    Fate,
    Field,
    Outcome,
    Pair,
    State,
    Tactics,
    Turn,
    Units,
    Volleys,
)


@lru_cache(maxsize=4096)
def volley(dice: tuple[tuple[int, int], ...]) -> tuple[int, ...]:
    """5.4: return in how many rolls of these dice there are 0, 1, 2, ... hits; `dice`: (rating, how many)."""
    weights = [1]
    for rating, number in dice:
        one = [
            comb(number, hits) * rating**hits * (6 - rating) ** (number - hits) for hits in range(number + 1)
        ]
        both = [0] * (len(weights) + number)
        for place, weight in enumerate(weights):
            for hits, chance in enumerate(one):
                both[place + hits] += weight * chance
        weights = both
    return tuple(weights)


def fight(where: Field, tactics: Mapping[str, Tactics] | None = None) -> Outcome:
    """Return every ending of a battle. A side without tactics fights to the end."""
    return _Battle(where, tactics or {}).run()


class _Battle:
    """All courses that one battle may take, computed together with their weights."""

    def __init__(self, where: Field, tactics: Mapping[str, Tactics]) -> None:
        self.field = where
        self.fighters = where.fighters
        fallback = Tactics()
        self.tactics = [tactics.get(side, fallback) for side in SIDES]
        self.round = max(0, where.round - 1)
        self.scale = 1  # the sum of all weights, those of endings included
        self.ended: list[tuple[int, State, int]] = []  # scale, state, weight
        self.after_hit: dict[tuple[int, Units], tuple[Units, int]] = {}
        self.first_defenders: set[int] = set()
        self.gone = [Fate(one.side, 0, "gone") for one in self.fighters]
        plain = all(one.plain for one in self.tactics) and not where.options.schiltroms
        self.volleys = Volleys(self.fighters, self._weaker_line, self._eliminate, volley) if plain else None

    def run(self) -> Outcome:
        """5.3: return the endings of the battle, which lasts three rounds at most."""
        weights = {self._start(): 1}
        while weights and self.round < MAX_ROUNDS:
            self.round += 1
            if self.round != self.field.round:
                weights = self._arrive(weights)
            weights = self._round(weights)
        self.ended += [(self.scale, self._withdraw(state), weight) for state, weight in weights.items()]
        endings = [
            (self._ending(state), weight * (self.scale // scale)) for scale, state, weight in self.ended
        ]
        return Outcome(tuple(endings), self.scale)

    def _round(self, weights: dict[State, int]) -> dict[State, int]:
        """5.31: return the weighted states after the six steps of a round."""
        if self.volleys is None:
            for letter in "ABC":
                for attacking in (False, True):
                    weights = self._letter_step(weights, letter, attacking)
            return weights
        dice, states = self.volleys.round(weights)
        self.scale *= 6**dice
        found: dict[State, int] = {}
        for state, weight in states:
            if not self._over(state, weight):
                found[state] = found.get(state, 0) + weight
        return found

    def _start(self) -> State:
        attacker = SIDES.index(self.field.attacker)
        order = sorted(range(len(self.fighters)), key=lambda index: self.fighters[index].rank)

        def of(reserve: bool) -> Pair:
            one, other = (
                tuple(
                    (index, self.fighters[index].strength)
                    for index in order
                    if self.fighters[index].side == side and self.fighters[index].reserve == reserve
                )
                for side in SIDES
            )
            return one, other

        state = State(attacker, fighting=of(False), reserves=of(True))
        self.first_defenders = {index for index, _ in state.fighting[1 - attacker]}
        return state

    # -- 5.1, 5.2, 5.32: a round begins

    def _arrive(self, weights: dict[State, int]) -> dict[State, int]:
        found: dict[State, int] = {}
        arrived: dict[State, tuple[int, ...]] = {}
        for state, weight in weights.items():
            now, new = self._turned_up(state)
            found[now] = found.get(now, 0) + weight
            arrived[now] = new
        celtic = [index for index, one in enumerate(self.fighters) if one.celtic]
        for index in celtic:
            if any(index in new for new in arrived.values()):
                found = self._unity(found, arrived, index)
        return {state: weight for state, weight in found.items() if not self._over(state, weight)}

    def _turned_up(self, state: State) -> tuple[State, tuple[int, ...]]:
        """Return the state with its reserves in line, and the numbers of the blocks turned up just now."""
        state = state._replace(crossed=((), ()), waiting=())
        if self.round == 1:
            everybody = self.field.options.celtic_timing == "all_first"
            lines = (*state.fighting, *(state.reserves if everybody else ()))
            return state, tuple(index for units in lines for index, _ in units)
        if self.round == 2:
            state = self._control(state)
        arriving = tuple(index for units in state.reserves for index, _ in units)
        one, other = (
            tuple(sorted((*old, *new), key=self._rank)) if new else old
            for old, new in zip(state.fighting, state.reserves, strict=True)
        )
        turned_up = () if self.field.options.celtic_timing == "all_first" else arriving
        return state._replace(fighting=(one, other), reserves=((), ())), turned_up

    def _control(self, state: State) -> State:
        """5.32, R65, R66: return the state, with the sides' roles changed if no first defender is left."""
        rule = self.field.options.control_change
        if rule == "eliminated":
            changes = bool(self.first_defenders) and self.first_defenders <= set(state.beaten)
        else:
            changes = not state.fighting[1 - state.attacker]
            if rule == "vacated_and_held":
                changes = changes and bool(state.fighting[state.attacker])
        return state._replace(attacker=1 - state.attacker) if changes else state

    def _unity(
        self, weights: dict[State, int], arrived: dict[State, tuple[int, ...]], index: int
    ) -> dict[State, int]:
        """5.2: return the weighted states after Celtic blocks just turned up have stayed or left on a die."""
        self.scale *= 6
        found: dict[State, int] = {}
        leaves = len(EVENTS.celtic_leaves)
        for state, weight in weights.items():
            if index not in arrived[state]:
                found[state] = found.get(state, 0) + 6 * weight
                continue
            gone = self._without(state, index)
            arrived[gone] = arrived[state]
            found[gone] = found.get(gone, 0) + leaves * weight
            found[state] = found.get(state, 0) + (6 - leaves) * weight
        return found

    def _without(self, state: State, index: int) -> State:
        def cut(pair: Pair) -> Pair:
            one, other = (tuple(unit for unit in units if unit[0] != index) for units in pair)
            return one, other

        return state._replace(fighting=cut(state.fighting), reserves=cut(state.reserves))

    def _rank(self, unit: tuple[int, int]) -> int:
        return self.fighters[unit[0]].rank

    # -- 5.31: the steps of a round

    def _letter_step(self, weights: dict[State, int], letter: str, attacking: bool) -> dict[State, int]:
        """Return the weighted states after one side's blocks of one letter have had their Combat Turns."""
        resting: dict[State, int] = {}
        acting: dict[State, int] = {}
        for state, weight in weights.items():
            side = state.attacker if attacking else 1 - state.attacker
            waiting = tuple(
                index for index, _ in state.fighting[side] if self.fighters[index].letter == letter
            )
            if waiting:
                acting[_waiting(state, waiting)] = weight
            else:
                resting[state] = weight
        while acting:
            expanded = [
                (weight, *self._expand(state, state.attacker if attacking else 1 - state.attacker))
                for state, weight in acting.items()
            ]
            most = max(dice for _, dice, _ in expanded)
            self.scale *= 6**most
            resting = {state: weight * 6**most for state, weight in resting.items()}
            acting = {}
            for weight, dice, outcomes in expanded:
                padded = weight * 6 ** (most - dice)
                for after, rolls in outcomes:
                    if not self._over(after, padded * rolls):
                        into = acting if after.waiting else resting
                        into[after] = into.get(after, 0) + padded * rolls
        return resting

    def _expand(self, state: State, side: int) -> tuple[int, list[tuple[State, int]]]:
        """Return how many dice the next Combat Turn (or volley) takes, and the states after, with rolls."""
        opposed = bool(state.fighting[1 - side])
        tactics = self.tactics[side]
        if tactics.plain:
            shooters = state.waiting if opposed else ()
            if self.field.options.schiltroms:
                shooters = shooters[:1]  # who falls may change the others' ratings
            waiting = state.waiting[len(shooters) :] if shooters else ()
            return self._fire(state, side, shooters, waiting)
        legal = self._legal(state, side, opposed)
        if not opposed and not self._asked_alone(legal):
            return 0, [(state._replace(waiting=()), 1)]
        turn = tactics.turn(self.field, state, self.round, legal)
        waiting = tuple(index for index in state.waiting if index != turn.fighter)
        if turn.action == "fire":
            return self._fire(state, side, (turn.fighter,), waiting)
        if turn.action == "retreat":
            state = self._leave(state, side, turn)
        return 0, [(_waiting(state, waiting), 1)]

    def _fire(
        self, state: State, side: int, shooters: Iterable[int], waiting: tuple[int, ...]
    ) -> tuple[int, list[tuple[State, int]]]:
        """5.4: return how many dice blocks fire, and each state after their hits (R59) with its rolls."""
        strength = dict(state.fighting[side])
        thrown: dict[int, int] = {}
        for index in shooters:
            rating = self._number(state, side, index)
            thrown[rating] = thrown.get(rating, 0) + strength[index]
        state = _waiting(state, waiting)
        outcomes = []
        for hits, rolls in enumerate(volley(tuple(sorted(thrown.items())))):
            if hits:
                state = self._hit(state, 1 - side)
            outcomes.append((state, rolls))
        return sum(thrown.values()), outcomes

    def _asked_alone(self, legal: list[Turn]) -> bool:
        """R63: tell whether a side without enemies in reach is asked: only if a block can retreat."""
        return self.field.options.dead_round_turns and any(turn.action == "retreat" for turn in legal)

    def _legal(self, state: State, side: int, opposed: bool) -> list[Turn]:
        found = []
        for index in state.waiting:
            found += [Turn(index, "fire")] if opposed else []
            found.append(Turn(index, "pass"))
            found += [Turn(index, "retreat", to) for to in self._ways(state, side, index)]
        return found

    def _ways(self, state: State, side: int, index: int) -> list[str]:
        """5.5: return the areas to which a block may retreat now."""
        if self.fighters[index].kind == "norse":
            return list(self.field.havens)
        limits = self.field.ways_out.get(SIDES[side])
        if limits is None:
            return ["away"]
        return [to for to, limit in limits.items() if state.crossed[side].count(to) < limit]

    def _leave(self, state: State, side: int, turn: Turn) -> State:
        unit = next(unit for unit in state.fighting[side] if unit[0] == turn.fighter)
        others = tuple(other for other in state.fighting[side] if other != unit)
        land = self.fighters[turn.fighter].kind != "norse"
        crossed = tuple(sorted((*state.crossed[side], turn.to))) if land else state.crossed[side]
        return state._replace(
            fighting=_with(state.fighting, side, others),
            left=_with(state.left, side, tuple(sorted((*state.left[side], unit)))),
            crossed=(crossed, state.crossed[1]) if side == 0 else (state.crossed[0], crossed),
        )

    # -- 5.4, 5.41, 5.7: fire and hits

    def _number(self, state: State, side: int, index: int) -> int:
        """1.4, 2.12, R62, R85: return a block's Combat Rating, raised by a noble's home and by schiltroms."""
        one = self.fighters[index]
        number = one.number + (one.at_home and side != state.attacker)
        if self.field.options.schiltroms and SIDES[side] == SCOTLAND and one.kind == "infantry":
            number += not self._english_archers(state)
        return number

    def _english_archers(self, state: State) -> bool:
        side = SIDES.index(ENGLAND)
        present = state.fighting[side]
        if self.field.options.schiltrom_reserve_archers == "count":
            present += state.reserves[side]
        return any(self.fighters[index].kind == "archers" for index, _ in present)

    def _hit(self, state: State, side: int) -> State:
        """5.41: return the state after one hit on the strongest of a side's fighting blocks.

        A hit on a side without fighting blocks is lost (R60).
        """
        units = state.fighting[side]
        if not units or state.fallen >= 0:
            return state
        after, dead = self._weaker(state, side)
        struck = State(state.attacker, _with(state.fighting, side, after), *state[2:])
        return struck if dead < 0 else self._eliminate(struck, side, dead)

    def _weaker(self, state: State, side: int) -> tuple[Units, int]:
        """Return a side's line after one hit, and the block that fell (or -1)."""
        units, tactics = state.fighting[side], self.tactics[side]
        if tactics.plain_hits and (known := self.after_hit.get((side, units))):
            return known
        most = max(strength for _, strength in units)
        tied = [index for index, strength in units if strength == most]
        struck = tied[0] if len(tied) == 1 else tactics.hit(self.field, state, self.round, tied)
        after = tuple(
            (index, strength - (index == struck)) for index, strength in units if index != struck or most > 1
        )
        found = self.after_hit[side, units] = (after, struck if most == 1 else -1)
        return found

    def _weaker_line(self, units: Units, side: int) -> tuple[Units, int]:
        """Return a line after one hit, and the block that fell (or -1), if no player chooses who is hit."""
        nobody: Units = ()
        lines: Pair = (units, nobody) if side == 0 else (nobody, units)
        return self._weaker(State(0, lines, (nobody, nobody)), side)

    def _eliminate(self, state: State, side: int, index: int) -> State:
        """5.7, 5.8: return the state after a block is eliminated.

        A noble changes sides at strength 1 and waits; a king's death ends the game (9.1).
        """
        one = self.fighters[index]
        if self.field.options.control_change == "eliminated" and index in self.first_defenders:
            state = state._replace(beaten=tuple(sorted({*state.beaten, index})))
        if one.kind == "noble" and not one.black_cross:
            captor = 1 - side
            return state._replace(
                reserves=_with(state.reserves, captor, tuple(sorted((*state.reserves[captor], (index, 1)))))
            )
        if one.name == "King" or (one.name == "Edward" and self.field.second_edward):
            return state._replace(fallen=index)
        return state

    # -- endings

    def _over(self, state: State, weight: int) -> bool:
        """5.3: tell whether the battle has ended; its ending is then counted."""
        (one, other), (later, others_later) = state.fighting, state.reserves
        if (one or later) and (other or others_later) and state.fallen < 0:
            return False
        self.ended.append((self.scale, state, weight))
        return True

    def _first_to_go(self, unit: tuple[int, int]) -> tuple[str, list[int]]:
        """R80: return a sort key of a block that withdraws: A before B before C, then the dearest first."""
        one = self.fighters[unit[0]]
        return one.letter, [-part for part in one.cheap]

    def _withdraw(self, state: State) -> State:
        """5.3, 5.5, R80: return the state after an attacker who has not won has gone.

        Blocks for which there is no room are lost.
        """
        side = state.attacker
        leaving = sorted(
            (*state.fighting[side], *state.reserves[side]),
            key=self._first_to_go,
        )
        limits = self.field.ways_out.get(SIDES[side])
        room = len(leaving) if limits is None else sum(limits.values())
        left, lost = [], []
        for unit in leaving:
            by_sea = self.fighters[unit[0]].kind == "norse"
            if bool(self.field.havens) if by_sea else room > 0:
                left.append(unit)
                room -= not by_sea
            else:
                lost.append(unit)
        state = state._replace(
            fighting=_with(state.fighting, side, ()),
            reserves=_with(state.reserves, side, ()),
            left=_with(state.left, side, tuple(sorted((*state.left[side], *left)))),
        )
        for index, _ in lost:
            if state.fallen < 0:
                state = self._eliminate(state, side, index)
        return state

    def _ending(self, state: State) -> Ending:
        fates = self.gone.copy()
        holder: str | None = None
        for side, name in enumerate(SIDES):
            here = (*state.fighting[side], *state.reserves[side])
            if here and state.fallen < 0:
                holder = name
            for index, strength in here:
                fates[index] = Fate(name, strength, "area")
            for index, strength in state.left[side]:
                fates[index] = Fate(name, strength, "left")
        fallen = self.fighters[state.fallen].name if state.fallen >= 0 else ""
        return Ending(holder, tuple(fates), fallen)


def _waiting(state: State, waiting: tuple[int, ...]) -> State:
    """Return a copy of the state in which these blocks still have a Combat Turn to come."""
    attacker, fighting, reserves, left, crossed, _, beaten, fallen = state
    return State(attacker, fighting, reserves, left, crossed, waiting, beaten, fallen)


def _with(pair: Pair, side: int, units: Units) -> Pair:
    """Return the pair with other units for one side."""
    return (units, pair[1]) if side == 0 else (pair[0], units)
