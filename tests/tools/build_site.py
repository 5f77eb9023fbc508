"""Builds all documents as one site: python -m tests.tools.build_site FOLDER, then open FOLDER/index.html.

It works from the folder, needs no network, and has a search. The pages are the project's own, read where they
lie. Nothing is written twice: the table of contents is the README's list of what to read, and after it what
else there is; a folder's own README has the pages of its folder below it.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Collection, Iterable
from importlib import import_module
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any

from sphinx.application import Sphinx
from sphinx.errors import PycodeError
from sphinx.pycode import ModuleAnalyzer

PROJECT = Path(__file__).parents[2]
FRONT = "README"
SETTINGS: dict[str, Any] = {
    "project": "pbem",
    "root_doc": FRONT,
    "include_patterns": [
        "*.md",
        "games/*/README.md",
        "pbem/docs/**.md",
        "pbem/rules/*/*.md",
        "tests/README.md",
        "tests/cases/**.md",
    ],
    "exclude_patterns": [".*"],
    "extensions": ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"],
    "myst_enable_extensions": ["html_image"],
    "myst_heading_anchors": 6,  # a link may name any heading, as it may where the code is read
    "suppress_warnings": [
        "misc.highlighting_failure",  # a block in the words of a game has colours in no program
        "myst.header",  # a ruling is a heading of the third level, also where no chapter is above it
    ],
    "default_role": "code",  # what stands between backticks in a docstring
    "highlight_language": "none",  # where nothing is named
    "smartquotes": False,  # bytes stay as they are
    "add_module_names": False,
    "autodoc_member_order": "bysource",
    "html_title": "pbem",
    "html_theme_options": {
        "body_max_width": "none",
        "font_size": "15px",
        "page_width": "1200px",
        "show_powered_by": False,
        "sidebar_width": "240px",
    },
    "html_copy_source": False,
    "html_domain_indices": False,
    "html_use_index": False,
    "html_show_copyright": False,
    "html_show_search_summary": False,  # a page in a folder may not read its neighbours
}
PUBLIC = "pbem.game"
GROUP = re.compile(r"^- (For [^:\n]+):(.*?)(?=^- |^#|\Z)", re.MULTILINE | re.DOTALL)
"""A group of the README's list: for whom, and links."""
LINK = re.compile(r"\]\(([^)#]+)\.md\)")
INDENTED = re.compile(r"^(\S.*)\n\n(?= )", re.MULTILINE)
"""The end of a paragraph below which lines are indented."""
STYLE = "table.docutils { display: block; overflow-x: auto } td { overflow-wrap: anywhere; min-width: 6em }\n"
"""Long words in a table break; one that is still too wide moves, and the page does not."""
TO_THE_FRONT = f"""\
<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>pbem</title>
<meta http-equiv="refresh" content="0; url={FRONT}.html"><a href="{FRONT}.html">pbem</a></html>
"""


def above(page: str, pages: Collection[str]) -> str:
    """The README under which a page stands: that of the nearest folder which has one."""
    readmes = (str(folder / FRONT) for folder in PurePosixPath(page).parents)
    return next((one for one in readmes if one in pages and one != page), "")


def tree(pages: Iterable[str], caption: str = "") -> str:
    """A branch of the table of contents."""
    head = [":hidden:", ":maxdepth: 2", *([f":caption: {caption}"] if caption else []), ""]
    return "\n".join(["", "```{toctree}", *head, *(f"/{page}" for page in pages), "```", ""])


def contents(page: str, text: str, pages: Collection[str]) -> str:
    """The branches below a page."""
    below = sorted(one for one in pages if above(one, pages) == page)
    if page != FRONT:
        return tree(below) if below else ""
    branches = []
    for whom, links in GROUP.findall(text):
        group = [one for one in LINK.findall(links) if one in below]
        below = [one for one in below if one not in group]
        branches.append(tree(group, whom))
    return "".join([*branches, tree(below, "More")])


def add_contents(app: Sphinx, page: str, source: list[str]) -> None:
    """Give a page, as it is read, the table of contents that is no part of its file."""
    source[0] += contents(page, source[0], app.env.found_docs)


def keep_lines(app: Sphinx, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """What is indented at the head of a module is a format or a table: it stays as it is written."""
    if what == "module":
        lines[:] = INDENTED.sub(r"\1\n\n::\n\n", thing.__doc__).split("\n")


def explain_constants(module: str) -> None:
    """Have a module's public constants explained by what stands below them where they are defined.

    Sphinx looks for it in the module alone from which they are imported.
    """
    public = import_module(module)
    known = ModuleAnalyzer.for_module(module)
    known.analyze()
    for home in {getattr(getattr(public, name), "__module__", module) for name in public.__all__}:
        try:
            said = ModuleAnalyzer.for_module(home).find_attr_docs()
        except PycodeError:  # the module of a constant's type: built in, so in no file
            continue
        known.attr_docs |= {("", name): said["", name] for name in public.__all__ if ("", name) in said}


def build(source: Path, folder: Path) -> int:
    """Write the site of the pages below `source`; 0 if nothing was doubtful, which is said on stderr."""
    explain_constants(PUBLIC)
    with TemporaryDirectory() as scratch:
        app = Sphinx(
            source, None, folder, scratch, "html", SETTINGS, status=None, freshenv=True, warningiserror=True
        )
        app.connect("source-read", add_contents)
        app.connect("autodoc-process-docstring", keep_lines)
        app.build()
    (folder / "_static/custom.css").write_text(STYLE, encoding="utf-8")
    (folder / "index.html").write_text(TO_THE_FRONT, encoding="utf-8")
    return int(app.statuscode)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(build(PROJECT, Path(sys.argv[1]).absolute()))
