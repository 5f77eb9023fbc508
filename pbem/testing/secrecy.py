"""Checks that two worlds that differ only in what a viewer may not know look the same to that viewer.

A title with hidden things names its `twin`: from a position another one that looks alike to a viewer.
"""

from __future__ import annotations

import random
from typing import Any

from pbem.practice.table import SeededChance
from pbem.reports.base import Context
from pbem.rules import Game, IllegalAnswer
from pbem.rules.base import EVERYBODY, NOBODY, View
from pbem.testing.games import Counted, Trial

SEED = 3
MOMENTS = 12
WRONG = ("sing a song", "pass", "done")


def looks(trial: Trial, game: Game, viewer: str) -> dict[str, Any]:
    """Return everything that a viewer of a game is shown."""
    title = trial.title
    asks = [ask for ask in game.asks if ask.side == viewer]
    view = game.view(viewer)
    context = Context(game="dunbar-7", form=title.language.form(view, asks) if asks else "")
    refusals = []
    for ask in asks:
        for text in (*WRONG, *(f"{answer} twice" for answer in ask.legal[:3])):
            try:
                ask.read(text)
            except IllegalAnswer as refused:
                refusals.append((refused.rule, refused.reason, refused.suggestions))
    return {
        "view": view,
        "told": game.told(viewer),
        "asked": [(ask.kind, ask.rule, ask.legal, ask.default) for ask in asks],
        "public": [(ask.side, ask.kind, ask.rule) for ask in game.asks if ask.public],
        "report": title.style.report(viewer, view, view, game.told(viewer), asks, context),
        "forecast": title.forecast.forecast(title.language.parse("", viewer).orders, view)
        if title.forecast and viewer != EVERYBODY
        else (),
        "refusals": refusals,
        "over": game.outcome,
    }


def positions(trial: Trial) -> list[View]:
    """Return the positions of a random game from which a game can be begun; note how many cannot serve so."""
    found, all_of_them = [], 0
    for game in trial.play(SEED):
        position = game.view("gm")
        if game.outcome is None:
            all_of_them += 1
            again = trial.title.rules.start(trial.options, SeededChance(SEED), position)
            found += [position] if again.view("gm") == position else []
    if len(found) < all_of_them:
        trial.note(f"worlds were not compared at {all_of_them - len(found)} of {all_of_them} moments")
    return random.Random(SEED).sample(found, min(MOMENTS, len(found)))  # noqa: S311 - which are tried


def worlds_that_look_alike_are_told_alike(trial: Trial) -> None:
    """Check that worlds that look alike are told alike: views, reports, refusals, forecasts, questions."""
    title, chooser, pairs = trial.title, random.Random(trial.title.name), 0  # noqa: S311
    if title.twin is None:
        _nothing_is_hidden(trial)
        return
    for position in positions(trial):
        for viewer in trial.readers:
            twin = title.twin(position, viewer, chooser)
            games = [title.rules.start(trial.options, SeededChance(1), world) for world in (position, twin)]
            pairs += games[0].view("gm") != games[1].view("gm")
            _alike(trial, games, viewer)
            for ask in [ask for ask in games[0].asks if ask.side == viewer][:1]:
                answer = chooser.choice(ask.legal)
                if any(len(game.asks) == 1 for game in games):
                    continue  # what it brings depends on what is hidden
                for game in games:
                    game.answer(viewer, answer)
                _alike(trial, games, viewer)
    assert pairs >= MOMENTS, (
        f"of the worlds that were compared only {pairs} differed, {MOMENTS} are needed: let `twin` return "
        "another world wherever there is one, or name a longer game in `variants`"
    )


def _alike(trial: Trial, games: list[Game], viewer: str) -> None:
    one, other = (looks(trial, game, viewer) for game in games)
    told_apart = [what for what in one if one[what] != other[what]]
    view, twin = one["view"], other["view"]
    keys = ", ".join(sorted(key for key in {*view, *twin} if view.get(key) != twin.get(key)))
    said = ", ".join(f"{what} ({keys})" if what == "view" else what for what in told_apart)
    assert not told_apart, f"{viewer} can tell worlds apart: {said}"


