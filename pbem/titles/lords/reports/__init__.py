"""The reports of Lords of Scotland: a sentence for each kind of event, and the tables of a position.

What only some were told is in an event or is not. Tables are read off a reader's view: one row for each
side, army, and row of cards.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from pbem.characters import capitalize, lower
from pbem.orders.base import listed
from pbem.orders.lords import QUESTIONS
from pbem.reports.base import HARD, fill
from pbem.reports.words import Table, Words, count, runs
from pbem.rules.base import Event, View
from pbem.rules.cards import size
from pbem.rules.lords.facts import CARDS, CLANS, NUMBERS, SIDES, strength
from pbem.rules.lords.game import Follower, plays_before
from pbem.rules.lords.rounds import total

SIDE = {side: capitalize(side) for side in SIDES}
NAME = {clan.name: clan.title for clan in CLANS.values()}

SECTIONS = {
    **dict.fromkeys(("first", "hand", "round", "supporters"), ("Setting Up the Game",)),
    **dict.fromkeys(("supporters refused", "reshuffle"), ("Rules Clarification",)),
    **dict.fromkeys(("turn", "flip", "recruit", "refill", "muster", "turn lost"), ("On Your Turn",)),
    **dict.fromkeys(("power", "power blocked", "power not used", "power without use"), ("Clan Powers",)),
    "power copied": ("Scott",),
    **{clan: (NAME[clan],) for clan in ("cockburn", "ferguson", "forsyth", "wemyss")},
    **dict.fromkeys(("reveal", "totals", "claim", "scores"), ("The End of the Round",)),
    "kept": ("MacDonnell",),
}
"""The headings of the rulebook by which events of each kind happen."""

DRAWN = {
    "first": "who begins is drawn",
    "deal": "cards are dealt",
    "supporter": "the Supporters are dealt",
    "recruit": "{} of the Recruits is filled from the draw pile",
    "forsyth": "{} draws a card",
}
"""The sentences on what a draw decides, by the first part of its label."""

GAPS = frozenset(("round", "turn", "totals"))
"""The kinds of event before which a paragraph ends."""
OWN_LINE = frozenset(
    ("first", "hand", "round", "supporters", "turn", "flip", "totals", "scores", "turn lost")
)


def story(told: Sequence[Event]) -> list[str]:
    """Return the lines that tell what happened.

    What a side does in its turn is one paragraph of sentences.
    """
    lines: list[str] = []
    for run in runs(told, belongs):
        if lines and run[0]["event"] in GAPS:
            lines.append("")
        if run[0]["event"] == "totals":
            lines += totals(run[0])
        else:
            said = " ".join(SENTENCES[event["event"]](event) for event in run)
            lines += fill(said, "", "  ")
    return lines


def belongs(run: Sequence[Event], event: Event) -> bool:
    """Tell whether an event is told with those before it: a card and all that came of it; reveals; claims."""
    kind, last = event["event"], run[-1]
    if kind in ("reveal", "claim", "kept"):
        return bool(kind == last["event"])
    if kind == "muster":
        return last.get("clan") == "makgill"
    return kind not in OWN_LINE and kind != "recruit"


def when(told: Sequence[Event]) -> Iterator[str]:
    """Yield for each event its round and turn: `round-2 turn-3`."""
    now = ""
    for event in told:
        if event["event"] in ("round", "turn"):
            turn = f" turn-{event['turn']}" if event["event"] == "turn" else ""
            now = f"round-{event['round']}{turn}"
        yield now


def in_words(name: str) -> str:
    """Return a card's name for people, with blanks at which no line is broken."""
    return CARDS[name].title.replace(" ", HARD)


def card(event: Event, unknown: str = "a face-down card") -> str:
    """Return in words a card that the reader knows, or what stands for one that the reader does not know."""
    return in_words(event["card"]) if "card" in event else unknown


def cards(names: Iterable[str]) -> str:
    """Return cards in words, with commas between them."""
    return ", ".join(in_words(name) for name in names)


def _first(event: Event) -> str:
    return (
        f"{SIDE[event['side']]} {'gets' if event['drawn'] else 'holds'} the "
        f"token{' by chance' if event['drawn'] else ''} and begins."
    )


def _hand(event: Event) -> str:
    dealt = f": {cards(event['cards'])}" if "cards" in event else ""
    return f"{SIDE[event['side']]} is dealt {count(event['size'], 'card')}{dealt}."


def _recruit(event: Event) -> str:
    lay = "" if event["up"] else ", which lay face-down,"
    name = card(event, "the card")
    empty = "" if event["filled"] else " No card is left to fill the slot."
    return f"{SIDE[event['side']]} recruits {name}{lay} from slot {event['slot']}.{empty}"


def _muster(event: Event) -> str:
    return f"{SIDE[event['side']]} musters {card(event, 'a card')} face-{'up' if event['up'] else 'down'}."


def _block_sentence(event: Event) -> str:
    return f"Its power is blocked by {listed([_follower(who) for who in event['by']])}."


def _copy_sentence(event: Event) -> str:
    return f"It copies {_follower(event['target'])}."


def _follower(target: str) -> str:
    owner, _, name = target.partition("/")
    return f"{SIDE[owner]}'s {in_words(name)}"


def _power(event: Event) -> str:
    return f"Power used: {NAME[event['clan']]}, {CLANS[event['clan']].effect}."


def _cockburn(event: Event) -> str:
    return f"It becomes a Supporter, and {in_words(event['taken'])} joins {SIDE[event['side']]}'s army."


