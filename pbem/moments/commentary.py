"""Commentary on a track of a story: luck in battles, and a bot's opinion of orders.

Luck is the hits expected and rolled, for each side, and the chances before the first die. Only dice count
that the track's reader was shown. A die that hits on 2 or less of 6 is expected to bring a third of a hit;
the interval is where all hits of a side fall with nine chances in ten or more, exactly. The chances of a
battle are those of its title's odds, where the track's reader saw all who fought.

An opinion is the orders that a bot would have written by the same view, and the forecast for them. The bot
sees what the writer's own reports showed, and nothing else. Only the best bot of a title is asked, and only
where its orders differ from those that were written. How strong the bot is stands beside its opinion.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from pbem.forecast import forecast_of
from pbem.moments.tracks import Track
from pbem.odds import BattleOdds, percent
from pbem.orders.base import Language
from pbem.play.setting import Setting
from pbem.playback import Board, Step
from pbem.rules.base import Event, read_head

PIPS = 6
TAIL = 20
"""Number n for which a chance of one in n may be left out at each end of the interval of hits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hits:
    """The dice of one side: their number, the hits expected and rolled, and the interval of likely hits."""

    side: str
    dice: int
    expected: Fraction
    rolled: int
    low: int
    high: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Chance:
    """One possible outcome of a battle, with its chance."""

    said: str
    chance: str
    """The chance of the outcome in percent, before the first die, if both sides fight to the end."""
    came: bool
    """Whether the battle had this outcome; False while the battle goes on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BattleLuck:
    """The luck in one battle, or in all together: where the battle begins, and the dice of each side."""

    exchange: int
    """The exchange in which the battle begins; 0 for all battles together."""
    step: int
    name: str
    sides: tuple[Hits, ...]
    chances: tuple[Chance, ...] = ()
    """The outcomes that the battle could have; empty where the reader did not see all who fought."""


@dataclass(slots=True)
class _Battle:
    """A battle while its steps are read: the place and name of its first step, and the dice of each side."""

    exchange: int
    step: int
    name: str
    sums: dict[str, _Sum] = field(default_factory=dict)


@dataclass(slots=True)
class _Sum:
    """The dice of one side so far: the chances of each number of hits, and the hits rolled."""

    ways: list[int] = field(default_factory=lambda: [1])
    """The ways in which the dice bring each number of hits, out of `PIPS` to the power of the dice."""
    rolled: int = 0
    dice: int = 0
    expected: Fraction = Fraction(0)

    def add(self, dice: tuple[int, ...], hits_up_to: int) -> None:
        good = max(0, min(PIPS, hits_up_to))
        for pips in dice:
            self.rolled += pips <= hits_up_to
            self.dice += 1
            self.expected += Fraction(good, PIPS)
            miss = [(PIPS - good) * one for one in (*self.ways, 0)]
            hit = [good * one for one in (0, *self.ways)]
            self.ways = [one + other for one, other in zip(miss, hit, strict=True)]

    def interval(self) -> tuple[int, int]:
        """Return the fewest and the most hits; at most one chance in twenty lies outside at each end."""
        left_out = PIPS**self.dice // TAIL
        low, high, below, above = 0, self.dice, 0, 0
        while (below := below + self.ways[low]) <= left_out:
            low += 1
        while (above := above + self.ways[high]) <= left_out:
            high -= 1
        return low, high

    def hits(self, side: str) -> Hits:
        low, high = self.interval()
        return Hits(side=side, dice=self.dice, expected=self.expected, rolled=self.rolled, low=low, high=high)


def count_luck(track: Track, odds: object = None) -> tuple[BattleLuck, ...]:
    """Return the luck of all battles together, then of each; nothing where no die was shown.

    `odds` are those of the title; without them nothing is said of chances.
    """
    battles: dict[str, _Battle] = {}
    total: dict[str, _Sum] = {}
    told: dict[str, list[Step]] = {}
    for exchange, number, name, step in _steps_of_battles(track):
        told.setdefault(name, []).append(step)
        assert step.board is not None
        if step.board.shot is None:
            continue
        battle = battles.setdefault(name, _Battle(exchange, number, name))
        for sums in (total, battle.sums):
            side = _side_of(step.board)
            sums.setdefault(side, _Sum()).add(step.board.shot.dice, step.board.shot.hits_up_to)
    if not total:
        return ()
    return tuple(
        BattleLuck(
            exchange=one.exchange,
            step=one.step,
            name=one.name,
            sides=tuple(one.sums[side].hits(side) for side in sorted(one.sums)),
            chances=_chances(told.get(one.name, ()), odds),
        )
        for one in (_Battle(0, 0, "", total), *battles.values())
    )


def _chances(steps: Sequence[Step], odds: object) -> tuple[Chance, ...]:
    """Return the outcomes that a battle could have; nothing where its beginning was not told."""
    rounds = [one.board.round if one.board else 0 for one in steps]
    if not isinstance(odds, BattleOdds) or 1 not in rounds or rounds[0] > 1:
        return ()
    found = odds.before(steps[rounds.index(1)].view)
    if found is None:
        return ()
    events: list[Event] = [event for one in steps for event in one.events]
    came = odds.outcome(events)
    return tuple(Chance(said=said, chance=percent(chance), came=said in came) for said, chance in found.rows)


def _side_of(board: Board) -> str:
    """Return the side of the fighter who rolled the dice on a board of a battle."""
    assert board.shot is not None
    shooter = board.shot.fighter
    return next((side for side, line in board.lines for one in line if one.name == shooter), "")


def _steps_of_battles(track: Track) -> Iterator[tuple[int, int, str, Step]]:
    """Yield every step of a battle after its exchange, its number in that, and the battle's name."""
    battle, last = 0, ""
    for chapter in track.chapters:
        for number, moment in enumerate(chapter.moments, 1):
            step = moment.step
            if step.board is None:
                last = ""
                continue
            name = step.board.area or step.chapter
            battle += name != last and step.board.round <= 1
            last = name
            yield chapter.exchange, number, f"{battle}. {name}", step


