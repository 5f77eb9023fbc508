"""One game of First War: the place of each card and token, the view of each viewer, and positions from views.

F7, F26, F27, F29. A view is built up from nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from pbem.rules.base import Head, Outcome, UnknownOption, View, shown_options
from pbem.rules.cards import CardGame, check_cards
from pbem.rules.first_war.facts import (
    DECK,
    KINDS,
    LIST_ORDER,
    NUMBERS,
    SEASONS,
    SIDES,
    Options,
    enemy_of,
    kind_of,
)
from pbem.rules.flow import GameOver


def _each() -> dict[str, list[str]]:
    return {side: [] for side in SIDES}


@dataclass(slots=True)
class Position:
    """The state of one game of First War."""

    year: int = NUMBERS.first_year
    season: str = "spring"
    phase: str = "setup"
    territories: dict[str, int] = field(default_factory=lambda: dict.fromkeys(SIDES, NUMBERS.territories))
    play: dict[str, list[str]] = field(default_factory=_each)
    hands: dict[str, list[str]] = field(default_factory=_each)
    deck: list[str] = field(default_factory=lambda: list(DECK))
    discard: list[str] = field(default_factory=list)
    out: list[str] = field(default_factory=list)  # F11: sides out of the Event Phase
    truce: bool = False  # F13: no battle in this season
    force: dict[str, int] = field(default_factory=dict)  # each side's Force in this season
    passed: list[str] = field(default_factory=list)  # F20: sides that passed since the last Strategy card
    to_play: str | None = None  # the side whose turn it is in a phase of turns
    played: dict[str, int] = field(default_factory=dict)  # plays of each kind that draws, this season
    sealed: dict[str, list[str]] = field(default_factory=_each)  # F7, F26, F29: deployed or put away unseen
    done: list[str] = field(default_factory=list)  # F7: sides that deploy no more in this phase
    bonus: str = ""  # F8: the card that was drawn, and may be deployed
    chosen: dict[str, str] = field(default_factory=dict)  # F25: the answers to `replace` so far

    def count(self, side: str, *names: str) -> int:
        """F31: return how many Units of these kinds or types a side controls: those that it has in play."""
        return sum(kind_of(card).id in names or kind_of(card).type in names for card in self.play[side])

    def holder(self, card: str) -> str:
        """Return the side that has a card in its hand."""
        return next(side for side in SIDES if card in self.hands[side])

    def lead(self, *names: str) -> str | None:
        """Return the side that controls strictly more Units of these kinds or types; None if neither does."""
        return more({side: self.count(side, *names) for side in SIDES})

    def ahead(self) -> str | None:
        """Return the side with strictly more territories; None if neither has."""
        return more(self.territories)

    def to_discard(self, cards: Iterable[str]) -> None:
        """Put cards on the discard pile, which is sorted and so does not tell in what order they came."""
        self.discard = in_order((*self.discard, *cards))


def more(counts: Mapping[str, int]) -> str | None:
    """Return the side whose number is strictly higher; None if the numbers are equal."""
    return next((side for side in SIDES if counts.get(side, 0) > counts.get(enemy_of(side), 0)), None)


def in_order(cards: Iterable[str]) -> list[str]:
    """Return cards in the order of the card list."""
    return sorted(cards, key=LIST_ORDER.__getitem__)


def kinds(cards: Iterable[str]) -> list[str]:
    """Return the kinds of these cards, each once, in the order of the card list."""
    return sorted({kind_of(card).id for card in cards}, key=lambda kind: KINDS[kind].order)


def take(cards: list[str], kind: str) -> str:
    """F12: remove from a list the card of this kind with the lowest number, and return it."""
    card = in_order(card for card in cards if kind_of(card).id == kind)[0]
    cards.remove(card)
    return card


def put(cards: list[str], card: str) -> None:
    """Put a card into a list, in the order of the card list."""
    cards[:] = in_order((*cards, card))


def view(position: Position, options: Options, outcome: Outcome | None, viewer: str) -> View:
    """Return what `viewer` (a side, "public" or "gm") may see, as JSON-able data."""
    own = SIDES if viewer == "gm" else (viewer,)
    moment = (str(position.year), position.season)
    return Head("first-war", viewer, moment, shown_options(options), outcome).view(
        year=position.year,
        season=position.season,
        phase=position.phase,
        territories=dict(position.territories),
        play={side: play_seen(position, side, own) for side in SIDES},
        hands={side: hand_seen(position, side, own) for side in SIDES},
        deck=list(position.deck) if viewer == "gm" else len(position.deck),
        discard=in_order((*position.discard, *put_away(position, own))),
        out=list(position.out),
        truce=position.truce,
        force=dict(position.force),
        passed=list(position.passed),
        to_play=position.to_play,
        **{name: value for name, value in own_answers(position, own).items() if value},
        **(judge_only(position) if viewer == "gm" else {}),
    )


def play_seen(position: Position, side: str, own: tuple[str, ...]) -> list[str]:
    """F7, F29: return the Units of a side in play, as its owner or as others see them.

    Others do not see yet what was deployed or disbanded sealed.
    """
    play, sealed = position.play[side], position.sealed[side]
    if side in own:
        return list(play)
    if position.phase == "quartering":
        return in_order((*play, *sealed))
    return [card for card in play if card not in sealed]


def hand_seen(position: Position, side: str, own: tuple[str, ...]) -> list[str] | int:
    """F7, F26: return a side's hand, as its owner or as others see it.

    Others see how many cards it held before any were deployed or discarded sealed.
    """
    hand, sealed = position.hands[side], position.sealed[side]
    if side in own:
        return list(hand)
    return len(hand) if position.phase == "quartering" else len(hand) + len(sealed)


def put_away(position: Position, own: tuple[str, ...]) -> list[str]:
    """F26, F29: return the cards discarded or disbanded by these sides that the others do not know yet."""
    return [card for side in own for card in position.sealed.get(side, ()) if position.phase != "recruit"]


def own_answers(position: Position, own: tuple[str, ...]) -> dict[str, Any]:
    """F8, F25: return what a side alone knows: the bonus card that it drew, and the card that it replaces."""
    return {
        "bonus": position.bonus if position.bonus and position.holder(position.bonus) in own else "",
        "chosen": {side: answer for side, answer in position.chosen.items() if side in own},
    }


def judge_only(position: Position) -> dict[str, Any]:
    """Return what the judge's view adds so that a game can go on from it, such as cards put away sealed."""
    return {
        "sealed": {side: list(cards) for side, cards in position.sealed.items()},
        "done": list(position.done),
        "played": dict(position.played),
    }


