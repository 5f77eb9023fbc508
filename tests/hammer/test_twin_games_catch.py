"""The comparison of whole games is worth something: put a leak into the program, and it is found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from pbem.judge import letters_out
from pbem.orders.base import Follower, Reply
from pbem.play import resolve
from pbem.play.resolve import Play, Resolution, _Run
from pbem.rules.base import Ask, Outcome, View
from pbem.rules.hammer import game, views
from pbem.rules.hammer.options import Options
from pbem.rules.hammer.position import Position
from tests.hammer.play import GAMES
from tests.hammer.test_secrecy_catches import an_event_that_tells_all, order_of_arrival
from tests.hammer.test_twin_games import compare_games
from tests.hammer.twins import Count
from tests.properties.world import Leak

Patch = pytest.MonkeyPatch
GAMES_TRIED = 3


def stops_where_nobody_sees_it(patch: Patch) -> None:
    """A judge who stops for an `ask` whatever is asked."""

    def reply_of(follower: Follower, ask: Ask, view: View, *, just_put: bool) -> Reply:
        return follower.reply(ask, view)

    patch.setattr(resolve, "reply_of", reply_of)


def a_stop_that_looks_into_a_file(patch: Patch) -> None:
    """A judge who passes the winter's stop where somebody has written much."""
    honest = _Run._covered

    def covered(run: _Run, stop: str) -> bool:
        files = [file for follower in run.followers.values() for file in follower._files]  # type: ignore[attr-defined]
        return honest(run, stop) or any(len(file.orders.source) > 6 for file in files)

    patch.setattr(_Run, "_covered", covered)


def left_out_lines_of_both(patch: Patch) -> None:
    """A report that says what of the other side's orders was left out."""
    honest = Play.resolve

    def leaking(play: Play, exchange: int, texts: Any, source: int = 0) -> Resolution:
        found = honest(play, exchange, texts, source)
        both = tuple(one for dropped in found.dropped.values() for one in dropped)
        return replace(found, dropped=dict.fromkeys(found.dropped, both))

    patch.setattr(Play, "resolve", leaking)


def questions_of_both(patch: Patch) -> None:
    """A player's form with what the other is asked."""
    patch.setattr(Play, "asks", lambda play, _side: tuple(play.game.asks))


def letters_as_long_as_they_are(patch: Patch) -> None:
    """Letters whose size is that of what they say."""
    patch.setattr(letters_out, "pad", lambda text, _unit: text)


def names_in_the_view(patch: Patch) -> None:
    """A view that lists who stands on the map."""
    honest = views.view

    def leaking(position: Position, options: Options, outcome: Outcome | None, viewer: str) -> View:
        there = [block.name for block in position.on_map("england") + position.on_map("scotland")]
        return {**honest(position, options, outcome, viewer), "there": there}

    patch.setattr(game, "view", leaking)


def the_length_of_a_file(patch: Patch) -> None:
    """A view that tells how much was written."""
    honest = Play.resolve

    def leaking(play: Play, exchange: int, texts: Any, source: int = 0) -> Resolution:
        found = honest(play, exchange, texts, source)
        much = sum(len(text or "") for text in texts.values())
        seen = {who: replace(one, after={**one.after, "much": much}) for who, one in found.seen.items()}
        return replace(found, seen=seen)

    patch.setattr(Play, "resolve", leaking)


LEAKS: list[Callable[[Patch], None]] = [
    stops_where_nobody_sees_it,
    a_stop_that_looks_into_a_file,
    left_out_lines_of_both,
    questions_of_both,
    letters_as_long_as_they_are,
    names_in_the_view,
    the_length_of_a_file,
    order_of_arrival,
    an_event_that_tells_all("disband"),
    an_event_that_tells_all("builds"),
    an_event_that_tells_all("move"),
    an_event_that_tells_all("draw"),
]


def compare_many() -> None:
    """Compare games from every other turn and winter of some."""
    for seed in range(GAMES_TRIED):
        for scenario, edition in GAMES:
            compare_games(scenario, edition, seed, 2, Count())


@pytest.mark.parametrize("leak", LEAKS, ids=lambda leak: str(leak.__name__))
def test_a_leak_is_found(leak: Callable[[Patch], None], monkeypatch: Patch) -> None:
    leak(monkeypatch)
    with pytest.raises(Leak):
        compare_many()
