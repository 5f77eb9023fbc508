"""The computed odds of battles are those of the rules."""

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path

import pytest

from pbem.odds import Question
from pbem.orders.hammer import LANGUAGE
from pbem.rules.hammer.facts import SIDES, read_options
from pbem.titles.hammer.odds import ODDS, chance_of_holding, plans, steps_left, view_before
from pbem.titles.hammer.odds.battle import fight
from pbem.titles.hammer.odds.plans import PlanTactics
from pbem.titles.hammer.odds.states import Ending, Fate, Field, Grid, Line, Tactics, Volleys, land_ways_out
from tests.hammer.simulated_battles import Meeting, fought, within_bounds

pytestmark = pytest.mark.ci


HAMMER = Path(__file__).parents[1] / "hammer"
TRIALS = 200
MANY_TRIALS = 5_000

MEETINGS = {
    name: Meeting(**row)
    for name, row in tomllib.loads((HAMMER / "meetings.toml").read_text(encoding="utf-8")).items()
}


def field_of(meeting: Meeting) -> Field:
    return Field(
        area=meeting.area,
        attacker=meeting.attacker,
        fighters=meeting.fighters,
        options=read_options(meeting.options),
        ways_out={side: land_ways_out(meeting.area, side) for side in SIDES},
        second_edward=meeting.edward == "II",
    )


def tactics_of(meeting: Meeting, where: Field) -> dict[str, Tactics]:
    found: dict[str, Tactics] = {}
    for side, text in meeting.plans.items():
        view = view_before(where, side)
        follower = LANGUAGE.follower(side)
        follower.receive(LANGUAGE.parse(f"plan any:\n{text}", side).orders, view)
        found[side] = PlanTactics(follower, view)
    return found


def _holds(side: str, ending: Ending) -> bool:
    return ending.holder == side


def expected(endings: Mapping[Ending, Fraction], so: Callable[[Ending], bool]) -> float:
    return float(sum((chance for ending, chance in endings.items() if so(ending)), Fraction(0)))


@pytest.mark.parametrize("name", MEETINGS)
def test_odds_are_those_of_the_rules(name: str) -> None:
    compare(MEETINGS[name], TRIALS)


@pytest.mark.slow
@pytest.mark.parametrize("name", MEETINGS)
def test_odds_are_those_of_many_battles(name: str) -> None:
    compare(MEETINGS[name], MANY_TRIALS)


def compare(meeting: Meeting, trials: int) -> None:
    """The chance of every holder, and of every fate of every block, against battles by the rules."""
    where = field_of(meeting)
    endings = fight(where, tactics_of(meeting, where)).chances()
    assert sum(endings.values()) == 1
    battles = [fought(meeting, seed) for seed in range(trials)]

    def agree(count: int, so: Callable[[Ending], bool], what: object) -> None:
        assert within_bounds(count, trials, expected(endings, so)), what

    agree(sum(battle.over for battle in battles), lambda ending: bool(ending.fallen), "a king's death")
    for side in SIDES:
        held = sum(battle.holder == side for battle in battles)
        agree(held, partial(_holds, side), side)
    kept = [battle for battle in battles if not battle.over]
    for place, one in enumerate(where.fighters):
        for state in {battle.blocks[one.name] for battle in kept}:
            count = sum(battle.blocks[one.name] == state for battle in kept)

            def is_so(ending: Ending, place: int = place, state: tuple[str, int] = state) -> bool:
                fate = ending.fates[place]
                return not ending.fallen and (fate.side, fate.strength) == state

            agree(count, is_so, (one.name, state))