def restore(given: View, phases: tuple[str, ...]) -> Position:
    """Return the position that `given`, shaped like `view("gm")`, describes.

    What it leaves out is as at the start of a game; without a deck all cards that it does not name are there.

    Raises:
        UnknownOption: a season, phase or card that the game does not have, or a card in two places.
    """
    plain = "year season territories out truce force passed to_play bonus chosen sealed done played".split()
    found = {name: deepcopy(given[name]) for name in plain if given.get(name)}
    position = Position(phase=given.get("phase", "recruit"), **found)
    if position.season not in SEASONS or position.phase not in phases:
        raise UnknownOption(f"there is no {position.phase!r} in {position.season!r}")
    piles = [given.get("play", {}), given.get("hands", {})]
    named = [card for pile in piles for cards in pile.values() for card in cards]
    named += given.get("discard", ())
    deck = given["deck"] if "deck" in given else sorted(set(DECK) - set(named))
    check_cards([*named, *deck], DECK)
    for side in SIDES:
        position.play[side], position.hands[side] = (in_order(pile.get(side, ())) for pile in piles)
    if position.bonus and not any(position.bonus in hand for hand in position.hands.values()):
        raise UnknownOption(f"{position.bonus} is in no hand")
    sealed = {card for cards in position.sealed.values() for card in cards}
    position.deck, position.discard = in_order(deck), in_order({*given.get("discard", ())} - sealed)
    return position


def imagine(view: View) -> View:
    """Return a position that looks to its viewer as the view does.

    Cards not seen fill the other hands, then the deck, in the order of the card list.

    F25: nobody else replaces a card, so that in the End Phase the viewer's own questions come.
    """
    hands = view["hands"]
    own = {side: hand for side, hand in hands.items() if not isinstance(hand, int)}
    seen = {card for pile in (*view["play"].values(), *own.values(), view["discard"]) for card in pile}
    unseen = [card for card in DECK if card not in seen]
    others = {side: [unseen.pop(0) for _ in range(hands[side])] for side in hands if side not in own}
    return {
        **view,
        "viewer": "gm",
        "hands": {side: own.get(side) or others.get(side, []) for side in hands},
        "deck": unseen,
        "chosen": dict.fromkeys(others, "keep") | view.get("chosen", {}) if view["phase"] == "end" else {},
    }


class FirstWar(CardGame[Options, Position]):
    """A game of First War in progress; the rules of each phase are coroutines that take it."""

    rule_of_turns = "Seasonal Turn Sequence"

    def view(self, viewer: str) -> View:
        """Return the view of the game that a side, the public or the game master may see now."""
        return view(self.position, self.options, self.outcome, viewer)

    def tell_season(self) -> None:
        """Tell everybody that a season begins, and how many territories each side holds."""
        now = self.position
        self.tell("season", year=now.year, season=now.season, territories=dict(now.territories))

    def label(self, *parts: str) -> str:
        """Return the label of a draw: the year, the season, and the given parts, which say what it is for."""
        return "/".join((f"{self.position.year}-{self.position.season}", *parts))

    def draw(self, side: str, number: int, *label: str) -> list[str]:
        """Logistics Phase, F5: let a side draw cards; the discard pile replaces a deck that is empty."""
        position = self.position
        drawn: list[str] = []
        for place in range(1, number + 1):
            position.deck, position.discard = self.renewed(position.deck, position.discard)
            if not position.deck:
                break
            card = self.chance.draw(self.label(*label, side, f"card-{place}"), tuple(position.deck))
            position.deck.remove(card)
            put(position.hands[side], card)
            drawn.append(card)
        self.tell("draw", side=side, number=len(drawn), secret={"cards": drawn}, owner=side, why=label[0])
        return drawn

    def nth(self, kind: str) -> str:
        """Return a name for this play of a card that draws cards; no name comes twice in a season."""
        played = self.position.played
        played[kind] = played.get(kind, 0) + 1
        return f"{kind}-{played[kind]}"

    def steal_territory(self, side: str, other: str, number: int) -> None:
        """Territory Tokens, F14: give a side tokens of the other side, which loses no more than it has."""
        territories = self.position.territories
        number = min(number, territories[other])
        territories[side] += number
        territories[other] -= number
        self.tell("territory", side=side, number=number, territories=dict(territories))

    def check_victory(self, side: str) -> None:
        """Victory, F24: end the game at once, even within a phase, if a side holds all twenty territories."""
        if self.position.territories[side] >= NUMBERS.victory:
            raise GameOver(side, "all territories")
