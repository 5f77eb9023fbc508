"""A sandbox: a game that is tried out from what one side knows, and is no part of any game.

It begins from the view that a report shows. What the side does not see is drawn, or put in its place by hand;
so the sandbox follows from the report, the choices and the seed alone. Its name is none that a game can have:
no program takes orders out of it for those of a game.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

from pbem.errors import ConfigError
from pbem.forecast.replay import Placed, Worlds, draw_world
from pbem.orders.base import listed
from pbem.practice.table import PERSON, SeededChance, Session, Start, Table
from pbem.reports.packing import unpack, unpack_view
from pbem.rules import UnknownRules
from pbem.rules.base import UnknownOption, View, read_head
from pbem.titles import Title, load
from pbem.trust.orderfile import parse_bare

NAME = "only a try"
"""The name of every sandbox; the blanks keep it from being a game's."""
MARK = "ONLY A TRY: NO PART OF THE GAME"
BEGINNING = "0"
"""The key in `SandboxStart.throws` for the dice that fall before any side is asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxStart(Start):
    """The choices with which a sandbox is begun; with the orders sent they are the whole sandbox.

    `bot` is a bot, or `PERSON` if the person orders all sides.
    """

    view: View
    """The view, of the side that the person plays, from which the sandbox begins."""
    origin: str
    """The game and moment that the view is of, in words."""
    placed: Sequence[Sequence[str]] = ()
    """Pairs of a hidden block or card, and where it was put by hand."""
    throws: Mapping[str, int] = field(default_factory=dict)
    """The number of times that the dice of an exchange were thrown again, by the exchange."""


class Sandbox(Session):
    """One sandbox; where the person orders all sides, one side's orders are written after the other's.

    Raises:
        ConfigError: the title cannot imagine positions, or something put by hand cannot be there.
    """

    name: ClassVar = NAME
    reads: ClassVar = "pbem try GAME FOLDER --send"
    start: SandboxStart

    def __init__(self, start: SandboxStart) -> None:
        self.turns: list[dict[str, str]] = []
        """The orders of all sides, exchange by exchange."""
        self.written: dict[str, str] = {}
        """The orders that the person has written for the open exchange, where others are still to come."""
        super().__init__(start)

    @property
    def ordered(self) -> tuple[str, ...]:
        """The sides for which the person writes orders, the person's own side first."""
        own = self.start.side
        return (own, *(side for side, name in self.seats.items() if name == PERSON and side != own))

    def report(self, *, form: bool = True) -> str:
        """Return the last report to the side that the person orders now, marked as a try."""
        return f"{self.mark()}\n{super().report(form=form)}"

    def mark(self) -> str:
        """Return the lines above each report of a sandbox: where it began, and that it is no real game."""
        by_hand = "drawn, or put there by you" if self.start.placed else "drawn"
        remark = self.remark()
        return (
            f"{MARK}\n"
            f"Begun from what {self.start.side} knows of {self.start.origin}.\n"
            f"What {self.start.side} does not see is {by_hand} (seed {self.start.seed}).\n"
            "Earlier orders are not on file here. Nothing of this can be sealed or sent.\n"
            f"{remark}{chr(10) * bool(remark)}"
        )

    def remark(self) -> str:
        """Return what the sandbox begins anew, in a sentence; "" if the rules go on where the view stands."""
        return worlds_of(load(self.start.game)).remark(self.start.view)

    def send(self, text: str) -> None:
        """Take a side's orders; with those of the last side that the person orders, resolve the exchange."""
        self.written[self.side] = parse_bare(text).body
        waiting = [side for side in self.ordered if side not in self.written]
        if waiting:
            self.side = waiting[0]
            return
        self.turns.append({**self._bots_orders(), **self.written})
        self._resolve(self.turns[-1])

    def throw_again(self) -> None:
        """Throw the dice of the last exchange again, for the same orders."""
        last = str(len(self.turns) or BEGINNING)
        throws = {**self.start.throws, last: self.start.throws.get(last, 0) + 1}
        self._play_again(replace(self.start, throws=throws), self.turns)

    def take_back(self) -> None:
        """Take back the orders that were written last.

        Raises:
            ConfigError: nothing has been ordered.
        """
        if self.written:
            self.side = [*self.written][-1]
            del self.written[self.side]
            return
        if not self.turns:
            raise ConfigError("nothing has been ordered yet")
        last = str(len(self.turns))
        throws = {number: throw for number, throw in self.start.throws.items() if number != last}
        self._play_again(replace(self.start, throws=throws), self.turns[:-1])

    # Inside

    def _players(self, bots: tuple[str, ...]) -> tuple[str, ...]:
        return (*bots, PERSON)

    def _begin(self) -> Table:
        start = self.start
        worlds = worlds_of(load(start.game))
        placed = [(name, place) for name, place in start.placed]
        world = draw_world(worlds, start.view, SeededChance(f"{start.seed} world"), placed)
        remembered = worlds.memory(start.view)
        return Table(
            start.game,
            start.options,
            self._seed(BEGINNING),
            self.seats,
            self.name,
            position=world,
            memories={} if remembered is None else {start.side: remembered},
        )

    def _seed(self, exchange: str) -> str:
        return f"{self.start.seed} {exchange} {self.start.throws.get(exchange, 0)}"

    def _resolve(self, orders: Mapping[str, str]) -> None:
        """Resolve the open exchange by these orders; next the person writes for their own side again."""
        self.table.chance.seed = self._seed(str(self.table.number))
        self.table.exchange(orders)
        self.side, self.written = self.start.side, {}

    def _play_again(self, start: SandboxStart, turns: Sequence[dict[str, str]]) -> None:
        self.start, self.side, self.written = start, start.side, {}
        self.table, self.turns = self._begin(), list(turns)
        for orders in turns:
            self._resolve(orders)


