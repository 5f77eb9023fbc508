"""What the writer of lines is told of them, whole: every mark, what may follow, and what of them counts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pbem.orders.faults import Fault
from pbem.rules.base import Game, View
from pbem.titles import load
from tests.hammer.order_table import situation
from tests.kept import as_kept
from tests.orders.test_check import ENGLISH, SCOTS, cards_to_play
from tests.orders.test_first_war import game_at
from tests.orders.test_lords import start

GOLDEN = Path(__file__).parent / "golden"
BUILDS: dict[str, Any] = {"scotland": {"Fife": "Wallace 2"}, "england": {"Mar": "York Knights 1, Mar 1"}}
PINNED: dict[str, Any] = {
    "scotland": {"Fife": "Wallace, Douglas, Barclay"},
    "england": {"Fife": "York Infantry, Mentieth"},
    "first": "england",
    "cards": {"scotland": "2", "england": "3"},
    "hands": {"scotland": ["1"], "england": ["1"]},
    "attacks": {"Fife": {"attacker": "england", "origin": "Mentieth", "border": "Mentieth-Fife"}},
}
"""4.6: known to the second player when he writes."""
LOST: dict[str, Any] = {
    "scotland": {"Fife": "Douglas, Moray", "Mar": "Keith"},
    "england": {"Mentieth": "York Infantry, Ross"},
    "scotland_out": {"off map": "Wallace, Norse, King, French Knights, Mar", "pool": "Grant"},
    "england_out": {"off map": "Edward, Hobelars"},
    "hands": {"scotland": ["1", "2"], "england": ["1", "2"]},
}
"""5.8: some are dead; the King and the French are only so if they came before."""
GAMES: dict[str, dict[str, Game]] = {
    "hammer": {
        "cards": cards_to_play(),
        "late cards": cards_to_play(scots={"Lanark": "Steward", "Lennox": "Lennox", "Mar": "Mar"}),
        "losses": situation("cards", **LOST),
        "late losses": situation("cards", **LOST, year=1301, crowned="Bruce", french=True),
        "1301": situation("cards", year=1301, **LOST),
        "second move": situation("second move", **PINNED),
        "scottish builds": situation("scottish builds", turn=6, **BUILDS),
        "english builds": situation("english builds", turn=6, **BUILDS),
        "english nobles": situation("english nobles", turn=6, scotland=SCOTS, england=ENGLISH),
    },
    "lords": {"round 2": start()},
    "first-war": {
        "recruit": game_at(
            "recruit", hands={"scots": ["kill_traitor-1", "betrayal-1", "occupation-1", "carnage-1"]}
        )
    },
}
"""Where lines are written; the first lines of test_check.py say who stands where in `cards`."""


def told(fault: Fault) -> str:
    """A fault in one line, with the columns of its mark."""
    legal = f" possible: {', '.join(fault.legal)}" if fault.legal else ""
    pause = " (the game may stop)" if fault.pause else ""
    return f"{str(fault).splitlines()[0]}{pause} [{fault.column}-{fault.end}]{legal}"


def answered(game: str, side: str, text: str, view: View) -> Iterator[str]:
    """What is said of some lines: nothing of what is right; below faults what is left of the lines."""
    language = load(game).language
    parsed = language.parse(text, side)
    yield from map(told, (*parsed.faults, *language.check(parsed.orders, view)))
    if parsed.faults and parsed.orders:
        yield f"= {' | '.join(language.write(parsed.orders).splitlines())}"


@pytest.mark.parametrize("game", GAMES)
def test_what_is_told_of_lines_is_as_it_was(game: str) -> None:
    """The kept file has the lines too, after `| `, where `== SIDE WHERE` says; what is told follows them."""
    path, found, where, side = GOLDEN / f"{game}.marked.txt", list[str](), "", ""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("== "):
            _, side, where = line.split(" ", 2)
            found.append(line)
        elif line.startswith("| "):
            text = line[2:].replace(" | ", "\n")
            found += (line, *answered(game, side, text, GAMES[game][where].view(side)))
    as_kept(path, "\n".join(found) + "\n")
