"""The sentences that tell a reader each kind of event. What only some were told is there or is not."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from pbem.characters import capitalize
from pbem.orders.faults import listed
from pbem.reports.base import HARD, fill
from pbem.reports.words import count, runs
from pbem.rules.base import Event
from pbem.rules.lords.facts import CARDS, CLANS, SIDES, strength

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
    """Return a card as people read it, which no end of a line cuts."""
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
