"""The nouns of First War's orders, and the view that a side's orders have, with a name for each thing.

Nouns are cards by kind, in words, and groups for all of a type.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Any

from pbem.orders.cursor import Names
from pbem.orders.kit.parsed_orders import Order
from pbem.orders.kit.vocabulary import Noun
from pbem.rules.base import View
from pbem.rules.cards import size
from pbem.rules.first_war.battle import tally
from pbem.rules.first_war.facts import KINDS, NUMBERS, SEASONS, UNITS, Kind, enemy_of, kind_of
from pbem.rules.first_war.game import Position

MY = "my "
PLURALS = {"strategy": "strategies", "victory": "victories"}
UNIT_GROUPS = {word: (kind,) for kind in UNITS for word in (kind, f"{kind}s")} | dict.fromkeys(
    ("unit", "units"), UNITS
)
GROUPS = {
    **UNIT_GROUPS,
    **{
        word: (kind,)
        for kind in ("event", "strategy", "victory")
        for word in (kind, PLURALS.get(kind, f"{kind}s"))
    },
}
THINGS = (
    *("leaders", "nobles", "lowland nobles", "highland nobles", "troops", "infantry", "cavalry", "archers"),
    *("units", "territories", "cards", "force"),
)


TYPES = {
    "unit": "a Unit",
    "event": "an Event",
    "strategy": "a Strategy card",
    "victory": "a Victory card",
}
"""The types of card that a side may play, each with its noun in words."""


def kind_in_words(kind: str) -> str:
    """Return a kind of card in words: `lowland noble`."""
    return kind.replace("_", " ")


def written(name: str) -> str:
    """Return the kind of card that these words mean, such as `lowland_noble`."""
    return name.replace(" ", "_")


def of_group(kind: str, group: str) -> bool:
    """Tell whether a kind of card is in a group such as `nobles`."""
    return KINDS[kind].type in GROUPS.get(group, ())


def kinds_of(thing: str) -> tuple[str, ...]:
    """Return the kinds of Unit that a word of a condition counts: `nobles`, `lowland nobles`, `cavalry`."""
    one = written(thing).removesuffix("s") if written(thing) not in KINDS else written(thing)
    return (one,) if one in KINDS else tuple(kind for kind in KINDS if of_group(kind, thing))


def _names(kinds: Iterable[Kind], leader: str, prefix: str = "", owners: Iterable[str] = ("",)) -> Names:
    """Return the names of kinds of cards, with plurals and perhaps an owner as spellings.

    `leader`: the side whose leader the word "leader" means.
    """
    found: dict[str, str] = {}
    for kind in kinds:
        name = kind_in_words(kind.id)
        words = [name, f"{name}s", name.replace("favorable", "favourable")]
        words += ["leader"] * ((kind.type, kind.user) == ("leader", leader))
        found |= {f"{owner}{word}": f"{prefix}{name}" for owner in owners for word in words}
    return Names(dict.fromkeys(found.values()), found)


def _usable(side: str, *types: str) -> list[Kind]:
    return [kind for kind in KINDS.values() if kind.type in types and kind.usable(side)]


@cache
def _units(side: str) -> Names:
    """Return the names of a side's own Units."""
    return _names(_usable(side, *UNITS), side, owners=("", MY, f"{side} "))


@cache
def _targets(side: str) -> Names:
    """Return the names of Units as targets: the enemy's by kind, the side's own with `my` before."""
    enemy = enemy_of(side)
    theirs = _names(_usable(enemy, *UNITS), enemy, owners=("", "enemy ", f"{enemy} "))
    mine = _names(_usable(side, *UNITS), side, MY, (MY, f"{side} "))
    groups = {
        f"{owner}{word}": f"{prefix}{word.removesuffix('s')}s"
        for word in UNIT_GROUPS
        for prefix, owners in (("", ("enemy ", f"{enemy} ")), (MY, (MY, f"{side} ")))
        for owner in owners
    }
    names = dict.fromkeys((*theirs.names, *mine.names, *groups.values()))
    return Names(names, {**groups, **theirs.spellings, **mine.spellings})


def _cards(*types: str) -> Callable[[str], Names]:
    return cache(lambda side: _names(_usable(side, *types), side))


@cache
def _any_card(side: str) -> Names:
    return _names(KINDS.values(), side)


def _cards_offered(clause: str, sight: Any) -> Iterator[str]:
    """Yield the cards in the side's hand by kind; after `on` the enemy's Units that are in play."""
    return iter(sight.seen(sight.enemy) if clause == "on" else sight.in_hand())


