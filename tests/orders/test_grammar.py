"""Lines and what they mean; wrong lines and what their writer is told, to the letter."""

from pathlib import Path

import pytest

from pbem.orders.faults import Fault, faults_in_words
from pbem.orders.hammer import LANGUAGE
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


def faults_to_the_letter() -> list[tuple[str, str]]:
    """faults.txt: lines and what their writer is told."""
    text = (Path(__file__).parent / "faults.txt").read_text(encoding="utf-8")
    blocks = text.split("\n\n")[1:]
    return [tuple(block.removeprefix("| ").strip("\n").split("\n", 1)) for block in blocks]  # type: ignore[misc]


@pytest.mark.parametrize(("text", "expected"), faults_to_the_letter(), ids=lambda value: value.split("\n")[0])
def test_faults_to_the_letter(text: str, expected: str) -> None:
    """What was read, why not, the section, and what would be right."""
    parsed = LANGUAGE.parse(text, "scotland")
    assert "\n".join(str(fault) for fault in parsed.faults) == expected


def test_an_ask_without_a_condition_has_no_otherwise() -> None:
    """It is said even if the `ask` is refused itself."""
    parsed = LANGUAGE.parse("ask crown\notherwise: move none", "scotland")
    assert [fault.message for fault in parsed.faults][1:] == ["'otherwise' must come after an 'if'"]


@pytest.mark.parametrize(("condition", "reason"), rows("lines.txt", "hidden"))
def test_what_a_side_cannot_see_is_refused(condition: str, reason: str) -> None:
    """Design 4: a condition that could refer to something hidden is refused, with the reason."""
    parsed = LANGUAGE.parse(f"if {condition}: move none", "scotland")
    assert not parsed.orders
    assert reason in parsed.faults[0].message
    for hidden in ("their strength in Fife 3", "York Infantry in Fife"):
        assert not LANGUAGE.parse(f"plan any: if {hidden}: fire", "scotland").orders


@pytest.mark.parametrize(("text", "left"), rows("lines.txt", "dropped"))
def test_the_smallest_faulty_part_is_dropped(text: str, left: str) -> None:
    """R113: a wrong entry leaves its list standing; what hangs on a wrong condition does not count."""
    parsed = LANGUAGE.parse(text, "scotland")
    assert any(not fault.remark for fault in parsed.faults)
    assert LANGUAGE.write(parsed.orders).strip() == left


def test_all_mistakes_are_told_at_once() -> None:
    parsed = LANGUAGE.parse("mvoe\ncard 9\nmove Wallace to Mra\n", "scotland")
    assert [(fault.line, fault.column) for fault in parsed.faults] == [(1, 1), (2, 6), (3, 17)]


def test_a_line_that_may_have_been_meant_to_stand_outside_its_case_is_remarked_upon() -> None:
    text = "if first:\nplan Mar:\nfire\nend\nraid rest\n"
    parsed = LANGUAGE.parse(text, "england")
    [remark] = parsed.faults
    assert remark.remark
    assert remark.line == 5
    assert "write 'end' before it" in remark.message
    assert LANGUAGE.parse(f"{text}end\n", "england").faults == ()


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
