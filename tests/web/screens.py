"""The screens of the page without Python behind it: a worker has the answers of a game played beforehand.

The game is played here by the rules, with dice by label, so that a screen is the same each time.
"""

from __future__ import annotations

import dataclasses
import json
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from pbem.orders.base import Answer
from pbem.reports.base import Context
from pbem.reports.packing import unpack_view
from pbem.rules.base import Ask, View, read_head
from pbem.titles import load
from pbem.web.calls import CopyLine
from pbem.web.private_notes import NotesOfGame, ShownMark
from pbem.web.reading import lines_beside, offers_to, picture_after, steps_of
from pbem.web.table import GameLine, Key, Looked, Standing, StoryPicture, StoryStep, lay_out
from pbem.web.talk import Talk, TalkLine
from tests.properties.random_play import LabelledChance

GAME = "hearth"
NOW = "2026-11-27T12:00:00Z"
DEADLINE = "2026-12-03T22:57:00+00:00"
WORKER = """
const answers = await (await fetch("./answers.json")).json();
onmessage = ({ data: { id, question } }) => {
  const { call, given } = JSON.parse(question);
  const fits = (about) => Object.entries(about).every(([name, value]) => given[name] === value);
  const found = answers.find(([of, about]) => of === call && fits(about));
  const told = found ? { answer: found[2] } : { bug: `nothing is known of ${question}` };
  postMessage({ id, begun: true });
  postMessage({ id, answer: JSON.stringify(told) });
};
postMessage({ ready: true });
"""


def message(number: int, writer: str, to: str, text: str, **given: Any) -> TalkLine:
    """A message as the page is told of it."""
    known = {"subject": "", "own": False, "muted": False, "mute": "", "leads": (), "remarks": ()}
    at = f"2026-11-27 1{number}:00"
    return TalkLine(number=number, at=at, writer=writer, to=(to,), text=text, **{**known, **given})


TALK = Talk(
    kind="grey",
    meaning="Players may write to each other, also without their names.",
    closed="",
    first_word="",
    readers=(("all", "all"), ("bob", "bob"), ("gm", "the director")),
    may_grey=True,
    largest=4000,
    lines=(
        message(1, "bob", "alice", "Is the north left alone this year?\nBob", subject="Truce?", mute="bob"),
        message(2, "alice", "bob", "No.", own=True, remarks=("The judge's receipt is not here yet.",)),
        message(3, "somebody", "all", "long" * 60, mute="grey", leads=(("https://a@b.org/", "b.org"),)),
        message(
            4, "the director", "alice", "bob asks for more time.", grants="2026-11-28T18:00:00Z", is_new=True
        ),
    ),
    more_time=True,
    signed="",
    opponents=1,
    absence_days=42,
)


@dataclass(frozen=True, slots=True)
class Table:
    """What is played, whose page it is, and what they order again and again."""

    name: str
    options: tuple[tuple[str, Any], ...]
    side: str
    orders: str
    exchanges: int
    draft: str
    chooses: Callable[[Ask, View], str]
    """What a side answers of which no order speaks."""
    seed: int = 1


@dataclass(frozen=True, slots=True)
class Played:
    """Reports to one side by exchange, and its orders."""

    table: Table
    reports: Mapping[int, str]
    orders: Mapping[int, str]


@lru_cache
def played(table: Table) -> Played:
    """Play; a report ends where the time in the game goes on."""
    title = load(table.name)
    game = title.rules.start(options=dict(table.options), chance=LabelledChance(table.seed))
    plans = title.language.follower(table.side)
    view, heard = game.view(table.side), 0
    reports, orders = {1: report(table, 1, view, view, game.told(table.side), game.asks)}, {}
    heard = len(game.told(table.side))
    for number in range(2, table.exchanges + 2):
        orders[number] = table.orders
        plans.receive(title.language.parse(table.orders, table.side).orders, view)
        moment = read_head(game.view(table.side)).moment
        while game.asks and not game.outcome and read_head(game.view(table.side)).moment == moment:
            ask = game.asks[0]
            seen = game.view(ask.side)
            reply = plans.reply(ask, seen) if ask.side == table.side else None
            game.answer(ask.side, reply.text if isinstance(reply, Answer) else table.chooses(ask, seen))
        before, view = view, game.view(table.side)
        told = game.told(table.side)
        reports[number] = report(table, number, before, view, told[heard:], game.asks)
        heard = len(told)
    return Played(table, reports, orders)


def report(table: Table, number: int, before: View, view: View, told: Any, asks: Any) -> str:
    """A report as a judge writes it."""
    title = load(table.name)
    own = [ask for ask in asks if ask.side == table.side]
    form = title.language.form(view, own)
    head = f"pbem1 orders\ngame {GAME}\nexchange {number + 1}\nside {table.side}\n---\n"
    known: list[str] = list(view.get("hands") or view["hand_sizes"])
    sides = sorted(known, key=lambda side: side != table.side)
    seats = dict(zip(sides, ("alice", "bob", "carol", "dora"), strict=False))
    context = Context(
        game=GAME,
        title=title.rules.title,
        player=seats[table.side],
        seats=seats,
        resolved=number,
        open=number + 1,
        deadline="2026-12-03T22:57:00Z",
        form=head + form,
    )
    return title.style.report(table.side, before, view, told, own, context)


