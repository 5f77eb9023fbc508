"""The questions of Hammer's order forms, what may answer each, and what a side is asked in advance.

All of it is computed from the side's own view.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pbem.characters import is_decimal
from pbem.orders.base import Standing
from pbem.orders.hammer.vocabulary import Sight, can_hold
from pbem.orders.kit.rows import ASKED_THEN, Question
from pbem.orders.kit.text import notes
from pbem.rules.base import Ask
from pbem.rules.hammer.cards_3 import lowest
from pbem.rules.hammer.facts import AREAS, BLOCKS, NOBLES
from pbem.rules.hammer.winter_7 import BUILDS

MOVE_LINES = ("move ____ from ____ to ____", "move ____ from ____ to ____", "main attack ____ from ____")


def _home_lines(ask: Ask) -> list[str]:
    return [f"{ask.legal[0].partition(' to ')[0]} to ____"]


def _build_lines(ask: Ask) -> list[str]:
    draws = any(text.startswith("draw ") for text in ask.legal)
    return ["build ____", *(["draw ____"] if draws else [])]


QUESTIONS: dict[str, Question] = {
    "card": Question("Which card do you play", "the card you play", ("card ____",)),
    "king": Question(
        "Do you crown a king instead of playing your event",
        "a coronation instead of your event",
        ("crown ____",),
    ),
    "herald": Question(
        "Which nobles does the herald call, best first", "the noble your herald calls", ("herald ____",)
    ),
    "pillage": Question("Where do you pillage, best first", "the area you pillage", ("pillage ____",)),
    "pillage-hit": Question(
        "If the enemy pillages you: which of your equally strong blocks is hit first",
        "which of your strongest blocks the pillage hits",
        ("hits ____",),
    ),
    "pillage-build": Question(
        "Which blocks gain the steps of your pillage", "who gains from the pillage", ("build ____",)
    ),
    "sail": Question("Which blocks sail, and where to", "your sea move", ("sail ____ to ____",)),
    "truce": Question("Do you declare the truce: 'truce' or 'pass'", "whether you use the truce", ()),
    "victuals": Question(
        "Which blocks gain the steps of Victuals", "who gains from the victuals", ("build ____",)
    ),
    "move": Question("Which blocks move, and where to", "your moves", MOVE_LINES),
    "battle": Question("In which order are the battles fought", "the next battle", ("battles ____",)),
    "combat": Question(
        "Does a block fight, pass or retreat",
        "combat turns",
        ("fire ____", "pass ____", "retreat ____ to ____"),
    ),
    "hit": Question(
        "Which of your equally strong blocks takes the hit",
        "which of your strongest blocks is hit",
        ("hit ____",),
    ),
    "retreat": Question(
        "Where do your blocks retreat to", "where your blocks retreat", ("forced retreat ____ to ____",)
    ),
    "regroup": Question("Which blocks regroup, and where to", "your regroup", ("regroup ____ to ____",)),
    "raid": Question(
        "Border raid: which block do you lose first",
        "the block that the border raid costs you",
        ("raid ____",),
    ),
    "home": Question("Where does this block winter", "where a block winters", _home_lines),
    "edward": Question(
        "Does Edward winter in Scotland: 'winter Edward' or 'disband Edward'",
        "whether Edward winters in Scotland",
        ("winter ____",),
    ),
    "disband": Question(
        "If an area has too many blocks: which stay, best first, and which disband",
        "the blocks you disband",
        ("keep ____", "disband ____"),
    ),
    "build": Question(
        "How do you use your replacement points, one line after the other", "your builds", _build_lines
    ),
}

WINTER_COMES = (
    "WINTER COMES AFTER THIS TURN. The game then stops to ask you. If you answer here, it does not stop:"
)

EVENTS_ASKED = {
    "herald": "herald",
    "pillage": "pillage",
    "sea move": "sail",
    "truce": "truce",
    "victuals": "victuals",
}
"""The kind of Ask that each event card brings."""


PLAN = (
    "plan any:",
    "fire ____",
    "if ____: retreat ____ to ____",
    "hits ____",
    "forced retreat ____ to ____",
    "regroup ____ to ____",
    "end",
)


def asked_now(sight: Sight, open_: Sequence[Ask]) -> Iterator[str]:
    """Yield the form's question for a card where the game has stopped before cards, with nobody asked."""
    hand = sorted(set(sight.hand))
    if sight.phase == "cards" and not open_ and len(hand) > 1:
        yield ""
        yield from notes(
            f"ASKED NOW: {QUESTIONS['card'].text}? (3.1)",
            f"Possible: {' / '.join(f'card {card}' for card in hand)}.",
            f"If you say nothing: card {lowest(hand)}.",
        )
        yield "card ____"


def _example(kind: str, sight: Sight) -> str:
    """Return an example of an answer to a kind of Ask, with names from the side's own view."""
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
        "build": f"build {block.name} 2, rest"
        + (f"; draw {block.area}" if can_hold(sight.side, "King") else ""),
    }.get(kind, "")


# -- in advance


def in_advance(sight: Sight, asked: set[str], answered: Standing) -> Iterator[str]:
    """Yield the lines of an order form with all questions that its side may be asked before the next stop."""
    if not sight.is_winter:
        yield from _turn(sight, asked, answered)
        if _is_last_turn(sight):
            yield from _winter(sight, asked, answered, WINTER_COMES)
    elif sight.phase in BUILDS:
        yield from _builds(sight, asked, answered)
    else:
        yield from _winter(sight, asked, answered)


