"""The order language of Lords of Scotland; pbem/docs/orders-lords.md is its page for players.

Its rows: vocabulary (nouns, and the view that is all they may know of the game), verbs (with answers and
check), and here conditions (facts and numbers). A condition is judged by what its writer sees when their
turn comes, and stays so for that turn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from pbem.orders.base import Standing
from pbem.orders.kit.language import KitLanguage
from pbem.orders.kit.parsed_orders import Choice, Comparison, Order, Orders, Part, Parts, Plan, Term
from pbem.orders.kit.rows import (
    Asking,
    Form,
    Help,
    InForce,
    PlanHeading,
    Question,
    Rows,
    Section,
    Topic,
    openly_asked,
)
from pbem.orders.kit.text import in_advance, notes
from pbem.orders.kit.vocabulary import Fact, Measure, Problem, Written, phrases
from pbem.orders.lords.verbs import VERBS, check_file
from pbem.orders.lords.vocabulary import NOUNS, Memory, Sight
from pbem.rules.base import Ask
from pbem.rules.cards import size
from pbem.rules.lords.facts import CARDS, CLANS, NUMBERS, strength

EXAMPLES = (
    "cockburn-7 works",
    "wemyss-2 is among the recruits",
    "red has scott-5",
    "army red at least 20",
    "best supporter at least 8",
    "red leads",
)


def _always(_: Written) -> bool:
    return True


def _any(name: str, cards: Iterable[str]) -> bool:
    """Tell whether a card is among some cards; for the name of a Clan, whether any of its cards is."""
    return any(name in (card, CARDS[card].clan) for card in cards)


def _one_card(written: Written) -> Problem | None:
    """L12: return why a fact about a power needs one card: by its strength a power works or not."""
    name = written.term.name()
    said = f"which card? write its number too, for example {name}-5"
    return Problem(said, "Reading the Cards") if name in CLANS else None


def _turns(_: Comparison, number: int) -> Problem | None:
    possible = 1 <= number <= NUMBERS.turns
    return None if possible else Problem(f"a round has turns 1 to {NUMBERS.turns}", "How to Play")


FACTS = (
    Fact(
        name="works",
        phrases=phrases("{card or clan} works", "power {card or clan}", "power of {card or clan} works"),
        refuse=_one_card,
        holds=lambda term, sight: sight.works(term.name()),
        example="cockburn-7 works",
    ),
    Fact(
        name="blocked",
        phrases=phrases("{card or clan} is blocked"),
        refuse=_one_card,
        holds=lambda term, sight: bool(sight.blocked_by(term.name())),
        example="cockburn-7 is blocked",
    ),
    Fact(
        name="recruit",
        phrases=phrases("{card or clan} is among the recruits", "{card or clan} among the recruits"),
        holds=lambda term, sight: _any(term.name(), sight.recruits_up()),
        example="wemyss-2 is among the recruits",
    ),
    Fact(
        name="supporter",
        phrases=phrases("{card or clan} is among the supporters", "{card or clan} among the supporters"),
        holds=lambda term, sight: _any(term.name(), sight.seen["supporters"]),
        example="scott-11 is among the supporters",
    ),
    Fact(
        name="hold",
        phrases=phrases("i hold {card or clan}", "i have {card or clan}"),
        secret=_always,
        holds=lambda term, sight: _any(term.name(), sight.hand),
        example="i hold scott-5",
    ),
    Fact(
        name="has",
        phrases=phrases("{side} has {card or clan}"),
        secret=_always,  # a face-down card may be known to its writer
        holds=lambda term, sight: _any(term.name(1), sight.army_seen(term.name())),
        example="red has scott-5",
    ),
    Fact(
        name="leads",
        phrases=phrases("{side} leads", "i lead"),
        secret=_always,  # their own face-down Followers count
        holds=lambda term, sight: sight.leads(term.name() or sight.side),
        example="red leads",
    ),
)


def _each(what: str, mine: str, value: Callable[[Sight, str], int]) -> Measure:
    """Return a measure that has a number for each side; a side that does not play has none."""

    def of_side(term: Term, sight: Sight) -> int | None:
        side = term.name() or sight.side
        return value(sight, side) if side in sight.seen["armies"] else None

    return Measure(
        name=what,
        phrases=phrases(f"{what} {{side}}", f"{what} of {{side}}", f"my {mine}"),
        secret=_always if what == "army" else None,  # the writer may know face-down cards
        value=of_side,
        example=f"{what} red at least 2",
    )


def _extreme(name: str, pick: Callable[[Iterable[int]], int], cards: Callable[[Sight], list[str]]) -> Measure:
    """Return a measure of the strongest or weakest of some cards."""

    def value(_: Term, sight: Sight) -> int | None:
        return pick(map(strength, cards(sight))) if cards(sight) else None

    return Measure(name=name, phrases=phrases(name), value=value, example=f"{name} at least 8")


MEASURES = (
    _each("army", "army", Sight.army),
    _each("followers", "followers", lambda sight, side: len(sight.seen["armies"][side])),
    _each("hand", "hand", lambda sight, side: size(sight.seen["hands"][side])),
    _each("score", "score", lambda sight, side: sight.seen["scores"][side]),
    Measure(
        name="best other army",
        phrases=phrases("best other army"),
        secret=_always,  # a face-down card of it may be known to its writer
        value=lambda _, sight: max(sight.army(side) for side in sight.seen["armies"] if side != sight.side),
        example="best other army more than my army",
    ),
    _extreme("best supporter", max, lambda sight: sight.seen["supporters"]),
    _extreme("best recruit", max, Sight.recruits_up),
    _extreme("lowest follower", min, Sight.face_up),
    Measure(
        name="turn",
        phrases=phrases("turn"),
        value=lambda _, sight: sight.seen["turn"],
        bounds=_turns,
        example="turn at least 3",
    ),
    Measure(
        name="round",
        phrases=phrases("round"),
        value=lambda _, sight: sight.seen["round"],
        example="round at least 3",
    ),
)

TOPICS = (
    Topic(name="turn", kinds=("turn",), said=" when that turn comes", other_words=("recruit", "muster")),
    Topic(name="power", kinds=("power", "target"), said=" how a power is used", other_words=("use", "copy")),
    Topic(
        name="extra",
        kinds=("muster",),
        said=" which card a Makgill lets you muster",
        other_words=("makgill",),
    ),
    Topic(name="claim", kinds=("claim",), said=" about claims", other_words=("claims",)),
)

TURN = PlanHeading(
    word="turn",
    noun="turn",
    said="In turn {names} of this round:",
    said_any="In every turn of this round:",
    kinds=frozenset(),  # its lines are those of its turn, see in_force
    topic="turn",
    other_words=("turns",),
    missing="which turn? write 'turn 3:' or 'turn any:'",
    rule="How to Play",
)

SECTIONS = (
    Section(name="round"),
    Section(
        name="doctrine",
        heading="From now on, if no other order answers:",
        standing=True,
        empty="nothing; you have no standing orders.",
    ),
)

TURN_LINES = (
    "recruit ____",
    "muster ____ down",
    "muster ____ up use ____",
    "muster ____ up copy ____ on ____",
)


def power_lines(ask: Ask) -> list[str]:
    """Return the form's line for a power: that of a Scott, who copies, or of all others."""
    return ["copy ____ on ____" if any(text.startswith("copy") for text in ask.legal) else "use ____"]


