"""The reports of First War: a sentence for each event, a battle line by line, a position's table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from pbem.characters import BLANKS, capitalize, is_decimal, lower, split_words, upper
from pbem.orders.base import listed
from pbem.orders.first_war import QUESTIONS
from pbem.reports.base import HARD, fill, hanging_indent
from pbem.reports.words import Table, Words, values
from pbem.rules.base import Event, View, read_head
from pbem.rules.cards import size
from pbem.rules.first_war.battle import tally
from pbem.rules.first_war.facts import KINDS, LIST_ORDER, SIDES, SWITCHES, kind_of
from pbem.rules.first_war.game import Position

SIDE = {"scots": "Scots", "english": "English"}
THE = {"scots": "the Scots", "english": "the English"}
OF = {"scots": "Scottish", "english": "English"}
POINTS = {
    "leader": "Leader",
    "noble": "Most Nobles",
    "troop": "Most Troops",
    "highland": "Highland bonus",
}
"""Battle Phase: the names of the things that bring a point of Force."""
WHY = {
    "setup": "the Setup",
    "logistics": "Logistics",
    "bonus": "having more Lowland Nobles",
    "replace": "the card that they replaced",
    "recruitment": "the new hand",
}
SENTENCES = {
    "season": "{year}, {season}. Territories: {all}.",
    "draw": "{who} draw {number} for {why}{drawn}.",
    "deploy": "{who} deploy {cards}.",
    "play": "{who} play {card}.",
    "lost": "{who} lose {card}.",
    "stolen": "{card} go over to {whom}.",
    "raided": "{who} lose {card} from their hand.",
    "event pass": "{who} play no more Events.",
    "strategy": "{who} play {card}: {force}.",
    "strategy pass": "{who} pass.",
    "season won": "{who} win the season. Force: {force}.",
    "territory": "{who} take {number}: {all}.",
    "replace": "{who} replace {card}.",
    "discard": "{who} discard {cards}.",
    "disband": "{who} disband {cards} for the winter.",
    "new deck": "All hands and the discard pile go into the deck: {cards}.",
    "reshuffle": "The discard pile becomes the deck: {cards}.",
}
UNITS_OF = {"draw": ("card", "cards"), "territory": ("territory", "territories")}
BATTLE = frozenset(("tally", "strategy", "strategy pass"))
SECTIONS: dict[str, tuple[str, ...]] = {
    "draw": ("Logistics Phase",),
    "deploy": ("Recruit Phase",),
    "play": ("Event Phase", "Victory Phase"),
    "event pass": ("Event Phase",),
    "stolen": ("Event Phase", "Victory Phase"),
    "raided": ("Event Phase",),
    "tally": ("Battle Phase",),
    "strategy": ("Battle Phase",),
    "strategy pass": ("Battle Phase",),
    "season won": ("Victory Phase",),
    "territory": ("Victory Phase", "Event Phase"),
    "lost": ("Victory Phase", "Event Phase", "Quartering Phase"),
    "replace": ("End Phase",),
    "discard": ("End Phase",),
    "disband": ("Quartering Phase",),
    "new deck": ("Quartering Phase",),
    "reshuffle": ("Logistics Phase",),
}


def capital(text: str) -> str:
    """Return the text with a capital first letter."""
    return f"{upper(text[:1])}{text[1:]}"


def cards_in_words(cards: Iterable[str]) -> str:
    """Return cards in words, with counts: `2 Infantry, Archers, Raid`."""
    counted = Counter(kind_of(card).name for card in cards)
    said = (f"{number} {name}" if number > 1 else name for name, number in counted.items())
    return ", ".join(one.replace(" ", HARD) for one in said)


def sentences(told: Sequence[Event]) -> list[str]:
    """Return the story that events tell, in lines: paragraphs for each season, its battle and the result."""
    lines: list[str] = []
    last = ""
    for event in told:
        kind = event["event"]
        if lines and (
            kind in ("season", "season won", "tally") or (last == "season won" and kind == "replace")
        ):
            lines.append("")
        lines += told_of(event)
        last = kind
    return lines


def told_of(event: Event) -> list[str]:
    """Return the lines of a report that tell one event."""
    kind = event["event"]
    if kind == "tally":
        return list(battle_lines(event))
    indent = "  " if kind in BATTLE else ""
    return fill(sentence(event), indent, indent + "  ")


def battle_lines(event: Event) -> Iterator[str]:
    """Battle Phase: yield the lines that tell which side gets each point of Force, and each side's sum."""
    yield "The battle"
    for sort, owner in event["points"].items():
        yield f"  {POINTS[sort]:16}{SIDE[owner] if owner else 'nobody'}"
    yield f"  {'Force':16}{numbers(event['force'])}"


