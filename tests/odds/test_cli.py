"""`pbem odds` as a person uses it."""

import json

import pytest

from pbem.cli import main

pytestmark = pytest.mark.ci


def test_the_example_of_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    forces = ["Edward 4, York Knights 3", "Wallace 4, Douglas 3"]
    assert main(["odds", "--area", "Fife", "--attacker", "england", *forces]) == 0
    assert capsys.readouterr().out == (
        "England attacks Fife with Edward 4 and York Knights 3 against Wallace 4 and Douglas 3\n"
        "  England holds Fife                       42.1 %\n"
        "  Scotland holds Fife                      57.9 %\n"
        "  Edward is lost                           36.5 %\n"
        "  Wallace is lost                          42.1 %\n"
        "  steps that England has left of 7           2.11\n"
        "  steps that Scotland has left of 7          1.90\n"
    )


def test_a_plan_makes_a_difference(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["odds", "--area", "Mar", "--attacker", "scotland", "--json", "Wallace; reserve Keith", "Mar"]
    assert main(asked) == 0
    to_the_end = json.loads(capsys.readouterr().out)
    assert main([*asked, "--plan", "england=if round 2: retreat all; fire"]) == 0
    running = json.loads(capsys.readouterr().out)
    assert running["chances"]["Mar changes sides"] != to_the_end["chances"]["Mar changes sides"]


def test_a_plan_still_sees_who_has_left_the_field(capsys: pytest.CaptureFixture[str]) -> None:
    """Keith, who goes before anybody can hit him, is somewhere, with his strength."""
    asked = [
        "odds",
        "--area",
        "Fife",
        "--attacker",
        "england",
        "--json",
        "Cumbria Infantry",
        "Wallace, Keith",
    ]
    told = []
    for so in ("", "and Keith strength at least 3", "and Keith strength at most 2"):
        plan = f"scotland=if round 1: retreat Keith\nif round 2 {so}: pass\nfire"
        assert main([*asked, "--plan", plan]) == 0
        told.append(json.loads(capsys.readouterr().out)["chances"])
    assert told[0] == told[1] != told[2]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (
            ["--area", "Mr", "--attacker", "england", "Mar", "Grant"],
            "no area is called 'Mr'; did you mean Mar?",
        ),
        (["--area", "Mar", "--attacker", "wales", "Mar", "Grant"], "no side is called 'wales'"),
        (["--attacker", "scotland", "Mar", "Grant"], "a battle needs an area (--area)"),
        (["--area", "Mar", "Mar", "Grant"], "a battle needs a side that attacks (--attacker): england or"),
        (["--area", "Mar", "--attacker", "england", "Mar", "Mar"], "Mar is named on both sides"),
        (
            ["--area", "Mar", "--attacker", "england", "Mar", "Grant", "--option", "edition=5"],
            "option edition cannot be '5'",
        ),
        (
            ["--area", "Mar", "--attacker", "england", "Mar", "Grant", "--plan", "england=fir all"],
            "line 2: no order begins with 'fir'",
        ),
    ],
)
def test_a_wrong_question_is_told(
    arguments: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["odds", *arguments]) == 1
    assert told in capsys.readouterr().err
