"""Games in the page without keys, judge or mail: against a bot, or a game of the home that is tried out.

`Practice` has the page's words for a table (show, story, offers, check), as `api` has them for the games of a
home: real rules, and the reports of a judge. It comes with the site's second file, which is fetched when
somebody wants to practise. The game lies in the browser's storage beside the home, and is neither packed with
it nor part of it:

    practice/                as `pbem.practice.folder` writes it
    practice/draft.txt       what the player has written for the open exchange
    practice/seen            the last report that was looked at

A sandbox has the same words. It begins from what a report in the home shows, and lies in a slot of its own
beside the home; nothing of the home is written.

    try/                as `pbem.practice.folder` writes a sandbox
    try/game            the game that is tried out, and from where
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

from pbem.orders.base import Offer
from pbem.player import Home, files
from pbem.player.faults import DamagedPosition, Refused
from pbem.player.outgoing.drafts import read_text, study
from pbem.practice import folder
from pbem.practice.sandbox import Sandbox, begin_at, start_from, worlds_of
from pbem.practice.table import PERSON, Session, Start
from pbem.reports.packing import unpack, unpack_view
from pbem.rules.base import read_head
from pbem.titles import default_name, load, names
from pbem.trust.orderfile import parse_bare
from pbem.web.table import (
    GameLine,
    Looked,
    Shown,
    StoryPicture,
    StoryStep,
    earlier_report,
    lay_out,
    looked_at,
    not_looked_at,
    offers_by,
    story_of,
    story_picture_of,
)

if TYPE_CHECKING:
    from pbem.web.looking_back import LookedBack

OPEN, OVER = "draft", "over"


@dataclass(frozen=True, slots=True)
class Choice:
    """A game that can be practised, with its sides."""

    name: str
    title: str
    sides: tuple[str, ...]


class Practice:
    """The page's calls about one practice game, beside the home at `path`; `seed` of its dice, "" for any."""

    slot: ClassVar = "practice"
    """The folder beside the home in which the practice game is stored."""

    def __init__(self, path: Path, seed: str = "") -> None:
        self._path = path / self.slot
        self._seed = seed
        self._played: Session | None = None

    def choices(self) -> tuple[Choice, ...]:
        """Return the games that can be practised, with their sides."""
        titles = (load(name) for name in names())
        return tuple(
            Choice(one.name, one.rules.title, tuple(one.rules.sides(one.excerpt or {}))) for one in titles
        )

    def begin(self, game: str = "", side: str = "") -> GameLine:
        """Begin a practice game in place of the previous one; by default the usual game, on its last side."""
        title = load(game or default_name())
        options = dict(title.excerpt or {})
        start = Start(
            game=title.name,
            options=options,
            seed=self._seed or token_hex(4),
            side=side or title.rules.sides(options)[-1],
            bot=next(iter(title.bots)),
        )
        self.leave()
        self._played = folder.begin(self._path, start)
        return self._line()

    def leave(self) -> None:
        """Remove the stored practice game."""
        self._played = None
        if self._path.exists():
            shutil.rmtree(self._path)

    def show(self, exchange: int | None = None) -> Shown:
        """Return a report of the practice game, by default the last one, with the questions that it asks.

        Raises:
            Refused: there is no such report, or no game has begun.
        """
        reports = self._reports()
        wanted = reports[-1] if exchange is None else exchange
        return lay_out(self._report(wanted), self._line(), wanted, reports, self._text("draft.txt"))

    def story(self, exchange: int) -> tuple[StoryStep, ...]:
        """Return the steps of the story that a report tells, without their pictures."""
        return story_of(self._before(exchange), self._report(exchange))

    def story_picture(self, exchange: int, step: int) -> StoryPicture:
        """Return the picture after a step of a report, with what moved in it; steps are counted from 0."""
        return story_picture_of(self._before(exchange), self._report(exchange), step)

    def look_back(self) -> LookedBack:
        """Return the whole story of the practice game as the player was shown it, without forecasts.

        Raises:
            Refused: a report of it is damaged.
        """
        from pbem.moments.documents import pack
        from pbem.moments.tracks import tell_shown
        from pbem.web.looking_back import LookedBack

        reports, line = self._reports(), self._line()
        shown = {number: unpack(self._report(number)) for number in reports}
        if not all(shown.values()):
            raise Refused("the practice game is damaged; begin another")
        orders = {number: parse_bare(text).body for number in reports if (text := self._orders(number))}
        known = {number: found for number, found in shown.items() if found is not None}
        story = tell_shown(self._session().table.setting, line.side, known, orders, over=line.state == OVER)
        return LookedBack(pack(story), {})

    def looked(self, exchange: int) -> None:
        """Note that the player has looked at the report of an exchange of the practice game."""
        files.write(self._path / "seen", f"{exchange}\n".encode())

    def keep_draft(self, text: str) -> None:
        """Store the draft of orders that the player has written for the open exchange."""
        self._reports()
        files.write(self._path / "draft.txt", text.encode())

    def check(self, text: str, forecast: bool = False) -> Looked:
        """Return the result of checking a draft of orders, with its forecast if that is asked for."""
        report = self._report(self._reports()[-1])
        follower = self._session().table.play.follower if forecast else None
        try:
            return looked_at(
                study(
                    read_text(text.encode()),
                    report,
                    lambda _: report,
                    lambda _game, _exchange, side, _language: follower(side) if follower else None,
                    forecast=forecast,
                )
            )
        except DamagedPosition as fault:
            return not_looked_at(fault)

    def offers(self, line: str, above: str = "") -> tuple[Offer, ...]:
        """Return how an order line below the lines `above` may begin or continue, by the player's view."""
        return offers_by(self._report(self._reports()[-1]), line, above)

    def play(self, text: str) -> GameLine:
        """Hand in orders to the practice game; the bot writes its own, and the exchange is resolved."""
        session = self._session()
        if not session.is_over:
            folder.send(self._path, session, text)
            (self._path / "draft.txt").unlink(missing_ok=True)
        return self._line()

    # Inside

    def _session(self) -> Session:
        """Return the practice game, which is played again from its files when Python has just started."""
        self._reports()
        self._played = self._played or folder.resume(self._path)
        return self._played

    def _reports(self) -> tuple[int, ...]:
        numbers = "report-" + "[0-9]" * 4
        found = sorted(int(path.stem[7:11]) for path in self._path.glob(f"{numbers}{self._of_side()}.txt"))
        if not found:
            raise Refused("no practice game has begun")
        return tuple(found)

    def _report(self, exchange: int) -> str:
        if exchange not in self._reports():
            raise Refused(f"there is no report of exchange {exchange} here")
        return self._text(f"report-{exchange:04}{self._of_side()}.txt")

    def _orders(self, exchange: int) -> str:
        return self._text(f"orders-{exchange:04}{self._of_side()}.txt")

    def _of_side(self) -> str:
        """Return the addition to file names for the side that the player writes orders for now."""
        return ""

    def _before(self, exchange: int) -> str:
        before = earlier_report(self._reports(), exchange)
        return "" if before is None else self._report(before)

    def _line(self) -> GameLine:
        *_, last = reports = self._reports()
        view = unpack_view(self._report(last))
        if view is None:
            raise Refused("the practice game is damaged; begin another")
        head = read_head(view)
        over = head.outcome is not None
        seen = self._text("seen").strip()
        return GameLine(
            game=self.slot,
            player=PERSON,
            side=head.viewer,
            state=OVER if over else OPEN,
            exchange=None if over else last + 1,
            deadline="",
            last_report=last,
            new=last > (int(seen) if seen.isdecimal() else reports[0]),
            closed=False,
            files=(),
            missing_receipts=(),
            forked=False,
            trouble="",
        )

    def _text(self, name: str) -> str:
        return (files.read_file(self._path / name) or b"").decode(errors="replace")


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
