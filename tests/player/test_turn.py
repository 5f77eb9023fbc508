"""`pbem turn`, `pbem` alone, and the step that comes next wherever a game stands."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from pbem.cli.turn import _facts, _line, _why_not, overview
from pbem.player import Home
from pbem.player.status import GameStatus
from pbem.player.store.known_files import RECEIPTED, SEALED, KnownFile
from pbem.steps import Step
from pbem.trust.orderfile import form_in, parse_draft
from pbem.trust.times import HERE, local_text
from tests.kept import Telling, as_kept
from tests.player.judge import DEADLINE, GAME, START, Judge
from tests.player.test_commands import Terminal, pbem
from tests.player.tools import Play, told

__all__ = ["pbem"]


def sent(*revs: int, receipted: tuple[int, ...] = ()) -> tuple[KnownFile, ...]:
    """Files sealed here, some of which the judge has."""
    states = {rev: RECEIPTED if rev in receipted else SEALED for rev in revs}
    return tuple(
        KnownFile(exchange=2, rev=rev, sealed="0" * 64, is_here=True, state=state)
        for rev, state in states.items()
    )


OPEN = {"side": "north", "exchange": 2, "deadline": START}
CLOSED = {**OPEN, "closed": True}
STANDS: dict[str, dict[str, object]] = {
    "joined": {},
    "between": {"side": "north", "last_report": 0},
    "invited": {"side": "north", "exchange": 1},
    "accepted": {"side": "north", "exchange": 1, "files": sent(1)},
    "asked": {**OPEN, "last_report": 1},
    "sent": {**OPEN, "files": sent(1, 2, 3, receipted=(1, 3))},
    "closed": {**CLOSED, "files": sent(1)},
    "closed without orders": CLOSED,
    "reveal": {**CLOSED, "reveal_due": True, "missing_receipts": (2, 5)},
    "over": {"side": "north", "over": True, "last_report": 9},
    "forked": {**OPEN, "over": True, "forks": (Path("fork-1"), Path("fork-2"))},
    "damaged": {"trouble": "damaged"},
    "damaged and forked": {"trouble": "damaged", "forks": (Path("fork-1"),)},
}


@pytest.fixture
def clock_in(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Sets the zone of this machine's clock."""

    def turn(zone: str) -> None:
        monkeypatch.setenv("TZ", zone)
        time.tzset()

    yield turn
    monkeypatch.undo()
    time.tzset()


def test_a_deadline_is_told_by_the_clock_of_its_reader(clock_in: Callable[[str], None]) -> None:
    clock_in("Asia/Tokyo")
    line = _line(GameStatus(game=GAME, player="alice", **OPEN))  # type: ignore[arg-type]
    assert f"until {START.astimezone():%A %Y-%m-%d %H:%M} here ({START:%Y-%m-%d %H:%M} UTC)" in line


def test_where_a_game_stands_is_told_as_it_was(
    capsys: pytest.CaptureFixture[str], clock_in: Callable[[str], None]
) -> None:
    """The step that comes next, and each way in which it is said."""
    clock_in("UTC")
    telling = Telling()
    for name, facts in STANDS.items():
        status = GameStatus(game=GAME, player="alice", **facts)  # type: ignore[arg-type]
        overview([status, replace(status, game="dunbar")])
        said = [status.step, _line(status), json.dumps(_facts(status)), _why_not(status)]
        telling.add(name, [*said, *capsys.readouterr()])
    as_kept(Path(__file__).parent / "golden/stands.txt", str(telling))


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
        f"alice: {GAME} waits for your orders until {local_text(DEADLINE, HERE)}: pbem turn --game {GAME}\n"
    )
    assert "nothing is asked of you, so the answer orders nothing" in pbem("turn")[1]


def test_a_mail_that_is_none_of_ours_is_refused(pbem: Terminal, invited: Judge, tmp_path: Path) -> None:
    (tmp_path / "mail.txt").write_text("Dear Alice!\n")
    assert "holds nothing sealed" in pbem("turn", tmp_path / "mail.txt", status=1)[1]
    assert not list(tmp_path.glob("*.age"))
    assert (
        f"no form is opened, because of that; what waits for you: pbem seal --game {GAME} --bare"
        in (pbem("turn", tmp_path / "mail.txt", status=1)[1])
    )


ANSWER = (
    b"From: gm@club.example\nSubject: your mail\nMessage-ID: <pbem1.club.answer.1@club.example>\n\n"
    b"Nothing in your mail could be opened.\n"
)


