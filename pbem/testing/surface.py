"""Checks of what the program may count on in any game: the surface of pbem/rules/base.py."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pbem.play.adjudicate import option_text, option_value
from pbem.rules import Game, IllegalAnswer, Rules
from pbem.rules.base import EVERYBODY, NOBODY, UnknownOption, read_head
from pbem.testing.games import MAX_ANSWERS, Counted, Trial, first_of

EVERY = 40
"""Number of moments of a random game of which one is looked at closely."""
NONSENSE = "sing a song"


def options_are_read_as_they_arrive(trial: Trial) -> None:
    """Check that an option is read as a person types it and as the ledger writes it."""
    rules = trial.title.rules
    options = rules.checked(trial.options)
    assert rules.name == trial.title.name
    assert rules.title, "the rule set has no title"
    assert rules.checked(options) == options
    assert len(rules.sides(options)) == len(set(rules.sides(options))) >= 2
    for name, value in options.items():
        if value is not None:
            typed = option_text(value)
            for arrived in (typed, option_value(typed)):
                read = _check_options(rules, {**options, name: arrived})
                assert read == options, f"the option {name} is not read as {arrived!r}: {read}"
    assert isinstance(_check_options(rules, {"no-such-option": "4"}), str), (
        "an option that does not exist is taken"
    )


def _check_options(rules: Rules, options: Mapping[str, Any]) -> dict[str, Any] | str:
    """Return the options of a game as its rules read them, or the reason why they are refused."""
    try:
        return rules.checked(options)
    except UnknownOption as refused:
        return str(refused)


def a_game_comes_to_its_end(trial: Trial) -> None:
    """Check the views, tales, questions, labels and outcome of a random game, which must come to its end."""
    rules, chance = trial.title.rules, Counted(trial.title.name)
    sides = trial.sides
    last: Game | None = None
    for number, game in enumerate(trial.play(5, chance)):
        last = game
        if number % EVERY == 0 or game.outcome is not None:
            _look_at(game, trial)
    assert last is not None
    assert last.outcome is not None
    twice = {label for label in chance.labels if chance.labels.count(label) > 1}
    assert not twice, f"rolled or drawn twice: {', '.join(sorted(twice))}"
    owners = {rules.draw_owner(label) for label in chance.drawn}
    assert owners <= {*sides, EVERYBODY, NOBODY}
    outcome = last.outcome
    assert outcome.winner in (*sides, None)
    assert outcome.reason, "the outcome has no reason"
    if outcome.places:
        assert sorted(side for place in outcome.places for side in place) == sorted(sides)
        assert outcome.winner in (None, *outcome.places[0])
    assert _refusal(rules.start(trial.options, Counted(1)), "nobody", "pass"), (
        "whoever is not asked can answer"
    )


def _look_at(game: Game, trial: Trial) -> None:
    """Check a game's views, what was told in it, and every open question."""
    for viewer in (*trial.readers, "gm"):
        view = game.view(viewer)
        assert json.loads(json.dumps(view)) == view, "a view is not plain data"
        head = read_head(view)
        assert (head.game, head.viewer, head.outcome) == (trial.title.name, viewer, game.outcome)
        assert head.options == trial.title.rules.checked(trial.options)
        assert all(part for part in head.moment)
        told = game.told(viewer)
        assert json.loads(json.dumps(told)) == told, "what is told is not plain data"
        assert game.told(viewer, len(told) // 2) == told[len(told) // 2 :]
    before = game.view("gm"), [(ask.side, ask.kind) for ask in game.asks]
    for ask in game.asks:
        assert ask.side in trial.sides
        assert ask.legal == tuple(sorted(set(ask.legal))), f"{ask.kind}: an answer twice"
        assert ask.default in ask.legal, f"{ask.kind}: the default {ask.default!r} is not legal"
        for answer in ask.legal:
            ask.read(answer)
        refused = _refusal(game, ask.side, NONSENSE)
        assert refused is not None, f"{ask.kind}: any answer is taken"
        assert set(refused.suggestions) <= set(first_of(game, ask.side).legal)
        assert refused.rule, f"{ask.kind}: a refusal names no rule"
    assert (game.view("gm"), [(ask.side, ask.kind) for ask in game.asks]) == before, "a refusal left a trace"


def _refusal(game: Game, side: str, text: str) -> IllegalAnswer | None:
    """Return why an answer to a question is refused; None if the game takes it."""
    try:
        game.answer(side, text)
    except IllegalAnswer as refused:
        return refused
    return None


def silence_comes_to_an_end(trial: Trial) -> None:
    """Check that a game in which nobody says anything ends, so that no table waits for ever."""
    game = trial.title.rules.start(trial.options, Counted(2))
    for _ in range(MAX_ANSWERS):
        if game.outcome is not None:
            return
        ask = game.asks[0]
        game.answer(ask.side, ask.default)
    raise AssertionError("the game never ends by defaults alone")


def the_same_answers_give_the_same_game(trial: Trial) -> None:
    """Check that nothing but answers and chance decides a game."""
    ends = [json.dumps(list(trial.play(7))[-1].view("gm")) for _ in range(2)]
    assert ends[0] == ends[1], "the same answers and dice end otherwise"
