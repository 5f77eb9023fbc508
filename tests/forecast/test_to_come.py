"""What a forecast reckons with: the field of a battle to come, and what the enemy may do from next door."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from pbem.rules.base import View
from pbem.rules.hammer.facts import SIDES
from pbem.titles.hammer.forecast import battle_in_progress, to_come
from pbem.titles.hammer.forecast.expectations import at_stake, attacked, likely_targets, origin_of
from pbem.titles.hammer.forecast.trial import Met
from pbem.titles.hammer.odds.states import field_of
from tests.hammer.report_scenes import coronation, turn
from tests.kept import Telling, as_kept

GOLDEN = Path(__file__).parent / "golden"
CROSSED = [["Mentieth-Fife", "Fife", "england"], ["Angus-Fife", "Angus", "scotland"]]
LATER = ("Douglas", "York Knights")
"""These wait in reserve where it says so."""


def views() -> Iterator[tuple[str, View]]:
    """Both sides' views along two scenes, with borders ruled by battle and by turn, under either Edward."""
    for name, at in (*turn(), *coronation()):
        for side in SIDES:
            view = at.game.view(side)
            yield f"{name}, {side}", view
            options = {**view["options"], "border_control": "battle"}
            changed = {**view, "options": options, "entered": [*view["entered"], *CROSSED], "edward": "II"}
            if fight := view["battle"]:
                first = [name for name in fight["fighting"] if name not in LATER]
                changed["battle"] = {**fight, "fighting": first, "reserves": {"england": 2, "scotland": 1}}
            yield f"{name}, {side}, by battle", changed


def imagined(view: View) -> Iterator[str]:
    """What each attack that may be imagined changes in a view, and what is at stake there."""
    for area in likely_targets(view):
        changed = attacked(view, area)
        moved = {name: row for name, row in changed["areas"].items() if row != view["areas"][name]}
        yield f"{area}, {at_stake(view, area)} points, from {origin_of(view, area)}: {moved}"
        yield f"{changed['attacks'][area]} {changed['entered'][-1]}"


def test_what_may_come_is_as_it_was() -> None:
    told = Telling()
    ours = (("Wallace", 4, False), ("Douglas", 2, True), ("Grant", 1, False))
    for name, view in views():
        for number, area in enumerate(("England", "Fife", "Selkirk", "Mentieth", "Moray", "Angus")):
            field = asdict(field_of(area, SIDES[number % 2], (), view, of_round=number))
            ways, havens = field.pop("ways_out"), field.pop("havens")
            own_first = sorted(ways.items(), key=lambda found: found[0] != view["viewer"])
            told.add(f"{name}, {area}", [*map(str, own_first), havens, field])
        met = Met("Fife", "england", ours, theirs=3, their_reserves=2, view=view)
        told.add("to come", [to_come(met, "scotland"), to_come(met, "scotland", "Angus")])
        told.add(f"{name}, imagined", imagined(view))
        told.add("going on", [battle_in_progress(view)])
    as_kept(GOLDEN / "to_come.txt", str(told))
