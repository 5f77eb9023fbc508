"""Plays again what a property test left behind when it failed: python -m tests.tools.replay_failure FILE."""

import json
import sys
from pathlib import Path
from typing import Any

from pbem.rules.base import Event
from tests.hammer.lockstep import replay_worlds
from tests.hammer.play import Play
from tests.hammer.referee import Referee
from tests.properties.random_play import canonical

SHOWN = 12  # last answers and events


def replay_game(record: dict[str, Any]) -> None:
    """A game of random play, every limit watched; tells what went before the fault."""
    play = Play(record["options"], record["seed"])
    referee = Referee(play.game)
    try:
        for side, text in record["answers"]:
            play.answer(side, text)
            referee.check()
    finally:
        show(play.answers, play.game.told("gm"))
        for ask in play.game.asks:
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
    if record["kind"] == "worlds":
        replay_worlds(record)
    else:
        replay_game(record)
    print("it does not fail here")


if __name__ == "__main__":
    main(sys.argv[1])
