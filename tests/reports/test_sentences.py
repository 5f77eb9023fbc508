"""Each kind of event is told to whoever hears of it, in words."""

import random
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from pbem.rules import load
from pbem.rules.base import Event
from pbem.titles.hammer.reports import story
from pbem.titles.hammer.reports.sentences import SENTENCES, TOGETHER
from tests.hammer.report_scenes import READERS, SCENES, Scripted, Seeded, livelier

TELLS = re.compile(r"\btell\(\s*\"([a-z -]+)\"")
BEFORE = load("hammer").start({}, Scripted()).view("public")


def test_the_table_has_every_kind_that_the_rules_tell_and_no_other(project: Path) -> None:
    sources = (project / "pbem/rules/hammer").glob("*.py")
    told = {kind for source in sources for kind in TELLS.findall(source.read_text(encoding="utf-8"))}
    assert set(SENTENCES) == told


def test_what_is_told_together_is_in_the_table() -> None:
    assert TOGETHER.keys() <= SENTENCES.keys()


def stories() -> Iterator[dict[str, list[Event]]]:
    """What everybody was told in a few games; together they hold every kind of event."""
    for scene in SCENES:
        for _, at in scene():
            yield {reader: at.game.told(reader) for reader in READERS}
    for seed in range(36):
        source = random.Random(seed)
        options = {"edition": ("4", "3", "3-de")[seed % 3], "scenario": ("braveheart", "the-bruce")[seed % 2]}
        game = load("hammer").start(options, Seeded(source))
        while not game.outcome:
            ask = source.choice(game.asks)
            game.answer(ask.side, source.choice(livelier(source, ask.legal)))
        yield {reader: game.told(reader) for reader in READERS}


@cache
def samples() -> dict[str, list[tuple[str, Event]]]:
    """Of each kind some events, as each reader was told them, of different shape."""
    found: dict[str, dict[tuple[str, ...], tuple[str, Event]]] = {kind: {} for kind in SENTENCES}
    for heard in stories():
        for reader, events in heard.items():
            for event in events:
                empty = [key for key, value in event.items() if not value]
                shape = (reader, str(event.get("side")), *event, "without", *empty)
                found[event["event"]].setdefault(shape, (reader, event))
    return {kind: list(shapes.values()) for kind, shapes in found.items()}


@pytest.mark.ci
@pytest.mark.parametrize("kind", sorted(SENTENCES))
def test_every_reader_of_an_event_is_told_a_sentence(kind: str) -> None:
    assert {reader for reader, _ in samples()[kind]} == set(READERS)
    for _, event in samples()[kind]:
        text = "\n".join(story(BEFORE, [event]))
        assert text.strip(), event
        assert not re.search(r"None|True|False|[{}\[\]]|  \.| ,|:\s*\.|\bset\b", text), text
        assert "england" not in text, text
        assert "scotland" not in text, text


@pytest.mark.ci
@pytest.mark.parametrize("kind", sorted(SENTENCES))
def test_a_sentence_stands_alone_too(kind: str) -> None:
    """The battle's table and the merged lines aside, each entry works for a single event."""
    for _, event in samples()[kind]:
        assert SENTENCES[kind].say([event]).strip()


@pytest.mark.ci
def test_the_owner_reads_more_than_the_enemy() -> None:
    for kind in (
        "move",
        "regroup",
        "withdraw",
        "disband",
        "draw",
        "builds",
        "levy",
        "hand",
        "raid",
        "sea move",
    ):
        texts = {
            (reader == event.get("side", "england"), "\n".join(story(BEFORE, [event])))
            for reader, event in samples()[kind]
            if reader in ("england", "scotland")
        }
        assert {text for own, text in texts if own} - {text for own, text in texts if not own}, kind
