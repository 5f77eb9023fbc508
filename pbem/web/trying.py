"""A game of the home that is tried out in the page: a sandbox, and no part of the game.

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
from pbem.practice.session import PERSON
from pbem.titles import load
from pbem.web.practice import Practice
from pbem.web.table import GameLine


@dataclass(frozen=True, slots=True)
class Tried:
    """The state of a try, for the page: its origin, who plays, and what can be done again."""

    game: str
    exchange: int | None
    """The exchange after which the try begins; None for the last one."""
    step: int | None
    mark: tuple[str, ...]
    """The lines which say that this is no part of the game."""
    remark: str
    """A sentence about what the try begins anew; "" if it goes on from where the player stands."""
    side: str
    """The side that the player orders now."""
    alone: bool
    """Whether the player orders all sides."""
    ordered: bool
    """Whether there are orders to take back."""


@dataclass(frozen=True, slots=True)
class Choosing:
    """The blocks or cards that the player does not see, with their places and where they were put."""

    rooms: Mapping[str, int]
    unseen: tuple[tuple[str, tuple[str, ...]], ...]
    placed: tuple[tuple[str, str], ...]


class Tryout(Practice):
    """One sandbox beside the home; `begin` makes it from a report of a game in the home."""

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
        """Begin a try of a game in place of the one before; `side`: who plays the others, or "" for the bot.

        Raises:
            Refused: there is no such report or step, or something cannot be put where it is put.
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
        """Return how the try stands."""
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
        """Return what the player does not see at the beginning of the try."""
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
        """Begin the try again: with blocks put by hand, with others who play, or with all drawn anew."""
        start, whence = self._sandbox().start, self._whence()
        own = start.bot == PERSON if alone is None else alone
        return self.begin(
            **whence,
            side=PERSON if own else "",
            placed=start.placed if placed is None else placed,
            seed="" if anew else start.seed,
        )

    def throw_again(self) -> GameLine:
        """Throw the dice of the last exchange again."""
        folder.throw_again(self._path, self._sandbox())
        return self._line()

    def take_back(self) -> GameLine:
        """Take back the orders that were written last; they are the draft again."""
        text = folder.take_back(self._path, self._sandbox())
        self.keep_draft(text)
        return self._line()

    # Inside

    def _sandbox(self) -> Sandbox:
        """Return the sandbox, played again from its files if this Python has just begun."""
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
        """Return a report without its mark, which the page says in its own place."""
        return super()._report(exchange).removeprefix(f"{self._sandbox().mark()}\n")

    def _whence(self) -> dict[str, Any]:
        try:
            found = json.loads(self._text("game"))
            return {key: found[key] for key in ("game", "exchange", "step")}
        except (ValueError, KeyError, TypeError):
            raise Refused("what was tried out is damaged; begin again") from None


PLACES: Mapping[str, type[Practice]] = MappingProxyType({one.slot: one for one in (Practice, Tryout)})
"""The games on this device that the page can ask about, by their slots."""