Told = list[tuple[str, dict[str, Any], Any]]
"""Call, what it is given at least, and the answer."""


def answers(table: Table, press: str = "none") -> Told:
    """What the page may ask about a game, and what it is told."""
    known = played(table)
    last = max(known.reports)
    line = GameLine(
        game=GAME,
        player="alice",
        side=table.side,
        state="draft",
        exchange=last + 1,
        deadline=DEADLINE,
        last_report=last,
        new=False,
        closed=False,
        files=(),
        missing_receipts=(),
        forked=False,
        trouble="",
        press=press,
        unread=2 if press != "none" else 0,
        title=load(table.name).rules.title,
        others=("bob",),
    )
    shown = lay_out(known.reports[last], line, last, (0, *known.reports), table.draft)
    return [
        *at_home((line,)),
        ("show", {"game": GAME}, shown),
        ("looked", {}, None),
        ("last_sealed", {}, None),
        ("end_absence", {}, None),
        ("keep_draft", {}, None),
        ("offers", {"line": ""}, offers_to(known.reports[last], "", "")),
        ("offers", {}, offers_to(known.reports[last], "", "")),
        ("talk", {}, TALK),
        ("talk_seen", {}, None),
        *notes(table, known.reports[last]),
        ("check", {}, Looked(words="", faulty=False, understood=(), faults=(), forecast=())),
        *story(known, last),
    ]


def notes(table: Table, report: str) -> Told:
    """The player's own notes, with a marker on the first enemy block of the report."""
    view, tracker = unpack_view(report), load(table.name).tracker
    blocks = tracker.enemies(view) if tracker and view else ()
    marks = tuple(
        ShownMark(1, "I think this is the king\n", one.said, (one.area,), f"in {one.area}")
        for one in blocks[:1]
    )
    text = "Keep the north.\n" if blocks else ""
    shown = NotesOfGame(text=text, marks=marks, blocks=blocks, largest=16_384, largest_mark=500)
    return [
        ("private_notes", {}, shown),
        ("mark_block", {}, replace(shown, marks=(*marks, *(replace(one, number=2) for one in marks)))),
    ]


def story(known: Played, exchange: int) -> Iterator[tuple[str, dict[str, Any], Any]]:
    """The steps of a report, and the picture after each."""
    steps = steps_of(known.reports[exchange - 1], known.reports[exchange])
    beside = lines_beside(known.reports, lambda number: known.orders.get(number, ""), exchange, steps)
    told = [StoryStep(one.lines, one.chapter, one.board, own) for one, own in zip(steps, beside, strict=True)]
    yield "story", {}, told
    for place, step in enumerate(steps):
        yield "story_picture", {"step": place}, StoryPicture(*picture_after(step))


def at_home(games: tuple[GameLine, ...] = (), *, keys: bool = True, unlocked: bool = True) -> Told:
    """What is told of a home."""
    key = Key("alice", "SHA256:" + "A" * 43, unlocked)
    standing = Standing("1.0", (key,) if keys else (), games, saved=True, knows_sent=True)
    return [
        ("standing", {}, standing),
        ("names", {}, ["alice"]),
        ("recommended", {}, []),
        ("leagues", {}, []),
        ("forms", {}, []),
        ("answering", {}, []),
        ("copying", {}, CopyLine("", 0, is_own=False)),
        *((call, {}, []) for call in ("waiting", "pockets", "readers")),
        ("copy_question", {}, None),
    ]


def laid_out(site: Path, folder: Path, told: Told) -> Path:
    """The site with a worker that knows these answers and no Python."""
    shutil.copytree(site, folder, ignore=shutil.ignore_patterns("pyodide", "pbem.json", "sw.js"))
    (folder / "worker.js").write_text(WORKER, encoding="utf-8")
    (folder / "answers.json").write_text(json.dumps(told, default=as_data), encoding="utf-8")
    return folder


def as_data(told: Any) -> dict[str, Any]:
    """An answer as the page gets it."""
    found: dict[str, Any] = dataclasses.asdict(told)
    return found


def step_with(table: Table, wanted: str) -> int:
    """The first step of the last report where there is this."""
    known = played(table)
    told = next(answer for call, _, answer in story(known, max(known.reports)) if call == "story")
    if wanted == "stood down":
        fits = [bool(one.board) and any(line.said and not line.applied for line in one.own) for one in told]
    elif wanted == "battle begins":
        fits = [bool(one.board) for one in told]
    else:
        fits = [bool(one.board and (one.board.totals or one.board.shot)) for one in told]
    return fits.index(True)
