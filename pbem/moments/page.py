"""A whole game as one HTML file, which works from a disk, without a network, and runs one script alone.

The file holds the story as a document that no browser runs, the viewer's script and its style. A strict
policy in the head names script and style by their hashes and allows nothing else; the script imports nothing.
What people wrote is only ever text. The same story gives the same bytes.
"""

from __future__ import annotations

import base64
import hashlib
import re
from functools import cache
from html import escape
from importlib.resources import files
from importlib.resources.abc import Traversable
from posixpath import dirname, normpath

from pbem.moments.packing import pack
from pbem.moments.tracks import Story

SCRIPT, STYLES = "moments/viewer/file.js", ("web/site/page.css", "moments/viewer/viewer.css")
_IMPORT = re.compile(r'^import (?P<what>\{[^}]*\}|\* as \w+) from "(?P<place>\.[^"]+)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:const|function|class) (?P<name>\w+))", re.MULTILINE)
_FROM_FILES = re.compile(r"^(?:@font-face \{[^}]*\}|[.@].* url\(.*\})\n", re.MULTILINE)
_POLICY = (
    "default-src 'none'; script-src '{script}'; style-src '{style}'; base-uri 'none'; form-action 'none'"
)
_PAGE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<div id="page"><p>This page needs JavaScript, which runs on your device alone.</p></div>
<script type="application/json" id="story">{story}</script>
<script>{script}</script>
</body>
</html>
"""


def write_page(story: Story, *, luck: bool = False, bot: bool = False) -> bytes:
    """Return a story as one HTML file; `luck` and `bot` mean the same as in `write_json`."""
    script, style = _script(), _style()
    return _PAGE.format(
        policy=_POLICY.format(script=_hash(script), style=_hash(style)),
        title=escape(f"{story.setting.game}: {story.setting.rules.title}"),
        style=style,
        story=pack(story, luck=luck, bot=bot).replace("<", "\\u003c"),
        script=script,
    ).encode()


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


@cache
def _style() -> str:
    """Return the styles of the player's page, without its fonts and cover, and then those of the viewer."""
    return "".join(_FROM_FILES.sub("", _read(place)) for place in STYLES)


@cache
def _script() -> str:
    """Return the viewer's modules as one script, in which each is a function that returns what it exports."""
    order: list[str] = []
    _collect(SCRIPT, order)
    parts = [_module(place) for place in order]
    return f'"use strict";\n{"".join(parts)}'


def _collect(place: str, order: list[str]) -> None:
    """Append to `order` the modules that a module imports, and then the module itself, each only once."""
    for found in _IMPORT.finditer(_read(place)):
        _collect(_beside(place, found["place"]), order)
    if place not in order:
        order.append(place)


def _module(place: str) -> str:
    text = _read(place)
    exports = [found["name"] for found in _EXPORT.finditer(text)]

    def taken(found: re.Match[str]) -> str:
        return f"const {found['what']} = {_name(_beside(place, found['place']))};\n"

    body = _EXPORT.sub("", _IMPORT.sub(taken, text))
    return f"const {_name(place)} = (() => {{\n{body}return {{ {', '.join(exports)} }};\n}})();\n"


def _beside(place: str, named: str) -> str:
    return normpath(f"{dirname(place)}/{named}")


def _name(place: str) -> str:
    return "$" + re.sub(r"\W", "_", place)


def _read(place: str) -> str:
    found: Traversable = files("pbem")
    for part in place.split("/"):
        found = found / part
    return found.read_text(encoding="utf-8")
