"""The story of a game as JSON, for other programs; `docs/moments.schema.json` is its schema.

    {"format": "pbem-moments", "version": 1, "game": ..., "rules": ..., "players": [...], "over": ...,
     "outcome": ..., "tracks": [{"reader": ..., "exchanges": [{"exchange": 1, ..., "moments": [...]}]}]}

A moment says what happened (`lines`, and `events` as data) and how the position changed since the moment
before on the same track: `changes` is a JSON Patch (RFC 6902) of `add`, `remove` and `replace` alone. The
first moment of a track replaces the whole document. All of it is ASCII; the same game gives the same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from pbem.moments.commentary import BattleLuck, Opinion, Opinions, count_luck
from pbem.moments.own_lines import Answered
from pbem.moments.tracks import Chapter, Story, Track
from pbem.playback import Board

FORMAT, VERSION = "pbem-moments", 1


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
        "tracks": [_track(story, track, opinions, counted=story.over or luck) for track in story.tracks],
    }
    return f"{json.dumps(content, indent=1)}\n"


def _track(story: Story, track: Track, opinions: Opinions | None, *, counted: bool) -> dict[str, Any]:
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
        exchanges.append({**_chapter(chapter), "opinion": opinion, "moments": moments})
    battles = [luck_row(one) for one in count_luck(track, story.setting.title.odds)] if counted else []
    return {"reader": track.reader, "exchanges": exchanges, "luck": battles}


def luck_row(found: BattleLuck) -> dict[str, Any]:
    """Return the dice of a battle and its chances; `expected` has one decimal."""
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


def _chapter(chapter: Chapter) -> dict[str, Any]:
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
