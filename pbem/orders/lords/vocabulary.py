"""The nouns of Lords' orders, and the view that a side's orders have, with a name for each thing.

Nouns are sides, turns, cards, and lists of cards by name, by clan or by rule.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any

from pbem.orders.cursor import Names
from pbem.orders.kit.parsed_orders import Order
from pbem.orders.kit.vocabulary import Noun
from pbem.rules.base import Ask, View
from pbem.rules.lords.facts import CARDS, CLANS, NUMBERS, SIDES, read_options
from pbem.rules.lords.game import Follower, Position, imagine, is_to_come, restore
from pbem.rules.lords.powers import blockers, uses
from pbem.rules.lords.rounds import placing, silent_turn, total


@dataclass(slots=True)
class Memory:
    """The view that a side had when its turn came; conditions are judged by it until the turn is over."""

    seen: View | None = None

    def copy(self) -> Memory:
        """Return a copy of the memory."""
        return replace(self)

    def look(self, sight: Sight, ask: Ask) -> None:
        """Remember the view of the moment at which a turn, or a claim, begins."""
        if ask.kind in ("turn", "claim"):
            self.seen = sight.view


class Sight:
    """The view that one side has: now, and for conditions when its turn came."""

    def __init__(self, view: View, side: str, memory: Memory | None = None) -> None:
        self.view = view
        self.side = side
        self._memory = memory

    @property
    def seen(self) -> View:
        """The view by which conditions are judged."""
        return (self._memory.seen if self._memory else None) or self.view

    # -- time

    @property
    def round(self) -> int:
        """The number of the round that is played."""
        found: int = self.view["round"]
        return found

    @property
    def moment(self) -> tuple[int, int]:
        """The round and turn of the side's next turn, or of the turn that it is in."""
        view = self.view
        if is_to_come(view, self.side):
            return view["round"], view["turn"]
        done = view["phase"] != "turns"
        turn = NUMBERS.turns if done else view["turn"]
        return (view["round"], turn + 1) if turn < NUMBERS.turns else (view["round"] + 1, 1)

    here = ""

    @property
    def pace(self) -> tuple[int, int]:
        """The round and the turn, in which an `ask` stops the judge once."""
        return self.moment

    affair = pace

    @property
    def turn_comes(self) -> bool:
        """Whether the side has still to play in this turn."""
        view = self.view
        return view["outcome"] is None and self.moment == (view["round"], view["turn"])

    # -- cards

    @property
    def hand(self) -> list[str]:
        """The cards in the side's hand."""
        found: list[str] = self.seen["hands"][self.side]
        return found

    @property
    def is_full(self) -> bool:
        """L10: whether the side may recruit no more, since its hand is full."""
        return len(self.hand) >= NUMBERS.full_hand

    @property
    def may_bring(self) -> bool:
        """Whether a power may let the side muster one more card."""
        return any(CARDS[name].clan in ("makgill", "scott") for name in self.hand)

    def recruits_up(self) -> list[str]:
        """Return the face-up Recruits."""
        rows = zip(self.seen["recruits"], self.seen["recruits_up"], strict=True)
        return [name for name, up in rows if up and name]

    def said_recruits(self) -> str:
        """Return the face-up Recruits with their slots, in words."""
        found = [
            f"{name} in {slot}" for slot, name in enumerate(self.seen["recruits"], 1) if name not in ("", "?")
        ]
        return ", ".join(found) or "none"

    def silence(self) -> str:
        """L33: return what the side does if it says nothing, as things are now."""
        return silent_turn(self._position, self.side)

    def latest(self) -> str:
        """Return the card that was mustered last, whose power is asked about."""
        army = self.view["armies"][self.side]
        return army[-1]["card"] if army else ""

    def card_of(self, target: str) -> str:
        """Return the card that a canonical target such as `blue/#2` or `scott-11` names.

        Return "?" if the side does not know the card.
        """
        owner, _, name = target.rpartition("/")
        if name.startswith("#"):
            army = self.view["armies"][owner]
            place = int(name[1:])
            return army[place - 1]["card"] if place <= len(army) else "?"
        return name

    def canonical(self, target: str) -> Iterator[str]:
        """Yield the rules' names for a target that a side wrote: with its army, if face-down by its place."""
        owner, _, name = target.rpartition("/")
        yield target
        for side, army in self.view["armies"].items():
            for place, row in enumerate(army, 1):
                number = f"#{place}"
                if (
                    owner in ("", side)
                    and row["card"] != "?"
                    and name in (row["card"], number if owner else "")
                ):
                    yield f"{side}/{row['card'] if row['up'] or side == self.side else number}"

    # -- what is judged

    @cached_property
    def _position(self) -> Position:
        return restore(read_options(self.seen["options"]), imagine(self.seen))

    def _visible(self, side: str) -> list[Follower]:
        """Return the Followers of an army that the side knows."""
        army = zip(self.seen["armies"][side], self._position.armies[side], strict=True)
        return [follower for row, follower in army if row["card"] != "?"]

    def army(self, side: str) -> int:
        """The End of the Round: return the total of an army, as far as the side sees it."""
        return total(self._visible(side))

    def leads(self, side: str) -> bool:
        """The End of the Round: tell whether an army would be placed first, as far as the side sees."""
        known = Position(
            self._position.sides, armies={one: self._visible(one) for one in self.seen["armies"]}
        )
        return placing(known)[:1] == (side,)

    def army_seen(self, side: str) -> list[str]:
        """Return the cards of an army that the side knows."""
        return [row["card"] for row in self.seen["armies"].get(side, ()) if row["card"] != "?"]

    def blocked_by(self, card: str) -> list[str]:
        """Clan Powers, L12, L14: return the face-up Followers that block a card's power."""
        test = read_options(self.view["options"]).test
        return [f"{side}/{one.name}" for side, one in blockers(self._position, Follower(card, up=True), test)]

    def works(self, card: str) -> bool:
        """L12, L16: tell whether the power of a card would work now, and has a use."""
        position, follower = self._position, Follower(card, up=True)
        own = position.hands[self.side]
        held = card in own
        if held:  # the card has left the hand when its power is asked about
            own.remove(card)
        found = not self.blocked_by(card) and bool(uses(position, self.side, follower, follower.card.clan))
        if held:
            own.append(card)
        return found

    def face_up(self) -> list[str]:
        """L12: return the face-up Followers of all armies."""
        return [row["card"] for army in self.seen["armies"].values() for row in army if row["up"]]


