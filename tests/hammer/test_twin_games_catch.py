"""The comparison of whole games is worth something: put a leak into the program, and it is found."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from pbem import pages
from pbem.judge.tables.packing import Part
from pbem.orders.base import Follower, Reply
from pbem.pictures.base import Layer, Picture
from pbem.play import resolve
from pbem.play.resolve import Play, Resolution, Seen, _Run
from pbem.rules.base import Ask, Event, Outcome, View
from pbem.rules.hammer import game
from pbem.rules.hammer.facts import AREAS, SIDES
from pbem.rules.hammer.position import Position
from pbem.titles.hammer import forecast
from pbem.titles.hammer.pictures import PAINTER
from tests.hammer.play import GAMES
from tests.hammer.test_secrecy_catches import an_event_that_tells_all, order_of_arrival
from tests.hammer.test_twin_games import compare_games
from tests.hammer.twins import Count
from tests.properties.world import Leak

pytestmark = pytest.mark.ci


Patch = pytest.MonkeyPatch
GAMES_TRIED = 3


def stops_where_nobody_sees_it(patch: Patch) -> None:
    """A judge who stops for an `ask` whatever is asked."""

    def reply_of(follower: Follower, ask: Ask, view: View, *, just_put: bool) -> Reply:
        return follower.reply(ask, view)

    patch.setattr(resolve, "reply_of", reply_of)


def a_stop_that_looks_into_a_file(patch: Patch) -> None:
    """A judge who passes the winter's stop where somebody has written much."""
    honest = _Run._is_covered

    def covered(run: _Run, stop: str) -> bool:
        files = [file for follower in run.followers.values() for file in follower._files]  # type: ignore[attr-defined]
        return honest(run, stop) or any(len(file.orders.source) > 6 for file in files)

    patch.setattr(_Run, "_is_covered", covered)


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
    patch.setattr(Part, "filled", property(lambda part: part.text))


def names_in_the_view(patch: Patch) -> None:
    """A view that lists who stands on the map."""
    honest = game.view

    def leaking(position: Position, options: Mapping[str, Any], outcome: Outcome | None, viewer: str) -> View:
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


class Overheard:
    """Who really stands where in the game that was reported last, for leaks of what is made from a view."""

    def __init__(self, patch: Patch) -> None:
        self.names: list[str] = []
        honest = Play.asks

        def noting(play: Play, side: str) -> tuple[Ask, ...]:
            blocks = play.game.view("gm")["blocks"]
            self.names = [f"{name} in {row['area']}" for name, row in blocks.items() if row["area"] in AREAS]
            return honest(play, side)

        patch.setattr(Play, "asks", noting)


def orders_on_file_of_both(patch: Patch) -> None:
    """A report that says which orders of the other side still rule."""
    honest = Play.on_file
    patch.setattr(Play, "on_file", lambda play, _side: tuple(one for s in SIDES for one in honest(play, s)))


def a_memory_of_what_nobody_showed(patch: Patch) -> None:
    """LAST SEEN with blocks that never were face up."""
    honest = Play._look

    def leaking(play: Play, audience: str, told: tuple[Event, ...]) -> Seen:
        blocks = play.game.view("gm")["blocks"]
        where = tuple(f"{name} {row['area']}" for name, row in blocks.items())
        return replace(honest(play, audience, told), remembered=where)

    patch.setattr(Play, "_look", leaking)


def a_page_that_knows_more(patch: Patch) -> None:
    """A report's page, but not its text, with names on it."""
    overheard, honest = Overheard(patch), pages.page

    def leaking(*given: Any, **more: Any) -> str:
        return f"{honest(*given, **more)}<!-- {overheard.names} -->"

    patch.setattr(pages, "page", leaking)


def a_map_that_knows_more(patch: Patch) -> None:
    """A picture with names in it that nobody sees."""
    overheard, honest = Overheard(patch), type(PAINTER).draw

    def leaking(painter: Any, view: View, told: Any) -> Picture:
        found = honest(painter, view, told)
        return replace(found, layers=(*found.layers, Layer(f"<desc>{overheard.names}</desc>", 0, 0, 1, 1)))

    patch.setattr(type(PAINTER), "draw", leaking)


def a_forecast_that_names_them(patch: Patch) -> None:
    """A forecast that says whom an attack will meet."""
    overheard = Overheard(patch)
    patch.setattr(forecast, "_forces", lambda *_: f"{overheard.names}")


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
    orders_on_file_of_both,
    a_memory_of_what_nobody_showed,
    a_page_that_knows_more,
    a_map_that_knows_more,
    a_forecast_that_names_them,
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
