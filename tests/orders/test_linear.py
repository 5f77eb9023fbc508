"""A look at orders costs as much as they are long, and no more, whatever their shape: calls are counted."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import pytest

from pbem.orders.base import Language
from pbem.orders.hammer import LANGUAGE
from pbem.orders.kit.parse import MAX_HEADINGS
from pbem.orders.lines import MAX_STATEMENTS, read_text
from pbem.orders.plain import PlainLanguage
from pbem.player.outgoing.drafts import study

GAMES = Path(__file__).parents[2] / "games"
REPORTS = {
    "hammer": GAMES / "campaign-to-1298/reports/scotland/demo-0003.txt",
    "lords": GAMES / "lords-for-three/reports/red/demo-0004.txt",
    "first-war": GAMES / "first-war-1298/reports/scots/demo-0004.txt",
}
SIZE = 150
GROWTH = 2.2
"""Times as many calls at most, for a text that is twice as long."""
BOUNDED = ("questions", "references to lines")
"""Shapes of which a forecast asks each line at each question: the number of lines bounds their product."""

Shape = Callable[[int], str]
SHAPES: dict[str, Shape] = {
    "a list of one name": lambda n: f"move {'Mar, ' * n}to Fife",
    "a list of names that are here": lambda n: f"move {'Wallace, Douglas, ' * n}to Fife",
    "a list of names that nobody knows": lambda n: f"move {'xyzzy, ' * n}to Fife",
    "a list of names by their beginnings": lambda n: f"move {'Wal, Dou, ' * n}to Fife",
    "a list of typing errors": lambda n: "\n".join(f"move Walace{i} to Fief" for i in range(n)),
    "places in a list": lambda n: f"move Wallace to {'Fife, ' * n}Mar",
    "a line again and again": lambda n: "move Wallace to Fife\n" * n,
    "a line with other numbers": lambda n: "".join(f"card {i}\n" for i in range(n)),
    "words without an order": lambda n: "hello there\n" * n,
    "one long line of words": lambda n: "hello " * n,
    "one long word": lambda n: "hello" * n,
    "letters": lambda n: "a " * n,
    "digits": lambda n: "1 " * n,
    "commas": lambda n: "," * n,
    "semicolons": lambda n: "card 2;" * n,
    "colons": lambda n: "if first:" * n,
    "parentheses opened": lambda n: "card 2 " + "(" * n,
    "parentheses closed": lambda n: "card 2 " + ")" * n,
    "parentheses in pairs": lambda n: "card (x) " * n,
    "conditions in one another": lambda n: "if first:\n" * n + "card 2",
    "conditions beside each other": lambda n: "if first:\nmove Wallace to Fife\nend\n" * n,
    "conditions joined by and": lambda n: f"if {'first and ' * n}first: card 2",
    "conditions joined by or": lambda n: f"if {'first or ' * n}second: card 2",
    "negations": lambda n: f"if {'not ' * n}first: card 2",
    "plans": lambda n: "plan Fife:\nfire\nend\n" * n,
    "lines of a plan": lambda n: (
        "plan Fife:\n" + "if Wallace strength at most 1: retreat Wallace to Fife\n" * n
    ),
    "headings in one line": lambda n: "winter: " * n + "build Mar",
    "plans in one line": lambda n: "plan any: " * n + "fire",
    "sections": lambda n: "winter:\nbuild Mar\nend\n" * n,
    "ends": lambda n: "end\n" * n,
    "cases": lambda n: "if first: card 2\n" + "otherwise if second: card 1\n" * n,
    "notes": lambda n: "note card 2; card 3\n" * n,
    "notes in one line": lambda n: "note card 2; " * n,
    "arrows": lambda n: "move Wallace " + "-> Fife " * n,
    "dashes": lambda n: "move Wallace " + "-" * n + "> Fife",
    "quoting": lambda n: "> " * n + "card 2",
    "bullets": lambda n: "\u2022 " * n + "card 2",
    "blanks of a form": lambda n: "move ____ to ____\n" * n,
    "underscores": lambda n: "_" * n,
    "full stops": lambda n: "." * n,
    "residue of quoted-printable": lambda n: "card=20" * n,
    "lines cut by quoted-printable": lambda n: "card 2 =\n" * n,
    "entities": lambda n: "&nbsp;card" * n,
    "unknown signs": lambda n: "\u0436" * n,
    "unknown signs in lines": lambda n: "card 2 \u0436\n" * n,
    "marks upon letters": lambda n: "card 2" + "\u0301" * n,
    "markers of a form": lambda n: "begin orders\ncard 2\nend orders\n" * n,
    "lines that go on": lambda n: "move Wallace,\n" * n + "Douglas to Fife",
    "references to lines": lambda n: "".join(f"if {name} is attacked: ask\n" for name in ("Fife", "Mar") * n),
    "questions": lambda n: "ask\n" * n,
    "hits": lambda n: "plan any:\n" + f"hits {'Wallace, ' * n}rest\nend",
}


def calls(text: str, report: str) -> int:
    """Count the calls, of Python and of C, that a look at orders makes, with its forecast."""
    count = 0

    def note(frame: FrameType, event: str, what: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(note)
    try:
        study(text, report, lambda _: None, lambda *_: None)
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.ci
@pytest.mark.parametrize("game", REPORTS)
@pytest.mark.parametrize("shape", SHAPES)
def test_a_text_of_twice_the_length_takes_twice_the_calls(game: str, shape: str) -> None:
    report, text = REPORTS[game].read_text(encoding="utf-8"), SHAPES[shape]
    size = MAX_STATEMENTS if shape in BOUNDED else SIZE
    calls(text(1), report)  # what is made once is made
    once, doubled = calls(text(size), report), calls(text(2 * size), report)
    assert doubled <= GROWTH * once, (once, doubled)


@pytest.mark.parametrize("language", [LANGUAGE, PlainLanguage({"card": ("card",)})], ids=["kit", "plain"])
@pytest.mark.parametrize("more", [0, 1, 5])
def test_what_exceeds_the_number_of_orders_does_not_count_and_the_rest_does(
    language: Language, more: int
) -> None:
    parsed = language.parse("card 2\n" * MAX_STATEMENTS + "card 3\n" * more, "scotland")
    assert "card 3" not in language.write(parsed.orders)
    assert language.write(parsed.orders).count("card 2") == MAX_STATEMENTS
    told = [fault for fault in parsed.faults if "400 orders at most" in fault.message]
    assert [(fault.line, fault.remark) for fault in told] == [(MAX_STATEMENTS + 1, False)] * bool(more)


def test_a_line_of_very_many_headings_is_refused_with_words() -> None:
    for count in (1, MAX_HEADINGS, MAX_HEADINGS + 1, 3_500):
        parsed = LANGUAGE.parse("winter: " * count + "build Mar", "scotland")
        told = any("8 headings at most" in fault.message for fault in parsed.faults)
        assert told == (count > MAX_HEADINGS)
        assert ("build Mar" in LANGUAGE.write(parsed.orders)) != told


def test_that_there_are_too_many_orders_is_told_beside_any_number_of_faults() -> None:
    parsed = LANGUAGE.parse("crad 2\n" * (MAX_STATEMENTS + 1), "scotland")
    assert any("400 orders at most" in fault.message for fault in parsed.faults)


@pytest.mark.ci
@pytest.mark.parametrize(("sign", "many"), [("=", 300_000), ("-", 300_000), ("=-", 150_000)])
def test_signs_that_might_begin_an_arrow_are_gone_through_once(sign: str, many: int) -> None:
    """Within a pattern no calls are counted: gone through again from each of them, this takes minutes."""
    text = read_text(f"move Wallace {sign * many}> Fife\nmove Wallace >=--> Fife\nnote {sign * many}\n")
    words = [one.words for one in text.statements[:2]]
    assert words == [("move", "wallace", "to", "fife"), ("move", "wallace", ">=", "to", "fife")]
