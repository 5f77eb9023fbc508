"""The facts and measures that Lords' conditions may speak of.

A condition is judged by what its writer sees when their turn comes, and stays so for that turn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from pbem.orders.kit.parsed_orders import Comparison, Term
from pbem.orders.kit.vocabulary import Fact, Measure, Problem, Written, phrases
from pbem.orders.lords.vocabulary import Sight
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
    """Tell whether a card is among these, or for the name of a Clan whether any of its cards is."""
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
    """Return a measure that each side has; a side that does not play has none."""

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
