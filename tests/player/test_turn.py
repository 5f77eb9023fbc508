"""`pbem turn`, `pbem` alone, and the step that comes next wherever a game stands."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbem.player.status import GameStatus
from pbem.steps import Step
from pbem.trust.draft import form_in, parse_draft
from tests.player.judge import GAME, Judge
from tests.player.test_commands import Terminal, pbem
from tests.player.tools import Play

__all__ = ["pbem"]


@pytest.mark.parametrize(
    ("facts", "step"),
    [
        ({}, Step.LETTER),
        ({"side": "north", "exchange": 1}, Step.INVITED),
        ({"side": "north", "exchange": 1, "revs": (1,)}, None),
        ({"side": "north", "exchange": 2}, Step.ASKED),
        ({"side": "north", "exchange": 2, "revs": (1, 2)}, None),
        ({"side": "north", "exchange": 2, "closed": True}, None),
        ({"side": "north", "exchange": 2, "closed": True, "reveal_due": True}, Step.REVEAL),
        ({"side": "north", "over": True}, Step.OVER),
        ({"side": "north", "exchange": 2, "forks": (Path("fork-1"),)}, None),
        ({"trouble": "damaged"}, None),
    ],
)
def test_the_next_step(facts: dict[str, object], step: Step | None) -> None:
    status = GameStatus(game=GAME, player="alice", **facts)  # type: ignore[arg-type]
    assert status.step is step
    assert bool(status.command) == (step is not None)


def test_what_is_not_known_stands_in_capitals() -> None:
    assert Step.MAIL.command() == "pbem turn MAIL"
    assert Step.FORM.command(file="o.txt", game="hearth") == "pbem seal o.txt --mail hearth-N.eml"


@pytest.mark.parametrize("after", ["\nHOW TO CHECK\n\nThe dice\n", "\nFOR PROGRAMS\n", ""])
@pytest.mark.parametrize("end", ["end orders\n", ""])
def test_the_form_of_a_report_is_a_draft(after: str, end: str) -> None:
    form = f"pbem1 orders\ngame {GAME}\n---\nbegin orders\ncard 2\n{end}"
    found = form_in(f"WHAT IS ASKED\n\n{form}{after}")
    assert found.startswith(form)
    assert found == form or (not end and "PROGRAMS" in after)
    assert parse_draft(found).game == GAME
    assert form_in("nothing to fill in") == ""


def test_a_mail_is_read_and_answered(
    pbem: Terminal, judge: Judge, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The judge of this test names no address, so what goes to him is the sealed file."""
    monkeypatch.chdir(tmp_path)
    Path("invitation.eml").write_text(judge.mail(judge.letter(0)))
    out, err = pbem("turn", "invitation.eml")
    assert out == judge.report_text(0, "north")
    assert f"next: send {GAME}-1.age to the judge" in err
    assert Path(f"{GAME}-1.age").read_text().startswith("-----BEGIN AGE")
    _, err = pbem("turn")
    assert (
        f"you have sealed revision 1 for exchange 1; to write another in its place: pbem turn --game {GAME}"
        in err
    )
    assert pbem()[0].startswith(f"alice: {GAME} waits for the others; when a mail has come: pbem turn MAIL\n")


def test_nothing_is_asked(
    pbem: Terminal, play: Play, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    play(1)
    monkeypatch.chdir(tmp_path)
    assert pbem()[0].startswith(
        f"alice: {GAME} waits for your orders until 2026-11-28T18:00:00Z: pbem turn --game {GAME}\n"
    )
    assert "nothing is asked of you, so the answer orders nothing" in pbem("turn")[1]


def test_a_mail_that_is_none_of_ours_is_refused(pbem: Terminal, invited: Judge, tmp_path: Path) -> None:
    (tmp_path / "mail.txt").write_text("Dear Alice!\n")
    assert "holds nothing sealed" in pbem("turn", tmp_path / "mail.txt", status=1)[1]
    assert not list(tmp_path.glob("*.age"))
