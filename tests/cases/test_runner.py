"""What plays the cases is not easily pleased: everything that is not as a case says makes it fail."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cases.casefile import CaseFault, read_cases
from tests.cases.runner import CaseFailed, play

START = """
case 4.3/1  a title
shows 4.3
given first move, first scotland, cards scotland 1 england 1
Fife: S Wallace 4, Douglas 3
Mentieth: E Mentieth 3
"""


def play_text(tmp_path: Path, text: str) -> None:
    (tmp_path / "hammer").mkdir()
    path = tmp_path / "hammer/some.case"
    path.write_text(text, encoding="utf-8")
    for case in read_cases(path):
        play(case)


def test_a_case_that_is_right_passes(tmp_path: Path) -> None:
    play_text(
        tmp_path,
        START + "S move Wallace to Angus; move Douglas to Mentieth; (done)\nE (done)\ndice 1 6 6\n"
        "told public battle: area = Mentieth;\n  attacker = scotland\nE fire Mentieth\n"
        "expect Mentieth: S Douglas 2; E Mentieth 3; Angus: S Wallace 4; Fife: empty; pool: S Keith\n",
    )


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("S move Wallace to Lothian", "no border"),
        ("S move Wallace to Angus ! 4.3 red", "is among the legal answers"),
        ("S move Wallace to Lothian ! 4.3 no border", "was refused otherwise"),
        ("S move Wallace to Lothian ! 1.1 red", "was refused otherwise"),
        ("dice 3\nS move Wallace to Angus", "foreseen, but neither rolled nor drawn"),
        ("S move Wallace to Mentieth; done\nE (done)\nS fire Wallace", "no die is foreseen"),
        (
            "S move Wallace to Mentieth; done\nE (done)\ndice */die-2 = 1\nS fire Wallace",
            "the next die is for",
        ),
        ("asks S move: done", "legal too: move Douglas"),
        ("asks S move: fly | ...", "not among the legal answers: fly"),
        ("asks E move", "is asked nothing"),
        ("asks S card", "is asked move"),
        ("not asked S move", "is asked move"),
        ("not asked S", "is asked move"),
        ("not legal S done", "is legal"),
        ("private S move", "is public"),
        ("default S move Wallace to Angus", "the default is 'done'"),
        ("told england move", "was not told that"),
        ("S move Wallace to Angus\ntold england move: path = Fife, Atholl", "was not told that"),
        ("S move Wallace to Angus\ntold england move: block = Wallace", "was not told that"),
        ("S move Wallace to Angus\ntold scotland move: block absent", "was not told that"),
        ("S move Wallace to Angus\ntold england move\ntold england move", "was not told that"),
        ("S move Wallace to Angus\nuntold england move", "was told"),
        ("hidden from scotland: Wallace", "can read Wallace"),
        ("view england areas.Fife.scotland = 3", "sees 2"),
        ("view england blocks.Wallace.strength = 4", "sees nothing there"),
        ("view scotland blocks.Wallace absent", "sees side scotland"),
        ("expect Fife: S Wallace 3, Douglas 3", "there are: "),
        ("expect Fife: S Wallace 4", "there are: "),
        ("expect Fife: E Wallace 4, Douglas 3", "there are: "),
        ("expect Angus: S Keith", "no blocks"),
        ("expect Fife: empty", "there are: "),
        ("expect pool: S Wallace", "there are: "),
        ("expect outcome scotland", "outcome: None"),
        ("stop winter", "stands at the stop None"),
        ("start", "no phase"),
        ("start ! no such block", "nothing was refused"),
    ],
)
def test_a_case_that_is_wrong_fails(tmp_path: Path, script: str, why: str) -> None:
    text = START if why != "no phase" else START.replace("first move", "first mov", 1)
    with pytest.raises(CaseFailed) as failure:
        play_text(tmp_path, text + script + "\n")
    told = str(failure.value)
    assert why in told
    assert "case 4.3/1  a title" in told
    assert f"{tmp_path}/hammer/some.case:" in told


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("Fife: S Wallace\n", "stands before the first case"),
        (START.replace("4.3/1", "4.3"), "a case begins"),
        (START.replace("shows 4.3\n", "") + "S done\n", "needs a line 'shows'"),
        (START, "something that is played"),
        (START + "S done\nFife: S Keith\n", "stand before the play"),
        (START.replace("first scotland", "worst scotland") + "S done\n", "no fact called 'worst scotland'"),
        (START.replace("given", "# given") + "S done\n", "a line 'given' is missing"),
        (START + "Angus: S Wallace\nS done\n", "Wallace stands in two places"),
        (START + "Angus: Keith\nS done\n", "does not begin with a side"),
        (
            START + "attack Mentieth: S from Fife over Fife-Lothian\nS done\n",
            "no border called 'Fife-Lothian'",
        ),
        (START + "S done\nwonder\n", "'wonder' means nothing"),
        (START + "options edition\nS done\n", "option 'edition' has no value"),
    ],
)
def test_what_is_no_case_is_told_with_its_place(tmp_path: Path, text: str, why: str) -> None:
    with pytest.raises(CaseFault) as fault:
        play_text(tmp_path, text)
    assert why in str(fault.value)
    assert f"{tmp_path}/hammer/some.case:" in str(fault.value)