def test_one_die_against_one_is_what_a_hand_computes() -> None:
    """Grant 1 defends against Campbell 1: each round Grant hits with 1/3, else Campbell does with 1/3."""
    where = field_of(
        Meeting(area="Mar", attacker="scotland", attackers="Campbell 1", defenders="York Infantry 1")
    )
    outcome = fight(where)
    defender_wins = sum((Fraction(1, 3) * Fraction(4, 9) ** round_ for round_ in range(3)), Fraction(0))
    attacker_wins = sum((Fraction(2, 9) * Fraction(4, 9) ** round_ for round_ in range(3)), Fraction(0))
    assert chance_of_holding(outcome, "scotland") == attacker_wins
    assert chance_of_holding(outcome, "england") == 1 - attacker_wins
    assert outcome.chance(lambda ending: ending.fates[0].where == "gone") == defender_wins
    assert steps_left(where, outcome, "england") == 1 - attacker_wins


def test_an_empty_area_is_taken() -> None:
    where = field_of(Meeting(area="Mar", attacker="scotland", attackers="Grant", defenders="Mar"))
    alone = Field(area="Mar", attacker="scotland", fighters=where.fighters[:1], options=where.options)
    assert chance_of_holding(fight(alone), "scotland") == 1


def test_an_attacker_without_a_way_out_is_lost() -> None:
    meeting = Meeting(area="Mar", attacker="scotland", attackers="Grant 1", defenders="Mar")
    where = field_of(meeting)
    shut_in = Field(
        area="Mar",
        attacker="scotland",
        fighters=where.fighters,
        options=where.options,
        ways_out={"scotland": {}},
    )
    assert all(
        ending.fates[0].where == "gone" for ending, _ in fight(shut_in).endings if ending.holder == "england"
    )


@pytest.mark.parametrize(
    ("attacker", "name", "becomes", "fallen"),
    [
        ("england", "Edward", Fate("england", 0, "gone"), "Edward"),
        ("scotland", "Mar", Fate("england", 1, "area"), ""),
        ("scotland", "Wallace", Fate("scotland", 0, "gone"), ""),
    ],
)
def test_who_has_no_way_out_at_the_end_is_lost_as_in_combat(
    attacker: str, name: str, becomes: Fate, fallen: str
) -> None:
    """R70: a noble is captured. R73: the second Edward's death ends the game."""
    meeting = Meeting(
        area="Angus", attacker=attacker, attackers=f"{name} 1", defenders="Keith" if fallen else "Angus"
    )
    where = replace(field_of(meeting), ways_out={attacker: {}}, second_edward=True)
    lost = [ending for ending, _ in fight(where).endings if ending.fates[0] != Fate(attacker, 1, "area")]
    assert {(ending.fates[0], ending.fallen) for ending in lost} == {(becomes, fallen)}


def test_a_question_in_words() -> None:
    chances = ODDS.ask(Question(area="mar", attacker="Scot", attackers="camp 1", defenders="york inf 1"))
    assert chances.title == "Scotland attacks Mar with Campbell 1 against York Infantry 1"
    assert chances.rows[0] == ("Scotland holds Mar", Fraction(266, 729))
    assert sum(chance for said, chance in chances.rows if "holds" in said) == 1


@pytest.mark.parametrize(
    ("line", "enemies"),
    [
        ("if they have archers: pass all", ("York Infantry 3", "Lancaster Archers 3")),
        (
            "if York Infantry strength 1: pass all",
            ("York Infantry 2, Lancaster Archers 1", "York Infantry 1, Lancaster Archers 2"),
        ),
    ],
)
def test_tactics_that_served_in_one_battle_serve_in_another_as_if_they_were_new(
    line: str, enemies: tuple[str, str]
) -> None:
    """A forecast asks one plan about several forces that the enemy may have: of equal strength, not alike."""
    first, second = (
        field_of(Meeting(area="Fife", attacker="scotland", attackers="Wallace", defenders=enemy))
        for enemy in enemies
    )
    plan = LANGUAGE.parse(f"plan any:\n{line}\nfire", "scotland").orders

    def tactics() -> PlanTactics:
        view = view_before(first, "scotland")
        follower = LANGUAGE.follower("scotland")
        follower.receive(plan, view)
        return PlanTactics(follower, view)

    used = tactics()
    fight(first, {"scotland": used})
    assert fight(second, {"scotland": used}).chances() == fight(second, {"scotland": tactics()}).chances()