QUESTIONS = {
    "turn": Question(
        "Your turn: what do you recruit or muster, best first", "what do you recruit or muster?", TURN_LINES
    ),
    "power": Question(
        "Do you use the power, and on whom; or do you write 'no power'",
        "do you use the power, and on whom?",
        power_lines,
    ),
    "target": Question(
        "On whom do you use the power that you copied",
        "on whom do you use the power that you copied?",
        ("use ____",),
    ),
    "muster": Question(
        "Which card does your Makgill let you muster",
        "which card does your Makgill let you muster?",
        ("then muster ____ up use ____",),
        "the weakest card of your hand, face-down",
    ),
    "claim": Question(
        "Which Supporters do you claim, best first",
        "which Supporter do you claim?",
        ("claim ____",),
        "the strongest Supporter that is left",
    ),
}


def in_force(orders: Orders, came: tuple[int, int], sight: Sight, kinds: frozenset[str]) -> Parts | None:
    """Return the lines of a file that are in force: its turn's, and those below `turn 3:` in that turn.

    A claim counts at the end of the round, whenever it was written. A Makgill asks for the lines with `then
    muster` before others.
    """
    if came[0] < sight.round:
        return None
    parts = _of_turn(orders.section("round"), came, sight, later=False)
    return tuple(parts) if kinds != {"muster"} else tuple(sorted(parts, key=_is_alternative))


