"""Reports as pages for mail programs and browsers, on a telephone as well as on a desk.

A page is made of the report's text and of the view that the text carries, so it shows what its reader
may know and nothing else. The ledger commits to the text; a page is drawn from it anew whenever
one is wanted, and may look otherwise with the next release.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from pbem.pictures.base import Picture, png
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
"""The first lines of an order form, with a head or (in practice) without, and its last line."""
ASKED = "WHAT IS ASKED"
SMALL = frozenset({"HOW TO CHECK"})
COLUMNS = re.compile(r"(?<=[^:\s])\s{2,}")
NAMED = re.compile(r"\s*[\w'-]+:\s")
"""The pattern of a line that begins with the name of somebody or something and a colon."""
COLUMN = 20
"""Number of columns right of a paragraph's indent at which a line still continues the paragraph."""


@dataclass(frozen=True, slots=True)
class Image:
    """The picture of a page: its source, its size, and the words for readers who do not see it."""

    source: str
    """The address from which the page takes its picture, `cid:...` in a mail; empty if the page holds the
    picture itself."""
    svg: str
    words: str
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a report's section: a paragraph, or the order form, whose lines stay as they are."""

    said: str
    indent: int = 0
    """Number of blanks by which the part's first line is indented."""
    form: bool = False
    apart: bool = False
    """Whether the report has a blank line before the part."""


@dataclass(frozen=True, slots=True)
class Section:
    """A section of a report: a heading and the parts or table below it."""

    title: str
    parts: tuple[Part, ...]
    table: Table | None = None
    small: bool = False
    asked: bool = False
    """Whether the section says what the reader is to do."""


@dataclass(frozen=True, slots=True)
class Page:
    """The page of a report, and the picture that goes with it in a mail; b"" if the page asks for none."""

    html: str
    png: bytes = b""
    picture: Picture | None = None
    """The picture as it was drawn for the page; None if the report has none."""


@dataclass(frozen=True, slots=True)
class Gist:
    """The subject of a report for its mail, as far as all players may know it."""

    moment: tuple[str, ...]
    """The time in the game, in the game's own words."""
    asked: bool
    """Whether the reader of the report is asked something."""
    over: bool

    @property
    def wanted(self) -> str:
        """The task of the report's reader, in a few words."""
        if self.over:
            return "the game is over"
        when = " ".join(self.moment[:2])
        if not self.asked:
            return f"nothing is asked of you at {when}: send a bare file"
        return f"your orders for {when}"


def gist(report: str) -> Gist | None:
    """Return the subject of a report; None if the text carries no view."""
    view = unpack_view(report)
    return None if view is None else _gist(report, read_head(view))


def _gist(report: str, head: Head) -> Gist:
    return Gist(head.moment, f"\n{NOTHING_ASKED}" not in report, head.outcome is not None)


def picture_of(report: str) -> Picture | None:
    """Return the picture of a report's view; None if the report has no view, or its game has no pictures."""
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
    return Page(page(report, tables=tables, image=image, what=what, due=due, times=times), data, picture)


def page(
    report: str,
    *,
    tables: Sequence[Table] = (),
    image: Image | None = None,
    what: str = "",
    due: str = "",
    times: Callable[[str], str] = str,
) -> str:
    """Return the page of a report's text, with tables in place of the sections that they replace."""
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
    """Yield a report's sections, first the text above all headings, without the part for programs."""
    title, lines = "", list[str]()
    for line in takewhile(lambda line: not line.startswith(FOR_PROGRAMS), report.splitlines()):
        if HEADING.match(line):
            yield section(title, lines, tables)
            title, lines = line, []
        else:
            lines.append(line)
    yield section(title, lines, tables)


def section(title: str, lines: list[str], tables: dict[str, Table]) -> Section:
    """Return one section of a report, with a table in place of its lines if there is one for it."""
    table = tables.get(title)
    parts = () if table else tuple(paragraphs(lines))
    return Section(title.capitalize(), parts, table, small=title in SMALL, asked=title == ASKED)


def paragraphs(lines: list[str]) -> Iterator[Part]:
    """Yield a section's paragraphs, with broken lines joined again, and the order form as it is."""
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
    """Return a line with dots in place of the blanks between its columns."""
    return COLUMNS.sub(" \u00b7 ", line.strip()).replace(":  ", ": ")


def goes_on(before: str, line: str, indent: int) -> bool:
    """Tell whether a line continues the one before it, in a paragraph that began at `indent`."""
    start = len(line) - len(line.lstrip())
    if start >= indent + COLUMN or (start > indent and before.endswith(",")):
        return True
    width = NARROW if start > indent and len(before) <= NARROW else WIDTH
    full = len(before) + 1 + len(line.split(maxsplit=1)[0]) > width and not before.endswith((".", ":"))
    return full and start >= indent and not (start == indent and NAMED.match(line))
