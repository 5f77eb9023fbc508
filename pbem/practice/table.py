"""A table for a whole game: orders as text go in, exchanges are resolved, views and reports come out."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, cast

from pbem.orders.saving import NotSaved
from pbem.play.exchange import READY
from pbem.play.resolve import Play, Resolution
from pbem.play.setting import Setting, make_setting
from pbem.reports.base import Context
from pbem.rules import Ask, Outcome, Rules
from pbem.rules.base import Chance, Game, View


class SeededChance:
    """Dice and draws that depend only on a seed and their label, so that orders never shift them."""

    def __init__(self, seed: object) -> None:
        self.seed = seed

    def roll(self, label: str, sides: int = 6) -> int:
        """Return the value of the die with a label."""
        return self._number(label) % sides + 1

    def draw(self, label: str, choices: tuple[str, ...]) -> str:
        """Return one of `choices`, drawn under a label."""
        return choices[self._number(label) % len(choices)]

    def _number(self, label: str) -> int:
        return int.from_bytes(sha256(f"{self.seed} {label}".encode()).digest()[:8], "big")


class BegunRules:
    """The rules of a game that begins from a position, and not from its set-up."""

    def __init__(self, rules: Rules, position: View) -> None:
        self._rules, self._position = rules, position

    def __getattr__(self, name: str) -> Any:
        return getattr(self._rules, name)

    def start(self, options: Mapping[str, Any], chance: Chance, *, stops: bool = False) -> Game:
        """Return a game that begins from the given position."""
        return self._rules.start(options, chance, self._position, stops)


@dataclass(frozen=True, slots=True)
class BegunSetting(Setting):
    """The setting of a game that begins from a position."""

    position: View

    @property
    def rules(self) -> Rules:
        """The rules of the game, which begin from the position."""
        return cast(Rules, BegunRules(self.title.rules, self.position))


class Table:
    """One game, from its set-up or a position to its end, without a judge.

    `memories`: what a side's reports remember when the game begins, as its title's memory loads it.
    """

    def __init__(
        self,
        game: str,
        options: Mapping[str, Any],
        seed: object,
        seats: Mapping[str, str] | None = None,
        name: str = "practice",
        *,
        saves: bool = False,
        position: View | None = None,
        memories: Mapping[str, Any] | None = None,
    ) -> None:
        self.setting: Setting = make_setting(name, game, options, seats or {})
        if position is not None:
            self.setting = BegunSetting(name, self.setting.title, options, seats or {}, position)
        self.seed, self.saves = seed, saves
        self.chance = SeededChance(seed)
        self.play = Play(self.setting, self.chance, saves=saves)
        for side, remembered in (memories or {}).items():
            self.play._memories[side] = self.setting.words.memory(side)
            self.play._memories[side].load(remembered)
        self.number = READY
        """The number of the exchange that was resolved last."""
        self.last: Resolution = self.play.resolve(READY, {})

    @property
    def sides(self) -> tuple[str, ...]:
        """The sides of the game, in the order of the rules."""
        return self.setting.sides

    @property
    def outcome(self) -> Outcome | None:
        """The outcome of the game; None while the game goes on."""
        return self.last.outcome

    def view(self, side: str) -> View:
        """Return the view that a side has of the game now."""
        return self.last.seen[side].after

    def report(self, side: str, *, form: bool = True, reads: str = "pbem seal") -> str:
        """Return a side's report on the last exchange as a judge writes it, with the order form if wanted.

        `reads`: the command that takes the form.
        """
        setting, seen, asks = self.setting, self.last.seen[side], self.open_asks(side)
        over = self.outcome is not None
        context = Context(
            game=setting.game,
            title=setting.rules.title,
            player=setting.seats.get(side, ""),
            seats=setting.seats,
            resolved=self.number,
            open=0 if over else self.number + 1,
            stop="" if over or self.last.stop == "asked" else self.last.stop,
            form="" if over or not form or side not in setting.sides else self.play.form(side),
            reads=reads,
            on_file=() if over or side not in setting.sides else self.play.on_file(side),
            answered=() if over or side not in setting.sides else self.play.answers_now(side),
            remembered=() if over else seen.remembered,
            dropped=self.last.dropped.get(side, ()),
            instead=self.last.instead(side),
        )
        return setting.style.report(side, seen.before or seen.after, seen.after, seen.told, asks, context)

    def open_asks(self, side: str) -> tuple[Ask, ...]:
        """Return the questions that a side is asked now."""
        return self.play.asks(side)

    def resume(self) -> None:
        """Continue from the saved state of the game and nothing else, as a judge does in the next pass.

        Raises:
            NotSaved: the game cannot be saved here.
            ValueError: the game loaded differs from the one saved.
        """
        saved = json.dumps(self.play.save())
        play = Play(self.setting, SeededChance(self.seed), saves=self.saves)
        try:
            play.load(json.loads(saved))
        except NotSaved as fault:
            raise ValueError(str(fault)) from None
        self.play = play

    def exchange(self, texts: Mapping[str, str | None]) -> Resolution:
        """Resolve the open exchange with each side's orders; None is a side that has sent nothing."""
        self.number += 1
        self.last = self.play.resolve(self.number, texts)
        return self.last
