"""F7, F26, F27, F29: the view of each viewer, built up from nothing, and a position from such a view."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from pbem.rules.base import Head, Outcome, UnknownOption, View
from pbem.rules.cards import check_cards
from pbem.rules.first_war.facts import DECK, SEASONS, SIDES
from pbem.rules.first_war.options import Options
from pbem.rules.first_war.position import Position, in_order
from pbem.rules.switches import shown_options


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
    """F26, F29: return what these sides have discarded or disbanded and the others do not know yet."""
    return [card for side in own for card in position.sealed.get(side, ()) if position.phase != "recruit"]


def own_answers(position: Position, own: tuple[str, ...]) -> dict[str, Any]:
    """F8, F25: return what a side alone knows: the bonus card that it drew, and the card that it replaces."""
    return {
        "bonus": position.bonus if position.bonus and position.holder(position.bonus) in own else "",
        "chosen": {side: answer for side, answer in position.chosen.items() if side in own},
    }


def judge_only(position: Position) -> dict[str, Any]:
    """Return what a game begun here needs besides a view: what the sides do sealed, and the labels used."""
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
