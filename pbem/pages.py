"""A report as a page: for mail programs and browsers, on a telephone as well as on a desk.

Everything on it comes from the report's text and from the view that the text carries, so it shows what its
reader may know and nothing else. The ledger commits to the text; a page is drawn from it anew whenever
one is wanted, and may look otherwise with the next release.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from pbem.pictures.base import Picture
from pbem.pictures.png import png
from pbem.rendering import render
from pbem.reports.base import NARROW, NOTHING_ASKED, WIDTH
from pbem.reports.packing import FOR_PROGRAMS, unpack, unpack_view, without_view
from pbem.reports.words import Table
from pbem.rules.base import Head, read_head
from pbem.titles import load

__all__ = [
    "Gist",
    "Image",
    "Page",
    "Part",
    "gist",
    "page",
    "paragraphs",
    "picture_of",
    "report_page",
    "without_view",
]

HEADING = re.compile(r"^[A-Z][A-Z ,']+$")
FORM_FIRST, FORM_LAST = ("pbem1 orders", "begin orders"), "end orders"
"""How a form begins, with a head or (in practice) without, and how it ends."""
ASKED = "WHAT IS ASKED"
SMALL = frozenset({"HOW TO CHECK"})
COLUMNS = re.compile(r"(?<=[^:\s])\s{2,}")
NAMED = re.compile(r"\s*[\w'-]+:\s")
"""What a line says of somebody or something that stands at its beginning."""
COLUMN = 20
"""A line that begins so much further right than the one before it belongs to it."""


@dataclass(frozen=True, slots=True)
class Image:
    """Where the page finds its picture, and what it says to those who do not see it."""

    source: str
    """`cid:...` in a mail; empty if the page holds the picture itself."""
    svg: str
    words: str
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Part:
    """A paragraph, or the order form, whose lines stay as they are."""

    said: str
    indent: int = 0
    """Blanks at its start."""
    form: bool = False
    apart: bool = False
    """Was there a blank line before it?"""


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and what stands below it."""

    title: str
    parts: tuple[Part, ...]
    table: Table | None = None
    small: bool = False
    asked: bool = False
    """Does it say what its reader is to do?"""


@dataclass(frozen=True, slots=True)
class Page:
    """The page of a report, and the picture that it asks for; b"" if it asks for none."""

    html: str
    png: bytes = b""


@dataclass(frozen=True, slots=True)
class Gist:
    """What a report is about, as far as all players know it."""

    moment: tuple[str, ...]
    """What the game calls the time."""
    asked: bool
    """Is its reader asked something?"""
    over: bool

    @property
    def wanted(self) -> str:
        """What its reader is to do, in a few words."""
        if self.over:
            return "the game is over"
        when = " ".join(self.moment[:2])
        if not self.asked:
            return f"nothing is asked of you at {when}: send a bare file"
        return f"your orders for {when}"


def gist(report: str) -> Gist | None:
    """Return what a report is about; None if the text carries no view."""
    view = unpack_view(report)
    return None if view is None else _gist(report, read_head(view))


def _gist(report: str, head: Head) -> Gist:
    return Gist(head.moment, f"\n{NOTHING_ASKED}" not in report, head.outcome is not None)


def picture_of(report: str) -> Picture | None:
    """Return what a report's view looks like; None if the report has none, or its game is not drawn."""
    found = unpack(report)
    painter = found and load(read_head(found[0]).game).pictures
    return painter.draw(*found) if found and painter else None


def report_page(
    report: str, *, source: str = "", what: str = "", due: str = "", times: Callable[[str], str] = str
) -> Page:
    """Return the page of a report or notice: what is due and when, a picture, and all that the text says.

    `source`: where the page asks for its picture (`cid:...`); left out, the page holds the picture itself.
    `what`: what is to be done; left out, the report says it. `times`: writes the moments in what stands
    above the first heading as its reader wants to read them.
    """
    found = unpack(report)
    if found is None:
        return Page(page(report, what=what, due=due, times=times))
    head = read_head(found[0])
    title = load(head.game)
    what = what or _gist(report, head).wanted
    tables = title.words.tables(found[0])
    picture = title.pictures.draw(*found) if title.pictures else None
    if picture is None:
        return Page(page(report, tables=tables, what=what, due=due, times=times))
    svg = "" if source else picture.svg
    image = Image(source, svg, picture.words, picture.board.width, picture.board.height)
    data = png(picture) if source else b""
    return Page(page(report, tables=tables, image=image, what=what, due=due, times=times), data)


def page(
    report: str,
    *,
    tables: Sequence[Table] = (),
    image: Image | None = None,
    what: str = "",
    due: str = "",
    times: Callable[[str], str] = str,
) -> str:
    """Return the page of a report's text, with tables in place of what they say better."""
    import css_inline

    first, *rest = sections(report, {table.section: table for table in tables})
    title, *headline = (times(part.said) for part in first.parts)
    filled = render(
        "page.html.j2",
        title=title,
        headline=headline,
        sections=rest,
        image=image,
        what=what,
        due=due,
        link=any(section.asked for section in rest) and not (image and image.source),
    )
    return css_inline.inline(filled, keep_style_tags=True, load_remote_stylesheets=False)


def sections(report: str, tables: dict[str, Table]) -> Iterator[Section]:
    """Yield the report's sections, what stands above the first heading first, without the program's part."""
    title, lines = "", list[str]()
    for line in takewhile(lambda line: not line.startswith(FOR_PROGRAMS), report.splitlines()):
        if HEADING.match(line):
            yield section(title, lines, tables)
            title, lines = line, []
        else:
            lines.append(line)
    yield section(title, lines, tables)


def section(title: str, lines: list[str], tables: dict[str, Table]) -> Section:
    """Return one section; a table takes the place of its lines."""
    table = tables.get(title)
    parts = () if table else tuple(paragraphs(lines))
    return Section(title.capitalize(), parts, table, small=title in SMALL, asked=title == ASKED)


def paragraphs(lines: list[str]) -> Iterator[Part]:
    """Yield lines that were broken to fit are put together again; the form stays as it is."""
    part: Part | None = None
    said = list[str]()
    before, apart = "", False

    def whole(part: Part) -> Part:
        return replace(part, said=("\n" if part.form else " ").join(said))

    for line in lines:
        if part and part.form:
            said.append(line)
            if line == FORM_LAST:
                yield whole(part)
                part = None
        elif part and line.strip() and goes_on(before, line, part.indent):
            said.append(in_a_row(line))
            before = line
        else:
            if part:
                yield whole(part)
                apart = False
            if line.strip():
                start = len(line) - len(line.lstrip())
                part = Part("", start, form=line in FORM_FIRST, apart=apart)
                said, before = [in_a_row(line)], line
            else:
                part, apart = None, True
    if part:
        yield whole(part)


def in_a_row(line: str) -> str:
    """Return a line whose columns, set apart by blanks, are set apart by dots."""
    return COLUMNS.sub(" \u00b7 ", line.strip()).replace(":  ", ": ")


def goes_on(before: str, line: str, indent: int) -> bool:
    """Tell whether this line was broken off the one before it, which began at `indent`."""
    start = len(line) - len(line.lstrip())
    if start >= indent + COLUMN or (start > indent and before.endswith(",")):
        return True
    width = NARROW if start > indent and len(before) <= NARROW else WIDTH
    full = len(before) + 1 + len(line.split(maxsplit=1)[0]) > width and not before.endswith((".", ":"))
    return full and start >= indent and not (start == indent and NAMED.match(line))
