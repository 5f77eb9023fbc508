"""The story of a game as two documents: as JSON for other programs, and as one HTML file for people.

`docs/moments.schema.json` is the schema of the JSON:

    {"format": "pbem-moments", "version": 1, "game": ..., "rules": ..., "players": [...], "over": ...,
     "outcome": ..., "tracks": [{"reader": ..., "exchanges": [{"exchange": 1, ..., "moments": [...]}]}]}

A moment says what happened (`lines`, and `events` as data) and how the position changed since the moment
before on the same track: `changes` is a JSON Patch (RFC 6902) of `add`, `remove` and `replace` alone. The
first moment of a track replaces the whole document. All of it is ASCII; the same game gives the same bytes.

The HTML file works from a disk, without a network, and runs one script alone. It holds the story as a
document that no browser runs, the viewer's script and its style. A strict policy in the head names script and
style by their hashes and allows nothing else; the script imports nothing. What people wrote is only ever
text. The same story gives the same bytes. The document is JSON:

    {"keys": [...], "nodes": [...], "root": n}

`nodes` holds every value once, the parts of a value before the value: a text or number as it is, a list as
`[-1, node, ...]`, an object as `[n, node, ...]`, whose keys are the n-th list of `keys`. Pictures are trees
of elements, `[name, attributes, part, ...]`, never markup; a track's first picture is whole, and of each
later one only the layers that differ from those before it are named.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cache, lru_cache
from html import escape
from importlib.resources import files
from importlib.resources.abc import Traversable
from posixpath import dirname, normpath
from typing import Any
from xml.etree import ElementTree as ET

from pbem.moments.commentary import BattleLuck, Opinion, Opinions, count_luck
from pbem.moments.own_lines import Answered
from pbem.moments.tracks import GM, PUBLIC, Chapter, Moment, Reply, Story, Track
from pbem.pictures.base import Picture
from pbem.playback import Board, Retrospect, Step
from pbem.reports.words import values
from pbem.rules.base import read_head

FORMAT, VERSION = "pbem-moments", 1

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
Tree = list[Any]
NAMES = {PUBLIC: "the public", GM: "everything"}


def write_json(story: Story, *, luck: bool = False, bot: bool = False) -> str:
    """Return the story of a game as JSON, with a line feed at its end.

    `luck` says that the hits of a running game are counted as well; those of a finished game always are.
    `bot` adds where a bot would have ordered otherwise than a side.
    """
    setting = story.setting
    opinions = Opinions(setting) if bot else None
    content = {
        "format": FORMAT,
        "version": VERSION,
        "game": setting.game,
        "rules": setting.title.name,
        "players": [
            {"side": side, "name": setting.words.sides[side], "player": setting.seats[side]}
            for side in setting.sides
        ],
        "over": story.over,
        "outcome": story.outcome,
        "tracks": [_track_row(story, track, opinions, counted=story.over or luck) for track in story.tracks],
    }
    return f"{json.dumps(content, indent=1)}\n"


def _track_row(story: Story, track: Track, opinions: Opinions | None, *, counted: bool) -> dict[str, Any]:
    before: Any = None
    said = opinions.of(track) if opinions else {}
    exchanges = []
    for chapter in track.chapters:
        moments = []
        for number, moment in enumerate(chapter.moments, 1):
            step = moment.step
            moments.append(
                {
                    "step": number,
                    "chapter": step.chapter,
                    "lines": list(step.lines),
                    "events": list(step.events),
                    "changes": list(patch(before, step.view)),
                    "board": board(step.board),
                    "own": [own_line(line) for line in moment.own],
                    "replies": [asdict(one) for one in moment.replies],
                }
            )
            before = step.view
        opinion = opinion_row(said.get(chapter.exchange))
        exchanges.append({**_chapter_row(chapter), "opinion": opinion, "moments": moments})
    battles = [luck_row(one) for one in count_luck(track, story.setting.title.odds)] if counted else []
    return {"reader": track.reader, "exchanges": exchanges, "luck": battles}


def luck_row(found: BattleLuck) -> dict[str, Any]:
    """Return a battle's luck as plain data: each side's dice and expected hits, and the outcomes' chances."""
    sides = [{**asdict(one), "expected": f"{float(one.expected):.1f}"} for one in found.sides]
    chances = [asdict(one) for one in found.chances]
    return {
        "exchange": found.exchange,
        "step": found.step,
        "name": found.name,
        "sides": sides,
        "chances": chances,
    }


def opinion_row(found: Opinion | None) -> dict[str, Any] | None:
    """Return a bot's opinion of the orders of an exchange as plain data; None if there is none."""
    if found is None:
        return None
    lists = {name: list(getattr(found, name)) for name in ("lines", "otherwise", "forecast")}
    return {"bot": found.bot, "strength": found.strength, **lists}


def _chapter_row(chapter: Chapter) -> dict[str, Any]:
    return {
        "exchange": chapter.exchange,
        "when": chapter.title,
        "orders": [
            {
                "side": one.side,
                "player": one.player,
                "text": one.text,
                "unused": list(one.unused),
                "dropped": [{"line": line, "why": why} for line, why in one.dropped],
            }
            for one in chapter.orders
        ],
        "replies": [asdict(one) for one in chapter.replies],
    }


