"""What a battle to come is reckoned with."""

from __future__ import annotations

import pytest

from pbem.titles.hammer.forecast.prospects import Seen, _field
from tests.hammer.test_engine_surface import start


@pytest.mark.parametrize("king", ["I", "II"])
def test_the_edward_of_the_view_decides_whether_his_death_ends_the_game(king: str) -> None:
    view = {**start().view("scotland"), "edward": king}
    assert _field(Seen(area="Fife", attacker="england", known=()), view).second_edward is (king == "II")
