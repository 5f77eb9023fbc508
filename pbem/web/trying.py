"""A sandbox in the page: a game of the home that is tried out, with no effect on the game.

It has the page's words for a table, as a practice game has. It begins from what a report in the home shows,
and lies in a slot of its own beside the home; nothing of the home is written.

    try/                as `pbem.practice.folder` writes a sandbox
    try/game            the game that is tried out, and from where
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from secrets import token_hex
from types import MappingProxyType
from typing import Any, ClassVar

from pbem.player import Home, files
from pbem.player.faults import Refused
from pbem.practice import folder
from pbem.practice.sandbox import Sandbox, begin_at, start_from, worlds_of
from pbem.practice.table import PERSON
from pbem.titles import load
from pbem.web.practice import Practice
from pbem.web.table import GameLine


@dataclass(frozen=True, slots=True)
class Tried:
    """The state of a sandbox for the page: its origin, who plays, and what can be repeated."""

    game: str
    exchange: int | None
    """The exchange after which the sandbox begins; None for the last one."""
    step: int | None
    mark: tuple[str, ...]
    """The lines that say that the sandbox is no part of the game."""
    remark: str
    """A sentence on what the sandbox begins anew; "" if it continues exactly from the report."""
    side: str
    """The side that the player writes orders for now."""
    alone: bool
    """Whether the player writes the orders of all sides."""
    ordered: bool
    """Whether there are orders to take back."""


@dataclass(frozen=True, slots=True)
class Choosing:
    """The blocks or cards hidden from the player, with their possible places and where they were put."""

    rooms: Mapping[str, int]
    unseen: tuple[tuple[str, tuple[str, ...]], ...]
    placed: tuple[tuple[str, str], ...]


class Tryout(Practice):
    """The page's calls about one sandbox; `begin` makes it from a report of a game in the home."""

    slot: ClassVar = "try"

    def begin(
        self,
        game: str = "",
        side: str = "",
        exchange: int | None = None,
        step: int | None = None,
        placed: Sequence[Sequence[str]] = (),
        seed: str = "",
    ) -> GameLine:
        """Begin a sandbox of a game in place of the last one; `side`: who plays the others, "" for the bot.

        Raises:
            Refused: there is no such report or step, or a hidden block or card cannot be in the chosen place.
        """
        kept = Home(self._path.parent).folder(game)
        view, origin = begin_at(game, kept.reports(), kept.report, exchange, step)
        start = start_from(
            view,
            origin,
            seed=seed or self._seed or token_hex(4),
            against=side,
            placed=[(name, place) for name, place in placed],
        )
        Sandbox(start)  # what cannot be begun leaves the one before
        self.leave()
        self._played = folder.begin(self._path, start)
        whence = {"game": game, "exchange": exchange, "step": step}
        files.write(self._path / "game", json.dumps(whence).encode())
        return self._line()

    def tried(self) -> Tried:
        """Return the state of the sandbox."""
        sandbox, whence = self._sandbox(), self._whence()
        return Tried(
            game=whence["game"],
            exchange=whence["exchange"],
            step=whence["step"],
            mark=tuple(sandbox.mark().splitlines()),
            remark=sandbox.remark(),
            side=sandbox.side,
            alone=len(sandbox.ordered) > 1,
            ordered=bool(sandbox.turns or sandbox.written),
        )

    def hidden(self) -> Choosing:
        """Return the blocks or cards hidden from the player at the beginning of the sandbox."""
        start = self._sandbox().start
        hidden = worlds_of(load(start.game)).hidden(start.view)
        return Choosing(
            hidden.rooms,
            tuple((one.name, one.places) for one in hidden.unseen),
            tuple((name, place) for name, place in start.placed),
        )

    def begin_again(
        self, placed: Sequence[Sequence[str]] | None = None, *, alone: bool | None = None, anew: bool = False
    ) -> GameLine:
        """Begin the sandbox again: with blocks put by hand, with other players, or with all drawn anew."""
        start, whence = self._sandbox().start, self._whence()
        own = start.bot == PERSON if alone is None else alone
        return self.begin(
            **whence,
            side=PERSON if own else "",
            placed=start.placed if placed is None else placed,
            seed="" if anew else start.seed,
        )

    def throw_again(self) -> GameLine:
        """Throw the dice of the sandbox's last exchange again."""
        folder.throw_again(self._path, self._sandbox())
        return self._line()

    def take_back(self) -> GameLine:
        """Take back the orders written last in the sandbox; they become the draft again."""
        text = folder.take_back(self._path, self._sandbox())
        self.keep_draft(text)
        return self._line()

    # Inside

    def _sandbox(self) -> Sandbox:
        """Return the sandbox, which is played again from its files when Python has just started."""
        if self._played is None and not folder.is_begun(self._path):
            raise Refused("nothing is being tried out")
        self._played = self._played or folder.resume(self._path)
        if not isinstance(self._played, Sandbox):
            raise Refused("what was tried out is damaged; begin again")
        return self._played

    def _session(self) -> Sandbox:
        return self._sandbox()

    def _of_side(self) -> str:
        sandbox = self._sandbox()
        return "" if sandbox.side == sandbox.start.side else f"-{sandbox.side}"

    def _report(self, exchange: int) -> str:
        """Return a report of the sandbox without its mark, as the page says elsewhere that it is no game."""
        return super()._report(exchange).removeprefix(f"{self._sandbox().mark()}\n")

    def _whence(self) -> dict[str, Any]:
        try:
            found = json.loads(self._text("game"))
            return {key: found[key] for key in ("game", "exchange", "step")}
        except (ValueError, KeyError, TypeError):
            raise Refused("what was tried out is damaged; begin again") from None


PLACES: Mapping[str, type[Practice]] = MappingProxyType({one.slot: one for one in (Practice, Tryout)})
"""The games on this device that the page can make calls about, by the names of their slots."""
