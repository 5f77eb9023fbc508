"""The reports of First War: names, the table of a position, and the story of a season (story.py)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from pbem.characters import BLANKS, capitalize, is_decimal, lower, split_words
from pbem.orders.faults import listed
from pbem.orders.first_war import QUESTIONS
from pbem.reports.base import fill, hanging_indent
from pbem.reports.words import Table, Words, values
from pbem.rules.base import Event, View, read_head
from pbem.rules.cards import size
from pbem.rules.first_war.battle import tally
from pbem.rules.first_war.facts import KINDS, LIST_ORDER, SIDES, SWITCHES, kind_of
from pbem.rules.first_war.game import Position
from pbem.titles.first_war.reports.story import (
    OF,
    SECTIONS,
    SIDE,
    THE,
    capital,
    cards_in_words,
    numbers,
    reason,
    sentences,
)

NAME, NUMBER, HEAD = 18, 10, 18
"""The widths of the table's columns, and the column of the text beside "Your hand" and its like."""


class FirstWarWords(Words):
    """The words of First War's reports."""

    template = "position.txt.j2"
    sides = SIDE
    questions: Mapping[str, str] = {kind: asked.about for kind, asked in QUESTIONS.items()}
    stops = {"season": "your sheet for the season"}  # noqa: RUF012 - a constant
    example = "a season (fall 1297), exchange 7, or a card and what happened to it"

    def moment(self, view: View) -> str:
        """Return where the game stands in time: `1297, spring, Recruit Phase`."""
        if view["outcome"]:
            return f"{view['year']}, {view['season']}, the game is over"
        return f"{view['year']}, {view['season']}, {capitalize(view['phase'])} Phase"

    def standing(self, view: View) -> str:
        """Return the score: each side's territories."""
        return f"territories {numbers(view['territories'])}"

    def outcome(self, view: View) -> str:
        """Return how the game ended."""
        if (end := read_head(view).outcome) is None:
            return ""
        who = f"{capital(THE[end.winner])} win" if end.winner else "A draw"
        return f"{who}: {end.reason}. Territories: {numbers(view['territories'])}."

    def chance(self, label: str) -> str:
        """Return in words what the draw of a label is for, and who draws."""
        _, why, *side, _ = label.split("/")
        who = f"{THE[side[0]]} draw for" if side else "cards are lost to"
        return f"{who} {reason(why)}"

    def story(self, before: View | None, told: Sequence[Event]) -> list[str]:
        """Return what happened, in lines."""
        return sentences(told)

    def search_words(self, told: Sequence[Event]) -> list[tuple[str, str]]:
        """Return for each event its season, `1297 fall`, and its words."""
        found, when = [], "setup"
        for event in told:
            if event["event"] == "season":
                when = f"{event['year']} {event['season']}"
            said = " ".join(sentences([event])) if event["event"] != "season" else ""
            found.append((when, lower(" ".join((event["event"], *values(event), said)))))
        return found

    def time_of(self, paragraph: str) -> str:
        """Return the season that a paragraph begins with, or that `Now:` names."""
        words = split_words(lower(paragraph).replace(",", " ").replace(".", " "))
        words = words[1:] if words[:1] == ["now:"] else words
        if len(words) > 1 and is_decimal(words[0]) and len(words[0]) == 4:
            return f"{words[0]} {words[1]}"
        return ""

    def sections(self, kind: str) -> tuple[str, ...]:
        """Return the headings of the rules by which events of a kind happen."""
        return SECTIONS.get(kind, ())

    def position(self, view: View) -> dict[str, Any]:
        """Return what the game's template shows of a view."""
        head, *rows = ("", *SIDE.values()), *table_rows(view)
        lines = [
            f"{name:{NAME}}{scots:>{NUMBER}}{english:>{NUMBER}}".rstrip(BLANKS)
            for name, scots, english in (head, *rows)
        ]
        facts = [line for name, text in fact_rows(view) for line in hanging_indent(name, text, HEAD)]
        return {"table": [*lines, *fill(force_by_table(view))], "cards": facts}

    def tables(self, view: View) -> tuple[Table, ...]:
        """Return the table of a position as a page shows it."""
        return (
            Table("THE TABLE", ("", *SIDE.values()), (*table_rows(view), ("Force", *force_points(view)))),
            Table("CARDS", (), tuple(fact_rows(view))),
        )


def table_rows(view: View) -> Iterator[tuple[str, str, str]]:
    """Yield rows of territories, Units in play by kind and cards in hand: of the Scots, of the English."""

    def row(name: str, counts: Iterable[int]) -> tuple[str, str, str]:
        scots, english = (str(number or "-") for number in counts)
        return name, scots, english

    yield row("Territories", (view["territories"][side] for side in SIDES))
    play = {side: [kind_of(card) for card in view["play"][side]] for side in SIDES}
    yield row("Leader", (sum(kind.type == "leader" for kind in play[side]) for side in SIDES))
    for one in KINDS.values():
        if one.unit and one.type != "leader":
            yield row(one.name, (play[side].count(one) for side in SIDES))
    yield row("Cards in hand", (size(view["hands"][side]) for side in SIDES))


def force_points(view: View) -> tuple[str, ...]:
    """F18, F19: return what each side gets Force for by the Units that lie in play now."""
    points = tally(Position(play=view["play"], territories=view["territories"]))
    got = [[SORT[sort] for sort, owner in points.items() if owner == side] for side in SIDES]
    return tuple(f"{len(found)}: {', '.join(found)}" if found else "0" for found in got)


SORT = {"leader": "leader", "noble": "nobles", "troop": "troops", "highland": "Highland bonus"}


def force_by_table(view: View) -> str:
    """Return as a sentence what each side gets Force for."""
    scots, english = (said.replace(": ", " (") + (")" if ": " in said else "") for said in force_points(view))
    return f"Force of the Units in play: Scots {scots}, English {english}. The Scots win ties."


def fact_rows(view: View) -> Iterator[tuple[str, str]]:
    """Yield rows of facts: hands and piles as far as they are seen, the season's events, the rules."""
    for side in SIDES:
        if not isinstance(hand := view["hands"][side], int):
            owner = "Your" if side == view["viewer"] else OF[side]
            yield f"{owner} hand", cards_in_words(hand) or "no cards"
    deck = view["deck"]
    yield "Deck", f"{deck} cards" if isinstance(deck, int) else cards_in_words(deck) or "no cards"
    yield "Discard pile", cards_in_words(sorted(view["discard"], key=LIST_ORDER.__getitem__)) or "no cards"
    if view["out"]:
        yield "Event Phase", f"{listed([THE[side] for side in view['out']])} play no more Events"
    if view["truce"]:
        yield "Truce", "no battle in this season"
    if view["force"]:
        yield "Force", numbers(view["force"])
    house = [
        f"{name.replace('_', ' ')} {lower(str(value))}"
        for name, value in view["options"].items()
        if value != SWITCHES[name][0] and name != "years"
    ]
    yield "To win", f"20 territories at any time, or the most after {1295 + view['options']['years']}"
    if house:
        yield "House rules", ", ".join(house)


WORDS = FirstWarWords()
