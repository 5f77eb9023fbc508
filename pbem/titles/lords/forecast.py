"""The worlds that a view of Lords of Scotland leaves possible: where the cards are that it does not show."""

from __future__ import annotations

from typing import Any

from pbem.forecast.replay import Hidden, Placed, Unseen, Worlds
from pbem.rules.base import Chance, View
from pbem.rules.lords.game import imagine

DRAW_PILE, DISCARD = "draw pile", "discard pile"
FACE_DOWN = "?"


class LordsWorlds:
    """The maker of possible worlds for the game "lords"."""

    def hidden(self, view: View) -> Hidden:
        """L8, L12, L32: return the cards that the viewer does not see, any of which may be in any place."""
        rooms = _rooms(view)
        filled = imagine(view)
        cards = [*_named(view, filled), *_piled(view, filled)]
        return Hidden(tuple(Unseen(card, tuple(rooms)) for card in sorted(cards)), rooms)

    def world(self, view: View, placed: Placed, chance: Chance) -> View:
        """Return a position with the hidden cards where they are placed, and with the same side to move."""
        inside: dict[str, list[str]] = {place: [] for place in _rooms(view)}
        for card, place in placed:
            inside[place].append(card)

        def named(name: str, place: str) -> str:
            return inside[place].pop() if name == FACE_DOWN else name

        armies = {
            side: [
                {**row, "card": named(row["card"], _army(side, number))} for number, row in enumerate(army)
            ]
            for side, army in view["armies"].items()
        }
        known = {
            new["card"]: [side, *({view["viewer"]} - {side} if old["card"] != FACE_DOWN else ())]
            for side, army in view["armies"].items()
            for old, new in zip(army, armies[side], strict=True)
        }
        return {
            **imagine(view),
            "to_move": view["to_move"],
            "mustered": view.get("mustered", []),
            "armies": armies,
            "known": known,
            "recruits": [named(name, _recruit(slot)) for slot, name in enumerate(view["recruits"])],
            "hands": {
                side: inside.get(_hand(side), []) if isinstance(hand, int) else hand
                for side, hand in view["hands"].items()
            },
            "draw_pile": inside.get(DRAW_PILE, []),
            "discard": inside.get(DISCARD, []) if isinstance(view["discard"], int) else view["discard"],
        }

    def memory(self, view: View) -> Any:
        """Return None, since the reports of this game remember nothing."""

    def remark(self, view: View) -> str:
        """Return an empty remark, since a turn that is tried out goes on from wherever it is."""
        return ""


def _hand(side: str) -> str:
    return f"hand of {side}"


def _army(side: str, number: int) -> str:
    return f"army of {side}, #{number + 1}"


def _recruit(slot: int) -> str:
    return f"recruit {slot + 1}"


def _rooms(view: View) -> dict[str, int]:
    """Return the places where the viewer does not see the cards, and how many lie there."""
    rooms = {_hand(side): hand for side, hand in view["hands"].items() if isinstance(hand, int)}
    rooms |= {_recruit(slot): 1 for slot, name in enumerate(view["recruits"]) if name == FACE_DOWN}
    for side, army in view["armies"].items():
        rooms |= {_army(side, number): 1 for number, row in enumerate(army) if row["card"] == FACE_DOWN}
    piles = {DRAW_PILE: view["draw_pile"], DISCARD: view["discard"]}
    rooms |= {name: pile for name, pile in piles.items() if isinstance(pile, int)}
    return {place: room for place, room in rooms.items() if room}


def _named(view: View, filled: View) -> list[str]:
    """Return the cards that are imagined where single cards lie face down."""
    pairs = list(zip(view["recruits"], filled["recruits"], strict=True))
    for side, army in view["armies"].items():
        pairs += [(old["card"], new["card"]) for old, new in zip(army, filled["armies"][side], strict=True)]
    return [new for old, new in pairs if old == FACE_DOWN]


def _piled(view: View, filled: View) -> list[str]:
    """Return the cards that are imagined in hands and piles of which the viewer sees only the number."""
    piles = [(view["hands"][side], hand) for side, hand in filled["hands"].items()]
    piles += [(view[name], filled[name]) for name in ("draw_pile", "discard")]
    return [card for old, new in piles if isinstance(old, int) for card in new]


WORLDS: Worlds = LordsWorlds()
