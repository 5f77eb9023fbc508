"""The marshal: hits what the enemy has, spends Strategy cards only where they decide, keeps what wins."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pbem.rules.base import Ask, View
from pbem.rules.first_war.facts import KINDS, NUMBERS, UNITS, Kind, enemy_of, kind_of

BEST = "scottish_leader english_leader lowland_noble highland_noble archers cavalry infantry".split()
"""Units, the best to hit first."""


class Marshal:
    """A player who knows its own view and nothing else; it remembers nothing."""

    def __init__(self, side: str) -> None:
        self.side = side
        self.enemy = enemy_of(side)

    def write(self, view: View, asks: Sequence[Ask] = ()) -> str:
        """A sheet for the season, whatever is asked now; the best of the enemy's is hit."""
        strategies = ", ".join(kind.id for kind in self.hand(view, "strategy"))
        lines = ["deploy all", *(f"event {kind.id}" for kind in self.helpful(view, "event"))]
        lines += [f"if needed: strategy {strategies}"] if strategies else []
        lines += [f"victory {kind.id}" for kind in self.helpful(view, "victory")]
        return "".join(f"{line}\n" for line in lines)

    def choose(self, view: View, ask: Ask) -> str:
        """The best of the legal answers to one question; the default loses and keeps Units well enough."""
        wanted = self.strategies(view) if ask.kind == "strategy" else self.plays(view, ask.kind)
        return next((answer for answer in wanted if answer in ask.legal), ask.default)

    def hand(self, view: View, sort: str) -> list[Kind]:
        """Cards of a type in one's hand that one may use."""
        found = (kind_of(card) for card in view["hands"][self.side])
        return [kind for kind in found if kind.type == sort and kind.usable(self.side)]

    def helpful(self, view: View, sort: str) -> list[Kind]:
        """Events or Victory cards that help; a battle is avoided only if it is lost."""
        found = self.hand(view, sort)
        return [kind for kind in found if kind.op != "truce" or self.lead(view) < 0]

    def plays(self, view: View, sort: str) -> Iterator[str]:
        """These cards on the enemy's Units, the best first."""
        for kind in self.helpful(view, sort):
            if not kind.hits:
                yield f"{sort} {kind.id}"
            owner = "" if kind.op == "steal" else f"{self.enemy} "
            targets = [unit for unit in BEST if KINDS[unit].type in kind.hits]
            yield from (f"{sort} {kind.id} on {owner}{unit}" for unit in targets)

    def lead(self, view: View) -> int:
        """By how much one would win the season by Units and one's own Strategy cards."""
        mine, theirs = (
            [kind_of(card).type for card in view["play"][side]] for side in (self.side, self.enemy)
        )
        points = sum(
            (mine.count(sort) > theirs.count(sort)) - (mine.count(sort) < theirs.count(sort))
            for sort in UNITS
        )
        return points + len(self.hand(view, "strategy")) - (self.side != NUMBERS.ties)

    def strategies(self, view: View) -> Iterator[str]:
        """A Strategy card if one is behind and can still get ahead."""
        force, cards = view["force"], self.hand(view, "strategy")
        behind = force[self.enemy] - force[self.side] + (self.side != NUMBERS.ties)
        if 0 < behind <= len(cards):
            yield f"strategy {cards[0].id}"
