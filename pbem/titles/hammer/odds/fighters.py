"""The fighters of a battle: what odds need of each block, and forces as people write them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from pbem.errors import OrderError
from pbem.orders.faults import listed
from pbem.orders.hammer.vocabulary import ALL_BLOCKS, can_hold
from pbem.orders.lines import Token, read_text
from pbem.rules.hammer.facts import AREAS, BLOCKS, ENGLAND_AREA
from pbem.rules.hammer.losses_5_7 import worth
from pbem.rules.hammer.position import Block


@dataclass(frozen=True, slots=True)
class Fighter:
    """2.11, 2.12: one block in a battle, with its strength when the battle begins.

    `rank`: its place in the block list; `cheap`: how little its owner minds losing it, by the rules' own
    default (5.41). `at_home`: 1.4, a noble in a home of its own.
    """

    name: str
    side: str
    strength: int
    letter: str
    number: int
    kind: str
    rank: int
    cheap: tuple[int, int, int]
    at_home: bool = False
    black_cross: bool = False
    celtic: bool = False
    reserve: bool = False


@lru_cache(maxsize=4_096)
def fighter(name: str, side: str, strength: int, area: str, *, reserve: bool = False) -> Fighter:
    """Return a block of the game, as it stands in `area`."""
    fact = BLOCKS[name]
    return Fighter(
        name=name,
        side=side,
        strength=strength,
        letter=fact.letter,
        number=fact.number,
        kind=fact.kind,
        rank=fact.order,
        cheap=worth(Block(fact, side, fact.move)),
        at_home=area in fact.homes,
        black_cross=fact.black_cross,
        celtic=fact.celtic,
        reserve=reserve,
    )


def land_ways_out(area: str, side: str) -> dict[str, int]:
    """5.5, R81: return the limits of neighbours into which a side may retreat if its own or vacant."""
    english = not can_hold(side, "King")
    return {
        to: border.limit
        for to, border in AREAS[area].neighbours.items()
        if (english if to == ENGLAND_AREA else not (english and area == ENGLAND_AREA))
    }


def read_force(text: str, side: str, area: str) -> tuple[Fighter, ...]:
    """Return the blocks of a text such as "Wallace 4, Douglas; reserve Keith 2", reserves for round 2.

    A block without a number has full strength.

    Raises:
        OrderError: a name that the side has not, or an impossible strength.
    """
    found: list[Fighter] = []
    for statement in read_text(text).statements:
        reserve = False
        tokens = list(statement.tokens)
        while tokens:
            word = tokens[0].word
            if word in (",", "and"):
                tokens.pop(0)
            elif word in ("reserve", "reserves", ":"):
                reserve = True
                tokens.pop(0)
            else:
                name = _name(tokens, side)
                strength = _strength(tokens, name)
                if any(name == other.name for other in found):
                    raise OrderError(f"{name} is named twice")
                found.append(fighter(name, side, strength, area, reserve=reserve))
    if not found:
        raise OrderError(f"'{text}' names no block")
    return tuple(found)


def _name(tokens: list[Token], side: str) -> str:
    match = ALL_BLOCKS.read(tuple(token.word for token in tokens[:4]))
    said = " ".join(token.word for token in tokens[: match.words or 1])
    if len(match.names) > 1:
        raise OrderError(f"'{said}' can mean {listed(match.names, 'or')}; write more of the name")
    if not match.name:
        near = ALL_BLOCKS.near(tokens[0].word)
        meant = f"; did you mean {listed(near, 'or')}?" if near else ""
        raise OrderError(f"no block is called '{said}'{meant}")
    if not can_hold(side, match.name):
        raise OrderError(f"{match.name} cannot fight for {side.capitalize()}")
    del tokens[: match.words]
    return match.name


def _strength(tokens: list[Token], name: str) -> int:
    most = BLOCKS[name].max
    if not tokens or not tokens[0].word.isdigit():
        return most
    said = tokens.pop(0).word
    strength = int(said[:3])
    if not 1 <= strength <= most:
        raise OrderError(f"{name} cannot have strength {said}; 1 to {most} are possible")
    return strength
