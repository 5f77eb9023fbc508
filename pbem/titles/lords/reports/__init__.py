"""The reports of Lords of Scotland: the tables of a position, one row for each side, army, and row of cards.

They are read off a reader's view; sentences.py tells what happened.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from pbem.characters import lower
from pbem.orders.faults import listed
from pbem.orders.lords import QUESTIONS
from pbem.reports.base import HARD, fill
from pbem.reports.words import Table, Words, count
from pbem.rules.base import Event, View
from pbem.rules.cards import size
from pbem.rules.lords.facts import CARDS, NUMBERS
from pbem.rules.lords.game import Follower, plays_before
from pbem.rules.lords.round_end import total
from pbem.titles.lords.reports.sentences import DRAWN, NAME, SECTIONS, SIDE, story, when

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


_TIME = re.compile(r"\b(round|turn) (\d+)\b", re.ASCII)


class LordsWords(Words):
    """The words of Lords' reports."""

    template = "lords.txt.j2"
    sides: Mapping[str, str] = SIDE
    questions: Mapping[str, str] = {kind: asked.about for kind, asked in QUESTIONS.items()}
    stops: Mapping[str, str] = {"turn": "what you recruit or muster in this turn"}
    example = "a round and turn (round 3 turn 2), or exchange 7, with a side, a card or what happened"

    def standing(self, view: View) -> str:
        """Return the scores."""
        return ", ".join(f"{SIDE[side]} {points}" for side, points in ranking(view))

    def assumed(self, view: View) -> str:
        """Return the sentence that a forecast leaves out whoever plays before the viewer.

        Return an empty text if nobody does.
        """
        before = [SIDE[side] for side in plays_before(view)]
        plays = "plays" if len(before) == 1 else "play"
        return f"{listed(before)} {plays} before you. This is the position now." if before else ""

    def chance(self, label: str) -> str:
        """Return in words what is drawn by the draw of a label."""
        _, event, *parts = label.split("/")
        return DRAWN[event].format(*(SIDE.get(part, part.replace("-", " ")) for part in parts))

    def story(self, before: View | None, told: Sequence[Event]) -> list[str]:
        """Return what happened, in lines."""
        return story(told)

    def search_words(self, told: Sequence[Event]) -> list[tuple[str, str]]:
        """Return for each event when and what it was, as people look for it."""
        return list(zip(when(told), (words for _, words in super().search_words(told)), strict=True))

    def time_of(self, paragraph: str) -> str:
        """Return the time that a paragraph of a report names: `round-3 turn-2`."""
        first = lower(paragraph.removeprefix("Now: "))
        return " ".join(f"{word}-{number}" for word, number in _TIME.findall(first))

    def sections(self, kind: str) -> tuple[str, ...]:
        """Return the headings of the rulebook by which events of a kind happen."""
        return SECTIONS.get(kind, ())

    def position(self, view: View) -> dict[str, Any]:
        """Return what the game's template shows of a view."""
        return {
            "table": glance(view),
            "armies": lines(armies(view)),
            "cards": lines([*hands(view), *others(view)]),
        }

    def tables(self, view: View) -> tuple[Table, ...]:
        """Return the tables of a position as a page shows them."""
        head, *body = rows(view)
        return (
            Table("THE TABLE", head, tuple(body), "* holds the token"),
            Table("ARMIES", ("Army", "Followers"), tuple(armies(view))),
            Table("CARDS", (), (*hands(view), *others(view))),
        )


WORDS = LordsWords()
