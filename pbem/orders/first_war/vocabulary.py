"""The nouns of First War's order language: cards by kind, in words, and groups for all of a type."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Any

from pbem.orders.kit.parsed_orders import Order
from pbem.orders.kit.vocabulary import Noun
from pbem.orders.names import Names
from pbem.rules.first_war.facts import KINDS, SEASONS, UNITS, Kind, enemy_of

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
    """Return a noun for cards, with what to say of a card that it does not include.

    With `no`, a card that only the enemy may play is one of those.
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
