"""The data that the page for players shows: the home, a report, its story step by step, a checked draft.

The judge's reports and those of a practice game come here alike. What reads a report is imported when one is
read: importing is a large part of the page's start.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from pbem.player.faults import DamagedPosition, Refused
from pbem.player.store.known_files import SEALED

if TYPE_CHECKING:
    from pbem.moments.own_lines import Answered
    from pbem.orders.base import Offer
    from pbem.pictures.base import CardFace
    from pbem.playback import Board, Step
    from pbem.player import Home
    from pbem.player.incoming.receiving import Delivery
    from pbem.player.outgoing.drafts import Study
    from pbem.player.status import GameStatus
    from pbem.web.outbox import BoxCall
    from pbem.web.reading import Question


JOINING, WAITING, DRAFT, HANDED, QUEUED, POSTED, OVER, TROUBLE = (
    "joining",
    "waiting",
    "draft",
    "handed over",
    "to be sent",
    "sent",
    "over",
    "trouble",
)
"""The states of a game for its player, beside those of their orders (pbem.player.store.known_files)."""

NAMES_A_PAGE = re.compile(
    r"^To play in a browser, and install nothing:  (\S+)\n[^\n]+\n\n  ([0-9a-f]{64})$", re.MULTILINE
)
"""Pattern of the words by which an invitation names the page that the club recommends."""

JOIN = "0-0"
"""Name of the request to join where orders are named by exchange and revision."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GameLine:
    """A game as the page's list of games shows it."""

    game: str
    player: str
    side: str
    state: str
    exchange: int | None
    deadline: str
    """The deadline of the open exchange in ISO 8601, UTC; "" if there is none."""
    last_report: int | None
    new: bool
    """Whether the game has a report that the player has not looked at."""
    closed: bool
    """Whether the open exchange takes no more orders."""
    files: tuple[str, ...]
    """Remarks on the player's files that were sealed elsewhere, or do not count."""
    missing_receipts: tuple[int, ...]
    forked: bool
    trouble: str
    box: str = ""
    """The address of the game's post box; "" if the game has none."""
    push: str = ""
    """The key by which the game's judge wakes devices; "" if the judge wakes none."""
    joined: bool = False
    """Whether the post box has the player's request to join, while the invitation has not come."""
    press: str = "none"
    """The kind of press in the game, as the judge has signed it; `gm` if there is none but the judge has
    written."""
    unread: int = 0
    """The number of messages in the game's press that the player has not read."""
    is_last: bool = False
    """Whether the open exchange waits for the player's file alone, as far as the judge's letters tell."""
    clock: str = ""
    """The rules of the game's deadlines in words, as the judge has signed them; "" if they are not known."""
    since: int = -1
    """The exchange of the last report that the player had looked at before those that they have not gone
    through yet; -1 if there is none."""
    title: str = ""
    """The title of the game's rules; "" if it is not known."""
    others: tuple[str, ...] = ()
    """The names of those who play too."""


@dataclass(frozen=True, slots=True)
class Key:
    """A key in the home, and whether that key is unlocked."""

    name: str
    fingerprint: str
    unlocked: bool


@dataclass(frozen=True, slots=True)
class Standing:
    """The contents of the player's home: its version, keys and games."""

    version: str
    keys: tuple[Key, ...]
    games: tuple[GameLine, ...]
    saved: bool
    """Whether the home was saved as a file since its keys and secrets last changed."""
    knows_sent: bool
    """Whether the saved file has everything sealed here, and all receipts."""


