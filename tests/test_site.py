"""The documents as one site: built without a warning, whole in its folder, and found by its search."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
from dataclasses import dataclass, field
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from types import ModuleType
from urllib.parse import unquote, urlsplit

import pytest

import pbem.game
from tests.browser.chromium import CHROMIUM
from tests.running import python

pytestmark = pytest.mark.ci


BUILD = """
import sys
from pathlib import Path
from tests.tools.build_site import build
sys.exit(build(*map(Path, sys.argv[1:])))
"""
DRAWS = "pbem/docs/decisions/11-leagues-draw-with-joint-dice"
"""A page that is found by "joint dice"."""
SCHEME = re.compile(r"[a-z]+:|//", re.IGNORECASE)


def build(source: Path, folder: Path, seed: int = 1) -> subprocess.CompletedProcess[str]:
    """As the command does it, in a process of its own."""
    project = Path(__file__).parent.parent
    return python("-c", BUILD, source, folder, check=False, cwd=project, PYTHONHASHSEED=str(seed))


@pytest.fixture(scope="module")
def site(project: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("docs") / "site"
    done = build(project, folder)
    assert (done.returncode, done.stderr, done.stdout) == (0, "", "")
    return folder


@dataclass
class Page(HTMLParser):
    """What a page links to, what it loads by itself, and the places in it that can be linked."""

    links: list[str] = field(default_factory=list)
    loaded: list[str] = field(default_factory=list)
    anchors: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id" and value:
                self.anchors.add(value)
            elif name == "href" and value is not None:
                (self.links if tag == "a" else self.loaded).append(value)
            elif name in ("src", "srcset", "poster", "data", "action") and value is not None:
                self.loaded.append(value)


@cache
def page(path: Path) -> Page:
    read = Page()
    read.feed(path.read_text(encoding="utf-8"))
    return read


def pages(site: Path) -> list[Path]:
    return sorted(site.rglob("*.html"))


def broken(path: Path, link: str) -> bool:
    """Does a link on a page lead nowhere?"""
    parts = urlsplit(link)
    target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    return not target.is_file() or bool(
        parts.fragment and unquote(parts.fragment) not in page(target).anchors
    )


def test_every_link_leads_somewhere(site: Path) -> None:
    within = [
        (path.relative_to(site), link)
        for path in pages(site)
        for link in (*page(path).links, *page(path).loaded)
        if not SCHEME.match(link)
    ]
    assert len(within) > 1000
    assert [(where, link) for where, link in within if broken(site / where, link)] == []
    assert not list(site.glob("_downloads/**/*.md")), "a page is linked that is not on the site"


def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    assert [link for path in pages(site) for link in page(path).loaded if SCHEME.match(link)] == []
    for style in site.rglob("*.css"):
        assert not re.search(r"@import|url\(\s*['\"]?(https?:|//)", style.read_text(encoding="utf-8")), style


def test_every_page_is_reached_from_the_first(site: Path) -> None:
    reached, ahead = set(), [site / "README.html"]
    while ahead:
        path = ahead.pop()
        if path not in reached and path.suffix == ".html":
            reached.add(path)
            links = [link for link in (*page(path).links, *page(path).loaded) if not SCHEME.match(link)]
            ahead += [(path.parent / unquote(urlsplit(link).path)).resolve() for link in links]
    assert set(pages(site)) - reached == {site / "index.html"}
    assert 'content="0; url=README.html"' in (site / "index.html").read_text(encoding="utf-8")


def test_every_document_is_a_page(site: Path, project: Path) -> None:
    written = [*project.glob("*.md"), *project.glob("pbem/docs/**/*.md"), *project.glob("pbem/rules/*/*.md")]
    assert len(written) > 30
    made = {path.relative_to(site).with_suffix(".md") for path in pages(site)}
    assert {path.relative_to(project) for path in written} - made == set()


def test_the_contents_follow_the_readme(site: Path) -> None:
    html = (site / "README.html").read_text(encoding="utf-8")
    captions = re.findall(r'class="caption"[^>]*><span class="caption-text">([^<]+)<', html)
    assert captions == ["For players", "For sceptics", "For game masters", "For developers", "More"]


def test_every_public_name_is_explained(site: Path) -> None:
    html = (site / "pbem/docs/api.html").read_text(encoding="utf-8")
    for name in pbem.game.__all__:
        public = getattr(pbem.game, name)
        place = rf'<dt class="sig[^>]* id="pbem\.game\.{name}">.*?</dt>\s*<dd>\s*<p>\S'
        if isinstance(public, ModuleType):
            place = rf'id="module-{re.escape(public.__name__)}"'
        told = re.search(place, html, re.DOTALL)
        assert told, f"{name} is not on the page, or without a word on what it is for"


def test_every_format_is_on_its_page(site: Path, project: Path) -> None:
    """A module whose head has indented lines with `<fields>` or `pbem1 ...` specifies bytes."""
    anchors = page(site / "pbem/docs/formats.html").anchors
    for part in ("trust", "leagues"):
        for path in (project / "pbem" / part).glob("*.py"):
            head = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
            if re.search(r"^    .*(<\w|pbem1[ -])", head, re.MULTILINE):
                assert f"module-pbem.{part}.{path.stem}" in anchors, path


def test_the_index_knows_a_word_of_each_kind_of_page(site: Path) -> None:
    text = (site / "searchindex.js").read_text(encoding="utf-8")
    index = json.loads(text.removeprefix("Search.setIndex(").removesuffix(")"))

    def having(word: str) -> set[str]:
        found = (index[where].get(word, []) for where in ("terms", "titleterms"))
        numbers = [number for one in found for number in (one if isinstance(one, list) else [one])]
        return {index["docnames"][number] for number in numbers}

    assert DRAWS in having("joint") & having("dice")
    assert "pbem/docs/api" in having("ask")
    assert "pbem/docs/formats" in having("salt")


@pytest.mark.skipif(CHROMIUM is None and os.environ.get("CI") != "true", reason="no Chromium is installed")
def test_a_browser_finds_joint_dice_in_the_folder(site: Path, tmp_path: Path) -> None:
    """With nothing but what a browser allows to every page that is opened from a folder."""
    assert CHROMIUM
    done = subprocess.run(
        [
            CHROMIUM,
            *"--headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking".split(),
            *("--virtual-time-budget=10000", f"--user-data-dir={tmp_path}", "--dump-dom"),
            f"{(site / 'search.html').as_uri()}?q=joint+dice",
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    found = re.search(r'<ul[^>]* class="search">(.*?)</ul>', done.stdout, re.DOTALL)
    assert found
    assert f'href="{DRAWS}.html"' in found[1]


def test_the_same_documents_give_the_same_bytes(site: Path, project: Path, tmp_path: Path) -> None:
    again = tmp_path / "elsewhere"
    assert build(project, again, seed=2).returncode == 0
    first, second = (
        {path.relative_to(root): path.read_bytes() for path in root.rglob("*") if path.is_file()}
        for root in (site, again)
    )
    assert first.keys() == second.keys()
    assert [name for name, content in first.items() if second[name] != content] == []


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("# A page\n\n[gone](gone.md)\n", "gone.md"),
        ("# A page\n\n[no such heading](README.md#nowhere)\n", "nowhere"),
        ("# A page\n\n```{eval-rst}\n.. automodule:: pbem.nothing\n```\n", "pbem.nothing"),
    ],
)
def test_what_is_doubtful_makes_it_fail(text: str, told: str, tmp_path: Path) -> None:
    pages = tmp_path / "project"
    pages.mkdir()
    (pages / "README.md").write_text(text)
    done = build(pages, tmp_path / "site")
    assert done.returncode == 1
    assert told in done.stderr
