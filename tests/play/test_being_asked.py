"""An `ask` makes the judge stop only where everybody can see that something is asked.

Two worlds that one side cannot tell apart; the other side has written `ask` in both. Until it says so in
public, the first side may not learn from the pause which world it is in.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from pbem.orders.base import Stop, Uncovered, reply_of
from pbem.play.resolve import Play
from pbem.play.setting import make_setting
from pbem.rules.base import View
from pbem.rules.hammer import RULES
from pbem.rules.hammer.facts import BLOCKS

SEATS = {"england": "bob", "scotland": "alice"}
SETTING = make_setting("demo", "hammer", {"scenario": "braveheart"}, SEATS)


class First:
    """The first of whatever is drawn, and threes on every die."""

    def roll(self, label: str, sides: int = 6) -> int:
        return 3

    def draw(self, label: str, choices: tuple[str, ...]) -> str:
        return choices[0]


def standing(side: str, **areas: str) -> dict[str, dict[str, Any]]:
    """Blocks of a side by area: `Fife="Wallace 2, Moray"`."""
    found = {}
    for area, names in areas.items():
        for entry in names.split(", "):
            name, _, strength = entry.rpartition(" ") if entry[-1].isdigit() else (entry, "", "")
            found[name] = {
                "area": area.replace("_", " "),
                "side": side,
                "strength": int(strength or BLOCKS[name].max),
            }
    return found


def play_from(phase: str, english: Mapping[str, str], scots: Mapping[str, str], **facts: Any) -> Play:
    """A game that stands at the beginning of a phase, or halts at its public stop."""
    position: View = {
        "phase": phase,
        "blocks": standing("england", **english) | standing("scotland", **scots),
    } | facts
    chance = First()
    play = Play(SETTING, chance)
    play._game = RULES.start(SETTING.options, chance, position, stops=True)
    return play


Where = dict[str, str]

EDWARD: tuple[Where, Where] = (
    {"Lothian": "Edward", "England": "York Infantry"},
    {"Lothian": "York Infantry", "England": "Edward"},
)
MORAY: tuple[Where, Where] = (
    {"Fife": "Moray", "Mar": "Barclay"},
    {"Fife": "Douglas", "Mar": "Barclay"},
)
TIED: tuple[Where, Where] = ({"Fife": "Wallace 3, Barclay 3"}, {"Fife": "Wallace 3, Barclay 2"})
FRENCH: tuple[Where, Where] = ({"Fife": "French Knights, Keith 2"}, {"Fife": "Grant, Keith 2"})
CROWDED: tuple[Where, Where] = ({"Mar": "Keith, Grant, Barclay"}, {"Mar": "Keith, Grant, Fraser"})


PILLAGE = {"cards": {"england": "pillage"}}
CROWN = {"year": 1306, "cards": {"england": "truce", "scotland": "victuals"}}


@pytest.mark.parametrize(
    ("orders", "phase", "english", "scots", "facts"),
    [
        ("ask Edward", "english nobles", EDWARD, {"Fife": "Wallace"}, {"turn": 6}),
        ("ask everything", "english nobles", EDWARD, {"Fife": "Wallace"}, {"turn": 6}),
        ("ask home", "english nobles", {"Lothian": "Dunbar"}, MORAY, {"turn": 6}),
        ("ask hits", "events", {"Mentieth": "York Infantry"}, TIED, PILLAGE),
        ("hits Keith\nask hits", "events", {"Mentieth": "York Infantry"}, TIED, PILLAGE),
        ("ask crown", "events", {"Lothian": "York Infantry"}, FRENCH, CROWN),
        ("ask everything", "events", {"Lothian": "York Infantry"}, FRENCH, CROWN),
        ("ask disband", "english disbanding", {"Lothian": "Hobelars, Wales Infantry"}, CROWDED, {"turn": 6}),
    ],
)
def test_a_pause_that_a_player_asks_for_betrays_nothing(
    orders: str,
    phase: str,
    english: Where | tuple[Where, Where],
    scots: Where | tuple[Where, Where],
    facts: View,
) -> None:
    """The other side sees the same pause in both worlds: none for what it cannot see asked."""
    found = []
    asker = "england" if isinstance(english, tuple) else "scotland"
    viewer = "scotland" if asker == "england" else "england"
    for world in (0, 1):
        there = english[world] if isinstance(english, tuple) else english
        here = scots[world] if isinstance(scots, tuple) else scots
        play = play_from(phase, there, here, **{"year": 1298, "turn": 2, "first": viewer, **facts})
        resolution = play.resolve(2, {asker: orders, viewer: "pillage Fife"})
        assert all(ask.public for ask in play.game.asks)
        found.append((resolution.stop, play.game.view("public")["phase"], len(play.asks(viewer))))
    assert found[0] == found[1]


def test_the_writer_is_told_why_no_pause_was_made() -> None:
    play = play_from("english nobles", EDWARD[0], {"Fife": "Wallace"}, turn=6, year=1298)
    dropped = play.resolve(2, {"england": "card 2\nask Edward", "scotland": ""}).dropped["england"]
    said = "only you may know that 'edward' is asked, and a pause would tell everybody"
    assert [str(one) for one in dropped] == [f"line 2: 'ask' was left out: {said}"]


def test_what_can_be_seen_is_asked_still() -> None:
    """7.12: Bruce's two homes are seen by all; so is a combat turn."""
    play = play_from("scottish nobles", {"Lothian": "York Infantry"}, {"Fife": "Bruce"}, turn=6, year=1298)
    play.game.told("public")
    resolution = play.resolve(2, {"england": "", "scotland": "home Bruce to Annan"})
    assert resolution.stop == "builds"
    play = play_from(
        "english nobles", {"Lothian": "York Infantry, Comyn"}, {"Fife": "Bruce"}, turn=6, year=1298
    )
    resolution = play.resolve(2, {"england": "home Comyn to Badenoch", "scotland": "ask home"})
    assert [(ask.side, ask.kind) for ask in play.game.asks] == [("scotland", "home")]
    assert play.resolve(3, {"england": "", "scotland": "ask home"}).stop == "builds"  # not for ever


