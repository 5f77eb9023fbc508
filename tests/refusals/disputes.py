"""What is not explained, and what is not tried out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from pbem.audit.game import read_record
from pbem.disputes.explain import explain, read_query
from pbem.disputes.record import Record
from pbem.disputes.whatif import KnownDice, OtherLine, what_if
from pbem.trust import chance
from tests.audit.stage import SEATS, write
from tests.refusals.audit_game import A, folder, game
from tests.refusals.clauses import Row

SIDE = SEATS["alice"]


def record(stage: str = "tiny", audience: str = "all") -> Record:
    return read_record(write(game(stage).bundle(audience), folder()))


def explained(query: str, do: Callable[[Record], Record] = lambda one: one) -> Callable[[], object]:
    return lambda: explain(do(record()), query)


def tried(number: int, change: Any, do: Callable[[Record], Record] = lambda one: one) -> Callable[[], str]:
    return lambda: what_if(do(record()), number, change)


def no_share(one: Record) -> Record:
    """Alice's file of exchange 2 holds no step of her chain: nothing was drawn there."""
    return replace(one, files=one.files | {(2, "alice"): replace(one.files[2, "alice"], reveal=None)})  # type: ignore[operator]


def other_secret(one: Record) -> Record:
    return replace(one, secrets=one.secrets | {1: replace(one.secrets[1], value=A)})  # type: ignore[operator]


def nothing_left() -> str:
    """As where the changed rules would draw from nothing."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(KnownDice, "draw", lambda _, label, *__: chance.draw(bytes(32), label, ()))
        return tried(1, LINE)()


LINE = OtherLine(SIDE, "move none", 0)
ROWS = (
    Row("fits 'nowhere'; name", explained("nowhere")),
    Row(f"nothing that {SIDE} knows of hearth fits", explained("nowhere", lambda one: one.narrow_to(SIDE))),
    Row("after 'exchange' write its number, not 'x'", lambda: read_query("exchange x", "a battle")),
    Row("name the event: a battle", lambda: read_query("", "a battle")),
    Row("hearth has no reader called zoe", lambda: record().narrow_to("zoe")),
    Row("this bundle tells what public knows", lambda: record(audience="public").narrow_to(SIDE)),
    Row("hearth has 3 exchanges; there is no exchange 0", lambda: record().exchange(0)),
    Row("exchange 4 of hearth is void: ", lambda: record("interrupted").exchange(4), heavy=True),
    Row("exchange 3 of hearth is still open", lambda: record().exchange(3)),
    Row("does not play exchange 2 of hearth as it was played", tried(2, LINE, no_share)),
    Row("does not play exchange 1 of hearth as it was played", tried(1, LINE, other_secret)),
    Row("this bundle does not open every order file", lambda: what_if(record(audience="public"), 1, LINE)),
    Row("this cannot be played: ", nothing_left),
    Row("no side called 'zoe'; the sides are", tried(1, replace(LINE, side="zoe"))),
    Row("have 0 lines; there is no line 1", tried(1, replace(LINE, place=1))),
    Row("the line cannot be understood: ", tried(1, replace(LINE, text="dance"))),
)
FOLDERS = ("disputes",)
