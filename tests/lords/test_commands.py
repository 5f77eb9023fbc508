"""Practice, check, explain, what-if, roll-back and audit of Lords of Scotland, as people use them."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from pbem.cli import main
from pbem.reports.packing import unpack_view
from pbem.rules.base import View
from tests.disputes.story import GAME, WHY, Story

SIDES = {"alice": "red", "bob": "blue", "carol": "green"}


@dataclass
class Three(Story):
    """A folder in which three play."""

    def begin(self, *options: str) -> None:
        """A club, three keys, a game."""
        self.pbem("init", self.folder / "club", "--name", "test")
        seats: list[str] = []
        for name, side in SIDES.items():
            self.pbem("keygen", name, home=name)
            join = self.folder / f"{name}.join"
            self.pbem("join", GAME, "--as", name, "--any-judge", "--out", join, home=name)
            self.pbem("player", "add", name, join)
            seats += ["--seat", f"{side}={join}"]
        self.pbem("new", GAME, "--rules", "lords", "--option", "players=3", *seats, *options)

    def orders(self, **bodies: str) -> str:
        """All send orders, those who are not named bare files, and the judge adjudicates."""
        for name in SIDES:
            self.send(name, bodies.get(name, ""))
        return self.pbem("run").out

    def view(self, name: str) -> View:
        """What a player's last report shows."""
        self.receive(name)
        folder = self.folder / name / "games" / GAME / "reports"
        texts = (path.read_text(encoding="utf-8") for path in sorted(folder.iterdir(), reverse=True))
        return next(view for text in texts if (view := unpack_view(text)) is not None)


@pytest.fixture
def three(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Iterator[Three]:
    """Three players who have accepted the game, and two turns."""
    before = dict(os.environ)
    story = Three(tmp_path, capsys)
    story.begin("--option", "first=red")
    for body in ("", "recruit best", "muster weakest down"):
        story.orders(alice=body, bob=body, carol=body)
    yield story
    os.environ.clear()
    os.environ.update(before)


@pytest.mark.ci
def test_a_game_is_checked_explained_tried_and_rolled_back(three: Three) -> None:
    draft = three.folder / "draft.txt"
    best = three.view("bob")["hands"]["blue"][-1]
    draft.write_text(
        f"pbem1 orders\ngame {GAME}\n---\nmuster {best} down\nrecruit lion-3\n", encoding="utf-8"
    )
    told = three.pbem("check", draft, home="bob", status=None)
    assert f"You muster {best} face-down." in told.out
    assert "no Recruit called 'lion'" in told.out + told.err
    assert f"What do you recruit or muster (On Your Turn): muster {best} down." in " ".join(told.out.split())

    told = three.pbem("explain", GAME, "round 1 turn 2 blue", "--as", "public")
    assert "Blue musters a card face-down." in told.out
    hidden = three.view("bob")["armies"]["blue"][0]["card"]
    assert hidden not in told.out
    told = three.pbem("explain", GAME, "round 1 turn 2 blue", *WHY)
    assert hidden in told.out
    assert "L33 Silent players" in told.out

    changed = three.pbem("what-if", GAME, 3, "--side", "red", "--line", "recruit hidden", *WHY).out
    assert "recruit" in changed

    assert "round 1, turn 3" in three.pbem("status").out
    consents = []
    for name in SIDES:
        path = three.folder / f"{name}.consent"
        three.pbem("consent", GAME, 4, "roll-back", 3, "--as", name, "--out", path, home=name)
        consents += ["--consent", path]
    three.pbem("act", GAME, "roll-back", 3, "--reason", "a wrong card", *consents)
    three.orders(alice="recruit best", bob="recruit best", carol="recruit best")
    assert len(three.view("bob")["hands"]["blue"]) == 7
    three.bundle()
    assert "roll-back 3, with the consent of alice" in three.audit
    assert "refuted" not in three.audit


def test_practice(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """A slip is found; a plan for the round and a claim are handed in; the game goes on to its end."""
    first = "recruit bset\nsend\nundo\nrecruit best\ncheck\nsend\n"
    plan = "turn any: recruit best; muster best down\nclaim best\nsend\n"
    monkeypatch.setattr("sys.stdin", io.StringIO(first + plan + "send\n" * 60))
    assert main(["practice", "--game", "lords", "--seed", "5", "--option", "players=3"]) == 0
    shown = capsys.readouterr().out
    for part in (
        "no Recruit called 'bset' (On Your Turn); did you mean best?",
        "You recruit the strongest.",
        "What do you recruit or muster (On Your Turn): recruit 1.",
        "Then something is drawn",
        "The armies are compared:",
        "THE GAME IS OVER",
    ):
        assert part in shown, part