def _question(kind: str, silence: str, sight: Sight, answered: Standing, *more: str) -> Iterator[str]:
    question = QUESTIONS[kind]
    example = _example(kind, sight)
    yield ""
    yield from notes(
        f"{question.text}?{f' For example: {example}.' if example else ''} {answered.silence(kind, silence)}"
    )
    yield from more or (() if callable(question.lines) else question.lines)


def _turn(sight: Sight, asked: set[str], answered: Standing) -> Iterator[str]:
    yield ""
    yield from notes("IN ADVANCE, if you like, for what comes later in this turn:")
    if sight.phase in ("set-up", "cards"):
        yield from _events(sight, answered)
        silence = (
            f"{ASKED_THEN}. A condition may say more: 'if second and none of my areas is "
            "attacked:'. Write 'ask' below it if you want the game to stop and ask you"
        )
        yield from _question(
            "move", silence, sight, answered, "if first:", *MOVE_LINES, "if second:", *MOVE_LINES, "end"
        )
    elif (
        sight.is_first is False
        and sight.phase in ("events", "first move")
        and is_decimal(sight.own_card or "")
    ):
        yield from _question("move", ASKED_THEN, sight, answered)
    if "battle" not in asked and sight.is_first is not False:
        yield from _question("battle", ASKED_THEN, sight, answered)
    yield ""
    yield from notes(
        "How do you fight your battles? 'plan Fife:' is for Fife alone and comes before 'plan any'. For "
        "example: if round 2 and our strength less than half their strength: retreat all to Fife. "
        f"'retreat all' sends them where most of your blocks are. {answered.silence('combat', ASKED_THEN)}"
    )
    yield from PLAN
    if can_hold(sight.side, "Edward") and "raid" not in asked:
        yield from _question("raid", "the weakest infantry farthest from any enemy", sight, answered)


def _events(sight: Sight, answered: Standing) -> Iterator[str]:
    """Yield the questions of the events in hand, and those that the enemy's event may bring."""
    held = [kind for card, kind in EVENTS_ASKED.items() if card in sight.hand]
    if held and can_hold(sight.side, "King") and not sight.crowned:
        yield from _question("king", "no coronation", sight, answered)
    for kind in held:
        silence = {"victuals": "leaders and nobles gain first", "truce": "the truce is declared"}.get(
            kind, ASKED_THEN
        )
        yield from _question(kind, silence, sight, answered)
        if kind == "pillage":
            yield from _question(
                "pillage-build", "the block with the best Combat Rating gains", sight, answered
            )
    yield from _question(
        "pillage-hit", "infantry first, then cavalry, archers, knights, nobles, leaders", sight, answered
    )


def _is_last_turn(sight: Sight) -> bool:
    """3.0: tell whether the year's last cards are played, so that the winter comes next."""
    return len(sight.hand) <= (sight.phase in ("set-up", "cards"))


def _winter(
    sight: Sight,
    asked: set[str],
    answered: Standing,
    heading: str = "IN ADVANCE, if you like, for the winter:",
) -> Iterator[str]:
    yield ""
    yield from notes(heading)
    yield "winter:"
    yield from _homes(sight, answered)
    if can_hold(sight.side, "Edward") and "edward" not in asked:
        yield from _question("edward", "Edward disbands", sight, answered)
    if "disband" not in asked:
        yield from _question(
            "disband", "the King, Wallace and Moray stay first, then the strongest", sight, answered
        )
    yield from _question("build", ASKED_THEN, sight, answered, *_build_forms(sight))
    yield "end"


def _build_forms(sight: Sight) -> tuple[str, ...]:
    return ("build ____", "draw ____") if can_hold(sight.side, "King") else ("build ____",)


def _homes(sight: Sight, answered: Standing) -> Iterator[str]:
    """7.1, 7.12, 7.2, 7.5: yield a line for every block that may have a choice of where to winter."""
    names = [name for name in ("Bruce", "Comyn") if sight.holds_noble(name) is not None]
    silence = "Bruce in Carrick and Comyn in Badenoch, if they may"
    if can_hold(sight.side, "King"):
        found = (sight.block(name) for name in ("Moray", "King", "Wallace"))
        names += [block.name for block in found if block is not None and block.side == sight.side]
        silence += "; Moray at home; the King in Fife, Strathspey or Lennox; Wallace where he is, if he may"
    yield ""
    yield from notes(
        "Where do these winter? The King, Wallace and Moray may also stay: 'home Moray stay'. "
        f"{answered.silence('home', silence)}"
    )
    yield from (f"home {name} to ____" for name in names)


def _builds(sight: Sight, asked: set[str], answered: Standing) -> Iterator[str]:
    if "build" in asked:
        return
    yield ""
    yield from notes("IN ADVANCE, if you like, for the builds:")
    yield "winter:"
    draws = can_hold(sight.side, "King")
    silence = (
        "you draw blocks while there is room, then build up leaders, nobles, others"
        if draws
        else "nobles, then infantry"
    )
    yield from _question("build", silence, sight, answered, *_build_forms(sight))
    yield "end"
