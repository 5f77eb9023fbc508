"""Practice games at a prompt and by files."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from pbem.cli import main
from pbem.cli.practice import _read_line
from pbem.practice.folder import play_at_prompt, resume
from pbem.practice.table import Session, Start
from pbem.reports.packing import unpack_view
from pbem.titles.hammer.bots import BOTS
from tests.kept import Telling, as_kept

START = Start(game="hammer", options={"scenario": "braveheart"}, seed="3", side="scotland", bot="captain")


def at_prompt(
    lines: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *arguments: str
) -> str:
    """What `pbem practice` prints when these lines are typed."""
    monkeypatch.setattr("sys.stdin", io.StringIO(lines))
    assert main(["practice", "--seed", "3", *arguments]) == 0
    return capsys.readouterr().out


@pytest.mark.ci
def test_a_whole_game_can_be_played(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A player who never says anything is beaten, and told so."""
    shown = at_prompt("send\n" * 400, monkeypatch, capsys, "--side", "england", "--against", "random")
    assert "Scotland wins" in shown or "England wins" in shown


def test_an_empty_line_at_the_prompt_is_not_the_end_of_what_is_typed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("\nsend\n"))
    assert [_read_line("") for _ in range(3)] == ["", "send", None]


def test_a_remark_alone_keeps_no_orders_back() -> None:
    session = Session(START)
    for text, found in (("card 1\n", (0, 0)), ("card 1\nend\n", (0, 1)), ("carp 1\n", (1, 1))):
        assert (session.faulty(text), session.doubtful(text)) == found, text


@pytest.mark.ci
def test_a_game_by_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "game"
    assert main(["practice", str(folder), "--side", "scotland", "--seed", "3"]) == 0
    first = Path(capsys.readouterr().out.strip())
    assert first == folder / "report-0001.txt"
    report = first.read_text()
    assert unpack_view(report) is not None
    assert "Fill in this form. 'pbem practice --send' reads this form, or the whole report." in report

    orders = tmp_path / "orders.txt"
    orders.write_text(report.replace("card ____", "card 2", 1))
    assert main(["check", str(orders)]) == 0
    assert "You play the card 2." in capsys.readouterr().out
    assert main(["practice", str(folder), "--send", str(orders)]) == 0
    second = Path(capsys.readouterr().out.strip())
    assert second == folder / "report-0002.txt"
    assert "Scotland plays 2" in second.read_text()
    assert (folder / "orders-0002.txt").read_text() == orders.read_text()

    assert main(["practice", str(folder)]) == 0
    assert Path(capsys.readouterr().out.strip()) == second
    assert resume(folder).report() == second.read_text()


@pytest.mark.ci
def test_a_bot_in_the_person_s_seat_meets_the_same_game(tmp_path: Path) -> None:
    """The person's door is the bots' door: the same files give the same reports."""
    reports = []
    for _ in range(2):
        session = Session(START)
        mine = BOTS["captain"]("scotland")
        while not session.is_over and session.exchange < 12:
            session.send(mine.write(session.table.view("scotland")))
        reports.append(session.report())
    assert reports[0] == reports[1]


@pytest.mark.ci
def test_orders_in_a_file_are_checked_like_those_at_the_prompt(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A faulty file is told of and not played unless its writer insists; a good one is said back."""
    folder, orders = tmp_path / "game", tmp_path / "orders.txt"
    assert main(["practice", str(folder), "--seed", "3"]) == 0
    orders.write_text("card 2\nmoove Wallace\n")
    capsys.readouterr()
    assert main(["practice", str(folder), "--send", str(orders)]) == 1
    out, err = capsys.readouterr()
    assert (out, sorted(path.name for path in folder.iterdir())) == ("", ["game.json", "report-0001.txt"])
    assert "line 2: no order begins with 'moove'" in err
    assert "nothing is sent; to send it as it is, add --anyway" in err
    assert main(["practice", str(folder), "--anyway", "--send", str(orders)]) == 0
    out, err = capsys.readouterr()
    assert out.strip() == str(folder / "report-0002.txt")
    assert "line 2: no order begins with 'moove'" in err
    orders.write_text("")
    assert main(["practice", str(folder), "--send", str(orders)]) == 0
    assert main(["practice", str(folder), "--anyway"]) == 2


def test_a_report_does_not_both_ask_and_not_ask() -> None:
    """Strict pace: another begins, so nothing is asked, and the form only says what is to come."""
    options = {"players": "4", "pace": "strict"}
    for seed in range(4):
        session = Session(Start(game="lords", options=options, seed=f"{seed}", side="red", bot="chief"))
        report = session.report()
        assert ("Nothing is asked of you now" in report) != ("ASKED NOW" in report)


def test_an_empty_file_is_told_of_the_bare_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "o.txt").write_text("")
    assert main(["check", str(tmp_path / "o.txt")]) == 1
    assert "if you order nothing, send a bare file (pbem seal --bare)" in capsys.readouterr().err


TYPED = {
    "a turn": "card 2 | moove Wallace to Atholl | send | undo | list | move Wallace to Atholl | check | send",
    "words": "help | form | card 1 | card 3 | list | CLEAR | list | undo | report | quit | card 3",
    "all the same": "card 2 | moove | send | send",
    "not in a row": "card 2 | card 3 | send | list | send | undo | send | check | undo | undo | send | send",
    "two lines": "moove | undo | plan any: |   fire | end | check | note x | send | check | send | send",
}
"""What is typed at a prompt; `send` is asked for twice where something is doubtful."""


@pytest.mark.ci(but=("words",))
@pytest.mark.parametrize("name", TYPED)
def test_what_is_written_at_a_prompt_is_as_it_was(name: str) -> None:
    session, given, written = Session(START), iter(TYPED[name].split(" | ")), list[str]()
    play_at_prompt(session, lambda _: next(given, None), written.append)
    told = Telling()
    told.add(f"up to exchange {session.exchange}, {[*given]} left", "".join(written).split("\n"))
    as_kept(Path(__file__).parent / f"golden/{name.replace(' ', '-')}.txt", str(told))