@dataclass(frozen=True, slots=True)
class Received:
    """The result of taking in files that the player gave."""

    arrivals: tuple[dict[str, Any], ...]
    faults: tuple[tuple[str, str], ...]
    """Pairs of a file's name and what is wrong with the file, in the words of the command line."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """The result of taking in letters that came from a post box."""

    received: Received
    acknowledgement: BoxCall | None
    more: bool
    """Whether the post box holds more letters to fetch."""


@dataclass(frozen=True, slots=True)
class Recommended:
    """The web page that an invitation recommends, with its hash; the judge has signed both."""

    game: str
    address: str
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A report as the page shows it, with what the player can answer."""

    line: GameLine
    exchange: int
    """The number of the exchange that the report is about; 0 is the invitation."""
    reports: tuple[int, ...]
    title: str
    headline: tuple[str, ...]
    wanted: str
    idle: bool
    """Whether the report has no question for the player."""
    sections: tuple[dict[str, Any], ...]
    svg: str
    words: str
    """The words that describe the report's picture to those who do not see it."""
    form: str
    fault: str
    """The reason why the report's data for programs (and so the picture) cannot be read; "" if it can."""
    questions: tuple[Question, ...]
    draft: str
    asked: tuple[str, ...]
    """The verbs of the order lines that the form asks for."""
    cards: Mapping[str, CardFace]
    """The faces of the cards that order lines play, by line."""
    receipts: tuple[dict[str, Any], ...]


@dataclass(frozen=True, slots=True)
class StoryStep:
    """A step of a report's story: a few events that are told together."""

    lines: tuple[str, ...]
    chapter: str
    """The battle, or side's moves, to which neighbouring steps belong as well; empty if the step stands
    alone."""
    board: Board | None
    own: tuple[Answered, ...]
    """The lines of the player's orders that decided the step, and those that did not, with reasons."""


@dataclass(frozen=True, slots=True)
class StoryPicture:
    """The picture after a step of the story, and words that describe it; both empty if the game has none."""

    svg: str
    words: str


@dataclass(frozen=True, slots=True)
class Looked:
    """The result of checking a draft of orders: its words, faults, meaning and forecast."""

    words: str
    faulty: bool
    understood: tuple[str, ...]
    faults: tuple[dict[str, Any], ...]
    forecast: tuple[dict[str, Any], ...]
    """The forecast of what the orders will do, in paragraphs with unbroken lines."""


def lay_out(
    text: str,
    line: GameLine,
    exchange: int,
    reports: tuple[int, ...],
    draft: str,
    receipts: tuple[dict[str, Any], ...] = (),
) -> Shown:
    """Return a report as the page shows it."""
    from pbem.web.reading import questions, read_report

    read = read_report(text)
    return Shown(
        line=line,
        exchange=exchange,
        reports=reports,
        title=read.title,
        headline=read.headline,
        wanted=read.wanted,
        idle=read.idle,
        sections=read.sections,
        svg=read.svg,
        words=read.words,
        form=read.form,
        fault=read.fault,
        questions=questions(read.form),
        draft=draft,
        asked=read.asked,
        cards=read.cards,
        receipts=receipts,
    )


def offers_by(text: str, line: str, above: str) -> tuple[Offer, ...]:
    """Return how an order line may begin or continue, by a report; none if its position is damaged."""
    from pbem.web.reading import offers_to

    try:
        return offers_to(text, line, above) if text else ()
    except DamagedPosition:  # which is told where the report is shown
        return ()


def story_of(
    report_before: str,
    report: str,
    own_lines: Callable[[Sequence[Step]], Sequence[tuple[Answered, ...]]] | None = None,
) -> tuple[StoryStep, ...]:
    """Return the steps of the story from one report to the next, without their pictures.

    `own_lines`: gives for each step the lines of the player's own orders that belong beside it.
    """
    steps = _steps_between(report_before, report)
    beside = own_lines(steps) if own_lines is not None else [()] * len(steps)
    return tuple(
        StoryStep(one.lines, one.chapter, one.board, tuple(own))
        for one, own in zip(steps, beside, strict=True)
    )


def story_picture_of(report_before: str, report: str, step: int) -> StoryPicture:
    """Return the picture after a step from one report to the next; steps are counted from 0.

    Raises:
        Refused: there is no such step.
    """
    from pbem.web.reading import picture_after

    steps = _steps_between(report_before, report)
    if not 0 <= step < len(steps):
        raise Refused(f"this report has {len(steps)} steps, counted from 0")
    try:
        return StoryPicture(*picture_after(steps[step]))
    except DamagedPosition:
        return StoryPicture("", "")


