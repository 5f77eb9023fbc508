"""What every condition of every language says along a game, whole: with each name that a blank may hold."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest

from pbem.orders.kit.language import KitLanguage
from pbem.orders.kit.parsed_orders import Term
from pbem.orders.kit.rows import Rows
from pbem.orders.kit.vocabulary import Blank, Fact, Measure, Written
from pbem.testing.games import random_game
from pbem.titles import load
from tests.kept import Telling, as_kept

GOLDEN = Path(__file__).parent / "golden"
EACH, LAST = 12, 240
SEEDS = {"first-war": 4}
"""So many answers lie between two looks at a game."""
NUMBERS = ("1", "2", "3")


def terms(rows: Rows, side: str) -> Iterator[tuple[Fact | Measure, Term]]:
    """Everything that a condition of a side may speak of, with one name in each blank."""
    every: tuple[Fact | Measure, ...] = (*rows.facts, *rows.measures)
    for row in every:
        for phrase in {(one.blanks, one.preset): one for one in row.phrases}.values():
            blanks = [piece for piece in phrase.pieces if isinstance(piece, Blank)]
            names = [NUMBERS if one.number else rows.by_noun[one.noun].of(side).names for one in blanks]
            for values in product(*names):
                yield row, Term(row.name, phrase.preset or tuple((value,) for value in values))


def said(rows: Rows, side: str, sight: object) -> Iterator[str]:
    """Row by row of what it holds, or the numbers."""
    found: dict[str, list[str]] = {}
    for row, term in terms(rows, side):
        names = "/".join(" ".join(value) for value in term.values)
        try:
            value = row.holds(term, sight) if isinstance(row, Fact) else row.value(term, sight)
        except KeyError:  # a name that `refuse` turns away
            assert row.refuse
            assert row.refuse(Written(term, side, False))
            continue
        if value is not False and value is not None:
            found.setdefault(row.name, []).append(names if value is True else f"{names} {value}".strip())
    yield from (f"{name}: {', '.join(one for one in held if one) or 'yes'}" for name, held in found.items())


def ruled(rows: Rows, side: str) -> Iterator[str]:
    """What may not be written, with the reason, and what its writer alone can judge: how often, and where."""
    found: dict[str, list[str]] = {}
    for row, term in terms(rows, side):
        for where in ("outside", "in a plan"):
            written = Written(term, side, where != "outside")
            refused, secret = row.refuse and row.refuse(written), row.secret and row.secret(written)
            if refused or secret:
                what = f"{row.name} {where}: {refused.reason if refused else 'secret'}"
                found.setdefault(what, []).append("/".join(" ".join(value) for value in term.values))
    yield from (f"{what}, {len(names)} from {names[0]} to {names[-1]}" for what, names in found.items())


@pytest.mark.parametrize("game", ["first-war", "hammer", "lords"])
def test_what_conditions_say_is_as_it_was(game: str) -> None:
    title, told = load(game), Telling()
    language = title.language
    assert isinstance(language, KitLanguage)
    rows, sides = language.rows, dict[str, None]()
    for place, played in enumerate(random_game(title.rules, SEEDS.get(game, 3))):
        if place % EACH == 0:
            for ask in played.asks:
                sides[ask.side] = None
                sight = rows.sight(played.view(ask.side), ask.side, rows.memory())
                told.add(
                    f"after {place} answers, {ask.side} is asked {ask.kind}", said(rows, ask.side, sight)
                )
        if place == LAST:
            break
    for side in sides:
        told.add(f"not to be written by {side}, or secret", ruled(rows, side))
    as_kept(GOLDEN / f"{game}.txt", str(told))
