"""The site, built once; a browser; players in it."""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pbem.web.build import Package, build, pack, unpacked
from tests.browser.chromium import CHROMIUM
from tests.web.table import ARGUMENTS, Judge, PagePlayer, served

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Playwright

IN_CI = os.environ.get("CI") == "true"


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site as `pbem web` writes it."""
    if shutil.which("npm") is None and not IN_CI:
        pytest.skip("no npm is installed")
    folder = tmp_path_factory.mktemp("web") / "site"
    build(folder)
    return folder


@pytest.fixture(scope="session")
def address(site: Path) -> Iterator[str]:
    """Where it is served."""
    with served(site) as where:
        yield where


@pytest.fixture(scope="module")
def playwright() -> "Iterator[Playwright]":
    """What drives browsers."""
    if CHROMIUM is None and not IN_CI:
        pytest.skip("no Chromium is installed")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as found:
        yield found


@pytest.fixture(scope="module")
def chromium(playwright: "Playwright") -> "Iterator[Browser]":
    """Debian's Chromium."""
    browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
    yield browser
    browser.close()


AXE = Package(
    name="axe-core",
    version="4.14.1",
    integrity="sha512-FHfa+lmNjQZfJz1q8wKqIDwC6DExcHt/pkjNQb09a3NPjCKg2rhu5qb2S4r76ASyFNNtuFooJpZe37OgudVGtQ==",
    into="",
)


@pytest.fixture(scope="session")
def axe(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Axe, which looks for what keeps people from using a page."""
    folder = tmp_path_factory.mktemp("axe")
    pack((AXE,), folder)
    return unpacked(AXE, folder / AXE.archive)["axe.min.js"].decode()


@pytest.fixture
def judge(tmp_path: Path) -> Judge:
    """A club."""
    return Judge(tmp_path)


@pytest.fixture
def arrive(chromium: "Browser", address: str, tmp_path: Path) -> Iterator[Callable[[str], PagePlayer]]:
    """A player with a profile of their own."""
    made: list[PagePlayer] = []

    def player(name: str, **context: object) -> PagePlayer:
        found = chromium.new_context(accept_downloads=True, **context)  # type: ignore[arg-type]
        made.append(PagePlayer(found, address, name, tmp_path / name))
        return made[-1]

    yield player
    for one in made:
        one.context.close()
        assert one.violations == []
        assert one.errors == []
