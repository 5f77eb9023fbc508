"""Bots that play Lords of Scotland.

The bot "chief" wins the round with as few Followers as that takes, and gathers clans meanwhile. The random
player gives any answer that is asked for, or lines for a turn in any order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations

from pbem.bots import Bot, RandomAnswers
from pbem.rules.base import Ask, View
from pbem.rules.lords.facts import CARDS, NUMBERS, by_strength, strength

UNKNOWN = 6.5
"""The average strength of a card that the player has not seen."""
NEXT_TURN = 4.0
"""The strength that an opponent is expected to add with each turn that is left."""
MARGIN = 3.0
"""The margin by which the chief wants to win."""
MAX_CARDS = 4
"""Maximum number of cards that the chief considers at once."""


class Chief:
    """A player who knows only its own view, and remembers nothing between calls."""

    def __init__(self, side: str) -> None:
        self.side = side

    def write(self, view: View, asks: Sequence[Ask] = ()) -> str:
        """Return answers to what is asked now.

        If nothing is asked, return for a whole turn what the chief would do best, second best, and so on.
        """
        asked = [self.choose(view, ask) for ask in asks if ask.side == self.side]
        lines = asked or [*self.turns(view), *self.targets(view), *self.claims(view)]
        return "".join(f"{line}\n" for line in dict.fromkeys(lines))

    def choose(self, view: View, ask: Ask) -> str:
        """Return the best of the legal answers to one question."""
        wanted = {"turn": self.turns, "claim": self.claims, "muster": self.musters}.get(
            ask.kind, self.targets
        )
        return next((answer for answer in wanted(view) if answer in ask.legal), ask.default)

    def turns(self, view: View) -> Iterator[str]:
        """Yield answers for a turn: recruit while the turns left are enough for the plan, else muster."""
        left = NUMBERS.turns + 1 - view["turn"]
        musters, recruits = list(self.musters(view)), list(self.recruits(view))
        waits = len(self.plan(view)) < left and len(view["hands"][self.side]) < NUMBERS.full_hand
        yield from [*recruits, *musters] if waits else [*musters, *recruits]

    def plan(self, view: View) -> tuple[str, ...]:
        """Return the fewest cards with which the army exceeds all others.

        If none do, return those that make it strongest.
        """
        own, hand = [row["card"] for row in view["armies"][self.side]], view["hands"][self.side]
        best: tuple[int, tuple[str, ...]] = total(own), ()
        for number in range(min(NUMBERS.turns + 1 - view["turn"], len(hand), MAX_CARDS) + 1):
            if own and best[0] > self.needed(view):
                break
            found = [(total([*own, *cards]), cards) for cards in combinations(hand, number)]
            best = max([best, *found], key=lambda plan: (plan[0], -len(plan[1])))
        return best[1]

    def needed(self, view: View) -> float:
        """Return the strength to aim for: more than the strongest opponent's army is likely to reach."""
        more: float = (NUMBERS.turns - view["turn"] + 0.5) * NEXT_TURN + MARGIN
        return more + max(self.worth(view, side) for side in view["armies"] if side != self.side)

    @staticmethod
    def worth(view: View, side: str) -> float:
        """Return the worth of an army as it stands, with face-down cards at their average."""
        army = view["armies"][side]
        seen = [row["card"] for row in army if row["card"] in CARDS]
        return total(seen) + UNKNOWN * (len(army) - len(seen))

    def recruits(self, view: View) -> Iterator[str]:
        """Yield answers that recruit, first the Recruit that helps most beside the best card of its clan."""
        mine = [*view["hands"][self.side], *(row["card"] for row in view["armies"][self.side])]

        def help_of(name: str) -> float:
            if name not in CARDS:
                return UNKNOWN
            partners = [strength(other) for other in mine if CARDS[other].clan == CARDS[name].clan]
            return strength(name) + (0.6 * (strength(name) + max(partners)) if partners else 0)

        slots = [(help_of(name), slot) for slot, name in enumerate(view["recruits"], 1) if name]
        yield from (f"recruit {slot}" for _, slot in sorted(slots, reverse=True))

    def musters(self, view: View) -> Iterator[str]:
        """Yield answers that muster the plan's cards, the weakest first.

        A card is mustered face-up if its power is of use at the end, else face-down.
        """
        for name in sorted(self.plan(view) or view["hands"][self.side], key=by_strength):
            facing = "up" if CARDS[name].clan in ("bruce", "cochrane", "macdonnell", "forsyth") else "down"
            yield f"muster {name} {facing}"

    def targets(self, view: View) -> Iterator[str]:
        """Yield answers that use a power, first on the strongest Follower of somebody else."""
        yield "use"
        rows = [
            (
                strength(row["card"]) if row["up"] else UNKNOWN,
                f"{side}/{row['card'] if row['up'] else f'#{place}'}",
            )
            for side, army in view["armies"].items()
            for place, row in enumerate(army, 1)
            if side != self.side
        ]
        yield from (f"use {target}" for _, target in sorted(rows, reverse=True))

    def claims(self, view: View) -> Iterator[str]:
        """Yield answers that claim a Supporter, the strongest first."""
        yield from (f"claim {name}" for name in sorted(view["supporters"], key=by_strength, reverse=True))


def total(names: Sequence[str]) -> int:
    """Return the total of an army of these cards, in which no power counts."""
    one_clan = len(names) >= NUMBERS.double_from and len({CARDS[name].clan for name in names}) == 1
    return sum(map(strength, names)) * (NUMBERS.double if one_clan else 1)


class RandomPlayer(RandomAnswers):
    """A player that chooses by chance; the same view, questions and seed give the same orders."""

    def write(self, view: View, asks: Sequence[Ask] = ()) -> str:
        """Return answers to what is asked, or for a whole turn all that could be done, in any order."""
        if asks:
            return super().write(view, asks)
        lines = [f"recruit {slot}" for slot in range(1, NUMBERS.recruits + 1)]
        lines += [f"muster {name} {facing}" for name in view["hands"][self.side] for facing in ("up", "down")]
        for side, army in view["armies"].items():
            lines += [f"use {side}/{row['card'] if row['up'] else f'#{n}'}" for n, row in enumerate(army, 1)]
        lines += ["use", *(f"use {name}" for name in view["supporters"])]
        lines += [f"claim {name}" for name in view["supporters"]]
        self.dice(view).shuffle(lines)
        return "".join(f"{line}\n" for line in lines)


BOTS: Mapping[str, Callable[[str], Bot]] = {"chief": Chief, "random": RandomPlayer}
