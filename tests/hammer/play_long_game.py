"""Plays one long game of Hammer by real commands, and keeps its bundle: what `measure_stories` measures.

python -m tests.hammer.play_long_game FOLDER

Both captains answer what they are asked and plan no battle before it begins, so that the judge waits often.
The dice are those of the keys, and fall otherwise each time: how many exchanges it took is printed.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from pbem.demo import Demo, seat
from pbem.rules.base import Ask, View
from pbem.titles import load
from pbem.titles.hammer.bots.captain import Captain

OPTIONS = {"scenario": "braveheart"}


class Hesitant(Captain):
    """A captain who waits to be asked, in battles too."""

    def __init__(self, side: str) -> None:
        super().__init__(side, ahead=False)

    def write(self, view: View, asks: Sequence[Ask] = ()) -> str:
        """Return the captain's orders; before a battle without the plan for it."""
        text = super().write(view, asks)
        if view["battle"] is None:
            before, heading, plan = text.partition("plan any:\n")
            text = before + plan.partition("end\n")[2] if heading else text
        return "".join(f"{line}\n" for line in text.splitlines() if not line.startswith("regroup"))


def main() -> None:
    """Play, and say how many exchanges there are."""
    folder = Path(sys.argv[1])
    title = load("hammer")
    actors = tuple(replace(one, bot=Hesitant(one.side)) for one in seat(title, folder, OPTIONS))
    demo = Demo(folder, actors, lambda _line: None, whole=True)
    demo.set_up(OPTIONS, title.name)
    demo.play(to_the_end=True)
    demo.finish()
    exchanges = len(list((folder / "orders" / actors[0].side).glob("*.txt")))
    sys.stdout.write(f"{exchanges} exchanges\n")


if __name__ == "__main__":
    main()
