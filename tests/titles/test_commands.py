"""The card games by their commands: check, explain, what-if, absence, roll-back, concession."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from pbem.cli import main
from pbem.reports.packing import unpack_view
from pbem.rules.base import View
from tests.disputes.story import GAME, WHY, Story


@dataclass(frozen=True, kw_only=True)
class Tried:
    """A game, and what is done with it. {card}: the last card of bob's hand, in the words of orders."""

    rules: str
    sides: Mapping[str, str]
    options: tuple[str, ...] = ()
    written: tuple[str, ...]  # by everybody, for each exchange
    draft: str
    of_draft: tuple[str, ...]
    event: str
    of_event: str  # told to the public
    secret: str  # told to the game master alone
    ruling: str
    line: str  # what alice might have written for the exchange tried again, and what would have come of it
    of_line: str
    tried_again: int = 3
    plays_on: bool = False  # without bob

    def __str__(self) -> str:
        return self.rules


LORDS = Tried(
    rules="lords",
    sides={"alice": "red", "bob": "blue", "carol": "green"},
    options=("--option", "players=3", "--option", "first=red"),
    written=("", "recruit best", "muster weakest down"),
    draft="muster {card} down\nrecruit lion-3\n",
    of_draft=(
        "You muster {card} face-down.",
        "no Recruit called 'lion'",
        "What do you recruit or muster (On Your Turn): muster {card} down.",
    ),
    event="round 1 turn 2 blue",
    of_event=r"Blue musters a card face-down\.",
    secret=r"Blue musters [A-Z][A-Za-z]+ \d+ face-down\.",
    ruling="L33 Silent players",
    line="recruit hidden",
    of_line="+Red recruits",
    plays_on=True,
)
FIRST_WAR = Tried(
    rules="first-war",
    sides={"alice": "scots", "bob": "english"},
    written=("", "deploy none", "deploy all"),
    draft="quarter english {card}\nevent kill traitor on english lowland_noble\ndeploy lion\n",
    of_draft=(
        "You play Kill Traitor on my lowland noble.",
        "no Unit of yours called 'lion'",
        "Forecast, from what you can see:",
    ),
    event="1296 fall draw english",
    of_event=r"The English draw 4 cards for Logistics\.",
    secret=r"The English draw 4 cards for Logistics: [A-Z2-4]",
    ruling="F3 The order of drawing",
    line="deploy all",
    of_line="-The Scots deploy nothing.",
    tried_again=2,
)


@pytest.fixture(params=[LORDS, FIRST_WAR], ids=str)
def tried(request: pytest.FixtureRequest) -> Tried:
    found: Tried = request.param
    return found


@pytest.fixture
def story(tried: Tried, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Iterator[Story]:
    """Players who have accepted the game, and two exchanges."""
    before = dict(os.environ)
    found = Story(tmp_path, capsys, tried.sides)
    found.begin("--rules", tried.rules, *tried.options)
    for body in tried.written:
        found.exchange(**dict.fromkeys(tried.sides, body))
    yield found
    os.environ.clear()
    os.environ.update(before)


def view(story: Story, name: str) -> View:
    """What a player's last report shows."""
    story.receive(name)
    folder = story.folder / name / "games" / GAME / "reports"
    texts = (path.read_text(encoding="utf-8") for path in sorted(folder.iterdir(), reverse=True))
    return next(found for text in texts if (found := unpack_view(text)) is not None)


def consents(story: Story, exchange: int, *to: object, by: tuple[str, ...] = ()) -> list[object]:
    """What `pbem act` needs: the consent of everybody, or of some."""
    found: list[object] = []
    for name in by or tuple(story.sides):
        path = story.folder / f"{name}.consent"
        story.pbem("consent", GAME, exchange, *to, "--as", name, "--out", path, home=name)
        found += ["--consent", path]
    return found


@pytest.mark.ci
def test_a_game_is_checked_explained_tried_rolled_back_and_ended(story: Story, tried: Tried) -> None:
    card = view(story, "bob")["hands"][tried.sides["bob"]][-1]
    draft = story.folder / "draft.txt"
    draft.write_text(f"pbem1 orders\ngame {GAME}\n---\n{tried.draft.format(card=card)}", encoding="utf-8")
    told = story.pbem("check", draft, home="bob", status=1)
    for part in tried.of_draft:
        assert part.format(card=card) in " ".join((told.out + told.err).split())

    public = story.pbem("explain", GAME, tried.event, "--as", "public").out
    everything = story.pbem("explain", GAME, tried.event, *WHY).out
    assert re.search(tried.of_event, public)
    assert not re.search(tried.secret, public)
    assert re.search(tried.secret, everything)
    assert tried.ruling in everything

    instead = ("--side", tried.sides["alice"], "--replace", 1, "--line", tried.line)
    assert tried.of_line in story.pbem("what-if", GAME, tried.tried_again, *instead, *WHY).out

    away, today = story.folder / "away", datetime.now(UTC).date()
    days = [("--from", today), ("--until", today + timedelta(days=9))]
    story.pbem("absent", "--as", "alice", *days[0], *days[1], "--out", away, home="alice")
    assert f"absence of alice, {today}" in story.pbem("submit", away).out

    given = consents(story, 4, "roll-back", 3)
    story.pbem("act", GAME, "roll-back", 3, "--reason", "a wrong card", *given)
    story.exchange(**dict.fromkeys(tried.sides, tried.written[-1]))
    given = consents(story, 6, "concede", "bob", by=("bob",))
    story.pbem("act", GAME, "concede", "bob", "--reason", "by letter", *given)
    assert ("; over" in story.pbem("status").out) != tried.plays_on
    story.bundle()
    assert "roll-back 3, with the consent of alice" in story.audit
    assert "refuted" not in story.audit


LORDS_PRACTICE = (
    ("--option", "players=3"),
    """recruit bset
send
undo
recruit best
check
send
recruit bruce-97
send
send
turn any: recruit best; muster best down
claim best
""",
    (
        "no Recruit called 'bset' (On Your Turn); did you mean best?",
        "You recruit the strongest.",
        "What do you recruit or muster (On Your Turn): recruit 1.",
        "Then slot 1 of the Recruits is filled from the draw pile: what",
        "The judge played the default instead: recruit",
        "The armies are compared:",
        "THE GAME IS OVER",
    ),
)
FIRST_WAR_PRACTICE = (
    ("--option", "years=1"),
    "deploy al\nsend\nundo\ndeploy rest\nlose english archers\nevent truce\ncheck\n",
    (
        "no Unit of yours called 'al'",
        "You deploy all others.",
        "If you lose a season, you lose the first of: archers.",
        "Truce is not in your hand now",
        "The Units you deploy (Recruit Phase): deploy",
        "THE GAME IS OVER",
    ),
)


@pytest.mark.parametrize(
    ("rules", "practice"), [("lords", LORDS_PRACTICE), ("first-war", FIRST_WAR_PRACTICE)]
)
def test_practice(
    rules: str,
    practice: tuple[tuple[str, ...], str, tuple[str, ...]],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A slip is found; orders are handed in; the game goes on to its end."""
    options, typed, parts = practice
    monkeypatch.setattr("sys.stdin", io.StringIO(typed + "send\n" * 120))
    assert main(["practice", "--game", rules, "--seed", "5", *options]) == 0
    shown = capsys.readouterr().out
    for part in parts:
        assert part in shown, part
