"""Battles as a view shows them: what counts of a position for their odds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pbem.rules.base import Event, View
from pbem.rules.hammer.facts import (
    AREAS,
    BLOCKS,
    ENGLAND,
    ENGLAND_AREA,
    SCOTLAND,
    SIDES,
    enemy_of,
    read_options,
)
from pbem.titles.hammer.odds.fighters import Fighter, fighter, land_ways_out
from pbem.titles.hammer.odds.states import Field

KING_FALLS = "the game ends with a king's death"

MAX_BLOCKS = 16
"""Maximum number of blocks in a battle, of both sides together, for which a game's file has odds."""


def ways_out(area: str, side: str, view: View) -> dict[str, int]:
    """5.5: return the areas where a side may retreat to from a battle, with each border's limit."""
    by_turn = read_options(view["options"]).border_control == "turn"
    found = {}
    for to, limit in land_ways_out(area, side).items():
        border = AREAS[area].neighbours[to]
        users = [
            user for name, into, user in view["entered"] if name == border.name and (by_turn or into == area)
        ]
        if not view["areas"][to][enemy_of(side)] and (not users or users[-1] == side):
            found[to] = limit
    return found


def field_of(
    area: str, attacker: str, fighters: tuple[Fighter, ...], view: View, *, of_round: int = 0
) -> Field:
    """Return a battle of these blocks, with what the position says of retreats and of the king."""
    return Field(
        area=area,
        attacker=attacker,
        fighters=fighters,
        options=read_options(view["options"]),
        ways_out={side: ways_out(area, side, view) for side in SIDES},
        havens=tuple(
            name
            for name, counts in view["areas"].items()
            if AREAS[name].coastal
            and name not in (ENGLAND_AREA, area)
            and counts[SCOTLAND]
            and not counts[ENGLAND]
        ),
        second_edward=view["edward"] == "II",
        round=of_round,
    )


def field_before(view: View) -> Field | None:
    """Return the battle of a view in which its first blocks have just been turned up, before the first die.

    Return None where blocks in reserve are hidden from the viewer, or where more than `MAX_BLOCKS` fight.
    """
    fight = view["battle"]
    if fight is None or not fight["fighting"]:
        return None
    area = fight["area"]
    here = [(name, row) for name, row in view["blocks"].items() if row["area"] == area]
    fighters = tuple(
        fighter(name, row["side"], row["strength"], area, reserve=name not in fight["fighting"])
        for name, row in sorted(here, key=lambda found: BLOCKS[found[0]].order)
    )
    reserves = sum(one.reserve for one in fighters)
    if reserves != sum(fight["reserves"].values()) or len(fighters) > MAX_BLOCKS:
        return None
    return field_of(area, fight["attacker"], fighters, view)


def outcome_rows(told: Sequence[Event]) -> Iterator[str]:
    """Yield sentences on how a battle ended, from its events, worded as in the list of the battle's odds."""
    captured = [event["noble"] for event in told if event["event"] == "captured"]
    yield from (changes_sides(name) for name in captured if captured.count(name) % 2)
    dead = {event["block"] for event in told if event["event"] == "hit" and not event["strength"]}
    dead |= {name for event in told for name in event.get("who_lost", ())}
    yield from map(is_lost, sorted(dead - set(captured)))
    second_edward = any(event["event"] == "edward ii" for event in told)
    if "King" in dead or ("Edward" in dead and not second_edward):
        yield KING_FALLS
    yield from (holds(event["holder"], event["area"]) for event in told if event["event"] == "battle over")


def holds(side: str | None, area: str) -> str:
    """Return who stands alone in an area at the end of a battle, in words."""
    return f"{side.capitalize()} holds {area}" if side else f"nobody is left in {area}"


def changes_sides(name: str) -> str:
    """5.7: return the sentence that a noble changes sides."""
    return f"{name} changes sides"


def is_lost(name: str) -> str:
    """5.8: return the sentence that a block is lost: it is dead, or in the pool."""
    return f"{name} is lost"
