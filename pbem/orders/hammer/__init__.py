"""The order language of Hammer of the Scots; pbem/docs/orders.md is its page for players.

Its rows: vocabulary (nouns, and the `Sight` that is all they may know of the game), conditions (facts and
numbers), verbs (with answers, check_orders and check_moves), form (questions).
"""

from __future__ import annotations

from collections.abc import Iterable

from pbem.orders.hammer import answers, check_orders, form
from pbem.orders.hammer.check_orders import WINTER_KINDS
from pbem.orders.hammer.conditions import EXAMPLES, FACTS, MEASURES
from pbem.orders.hammer.verbs import VERBS
from pbem.orders.hammer.vocabulary import NOUNS, Memory, Sight
from pbem.orders.kit.checker import without
from pbem.orders.kit.language import KitLanguage
from pbem.orders.kit.parsed_orders import ASK, Choice, Order, Orders, Part, Parts, every_order
from pbem.orders.kit.rows import Asking, Form, Help, InForce, Never, PlanHeading, Rows, Section, Steps, Topic
from pbem.orders.kit.vocabulary import Problem
from pbem.rules.base import Ask
from pbem.rules.hammer.sequence import TURN_PHASES

TOPICS = (
    Topic(
        name="crown",
        kinds=("king",),
        other_words=("king", "event"),
        refused="this question depends on where your blocks are, and a pause would tell the enemy: "
        "write 'crown NAME' or 'event'",
    ),
    Topic(name="herald", kinds=("herald",), said=" about the Herald"),
    Topic(name="pillage", kinds=("pillage",), said=" about Pillage"),
    Topic(name="sail", kinds=("sail",), said=" about the Sea Move"),
    Topic(name="truce", kinds=("truce",), said=" about the Truce"),
    Topic(name="moves", kinds=("move",), said=" about further moves", other_words=("move",)),
    Topic(name="battles", kinds=("battle",), said=" about the order of battles", other_words=("battle",)),
    Topic(name="combat", kinds=("combat",), said=" at every combat turn", other_words=("fire", "pass")),
    Topic(name="hits", kinds=("hit", "pillage-hit"), said=" who takes a hit", other_words=("hit",)),
    Topic(
        name="forced retreat",
        kinds=("retreat",),
        said=" about forced retreats",
        other_words=("retreat", "retreats"),
    ),
    Topic(name="regroup", kinds=("regroup",), said=" about regrouping"),
    Topic(name="raid", kinds=("raid",), said=" which block a raid costs"),
    Topic(name="home", kinds=("home",), said=" where blocks winter", other_words=("homes",)),
    Topic(name="edward", kinds=("edward",), said=" about Edward's quarters", other_words=("winter",)),
    Topic(name="disband", kinds=("disband",), said=" who disbands", other_words=("keep",)),
    Topic(
        name="builds",
        kinds=("build", "victuals", "pillage-build"),
        other_words=("build", "draw", "draws", "victuals"),
    ),
)

STEPS = (
    Steps(
        kind="move",
        over=Problem("your moves were over: no Group Move was left, or no block could move", "4.2"),
        arrange=answers.arrange_moves,
    ),
    Steps(kind="sail", over=Problem("the sea move was over", "3.12")),
    Steps(kind="victuals", over=Problem("no step was left to give", "3.12")),
    Steps(kind="pillage-build", over=Problem("no step was left to give", "3.12")),
    Steps(
        kind="build",
        over=Problem("no replacement point was left, or no block could take one", "7.6"),
        beside=WINTER_KINDS,
    ),
    Steps(
        kind="disband",
        over=Problem("no area of yours had too many blocks any more", "7.32"),
        rest=answers.rest_of_disbanding,
        beside=WINTER_KINDS,
    ),
)

PLAN = PlanHeading(
    word="plan",
    noun="area",
    said="In a battle for {names}:",
    said_any="In any battle:",
    kinds=frozenset(("combat", "hit", "retreat", "regroup")),
    each=frozenset(("combat",)),
    done=frozenset(("regroup",)),
    topic="combat",
    sections=("turn", "doctrine"),
    other_words=("battle",),
    missing="a plan for which battle? write 'plan Fife:' or 'plan any:'",
    rule="5.1",
    only_here="{said} has a meaning only in a battle; write it in a plan",
    asked_in=" in {here}",
)

