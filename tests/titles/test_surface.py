"""What the rest of the program may count on, whatever the game: the surface of pbem/rules/base.py."""

from __future__ import annotations

import json

import pytest

from pbem.rules import Game, IllegalAnswer, load
from pbem.rules.base import EVERYBODY, NOBODY, UnknownOption, read_head
from tests.titles.games import TITLES, Counted, random_game

EVERY = 40
"""Of so many moments one is looked at closely."""


@pytest.mark.parametrize("name", TITLES)
def test_options_and_sides(name: str) -> None:
    rules = load(name)
    options = rules.checked({})
    assert rules.name == name
    assert rules.title
    assert rules.checked(options) == options
    assert len(rules.sides(options)) == len(set(rules.sides(options))) >= 2
    with pytest.raises(UnknownOption):
        rules.checked({"no-such-option": True})


@pytest.mark.parametrize("name", TITLES)
def test_a_game_from_its_beginning_to_its_end(name: str) -> None:
    rules, chance = load(name), Counted(name)
    sides = rules.sides({})
    last: Game | None = None
    for number, game in enumerate(random_game(rules, 5, chance)):
        last = game
        if number % EVERY == 0 or game.outcome is not None:
            look_at(game, name, sides)
    assert last is not None
    assert last.outcome is not None
    assert len(chance.labels) == len(set(chance.labels)), "a label was rolled or drawn twice"
    owners = {rules.draw_owner(label) for label in chance.drawn}
    assert owners <= {*sides, EVERYBODY, NOBODY}
    outcome = last.outcome
    assert outcome.winner in (*sides, None)
    assert outcome.reason
    if outcome.places:
        assert sorted(side for place in outcome.places for side in place) == sorted(sides)
        assert outcome.winner in (None, *outcome.places[0])


def look_at(game: Game, name: str, sides: tuple[str, ...]) -> None:
    """Views, what was told, and every open question."""
    for viewer in (*sides, EVERYBODY, "gm"):
        view = game.view(viewer)
        assert json.loads(json.dumps(view)) == view
        head = read_head(view)
        assert (head.game, head.viewer, head.outcome) == (name, viewer, game.outcome)
        assert head.options == load(name).checked({})
        assert all(part for part in head.moment)
        told = game.told(viewer)
        assert json.loads(json.dumps(told)) == told
        assert game.told(viewer, len(told) // 2) == told[len(told) // 2 :]
    before = game.view("gm"), [(ask.side, ask.kind) for ask in game.asks]
    for ask in game.asks:
        assert ask.side in sides
        assert ask.legal == tuple(sorted(set(ask.legal)))
        assert ask.default in ask.legal
        for answer in ask.legal:
            ask.read(answer)
        with pytest.raises(IllegalAnswer) as refused:
            game.answer(ask.side, "sing a song")
        assert set(refused.value.suggestions) <= set(ask.legal)
        assert refused.value.rule
    assert (game.view("gm"), [(ask.side, ask.kind) for ask in game.asks]) == before


@pytest.mark.parametrize("name", TITLES)
def test_the_same_answers_and_dice_give_the_same_game(name: str) -> None:
    ends = [json.dumps(list(random_game(load(name), 7))[-1].view("gm")) for _ in range(2)]
    assert ends[0] == ends[1]


@pytest.mark.parametrize("name", TITLES)
def test_nothing_is_asked_of_nobody(name: str) -> None:
    game = load(name).start({}, Counted(1))
    with pytest.raises(IllegalAnswer):
        game.answer("nobody", "pass")