def _nothing_is_hidden(trial: Trial) -> None:
    """Check that every side of a title without a twin sees and is told exactly what the public is."""
    for game in trial.play(SEED):
        public = game.view(EVERYBODY)
        for side in trial.sides:
            assert {**game.view(side), "viewer": EVERYBODY} == public, (
                f"{side} sees what others do not, and the title names no `twin` to try secrecy with"
            )
            assert game.told(side) == game.told(EVERYBODY), f"{side} is told what others are not: see `twin`"


def answers_at_the_same_time_are_unseen(trial: Trial) -> None:
    """Check that answers of others change nothing that the public, or a side still to answer, is shown."""
    dice, unseen, at_once = random.Random(trial.title.name), 0, 0  # noqa: S311 - who answers first
    for game in trial.play(5):
        sides = {ask.side for ask in game.asks}
        at_once += len(sides) > 1
        if unseen >= MOMENTS or len(sides) < 2:
            continue
        waiting = min(sides)
        before = {reader: looks(trial, game, reader) for reader in (waiting, EVERYBODY)}
        other = next(ask for ask in game.asks if ask.side != waiting)
        game.answer(other.side, dice.choice(other.legal))
        for reader, seen in before.items():
            if waiting in {ask.side for ask in game.asks}:
                after = looks(trial, game, reader) | {"public": seen["public"]}
                changed = [what for what in seen if after[what] != seen[what]]
                assert not changed, f"{reader} can see that {other.side} has answered: {', '.join(changed)}"
                unseen += 1
    assert unseen or not at_once


class Otherwise(SeededChance):
    """The dice and draws of a game that differ from those of another game under one label alone."""

    def __init__(self, seed: object, label: str, by: int) -> None:
        super().__init__(seed)
        self.label, self.by = label, by

    def _number(self, label: str) -> int:
        return super()._number(label) + (self.by if label == self.label else 0)


def whoever_can_compute_it_is_shown_it(trial: Trial) -> None:
    """Check that a different die shows to everybody, and a different draw to the side that it belongs to.

    Those readers can compute it from the reveals of its exchange (protocol 10), whether a report shows it or
    not.
    """
    rules, chance, answers = trial.title.rules, Counted(SEED), list[tuple[str, str]]()
    fallen: list[tuple[str, int]] = []
    for number, _ in enumerate(trial.play(SEED, chance, answers)):
        fallen += [(label, number) for label in chance.labels[len(fallen) :]]
    drawn = set(chance.drawn)
    owned = [
        (label, number, rules.draw_owner(label) if label in drawn else EVERYBODY) for label, number in fallen
    ]
    dice = random.Random(SEED)  # noqa: S311 - which are tried
    for which in (drawn, {label for label, _ in fallen} - drawn):
        some = [one for one in owned if one[0] in which and one[2] != NOBODY]
        for label, number, owner in dice.sample(some, min(MOMENTS, len(some))):
            as_it_was, *otherwise = (_replay(trial, answers[:number], label, by) for by in range(3))
            for game in otherwise:
                changed = _what_is_seen(game, "gm") != _what_is_seen(as_it_was, "gm")
                assert not changed or _what_is_seen(game, owner) != _what_is_seen(as_it_was, owner), (
                    f"{owner} can compute {label}, and does not see it (`draw_owner`); a die is everybody's"
                )


def _replay(trial: Trial, answers: list[tuple[str, str]], label: str, by: int) -> Game:
    game = trial.title.rules.start(trial.options, Otherwise(SEED, label, by))
    for side, text in answers:
        game.answer(side, text)
    return game


def _what_is_seen(game: Game, reader: str) -> tuple[object, object]:
    return game.view(reader), game.told(reader)
