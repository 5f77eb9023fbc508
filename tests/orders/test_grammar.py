"""Lines and what they mean; wrong lines and what their writer is told, to the letter."""

import pytest

from pbem.orders.base import Fault, faults_in_words, possible_was
from pbem.orders.cursor import Cursor, Faults, Names, Wrong
from pbem.orders.hammer import LANGUAGE
from pbem.orders.lines import read_text
from tests.orders.rows import rows


@pytest.mark.parametrize(("text", "meaning"), rows("lines.txt", "meanings"))
def test_what_lines_mean(text: str, meaning: str) -> None:
    """The language's own layout of what was read."""
    parsed = LANGUAGE.parse(text, "scotland")
    if meaning == "FAULT":
        assert parsed.faults
    else:
        assert [str(fault) for fault in parsed.faults] == []
        assert LANGUAGE.write(parsed.orders).strip() == meaning


def test_long_lines_are_shown_around_the_fault() -> None:
    text = "move " + "Wallace, " * 30 + "Wlalace to Mar"
    [fault] = LANGUAGE.parse(text, "scotland").faults
    shown = str(fault).splitlines()
    assert all(len(line) <= 78 for line in shown[1:])
    assert shown[1][shown[2].index("~") : shown[2].index("^") + 1] == "Wlalace"


def test_faults_of_a_file_are_told_together_the_wrong_before_the_doubtful() -> None:
    def fault(line: int, *, remark: bool) -> Fault:
        return Fault(line=line, column=1, end=1, source="x", message=f"m{line}", remark=remark)

    text = faults_in_words([fault(1, remark=True), *(fault(line, remark=False) for line in range(2, 60))])
    assert text.startswith("line 2: m2\n")
    assert text.endswith("and 19 more")


def test_a_fault_on_a_line_of_signs_that_nobody_sees_has_no_marks() -> None:
    assert str(Fault(line=2, column=1, end=1, source="\u200b", message="to where?")) == "line 2: to where?"


@pytest.mark.parametrize(("count", "more"), [(1, ""), (5, ""), (6, ""), (7, " and more"), (8, " and more")])
def test_six_answers_that_were_possible_are_told(count: int, more: str) -> None:
    answers = [f"a{number}" for number in range(count)]
    assert possible_was(iter(answers)) == f"you could choose {', '.join(answers[:6])}{more}"


@pytest.mark.parametrize(
    ("count", "may_be"),
    [
        (2, "York A or York B"),
        (10, "York A, York B, York C, York D, York E, York F, York G, York H, York I or York J"),
        (11, "York A, York B, York C, York D, York E, York F, York G, York H, York I, York J or York K"),
        (12, "York A, York B, York C, York D, York E, York F, York G, York H, York I, York J and 2 more"),
    ],
)
def test_of_many_names_that_may_be_meant_ten_are_told(count: int, may_be: str) -> None:
    text = read_text("York")
    faults = Faults(text)
    names = Names(f"York {letter}" for letter in "ABCDEFGHIJKL"[:count])
    with pytest.raises(Wrong):
        Cursor(text.statements[0].tokens, faults).name(names, "an area")
    assert [fault.message for fault in faults.found] == [f"'York' can mean {may_be}; write more of the name"]


@pytest.mark.parametrize(("text", "side", "why"), rows("lines.txt", "pauses"))
def test_a_pause_may_depend_on_what_both_see_alone(text: str, side: str, why: str) -> None:
    """Protocol 13: an `ask` under a condition that only its writer can judge is refused."""
    parsed = LANGUAGE.parse(text, side)
    wrong = [fault.message for fault in parsed.faults if not fault.remark]
    assert len(wrong) == bool(why)
    assert all(why in message for message in wrong)
    assert ("ask" in LANGUAGE.write(parsed.orders)) is not bool(why)


def test_what_stands_beside_a_refused_ask_is_read() -> None:
    parsed = LANGUAGE.parse("if Wallace in Fife: ask\notherwise: move none\nbattles Fife", "scotland")
    assert [fault.line for fault in parsed.faults] == [1]
    again = LANGUAGE.parse("if not Wallace in Fife: move none\nbattles Fife", "scotland")
    assert "move none" in LANGUAGE.write(parsed.orders)
    assert "battles Fife" in LANGUAGE.write(parsed.orders)
    assert not again.faults


@pytest.mark.parametrize("last", ["to", "from", "and", ","])
def test_a_line_that_breaks_off_swallows_no_heading(last: str) -> None:
    """The lines of a plan must not count everywhere because the line above it was not finished."""
    parsed = LANGUAGE.parse(f"move Wallace from Fife {last}\nplan Argyll:\nfire all\n", "scotland")
    assert "In a battle for Argyll" in LANGUAGE.say(parsed.orders)
    assert "plan" not in " ".join(fault.message for fault in parsed.faults)
