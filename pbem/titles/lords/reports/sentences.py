"""The sentences that tell a reader each kind of event. What only some were told is there or is not."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from pbem.characters import capitalize
from pbem.orders.faults import listed
from pbem.reports.layout import fill
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


def card(event: Event) -> str:
    """Return in words a card that the reader knows, or a face-down card."""
    name: str = event.get("card", "a face-down card")
    return name


def _first(event: Event) -> str:
    return (
        f"{SIDE[event['side']]} {'gets' if event['drawn'] else 'holds'} the "
        f"token{' by chance' if event['drawn'] else ''} and begins."
    )


def _hand(event: Event) -> str:
    cards = f": {', '.join(event['cards'])}" if "cards" in event else ""
    return f"{SIDE[event['side']]} is dealt {count(event['size'], 'card')}{cards}."


def _recruit(event: Event) -> str:
    lay = "" if event["up"] else ", which lay face-down,"
    name = event.get("card", "the card")
    empty = "" if event["filled"] else " No card is left to fill the slot."
    return f"{SIDE[event['side']]} recruits {name}{lay} from slot {event['slot']}.{empty}"


def _muster(event: Event) -> str:
    name = event.get("card", "a card")
    return f"{SIDE[event['side']]} musters {name} face-{'up' if event['up'] else 'down'}."


def _block_sentence(event: Event) -> str:
    by = [f"{SIDE[who.split('/')[0]]}'s {who.split('/')[1]}" for who in event["by"]]
    return f"Its power is blocked by {listed(by)}."


def _copy_sentence(event: Event) -> str:
    owner, name = event["target"].split("/")
    return f"It copies {SIDE[owner]}'s {name}."


def _power(event: Event) -> str:
    return f"Power used: {NAME[event['clan']]}, {CLANS[event['clan']].effect}."


def _cockburn(event: Event) -> str:
    return f"It becomes a Supporter, and {event['taken']} joins {SIDE[event['side']]}'s army."


def _ferguson(event: Event) -> str:
    lay = "" if event["up"] else f". That card was number {event['number']} of the army, and stays face-down"
    other = SIDE[event["other"]]
    return f"It goes to {other}; {card(event)} of {other} comes in its place{lay}."


def _forsyth(event: Event) -> str:
    return f"{SIDE[event['side']]} draws {event.get('card', 'a card')}."


def _wemyss(event: Event) -> str:
    lay = "" if event["up"] else f" It lay face-down, as number {event['number']} of that army."
    return f"{SIDE[event['other']]}'s {event.get('card', 'card')} is discarded.{lay}"


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
        said = f"{' + '.join(names)} = {plain}{doubled}{tie}"
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
    "supporters": lambda event: f"Supporters: {', '.join(event['cards']) or 'none'}.",
    "supporters refused": lambda event: (
        f"Supporters of equal strength are dealt again: {', '.join(event['cards'])}."
    ),
    "reshuffle": lambda event: f"The discard pile becomes the draw pile: {count(event['cards'], 'card')}.",
    "turn": lambda event: f"Round {event['round']}, turn {event['turn']}.",
    "flip": lambda event: f"Recruit {event['slot']} is turned up: {event['card']}.",
    "turn lost": lambda event: f"{SIDE[event['side']]} can neither recruit nor muster.",
    "recruit": _recruit,
    "refill": lambda event: f"Slot {event['slot']} is filled with {event['card']}.",
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
    "reveal": lambda event: f"{SIDE[event['side']]} turns up {event['card']}.",
    "claim": lambda event: (
        f"{SIDE[event['side']]} claims {event['card']}, {count(CARDS[event['card']].strength, 'point')}."
    ),
    "scores": _scores,
    "kept": lambda event: f"{SIDE[event['side']]} keeps {event['card']} for another round.",
}
