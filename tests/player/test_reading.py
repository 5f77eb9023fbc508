"""What a report and a forecast say, in parts that a page lays out."""

from pathlib import Path

import pytest

from pbem.pages import Part, Section, gist
from pbem.practice.table import Table
from pbem.web.reading import foretold, form_of, questions, shown

REPORTS = Path(__file__).parents[2] / "games/campaign-to-1298/reports"


def test_what_is_asked_now_is_told_in_words() -> None:
    reports = (path.read_text(encoding="utf-8") for path in sorted((REPORTS / "scotland").glob("*.txt")))
    asked = (found for report in reports if (found := questions(form_of(report))))
    first, *others = next(one for one in asked if one[0].said.startswith("Which card do you play? (3.1)"))
    assert first.now
    assert " (3.1) Possible: card " in first.said
    assert " If you say nothing: card " in first.said
    assert "If you say nothing: you are asked later." in " ".join(one.said for one in others)
    assert not any(one.now or "note " in one.said or "IN ADVANCE" in one.said for one in others)


@pytest.mark.ci
@pytest.mark.parametrize(("game", "options"), [("hammer", {}), ("lords", {"players": 3}), ("first-war", {})])
def test_so_it_is_in_every_game(game: str, options: dict[str, int]) -> None:
    table = Table(game, options, 3)
    bots = {side: next(iter(table.setting.title.bots.values()))(side) for side in table.sides}
    for _ in range(12):
        for side in table.sides:
            report = table.report(side)
            told, asked = gist(report), questions(form_of(report))
            assert told
            assert bool(asked) == (told.asked and not told.over)
        table.exchange(
            {side: bot.write(table.view(side), table.open_asks(side)) for side, bot in bots.items()}
        )


def test_a_forecast_s_broken_lines_are_put_together() -> None:
    said = foretold(
        (
            "Against the card 1, you move first:",
            "  Battle for Angus: you attack with Wallace 4 against 2 hidden blocks.",
            "    You hold the area: about 43 % on average over what may be there; 0.4 %",
            "      against the strongest blocks that are possible, 97.4 % against the weakest.",
        )
    )
    assert [(part["indent"], part["said"].count("against")) for part in said] == [(0, 0), (2, 1), (4, 2)]


def test_a_page_names_no_command_where_nothing_is_asked() -> None:
    idle = (
        "Nothing is asked of you now: send a bare file, without orders (pbem seal --bare), or "
        "orders in advance."
    )
    section = Section("What is asked", (Part("The judge waits for orders from bob."), Part(idle)), asked=True)
    assert [part["said"] for part in shown(section)["parts"]] == ["The judge waits for orders from bob."]
