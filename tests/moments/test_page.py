"""The file of a game: its policy, its size, and that what people wrote is only text."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

import pytest

from pbem.moments.documents import write_page
from pbem.moments.tracks import Story, tell
from tests.moments.stories import NAMES, record_of, running, story_of

HOSTILE = "</script><img src=x onerror=alert(1)><!--<script>&\u2028"
LARGEST = 1_000_000


def parts_of(page: bytes) -> dict[str, str]:
    """The policy, style, document and script of a file, as a browser finds them."""
    found: dict[str, str] = {}

    class Reader(HTMLParser):
        inside = ""

        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            given = dict(attrs)
            assert not [name for name in given if name.startswith("on") or name in ("src", "href", "style")]
            if given.get("http-equiv") == "Content-Security-Policy":
                found["policy"] = given["content"] or ""
            self.inside = {"script": given.get("type") or "script"}.get(tag, tag)
            if tag in ("script", "style"):
                assert self.inside not in found
                found[self.inside] = ""

        def handle_data(self, data: str) -> None:
            if self.inside in found:
                found[self.inside] += data

        def handle_endtag(self, tag: str) -> None:
            self.inside = ""

    Reader().feed(page.decode())
    return found


@pytest.mark.ci
@pytest.mark.parametrize("name", NAMES)
def test_a_file_runs_one_script_that_its_policy_names(name: str) -> None:
    found = parts_of(write_page(story_of(name)))
    for part, kind in (("script", "script-src"), ("style", "style-src")):
        digest = base64.b64encode(hashlib.sha256(found[part].encode()).digest()).decode()
        assert f"{kind} 'sha256-{digest}'" in found["policy"]
    assert found["policy"].startswith("default-src 'none'; ")
    assert "unsafe" not in found["policy"]
    script = found["script"]
    assert not re.search(r"^(import|export)\b", script, re.MULTILINE)
    assert not re.search(r"\bimport\(|\beval\(|new Function|fetch\(|XMLHttp", script)
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser", script)
    assert "://" not in script.replace("http://www.w3.org/2000/svg", "")
    assert "url(" not in found["style"]
    assert set(found) == {"policy", "style", "application/json", "script"}


@pytest.mark.ci
@pytest.mark.parametrize("name", NAMES)
def test_a_file_is_small_and_the_same_whenever_it_is_written(name: str) -> None:
    page = write_page(story_of(name))
    assert len(page) < LARGEST
    assert write_page(tell(record_of(name))) == page


def values(document: dict[str, Any]) -> list[Any]:
    """Every value of the document, unpacked as the viewer does it."""
    found: list[Any] = []
    for node in document["nodes"]:
        if not isinstance(node, list):
            found.append(node)
        elif node[0] < 0:
            found.append([found[place] for place in node[1:]])
        else:
            keys = document["keys"][node[0]]
            found.append({key: found[place] for key, place in zip(keys, node[1:], strict=True)})
    return found


@pytest.mark.ci
def test_the_document_holds_each_moment_with_its_sentences() -> None:
    story = story_of("campaign-to-1298")
    document = json.loads(parts_of(write_page(story))["application/json"])
    game = values(document)[document["root"]]
    for track, written in zip(story.tracks, game["tracks"], strict=True):
        lines = [list(moment.step.lines) for chapter in track.chapters for moment in chapter.moments]
        assert [step["lines"] for one in written["exchanges"] for step in one["steps"]] == lines
        assert {step["picture"] is None for one in written["exchanges"] for step in one["steps"]} == {False}


def hostile(story: Story) -> Story:
    """A story in which everything that people write is meant to break out of it."""

    def written(one: Any) -> Any:
        return replace(one, text=f"{HOSTILE}\nnote {HOSTILE}", player=HOSTILE)

    tracks = tuple(
        replace(
            track,
            chapters=tuple(
                replace(
                    chapter,
                    title=HOSTILE,
                    orders=tuple(map(written, chapter.orders)),
                    moments=tuple(
                        replace(
                            moment,
                            step=replace(moment.step, lines=(HOSTILE, *moment.step.lines), chapter=HOSTILE),
                        )
                        for moment in chapter.moments
                    ),
                )
                for chapter in track.chapters
            ),
        )
        for track in story.tracks
    )
    seats = dict.fromkeys(story.setting.seats, HOSTILE)
    return replace(
        story, setting=replace(story.setting, game=HOSTILE, seats=seats), outcome=HOSTILE, tracks=tracks
    )


@pytest.mark.ci
def test_what_people_write_stays_within_the_document() -> None:
    page = write_page(hostile(story_of("campaign-to-1298")))
    found = parts_of(page)
    assert set(found) == {"policy", "style", "application/json", "script"}
    text = page.decode()
    assert text.count("<script") == 2
    assert "<img" not in text
    assert "onerror" in found["application/json"]
    assert HOSTILE in values(json.loads(found["application/json"]))


def test_a_running_game_counts_no_hits_unless_it_is_asked_for() -> None:
    story = tell(running(record_of("campaign-to-1298"), 8))

    def luck(page: bytes) -> list[Any]:
        document = json.loads(parts_of(page)["application/json"])
        game: dict[str, Any] = values(document)[document["root"]]
        return [track["luck"] for track in game["tracks"]]

    assert luck(write_page(story)) == [[]]
    assert luck(write_page(story, luck=True))[0]
