"""What a battle to come is reckoned with."""

from __future__ import annotations

import pytest

from pbem.forecast import Budget
from pbem.rules.hammer.sightings import LAST_SEEN
from pbem.titles import load
from pbem.titles.hammer import forecast
from pbem.titles.hammer.forecast import Seen, _Telling
from pbem.titles.hammer.forecast.trial import Met
from pbem.titles.hammer.odds.states import field_of
from tests.hammer.test_engine_surface import start


@pytest.mark.parametrize("king", ["I", "II"])
def test_the_edward_of_the_view_decides_whether_his_death_ends_the_game(king: str) -> None:
    view = {**start().view("scotland"), "edward": king}
    assert field_of("Fife", "england", (), view).second_edward is (king == "II")


def test_odds_are_reckoned_with_what_is_seen_once_for_each_who_moves_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One's own blocks are those of the trial, the enemy's those of the report."""
    seen = {**start().view("scotland"), "first": "", LAST_SEEN: ["Fife"]}
    moved = {name: row | {"area": "Mar"} for name, row in seen["blocks"].items()}
    made_up = {"Nobody": {"side": "england", "area": "Mar"}}
    met = Met("Mar", "england", (), 1, 0, {**seen, "blocks": moved | made_up})
    follower, asked = load("hammer").language.follower("scotland"), list[object]()
    telling = _Telling(seen, follower, (), Budget(1))
    known = telling.known_at(met)
    assert {name for name, row in known["blocks"].items() if row["area"] == "Mar"} == {
        name for name, row in seen["blocks"].items() if row["side"] == "scotland"
    }
    assert (known["blocks"].keys(), known[LAST_SEEN]) == (seen["blocks"].keys(), ["Fife"])
    monkeypatch.setattr(forecast, "prospects", lambda *given: asked.append(given[:2]))
    fight = Seen(area="Mar", attacker="england", known=())
    views = [known | {"first": first} for first in ("", "scotland", "england", "", "scotland", "england")]
    assert [telling.prospects(fight, view) for view in views] == [None] * 6
    assert asked == [(fight, view) for view in views[:3]]