SECTIONS = (
    Section(name="turn"),
    Section(name="winter", heading="In the winter:"),
    Section(
        name="doctrine",
        heading="From now on, if no other order answers:",
        standing=True,
        empty="nothing; you have no standing orders.",
        not_for=frozenset(("victuals", "pillage-build")),  # a doctrine's `build` lines are for winters
        is_plan=True,
    ),
)

WINTER_VERBS = frozenset(verb.name for verb in VERBS if WINTER_KINDS.issuperset(verb.kinds))
"""The verbs whose lines belong to a winter in whatever section they stand."""


def in_force(orders: Orders, came: tuple[int, int], sight: Sight, kinds: frozenset[str]) -> Parts | None:
    """Return the lines of a file that are in force: the turn's for its turn, the winter's in its year.

    A file that answers a winter needs no heading for it. A winter's lines in another file need none either,
    but for an `ask`: that stops the game, so it holds where it says when.
    """
    turn = orders.section("turn")
    if came[0] != sight.year:
        return None
    if not kinds & WINTER_KINDS:
        return turn if came == sight.moment else ()
    if came != sight.moment:
        asks = {id(order) for order in every_order(turn) if order.verb == ASK}
        turn = without(filter(_is_of_winter, turn), asks)
    return (*orders.section("winter"), *turn)


def _is_of_winter(part: Part) -> bool:
    return isinstance(part, Order | Choice) and any(
        order.verb in WINTER_VERBS for order in every_order((part,))
    )


_STRENGTH = "write how strong a block is, such as 'Grant strength at most 1'"
HINTS = {
    **dict.fromkeys(("weak", "damaged", "hurt", "wounded"), _STRENGTH),
    **dict.fromkeys(("strong", "healthy"), "write how strong, such as 'Grant strength at least 3'"),
    **dict.fromkeys(("outnumbered", "losing"), "write 'our strength less than their strength'"),
    "winning": "write 'our strength more than their strength'",
    **dict.fromkeys(("attacks", "attack"), "write 'Fife is attacked', with the area that you mean"),
    **dict.fromkeys(("plays", "played"), "write 'against 3', with the enemy's card"),
}
"""The advice what to write in place of words that people use as conditions and that do not say enough."""
INSTEAD = dict.fromkeys(
    ("attack", "attacks", "invade"),
    "blocks that move to an enemy area attack it: 'move Wallace from Fife to Atholl'; in a plan it is 'fire'",
)
"""The advice what to write in place of words with which people begin a line, though no order does."""


def may_come(sight: Sight, kind: str) -> bool:
    """3.0 to 7.0: tell whether a kind of Ask may still come in this turn, or in the winter after it."""
    if kind in WINTER_KINDS:
        return True
    if sight.is_winter:
        return False
    phases = TURN_PHASES
    last = {"card": "cards", **dict.fromkeys(check_orders.EVENT_KINDS, "events")}.get(kind, phases[-1])
    if kind == "move":
        last = "first move" if sight.is_first else "second move"
    return sight.phase not in phases or phases.index(sight.phase) <= phases.index(last)


def implied(ask: Ask, given: Iterable[Order]) -> str:
    """R10: return `truce` for a side that has ordered the card Truce, unless it wrote `pass`."""
    if ask.kind != "truce":
        return ""
    ordered = any(order.verb == "card" and order.names == ("truce",) for order in given)
    return "truce" if ordered else ""


ROWS = Rows(
    name="hammer",
    sight=Sight,
    memory=Memory,
    nouns=NOUNS,
    verbs=VERBS,
    facts=FACTS,
    measures=MEASURES,
    topics=TOPICS,
    sections=SECTIONS,
    plan=PLAN,
    questions=form.QUESTIONS,
    steps=STEPS,
    in_force=InForce(now=in_force, apart=(WINTER_KINDS,)),
    asking=Asking(
        covering=frozenset(("build",)),  # where blocks are built, a home is asked only by the way
        may_come=may_come,
        implied=implied,
        # of other kinds it depends on what is hidden (R55, 5.41)
        waited_for=lambda _: frozenset(("battle", "hit")),
    ),
    form=Form(in_advance=form.in_advance, asked_now=form.asked_now),
    help=Help(conditions=EXAMPLES, hints=HINTS, instead=INSTEAD),
    check=check_orders.check_file,
    never=Never(worlds=check_orders.worlds, why=check_orders.why_never),
)

LANGUAGE = KitLanguage(ROWS)