def still_in_force(
    orders: Orders, came: tuple[int, int], sight: Sight, _kinds: frozenset[str]
) -> Parts | None:
    """Return the lines that are in force, with those for later turns of the round."""
    if came[0] < sight.round:
        return None
    return tuple(_of_turn(orders.section("round"), came, sight, later=True))


def _is_alternative(part: Part) -> bool:
    return isinstance(part, Order) and part.verb == "muster"


def _of_turn(
    parts: Sequence[Part], came: tuple[int, int], sight: Sight, *, later: bool
) -> Iterator[Order | Choice]:
    """Yield the lines for the turn in progress, or the next one; `later`: also those for turns after it."""
    now = sight.moment
    for part in parts:
        if isinstance(part, Choice):
            cases = (
                replace(case, parts=tuple(_of_turn(case.parts, came, sight, later=later)))  # type: ignore[arg-type]
                for case in part.cases
            )
            yield Choice(cases=tuple(cases))
        elif isinstance(part, Plan):
            turns = [int(name) for name in part.names]
            comes = not turns or now[1] in turns or (later and max(turns) > now[1])
            if came[0] == now[0] and comes:
                yield from part.parts
            else:
                yield from (line for line in part.parts if _claims(line, came, sight))
        elif came == now or _claims(part, came, sight):
            yield part


def _claims(part: Order | Choice, came: tuple[int, int], sight: Sight) -> bool:
    """Tell whether a part is a claim of this round, which may also stand among the lines of a turn."""
    return isinstance(part, Order) and part.verb == "claim" and came[0] == sight.round


def form_in_advance(sight: Sight, asked: set[str], answered: Standing) -> Iterator[str]:
    """Yield the question of a turn at the stop before it, then what the turn may ask further."""
    if "turn" not in asked and sight.turn_comes:
        yield ""
        yield from notes(
            f"ASKED NOW: {QUESTIONS['turn'].text}? (On Your Turn)",
            f"You hold {', '.join(sight.hand) or 'no card'}. Recruits: {sight.said_recruits()}.",
            answered.silence("turn", sight.silence()),
        )
        yield from TURN_LINES
    if "muster" not in asked and sight.may_bring:
        yield from in_advance("muster", ROWS, answered)
    if "claim" not in asked:
        yield from in_advance("claim", ROWS, answered)


ROWS = Rows(
    name="lords",
    sight=Sight,
    memory=Memory,
    nouns=NOUNS,
    verbs=VERBS,
    facts=FACTS,
    measures=MEASURES,
    topics=TOPICS,
    sections=SECTIONS,
    plan=TURN,
    questions=QUESTIONS,
    in_force=InForce(now=in_force, later=still_in_force, apart=(frozenset(("muster",)),)),
    asking=Asking(
        covering=frozenset(("turn",)),
        alternatives=frozenset(("turn",)),
        waited_for=lambda options: openly_asked(TOPICS) if options["pace"] == "strict" else frozenset(),
    ),
    form=Form(in_advance=form_in_advance),
    help=Help(conditions=EXAMPLES),
    check=check_file,
)

LANGUAGE = KitLanguage(ROWS)
