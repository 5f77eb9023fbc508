"""Plays again what a property test left behind when it failed: python -m tests.tools.replay_failure FILE."""

import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

from pbem.rules import load
from pbem.rules.base import Event
from tests.properties.random_play import LabelledChance, canonical

SHOWN = 12  # last answers and events


def named(place: str) -> Any:
    """What stands at `package.module:NAME`: a referee, or who plays again what is no single game."""
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)


def replay_game(record: dict[str, Any]) -> None:
    """A game of random play, every limit watched; tells what went before the fault."""
    game = load(record["game"]).start(record["options"], LabelledChance(record["seed"]))
    referee = named(record["referee"])(game)
    answers: list[tuple[str, str]] = []
    try:
        for side, text in record["answers"]:
            answers.append((side, text))
            game.answer(side, text)
            referee.check()
    finally:
        show(answers, game.told("gm"))
        for ask in game.asks:
            print(f"open: {ask.side} {ask.kind} ({ask.rule}), default {ask.default!r}, legal {ask.legal}")


def show(answers: list[tuple[str, str]], events: list[Event]) -> None:
    """The last answers and what came of them."""
    for number, (side, text) in list(enumerate(answers, 1))[-SHOWN:]:
        print(f"{number:5} {side}: {text}")
    for event in events[-SHOWN:]:
        print(f"      {canonical(event)}")


def main(path: str) -> None:
    """Play the file at `path` again."""
    record = json.loads(Path(path).read_text(encoding="utf-8"))
    print(f"it said: {record['fault']}")
    again = named(record["again"]) if "again" in record else replay_game
    again(record)
    print("it does not fail here")


if __name__ == "__main__":
    main(sys.argv[1])
