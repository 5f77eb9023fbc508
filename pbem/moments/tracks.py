"""The story of a played game as one reader may know it, moment by moment.

A track is what one reader was shown, exchange by exchange: a side, the public, or everything ("gm"). A side's
track, and the public's, come from that reader's own reports alone, or from the same positions and events when
the game is played again; both give the same track. A game holds the tracks of others, and everything, once
`over` stands in its own ledger.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pbem.disputes.record import ALL, Record, Walk, walk
from pbem.errors import ConfigError, LedgerError
from pbem.moments.own_lines import Answered, Shown, lines_beside, parse_own_orders
from pbem.play.adjudicate import setting_of
from pbem.play.history import History
from pbem.play.resolve import Answered as Answer
from pbem.play.setting import Setting
from pbem.playback import Retrospect, Step
from pbem.reports.packing import unpack
from pbem.rules.base import Event, read_head

PUBLIC, GM = "public", "gm"
NOTHING = "Nothing is told of this exchange."
ENDING = "How it ended"
"""The heading of the last moment of a finished game."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A question, and the line that answered it; it exists only on a track that tells everything."""

    side: str
    said: str
    rule: str
    exchange: int
    """The exchange whose orders answer the question; 0 if the answer is a default."""
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """A step of the story, with the lines of the reader's own orders that decided it or did not."""

    step: Step
    own: tuple[Answered, ...] = ()
    replies: tuple[Reply, ...] = ()
    """The answers from which the step followed; only on a track that tells everything."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """The orders of a side for one exchange, as their writer wrote them."""

    side: str
    player: str
    text: str
    unused: tuple[int, ...] = ()
    """The numbers, from 1, of lines that had answered nothing when the track ended; only on a track that
    tells everything."""
    dropped: tuple[tuple[int, str], ...] = ()
    """The lines that could not be carried out, each with the reason; only on a track that tells
    everything."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chapter:
    """An exchange as it was told to the reader of a track."""

    exchange: int
    title: str
    """The time in the game when the exchange ended."""
    moments: tuple[Moment, ...]
    orders: tuple[Written, ...] = ()
    replies: tuple[Reply, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Track:
    """All exchanges of a game as one reader was told them."""

    reader: str
    """The reader of the track: a side, "public", or "gm", who may know everything."""
    chapters: tuple[Chapter, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """A game with the tracks that its reader may have."""

    setting: Setting = field(repr=False)
    over: bool
    outcome: str
    """The outcome of the game in words; empty while the game goes on."""
    tracks: tuple[Track, ...]
    keys: Mapping[int, str] = field(default_factory=dict)
    """The keys of the game's dice that the ledger has opened to everybody, by exchange."""


class StillPlayed(ConfigError):
    """Raised if the track that tells everything is asked of a game that is not over."""


def tell(record: Record, reader: str | None = None) -> Story:
    """Return the story of a game for a reader: a side, "public", or "all".

    Without a reader, the story is that of the record's own reader. If that reader may have everything, it has
    all tracks of a finished game, and only the public's of a running one.

    Raises:
        StillPlayed: the track that tells everything is asked of a game that is not over.
        LedgerError: a report cannot be read.
    """
    over = record.history.over
    if reader is None:
        reader = record.reader if record.reader != ALL or over else PUBLIC
    if reader == ALL:
        if not over:
            raise StillPlayed(
                f"{record.genesis.game} is still played; when it is over, everything can be shown. Until "
                "then name a side, or --as public"
            )
        if record.reader != ALL:
            raise ConfigError(f"this bundle tells what {record.reader} knows, and not everything")
        return replace(_whole(record), keys=_keys(record.history))
    setting = setting_of(record.genesis)
    known = record if record.reader == reader else record.narrow_to(reader)
    shown = _shown_in(known.reports, reader) if known.reports else _shown_again(record, reader)
    standing = [one.number for one in record.resolved_exchanges]
    shown = {number: shown[number] for number in standing if number in shown}
    track = _track(setting, reader, shown, _bodies(known, reader))
    story = _story(setting, over, record.history.ending, (track,), shown)
    return replace(story, keys=_keys(record.history))


def tell_reports(
    setting: Setting, history: History, reader: str, reports: Mapping[int, str], orders: Mapping[int, str]
) -> Story:
    """Return the story that one reader's reports tell; `orders`: the reader's that counted, by exchange.

    Raises:
        LedgerError: a report cannot be read.
    """
    standing = {one.number for one in history.resolved}
    shown = _shown_in({(one, reader): text for one, text in reports.items() if one in standing}, reader)
    story = tell_shown(setting, reader, shown, orders, over=history.over, ending=history.ending)
    return replace(story, keys=_keys(history))


def _keys(history: History) -> dict[int, str]:
    """Return the keys of dice that the ledger has opened, by exchange."""
    return {one.number: one.resolved.mix for one in history.resolved if one.resolved is not None}


def tell_shown(
    setting: Setting,
    reader: str,
    shown: Mapping[int, Shown],
    orders: Mapping[int, str],
    *,
    over: bool = False,
    ending: str | None = None,
) -> Story:
    """Return the story of what one reader was shown, by exchange; `ending`: the end in the ledger's words."""
    return _story(setting, over, ending, (_track(setting, reader, shown, orders),), shown)


def _story(
    setting: Setting, over: bool, ending: str | None, tracks: tuple[Track, ...], shown: Mapping[int, Shown]
) -> Story:
    last = shown[max(shown)][0] if shown else None
    outcome = setting.words.outcome(last) if last is not None and over else ""
    outcome = outcome or (ending or "") * over
    if outcome:
        tracks = tuple(_with_ending(setting, track, outcome) for track in tracks)
    return Story(setting=setting, over=over, outcome=outcome, tracks=tracks)


def _with_ending(setting: Setting, track: Track, outcome: str) -> Track:
    """Return the track of a finished game with its outcome as the last moment, and the final measures.

    The measures are left out where the last position of the track does not say that the game is over.
    """
    if not track.chapters:
        return track
    *before, last = track.chapters
    view, playback = last.moments[-1].step.view, setting.title.playback
    lines = [outcome]
    if isinstance(playback, Retrospect) and read_head(view).outcome is not None:
        for name, numbers in playback.measures(view).items():
            counts = ", ".join(f"{setting.words.sides[side]} {number}" for side, number in numbers.items())
            lines.append(f"In the end, {name}: {counts}.")
    end = Moment(step=Step(lines=tuple(lines), chapter=ENDING, events=(), view=view))
    return replace(track, chapters=(*before, replace(last, moments=(*last.moments, end))))


def _whole(record: Record) -> Story:
    """Return the story of a finished game on all tracks: the sides, the public, and everything."""
    setting, game = setting_of(record.genesis), walk(record)
    readers = (*setting.sides, PUBLIC, GM)
    shown: dict[str, dict[int, Shown]] = {reader: {} for reader in readers}
    for result in game.results:
        for reader in readers:
            seen = result.resolution.seen[reader]
            shown[reader][result.resolution.exchange] = plain_text(seen.after, seen.told)
    own = [_track(setting, reader, shown[reader], _bodies(record, reader)) for reader in readers[:-1]]
    tracks = (*own, _everything(record, setting, shown[GM], game))
    return _story(setting, True, record.history.ending, tracks, shown[GM])


def plain_text(view: Mapping[str, Any], told: Sequence[Mapping[str, Any]]) -> Shown:
    """Return a position and events as they come in a report: as plain JSON with sorted keys."""
    found: Shown = json.loads(json.dumps(view, sort_keys=True)), json.loads(json.dumps(told, sort_keys=True))
    return found


def _shown_in(reports: Mapping[tuple[int, str], str], reader: str) -> dict[int, Shown]:
    """Return the position and events that a reader's reports hold for programs, by exchange.

    Raises:
        LedgerError: a report is damaged.
    """
    found: dict[int, Shown] = {}
    for (number, audience), text in sorted(reports.items()):
        if audience != reader or number == 0:
            continue
        content = unpack(text)
        if content is None:
            raise LedgerError(f"the part for programs of the report on exchange {number} is damaged")
        found[number] = content
    return found


def _shown_again(record: Record, reader: str) -> dict[int, Shown]:
    """Return what a reader was shown, found by playing the game again; nothing else of that game is kept."""
    if record.reader != ALL:
        return {}
    return {
        exchange.number: plain_text(seen.after, seen.told)
        for exchange, result in record.play(record.adjudicator())
        for seen in [result.resolution.seen[reader]]
    }


def _bodies(record: Record, reader: str) -> dict[int, str]:
    """Return the texts of a side's orders that counted, by the exchange in which they were played."""
    found: dict[int, str] = {}
    for exchange in record.resolved_exchanges:
        source = record.history.source(exchange)
        for player in record.genesis.players:
            file = record.files.get((source.number, player.name))
            if player.side == reader and file is not None and file.body:
                found[exchange.number] = file.body
    return found


def _track(setting: Setting, reader: str, shown: Mapping[int, Shown], orders: Mapping[int, str]) -> Track:
    """Return the track of a side or of the public, from what it was shown and what it wrote."""
    chapters = []
    for number, steps in _steps(setting, shown):
        before = {one: found for one, found in shown.items() if one < number}
        own = (
            lines_beside(before, lambda one: orders.get(one, ""), number, steps)
            if reader in setting.sides
            else ((),) * len(steps)
        )
        written = (
            (Written(side=reader, player=setting.seats[reader], text=orders[number]),)
            if number in orders
            else ()
        )
        moments = tuple(Moment(step=step, own=tuple(lines)) for step, lines in zip(steps, own, strict=True))
        title = setting.words.moment(shown[number][0])
        chapters.append(Chapter(exchange=number, title=title, moments=moments, orders=written))
    return Track(reader=reader, chapters=tuple(chapters))


def _steps(setting: Setting, shown: Mapping[int, Shown]) -> Iterator[tuple[int, tuple[Step, ...]]]:
    before = None
    for number, (view, told) in shown.items():
        steps = setting.title.playback.steps(before, told, view)
        yield number, steps or (Step(lines=(NOTHING,), chapter="", events=(), view=view),)
        before = view


def _everything(record: Record, setting: Setting, shown: Mapping[int, Shown], game: Walk) -> Track:
    """Return the track that tells everything, with all orders and what became of their lines."""
    resolutions = {one.resolution.exchange: one.resolution for one in game.results}
    played = {record.history.source(one).number: one.number for one in record.resolved_exchanges}
    causes = _causes(game, played)
    told = 0
    used = {
        (answer.side, answer.exchange, answer.line)
        for resolution in resolutions.values()
        for answer in resolution.answers
        if answer.line
    }
    bodies = {side: _bodies(record, side) for side in setting.sides}
    chapters = []
    for number, steps in _steps(setting, shown):
        source = record.history.source(record.exchange(number)).number
        resolution = resolutions[number]
        written = tuple(
            Written(
                side=side,
                player=setting.seats[side],
                text=bodies[side][number],
                unused=tuple(
                    line
                    for line in order_lines(setting, side, bodies[side][number])
                    if (side, source, line) not in used
                ),
                dropped=tuple(
                    (one.line, one.reason) for one in resolution.dropped.get(side, ()) if not one.exchange
                ),
            )
            for side in setting.sides
            if number in bodies[side]
        )
        view, events = shown[number]
        chapters.append(
            Chapter(
                exchange=number,
                title=setting.words.moment(view),
                moments=_joined_moments(steps, events, told, causes),
                orders=written,
                replies=_replies(resolution.answers, played),
            )
        )
        told += len(events)
    return Track(reader=GM, chapters=tuple(chapters))


def _joined_moments(
    steps: Sequence[Step], events: Sequence[Event], first: int, causes: Mapping[int, tuple[Reply, ...]]
) -> tuple[Moment, ...]:
    """Return steps as moments, each with the answers from which it followed.

    `first` is the place of the first event among all that was told in the game. Steps that do not tell every
    event in its order are joined to no answer.
    """
    if [event for step in steps for event in step.events] != list(events):
        return tuple(Moment(step=step) for step in steps)
    moments = []
    for step in steps:
        places = range(first, first := first + len(step.events))
        replies = dict.fromkeys(one for place in places for one in causes.get(place, ()))
        moments.append(Moment(step=step, replies=tuple(replies)))
    return tuple(moments)


def _causes(game: Walk, played: Mapping[int, int]) -> dict[int, tuple[Reply, ...]]:
    """Return the answers that had consequences, by the place of the first event that followed from them.

    An event's place is that among all that was told in the game. `played` is as in `_replies`.
    """
    return {
        one.first: _replies(one.answers, played) for one in game.steps if one.answers and one.first < one.last
    }


def _replies(answers: Iterable[Answer], played: Mapping[int, int]) -> tuple[Reply, ...]:
    """Return answers for a reader; `played` maps the exchange of orders to the one that played them."""
    return tuple(
        Reply(
            side=one.side,
            said=one.said or one.text,
            rule=one.rule,
            exchange=played.get(one.exchange, one.exchange),
            line=one.line,
        )
        for one in answers
    )


NO_ORDER = ("note ", "#", "if ", "otherwise")
"""Beginnings of the lines that order nothing by themselves."""


def order_lines(setting: Setting, side: str, text: str) -> Iterable[int]:
    """Yield the numbers of the lines in a text that order something and were understood."""
    faulty = {
        fault.line for fault in parse_own_orders(setting.language, text, side).faults if not fault.remark
    }
    for number, line in enumerate(text.splitlines(), 1):
        said = line.strip()
        if (
            said not in ("", "end")
            and number not in faulty
            and not said.startswith(NO_ORDER)
            and not said.endswith(":")
        ):
            yield number
