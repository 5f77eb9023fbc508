"""The names that orders may write: cards by kind, in words; groups for all of a type."""

from __future__ import annotations

from collections.abc import Iterable

from pbem.orders.kit.rows import Noun
from pbem.orders.names import Names
from pbem.rules.first_war.facts import KINDS, SEASONS, SIDES, UNITS, Kind, enemy_of

MY = "my "
UNIT_GROUPS = {word: (kind,) for kind in UNITS for word in (kind, f"{kind}s")} | dict.fromkeys(
    ("unit", "units"), UNITS
)
GROUPS = {
    **UNIT_GROUPS,
    **{word: (kind,) for kind in ("event", "strategy", "victory") for word in (kind, f"{kind}s")},
}
THINGS = (
    *("leaders", "nobles", "lowland nobles", "highland nobles", "troops", "infantry", "cavalry", "archers"),
    *("units", "territories", "cards", "force"),
)


def said(kind: str) -> str:
    """A kind of card in words: `lowland noble`."""
    return kind.replace("_", " ")


def written(name: str) -> str:
    """The kind that these words mean: `lowland_noble`."""
    return name.replace(" ", "_")


def of_group(kind: str, group: str) -> bool:
    """Is a kind of card one of a group such as `nobles`?"""
    return KINDS[kind].type in GROUPS.get(group, ())


def kinds_of(thing: str) -> tuple[str, ...]:
    """The kinds of Unit that a word of a condition counts: `nobles`, `lowland nobles`, `cavalry`."""
    one = written(thing).removesuffix("s") if written(thing) not in KINDS else written(thing)
    return (one,) if one in KINDS else tuple(kind for kind in KINDS if of_group(kind, thing))


def names(kinds: Iterable[Kind], leader: str = "", prefix: str = "") -> Names:
    """Kinds of cards as people write them; `leader`: whose is meant by the word alone."""
    found = [said(kind.id) for kind in kinds]
    aliases = {f"{prefix}{name}s": f"{prefix}{name}" for name in found}
    aliases[f"{prefix}leader"] = f"{prefix}{leader} leader"
    return Names([f"{prefix}{name}" for name in found], aliases)


def _targets(side: str) -> Names:
    """The enemy's Units by their kinds, one's own with `my` before."""
    enemy = enemy_of(side)
    theirs, mine = (
        [kind for kind in KINDS.values() if kind.unit and kind.usable(who)] for who in (enemy, side)
    )
    found = [said(kind.id) for kind in theirs] + [MY + said(kind.id) for kind in mine]
    plural = {f"{name}s": name for name in found}
    leaders = {"leader": said(f"{_adjective(enemy)} leader"), "my leader": f"my {_adjective(side)} leader"}
    return Names(found, {**plural, **leaders, **{f"enemy {name}": name for name in found}})


def _adjective(side: str) -> str:
    return next(kind.id for kind in KINDS.values() if kind.type == "leader" and kind.user == side).split("_")[
        0
    ]


def _usable(*types: str) -> dict[str, Names]:
    return {
        side: names((k for k in KINDS.values() if k.type in types and k.usable(side)), _adjective(side))
        for side in SIDES
    }


OF_UNITS, OF_EVENTS = _usable(*UNITS), _usable("event")
OF_STRATEGY, OF_VICTORY = _usable("strategy"), _usable("victory")
OF_TARGETS = {side: _targets(side) for side in SIDES}
OF_CARDS = {side: names(KINDS.values(), _adjective(side)) for side in SIDES}


def _mistaken(what: str) -> dict[str, str]:
    return {"card": f"'{{name}}' is no {what} that you may play"}


NOUNS = (
    Noun(
        name="unit",
        what="a Unit of yours",
        names=OF_UNITS.__getitem__,
        rule="Unit Cards",
        groups=tuple(UNIT_GROUPS),
        mistaken=_mistaken("Unit"),
    ),
    Noun(
        name="event",
        what="an Event of yours",
        names=OF_EVENTS.__getitem__,
        rule="Event Phase",
        mistaken=_mistaken("Event"),
    ),
    Noun(
        name="strategy",
        what="a Strategy card of yours",
        names=OF_STRATEGY.__getitem__,
        rule="Battle Phase",
        mistaken=_mistaken("Strategy card"),
    ),
    Noun(
        name="victory",
        what="a Victory card",
        names=OF_VICTORY.__getitem__,
        rule="Victory Phase",
        mistaken=_mistaken("Victory card"),
    ),
    Noun(
        name="target",
        what="a Unit",
        names=OF_TARGETS.__getitem__,
        rule="F12",
        groups=tuple(UNIT_GROUPS),
    ),
    Noun(name="card", what="a card", names=OF_CARDS.__getitem__, groups=tuple(GROUPS)),
    Noun(name="choice", what="'deploy' or 'keep'", names=Names(("deploy", "keep")), rule="Recruit Phase"),
    Noun(
        name="thing",
        what="something to count",
        names=Names(THINGS, {thing.removesuffix("s"): thing for thing in THINGS}),
    ),
    Noun(name="season", what="a season", names=Names(SEASONS, {"autumn": "fall"})),
)
