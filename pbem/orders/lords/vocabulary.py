"""The nouns of Lords' orders: sides, turns, cards, and lists of cards by name, by clan or by rule."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

from pbem.orders.kit.parsed_orders import Order
from pbem.orders.kit.vocabulary import Noun
from pbem.orders.names import Names
from pbem.rules.lords.facts import CARDS, CLANS, NUMBERS, SIDES

BEST, WEAKEST, HIDDEN, REST = "best", "weakest", "hidden", "rest"
BY_RULE = (BEST, WEAKEST, HIDDEN)
OTHER_WORDS = {"strongest": BEST, "highest": BEST, "lowest": WEAKEST, "worst": WEAKEST}
LAST = {"rest": REST, "any": REST, "anything": REST}
"""The words that mean whatever else is possible, the strongest first."""

PLACES = 30
"""Number of Followers of an army that can be named by their place; no army comes near."""

SPELLINGS = {
    f"{other}{card.name.removeprefix(clan.name)}": card.name
    for clan in CLANS.values()
    for other in clan.also
    for card in CARDS.values()
    if card.clan == clan.name
}
"""The card names with other spellings of their Clans, each with the usual name."""
CLAN_SPELLINGS = {other: clan.name for clan in CLANS.values() for other in clan.also}


def _names(*more: str) -> Names:
    """Return the names of cards and clans, the words for a rule, and more names."""
    return Names((*CARDS, *CLANS, *BY_RULE, *more), {**SPELLINGS, **CLAN_SPELLINGS, **OTHER_WORDS})


@cache
def _sides(side: str) -> Names:
    return Names(SIDES, {"me": side, "my": side, "mine": side})


@cache
def _targets(side: str) -> Names:
    """Return the names of targets.

    Supporters are named as they are, Followers with the side that leads them: `red/wemyss-5`, `blue/#2`.
    """
    places = [*CARDS, *CLANS, *(f"#{number}" for number in range(1, PLACES + 1))]
    followers = [f"{owner}/{place}" for owner in SIDES for place in places]
    return _names_with(followers, {f"me/{place}": f"{side}/{place}" for place in places})


def _names_with(more: Iterable[str], aliases: dict[str, str]) -> Names:
    return Names((*CARDS, *CLANS, *BY_RULE, *more), {**SPELLINGS, **OTHER_WORDS, **aliases})


def _offered_cards(order: Order, _: str, sight: Any) -> Iterator[str]:
    """Yield the cards in the side's hand; for a claim, the Supporters."""
    return iter(sight.seen["supporters"] if order.verb == "claim" else sight.hand)


def _offered_recruits(_: Order, __: str, sight: Any) -> Iterator[str]:
    """Yield the Recruits that lie face up, and the slots of all Recruits."""
    return iter((*dict.fromkeys(sight.recruits_up()), *_SLOTS))


def _offered_targets(_: Order, __: str, sight: Any) -> Iterator[str]:
    """Yield the Supporters, and the Followers that the side knows, each with its leader."""
    yield from sight.seen["supporters"]
    for side, army in sight.seen["armies"].items():
        yield from (f"{side}/{row['card']}" for row in army if row["card"] in CARDS)


_SLOTS = [str(slot) for slot in range(1, NUMBERS.recruits + 1)]

NOUNS = (
    Noun(name="side", what="a side", names=_sides, rule="L3", everybody={}),
    Noun(
        name="turn",
        what="a turn",
        names=Names(str(turn) for turn in range(1, NUMBERS.turns + 1)),
        rule="How to Play",
        everybody={},
    ),
    Noun(name="card", what="a card", names=Names(CARDS, SPELLINGS), rule="Reading the Cards", everybody={}),
    Noun(
        name="card or clan",
        what="a card or a Clan",
        names=Names((*CARDS, *CLANS), SPELLINGS | CLAN_SPELLINGS),
        rule="Reading the Cards",
        everybody={},
    ),
    Noun(
        name="recruit",
        what="a Recruit",
        names=_names(*_SLOTS),
        rule="On Your Turn",
        everybody=LAST,
        offers=_offered_recruits,
        mistaken={"number": f"Recruits lie in slots 1 to {NUMBERS.recruits}"},
    ),
    Noun(
        name="number",
        what="a number",
        names=Names(str(number) for number in range(100)),
        rule="On Your Turn",
        everybody={},
    ),
    Noun(
        name="cards",
        what="a card",
        names=_names(),
        rule="Reading the Cards",
        everybody=LAST,
        offers=_offered_cards,
    ),
    Noun(
        name="target",
        what="a target",
        names=_targets,
        rule="Clan Powers",
        everybody=LAST,
        offers=_offered_targets,
        mistaken={"side": "which card of {name}? write, for example, '{name}/scott-5' or '{name}/#1'"},
    ),
)