BEST, WEAKEST, HIDDEN, REST = "best", "weakest", "hidden", "rest"
BY_RULE = (BEST, WEAKEST, HIDDEN)
OTHER_WORDS = {"strongest": BEST, "highest": BEST, "lowest": WEAKEST, "worst": WEAKEST}
LAST = {"rest": REST, "any": REST, "anything": REST}
"""The words that mean whatever else is possible, the strongest first."""

PLACES = 30
"""Number of Followers of an army that can be named by their place; no army comes near."""

SPELLINGS = {
    f"{other}{card.name.removeprefix(clan.name)}": card.name
    for clan in CLANS.values()
    for other in clan.also
    for card in CARDS.values()
    if card.clan == clan.name
}
"""The card names with other spellings of their Clans, each with the usual name."""
CLAN_SPELLINGS = {other: clan.name for clan in CLANS.values() for other in clan.also}


def _names(*more: str) -> Names:
    """Return the names of cards and clans, the words for a rule, and more names."""
    return Names((*CARDS, *CLANS, *BY_RULE, *more), {**SPELLINGS, **CLAN_SPELLINGS, **OTHER_WORDS})


@cache
def _sides(side: str) -> Names:
    return Names(SIDES, {"me": side, "my": side, "mine": side})


@cache
def _targets(side: str) -> Names:
    """Return the names of targets.

    Supporters are named as they are, Followers with the side that leads them: `red/wemyss-5`, `blue/#2`.
    """
    places = [*CARDS, *CLANS, *(f"#{number}" for number in range(1, PLACES + 1))]
    followers = [f"{owner}/{place}" for owner in SIDES for place in places]
    return _names_with(followers, {f"me/{place}": f"{side}/{place}" for place in places})


def _names_with(more: Iterable[str], aliases: dict[str, str]) -> Names:
    return Names((*CARDS, *CLANS, *BY_RULE, *more), {**SPELLINGS, **OTHER_WORDS, **aliases})


def _offered_cards(order: Order, _: str, sight: Any) -> Iterator[str]:
    """Yield the cards in the side's hand; for a claim, the Supporters."""
    return iter(sight.seen["supporters"] if order.verb == "claim" else sight.hand)


def _offered_recruits(_: Order, __: str, sight: Any) -> Iterator[str]:
    """Yield the Recruits that lie face up, and the slots of all Recruits."""
    return iter((*dict.fromkeys(sight.recruits_up()), *_SLOTS))


def _offered_targets(_: Order, __: str, sight: Any) -> Iterator[str]:
    """Yield the Supporters, and the Followers that the side knows, each with its leader."""
    yield from sight.seen["supporters"]
    for side, army in sight.seen["armies"].items():
        yield from (f"{side}/{row['card']}" for row in army if row["card"] in CARDS)


_SLOTS = [str(slot) for slot in range(1, NUMBERS.recruits + 1)]

NOUNS = (
    Noun(name="side", what="a side", names=_sides, rule="L3", everybody={}),
    Noun(
        name="turn",
        what="a turn",
        names=Names(str(turn) for turn in range(1, NUMBERS.turns + 1)),
        rule="How to Play",
        everybody={},
    ),
    Noun(name="card", what="a card", names=Names(CARDS, SPELLINGS), rule="Reading the Cards", everybody={}),
    Noun(
        name="card or clan",
        what="a card or a Clan",
        names=Names((*CARDS, *CLANS), SPELLINGS | CLAN_SPELLINGS),
        rule="Reading the Cards",
        everybody={},
    ),
    Noun(
        name="recruit",
        what="a Recruit",
        names=_names(*_SLOTS),
        rule="On Your Turn",
        everybody=LAST,
        offers=_offered_recruits,
        mistaken={"number": f"Recruits lie in slots 1 to {NUMBERS.recruits}"},
    ),
    Noun(
        name="number",
        what="a number",
        names=Names(str(number) for number in range(100)),
        rule="On Your Turn",
        everybody={},
    ),
    Noun(
        name="cards",
        what="a card",
        names=_names(),
        rule="Reading the Cards",
        everybody=LAST,
        offers=_offered_cards,
    ),
    Noun(
        name="target",
        what="a target",
        names=_targets,
        rule="Clan Powers",
        everybody=LAST,
        offers=_offered_targets,
        mistaken={"side": "which card of {name}? write, for example, '{name}/scott-5' or '{name}/#1'"},
    ),
)