def own_line(line: Answered) -> dict[str, Any]:
    """Return a line of the reader's own orders as plain data, with whether it applied."""
    return asdict(line)


def board(found: Board | None) -> dict[str, Any] | None:
    """Return a battle after a step as plain data: both lines, the dice and the hits; None without one."""
    if found is None:
        return None
    shot = found.shot
    return {
        "area": found.area,
        "round": found.round,
        "attacker": found.attacker,
        "second": found.second,
        "lines": [
            {"side": side, "fighters": [asdict(fighter) for fighter in fighters]}
            for side, fighters in found.lines
        ],
        "reserves": [{"side": side, "count": count} for side, count in found.reserves],
        "totals": [{"side": side, "said": said} for side, said in found.totals],
        "shot": None if shot is None else {**asdict(shot), "dice": list(shot.dice)},
        "hit": list(found.hit),
    }


def patch(before: Any, after: Any, path: str = "") -> Iterator[dict[str, Any]]:
    """Yield the JSON Patch operations that turn one document into another; lists are replaced as a whole."""
    if not isinstance(before, dict) or not isinstance(after, dict):
        if json.dumps(before, sort_keys=True) != json.dumps(after, sort_keys=True):  # true is another than 1
            yield {"op": "replace", "path": path, "value": after}
        return
    for key in sorted(before.keys() - after.keys()):
        yield {"op": "remove", "path": f"{path}/{_pointer_escape(key)}"}
    for key in sorted(after):
        place = f"{path}/{_pointer_escape(key)}"
        if key not in before:
            yield {"op": "add", "path": place, "value": after[key]}
        else:
            yield from patch(before[key], after[key], place)