@pytest.mark.parametrize("asker", ["england", "scotland"])
def test_the_card_is_asked_once_and_of_both(asker: str) -> None:
    """3.1: `ask everything` without a card puts nothing off; both silent sides have their default."""
    hands = {"england": ["1", "2"], "scotland": ["2", "3"]}
    scots, english = {"Fife": "Wallace", "Lennox": "Lennox"}, {"Lothian": "York Infantry", "Dunbar": "Dunbar"}
    play = play_from("cards", english, scots, hands=hands, year=1298)
    resolution = play.resolve(2, {"england": "", "scotland": ""} | {asker: "ask everything"})
    assert [(one.side, one.text, one.by) for one in resolution.answers[:2]] == [
        ("england", "card 1", "default"),
        ("scotland", "card 2", "default"),
    ]
    assert play.game.view(asker)["cards"] == {"england": "1", "scotland": "2"}
    assert "already asked you 'card'" in str(resolution.dropped[asker][0])


@pytest.mark.parametrize(
    ("ahead", "stops"),
    [
        ("winter:\nhome Moray stay\nkeep rest\nbuild rest", ["over winter"]),
        ("winter:\nhome Moray stay\nkeep rest\nbuild rest\nask Edward", ["winter"]),
        ("winter:\nhome Moray stay\nkeep rest\nask builds", ["builds"]),
        ("keep Keith, rest\nask", ["builds"]),
        ("if first and second: ask home\nhome Moray stay", ["builds"]),
        ("winter:\nif first and second: ask home\nhome Moray stay", ["builds"]),
        ("winter:\nhome Moray stay\nask everything", ["winter"]),
    ],
)
def test_an_ask_written_ahead_makes_the_judge_stop_where_all_see_it(ahead: str, stops: list[str]) -> None:
    """At the public stop before the question, whether or not it will be asked."""
    hands = {"england": ["1"], "scotland": ["2"]}
    scots, english = {"Fife": "Wallace", "Lennox": "Lennox"}, {"Lothian": "York Infantry", "Dunbar": "Dunbar"}
    play = play_from("cards", english, scots, hands=hands, year=1298, turn=5)
    both = "home Moray stay\nkeep rest\nwinter: build rest"
    resolution = play.resolve(2, {"england": f"move none\n{ahead}", "scotland": f"move none\n{both}"})
    reached = resolution.stop if play.game.view("public")["year"] == 1298 else "over winter"
    assert [reached] == stops


def test_a_side_that_follows_nobodys_contract_is_not_waited_for_in_vain() -> None:
    """A follower of another game that says Stop for ever is passed over as well."""

    class Stubborn:
        dropped: list[Any] = []  # noqa: RUF012

        def reply(self, ask: object, view: object) -> Stop:
            return Stop(3)

    play = play_from("edward", EDWARD[0], {"Fife": "Wallace"}, turn=6, year=1298)
    (ask,) = play.game.asks
    assert reply_of(Stubborn(), ask, {}, just_put=False) == Uncovered()  # type: ignore[arg-type]
