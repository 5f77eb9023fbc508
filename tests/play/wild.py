"""Orders that leave much on file: what a bot writes, with lines that wait, hang on something, or ask."""

from __future__ import annotations

import random
from collections.abc import Mapping

from pbem.orders.kit.language import KitLanguage
from pbem.play.resolve import Play
from pbem.play.setting import Setting


class Wild:
    """Writes for all sides of a game; the same game and seed give the same files."""

    def __init__(self, setting: Setting, seed: object) -> None:
        self.random = random.Random(f"wild {seed}")
        title = setting.title
        self.bots = {side: title.bots["random"](side) for side in setting.sides}
        assert isinstance(title.language, KitLanguage)
        rows = title.language.rows
        self.conditions = [one for one in rows.help.conditions if ":" not in one]
        self.said = [verb.example for verb in rows.verbs if verb.example]
        self.said += ["ask", *(f"ask {topic.said or topic.name}" for topic in rows.topics)]
        self.standing = rows.standing.name if rows.standing else ""

    def files(self, play: Play) -> Mapping[str, str | None]:
        """What each side sends now; some send nothing."""
        return {side: None if self.random.random() < 0.2 else self._file(play, side) for side in self.bots}

    def _file(self, play: Play, side: str) -> str:
        own = self.bots[side].write(play.game.view(side), play.asks(side)).splitlines()
        more = [self._line() for _ in range(self.random.randrange(7))]
        lines = [*own, *more] if self.random.random() < 0.6 else [*more, *own]
        if self.standing and self.random.random() < 0.3:
            lines += [f"{self.standing}:", *(self._line() for _ in range(5)), "end"]
        return "\n".join(lines)

    def _line(self) -> str:
        line = self.random.choice(self.said)
        if self.conditions and self.random.random() < 0.4:
            line = f"if {self.random.choice(self.conditions)}: {line}"
        return line
