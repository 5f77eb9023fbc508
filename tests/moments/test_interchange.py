"""The story as JSON: what its schema says, what its patches make, and what a stranger may do with it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from pbem.moments.documents import patch, write_json
from pbem.moments.tracks import tell
from tests.moments.stories import NAMES, record_of, running, story_of

SCHEMA = json.loads((Path(__file__).parents[2] / "pbem/docs/moments.schema.json").read_text(encoding="utf-8"))
VALIDATOR = Draft202012Validator(SCHEMA)


def apply(document: Any, change: dict[str, Any]) -> Any:
    """RFC 6902, as far as it is used here."""
    if not change["path"]:
        return change["value"]
    *way, last = (part.replace("~1", "/").replace("~0", "~") for part in change["path"][1:].split("/"))
    place = document
    for part in way:
        place = place[part]
    if change["op"] == "add":
        assert last not in place
    else:
        assert last in place
    if change["op"] == "remove":
        del place[last]
    else:
        place[last] = json.loads(json.dumps(change["value"]))
    return document


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.ci
@pytest.mark.parametrize("name", NAMES)
def test_what_is_written_is_what_the_schema_says(name: str) -> None:
    text = write_json(story_of(name))
    assert text.isascii()
    assert [one.message for one in VALIDATOR.iter_errors(json.loads(text))] == []
    assert write_json(story_of(name)) == text


@pytest.mark.parametrize(
    ("where", "wrong"),
    [("version", 2), ("over", "yes"), ("tracks", [{"reader": "gm"}]), ("more", 1)],
)
def test_the_schema_finds_what_is_wrong(where: str, wrong: Any) -> None:
    story = tell(running(record_of("campaign-to-1298"), 2))
    content = json.loads(write_json(story))
    assert VALIDATOR.is_valid(content)
    assert not VALIDATOR.is_valid({**content, where: wrong})


@pytest.mark.ci
@pytest.mark.parametrize("name", NAMES)
def test_the_patches_lead_from_position_to_position(name: str) -> None:
    story = story_of(name)
    for written, track in zip(json.loads(write_json(story))["tracks"], story.tracks, strict=True):
        position: Any = None
        for exchange, chapter in zip(written["exchanges"], track.chapters, strict=True):
            for found, moment in zip(exchange["moments"], chapter.moments, strict=True):
                for change in found["changes"]:
                    position = apply(position, change)
                assert position == json.loads(json.dumps(moment.step.view))


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.text("a~/", max_size=2),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text("ab~/1", max_size=3), inner, max_size=4)
    ),
    max_leaves=12,
)


@pytest.mark.ci
@given(VALUES, VALUES)
def test_a_patch_makes_any_document_of_any_other(before: Any, after: Any) -> None:
    found = json.loads(json.dumps(before))
    for change in json.loads(json.dumps(list(patch(before, after)))):
        found = apply(found, change)
    assert json.dumps(found, sort_keys=True) == json.dumps(after, sort_keys=True)


def test_hits_of_a_running_game_are_counted_only_when_they_are_asked_for() -> None:
    story = tell(running(record_of("campaign-to-1298"), 8))
    assert json.loads(write_json(story))["tracks"][0]["luck"] == []
    (total, *battles) = json.loads(write_json(story, luck=True))["tracks"][0]["luck"]
    assert battles
    for number in ("dice", "rolled"):
        sums = {
            one["side"]: sum(
                side[number] for row in battles for side in row["sides"] if side["side"] == one["side"]
            )
            for one in total["sides"]
        }
        assert sums == {one["side"]: one[number] for one in total["sides"]}