def _ferguson(event: Event) -> str:
    lay = "" if event["up"] else f". That card was number {event['number']} of the army, and stays face-down"
    other = SIDE[event["other"]]
    return f"It goes to {other}; {card(event)} of {other} comes in its place{lay}."


def _forsyth(event: Event) -> str:
    return f"{SIDE[event['side']]} draws {card(event, 'a card')}."


def _wemyss(event: Event) -> str:
    lay = "" if event["up"] else f" It lay face-down, as number {event['number']} of that army."
    return f"{SIDE[event['other']]}'s {card(event, 'card')} is discarded.{lay}"


def totals(event: Event) -> list[str]:
    """The End of the Round: return the armies line by line, the best first, with what decided a tie."""
    lines = ["The armies are compared:"]
    values = event["totals"]
    for place, side in enumerate(event["placing"], 1):
        names = event["armies"][side]
        plain = sum(map(strength, names))
        doubled = f", doubled {values[side]}" if values[side] != plain else ""
        equal = list(values.values()).count(values[side]) > 1
        tie = f"; best rank {event['ranks'][side]}" if equal else ""
        said = f"{' + '.join(in_words(name) for name in names)} = {plain}{doubled}{tie}"
        lines += fill(said, f"  {place}. {SIDE[side]:<6}{values[side]:>3}   ", " " * 17)
    lines += [
        f"  -  {SIDE[side]:<6}  -   no Follower, so no claim"
        for side in event["armies"]
        if side not in event["placing"]
    ]
    return lines


def _scores(event: Event) -> str:
    return f"Points: {', '.join(f'{SIDE[side]} {points}' for side, points in event['scores'].items())}."


SENTENCES: dict[str, Callable[[Event], str]] = {
    "first": _first,
    "hand": _hand,
    "round": lambda event: f"Round {event['round']}. {SIDE[event['holder']]} holds the token.",
    "supporters": lambda event: f"Supporters: {cards(event['cards']) or 'none'}.",
    "supporters refused": lambda event: (
        f"Supporters of equal strength are dealt again: {cards(event['cards'])}."
    ),
    "reshuffle": lambda event: f"The discard pile becomes the draw pile: {count(event['cards'], 'card')}.",
    "turn": lambda event: f"Round {event['round']}, turn {event['turn']}.",
    "flip": lambda event: f"Recruit {event['slot']} is turned up: {card(event)}.",
    "turn lost": lambda event: f"{SIDE[event['side']]} can neither recruit nor muster.",
    "recruit": _recruit,
    "refill": lambda event: f"Slot {event['slot']} is filled with {card(event)}.",
    "muster": _muster,
    "power blocked": _block_sentence,
    "power without use": lambda _: "Its power has no use here.",
    "power not used": lambda _: "Its power is not used.",
    "power copied": _copy_sentence,
    "power": _power,
    "cockburn": _cockburn,
    "ferguson": _ferguson,
    "forsyth": _forsyth,
    "wemyss": _wemyss,
    "reveal": lambda event: f"{SIDE[event['side']]} turns up {card(event)}.",
    "claim": lambda event: (
        f"{SIDE[event['side']]} claims {card(event)}, {count(CARDS[event['card']].strength, 'point')}."
    ),
    "scores": _scores,
    "kept": lambda event: f"{SIDE[event['side']]} keeps {card(event)} for another round.",
}

Cells = tuple[str, ...]


def ranking(view: View) -> list[tuple[str, int]]:
    """Return the sides with their points, the most first."""
    return sorted(view["scores"].items(), key=lambda one: -one[1])


def rows(view: View) -> list[Cells]:
    """Return the table of the sides as rows: headings, then points, army as far as seen, and cards."""
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
    """Return a row for each army: its side, and its Followers by their places, in words."""
    return [
        (
            SIDE[side],
            ", ".join(f"#{place}{HARD}{shown(row)}" for place, row in enumerate(army, 1)) or "nobody yet",
        )
        for side, army in view["armies"].items()
    ]


def shown(row: dict[str, Any]) -> str:
    """Return one Follower in words: its card if the reader knows it, how it lies, and its token."""
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
        """Return the score of each side in words."""
        return ", ".join(f"{SIDE[side]} {points}" for side, points in ranking(view))

    def assumed(self, view: View) -> str:
        """Return the sentence that a forecast leaves out whoever plays before the viewer.

        Return an empty text if nobody does.
        """
        before = [SIDE[side] for side in plays_before(view)]
        plays = "plays" if len(before) == 1 else "play"
        return f"{listed(before)} {plays} before you. This is the position now." if before else ""

    def chance(self, label: str) -> str:
        """Return in words what the draw with a label decides."""
        _, event, *parts = label.split("/")
        return DRAWN[event].format(*(SIDE.get(part, part.replace("-", " ")) for part in parts))

    def story(self, before: View | None, told: Sequence[Event]) -> list[str]:
        """Return what happened in the game by the events told, in lines of a report."""
        return story(told)

    def search_words(self, told: Sequence[Event]) -> list[tuple[str, str]]:
        """Return for each event its time and the words by which people look for it."""
        return list(zip(when(told), (words for _, words in super().search_words(told)), strict=True))

    def time_of(self, paragraph: str) -> str:
        """Return the time that a paragraph of a report names: `round-3 turn-2`."""
        first = lower(paragraph.removeprefix("Now: "))
        return " ".join(f"{word}-{number}" for word, number in _TIME.findall(first))

    def sections(self, kind: str) -> tuple[str, ...]:
        """Return the headings of the rulebook by which events of a kind happen."""
        return SECTIONS.get(kind, ())

    def position(self, view: View) -> dict[str, Any]:
        """Return the values that the game's report template shows of a view, by name."""
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
