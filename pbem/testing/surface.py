"""Checks of what the program may count on in any game: the surface of pbem/rules/base.py.

A game begun from a position goes on as the game that the position was taken from. So `view("gm")` holds all
that the rules remember. Roll-backs of a disputed turn, trials of a forecast and worlds that are compared
begin in the middle of a game.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pbem.forecast.replay import draw_world
from pbem.orders.base import NotSaved
from pbem.play.adjudicate import option_text, option_value
from pbem.practice.table import SeededChance, Table
from pbem.rules import Game, IllegalAnswer, Rules
from pbem.rules.base import EVERYBODY, NOBODY, UnknownOption, read_head
from pbem.testing.games import MAX_ANSWERS, Counted, Trial, first_of, questions

EVERY = 40
"""Number of moments of a random game of which one is looked at closely."""
NONSENSE = "sing a song"

SEED = 3
EXCHANGES = 12
"""Number of exchanges for which a game that is saved and begun anew is followed."""
ANSWERS = 12
"""Number of answers for which a game that was begun anew is compared with the first one."""
AT_ONCE = 4
"""Maximum number of games begun anew that are compared with the first one at the same time."""


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


def a_position_goes_on_as_its_game(trial: Trial) -> None:
    """Check that a game begun from a position has the same asks, views and tales as the first one.

    A title that imagines positions for its forecast must take every position. Another title may remember more
    than it shows while a phase lasts: it is tried where its moment changes, and what is left is noted.
    """
    anywhere, readers = trial.title.imagine is not None, (*trial.readers, "gm")
    answers: list[tuple[str, str]] = []
    going_on: list[_Again] = []
    left, begun, moment = Counter[str](), 0, None
    for number, game in enumerate(trial.play(SEED, answers=answers)):
        for again in going_on:
            again.game.answer(*answers[-1])
            assert again.seen(readers) == _everything(game, readers, again.told_before), (
                f"begun at answer {again.began}, it differs at answer {number}, {answers[-1]}"
            )
        going_on = [again for again in going_on if number - again.began < ANSWERS]
        if game.outcome is not None:
            break
        position = game.view("gm")
        here, moment = moment != position["moment"], position["moment"]
        new = trial.title.rules.start(trial.options, SeededChance(SEED), position)
        alike = new.view("gm") == position and all(_asks_the_same(new, game, ask.side) for ask in game.asks)
        if not alike or not (anywhere or here):
            kinds = ", ".join(sorted({ask.kind for ask in game.asks}))
            assert not anywhere, f"begun where {kinds} is asked, it asks something else"
            left[kinds] += 1
            continue
        begun += 1
        if len(new.asks) == len(game.asks) and len(going_on) < AT_ONCE:  # nobody has answered yet
            going_on.append(_Again(new, number, _count_told(new, readers), _count_told(game, readers)))
    assert begun, "no position of this title is a place to begin"
    if left:
        kinds = "; ".join(f"{kind} {count}" for kind, count in left.most_common())
        trial.note(f"no place to begin: {left.total()} of {left.total() + begun} moments ({kinds})")


@dataclass(frozen=True)
class _Again:
    """A game begun from a position, with the answer at which it was begun, and counts of what was told."""

    game: Game
    began: int
    told: list[int]
    told_before: list[int]

    def seen(self, readers: tuple[str, ...]) -> str:
        """Return all that the readers see in the game begun anew, as text that can be compared."""
        return _everything(self.game, readers, self.told)


def _asks_the_same(again: Game, game: Game, side: str) -> bool:
    """Tell whether a side is asked the same in the game that was begun anew as in the first one.

    The side may have answered some of several questions asked at once. No position tells that, so those
    questions are asked again.
    """
    open_still = questions(game, side)
    return questions(again, side)[-len(open_still) :] == open_still


def _count_told(game: Game, readers: tuple[str, ...]) -> list[int]:
    return [len(game.told(reader)) for reader in readers]


def _everything(game: Game, readers: tuple[str, ...], told: list[int]) -> str:
    """Return all that anybody can see or is asked in a game, and what was told since, as text."""
    return json.dumps(
        {
            "asks": [(ask.side, questions(game, ask.side)) for ask in game.asks],
            "views": [game.view(reader) for reader in readers],
            "told": [game.told(reader, after) for reader, after in zip(readers, told, strict=True)],
            "outcome": None if game.outcome is None else [game.outcome.winner, game.outcome.reason],
        },
        sort_keys=True,
    )


def what_is_imagined_asks_the_same(trial: Trial) -> None:
    """Check that a position made from a side's view looks like that view, and asks the side the same.

    A forecast that resumes from another position says "left out" of orders that the judge will follow.
    """
    imagine, rules = trial.title.imagine, trial.title.rules
    if imagine is None:
        return
    for number, game in enumerate(trial.play(SEED)):
        for side in dict.fromkeys(ask.side for ask in game.asks):
            view = game.view(side)
            again = rules.start(trial.options, SeededChance(SEED), imagine(view), stops=True)
            again.go_on()
            kind = questions(game, side)[0][0]
            assert again.view(side) == view, f"{side} sees another position than it does ({kind}, {number})"
            assert _asks_the_same(again, game, side), f"{side} is asked otherwise: {kind}"


def what_is_drawn_fits_the_view(trial: Trial) -> None:
    """Check that a world drawn for a side looks like its view, and asks the side the same.

    It follows from the view and the dice alone. Where the title says that something begins anew, the world
    must only be one with which a game can begin.
    """
    worlds, rules = trial.title.worlds, trial.title.rules
    if worlds is None:
        return
    drawn, begun_anew = 0, 0
    for number, game in enumerate(trial.play(SEED)):
        for side in dict.fromkeys(ask.side for ask in game.asks):
            view = game.view(side)
            hidden = worlds.hidden(view)
            assert len(hidden.unseen) == sum(hidden.rooms.values()), f"too few or too many places ({number})"
            world = draw_world(worlds, view, SeededChance(SEED))
            again = rules.start(trial.options, SeededChance(SEED), world, stops=True)
            drawn += 1
            if worlds.remark(view):
                begun_anew += 1
                continue
            again.go_on()
            assert again.view(side) == view, f"{side} sees another position than it does ({number})"
            assert _asks_the_same(again, game, side), f"{side} is asked otherwise ({number})"
    if begun_anew:
        trial.note(f"{begun_anew} of {drawn} worlds were begun and not compared: something begins anew")


def a_saved_game_goes_on_as_it_was(trial: Trial) -> None:
    """Check that a game saved and begun anew after each exchange gives the same reports as one that went on.

    A judge begins a saved game anew if the title says that its games resume. Otherwise each game is played
    from its beginning.
    """
    title = trial.title
    if not title.resumes:
        return
    for name in title.bots:
        one, two = (Table(title.name, trial.options, SEED, saves=True) for _ in range(2))
        bots = {side: title.bots[name](side) for side in one.sides}
        saved, reasons = 0, dict[str, None]()
        for _ in range(EXCHANGES):
            if one.outcome is not None:
                break
            try:
                two.resume()
                saved += 1
            except NotSaved as reason:
                reasons[str(reason)] = None
            except ValueError as fault:
                raise AssertionError(f"begun anew after exchange {one.number}: {fault}") from None
            texts = {side: bot.write(one.view(side), one.open_asks(side)) for side, bot in bots.items()}
            assert one.exchange(texts) == two.exchange(texts), f"it differs in exchange {one.number}"
            for side in one.sides:
                assert one.report(side) == two.report(side), f"the report to {side} differs in {one.number}"
        why = f" (else: {'; '.join(reasons)})" if reasons else ""
        trial.note(f"{name}: saved at {saved} of {one.number} exchanges{why}")
