"""What is told of recorded games, whole: explanations, and what another order would have changed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from pbem.audit.game import read_record
from pbem.disputes.explain import explain
from pbem.disputes.record import ALL, Record, walk
from pbem.disputes.whatif import Change, KnownDice, OtherLine, OtherRule, what_if
from pbem.errors import ConfigError
from pbem.trust.chance import Draw
from tests import conftest
from tests.disputes.conftest import play_a_battle
from tests.disputes.story import GAME, WHY, Story
from tests.disputes.test_commands_told import TIMES
from tests.golden.test_recorded_games import GAMES
from tests.kept import Telling, as_kept, plain

MANY = 10_000
"""More steps than a game has."""
GOLDEN = Path(__file__).parent / "golden"
ASKED: dict[str, dict[str, tuple[str, ...]]] = {
    "campaign-to-1298": {
        ALL: ("winter", "refused"),
        "scotland": ("exchange 3", "1297.2 battle", "refused", "move Wallace", "france"),
        "public": ("winter", "received alice", "move Wallace"),
    },
    "first-war-1298": {
        ALL: ("raid", "exchange 4", "received", "exchange 99"),
        "scots": ("battle", "exchange 4", "1298 spring"),
        "public": ("battle", "raid"),
    },
    "lords-for-three": {ALL: ("exchange 9",), "red": ("exchange 9",), "public": ("muster",)},
}
"""Game -> reader -> events."""
TRIED: dict[str, dict[int, tuple[Change, ...]]] = {
    "campaign-to-1298": {
        2: (OtherLine("scotland", "move Wallace from Fife to Atholl"),),
    },
    "first-war-1298": {
        4: tuple(
            OtherLine("scots", line)
            for line in ("deploy cavalry", "event kill traitor on noble", "victory carnage")
        ),
        3: (OtherLine("scots", "event none"), OtherLine("english", "strategy none", 1)),
        6: (OtherLine("scots", "victory carnage"), OtherLine("scots", "", 2), OtherRule("years", "3")),
    },
    "lords-for-three": {9: (OtherLine("red", "muster best down"),)},
}
"""Game -> exchange -> what might have been."""

BATTLE: tuple[dict[str, tuple[str, ...]], ...] = (
    {
        ALL: (
            *("1297.1 battle angus round 1", "1297.1 battle angus", "exchange 3 bruce", "exchange 3 ross"),
            *("wallace", "exchange 1", "exchange 3 refused ghost", "1297.1 move wallace angus", "refused"),
            *("1297.1 wallace moves from fife to angus", "1297.1/battle-1/angus/round-1/wallace/die-1"),
            *("received", "arrived bob", "card", "fire", "dance", "exchange 3 fly", "exchange 3 perth"),
            *("exchange 99", "exchange 0", "exchange", "of the", "exchange 4", "exchange 5", "raid"),
        ),
        "scotland": (
            *(
                "exchange 3 wallace",
                "1297.1 wallace",
                "received",
                "refused",
                "card 2",
                "move ross",
                "exchange 1",
            ),
            *(
                "1297.2 each side",
                "1297.2 battle",
                "1297.1 battle angus",
                "1297.1/battle-1/angus/round-1/wallace",
            ),
        ),
        "public": ("exchange 3", "1297.2 each side", "1297.2 battle", "1297.1 battle", "wallace", "card 2"),
    },
    {
        ALL: ("exchange 1", "exchange 2", "exchange 5", "refused", "received"),
        "england": ("exchange 5", "card"),
    },
    {ALL: ("exchange 5", "exchange 6", "exchange 7", "received alice"), "public": ("exchange 5",)},
)
"""Reader -> events: after a battle; after its game was played again from the beginning; after its end."""
INSTEAD: dict[int, tuple[str, ...]] = {
    1: ("0 done", "bid=S1"),
    2: ("1 card 3", "0 card 3"),
    3: (
        *(
            "12 fire Wallace",
            "12 pass all",
            "12 ask",
            "12",
            "1",
            "0 retreat Wallace to Ross",
            "0 note nothing",
        ),
        *("0 retreat Wallace to Fife", "0 dance", "2 move Wallace to Angus", "7 move Wallace to Angus"),
        *(
            "17 done",
            "18 done",
            "bid=S1",
            "dead_round_turns=yes",
            "bid=S9",
            "no=1",
            "17 dance",
            "0 note nothing",
        ),
    ),
    4: ("0 pass Wallace",),
}
"""Exchange -> lines of Scotland's, each in the place of one or before all (0), and house rules."""


