"""The facts on the desk's first page and on the page of a game, from what commands have printed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from pbem.desk.deeds import DEEDS, GROUPS, Deed, proposed_deeds
from pbem.rules import load, names
from pbem.rules.base import UnknownOption

if TYPE_CHECKING:
    from collections.abc import Iterable

OPEN, ON_HOLD, OVER = "open", "on hold", "over"
"""The states of a game; the second is the trouble that `pbem club status` names for a game on hold."""
DECIDED = "decided by its league"
"""The trouble that it names for a game that has a result in its league, which is as good as over."""
MOST_SIDES = 8
"""Maximum number of players that is tried to list the sides of a game."""


class Proposal(NamedTuple):
    """A button beside something that waits: the deed, and the fields that it fills in."""

    deed: Deed
    given: Mapping[str, str]


class Waiting(NamedTuple):
    """Something that waits for the director: its lines, and the buttons that stand below them."""

    lines: list[str]
    proposals: list[Proposal]


def facts_of(text: str) -> dict[str, Any] | None:
    """Return the data that a command prints with `--json`; None if it prints none."""
    at = text.find("{")
    try:
        found = json.loads(text[at:]) if at >= 0 else None
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def waiting_rows(lines: Iterable[str]) -> list[Waiting]:
    """Return what waits, with its buttons; all who wish to join one game stand together and have one."""
    found, wishes = list[Waiting](), dict[str, Waiting]()
    for line in lines:
        proposals = [Proposal(*one) for one in proposed_deeds(line)]
        row = Waiting([line], proposals)
        if [one.deed.name for one in proposals] == ["open-game"]:
            given = proposals[0].given
            first = wishes.setdefault(given["game"], row)
            if first is not row:
                (known,) = first.proposals
                players = dict.fromkeys([*known.given["players"].split(","), *given["players"].split(",")])
                first.lines.append(line)
                first.proposals[:] = [Proposal(known.deed, {**given, "players": ",".join(players)})]
                continue
        found.append(row)
    return found


def trouble_lines(facts: Mapping[str, Any]) -> list[str]:
    """Return lines about trouble with mail, games that cannot go on, and another copy of the folder.

    A game that the director holds is not wrong; it stands among the games.
    """
    lines = [f"{game}: {why}" for game, why in facts.get("held", {}).items() if why != ON_HOLD]
    lines += [str(one) for name in ("mail", "settings", "not mailed") for one in facts.get(name, ())]
    return [
        *lines,
        *(str(facts[name]) for name in ("not answered", "returned", "elsewhere") if facts.get(name)),
    ]


def state_of(game: str, facts: Mapping[str, Any]) -> str:
    """Return the state of a game, which says which deeds there are."""
    for one in facts.get("games", ()):
        if one["game"] == game:
            is_over = one["over"] or one["trouble"] == DECIDED
            return OVER if is_over else ON_HOLD if one["trouble"] == ON_HOLD else OPEN
    return OPEN


def grouped_deeds(about: str, state: str = "") -> list[tuple[str, Sequence[Deed]]]:
    """Return the deeds of a page by what a director does with them, those alone that its state allows."""
    found = [deed for deed in DEEDS.values() if deed.about == about and (not state or state in deed.states)]
    groups = [(group, [deed for deed in found if deed.group == group]) for group in GROUPS]
    return [(group, deeds) for group, deeds in groups if deeds]


def sides_by_rules() -> dict[str, tuple[str, tuple[str, ...]]]:
    """Return each installed game by name: its title, and its sides in the order in which players are named.

    Of a game for several numbers of players they are the sides of the largest number.
    """
    found = {}
    for name in names():
        rules = load(name)
        sides = rules.sides(rules.checked({}))
        for count in range(len(sides) + 1, MOST_SIDES + 1):
            with suppress(UnknownOption):
                sides = rules.sides(rules.checked({"players": count}))
        found[name] = (rules.title, sides)
    return found
