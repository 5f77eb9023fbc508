"""Small games that reports are written about: a chance without chance, readers, and a few scenes.

A scene is played in parts; after each part everybody gets a report, as after an exchange.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from pbem.reports import Context, Dice, Roll
from pbem.rules import load
from pbem.rules.base import Game
from pbem.titles.hammer import TITLE

STYLE = TITLE.style

READERS = ("england", "scotland", "public", "gm")
SEATS = {"england": "alice", "scotland": "bob"}
KEY = "3f" * 32
FORM = "begin orders\ncard ____\nmove ____ from ____ to ____\nend orders\n"
SIDE = {"E": "england", "S": "scotland"}


@dataclass
class Scripted:
    """Dice in the order given, then sixes; always the first of what may be drawn."""

    dice: list[int] = field(default_factory=list)
    rolls: list[Roll] = field(default_factory=list)

    def roll(self, label: str, sides: int = 6) -> int:
        value = self.dice.pop(0) if self.dice else 6
        self.rolls.append(Roll(label, sides, value))
        return value

    def draw(self, label: str, choices: tuple[str, ...]) -> str:
        return choices[0]


@dataclass
class Seeded:
    """Chance for random games."""

    source: random.Random
    rolls: list[Roll] = field(default_factory=list)

    def roll(self, label: str, sides: int = 6) -> int:
        self.rolls.append(Roll(label, sides, self.source.randint(1, sides)))
        return self.rolls[-1].value

    def draw(self, label: str, choices: tuple[str, ...]) -> str:
        return self.source.choice(choices)


class Table:
    """A game and its readers' reports."""

    def __init__(self, game: Game, chance: Scripted | Seeded) -> None:
        self.game = game
        self.chance = chance
        self.exchange = 0
        self.heard = dict.fromkeys(READERS, 0)
        self.before = {reader: game.view(reader) for reader in READERS}

    def play(self, answers: str) -> None:
        """Give answers such as `S card 3; E card 2`."""
        for line in answers.split(";"):
            letter, _, text = line.strip().partition(" ")
            self.game.answer(SIDE[letter], text)

    def context(self, reader: str, **more: Any) -> Context:
        """What the judge adds to this reader's report."""
        over = self.game.outcome is not None
        given = {
            "game": "dunbar-7",
            "title": "Hammer of the Scots",
            "player": SEATS.get(reader, ""),
            "seats": SEATS,
            "resolved": self.exchange,
            "open": 0 if over else self.exchange + 1,
            "deadline": "" if over else "2026-12-01 20:00 UTC",
            "waiting": () if over else tuple(SEATS.values()),
            "stop": self.game.at_stop or "",
            "form": "" if over or reader not in SEATS else FORM,
            "dice": Dice(
                exchange=self.exchange, key=KEY, rolls=tuple(self.chance.rolls), contributors=("alice", "bob")
            ),
            "ledger_size": 9 + self.exchange,
            "ledger_head": "c0" * 32,
        }
        return Context(**{**given, **more})

    def reports(self, **more: Any) -> dict[str, str]:
        """The reports at this pause, which begins the next exchange."""
        self.exchange += 1
        found = {}
        for reader in READERS:
            told = self.game.told(reader)
            found[reader] = STYLE.report(
                reader,
                self.before[reader],
                self.game.view(reader),
                told[self.heard[reader] :],
                self.game.asks,
                self.context(reader, **more),
            )
            self.heard[reader] = len(told)
            self.before[reader] = self.game.view(reader)
        self.chance.rolls.clear()
        return found


def table(
    position: dict[str, Any] | None = None,
    dice: str = "",
    options: dict[str, Any] | None = None,
    stops: bool = False,
) -> Table:
    """A game from a position, with these dice."""
    chance = Scripted([int(die) for die in dice.split()])
    return Table(load("hammer").start(options or {}, chance, position=position, stops=stops), chance)


def blocks(side: str, text: str) -> dict[str, dict[str, Any]]:
    """`Fife: Wallace 4, Douglas 3; pool: Norse 3` as the blocks of a position."""
    found = {}
    for group in text.split(";"):
        area, _, names = group.strip().partition(": ")
        for entry in names.split(", "):
            name, _, strength = entry.rpartition(" ")
            found[name] = {"side": side, "area": area, "strength": int(strength)}
    return found


def random_reports(seed: int, pauses: int, **options: Any) -> Iterator[tuple[Table, dict[str, str]]]:
    """A random game with a pause now and then, and the reports at each."""
    source = random.Random(seed)
    chance = Seeded(source)
    at = Table(load("hammer").start(options, chance), chance)
    for _ in range(pauses):
        for _ in range(source.randint(1, 25)):
            if at.game.outcome:
                break
            ask = source.choice(at.game.asks)
            at.game.answer(ask.side, source.choice(livelier(source, ask.legal)))
        yield at, at.reports()
        if at.game.outcome:
            return