def timeless(text: str) -> str:
    """A text without its times and keys, which are others in each run."""
    return plain(TIMES.sub("(a time)", text))


def ask(
    told: Telling, record: Record, asked: Mapping[str, tuple[str, ...]], shown: Callable[[str], str] = str
) -> None:
    """What each reader is told of these events."""
    for reader, events in asked.items():
        narrowed = record if reader == ALL else record.narrow_to(reader)
        assert reader == ALL or narrowed.narrow_to(reader) == narrowed
        for event in events:
            try:
                said = explain(narrowed, event, pictures=event == "raid" or " move " in event)
                told.add(f"{event}, to {reader}", shown(said).split("\n"))
            except ConfigError as fault:
                told.add(f"{event}, to {reader}, refused", str(fault).split("\n"))


def attempt(told: Telling, record: Record, tried: Mapping[int, tuple[Change, ...]]) -> None:
    """What would have come of other lines and rules."""
    for number, changes in tried.items():
        for change in changes:
            try:
                told.add(f"exchange {number}, {change}", what_if(record, number, change).split("\n"))
            except ConfigError as fault:
                told.add(f"exchange {number}, {change}, refused", str(fault).split("\n"))


def change_of(words: str) -> Change:
    """A line or a house rule, as INSTEAD writes it."""
    place, _, text = words.partition(" ")
    name, equals, value = words.partition("=")
    return OtherRule(name, value) if equals else OtherLine("scotland", text, int(place))


@pytest.mark.ci(but=("campaign-to-1298", "first-war-1298"))
@pytest.mark.parametrize("game", GAMES, ids=lambda path: str(path.name))
def test_what_is_told_of_a_recorded_game_is_as_it_was(game: Path) -> None:
    record = read_record(game / "bundle.tar.gz")
    told = Telling()
    ask(told, record, ASKED[game.name])
    attempt(told, record, TRIED[game.name])
    steps = walk(record, range(MANY)).steps
    assert [bool(step.before) for step in steps] == [False, *(True for _ in steps[1:])]
    as_kept(GOLDEN / f"{game.name}.txt", str(told))


def test_a_card_that_is_gone_is_drawn_anew() -> None:
    dice = KnownDice([], [Draw(1, "deal", 2, "red"), Draw(1, "next", 2, "red")])
    dice.begin(1, b"\1" * 32, b"\2" * 32)
    assert dice.draw("deal", ("red", "blue")) == "red"
    assert dice.draw("next", ("blue",)) == "blue"
    assert dice.fresh == ["next = blue"]


@pytest.mark.ci
def test_what_is_told_of_a_battle_is_as_it_was(fresh: Story, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also after a correction, from which on its exchanges are void, and after the end of the game."""
    monkeypatch.setattr(conftest, "CHANCE", "")  # else the dice would be others
    told = Telling()

    def record() -> Record:
        place = fresh.folder / str(len(told.lines))
        fresh.pbem("export", GAME, "--as", "all", "--into", place, *WHY)
        return read_record(place)

    with conftest.chance.of("a battle that is disputed"):
        play_a_battle(fresh)
        fresh.send("alice", "fly Ross\n")
        ask(told, record(), BATTLE[0], timeless)
        instead = {number: tuple(map(change_of, lines)) for number, lines in INSTEAD.items()}
        attempt(told, record(), instead)
        attempt(told, record(), {3: (OtherLine("england", "retreat all to Mar"), OtherLine("scots", "done"))})
        fresh.act("correct 1 bid=S1", "a wrong bid", fresh.consent("correct 1 bid=S1"))
        fresh.pbem("run")
        fresh.exchange(alice="card 2\nfly Ross\nnote\n", bob="card 1\n")
        ask(told, record(), BATTLE[1], timeless)
        attempt(told, record(), {5: (OtherLine("scotland", "done"),), 6: (OtherLine("scotland", "card 3"),)})
        fresh.act("concede bob", "lost", fresh.consent("concede bob", "bob", exchange=7))
        ask(told, record(), BATTLE[2], timeless)
    as_kept(GOLDEN / "a-battle.txt", str(told))
