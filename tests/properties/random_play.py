"""What random play of any game needs: chance by label, and a record of what failed.

Chance depends on the label alone, as the judge's does, so two games that roll under the same labels roll
the same. A failure leaves a file from which `python -m tests.tools.replay_failure` plays it again.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import Any

Options = dict[str, Any]

MAX_ANSWERS = 20_000
"""No game comes near: whoever plays longer is caught in a loop."""


class LabelledChance:
    """Dice and draws by label. No label may come twice in a game."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.results: dict[str, int | str] = {}

    def roll(self, label: str, sides: int = 6) -> int:
        """One die."""
        die = self.number(label) % sides + 1
        self.results[label] = die
        return die

    def draw(self, label: str, choices: tuple[str, ...]) -> str:
        """One of `choices`."""
        name = choices[self.number(label) % len(choices)]
        self.results[label] = name
        return name

    def number(self, label: str) -> int:
        """What the label stands for in this game."""
        assert label not in self.results, f"the label {label} came twice"
        return int.from_bytes(blake2b(f"{self.seed} {label}".encode(), digest_size=8).digest(), "big")


def canonical(value: Any) -> str:
    """JSON as it comes: the order of names and lists counts."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=True)


def game_record(
    game: str, options: Options, seed: int, answers: list[tuple[str, str]], referee: Callable[..., object]
) -> dict[str, Any]:
    """What it takes to play a game again, its limits watched by the referee; it grows with `answers`."""
    watcher = f"{referee.__module__}:{referee.__qualname__}"
    return {"game": game, "options": options, "seed": seed, "answers": answers, "referee": watcher}


@contextmanager
def kept_on_failure(name: str, record: dict[str, Any]) -> Iterator[None]:
    """Whatever fails inside leaves `record` (filled by then) in a file, and says where."""
    try:
        yield
    except Exception as fault:
        folder = Path(tempfile.gettempdir()) / "pbem-failures"
        folder.mkdir(exist_ok=True)
        path = folder / f"{name}.json"
        path.write_text(json.dumps({**record, "fault": repr(fault)}, indent=1), encoding="utf-8")
        fault.add_note(f"to play it again: python -m tests.tools.replay_failure {path}")
        raise
