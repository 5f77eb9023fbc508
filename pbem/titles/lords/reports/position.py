"""The tables of a position, read off a reader's view: one row for each side, army, and row of cards."""

from __future__ import annotations

from typing import Any

from pbem.reports.base import HARD, fill
from pbem.reports.words import count
from pbem.rules.base import View
from pbem.rules.cards import size
from pbem.rules.lords.facts import CARDS, NUMBERS
from pbem.rules.lords.game import Follower
from pbem.rules.lords.round_end import total
from pbem.titles.lords.reports.sentences import NAME, SIDE

Cells = tuple[str, ...]


def ranking(view: View) -> list[tuple[str, int]]:
    """Return the sides with their points, the most first."""
    return sorted(view["scores"].items(), key=lambda one: -one[1])


def rows(view: View) -> list[Cells]:
    """Return a row for each side: its points, the total of its army as far as it is seen, and its cards."""
    found: list[Cells] = [("Side", "Points", "Army", "Followers", "Hand", "Supporters won")]
    for side, army in view["armies"].items():
        hand = view["hands"][side]
        hidden = sum(row["card"] == "?" for row in army)
        holder = " *" if side == view["holder"] else ""
        found.append(
            (
                f"{SIDE[side]}{holder}",
                str(view["scores"][side]),
                f"{total(seen(army))}{' +' + str(hidden) + ' hidden' if hidden else ''}" if army else "-",
                str(len(army)),
                str(size(hand)),
                listing(view["victory"][side]),
            )
        )
    return found


def glance(view: View) -> list[str]:
    """Return the rows for the sides in lines of a report; cards that do not fit go on below."""
    found = []
    for side, points, army, followers, hand, won in rows(view):
        head = f"{side:<8} {points:>6}  {army:<14} {followers:>9}  {hand:>4}  "
        found += fill(won, head, " " * len(head))
    return found


def seen(army: list[dict[str, Any]]) -> list[Follower]:
    """Return the Followers of an army that the reader knows."""
    return [
        Follower(
            row["card"], row["up"], (row["copied"] or CARDS[row["card"]].clan) if row["active"] else None
        )
        for row in army
        if row["card"] != "?"
    ]


def armies(view: View) -> list[tuple[str, str]]:
    """Return each army's Followers by their places."""
    return [
        (
            SIDE[side],
            ", ".join(f"#{place}{HARD}{shown(row)}" for place, row in enumerate(army, 1)) or "nobody yet",
        )
        for side, army in view["armies"].items()
    ]


def shown(row: dict[str, Any]) -> str:
    """Return one Follower: its card if the reader knows it, how it lies, and its token."""
    marks = []
    if not row["up"]:
        marks.append("face-down")
    if row["active"]:
        marks.append(f"power of {NAME[row['copied']]} copied" if row["copied"] else "power active")
    if row["kept"]:
        marks.append("kept")
    name = "a card" if row["card"] == "?" else row["card"]
    return f"{name} ({', '.join(marks)})" if marks else name


def hands(view: View) -> list[tuple[str, str]]:
    """Return the hands that the reader sees."""
    return [
        (f"Hand of {SIDE[side]}", listing(hand))
        for side, hand in view["hands"].items()
        if not isinstance(hand, int)
    ]


def others(view: View) -> list[tuple[str, str]]:
    """Return the rows of the Supporters, the Recruits by slot, and the piles."""
    said = {"": "empty", "?": "face-down"}
    recruits = [f"{slot}{HARD}{said.get(name, name)}" for slot, name in enumerate(view["recruits"], 1)]
    draw, discard = view["draw_pile"], view["discard"]
    return [
        ("Supporters", listing(view["supporters"])),
        ("Recruits", ", ".join(recruits) or "none"),
        ("Draw pile", listing(draw) if isinstance(draw, list) else count(draw, "card")),
        ("Discard pile", count(discard, "card") if isinstance(discard, int) else listing(discard)),
        ("To win", f"the most points at the end of a round, once somebody has {NUMBERS.victory}"),
    ]


def lines(found: list[tuple[str, str]]) -> list[str]:
    """Return rows, each with its heading, in lines of a report."""
    return [line for head, said in found for line in fill(f"{head}: {said}", "", "  ")]


def listing(names: list[str]) -> str:
    """Return cards with commas between them."""
    return ", ".join(names) or "none"
