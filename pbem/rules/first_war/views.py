"""F7, F26, F27, F29: what each viewer may see, built up from nothing; and a position from such a view."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from pbem.rules.base import Head, Outcome, UnknownOption, View
from pbem.rules.cards import check_cards
from pbem.rules.first_war.facts import DECK, SEASONS, SIDES
from pbem.rules.first_war.options import Options
from pbem.rules.first_war.position import Position, in_order


def view(position: Position, options: Options, outcome: Outcome | None, viewer: str) -> View:
    """What `viewer` (a side, "public" or "gm") may see, as JSON-able data."""
    own = SIDES if viewer == "gm" else (viewer,)
    before = {side: seen for side, seen in position.before.items() if side not in own}
    aside = [card for side in SIDES if side in own for card in position.aside[side]]
    hands: dict[str, Any] = {
        side: before[side][1] if side in before else len(position.hands[side]) for side in SIDES
    }
    moment = (str(position.year), position.season)
    return Head("first-war", viewer, moment, options.as_dict(), outcome).view(
        year=position.year,
        season=position.season,
        phase=position.phase,
        territories=dict(position.territories),
        play={side: list(before[side][0] if side in before else position.play[side]) for side in SIDES},
        hands=hands | {side: list(position.hands[side]) for side in SIDES if side in own},
        deck=list(position.deck) if viewer == "gm" else len(position.deck),
        discard=in_order((*position.discard, *aside)),
        out=list(position.out),
        truce=position.truce,
        force=dict(position.force),
        passed=list(position.passed),
        to_play=position.to_play,
    )


def restore(given: View, phases: tuple[str, ...]) -> Position:
    """The position that `given`, shaped like `view("gm")`, describes; a sealed phase in it begins anew.

    What it leaves out is as at the start of a game; without a deck all cards that it does not name are there.

    Raises:
        UnknownOption: a season, phase or card that the game does not have, or a card in two places.
    """
    plain = ("year", "season", "territories", "out", "truce", "force", "passed", "to_play")
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
    position.deck, position.discard = in_order(deck), in_order(given.get("discard", ()))
    return position
