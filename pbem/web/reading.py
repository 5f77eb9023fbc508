"""Reads for the page what reports, forecasts and orders say: paragraphs, tables, questions, offers, steps.

It also finds the lines of a player's own orders that belong beside the steps of a report's story.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import pairwise, takewhile
from typing import Any

from pbem import pages
from pbem.moments.own_lines import Answered, OrdersOf, Shown
from pbem.moments.own_lines import lines_beside as beside
from pbem.orders.base import Asked, Offer
from pbem.pictures.base import CardFace, CardPainter
from pbem.playback import Step
from pbem.player.faults import DamagedPosition, reading_position
from pbem.player.store.game_store import GameFolder
from pbem.player.store.known_files import RECEIPTED, known_files
from pbem.reports.base import NOTHING_ASKED
from pbem.reports.packing import unpack, unpack_asks, unpack_view, without_view
from pbem.reports.words import Table
from pbem.rules.base import View, read_head
from pbem.titles import load
from pbem.trust.orderfile import parse_orders

NOTE, ASKED_NOW = "note ", "ASKED NOW: "
"""Words that begin a remark in an order form, and words that then begin a question that is asked now."""
DONE = "done"
"""The answer that ends a question which is repeated as long as something can be done."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question of an order form, with the possible answers and the meaning of silence."""

    said: str
    now: bool
    """Whether the question is asked now, and not in advance."""
    verbs: tuple[str, ...]
    """The words that begin the lines which answer the question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadReport:
    """A report in parts; if its data for programs is damaged, its plain text, and the reason."""

    title: str
    headline: tuple[str, ...] = ()
    wanted: str = ""
    idle: bool = False
    """Whether the report has no question for its reader."""
    sections: tuple[dict[str, Any], ...]
    svg: str = ""
    words: str = ""
    """The words that describe the report's picture to those who do not see it."""
    form: str = ""
    asked: tuple[str, ...] = ()
    """The verbs of the order lines that the form asks for."""
    cards: Mapping[str, CardFace] = field(default_factory=dict)
    """The faces of the cards that order lines play, by line."""
    fault: str = ""


def read_report(text: str) -> ReadReport:
    """Return a report of any judge, split into parts."""
    try:
        return _read_report(text)
    except DamagedPosition as fault:
        first, *lines = without_view(text).split("\n")
        parts = [{"said": line, "indent": 0, "apart": False} for line in lines]
        raw = {"title": first, "parts": parts, "table": None, "small": False, "asked": False}
        return ReadReport(title=first, sections=(raw,), form=form_of(text), fault=str(fault))


@reading_position()
def _read_report(text: str) -> ReadReport:
    view, gist, picture = unpack_view(text), pages.gist(text), pages.picture_of(text)
    tables = load(read_head(view).game).words.tables(view) if view else ()
    head, *sections = pages.sections(text, {table.section: table for table in tables})
    title, *headline = (part.said for part in head.parts)
    form = form_of(text)
    return ReadReport(
        title=title,
        headline=tuple(headline),
        wanted=gist.wanted if gist else "",
        idle=gist is not None and not gist.asked,
        sections=tuple(map(shown, sections)),
        svg=picture.svg if picture else "",
        words=picture.words if picture else "",
        form=form,
        asked=_verbs_asked(view, form),
        cards=_cards(view),
    )


def _cards(view: View | None) -> dict[str, CardFace]:
    painter = None if view is None else load(read_head(view).game).pictures
    return dict(painter.card_faces(view)) if view is not None and isinstance(painter, CardPainter) else {}


def _verbs_asked(view: View | None, form: str) -> tuple[str, ...]:
    return load(read_head(view).game).language.asked(form) if view is not None else ()


@reading_position()
def offers_to(report: str, line: str, above: str) -> tuple[Offer, ...]:
    """Return how an order line below the lines `above` may begin or continue, by a report's view.

    Raises:
        DamagedPosition: the report's view is damaged.
    """
    view = unpack_view(report)
    if view is None:
        return ()
    language = load(read_head(view).game).language
    asks = unpack_asks(report)
    found = language.offers(line, view, _verbs_asked(view, form_of(report)), above, asks)
    return found if within_heading(above) else answers_in(found, asks)


def within_heading(above: str) -> bool:
    """Tell whether a heading of a plan or section above an order line is still open."""
    lines = [line.strip() for line in above.split("\n")]
    return sum(line.endswith(":") for line in lines) > lines.count("end")


def answers_in(found: Sequence[Offer], asks: Sequence[Asked]) -> tuple[Offer, ...]:
    """Return the offered lines without those whose block or card can answer no question that is open now.

    An Ask that `done` ends lists each possible act, of one block or card; so offers that name several blocks
    or cards stay. Any other Ask may be followed by one about another block.
    """
    legal = {answer for ask in asks if DONE in ask.legal for answer in ask.legal}
    verbs = {offer.verb for offer in found if any(one.startswith(f"{offer.verb} ") for one in legal)}

    def fits(offer: Offer) -> bool:
        if offer.verb not in verbs or not offer.name or not offer.line.startswith(f"{offer.verb} "):
            return True
        if offer.name == "none" or "," in offer.line:
            return True
        return any(f"{one} ".startswith(f"{offer.line} ") for one in legal)

    return tuple(filter(fits, found))


@reading_position()
def steps_of(report_before: str, report: str) -> tuple[Step, ...]:
    """Return the steps of the story from one report to the next; none without data for programs.

    Raises:
        DamagedPosition: the report's data for programs is damaged.
    """
    found = unpack(report)
    if found is None:
        return ()
    view, told = found
    return load(read_head(view).game).playback.steps(unpack_view(report_before), told, view)


