"""The order form of a report: lines to fill in, between `begin orders` and `end orders`.

First what is asked now, then every question that may arise before the judge stops again, applicable or
not. All of it is computed from the side's own view. Lines left blank are not read, so a whole report
sent back is an order file.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from textwrap import wrap

from pbem.orders.hammer.sight import Sight
from pbem.orders.hammer.vocabulary import can_hold
from pbem.rules.base import Ask, View
from pbem.rules.hammer.cards_3 import lowest
from pbem.rules.hammer.facts import AREAS, BLOCKS, NOBLES

WIDTH = 66
"""So narrow that a mail program which quotes the form twice has no reason to wrap it."""
SHORT = 8
"""Legal answers that are all listed; of more, three are shown."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question in words, and the lines that answer it."""

    text: str
    lines: tuple[str, ...]


MOVE_LINES = ("move ____ from ____ to ____", "move ____ from ____ to ____", "main attack ____ from ____")

QUESTIONS: dict[str, Question] = {
    "card": Question("Which card do you play", ("card ____",)),
    "king": Question("Do you crown a king in place of your event", ("crown ____",)),
    "herald": Question("Which nobles does the herald call, best first", ("herald ____",)),
    "pillage": Question("Where do you pillage, best first", ("pillage ____",)),
    "pillage-hit": Question("Pillaged: which of your equally strong blocks is hit first", ("hits ____",)),
    "pillage-build": Question("Who gains the steps of your pillage", ("build ____",)),
    "sail": Question("Who sails where", ("sail ____ to ____",)),
    "truce": Question("Do you declare the truce: 'truce' or 'pass'", ()),
    "victuals": Question("Who gains the steps of Victuals", ("build ____",)),
    "move": Question("Who moves where", MOVE_LINES),
    "battle": Question("In which order are the battles fought", ("battles ____",)),
    "combat": Question(
        "Does a block fight, pass or retreat", ("fire ____", "pass ____", "retreat ____ to ____")
    ),
    "hit": Question("Which of your equally strong blocks takes the hit", ("hit ____",)),
    "retreat": Question("Where do your blocks retreat to", ("forced retreat ____ to ____",)),
    "regroup": Question("Who regroups where; 'done' if nobody does", ("regroup ____ to ____",)),
    "raid": Question("Border raid: which block do you lose first", ("raid ____",)),
    "home": Question("Where does this block winter", ()),
    "edward": Question(
        "Does Edward winter in Scotland: 'winter Edward' or 'disband Edward'", ("winter ____",)
    ),
    "disband": Question(
        "Where too many stand, who stays, best first; who else disbands", ("keep ____", "disband ____")
    ),
    "build": Question("How are your replacement points used, in this order", ("build ____",)),
}

EVENTS_ASKED = {
    "herald": "herald",
    "pillage": "pillage",
    "sea move": "sail",
    "truce": "truce",
    "victuals": "victuals",
}
"""The question that each event card asks."""

BUILD_PHASES = ("french knights", "scottish builds", "english builds")
ASKED_THEN = "you are asked when the time comes"

PLAN = (
    "plan any:",
    "fire ____",
    "if ____: retreat ____ to ____",
    "hits ____",
    "forced retreat ____ to ____",
    "regroup ____ to ____",
    "end",
)


def order_form(view: View, asks: Sequence[Ask]) -> str:
    """The whole form, ready to stand in a report."""
    sight = Sight(view, view["viewer"])
    open_ = [ask for ask in asks if ask.side == sight.side]
    text = ["begin orders", *_notes("A line left blank is not read. 'note' begins a remark.")]
    for ask in open_:
        text += ["", *_asked(ask, sight)]
    if sight.phase == "cards" and not open_:
        text += _card(sight)
    text += _in_advance(sight, {ask.kind for ask in open_})
    return "".join(f"{line}\n" for line in (*text, "", "end orders"))


def _notes(*sentences: str) -> Iterator[str]:
    for sentence in sentences:
        yield from _note(sentence)


@lru_cache(maxsize=1024)
def _note(sentence: str) -> tuple[str, ...]:
    """One sentence in lines; the same ones stand in form after form."""
    return tuple(f"note {line}" for line in wrap(sentence, WIDTH - len("note ")))


def _asked(ask: Ask, sight: Sight) -> Iterator[str]:
    """One open question: in words, what is possible, what silence means, and the lines to fill in."""
    question = QUESTIONS[ask.kind]
    legal = ask.legal
    shown = legal if len(legal) <= SHORT else legal[:3]
    which = (
        f" in {sight.battle}" if sight.battle and ask.kind in ("combat", "hit", "retreat", "regroup") else ""
    )
    yield from _notes(
        f"ASKED NOW: {question.text}{which}? ({ask.rule})",
        f"{'Possible' if shown is legal else 'For example'}: {'; '.join(shown)}.",
        f"If you say nothing: {ask.default}.",
    )
    yield from _homes_asked(ask) if ask.kind == "home" else question.lines
    if ask.kind == "build" and any(text.startswith("draw ") for text in legal):
        yield "draw ____"


def _card(sight: Sight) -> Iterator[str]:
    """The card, at the stop before it: there the game halts before anybody is asked."""
    hand = sorted(set(sight.hand))
    if len(hand) > 1:
        yield ""
        yield from _notes(
            f"ASKED NOW: {QUESTIONS['card'].text}? (3.1)",
            f"Possible: {'; '.join(f'card {card}' for card in hand)}.",
            f"If you say nothing: card {lowest(hand)}.",
        )
        yield from QUESTIONS["card"].lines