def test_a_mail_of_no_game_opens_the_only_form_that_waits(
    pbem: Terminal, invited: Judge, alice: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of two games one waits; when both do, the player is asked which."""
    monkeypatch.chdir(tmp_path)
    alice.join("dunbar", player="alice", judge=None)
    Path("answer.eml").write_bytes(ANSWER)
    _, err = pbem("turn", "answer.eml")
    assert f"the mail names no game; of yours only {GAME} waits for you" in err
    assert Path(f"{GAME}-1.age").exists()
    _, err = pbem("turn", status=1)
    assert f"which one is meant? pbem turn --game dunbar or pbem turn --game {GAME}" in err


def _ask(
    invited: Judge, alice: Home, bob: Home, editor: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[Path, Path]:
    """Bring alice a form; return an editor, and the file that is there once it was opened."""
    form = f"pbem1 orders\ngame {GAME}\n---\n"
    monkeypatch.setattr(Judge, "report_text", staticmethod(lambda *_: f"WHAT IS ASKED\n\n{form}"))
    invited.exchange(1, {home.path.name: home.seal(None, game=GAME).sealed for home in (alice, bob)})
    told(invited, 1, alice, since=2)
    opened = editor.with_name("opened")
    editor.write_text(f"#!/bin/sh\ntouch {opened}\n")
    editor.chmod(0o755)
    return editor, opened


def test_no_editor_opens_unnamed_where_nobody_sits_at_a_terminal(
    pbem: Terminal, invited: Judge, alice: Home, bob: Home, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """It would wait for ever, as in cron; what was written before goes on to the check."""
    _, opened = _ask(invited, alice, bob, tmp_path / "sensible-editor", monkeypatch)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    for name in ("EDITOR", "VISUAL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    form, said = f"{GAME}-2-orders.txt", "no editor opens: none is named (EDITOR), and there is no terminal"
    for options, goes_on in ((["--yes"], False), ([], False), (["--yes"], True)):
        _, err = pbem("turn", *options, status=1)
        assert (said in err) is not goes_on
        assert f"nothing is sealed; your orders are in {form}" in err
        assert Path(form).exists()
        assert not opened.exists()


def test_a_missing_key_is_said_before_the_editor_opens(
    pbem: Terminal, invited: Judge, alice: Home, bob: Home, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    editor, opened = _ask(invited, alice, bob, tmp_path / "editor", monkeypatch)
    monkeypatch.setenv("EDITOR", str(editor))
    monkeypatch.chdir(tmp_path)
    (alice.path / "keys/alice").rename(tmp_path / "lost")
    _, err = pbem("turn", "--yes", status=1)
    assert "is not here any more, only its public half" in err
    assert "until then what you sent before goes on to count" in err
    assert not opened.exists()
    (tmp_path / "lost").rename(alice.path / "keys/alice")
    pbem("turn", "--yes", status=1)  # the form of this report is no true one
    assert opened.exists()


def test_letters_of_two_games_in_one_mail_are_both_answered(
    pbem: Terminal, judge: Judge, alice: Home, bob: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a mail program writes them when both are forwarded in one mail."""
    monkeypatch.chdir(tmp_path)
    other = Judge(game="dunbar")
    other.begin(*(home.join("dunbar", player=home.path.name, judge=None) for home in (alice, bob)))
    Path("both.eml").write_text(f"{judge.mail(judge.letter(0))}\n\n{other.mail(other.letter(0))}")
    alice.join("third", player="alice", judge=None)
    pbem("receive", "both.eml")
    _, err = pbem("turn", status=1)
    assert f"which one is meant? pbem turn --game dunbar or pbem turn --game {GAME}\n" in err
    out, err = pbem("turn", "both.eml")
    assert out.count("Nothing happened.") == 2
    for game in (GAME, "dunbar"):
        assert f"next: send {game}-1.age to the judge" in err
        assert Path(f"{game}-1.age").read_text().startswith("-----BEGIN AGE")

    form = "WHAT IS ASKED\n\npbem1 orders\ngame dunbar\n---\n"
    monkeypatch.setattr(Judge, "report_text", staticmethod(lambda *_: form))
    told(other, 0, bob)
    other.exchange(1, {home.path.name: home.seal(None, game="dunbar").sealed for home in (alice, bob)})
    both = f"{other.mail(other.letter(1, since=2))}\n\n{judge.mail(judge.letter(0))}"
    Path("both.eml").write_text(both)
    monkeypatch.setenv("EDITOR", "true")
    _, err = pbem("turn", "both.eml", "--yes", status=1)
    assert err.index("nothing is sealed") < err.index(f"{GAME}: you have sealed"), "the first alone is left"