@reading_position()
def picture_after(step: Step) -> tuple[str, str]:
    """Return the picture after a step of the story, and words that describe it; empty if the game has none.

    Raises:
        DamagedPosition: what moved in the step is on no map.
    """
    painter = load(read_head(step.view).game).pictures
    if painter is None:
        return "", ""
    picture = painter.draw(step.view, step.events)
    return picture.svg, picture.words


@reading_position()
def load_title(report: str | None) -> None:
    """Import the modules for a report's game that the page will ask for, so that nobody waits for them later.

    Raises:
        DamagedPosition: the report's data for programs is damaged.
    """
    view = unpack_view(report or "")
    if view is not None:
        title = load(read_head(view).game)
        assert all((title.language, title.words, title.playback, title.pictures or True))


def form_of(report: str) -> str:
    """Return the order form of a report, without its head and its marks."""
    _, _, rest = report.partition(f"\n{pages.FORM_FIRST[1]}\n")
    return rest.partition(f"\n{pages.FORM_LAST}")[0].strip("\n")


def questions(form: str) -> tuple[Question, ...]:
    """Return the questions of an order form, in order: the remarks above the lines to fill in."""
    found = [block.splitlines() for block in form.split("\n\n") if block.startswith(NOTE)]
    return tuple(one for lines in found if "?" in (one := _question(lines)).said)


def _question(block: Sequence[str]) -> Question:
    """Return the question in one block of an order form: remarks, and the lines below them."""
    remarks = list(takewhile(lambda line: line.startswith(NOTE), block))
    said = " ".join(line.removeprefix(NOTE) for line in remarks)
    lines = (line for line in block[len(remarks) :] if not line.startswith(("if ", " ")))
    verbs = dict.fromkeys(line.partition(" ____")[0].strip() for line in lines)
    return Question(said.removeprefix(ASKED_NOW), said.startswith(ASKED_NOW), tuple(verbs))


def shown(section: pages.Section) -> dict[str, Any]:
    """Return a section of a report for the page, without the order form and without typed commands."""
    parts = [
        _part(part)
        for part, after in pairwise((*section.parts, None))
        if part
        and not part.form
        and not (after and after.form)
        and not part.said.startswith(f"{NOTHING_ASKED}:")
    ]
    return {
        "title": section.title,
        "parts": parts,
        "table": _table(section.table),
        "small": section.small,
        "asked": section.asked,
    }


def foretold(lines: Sequence[str]) -> tuple[dict[str, Any], ...]:
    """Return a forecast in paragraphs with unbroken lines, indented two columns less than in letters."""
    found = pages.paragraphs([f"  {line}" for line in lines])
    return tuple(_part(replace(part, indent=part.indent - 2)) for part in found)


def _part(part: pages.Part) -> dict[str, Any]:
    return {"said": part.said, "indent": part.indent, "apart": part.apart}


def _table(table: Table | None) -> dict[str, Any] | None:
    return None if table is None else {"head": list(table.head), "rows": [list(row) for row in table.rows]}


class Unpacked(Mapping[int, Shown]):
    """The data for programs in each report, read once when first asked for; damaged ones are left out."""

    def __init__(self, reports: Mapping[int, str]) -> None:
        self._reports = reports
        self._read = cache(lambda number: unpack(reports[number]))

    def __getitem__(self, number: int) -> Shown:
        """Return the data for programs in the report of an exchange."""
        found = self._read(number)
        if found is None:
            raise KeyError(number)
        return found

    def __iter__(self) -> Iterator[int]:
        """Iterate over the numbers of the exchanges that have a report."""
        return iter(self._reports)

    def __contains__(self, number: object) -> bool:
        """Tell whether an exchange has a report that can be read."""
        return number in self._reports and isinstance(number, int) and self._read(number) is not None

    def __len__(self) -> int:
        """Return the number of reports, readable or not."""
        return len(self._reports)


def lines_beside(
    reports: Mapping[int, str], orders: OrdersOf, exchange: int, steps: Sequence[Step]
) -> tuple[tuple[Answered, ...], ...]:
    """Return, for each step of a report, the lines of its reader's orders that belong to it, decisive or not.

    `reports` are those before it, by exchange. Nothing is returned where one of them is damaged.
    """
    nothing: tuple[tuple[Answered, ...], ...] = ((),) * len(steps)
    try:
        with reading_position():
            return beside(Unpacked(reports), orders, exchange, steps)
    except DamagedPosition:
        return nothing


def counted_orders(folder: GameFolder) -> OrdersOf:
    """Return a function that gives the orders that counted in an exchange, from receipts and the ledger."""
    sealed_of = counted_files(folder)

    def orders_of(exchange: int) -> str | None:
        sealed = sealed_of(exchange)
        if not sealed:
            return ""
        sent = [one for one in folder.sent_files.orders_of(exchange) if one.name == sealed]
        return parse_orders(sent[0].text).body if sent else None

    return orders_of


def counted_files(folder: GameFolder) -> Callable[[int], str]:
    """Return a function that gives the hash of the player's file that counted in an exchange, or ""."""
    chronicle = folder.chronicle()

    @cache
    def sealed_of(exchange: int) -> str:
        known = known_files(folder, chronicle, exchange)
        arrived = [one for one in known if one.state == RECEIPTED]
        return arrived[-1].sealed if arrived else ""

    return sealed_of
