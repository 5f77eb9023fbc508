"""A report holds nothing but what its reader's view and events hold."""

import pytest

from pbem.rules import load
from pbem.titles.hammer import TITLE
from tests.hammer.report_scenes import (
    FIELD,
    READERS,
    SEATS,
    Scripted,
    Table,
    blocks,
    random_reports,
    table,
)

STYLE = TITLE.style


def test_reserves_stay_unknown_while_a_battle_goes_on() -> None:
    """A pause in round 1: the reserves' names differ, and so does all that stands elsewhere."""
    reports = []
    for reserve, elsewhere in (("Campbell", "Graham"), ("Graham", "Campbell")):
        scots = f"Fife: Wallace 4, {reserve} 3; Moray: Moray 3, {elsewhere} 4"
        position = {
            **FIELD,
            "phase": "battles",
            "first": "england",
            "hands": {"england": ["1"], "scotland": ["2" if reserve == "Graham" else "1"]},
            "attacks": {
                "Fife": {
                    "attacker": "england",
                    "origin": "Mentieth",
                    "border": "Mentieth-Fife",
                    "reserve_blocks": [reserve],
                }
            },
            "blocks": {
                **blocks("scotland", scots),
                **blocks("england", "Fife: Edward 4, York Knights 4; Mar: Mar 3"),
            },
        }
        at = table(position, dice="1 1 1 1")
        at.play("S fire Wallace; E hit Edward")
        reports.append(at.reports())
    for reader in ("england", "public"):
        assert reports[0][reader] == reports[1][reader]
    assert reports[0]["scotland"] != reports[1]["scotland"]


@pytest.mark.ci(but=("scotland",))
@pytest.mark.parametrize("reader", READERS)
def test_another_sides_questions_do_not_show(reader: str) -> None:
    for at, _ in random_reports(5, 8):
        view, told = at.game.view(reader), at.game.told(reader)
        own = [ask for ask in at.game.asks if ask.side == reader]
        context = at.context(reader)
        with_all = STYLE.report(reader, view, view, told, at.game.asks, context)
        assert with_all == STYLE.report(reader, view, view, told, own, context)


@pytest.mark.parametrize("reader", ["england", "public"])
def test_hidden_names_are_not_in_the_text(reader: str) -> None:
    """Scottish blocks that have never been seen are named nowhere in an English or public report."""
    at = table({**FIELD, "hands": {"england": ["1", "2"], "scotland": ["1", "2"]}})
    at.play("E card 1; S card 1; E done; S done")
    report = at.reports()[reader]
    for name in ("Wallace", "Douglas", "Barclay", "Fraser", "Grant", "Campbell", "Norse"):
        assert name not in report.replace("Wallace is on the map", "")


def test_the_judges_context_is_all_that_is_added() -> None:
    """The same view, events and context give the same bytes, whatever game they come from."""
    at = Table(load("hammer").start({}, Scripted()), Scripted())
    view = at.game.view("england")
    first = STYLE.report("england", view, view, [], (), at.context("england"))
    assert first == STYLE.report("england", dict(view), dict(view), [], (), at.context("england"))
    assert SEATS["england"] in first