def _noun(
    name: str, what: str, names: Callable[[str], Names], rule: str, groups: Iterable[str] = (), no: str = ""
) -> Noun:
    """Return a noun that stands for cards of some types.

    With `no`, other cards are explained where they are written in its place: those of another type, and those
    that only the enemy may play.
    """
    others = {
        noun: f"'{{name}}' is {one}, not {TYPES.get(name, what)}"
        for noun, one in TYPES.items()
        if noun != name
    }

    def _offers(_: Order, clause: str, sight: Any) -> Iterator[str]:
        known = names(sight.side).names
        return (kind for kind in _cards_offered(clause, sight) if kind in known)

    mistaken = {**others, "card": "'{name}' is a card that only the enemy may play (F6)"} if no else {}
    return Noun(
        name=name, what=what, names=names, rule=rule, groups=tuple(groups), mistaken=mistaken, offers=_offers
    )


NOUNS = (
    _noun("unit", "a Unit of yours", _units, "Unit Cards", UNIT_GROUPS, "Unit"),
    _noun("event", "an Event of yours", _cards("event"), "Event Phase", no="Event"),
    _noun("strategy", "a Strategy card of yours", _cards("strategy"), "Battle Phase", no="Strategy card"),
    _noun("victory", "a Victory card", _cards("victory"), "Victory Phase", no="Victory card"),
    _noun("target", "a Unit", _targets, "F12", UNIT_GROUPS),
    _noun("card", "a card", _any_card, "", GROUPS),
    Noun(name="choice", what="'deploy' or 'keep'", names=Names(("deploy", "keep")), rule="Recruit Phase"),
    Noun(
        name="thing",
        what="a thing to count",
        names=Names(
            THINGS,
            {
                **{thing.removesuffix("s"): thing for thing in THINGS},
                **dict.fromkeys(("score", "points"), "territories"),
            },
        ),
    ),
    Noun(name="season", what="a season", names=Names(SEASONS, {"autumn": "fall"})),
)


class Sight:
    """The view of the game that one side has at one moment."""

    here = ""

    def __init__(self, view: View, side: str, _memory: None = None) -> None:
        self._view = view
        self.side = side
        self.enemy = enemy_of(side)
        self.year: int = view["year"]
        self.season: str = view["season"]

    @property
    def moment(self) -> tuple[int, str]:
        """The year and the season: a file is for its season alone, that of fall for the winter as well."""
        return self.year, self.season

    @property
    def pace(self) -> tuple[int, ...]:
        """The public progress of the season: an `ask` stops the judge once at each value of it."""
        seen = self._view
        return len(seen["discard"]), len(seen["out"]), len(seen["passed"]), *seen["force"].values()

    affair = moment

    def holds(self, kind: str) -> int:
        """Return how many cards of a kind are in the side's own hand."""
        return sum(kind_of(card).id == kind for card in self._view["hands"][self.side])

    def in_hand(self) -> tuple[str, ...]:
        """Return the kinds of card in the side's own hand, in words."""
        return tuple(
            dict.fromkeys(kind_in_words(kind_of(card).id) for card in self._view["hands"][self.side])
        )

    def seen(self, side: str) -> tuple[str, ...]:
        """Return the kinds of Unit that a side has in play, in words."""
        return tuple(dict.fromkeys(kind_in_words(kind_of(card).id) for card in self._view["play"][side]))

    def is_out(self, side: str) -> bool:
        """F11: tell whether this side has left the Event Phase."""
        return side in self._view["out"]

    def count(self, side: str, thing: str) -> int | None:
        """Return how many of a thing a side has, if both sides see that number.

        Force is seen only in the Battle Phase.
        """
        if thing == "territories":
            return int(self._view["territories"][side])
        if thing == "cards":
            return size(self._view["hands"][side])
        if thing == "force":
            force: int | None = self._view["force"].get(side)
            return force
        wanted = kinds_of(thing)
        return sum(kind_of(card).id in wanted for card in self._view["play"][side])

    # -- the battle

    @property
    def missing(self) -> int:
        """F21: the Force that the side lacks to win the season; the Scots win ties."""
        force = self._view["force"]
        if not force:
            return 0
        return max(0, int(force[self.enemy] - force[self.side]) + (self.side != NUMBERS.ties))

    @property
    def can_win(self) -> bool:
        """Whether the Strategy cards in the side's hand could make up for the Force that it lacks."""
        usable = sum(
            KINDS[kind].type == "strategy" and KINDS[kind].usable(self.side)
            for kind in (kind_of(card).id for card in self._view["hands"][self.side])
        )
        return self.missing <= usable * NUMBERS.strategy_force

    @property
    def strategies_played(self) -> int:
        """Number of Strategy cards that the side has played in this battle, computed from its Force."""
        if not self._view["force"]:
            return 0
        points = tally(Position(play=self._view["play"], territories=self._view["territories"]))
        base = sum(owner == self.side for owner in points.values())
        return int(self._view["force"][self.side] - base) // NUMBERS.strategy_force
