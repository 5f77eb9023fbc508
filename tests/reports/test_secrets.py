"""A report holds nothing but what its reader's view and events hold."""

import random
from typing import Any

import pytest

from pbem.rules import load
from pbem.rules.base import View
from pbem.titles.hammer import TITLE
from tests.hammer.report_scenes import (
    FIELD,
    READERS,
    SEATS,
    Scripted,
    Seeded,
    Table,
    blocks,
    random_reports,
    table,
)

STYLE = TITLE.style

ENEMY = {"england": "scotland", "scotland": "england"}


def other_world(position: View, reader: str, source: random.Random) -> View:
    """The same position for `reader`: the enemy's hidden blocks, strengths, hand and pool are others."""
    enemy = ENEMY[reader]
    changed: dict[str, Any] = {
        **position,
        "blocks": {name: dict(row) for name, row in position["blocks"].items()},
    }
    hidden = [
        name
        for name, row in changed["blocks"].items()
        if row["side"] == enemy
        and name not in changed["nobles"]
        and row["area"] != "off map"
        and name != "Norse"
    ]
    places = [changed["blocks"][name]["area"] for name in hidden]
    source.shuffle(places)
    for name, area in zip(hidden, places, strict=True):
        changed["blocks"][name].update(area=area, strength=source.randint(1, 2))
    hands = {side: list(hand) for side, hand in position["hands"].items()}
    hands[enemy] = [
        hands[enemy][0],
        *source.sample(["1", "2", "3", "truce", "herald"], len(hands[enemy]) - 1),
    ]
    changed["hands"] = hands
    return changed


def a_quiet_turn(at: Table, cards: dict[str, str]) -> dict[str, str]:
    """Both sides play these cards and are silent otherwise."""
    for side, card in cards.items():
        if any(ask.side == side for ask in at.game.asks):
            at.game.answer(side, f"card {card}")
    while at.game.asks and at.game.asks[0].kind != "card":
        ask = at.game.asks[0]
        at.game.answer(ask.side, ask.default)
    return at.reports()


def positions(reader: str) -> list[View]:
    """Positions at the card phase of random games, in which the enemy holds a move card."""
    found: list[View] = []
    for seed in range(40):
        source = random.Random(seed)
        game = load("hammer").start({}, Seeded(source))
        for _ in range(source.randint(10, 200)):
            if game.outcome:
                break
            ask = source.choice(game.asks)
            game.answer(ask.side, source.choice(ask.legal))
        while not game.outcome and not all(ask.kind == "card" for ask in game.asks):
            ask = game.asks[0]
            game.answer(ask.side, ask.default)
        if game.outcome or len(game.asks) < 2:
            continue
        position = game.view("gm")
        hands = position["hands"]
        raided = position["areas"]["England"]["scotland"]
        if len(hands[reader]) > 2 and not raided and all(hand[0].isdigit() for hand in hands.values()):
            found.append(position)
    return found


@pytest.mark.ci
@pytest.mark.parametrize("reader", ["england", "scotland"])
def test_two_worlds_give_the_same_report(reader: str) -> None:
    found = positions(reader)
    assert len(found) > 5
    for number, position in enumerate(found):
        source = random.Random(number)
        cards = {side: hand[0] for side, hand in position["hands"].items()}
        here = table(position)
        there = table(other_world(position, reader, source))
        assert here.game.view("gm") != there.game.view("gm")
        ours, theirs = a_quiet_turn(here, cards), a_quiet_turn(there, cards)
        assert ours[reader] == theirs[reader]
        assert ours["public"] == theirs["public"]


def test_reserves_stay_unknown_while_a_battle_goes_on() -> None:
    """A pause in round 1: the reserves' names differ, and so does all that stands elsewhere."""
    reports = []
    for reserve, elsewhere in (("Campbell", "Graham"), ("Graham", "Campbell")):
        scots = f"Fife: Wallace 4, {reserve} 3; Moray: Moray 3, {elsewhere} 4"
        position = {
            **FIELD,
            "phase": "battles",
            "first": "england",
            "hands": {"england": ["1"], "scotland": ["2" if reserve == "Graham" else "1"]},
            "attacks": {
                "Fife": {
                    "attacker": "england",
                    "origin": "Mentieth",
                    "border": "Mentieth-Fife",
                    "reserve_blocks": [reserve],
                }
            },
            "blocks": {
                **blocks("scotland", scots),
                **blocks("england", "Fife: Edward 4, York Knights 4; Mar: Mar 3"),
            },
        }
        at = table(position, dice="1 1 1 1")
        at.play("S fire Wallace; E hit Edward")
        reports.append(at.reports())
    for reader in ("england", "public"):
        assert reports[0][reader] == reports[1][reader]
    assert reports[0]["scotland"] != reports[1]["scotland"]


@pytest.mark.ci(but=("scotland",))
@pytest.mark.parametrize("reader", READERS)
def test_another_sides_questions_do_not_show(reader: str) -> None:
    for at, _ in random_reports(5, 8):
        view, told = at.game.view(reader), at.game.told(reader)
        own = [ask for ask in at.game.asks if ask.side == reader]
        context = at.context(reader)
        with_all = STYLE.report(reader, view, view, told, at.game.asks, context)
        assert with_all == STYLE.report(reader, view, view, told, own, context)


@pytest.mark.parametrize("reader", ["england", "public"])
def test_hidden_names_are_not_in_the_text(reader: str) -> None:
    """Scottish blocks that have never been seen are named nowhere in an English or public report."""
    at = table({**FIELD, "hands": {"england": ["1", "2"], "scotland": ["1", "2"]}})
    at.play("E card 1; S card 1; E done; S done")
    report = at.reports()[reader]
    for name in ("Wallace", "Douglas", "Barclay", "Fraser", "Grant", "Campbell", "Norse"):
        assert name not in report.replace("Wallace is on the map", "")


def test_the_judges_context_is_all_that_is_added() -> None:
    """The same view, events and context give the same bytes, whatever game they come from."""
    at = Table(load("hammer").start({}, Scripted()), Scripted())
    view = at.game.view("england")
    first = STYLE.report("england", view, view, [], (), at.context("england"))
    assert first == STYLE.report("england", dict(view), dict(view), [], (), at.context("england"))
    assert SEATS["england"] in first
