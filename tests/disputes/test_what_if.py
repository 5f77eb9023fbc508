"""`had I retreated, I would have won`: pbem what-if shows it, and foretells nothing."""

from __future__ import annotations

import re

import pytest

from pbem.audit.bundle_record import read_record
from pbem.disputes.whatif import OtherLine, what_if
from tests.disputes.story import GAME, WHY, Story
from tests.golden.test_recorded_games import GAMES

pytestmark = pytest.mark.ci


FIRE_ALL = 12  # the line of alice's orders for exchange 3, below ---


def tried(played: Story, *change: object) -> str:
    """What exchange 3 would have been with other orders of scotland's."""
    return played.pbem("what-if", GAME, *WHY, 3, "--side", "scotland", *change).out


def test_the_same_order_in_other_words_changes_nothing(played: Story) -> None:
    told = tried(played, "--replace", FIRE_ALL, "--line", "fire Wallace")
    rolled = (played.bundle() / "dice/all.txt").read_text().splitlines()
    assert "EVENTS\n  the same" in told
    assert "POSITION\n  the same" in told
    assert f"{len(rolled)} dice have the values that they had" in told
    assert "never rolled" not in told


def test_another_order_shows_what_would_have_differed(played: Story) -> None:
    told = tried(played, "--replace", FIRE_ALL, "--line", "pass all")
    assert re.search(r"^  \+ +S Wallace +passes", told, flags=re.MULTILINE)
    rolled = (played.bundle() / "dice/all.txt").read_text()
    for label in re.findall(r"never rolled in this game: (\S+) =", told):
        assert label not in rolled


def test_a_stop_that_would_have_fallen_elsewhere_is_told(played: Story) -> None:
    told = tried(played, "--replace", FIRE_ALL, "--line", "ask")
    assert "the judge would have stopped here: 1297, turn 1, battles (asked)" in told
    assert "would have come from the keys of other exchanges" in told


def test_a_house_rule_is_tried_out(played: Story) -> None:
    told = played.pbem("what-if", GAME, *WHY, 1, "--option", "bid=S1").out
    assert "bid is S1, not none" in told
    assert "never rolled in this game: 1297.1/levy/block-5 =" in told
    assert "never rolled in this game: 1297.1/levy/block-4" not in told


def test_a_house_rule_that_would_have_changed_an_earlier_exchange_is_shown_there(played: Story) -> None:
    told = played.pbem("what-if", GAME, *WHY, 3, "--option", "bid=S1").out
    assert "Exchange 1 would have changed before that" in told


def test_nothing_is_written_but_that_the_game_master_has_looked(played: Story) -> None:
    before = (played.bundle("public") / "log/leaves").read_text().splitlines()
    played.pbem("what-if", GAME, *WHY, 3, "--side", "england", "--line", "retreat all to Mar")
    after = played.bundle("public")
    assert (after / "log/leaves").read_text().splitlines()[:-1] == before
    assert "act 4 look gm" in (after / f"log/{len(before) + 1:04d}.entry").read_text()


def test_a_bundle_of_everything_will_do_and_no_other(played: Story) -> None:
    change = ("--side", "scotland", "--replace", FIRE_ALL, "--line", "pass all")
    told = played.pbem("what-if", played.bundle("all"), 3, *change).out
    assert told == played.pbem("what-if", GAME, *WHY, 3, *change).out
    refused = played.pbem("what-if", played.bundle("scotland"), 3, *change, status=1)
    assert "does not open every order file" in refused.err


def test_an_open_exchange_is_refused(played: Story) -> None:
    """The attack: the game master looks what the dice would do before the last orders are in."""
    played.send("alice", "move Wallace to Fife\n")
    told = played.pbem("what-if", GAME, *WHY, 4, "--side", "scotland", "--line", "pass Wallace", status=1)
    assert "exchange 4 of stirling is still open" in told.err
    assert told.out == ""


def test_a_retreat_that_the_rules_do_not_allow_is_told_with_what_they_allow(played: Story) -> None:
    told = tried(played, "--line", "retreat Wallace to Ross")
    assert "it decides nothing: the rules did not allow it" in told
    possible = "asked for combat (5.31), possible: fire Wallace; pass Wallace; retreat Wallace to Fife"
    assert possible in " ".join(told.split())
    assert "EVENTS\n  the same" in told


def test_a_line_that_decides_says_so(played: Story) -> None:
    told = tried(played, "--line", "retreat Wallace to Fife")
    assert "it decides, asked for combat (5.31): retreat Wallace to Fife" in told
    assert "possible answers: fire Wallace; pass Wallace; retreat Wallace to Fife" in " ".join(told.split())


@pytest.mark.parametrize("line", ["deploy cavalry", "event kill traitor on noble", "victory carnage"])
def test_what_was_possible_is_told_as_order_lines_say_it(line: str) -> None:
    (bundle,) = (path / "bundle.tar.gz" for path in GAMES if path.name.startswith("first-war"))
    told = what_if(read_record(bundle), 4, OtherLine("scots", line)).split("EVENTS")[0]
    assert "asked for" in told
    assert "_" not in told
    assert not {"pass", "done"} & set(re.split(r"\W+", told))


def test_a_line_under_a_condition_is_not_called_impossible(played: Story) -> None:
    orders = (played.folder / "alice.txt").read_text().partition("---\n")[2].splitlines()
    place = next(n for n, line in enumerate(orders, 1) if line == "move Wallace from Fife to Angus")
    for number, line in enumerate(orders[place:], place + 1):
        if line == "move Wallace from Fife to Angus":
            place = number  # the same once more, under the other case
    told = [
        tried(played, "--replace", number, "--line", "move Wallace to Angus")
        for number in (orders.index("move Wallace from Fife to Angus") + 1, place)
    ]
    assert sum("it decides, asked for move (4.2)" in one for one in told) == 1
    assert sum("it decides nothing: it counts only if 'if " in one for one in told) == 1


def test_a_house_rule_that_is_in_force_already_is_said_to_be(played: Story) -> None:
    told = played.pbem("what-if", GAME, *WHY, 3, "--option", "dead_round_turns=yes").out
    assert "dead_round_turns is true, as it is in this game" in told


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((3, "--side", "scotland", "--line", "done", "--replace", 0), "0"),
        ((3, "--option", "bid=S9"), "S9"),
        ((3, "--option", "bid"), "bid"),
        ((99, "--side", "scotland", "--line", "done"), "99"),
        ((0, "--side", "scotland", "--line", "done"), "0"),
    ],
)
def test_a_change_that_cannot_be_made_is_refused_with_the_reason(
    played: Story, words: tuple[object, ...], told: str
) -> None:
    """And nothing is played: no line of an answer is printed."""
    where, *change = words
    run = played.pbem("what-if", GAME, *WHY, where, *change, status=None)
    assert run.status in (1, 2)
    assert told in run.err
    assert run.out == ""


def test_a_wrong_line_may_stay_wrong_where_it_stands(played: Story) -> None:
    """Only the line that is changed must be understood."""
    told = tried(played, "--line", "note nothing")
    assert "scotland also orders 'note nothing'" in told
    left_out = tried(played, "--replace", FIRE_ALL, "--line", "")
    assert f"scotland does not write line {FIRE_ALL}" in left_out
    assert "THE LINE" not in left_out
