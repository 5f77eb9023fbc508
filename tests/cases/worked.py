"""What the worked cases of card games have in common: their file and their draw pile."""

from __future__ import annotations

import tomllib
from collections import deque
from functools import cache
from pathlib import Path
from typing import Any

Row = dict[str, Any]


@cache
def worked_cases(game: str) -> tuple[Row, ...]:
    """Every case of a game's worked.toml."""
    text = (Path(__file__).parent / game / "worked.toml").read_text(encoding="utf-8")
    return tuple(tomllib.loads(text)["case"])


class Pile:
    """The case's draw pile: the first card that can be drawn; cards it does not list come after."""

    def __init__(self, names: list[str]) -> None:
        self.names = deque(names)

    def draw(self, label: str, choices: tuple[str, ...]) -> str:
        """The next card; whose draw it is does not matter here."""
        if self.names and self.names[0] in choices:
            return self.names.popleft()
        return choices[0]

    def roll(self, label: str, sides: int = 6) -> int:
        """Nothing is rolled in these games."""
        raise AssertionError(label)