ASKED = (
    "if our strength less than their strength: retreat all",
    "if our strength at most twice their strength and attacking: pass all",
    "if defending and their blocks 2 or more: retreat Wallace to Mentieth",
    "if our blocks less than 2: retreat all",
    "if round 2 and their strength more than 3: pass all",
    "if their reserves 1 or more: pass all",
    "if they have Edward: retreat all",
    "if Wallace strength at most 2: retreat all",
    "if they have knights and our strength less than 5: pass all",
    "if not first: pass all",
    "if half our strength less than their blocks: retreat Douglas to Mentieth",
)


@pytest.mark.parametrize("line", ASKED)
@pytest.mark.parametrize("name", ["plans on both sides", "reserves and captured nobles", "schiltroms"])
def test_a_plan_that_is_asked_once_for_states_that_it_cannot_tell_apart_says_the_same(
    name: str, line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where conditions only compare, a plan is asked about each outcome of them, not about each state."""
    meeting = MEETINGS[name]
    where = field_of(meeting)
    texts = dict.fromkeys(SIDES, f"{line}\nfire\nhits infantry, rest")
    planned = replace(meeting, plans=texts)
    found = fight(where, tactics_of(planned, where)).chances()
    monkeypatch.setattr(plans, "_compared", lambda _follower: None)
    assert found == fight(where, tactics_of(planned, where)).chances()


@pytest.mark.parametrize("compared", [True, False], ids=["compared", "seen"])
@pytest.mark.parametrize(
    ("line", "same"),
    [
        ("if their reserves 1: pass all", "if round 1: pass all"),
        ("if their reserves 2 or more: pass all", ""),
        ("if our reserves 1: pass all", "if round 1: pass all"),
        ("if our reserves 2 or more: pass all", ""),
    ],
)
def test_reserves_are_as_many_as_there_are(
    compared: bool, line: str, same: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One block waits, and comes in round 2; where the plan is asked about states it sees the same."""
    if not compared:
        monkeypatch.setattr(plans, "_compared", lambda _follower: None)
    meeting = Meeting(
        area="Fife", attacker="england", attackers="York Infantry", defenders="Lindsay; reserve Fraser"
    )
    where = field_of(meeting)
    side = "scotland" if "our" in f"{line} {same}".split() else "england"

    def chances(text: str) -> object:
        planned = replace(meeting, plans={side: f"{text}\nfire"})
        return fight(where, tactics_of(planned, where)).chances()

    assert chances(line) == chances(same)
    assert chances("if round 1: pass all") != chances("")


def test_a_battle_of_six_against_six_expands_so_many_states(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hits are worked out once for each line, not for each state and roll; states are packed."""
    counts = {"cells": 0, "grids": 0, "lines": 0}
    lines: set[Line] = set()
    step = Volleys.step

    def stepping(volleys: Volleys, grids: Sequence[Grid], letter: str, attacking: bool) -> int:
        counts["cells"] += sum(bool(weight) for grid in grids for row in grid.weights for weight in row)
        counts["grids"] += len(grids)
        lines.update(line for grid in grids for line in grid.lines)
        counts["lines"] = len(lines)
        return step(volleys, grids, letter, attacking)

    monkeypatch.setattr(Volleys, "step", stepping)
    meeting = Meeting(
        area="Fife",
        attacker="england",
        attackers="Edward, York Knights, Durham Infantry, Mar, Hobelars, York Infantry",
        defenders="Wallace, Douglas, Barclay, Grant, Fraser, Keith",
    )
    fight(field_of(meeting))
    assert counts == {"cells": 7_323, "grids": 96, "lines": 3}
