"""Headless Chromium as it comes from Debian: what it makes of a page."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
needs_browser = pytest.mark.skipif(
    CHROMIUM is None and os.environ.get("CI") != "true", reason="no Chromium is installed"
)
SCREENSHOTS = os.environ.get("PBEM_SCREENSHOTS", "")
"""The folder that screenshots go to, for a person to look at; without it none are made."""
QUIET = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --hide-scrollbars --allow-file-access-from-files"
).split()
SCHEMES = {"light": "1", "dark": "0"}
"""A reader's colour scheme -> what Chromium calls it."""
GUARD = (
    "<!DOCTYPE html><meta http-equiv='Content-Security-Policy' content=\"default-src 'none'; img-src data:; "
    "style-src 'unsafe-inline'; script-src 'unsafe-inline'\"><script>window.askedFor = []; document."
    "addEventListener('securitypolicyviolation', event => askedFor.push(event.blockedURI))</script>"
)
"""Stands before a page: whatever it asks for from elsewhere is refused, and noted."""
FRAME = """<meta name="color-scheme" content="light dark">
<iframe src="page.html" width="{width}" height="800" style="border:0"></iframe><pre id="found"></pre>
<script>
addEventListener("message", event => {{ document.getElementById("found").textContent = event.data }})
</script>
"""
POLICY = re.compile(r'<meta http-equiv="Content-Security-Policy" content="default-src .none.;[^">]*">')
LOOK = (Path(__file__).parent / "look.js").read_text(encoding="utf-8")


@dataclass(frozen=True, slots=True)
class Looked:
    """What a person sees, or does not, of a page."""

    width: int
    """As wide as the page would like to be, in pixels."""
    dim: list[dict[str, Any]]
    """Texts whose contrast with what lies behind them is too low."""
    without_words: int
    """Pictures that say nothing to those who do not see them."""
    asked_for: list[str]
    """Addresses that the page has asked for."""
    headings: list[int]
    """The levels of its headings, in reading order."""
    dark: bool
    """Was the reader's scheme the dark one?"""


def run(page: Path, scratch: Path, width: int, scheme: str, *more: str, height: int = 900) -> str:
    """Open a page in a fresh profile; what is printed."""
    assert CHROMIUM, "no Chromium is installed"
    done = subprocess.run(
        [
            CHROMIUM,
            *QUIET,
            f"--user-data-dir={scratch / 'profile'}",
            f"--window-size={width},{height}",
            f"--blink-settings=preferredColorScheme={SCHEMES[scheme]}",
            *more,
            page.as_uri(),
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    return done.stdout


def look(html: str, scratch: Path, width: int, scheme: str) -> Looked:
    """Measure a page at a width. No window is narrower than 500 pixels, so the page stands in a frame."""
    looked_at = POLICY.sub("", html, count=1)  # the page's own policy would not let the script below run
    watched = f"{GUARD}{looked_at}<script>{LOOK}</script>"
    (scratch / "page.html").write_text(watched, "utf-8")
    frame = scratch / "frame.html"
    frame.write_text(FRAME.format(width=width), "utf-8")
    printed = run(frame, scratch, max(width, 500), scheme, "--virtual-time-budget=4000", "--dump-dom")
    found = re.search(r'<pre id="found">(.+?)</pre>', printed, re.DOTALL)
    assert found, printed[:500]
    return Looked(**json.loads(unescape(found[1])))


def printed_pages(html: str, scratch: Path) -> int:
    """How many sheets a page takes when it is printed."""
    (scratch / "page.html").write_text(html, "utf-8")
    paper = scratch / "paper.pdf"
    run(scratch / "page.html", scratch, 800, "light", f"--print-to-pdf={paper}", "--no-pdf-header-footer")
    return len(re.findall(rb"/Type\s*/Page\b", paper.read_bytes()))


def screenshot(html: str, scratch: Path, picture: Path, width: int, scheme: str, height: int) -> None:
    """A picture of the upper part of a page."""
    (scratch / "page.html").write_text(html, "utf-8")
    run(scratch / "page.html", scratch, width, scheme, f"--screenshot={picture}", height=height)