def _homes_asked(ask: Ask) -> list[str]:
    return [f"{ask.legal[0].partition(' to ')[0]} to ____"]


def _example(kind: str, sight: Sight) -> str:
    """An answer with names from the side's own view."""
    mine = sight.mine()
    block = sight.own(mine[0]) if mine else None
    if block is None:
        return ""
    near = next(iter(AREAS[block.area].neighbours))
    nobles = [name for name in NOBLES if sight.holds_noble(name) is False and not BLOCKS[name].black_cross]
    contested = [area for area in AREAS if sight.is_contested(area)]
    return {
        "king": "crown Bruce",
        "herald": f"herald {', '.join(nobles[:2])}" if nobles else "",
        "pillage-hit": "hits infantry, rest",
        "pillage-build": f"build {block.name}, rest",
        "victuals": f"build {block.name} 2, rest",
        "move": f"move {block.name} from {block.area} to {near}",
        "battle": f"battles {', '.join(contested[:2] or [block.area])}, rest",
        "raid": "raid infantry",
        "disband": f"keep {block.name}, rest",
        "build": f"build {block.name} 2, rest",
    }.get(kind, "")


# -- in advance


def _in_advance(sight: Sight, asked: set[str]) -> Iterator[str]:
    """Everything that can arise before the next stop."""
    if not sight.is_winter:
        yield from _turn(sight, asked)
    elif sight.phase in BUILD_PHASES:
        yield from _builds(sight, asked)
    else:
        yield from _winter(sight, asked)


def _question(kind: str, silence: str, sight: Sight, *more: str) -> Iterator[str]:
    question = QUESTIONS[kind]
    example = _example(kind, sight)
    yield ""
    yield from _notes(
        f"{question.text}?{f' For example: {example}.' if example else ''} If you say nothing: {silence}."
    )
    yield from more or question.lines


def _turn(sight: Sight, asked: set[str]) -> Iterator[str]:
    yield ""
    yield from _notes("IN ADVANCE, if you like, for as far as the turn goes without asking you:")
    if sight.phase in ("set-up", "cards"):
        yield from _events(sight)
        yield from _question(
            "move", ASKED_THEN, sight, "if first:", *MOVE_LINES, "if second:", *MOVE_LINES, "end"
        )
    elif sight.is_first is False and sight.phase in ("events", "first move"):
        yield from _question("move", ASKED_THEN, sight)
    if "battle" not in asked and sight.is_first is not False:
        yield from _question("battle", ASKED_THEN, sight)
    yield ""
    yield from _notes(
        "How are your battles fought? 'plan Fife:' is for that battle alone. For example: if round 2 and our "
        f"strength less than their strength: retreat all to Fife. If you say nothing: {ASKED_THEN}."
    )
    yield from PLAN
    if can_hold(sight.side, "Edward") and "raid" not in asked:
        yield from _question("raid", "the weakest infantry farthest from any enemy", sight)


def _events(sight: Sight) -> Iterator[str]:
    """The events of the hand, and what the enemy's event may ask."""
    held = [kind for card, kind in EVENTS_ASKED.items() if card in sight.hand]
    if held and can_hold(sight.side, "King") and not sight.crowned:
        yield from _question("king", "no coronation", sight)
    for kind in held:
        silence = {"victuals": "leaders and nobles gain first", "truce": "the truce is declared"}.get(
            kind, ASKED_THEN
        )
        yield from _question(kind, silence, sight)
        if kind == "pillage":
            yield from _question("pillage-build", "the block with the best Combat Rating gains", sight)
    yield from _question(
        "pillage-hit", "infantry first, then cavalry, archers, knights, nobles, leaders", sight
    )


def _winter(sight: Sight, asked: set[str]) -> Iterator[str]:
    yield ""
    yield from _notes("IN ADVANCE, if you like, for the winter up to the builds:")
    yield "winter:"
    yield from _homes(sight)
    if can_hold(sight.side, "Edward") and "edward" not in asked:
        yield from _question("edward", "he disbands", sight)
    if "disband" not in asked:
        yield from _question("disband", "the strongest stay, the King, Wallace and Moray before all", sight)
    yield "end"


def _homes(sight: Sight) -> Iterator[str]:
    """7.1, 7.12, 7.2, 7.5: whoever may have a choice, applicable or not."""
    names = [name for name in ("Bruce", "Comyn") if sight.holds_noble(name) is not None]
    silence = "Bruce in Carrick and Comyn in Badenoch, if those are open"
    if can_hold(sight.side, "King"):
        found = (sight.block(name) for name in ("Moray", "King", "Wallace"))
        names += [block.name for block in found if block is not None and block.side == sight.side]
        silence += "; Moray at home; the King in Fife, Strathspey or Lennox; Wallace where he is, if he may"
    yield ""
    yield from _notes(
        "Where do these winter? The King, Wallace and Moray may also stay: 'home Moray stay'. "
        f"If you say nothing: {silence}."
    )
    yield from (f"home {name} to ____" for name in names)


def _builds(sight: Sight, asked: set[str]) -> Iterator[str]:
    if "build" in asked:
        return
    yield ""
    yield from _notes("IN ADVANCE, if you like, for the builds:")
    yield "winter:"
    draws = can_hold(sight.side, "King")
    silence = "draws while there is room, then leaders, nobles, others" if draws else "nobles, then infantry"
    yield from _question("build", silence, sight, "build ____", *(["draw ____"] if draws else []))
    yield "end"
