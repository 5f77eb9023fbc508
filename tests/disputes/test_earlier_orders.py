"""`pbem check` counts what was sent before: a doctrine on file answers, a void one does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.disputes.story import GAME, Story

pytestmark = pytest.mark.ci


DOCTRINE = "doctrine:\nplan any:\nfire\nhits rest\nforced retreat all\nregroup none\nend\nend\n"
ANSWERED = "In trial battles your orders answered every question."
ALONE = "This looks at this file alone"
SPENT = "You see more of your earlier orders here than in your report"


@pytest.fixture
def doctrine(played: Story) -> Story:
    """Alice has sent a doctrine with her orders for exchange 4."""
    played.exchange(alice=f"move none\n{DOCTRINE}", bob="done\n")
    played.receive("alice")
    return played


def checked(story: Story, *more: object) -> str:
    """What alice is told of a turn in which she orders no more than that nobody moves."""
    draft = story.folder / "draft.txt"
    draft.write_text("move none\n", encoding="utf-8")
    return story.pbem("check", draft, "--game", GAME, *more, home="alice").out


def test_a_doctrine_on_file_answers(doctrine: Story) -> None:
    told = checked(doctrine)
    assert ANSWERED in told
    assert not [text for text in (ALONE, SPENT, "combat turns") if text in told]
    assert "YOUR EARLIER ORDERS THAT STILL COUNT" in _report(doctrine).read_text(encoding="utf-8")


def test_what_the_report_no_longer_says_rules_is_told_as_doubtful(doctrine: Story) -> None:
    """Only the judge knows what was carried out; here a report says that all of it was."""
    path = _report(doctrine)
    before, _, rest = path.read_text(encoding="utf-8").partition("YOUR EARLIER ORDERS THAT STILL COUNT\n\n")
    path.write_text(before + rest.partition("\n\n")[2], encoding="utf-8")
    assert SPENT in checked(doctrine, "--report", path)


def test_a_doctrine_of_a_void_exchange_answers_nothing(doctrine: Story) -> None:
    doctrine.act("roll-back 4", "misread", doctrine.consent("roll-back 4", exchange=5))
    doctrine.receive("alice")
    told = checked(doctrine)
    assert "combat turns" in told
    assert ANSWERED not in told


def test_without_the_home_s_files_a_file_is_looked_at_alone(doctrine: Story) -> None:
    path = _report(doctrine)
    told = doctrine.pbem("check", doctrine.folder / "alice.txt", "--report", path, home="carol", status=None)
    assert ALONE in told.out


def _report(story: Story) -> Path:
    return max((story.folder / "alice/games" / GAME / "reports").iterdir())
