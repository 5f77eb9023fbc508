"""The story of First War: a sentence for each event, the battle line by line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from pbem.characters import split_words, upper
from pbem.reports.base import HARD, fill
from pbem.rules.base import Event
from pbem.rules.first_war.facts import SIDES, kind_of

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
    """Return the story in lines: a paragraph for each season, its battle and what comes of it."""
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
    """Return the lines of one event."""
    kind = event["event"]
    if kind == "tally":
        return list(tally(event))
    indent = "  " if kind in BATTLE else ""
    return fill(sentence(event), indent, indent + "  ")


def tally(event: Event) -> Iterator[str]:
    """Battle Phase: yield the lines that tell who gets each point of Force, and the sums."""
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