MAX_FORECASTS = 40
"""Maximum number of forecasts in one game's file; each takes as long as writing many exchanges."""
NOT_MEASURED = "how strong it is has not been measured"


@dataclass(frozen=True, slots=True, kw_only=True)
class Opinion:
    """The orders that a bot would have given in place of the player's, by the same view."""

    bot: str
    strength: str
    """The bot's measured strength, in words."""
    lines: tuple[str, ...]
    """All lines of the bot's orders."""
    otherwise: tuple[int, ...]
    """The numbers, from 1, of those of the bot's lines that the player did not write."""
    forecast: tuple[str, ...]
    """The forecast for the bot's orders; empty if the title makes none, or beyond `MAX_FORECASTS`."""


class Opinions:
    """The maker of a bot's opinions of the tracks of one game, track after track."""

    def __init__(self, setting: Setting) -> None:
        self._title = setting.title
        self._sides = setting.sides
        self._left = MAX_FORECASTS

    def of(self, track: Track) -> Mapping[int, Opinion]:
        """Return the opinions of a side's orders, by exchange; nothing for other tracks."""
        if track.reader not in self._sides:
            return {}
        name = next(iter(self._title.bots))
        bot, language = self._title.bots[name](track.reader), self._title.language
        from pbem.bots import MeasuredBot  # the page has no bots before somebody practises

        strength = bot.strength if isinstance(bot, MeasuredBot) else NOT_MEASURED
        follower = language.follower(track.reader)
        found: dict[int, Opinion] = {}
        for before, chapter in zip(track.chapters, track.chapters[1:], strict=False):
            view = before.moments[-1].step.view
            for written in chapter.orders:
                if read_head(view).outcome is not None:
                    continue
                orders = bot.write(view)
                otherwise = _otherwise(language, track.reader, orders, written.text)
                if orders and otherwise:
                    parsed = language.parse(orders, track.reader).orders
                    forecast: tuple[str, ...] = ()
                    if self._left and self._title.has_forecast:
                        self._left -= 1
                        forecast = forecast_of(self._title.forecast, parsed, view, follower)
                    found[chapter.exchange] = Opinion(
                        bot=name,
                        strength=strength,
                        lines=tuple(orders.splitlines()),
                        otherwise=otherwise,
                        forecast=forecast,
                    )
                follower.receive(language.parse(written.text, track.reader).orders, view)
        return found


def _otherwise(language: Language, side: str, orders: str, written: str) -> tuple[int, ...]:
    """Return the numbers of lines of orders that a player did not write, however the player spelled them."""
    canonical = language.write(language.parse(written, side).orders)
    known = {_plain(line) for text in (written, canonical) for line in text.splitlines()}
    return tuple(number for number, line in enumerate(orders.splitlines(), 1) if _plain(line) not in known)


def _plain(line: str) -> str:
    return " ".join(line.split()).lower()