def worlds_of(title: Title) -> Worlds:
    """Return the object that fills in hidden pieces for a title.

    Raises:
        ConfigError: the title has none.
    """
    if title.worlds is None:
        raise ConfigError(f"in {title.rules.title} nothing can be tried: it imagines no positions")
    return title.worlds


def start_from(view: View, origin: str, *, seed: str, against: str = "", placed: Placed = ()) -> SandboxStart:
    """Return the choices that begin a sandbox from a side's view; by default against the game's best bot.

    Raises:
        ConfigError: the game is over there, or this program does not know it.
    """
    try:
        head = read_head(view)
        title = load(head.game)
    except (ValueError, UnknownRules):
        raise ConfigError("this report is not of a game that this program knows") from None
    if head.outcome is not None:
        raise ConfigError("the game is over there; begin at an earlier exchange or step")
    return SandboxStart(
        game=head.game,
        options=dict(head.options),
        seed=seed,
        side=head.viewer,
        bot=against or next(iter(title.bots)),
        view=view,
        origin=origin,
        placed=placed,
    )


def begin_at(
    game: str,
    reports: Sequence[int],
    report_of: Callable[[int], str | None],
    exchange: int | None = None,
    step: int | None = None,
) -> tuple[View, str]:
    """Return what a player saw at a moment of a game, and the moment in words; by default now.

    `reports`: the numbers of the reports that the player has, in order.

    Raises:
        ConfigError: there is no such report or step, or it shows no position.
    """
    kept = [number for number in reports if number and report_of(number)]
    if not kept:
        raise ConfigError(f"no report of {game} has been received yet")
    last = kept[-1] if exchange is None else exchange
    if last not in kept:
        raise ConfigError(
            f"there is no report of exchange {last} of {game} here; there are {kept[0]} to {kept[-1]}"
        )
    report = report_of(last) or ""
    earlier = [number for number in kept if number < last]
    if step is None:
        return view_at(report), f"{game} after exchange {last}"
    before = report_of(earlier[-1]) if earlier else None
    view, found = view_at_step(report, before, step)
    where = (
        f"at step {found} of exchange {last}"
        if found
        else f"after exchange {earlier[-1] if earlier else last}"
    )
    return view, f"{game} {where}"


def view_at(report: str) -> View:
    """Return the view that a report shows.

    Raises:
        ConfigError: the report's data for programs is damaged.
    """
    found = unpack_view(report)
    if found is None:
        raise ConfigError("the part for programs of this report is damaged")
    return found


def view_at_step(report: str, report_before: str | None, step: int) -> tuple[View, int]:
    """Return the view at a step of a report's story, and the step; steps count from 1.

    Where the rules cannot go on from that step, it is the last one before it from which they can, and 0 for
    the report before; for the report itself, where none comes before it.

    Raises:
        ConfigError: a report shows no position, or there is no such step.
    """
    after = view_at(report)
    before = None if report_before is None else view_at(report_before)
    told = (unpack(report) or (after, []))[1]
    title = load(read_head(after).game)
    steps = [one.view for one in title.playback.steps(before, told, after)] or [after]
    if not 1 <= step <= len(steps):
        raise ConfigError(f"this report has {len(steps)} steps, counted from 1")
    for number in range(step, 0, -1):
        if _may_begin(title, steps[number - 1]):
            return steps[number - 1], number
    return before or after, 0


def _may_begin(title: Title, view: View) -> bool:
    """Tell whether a game can begin from a view, and then looks to its viewer as the view does."""
    head = read_head(view)
    chance = SeededChance("")
    try:
        world = draw_world(worlds_of(title), view, chance)
        game = title.rules.start(head.options, chance, world, stops=True)
    except (ConfigError, UnknownOption):  # a story need not tell all that a position has
        return False
    game.go_on()
    seen = game.view(head.viewer)
    return all(seen.get(key) == value for key, value in view.items() if key in seen)


def list_hidden(view: View) -> Iterator[str]:
    """Yield in lines what a side does not see, and where each may be."""
    hidden = worlds_of(load(read_head(view).game)).hidden(view)
    yield f"Hidden: {listed([f'{room} in {place}' for place, room in hidden.rooms.items()])}."
    for one in hidden.unseen:
        yield f"{one.name}: {', '.join(one.places)}"
