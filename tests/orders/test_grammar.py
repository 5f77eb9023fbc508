"""Lines and what they mean; wrong lines and what their writer is told, to the letter."""

from pathlib import Path

import pytest

from pbem.orders.faults import Fault, faults_in_words
from pbem.orders.hammer import LANGUAGE


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("CARD Sea Move", "card sea move"),
        ("play 3", "card 3"),
        ("card her", "card herald"),
        ("move wal, doug from fif to men", "move Wallace, Douglas from Fife to Mentieth"),
        ("move Wallace and Douglas to Mar then Angus", "move Wallace, Douglas to Mar, Angus"),
        ("move Wallace Douglas Barclay to Mar", "move Wallace, Douglas, Barclay to Mar"),
        ("move everybody but Wallace from Fife to Mar", "move all except Wallace from Fife to Mar"),
        ("move the others from Fife to Mar", "move rest from Fife to Mar"),
        ("move McDonald, French to Mar", "move MacDonald, French Knights to Mar"),
        ("move Stewart to Menteith", "move Steward to Mentieth"),
        ("move Wallace to Selkirk Forest", "move Wallace to Selkirk"),
        ("move nobody", "move none"),
        ("hits: Angus, rest", "hits Angus, rest"),
        ("retreat Wallace if round 2", None),
        ("withdraw Wallace to Mar", "retreat Wallace to Mar"),
        ("fight", "fire"),
        ("pillage none", "pillage none"),
        ("pillage nobody", "pillage none"),
        ("herald none", "herald none"),
        (
            "plan any: if they have Edward or knights: fire",
            "plan any:\n    if they have Edward or knights: fire\nend",
        ),
        (
            "plan any: if we have archers or Wallace: fire",
            "plan any:\n    if we have archers or Wallace: fire\nend",
        ),
        (
            "plan any: if they have knights or round 2: fire",
            "plan any:\n    if they have knights or round 2: fire\nend",
        ),
        ("battles: any", "battles rest"),
        ("regroup Wallace to Mar; rest stay", None),
        ("regroup Wallace to Mar; regroup rest stay", "regroup Wallace to Mar\nregroup rest stay"),
        ("build Wallace twice, rest", "build Wallace 2, rest"),
        ("build Wallace 2 steps, Douglas once, nobles 3", "build Wallace 2, Douglas, nobles 3"),
        ("draw Fife twice", "draw Fife 2"),
        ("home Bruce to Annan or Carrick", "home Bruce to Annan, Carrick"),
        ("home King stays", "home King stay"),
        ("ask about regroup", "ask regroup"),
        ("ask before raid", "ask raid"),
        ("ask Edward", "ask edward"),
        ("move none\nask", "move none\nask moves"),
        ("ask", "ask everything"),
        ("move Wallace to Mar if first", "if first: move Wallace to Mar"),
        ("when second, move Wallace to Mar", "if second: move Wallace to Mar"),
        ("if I am first then move Wallace to Mar", "if first: move Wallace to Mar"),
        ("if first against 2 move Wallace to Mar", "if first against 2: move Wallace to Mar"),
        (
            "if first against an event or a move card: card 2",
            "if first against herald or pillage or sea move or truce or victuals or 1 or 2 or 3: card 2",
        ),
        (
            "if no area of mine is attacked: card 2",
            "if none of my areas is attacked: card 2",
        ),
        ("if our blocks in Fife >= 2: card 2", "if our blocks in Fife at least 2: card 2"),
        ("if our blocks in Fife is at least 2: card 2", "if our blocks in Fife at least 2: card 2"),
        ("if Fife is not mine: card 2", "if not Fife is mine: card 2"),
        ("if Wallace is in Fife: card 2", "if Wallace in Fife: card 2"),
        ("if the Norse are on the map: card 2", None),
        ("if the Norse on the map: card 2", "if Norse on the map: card 2"),
        ("if Edward winters in Mar: keep rest", "if Edward winters in Mar: keep rest"),
        ("if not Edward winters: keep rest", "if not Edward winters: keep rest"),
        ("if Bruce winters in Mar: keep rest", None),
        ("battle Fife", "battle Fife"),
        ("battle Fife:\nfire", "plan Fife:\n    fire\nend"),
        ("plan Fife and Mar\nfire", "plan Fife, Mar:\n    fire\nend"),
        ("plan every: fire", "plan any:\n    fire\nend"),
        ("plan Fife: fire\nmove none", "plan Fife:\n    fire\nend\nmove none"),
        (
            "plan Fife: fire\nif second:\nmove none",
            "plan Fife:\n    fire\nend\nif second:\n    move none\nend",
        ),
        (
            "plan Fife: fire\nif Mar is mine:\nmove none\nend\nmove none",
            "plan Fife:\n    fire\nend\nif Mar is mine:\n    move none\nend\nmove none",
        ),
        (
            "plan Fife:\nif round 2:\npass\nif round 3:\nask\nend\nfire",
            "plan Fife:\n    if round 2:\n        pass\n    if round 3:\n        ask\n    end\n    fire\nend",
        ),
        (
            "if first:\nplan Fife: fire\nend\nend\nraid rest",
            "if first:\n    plan Fife:\n        fire\n    end\nend\nraid rest",
        ),
        (
            "if first: move none\notherwise: move Wallace to Mar\ncard 2",
            "if first:\n    move none\notherwise:\n    move Wallace to Mar\nend\ncard 2",
        ),
        ("if round 2: retreat all to Mar; or ask", None),
        (
            "plan any: if round 2: retreat all to Mar or ask",
            "plan any:\n    if round 2: retreat all to Mar\n    if round 2: ask\nend",
        ),
        ("winter\nhome Bruce to Annan\nmove none", "move none\nwinter:\n    home Bruce to Annan\nend"),
        ("doctrine: hits rest\ncard 2", "card 2\ndoctrine:\n    hits rest\nend"),
        ("doctrine:\nend", "doctrine:\nend"),
        ("winter:\nend\nif first:\nend\nplan any:\nend", ""),
    ],
)
def test_what_lines_mean(text: str, meaning: str | None) -> None:
    """The language's own layout of what was read; None: there is a fault."""
    parsed = LANGUAGE.parse(text, "scotland")
    if meaning is None:
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