def looked_at(found: Study) -> Looked:
    """Return the result of checking a draft of orders, as the page shows it."""
    from pbem.web.reading import foretold

    faults = tuple({"line": one.line, "remark": one.remark, "said": str(one)} for one in found.faults)
    return Looked(found.words, found.faulty, tuple(found.said.splitlines()), faults, foretold(found.forecast))


def not_looked_at(fault: DamagedPosition) -> Looked:
    """Return the result for a draft of orders that cannot be checked: the report's position is damaged."""
    told = {"line": 1, "remark": True, "said": str(fault)}
    return Looked(words=str(fault), faulty=False, understood=(), faults=(told,), forecast=())


def earlier_report(reports: Sequence[int], exchange: int) -> int | None:
    """Return the number of the last exchange with a report before a given one; None if there is none."""
    return max((number for number in reports if number < exchange), default=None)


@lru_cache(maxsize=4)  # a reader goes through one report, picture by picture
def _steps_between(report_before: str, report: str) -> tuple[Step, ...]:
    """Return the story's steps from one report to the next; none if either's data for programs is damaged."""
    from pbem.web.reading import steps_of

    try:
        return steps_of(report_before, report)
    except DamagedPosition:
        return ()


def line_of(
    status: GameStatus,
    notes: Mapping[str, Any],
    waiting: Container[str],
    *,
    box: str,
    push: str,
    press: str,
) -> GameLine:
    """Return a game as the page's list shows it; `waiting`: the files that wait to be posted."""
    is_new = status.last_report is not None and status.last_report > notes.get("seen", -1)
    return GameLine(
        game=status.game,
        player=status.player,
        side=status.side or "",
        state=state_of(status, notes, waiting),
        box=box,
        push=push,
        joined=status.side is None and notes.get("posted") == JOIN,
        exchange=status.exchange,
        deadline=status.deadline.isoformat() if status.deadline else "",
        last_report=status.last_report,
        new=is_new,
        closed=status.closed,
        files=status.remarks,
        missing_receipts=status.missing_receipts,
        forked=bool(status.forks),
        trouble=status.trouble,
        press=press,
        unread=status.unread,
        is_last=status.is_last and not status.files,
        clock=status.clock,
        since=notes.get("seen" if is_new else "since", -1),
        title=status.title,
        others=status.others,
    )


def received_of(delivery: Delivery) -> Received:
    """Return the result of taking in files, as the page shows it."""
    from pbem import pages

    arrivals = tuple(
        {
            "kind": one.kind,
            "game": one.game,
            "exchange": one.exchange,
            "text": pages.without_view(one.text),
            "new": one.new,
            "remarks": list(one.remarks),
        }
        for one in delivery.arrivals
    )
    return Received(arrivals, tuple((source, str(fault)) for source, fault in delivery.faults))


def state_of(status: GameStatus, notes: Mapping[str, Any], waiting: Container[str]) -> str:
    """Return a game's state for its player; `waiting`: the files that wait to be posted, as "2-1"."""
    if status.trouble:
        return TROUBLE
    if status.side is None:
        return JOINING
    if status.over:
        return OVER
    if status.exchange is None or status.closed:
        return WAITING
    if status.orders == SEALED:
        last = f"{status.exchange}-{max(status.revs)}"
        if last in waiting:
            return QUEUED
        for what, state in (("posted", POSTED), ("handed", HANDED)):
            if notes.get(what) == last:
                return state
    return status.orders or DRAFT


def press_of(home: Home, name: str) -> str:
    """Return the kind of press in a game or league; `none`, without reading further, if no press has come."""
    if not (home.place_of(name).path / "press").exists():
        return "none"
    from pbem.web.talk import kind_of

    return kind_of(home, name)
