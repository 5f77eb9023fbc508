"""L8, L18, L21, L31, L32: the view of each viewer, built up from nothing, and a position from such a view."""

from __future__ import annotations

from typing import Any

from pbem.rules.base import Head, Outcome, UnknownOption, View
from pbem.rules.cards import check_cards
from pbem.rules.lords.facts import CARDS, NUMBERS, rank
from pbem.rules.lords.options import Options
from pbem.rules.lords.position import Follower, Position, Recruit
from pbem.rules.switches import shown_options


def view(position: Position, options: Options, outcome: Outcome | None, viewer: str) -> View:
    """Return what `viewer` (a side, "public" or "gm") may see, as JSON-able data."""
    judge = viewer == "gm"
    sides = position.sides
    moment = (f"round {position.round}", f"turn {position.turn}")
    return Head("lords", viewer, moment, shown_options(options), outcome).view(
        round=position.round,
        turn=position.turn,
        phase=position.phase,
        holder=position.holder,
        to_move=position.to_move,
        supporters=list(position.supporters),
        recruits=[row.name if row.up or judge or not row.name else "?" for row in position.recruits],
        recruits_up=[row.up for row in position.recruits],
        armies={side: [shown(row, viewer) for row in position.armies[side]] for side in sides},
        hands={
            side: list(hand) if viewer in (side, "gm") else len(hand) for side, hand in position.hands.items()
        },
        victory={side: list(position.victory[side]) for side in sides},
        scores={side: position.score(side) for side in sides},
        claims={side: list(position.claims[side]) for side in sides},
        discard=list(position.discard) if judge or options.discard_pile_public else len(position.discard),
        draw_pile=sorted(position.draw_pile, key=rank) if judge else len(position.draw_pile),
        **({"mustered": list(position.mustered)} if position.mustered else {}),
        **(judge_only(position) if judge else {}),
    )


def shown(follower: Follower, viewer: str) -> dict[str, Any]:
    """L18, L32: return one Follower; who controls or has controlled a face-down one knows it."""
    return {
        "card": follower.name if follower.up or viewer == "gm" or viewer in follower.known else "?",
        "up": follower.up,
        "active": follower.power is not None,
        "copied": follower.copied,
        "kept": follower.kept,
    }


def judge_only(position: Position) -> dict[str, Any]:
    """Return what a game begun here needs besides a view.

    That is who knows which card, and how many cards were dealt where.
    """
    return {
        "known": {follower.name: list(follower.known) for _, follower in position.followers()},
        "dealt": [recruit.dealt for recruit in position.recruits],
        "forsyths": dict(position.forsyths),
    }


def restore(options: Options, given: View) -> Position:
    """Return the position that `given`, shaped like `view("gm")`, describes.

    What it leaves out is as at the start of a game; without a draw pile all cards that it does not name lie
    there. The holder of the token, if to move, has turned up a Recruit. Without anybody to move the round is
    at its end.

    Raises:
        UnknownOption: a side or card that the game does not have, or a card in two places.
    """
    first = options.sides[0] if options.first == "drawn" else options.first
    holder = given.get("holder", first)
    to_move = given.get("to_move", holder)
    turn = given.get("turn", 1)
    names = [*given.get("recruits", ()), *[""] * NUMBERS.recruits][: NUMBERS.recruits]
    up = given.get("recruits_up", [slot <= turn for slot in range(1, NUMBERS.recruits + 1)])
    dealt = given.get("dealt", [1] * NUMBERS.recruits)
    known = given.get("known", {})
    position = Position(
        options.sides,
        phase=given.get("phase", "turns" if to_move else "claims"),
        round=given.get("round", 1),
        turn=turn,
        holder=holder,
        to_move=to_move,
        mustered=list(given.get("mustered", ())),
        supporters=list(given.get("supporters", ())),
        recruits=[Recruit(*row) for row in zip(names, up, dealt, strict=True)],
        armies={
            side: [_follower(row, side, known) for row in army]
            for side, army in given.get("armies", {}).items()
        },
        hands={side: sorted(hand, key=rank) for side, hand in given.get("hands", {}).items()},
        victory={side: list(pile) for side, pile in given.get("victory", {}).items()},
        claims={side: list(names) for side, names in given.get("claims", {}).items()},
        forsyths=dict(given.get("forsyths", {})),
        discard=sorted(given.get("discard", ()), key=rank),
        draw_pile=list(given.get("draw_pile", ())),
    )
    if "draw_pile" not in given:
        position.draw_pile = [name for name in options.deck if name not in set(position.places())]
    _check(position)
    return position


def _follower(row: dict[str, Any], side: str, known: dict[str, list[str]]) -> Follower:
    clan = CARDS[row["card"]].clan
    power = (row.get("copied") or clan) if row.get("active") else None
    known_to = known.get(row["card"], [side])
    return Follower(row["card"], row.get("up", True), power, row.get("kept", False), list(known_to))


def _check(position: Position) -> None:
    sides = {position.holder, position.to_move or position.holder, *position.armies, *position.hands}
    if unknown := sorted(sides - set(position.sides)):
        raise UnknownOption(f"no side called {unknown[0]!r}; there are {', '.join(position.sides)}")
    army = position.armies[position.to_move] if position.to_move else []
    if position.mustered and position.mustered[0] not in [follower.name for follower in army]:
        raise UnknownOption(f"{position.mustered[0]} has not been mustered")
    check_cards(position.places(), CARDS)
