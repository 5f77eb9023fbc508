"""When the judge stops: a pause betrays nothing, and nobody is asked twice for the same thing.

Pairs of worlds differ in England's levies alone, which the Scots cannot see. With corresponding orders
the Scots must see the same exchanges, told events, views, questions and forms, and the same number of
ledger entries, until a battle turns an English block up.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Mapping

import pytest

from pbem.play.resolve import Play, Resolution, _Run
from pbem.play.setting import Setting, make_setting

SEATS = {"england": "bob", "scotland": "alice"}


class WorldChance:
    """Chance by label alone; the English levies depend on the world as well."""

    def __init__(self, seed: int, world: int) -> None:
        self.seed, self.world = seed, world
        self.draws = 0

    def _number(self, label: str, sides: int) -> int:
        world = self.world if "/levy/" in label else 0
        digest = hashlib.sha256(f"{self.seed} {world} {label}".encode()).digest()
        return int.from_bytes(digest[:8], "big") % sides

    def roll(self, label: str, sides: int = 6) -> int:
        return self._number(label, sides) + 1

    def draw(self, label: str, choices: tuple[str, ...]) -> str:
        self.draws += 1
        return choices[self._number(label, len(choices))]


def setting(**options: object) -> Setting:
    return make_setting("demo", "hammer", {"scenario": "braveheart"} | options, SEATS)


def levied(play: Play) -> list[str]:
    """England's blocks in England, in the order of the block list."""
    view = play.game.view("england")
    return [name for name, block in view["blocks"].items() if block["area"] == "England"]


def texts(play: Play, choice: random.Random) -> dict[str, str | None]:
    """Orders for both sides; England's names are replaced by its own blocks, first by first."""
    england: list[str] = []
    scotland: list[str] = []
    blocks = levied(play)
    goals = [choice.choice(["Dunbar", "Annan", "Teviot"]) for _ in range(choice.randrange(3))]
    england += [f"move {name} to {goal}" for name, goal in zip(blocks, goals, strict=False)]
    kinds = ("move", "battle", "combat", "hit", "retreat")
    for ask in play.asks("scotland"):
        if ask.kind in kinds:  # seldom a move, so that some games come to winter without a battle
            quiet = ask.kind == "move" and choice.random() < 0.8
            scotland.append("move none" if quiet else choice.choice(ask.legal))
    if choice.random() < 0.5:
        scotland.append("plan any: fire")
    if choice.random() < 0.5:
        england.append("plan any: fire")
    return {"england": "\n".join(england), "scotland": "\n".join(scotland)}


def seen_by_scots(play: Play, resolution: Resolution, chance: WorldChance) -> dict[str, object]:
    """Everything of an exchange that reaches the Scots."""
    seen = resolution.seen["scotland"]
    asks = play.asks("scotland")
    return {
        "stop": resolution.stop,
        "told": seen.told,
        "view": seen.after,
        "public": resolution.seen["public"].after,
        "public told": resolution.seen["public"].told,
        "asked": [(ask.kind, ask.rule, ask.legal, ask.default) for ask in asks],
        "form": play.form("scotland"),
        "dropped": resolution.dropped.get("scotland"),
        "draws": chance.draws,
        "over": resolution.outcome,
    }


def turned_up(resolution: Resolution) -> bool:
    """Did a battle show blocks in this exchange?"""
    return any(event["event"] == "revealed" for event in resolution.seen["scotland"].told)


def first_difference(seed: int) -> str:
    """Play two worlds side by side; what the Scots could tell them apart by, or ""."""
    chances = [WorldChance(seed, world) for world in (1, 2)]
    plays = [Play(setting(), chance) for chance in chances]
    silence: Mapping[str, str | None] = {"england": "", "scotland": ""}
    results = [play.resolve(1, silence) for play in plays]
    for exchange in range(2, 60):
        orders = [texts(play, random.Random(f"{seed} {exchange}")) for play in plays]
        results = [play.resolve(exchange, text) for play, text in zip(plays, orders, strict=True)]
        one, other = (
            seen_by_scots(play, result, chance)
            for play, result, chance in zip(plays, results, chances, strict=True)
        )
        if one["stop"] != other["stop"] and not any(turned_up(result) for result in results):
            return f"exchange {exchange}: {one['stop']} or {other['stop']}"
        if any(turned_up(result) for result in results) or one["stop"] == "builds":
            return ""  # what a battle turned up, and which blocks stayed for the winter, all may see
        if one != other:
            return f"exchange {exchange}: " + ", ".join(key for key in one if one[key] != other[key])
    return ""


@pytest.mark.ci(but=("0", "1", "2", "3", "4", "5"))
@pytest.mark.parametrize("seed", range(30))
def test_a_pause_betrays_nothing(seed: int) -> None:
    assert first_difference(seed) == ""


def test_a_judge_who_looks_at_hidden_blocks_before_stopping_is_found_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """This one passes a stop when the men of Ulster were not levied, and so tells the Scots."""

    def covered(run: _Run, stop: str) -> bool:
        return stop == "cards" and run.game.view("gm")["blocks"]["Ulster Infantry"]["area"] == "pool"

    monkeypatch.setattr(_Run, "_is_covered", covered)
    assert any(first_difference(seed) for seed in range(30))


def test_a_question_put_once_takes_its_default_when_left_blank() -> None:
    play = Play(setting(), WorldChance(1, 1))
    stops = [play.resolve(1, {"england": "", "scotland": ""}).stop]
    for exchange in range(2, 30):
        stops.append(play.resolve(exchange, {"england": "", "scotland": ""}).stop)
        if stops[-1] == "winter":
            break
    assert stops[0] == "cards"
    assert stops[-1] == "winter"
    assert len(stops) <= 17, stops


def test_winter_orders_in_advance_save_two_exchanges() -> None:
    winter = "winter:\nhome Bruce to Annan\nkeep rest\nbuild rest\nend\n"
    play = Play(setting(), WorldChance(1, 1))
    play.resolve(1, {"england": "", "scotland": ""})
    stops = []
    for exchange in range(2, 40):
        stops.append(play.resolve(exchange, {"england": winter, "scotland": winter}).stop)
        if play.game.view("public")["year"] == 1298:
            break
    assert "winter" not in stops
    assert "builds" not in stops


def test_the_silent_side_is_not_waited_for_in_every_combat_turn() -> None:
    """A side that sends nothing takes its defaults until something else stops the judge."""
    play = Play(setting(), WorldChance(5, 1))
    play.resolve(1, {"england": "", "scotland": ""})
    play.resolve(2, {"england": "card 1", "scotland": "card 3"})
    number = 3
    while play.game.view("public")["turn"] == 1 and number < 30:
        asks = play.asks("scotland")
        mine = "\n".join(random.Random(number).choice(ask.legal) for ask in asks) + "\nplan any: fire"
        play.resolve(number, {"england": None, "scotland": mine})
        number += 1
    assert number < 12