def _pointer_escape(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")


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
    """Append to `order` the viewer's JavaScript modules that one module imports, then its own, each once."""
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


class Nodes:
    """A collection of values in which each value is stored once."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.keys: list[list[str]] = []
        self._places: dict[Any, int] = {}
        self._keys: dict[tuple[str, ...], int] = {}
        self._known: dict[int, tuple[Any, int]] = {}

    def put(self, value: Any) -> int:
        """Return the number of a value in the collection, after storing the value if it is new."""
        if isinstance(value, str):
            place = self._places.get(value)
            return self._new(value, value) if place is None else place
        if isinstance(value, dict):
            keys = tuple(sorted(value))
            if keys not in self._keys:
                self._keys[keys] = len(self.keys)
                self.keys.append(list(keys))
            return self._place((self._keys[keys], *[self.put(value[key]) for key in keys]))
        if isinstance(value, list | tuple):
            known = self._known.get(id(value))
            if known is not None:
                return known[1]
            place = self._place((-1, *map(self.put, value)))
            self._known[id(value)] = value, place  # held, so that no other value gets this id
            return place
        key = type(value).__name__, value
        place = self._places.get(key)
        return self._new(key, value) if place is None else place

    def _place(self, parts: tuple[int, ...]) -> int:
        place = self._places.get(parts)
        return self._new(parts, list(parts)) if place is None else place

    def _new(self, key: Any, value: Any) -> int:
        place = self._places[key] = len(self.nodes)
        self.nodes.append(value)
        return place


@dataclass(slots=True)
class _Drawn:
    """The picture drawn last, with which the next one is compared."""

    board: Any = None
    layers: tuple[Any, ...] = ()


def pack(story: Story, *, luck: bool = False, bot: bool = False) -> str:
    """Return a story as the viewer's document; `luck` and `bot` mean the same as in `write_json`."""
    nodes, setting = Nodes(), story.setting
    opinions = Opinions(setting) if bot else None
    names = setting.words.sides
    sides = [{"side": side, "name": names[side], "player": setting.seats[side]} for side in setting.sides]
    content = {
        "game": setting.game,
        "title": setting.rules.title,
        "sides": sides,
        "over": story.over,
        "outcome": story.outcome,
        "tracks": [_track(story, track, opinions, counted=story.over or luck) for track in story.tracks],
    }
    root = nodes.put(content)
    return json.dumps({"keys": nodes.keys, "nodes": nodes.nodes, "root": root}, separators=(",", ":"))


def _track(story: Story, track: Track, opinions: Opinions | None, *, counted: bool) -> dict[str, Any]:
    pictures = _pictures(story, track)
    said = opinions.of(track) if opinions else {}
    drawn, names = _Drawn(), _names(track, pictures)
    later = iter(pictures)
    return {
        "reader": track.reader,
        "name": NAMES.get(track.reader) or story.setting.words.sides[track.reader],
        "exchanges": [
            {
                **_chapter(story, chapter, later, drawn, names),
                "opinion": opinion_row(said.get(chapter.exchange)),
            }
            for chapter in track.chapters
        ],
        "luck": [luck_row(one) for one in count_luck(track, story.setting.title.odds)] if counted else [],
    }


def _pictures(story: Story, track: Track) -> list[Picture | None]:
    """Return the picture after each moment of a track, in order; None where the game has no pictures."""
    painter = story.setting.title.pictures
    steps = (moment.step for chapter in track.chapters for moment in chapter.moments)
    return [painter.draw(step.view, step.events) if painter is not None else None for step in steps]


def _chapter(
    story: Story, chapter: Chapter, pictures: Iterator[Picture | None], drawn: _Drawn, names: frozenset[str]
) -> dict[str, Any]:
    return {
        "exchange": chapter.exchange,
        "key": story.keys.get(chapter.exchange, ""),
        "steps": [_moment(story, moment, next(pictures), drawn, names) for moment in chapter.moments],
        "orders": [
            {
                "side": one.side,
                "player": one.player,
                "lines": one.text.splitlines(),
                "unused": list(one.unused),
                "dropped": [list(row) for row in one.dropped],
            }
            for one in chapter.orders
        ],
        "replies": [_reply(one) for one in chapter.replies],
    }


def _reply(one: Reply) -> Tree:
    return [one.side, one.said, one.rule, one.exchange, one.line]


def _moment(
    story: Story, moment: Moment, picture: Picture | None, drawn: _Drawn, names: frozenset[str]
) -> dict[str, Any]:
    step, playback = moment.step, story.setting.title.playback
    found: dict[str, Any] = {
        "lines": list(step.lines),
        "chapter": step.chapter,
        "when": list(read_head(step.view).moment),
        "board": board(step.board),
        "own": [own_line(line) for line in moment.own],
        "replies": [_reply(one) for one in moment.replies],
        "about": sorted(names.intersection(_words_of(step))),
        "turns": [],
        "sizes": [],
        "picture": None,
        "words": [],
    }
    if isinstance(playback, Retrospect):
        turns = (playback.turning_points.get(event["event"]) for event in step.events)
        found["turns"] = list(dict.fromkeys(turn for turn in turns if turn))
        found["sizes"] = [list(row) for row in playback.measures(step.view).items()]
    if picture is not None:
        found["picture"] = _picture_changes(picture, drawn)
        found["words"] = [part for part in picture.words.replace(". ", ".\n").split("\n") if part]
    return found


def _words_of(step: Step) -> set[str]:
    fighters = {one.name for _, line in step.board.lines for one in line} if step.board else set()
    acting = step.board.shot.fighter if step.board and step.board.shot else ""
    struck = {*step.board.hit, acting} if step.board else set()
    told = {word for event in step.events for word in values(event)}
    return told | (struck & fighters)


def _names(track: Track, pictures: Sequence[Picture | None]) -> frozenset[str]:
    """Return the names by which a reader may follow something: those on a track's boards and pictures."""
    found: set[str] = set()
    for chapter in track.chapters:
        for moment in chapter.moments:
            if moment.step.board:
                found.update(one.name for _, line in moment.step.board.lines for one in line)
    drawn = {picture.board.svg for picture in pictures if picture}
    drawn |= {layer.svg for picture in pictures if picture for layer in picture.layers}
    return frozenset(found.union(*map(_standing_for, drawn)))


def _picture_changes(picture: Picture, drawn: _Drawn) -> Tree:
    """Return how a picture differs from the one drawn before, and keep it in `drawn` in place of that one."""
    layers = tuple((layer.svg, layer.x, layer.y) for layer in picture.layers)
    found: Tree = []
    if picture.board.svg != drawn.board:
        found.append([picture.board.width, picture.board.height, tree(picture.board.svg)])
    else:
        found.append(None)
    first = _alike(drawn.layers, layers)
    last = _alike(drawn.layers[first:][::-1], layers[first:][::-1])
    changed = layers[first : len(layers) - last]
    drawn.board, drawn.layers = picture.board.svg, layers
    return [*found, first, last, *([x, y, tree(svg)] for svg, x, y in changed)]


def _alike(before: Sequence[Any], after: Sequence[Any]) -> int:
    """Return how many elements at the beginning of two sequences are alike."""
    same = 0
    for one, other in zip(before, after, strict=False):
        if one != other:
            break
        same += 1
    return same


@lru_cache(maxsize=4096)
def tree(svg: str) -> Tree:
    """Return elements of SVG as trees: `[name, attributes, part, ...]` for each."""
    return [_tree(one) for one in _parse_picture(svg)]


@lru_cache(maxsize=4096)
def _standing_for(svg: str) -> frozenset[str]:
    return frozenset(name for one in _parse_picture(svg).iter() if (name := one.get("data-name")))


def _parse_picture(svg: str) -> ET.Element:
    return ET.fromstring(f"<g>{svg}</g>")  # noqa: S314 - it reads what this program has just drawn


def _tree(one: ET.Element) -> Tree:
    parts: Tree = [one.tag, dict(one.attrib)]
    if one.text:
        parts.append(one.text)
    for inner in one:
        parts.append(_tree(inner))
        if inner.tail:
            parts.append(inner.tail)
    return parts