def livelier(source: random.Random, legal: tuple[str, ...]) -> list[str]:
    """Rather do something than nothing, and fight rather than run, four times out of five."""
    doing = [text for text in legal if text.partition(" ")[0] not in ("done", "pass", "retreat")]
    return doing if doing and source.random() < 0.8 else list(legal)


def by_default(at: Table, *kinds: str) -> None:
    """Everybody is silent as long as only such questions are asked."""
    while at.game.asks and at.game.asks[0].kind in kinds:
        ask = at.game.asks[0]
        at.game.answer(ask.side, ask.default)


# -- scenes

FIELD: dict[str, Any] = {
    "year": 1298,
    "turn": 2,
    "phase": "cards",
    "hands": {"england": ["2", "3"], "scotland": ["1", "2"]},
    "played": {"england": ["1"], "scotland": ["truce"]},
    "blocks": {
        **blocks(
            "scotland", "Fife: Wallace 4, Douglas 3, Barclay 2; Moray: Moray 3, Fraser 3; Mar: Mar 2, Grant 3"
        ),
        **blocks("scotland", "Annan: Bruce 4; pool: Norse 3, Campbell 4, Graham 4, Keith 3"),
        **blocks("england", "Mentieth: Mentieth 3, Edward 4, York Knights 4; Atholl: Atholl 3"),
        **blocks("england", "Lothian: Wales Archers 3, Cumbria Infantry 2; Badenoch: Comyn 4"),
        **blocks("england", "Angus: Angus 2; Lanark: Steward 3; pool: Hobelars 3, York Infantry 4"),
    },
}


def opening() -> Iterator[tuple[str, Table]]:
    """The set-up, at the first stop."""
    yield "opening", table(stops=True)


def turn() -> Iterator[tuple[str, Table]]:
    """Moves of both sides, a battle with reserves, and a pause in the midst of it."""
    at = table(FIELD, dice="2 5 1 6  1 1 4  3 3 3 3  1 2 6 6  3 1 5")
    at.play("E card 3; S card 2")
    at.play("E move Edward to Fife; E move York Knights to Fife; E move Atholl to Fife")
    at.play("E move Wales Archers to Mentieth; E done")
    at.play("S move Mar to Angus; S move Bruce to Carrick, Lanark; S done")
    at.play("E battle Fife; S fire Wallace")
    yield "turn-pause", at
    by_default(at, "hit", "combat", "retreat", "regroup", "battle")
    yield "turn", at


def events() -> Iterator[tuple[str, Table]]:
    """Two events, a noble called away and a battle about him, a pillage, and the end of the year."""
    position = {**FIELD, "hands": {"england": ["herald", "3"], "scotland": ["pillage", "2"]}}
    at = table(position, dice="3 1 2 2 6 6 1")
    at.play("E card herald; S card pillage; E herald Mar")
    by_default(at, "combat", "hit", "regroup")
    at.play("S pillage Mentieth")
    by_default(at, "pillage-hit", "pillage-build")
    yield "events", at


def coronation() -> Iterator[tuple[str, Table]]:
    """Bruce is crowned, and a man of Comyn's leaves him."""
    found = {
        **blocks("scotland", "Fife: Bruce 4, Ross 3; Mar: Mar 3, Douglas 4; off map: Wallace 4"),
        **blocks("england", "Angus: Angus 3"),
    }
    hands = {"england": ["1", "2"], "scotland": ["1", "truce"]}
    at = table({**FIELD, "hands": hands, "blocks": found}, dice="1 1")
    at.play("E card 1; S card truce; S crown Bruce")
    yield "coronation", at


def winter() -> Iterator[tuple[str, Table]]:
    """A winter by default answers, up to the new cards."""
    at = table({**FIELD, "phase": "english nobles", "turn": 6, "hands": {}})
    by_default(at, "home", "edward", "disband", "build")
    yield "winter", at


def end() -> Iterator[tuple[str, Table]]:
    """The King falls."""
    position = {
        **FIELD,
        "crowned": "Bruce",
        "phase": "battles",
        "first": "england",
        "attacks": {"Fife": {"attacker": "england", "origin": "Mentieth", "border": "Mentieth-Fife"}},
        "blocks": {
            **blocks("scotland", "Fife: King 1; Ross: Ross 3"),
            **blocks("england", "Fife: Edward 4; Mar: Mar 3"),
        },
    }
    at = table(position, dice="6 1")
    at.play("S fire King; E fire Edward")
    yield "end", at


SCENES: tuple[Callable[[], Iterator[tuple[str, Table]]], ...] = (
    opening,
    turn,
    events,
    coronation,
    winter,
    end,
)
