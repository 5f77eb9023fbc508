"""A sandbox: begun from what one side knows, ordered on all sides, thrown again, and no part of any game."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from pbem.errors import ConfigError
from pbem.practice import folder
from pbem.practice.sandbox import (
    MARK,
    Sandbox,
    begin_at,
    list_hidden,
    start_from,
    view_at,
    view_at_step,
    worlds_of,
)
from pbem.practice.table import PERSON, SeededChance, Session, Start
from pbem.rules.base import View
from pbem.titles import Title, load
from pbem.trust.faults import IdentifierFault, OrderFileFault
from pbem.trust.identifiers import check_game_id
from pbem.trust.orderfile import parse_draft

FILES = ("pbem.rules.lords", "pbem.orders.lords")
RULES, ORDERS = "pbem.rules.lords:RULES", "pbem.orders.lords:LANGUAGE"
TITLES: dict[str, dict[str, Any]] = {
    "hammer": {"scenario": "braveheart"},
    "lords": {"players": 3},
    "first-war": {},
}


def played(name: str, exchanges: int, seed: str = "4") -> Session:
    """A game of bots that has gone on so long."""
    title, options = load(name), TITLES[name]
    side, bot = title.rules.sides(options)[-1], next(iter(title.bots))
    session = Session(Start(game=name, options=options, seed=seed, side=side, bot=bot))
    own = title.bots[bot](side)
    for _ in range(exchanges):
        session.send(own.write(session.table.view(side), session.table.open_asks(side)))
    return session


def tried(view: View, against: str = "") -> Sandbox:
    return Sandbox(start_from(view, "hearth after exchange 5", seed="7", against=against))


@pytest.mark.ci
@pytest.mark.parametrize("name", TITLES)
def test_it_follows_from_the_view_alone(name: str) -> None:
    """Twins: worlds that one side cannot tell apart give it the same sandbox, dice and bots included."""
    session = played(name, 4)
    title, side = load(name), session.start.side
    position = json.loads(json.dumps(session.table.play.game.view("gm")))
    assert title.twin is not None
    other = title.twin(position, side, random.Random(5))
    assert other != position
    views = [
        title.rules.start(session.start.options, SeededChance(1), one, stops=True).view(side)
        for one in (position, other)
    ]
    assert views[0] == views[1]
    first, second = map(tried, views)
    for _ in range(4):
        assert first.report() == second.report()
        first.send("")
        second.send("")


@pytest.mark.parametrize("name", TITLES)
def test_it_begins_where_the_player_stands_and_the_rules_go_on(name: str) -> None:
    session = played(name, 4)
    view = view_at(session.report())
    sandbox = tried(view)
    seen = sandbox.table.view(sandbox.start.side)
    assert {key: seen[key] for key in view if key != "viewer"} == {
        key: value for key, value in view.items() if key != "viewer"
    }, "what is remembered too"
    assert sandbox.check("note nothing")
    sandbox.send("")
    assert sandbox.exchange == 3


@pytest.mark.ci
def test_it_begins_anywhere_in_a_campaign() -> None:
    """With blocks that are gone for good, and sightings that leave no room for one another."""
    title = load("hammer")
    session = Session(Start(game="hammer", options={}, seed="1", side="scotland", bot="captain"))
    own = title.bots["captain"]("scotland")
    for _ in range(18):
        session.send(own.write(session.table.view("scotland"), session.table.open_asks("scotland")))
        view = view_at(session.report())
        seen = tried(view).table.view("scotland")
        assert [key for key in view if seen[key] != view[key] and key != "last_seen"] == []


@pytest.mark.parametrize("name", TITLES)
def test_every_report_and_check_says_that_it_is_no_part_of_the_game(name: str) -> None:
    sandbox = tried(view_at(played(name, 3).report()), against=PERSON)
    for _ in range(5):
        assert sandbox.report().startswith(f"{MARK}\nBegun from what ")
        assert "game only a try\n" in sandbox.report()
        assert sandbox.story().startswith(MARK)
        sandbox.send("")


def test_nothing_of_it_can_be_sealed() -> None:
    sandbox = tried(view_at(played("hammer", 2).report()))
    with pytest.raises(OrderFileFault, match="no line 'pbem1 orders'"):
        parse_draft(sandbox.report())
    with pytest.raises(IdentifierFault):
        check_game_id(sandbox.name)


def test_all_sides_can_be_ordered_one_after_the_other() -> None:
    sandbox = tried(view_at(played("lords", 2).report()), against=PERSON)
    asked = []
    for _ in range(3):
        asked.append(sandbox.side)
        assert sandbox.exchange == 2
        sandbox.send("")
    assert sorted(asked) == sorted(sandbox.table.sides)
    assert (sandbox.side, sandbox.exchange) == (sandbox.start.side, 3)


def test_dice_are_thrown_again_for_the_same_orders() -> None:
    sandbox = tried(view_at(played("first-war", 2).report()))
    found = set()
    sandbox.send("")
    sandbox.send("")
    turns = list(sandbox.turns)
    for _ in range(4):
        found.add(sandbox.report())
        sandbox.throw_again()
        assert sandbox.turns == turns
    assert len(found) == 4
    again = Sandbox(sandbox.start)
    again.send("")
    again.send("")
    assert again.report() == sandbox.report(), "a throw is as repeatable as a seed"


def test_orders_are_taken_back() -> None:
    sandbox = tried(view_at(played("lords", 2).report()), against=PERSON)
    first = sandbox.report()
    with pytest.raises(ConfigError, match="nothing has been ordered yet"):
        sandbox.take_back()
    for _ in range(4):
        sandbox.send("")
    assert len(sandbox.written) == 1
    sandbox.take_back()
    assert (sandbox.written, len(sandbox.turns)) == ({}, 1)
    sandbox.take_back()
    assert sandbox.report() == first


def test_what_is_hidden_is_put_where_one_thinks_it_is() -> None:
    view = view_at(played("hammer", 2).report())
    lines = list(list_hidden(view))
    assert lines[0].startswith("Hidden: ")
    edward = next(line for line in lines if line.startswith("Edward: "))
    place = edward.removeprefix("Edward: ").split(", ")[0]
    start = start_from(
        view, "hearth", seed="7", placed=[("edward", place.upper()), ("3", "hand"), ("3", "Hand")]
    )
    sandbox = Sandbox(start)
    world = sandbox.table.play.game.view("gm")
    assert world["blocks"]["Edward"]["area"] == place
    assert world["hands"]["england"].count("3") >= 2
    assert "drawn, or put there by you" in sandbox.report()


@pytest.mark.parametrize(
    ("name", "place", "said"),
    [
        ("Wallace", "Fife", "Wallace is not hidden, or not so often"),
        ("Comyn", "pool", "Comyn cannot be in pool; it may be in "),
        ("Comyn", "Nowhere", "Comyn cannot be in Nowhere; it may be in "),
    ],
)
def test_what_cannot_be_there_is_refused(name: str, place: str, said: str) -> None:
    view = view_at(played("hammer", 0).report())
    with pytest.raises(ConfigError, match=said):
        Sandbox(start_from(view, "hearth", seed="7", placed=[(name, place)]))


def test_more_than_there_is_room_for_is_refused() -> None:
    view = view_at(played("hammer", 0).report())
    hand = [(card, "hand") for card in ("1", "1", "1", "2", "2", "2")]
    with pytest.raises(ConfigError, match="hand has no more than 5 hidden, and more are put there"):
        Sandbox(start_from(view, "hearth", seed="7", placed=hand))
    enough = [(name, "England") for name in ("Lancaster Archers", "Wales Archers")]
    assert Sandbox(start_from(view, "hearth", seed="7", placed=enough[:1])).exchange == 2


@pytest.mark.ci
@pytest.mark.parametrize("name", TITLES)
def test_it_begins_at_a_step_or_at_the_last_one_before_it_from_which_rules_can_go_on(name: str) -> None:
    session = played(name, 3)
    before = session.report()
    session.send("")
    report = session.report()
    with pytest.raises(ConfigError, match="steps, counted from 1") as fault:
        view_at_step(report, before, 999)
    steps = int(str(fault.value).split()[3])
    found = []
    for step in range(1, steps + 1):
        view, at = view_at_step(report, before, step)
        assert at <= step
        assert tried(view).report()
        found.append(at)
    assert found == sorted(found)
    assert found[-1] == steps, "after the last step stands the report itself"


def test_a_moment_that_is_not_there_is_refused() -> None:
    report = played("lords", 1).report()
    with pytest.raises(ConfigError, match="no report of hearth has been received yet"):
        begin_at("hearth", (0,), lambda _: report)
    with pytest.raises(ConfigError, match="no report of exchange 9 of hearth here; there are 2 to 2"):
        begin_at("hearth", (2,), lambda _: report, 9)
    with pytest.raises(ConfigError, match="the part for programs of this report is damaged"):
        begin_at("hearth", (2,), lambda _: "torn")


def test_a_game_that_imagines_nothing_or_is_over_is_refused() -> None:
    view = view_at(played("lords", 1).report())
    with pytest.raises(ConfigError, match="it imagines no positions"):
        worlds_of(Title("tag", files=FILES, rules=RULES, orders=ORDERS, words=RULES))
    with pytest.raises(ConfigError, match="not of a game that this program knows"):
        start_from({**view, "game": "tag"}, "hearth", seed="7")
    with pytest.raises(ConfigError, match="the game is over there; begin at an earlier exchange or step"):
        start_from({**view, "outcome": {"winner": "red", "reason": "points"}}, "hearth", seed="7")


@pytest.mark.ci
def test_it_is_kept_in_a_folder_with_throws_and_all_sides_orders(tmp_path: Path) -> None:
    view = view_at(played("hammer", 3).report())
    start = start_from(view, "hearth after exchange 4", seed="7", against=PERSON)
    place = tmp_path / "what-if"
    sandbox = folder.begin(place, start)
    assert isinstance(sandbox, Sandbox)
    folder.send(place, sandbox, "note mine\n")
    folder.send(place, sandbox, "note theirs\n")
    folder.send(place, sandbox, "note mine again\n")
    folder.throw_again(place, sandbox)
    again = folder.resume(place)
    assert isinstance(again, Sandbox)
    assert (again.report(), again.turns, again.written) == (sandbox.report(), sandbox.turns, {})
    assert folder.take_back(place, sandbox) == "note mine\n"
    assert not list(place.glob("orders-*")), "what is taken back is not played again"
    assert folder.resume(place).report() == sandbox.report()


@pytest.mark.ci
def test_at_a_prompt_it_is_thrown_again_and_taken_back(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from pbem.practice.folder import play_at_prompt

    sandbox = tried(view_at(played("hammer", 2).report()))
    lines = iter(["help", "send", "again", "back", "quit"])
    told: list[str] = []
    play_at_prompt(sandbox, lambda _: next(lines), told.append)
    assert "again    throw the dice of the last exchange again" in told[0]
    assert sandbox.exchange == 2
    assert all(MARK in one for one in told if "WHAT HAPPENED" in one)
