"""A game that is saved after each exchange and begun anew is, byte for byte, the game that went on."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

import pytest

from pbem.orders.base import Dropped, NotSaved, pack, unpack
from pbem.orders.hammer import ROWS
from pbem.orders.kit.follow import KitFollower
from pbem.orders.kit.orders_in_force import File
from pbem.orders.kit.proposals import StepList
from pbem.orders.kit.vocabulary import Step
from pbem.orders.plain import PlainFollower, PlainLanguage
from pbem.play.resolve import Play
from pbem.practice.table import SeededChance, Table
from pbem.reports.words import Memory
from pbem.titles.hammer.reports.position import Sightings
from tests.play.wild import Wild

GAMES: list[tuple[str, Mapping[str, Any]]] = [
    ("hammer", {"scenario": "braveheart"}),
    ("hammer", {"scenario": "the-bruce", "edition": "3-de"}),
    ("hammer", {"scenario": "campaign", "last_year": 1299}),
    ("lords", {"players": 2}),
    ("lords", {"players": 5, "discard_pile_public": False}),
    ("first-war", {"years": 3}),
    ("first-war", {"years": 2, "simultaneous": False}),
]
LONG = 120


def play_twice(title: str, options: Mapping[str, Any], seed: int, exchanges: int) -> int:
    """A game beside one that is saved and begun anew at every exchange; how many there were.

    What was answered, told, left out and remembered, the reports, forms and orders on file, all that the
    judge sees: nothing may differ.
    """
    one, two = (Table(title, options, seed, saves=True) for _ in range(2))
    wild = Wild(one.setting, seed)
    while one.outcome is None and one.number <= exchanges:
        two.resume()
        assert json.dumps(two.play.save()) == json.dumps(one.play.save())
        texts = wild.files(one.play)
        assert one.exchange(texts) == two.exchange(texts), one.number
        for side in one.sides:
            assert one.report(side) == two.report(side), (one.number, side)
    return one.number


@pytest.mark.ci(but=("first-war-{'years': 2, 'simultaneous': False}",))
@pytest.mark.parametrize(("title", "options"), GAMES, ids=str)
def test_a_saved_game_is_the_game_that_went_on(title: str, options: Mapping[str, Any]) -> None:
    assert play_twice(title, options, 1, 12) > 5


@pytest.mark.slow
@pytest.mark.parametrize(("title", "options"), GAMES, ids=str)
def test_whole_games_with_any_seed(title: str, options: Mapping[str, Any], seeds: range) -> None:
    for seed in seeds:
        play_twice(title, options, seed, LONG)


@pytest.mark.parametrize(
    ("value", "known"),
    [
        (KitFollower(ROWS, "england"), "rows side dropped _files _standing _memory _moment _received"),
        (PlainFollower({}), "verbs dropped files waiting"),
        (Sightings("england"), "_watcher _seen"),  # the latter follows from the view
        (Sightings("england")._watcher, "_enemies _found _now _fallen"),
        (
            Table("hammer", {}, 1).play,
            """setting chance watch _saves _stop _since _game _last _heard _memories _audiences _followers
            _files _standing""",
        ),
    ],
    ids=lambda value: type(value).__name__,
)
def test_nothing_new_is_forgotten(value: object, known: str) -> None:
    """Whoever gives one of these another attribute has to save it, too, and then name it here."""
    assert sorted(vars(value)) == sorted(known.split())


@pytest.mark.parametrize(
    ("kind", "known"),
    [
        (File, "orders moment number lists spent bound stopped"),
        (StepList, "kind steps covers judged others"),
        (Step, "order name left named used"),
    ],
)
def test_no_new_field_is_forgotten(kind: Any, known: str) -> None:
    assert [one.name for one in fields(kind)] == known.split()


def test_plain_orders_are_saved() -> None:
    follower, again = PlainFollower({"card": ("card",)}), PlainFollower({"card": ("card",)})
    follower.receive(PlainLanguage({"card": ("card",)}).parse("card 1\ncard 2\n", "england").orders, {})
    follower.dropped.append(Dropped(1, "card 9", "it is not there"))
    follower.waiting.popleft()
    again.load(json.loads(json.dumps(follower.save())))
    assert vars(again) == vars(follower)


@dataclass(frozen=True)
class Own:
    """A class of a title."""

    what: str
    names: frozenset[str] = frozenset()
    sums: dict[str, int] = field(default_factory=dict)


def test_what_is_packed_is_the_same_again() -> None:
    value = [Own("a", frozenset("bc"), {"d": 1}), (1, None, True), {"x", "y"}, [["list", "set"]], {"k": [()]}]
    assert unpack(json.loads(json.dumps(pack(value))), (Own,)) == value


def test_nothing_is_made_but_what_the_reader_names() -> None:
    with pytest.raises(KeyError):
        unpack(["Own", "a", ["frozenset"], ["dict"]])
    with pytest.raises(NotSaved):
        pack(1.5)


class Forgetful(Memory):
    """A title's own, which does not say how it is saved."""


def test_a_memory_that_says_nothing_is_not_saved() -> None:
    with pytest.raises(NotSaved):
        Forgetful().save()


def test_a_title_that_does_not_resume_is_not_saved() -> None:
    table = Table("hammer", {}, 1)
    with pytest.raises(NotSaved):
        table.play.save()
    assert Play(table.setting, SeededChance(1), saves=True)._saves
