"""The recruit: attacks next door wherever he has more blocks, and leaves the rest to his doctrine."""

from __future__ import annotations

from collections.abc import Iterator

from pbem.rules.base import View
from pbem.rules.hammer.facts import AREAS, BLOCKS, ENGLAND_AREA, enemy_of

DOCTRINE = """\
doctrine:
plan any:
fire all
hits rest
forced retreat all
regroup none
end
end
"""


class Recruit:
    """A simple player for demonstrations."""

    def __init__(self, side: str) -> None:
        self.side = side

    def write(self, view: View) -> str:
        """A card, or moves, and a doctrine that fights every battle to its end."""
        if view["phase"] == "cards" and view["hand"]:
            return f"card {self._card(view)}\n{DOCTRINE}"
        mover = {"first move": view["first"], "second move": enemy_of(view["first"] or self.side)}
        card = view["cards"][self.side]
        if mover.get(view["phase"]) != self.side or card is None or not card.isdigit():
            return DOCTRINE
        moves = [*self._moves(view, int(card))]
        return "\n".join([*(moves or ["move none"]), DOCTRINE])

    def _card(self, view: View) -> str:
        """The highest card in odd turns, the lowest in even ones."""
        hand = sorted(view["hand"])
        moves = [card for card in hand if card.isdigit()] or hand
        return str(moves[-1] if view["turn"] % 2 else moves[0])

    def _moves(self, view: View, groups: int) -> Iterator[str]:
        """The best attacks, one group each."""
        used: set[str] = set()
        for _, start, to, names in sorted(self._attacks(view)):
            if groups == 0 or used & {start, to}:
                continue
            groups -= 1
            used |= {start, to}
            yield f"move {', '.join(names)} from {start} to {to}"

    def _attacks(self, view: View) -> Iterator[tuple[int, str, str, list[str]]]:
        """Every attack on a neighbour in greater numbers: worth (least is best), start, target, blocks."""
        enemy = enemy_of(self.side)
        for start, area in AREAS.items():
            mine = [
                name
                for name, block in view["blocks"].items()
                if block["side"] == self.side and block["area"] == start and BLOCKS[name].move
            ]
            for to, border in area.neighbours.items():
                foes = view["areas"][to][enemy]
                most = 1 if ENGLAND_AREA in (start, to) else border.limit
                names = sorted(mine, key=lambda name: -view["blocks"][name]["strength"])[:most]
                if len(names) > foes or (border.anglo_scottish and start == ENGLAND_AREA and names):
                    yield -10 * foes - len(names), start, to, names
