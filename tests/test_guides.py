"""The pages for players are found by what they are about."""

from __future__ import annotations

import pytest

from pbem.guides import FIRST, guide, guide_to, guides, title_of
from pbem.judge.letters.letters_out import invitation
from tests.judge.table import TITLE, Table, make_table

PAGES = {"hammer": "orders", "lords": "orders-lords", "first-war": "orders-first-war", "chess": ""}


@pytest.mark.parametrize("rules", PAGES)
def test_a_game_s_page_of_orders_is_found(rules: str) -> None:
    assert guide_to(rules) == PAGES[rules]


def test_the_first_turn_comes_first_and_every_page_has_a_heading() -> None:
    assert next(iter(guides())) == FIRST
    assert all(heading and guide(page).startswith(f"# {heading}\n") for page, heading in guides().items())


@pytest.fixture
def table(tmp_path_factory: pytest.TempPathFactory) -> Table:
    return make_table(tmp_path_factory.mktemp("club"))


def test_an_invitation_names_the_page_of_its_game(table: Table) -> None:
    player = table.book.history.genesis.players[0]
    text = invitation(table.book, player)
    assert f"pbem guide {PAGES[TITLE.name]}\n" in text
    assert f"\nrules {TITLE.name} ({TITLE.rules.title})\n" in text
    assert title_of("chess") == ""
