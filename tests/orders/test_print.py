"""Orders printed and read again are the same orders; the plain words leave nothing out."""

from __future__ import annotations

import random
import re
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as some

from pbem.orders.hammer import LANGUAGE, ROWS
from pbem.orders.hammer.vocabulary import GROUPS
from pbem.orders.kit.parsed_orders import every_order
from pbem.rules.base import View
from pbem.rules.hammer.facts import MAX_ROUNDS
from tests.hammer.order_table import new_game
from tests.orders.rows import rows

PAGE = (Path(__file__).parent.parent.parent / "pbem" / "docs" / "orders.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"(?:^    .*\n|^\n(?=    ))+", PAGE, flags=re.MULTILINE)
LINES = [line for block in BLOCKS for line in block.splitlines() if line.strip()]
WORDS = sorted(set(re.findall(r"[A-Za-z]+|\d+|[:;,]", PAGE)))
STRUCTURE = [
    "end",
    "end plan",
    "if first:",
    "if round 2:",
    "if Fife is mine:",
    "otherwise:",
    "plan Fife:",
    "plan any:",
]
STRUCTURE += [
    "winter:",
    "doctrine:",
    "or ask",
    "ask",
    "done",
    "otherwise: fire",
    "if first: plan Mar: fire",
    "____",
]

scribbles = some.lists(
    some.one_of(
        some.sampled_from(LINES),
        some.sampled_from(STRUCTURE),
        some.lists(some.sampled_from(WORDS), max_size=8).map(" ".join),
    ),
    max_size=25,
).map("\n".join)


@pytest.mark.ci
@given(text=scribbles, side=some.sampled_from(("scotland", "england")))
def test_what_is_printed_is_read_as_the_same_orders(text: str, side: str) -> None:
    """parse(write(orders)) == orders, without a fault, whatever the orders came from."""
    orders = LANGUAGE.parse(text, side).orders
    again = LANGUAGE.parse(LANGUAGE.write(orders), side)
    assert again.orders == orders
    assert [str(fault) for fault in again.faults if not fault.remark] == []
    assert LANGUAGE.write(again.orders) == LANGUAGE.write(orders)


@pytest.mark.ci
@given(text=some.text(max_size=300), side=some.sampled_from(("scotland", "england")))
def test_no_text_makes_the_language_fail(text: str, side: str) -> None:
    """Reading, telling, checking: any text is orders or faults."""
    parsed = LANGUAGE.parse(text, side)
    for fault in (*parsed.faults, *LANGUAGE.check(parsed.orders, new_game(0).view(side))):
        assert str(fault)
    assert LANGUAGE.say(parsed.orders)


@cache
def random_view(seed: int) -> View:
    """Somewhere in a random game, the later the larger the seed."""
    game = new_game(seed)
    dice = random.Random(seed)
    for _ in range(30 * seed):
        if game.asks:
            game.answer(game.asks[0].side, dice.choice(game.asks[0].legal))
    return game.view("scotland")


@pytest.mark.ci
@given(text=scribbles, seed=some.integers(0, 5))
def test_checks_never_fail_and_never_forget_a_line(text: str, seed: int) -> None:
    parsed = LANGUAGE.parse(text, "scotland")
    for fault in LANGUAGE.check(parsed.orders, random_view(seed)):
        assert str(fault)
        assert fault.source == parsed.orders.source[fault.line - 1]


def test_the_page_for_players_is_read_without_a_fault() -> None:
    """pbem/docs/orders.md: every example on it is right."""
    assert len(BLOCKS) == 6
    assert f"when you must retreat after round {MAX_ROUNDS}." in " ".join(PAGE.split())
    for block in BLOCKS:
        parsed = LANGUAGE.parse(block, "scotland")
        assert [str(fault) for fault in parsed.faults] == []
        assert LANGUAGE.write(parsed.orders)


def test_the_page_for_players_shows_every_verb_topic_and_group() -> None:
    """An order that is not on the page is not part of the language."""
    for verb in ROWS.by_verb:
        assert re.search(rf"\b{verb}\b", PAGE), verb
    for topic in ROWS.by_topic:
        assert re.search(rf"\b{topic}\b", PAGE, flags=re.IGNORECASE), topic
    for group in GROUPS:
        assert f"`{group}`" in PAGE


def test_the_conditions_in_the_page_are_conditions() -> None:
    """The table of conditions: each can be written after `if`, those of battles in a plan."""
    rows = re.findall(r"^\| (`.*) \| (.*) \|$", PAGE, flags=re.MULTILINE)
    assert len(rows) >= 9
    for cell, when in rows:
        for condition in re.findall(r"`([^`]+)`", re.sub(r"\(.*?\)", "", cell)):
            plan = "plan any:\n" if "plan" in when else ""
            order = "fire" if plan else "move none"
            parsed = LANGUAGE.parse(f"{plan}if {condition}: {order}", "scotland")
            assert [str(fault) for fault in parsed.faults] == [], condition
            assert parsed.orders


def test_the_turn_of_the_page_in_plain_words() -> None:
    """What the receipt repeats."""
    said = Path(__file__).with_name("turn.txt")
    assert LANGUAGE.say(LANGUAGE.parse(BLOCKS[0], "scotland").orders) == said.read_text(encoding="utf-8")


@pytest.mark.parametrize(("line", "said"), rows("lines.txt", "sentences"))
def test_sentences(line: str, said: str) -> None:
    assert LANGUAGE.say(LANGUAGE.parse(line, "scotland").orders).strip() == said


def test_every_verb_has_a_sentence() -> None:
    text = "\n".join((*LINES, "winter Edward", "winter Edward"))
    orders = LANGUAGE.parse(text.replace("winter:", "").replace("doctrine:", ""), "england").orders
    for order in every_order(orders.section("turn")):
        alone = type(orders)(side="england", sections=(("turn", (order,)),))
        assert LANGUAGE.say(alone).strip().endswith(".")