@pytest.mark.parametrize(
    ("condition", "reason"),
    [
        ("round 2", "has a meaning only in a battle; write it in a plan"),
        ("attacking", "has a meaning only in a battle; write it in a plan"),
        ("they have Edward", "has a meaning only in a battle; write it in a plan"),
        ("our strength less than their strength", "outside a plan write where: 'our strength in Fife'"),
        ("their strength in Fife 3", "you cannot see how strong enemy blocks are until they fight"),
        ("Edward strength 3", "you cannot see how strong Edward is until it fights"),
        ("Edward in Fife", "you cannot see where an enemy block is until it fights"),
        ("York Infantry on the map", "you cannot see where an enemy block is until it fights"),
        ("drawn York Infantry", "you cannot see which blocks the enemy draws"),
    ],
)
def test_what_a_side_cannot_see_is_refused(condition: str, reason: str) -> None:
    """Design 4: a condition that could refer to something hidden is refused, with the reason."""
    parsed = LANGUAGE.parse(f"if {condition}: move none", "scotland")
    assert not parsed.orders
    assert reason in parsed.faults[0].message
    for hidden in ("their strength in Fife 3", "York Infantry in Fife"):
        assert not LANGUAGE.parse(f"plan any: if {hidden}: fire", "scotland").orders


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("move Walace, Douglas to Mar", "move Douglas to Mar"),
        ("herald Rooss, Mar", "herald Mar"),
        ("retreat Wallace to Feif, Mar", "retreat Wallace to Mar"),
        ("move Wallace to Feif, Mar", ""),
        ("move Wallace to Mar hastily", ""),
        ("card 3\nmvoe\nbattles Mar", "card 3\nbattles Mar"),
        ("if frist:\nmove Wallace to Mar\notherwise:\nmove none\nend\ncard 3", "card 3"),
        ("if frist: move Wallace to Mar\ncard 3", "card 3"),
        ("plan Fiffe:\nfire\nretreat all to Mar\ncard 3", "card 3"),
        (
            "plan Fife:\nfire\nif round 2:\nmove Wallace to Mar\nend\ncard 3",
            "plan Fife:\n    fire\nend\ncard 3",
        ),
        ("otherwise:\nmove none\nend\ncard 3", "card 3"),
    ],
)
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


@pytest.mark.parametrize(
    ("text", "side", "why"),
    [
        ("ask crown", "scotland", "write 'crown NAME' or 'event'"),
        ("winter:\nif drawn Norse: ask builds", "scotland", "the pause would show everybody"),
        ("winter:\nask builds if drawn French", "scotland", "the pause would show everybody"),
        ("if Wallace in Fife: ask moves", "scotland", "the pause would show everybody"),
        ("if not Norse on the map: ask", "scotland", "the pause would show everybody"),
        (
            "if Wallace in Fife:\nmove none\notherwise:\nask\nend",
            "scotland",
            "the pause would show everybody",
        ),
        ("if first and Wallace in Fife:\nplan Fife: ask\nend", "scotland", "the pause would show everybody"),
        ("if Wallace in Fife: move none\notherwise: ask", "scotland", "the pause would show everybody"),
        ("if Wallace in Fife: move none or ask", "scotland", "the pause would show everybody"),
        ("if our strength in Fife at least 4: ask battles", "scotland", "the pause would show everybody"),
        ("plan any:\nif Wallace strength at most 1: ask", "scotland", "the pause would show everybody"),
        ("plan any:\nif our strength less than 3: ask regroup", "scotland", "the pause would show everybody"),
        ("plan any:\nif we have King: ask forced retreat", "scotland", "the pause would show everybody"),
        ("plan any:\nif our strength less than their strength: ask", "scotland", ""),
        ("plan any:\nif we have King: ask hits", "scotland", ""),
        ("plan any:\nif they have Edward: ask regroup", "scotland", ""),
        ("plan any:\nif Edward strength at most 1: ask", "scotland", ""),
        ("plan any:\nif Edward strength at most 1: ask", "england", "the pause would show everybody"),
        ("if first and Fife is attacked: ask", "england", ""),
        ("winter:\nif Edward winters: ask home", "england", ""),
        ("if our blocks in Fife at least 2: ask", "scotland", ""),
    ],
)
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