def reason(why: str) -> str:
    """Return in words what cards are drawn for: `Logistics`, `Ransoms`."""
    return WHY.get(why) or kind_of(why).name


def numbers(by_side: Mapping[str, int]) -> str:
    """Return each side's number in words: `Scots 2, English 1`."""
    return ", ".join(f"{SIDE[side]} {by_side[side]}" for side in SIDES)


def sentence(event: Event) -> str:
    """Return the sentence that tells one event."""
    whom = THE.get(event.get("side", ""), "")
    said = {"whom": whom, "who": capital(whom)}
    cards = event.get("cards", [])
    said["cards"] = f"{cards} cards" if isinstance(cards, int) else cards_in_words(cards) or "nothing"
    if "card" in event:
        said["card"] = kind_of(event["card"]).name + target(event)
    if event["event"] == "draw":
        said["why"] = reason(event["why"])
        said["drawn"] = f": {cards_in_words(cards)}" if cards else ""
    if "force" in event:
        said["force"] = numbers(event["force"])
    if "territories" in event:
        said["all"] = numbers(event["territories"])
    number = event.get("number", 0)
    if event["event"] in UNITS_OF:
        said["number"] = f"{number} {UNITS_OF[event['event']][number != 1]}"
    if event["event"] == "play" and kind_of(event["card"]).id == "truce":
        said["card"] += ": there is no battle in this season"
    return SENTENCES[event["event"]].format(**{**event, **said})


def target(event: Event) -> str:
    """Return the target of a card in words: ` on Scottish Lowland Nobles`."""
    if not event.get("target"):
        return ""
    *owner, kind = split_words(event["target"])
    name = kind_of(f"{kind}-1").name
    whose = f"{OF[owner[0]]} " if owner and not name.startswith(OF[owner[0]]) else ""
    return f" on {whose}{name}"


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
        """Return in words what the draw with a label is for, and who draws."""
        _, why, *side, _ = label.split("/")
        who = f"{THE[side[0]]} draw for" if side else "cards are lost to"
        return f"{who} {reason(why)}"

    def story(self, before: View | None, told: Sequence[Event]) -> list[str]:
        """Return what happened in the game by the events told, in lines of a report."""
        return sentences(told)

    def search_words(self, told: Sequence[Event]) -> list[tuple[str, str]]:
        """Return for each event its season, such as `1297 fall`, and the words by which people find it."""
        found, when = [], "setup"
        for event in told:
            if event["event"] == "season":
                when = f"{event['year']} {event['season']}"
            said = " ".join(sentences([event])) if event["event"] != "season" else ""
            found.append((when, lower(" ".join((event["event"], *values(event), said)))))
        return found

    def time_of(self, paragraph: str) -> str:
        """Return the season that a paragraph of a report names first, as `1297 fall`; "" if it names none."""
        words = split_words(lower(paragraph).replace(",", " ").replace(".", " "))
        words = words[1:] if words[:1] == ["now:"] else words
        if len(words) > 1 and is_decimal(words[0]) and len(words[0]) == 4:
            return f"{words[0]} {words[1]}"
        return ""

    def sections(self, kind: str) -> tuple[str, ...]:
        """Return the headings of the rules by which events of a kind happen."""
        return SECTIONS.get(kind, ())

    def position(self, view: View) -> dict[str, Any]:
        """Return the values that the game's report template shows of a view, by name."""
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
    """F18, F19: return for each side, in words, its Force by the Units in play now, and what it is for."""
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
