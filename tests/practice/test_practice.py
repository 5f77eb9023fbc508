"""Practice games at a prompt and by files."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from pbem.cli import main
from pbem.practice.folder import resume
from pbem.practice.prompt import play_at_prompt
from pbem.practice.session import Session, Start
from pbem.reports.packing import unpack_view
from pbem.titles.hammer.bots import BOTS

START = Start(game="hammer", options={"scenario": "braveheart"}, seed="3", side="scotland", bot="captain")


def at_prompt(
    lines: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *arguments: str
) -> str:
    """What `pbem practice` prints when these lines are typed."""
    monkeypatch.setattr("sys.stdin", io.StringIO(lines))
    assert main(["practice", "--seed", "3", *arguments]) == 0
    return capsys.readouterr().out


@pytest.mark.ci
def test_a_transcript(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """A typing error is found, mended and told; orders are sent; the next report tells what came of them."""
    shown = at_prompt(
        "card 2\nmoove Wallace to Atholl\nsend\nundo\nlist\nmove Wallace to Atholl\ncheck\nsend\n",
        monkeypatch,
        capsys,
    )
    parts = [
        "Report to Scotland (you)",
        "England: captain, Scotland: you",
        "Now: 1297, turn 1, cards",
        "line 2: no order begins with 'moove'; did you mean move?",
        "To send it as it is, write 'send' once more.",
        "card 2\nGame practice, exchange 2: orders for Scotland, not sent yet",
        "You play the card 2.\nWallace moves to Atholl.",
        "Forecast, from what you can see:",
        "Wallace: from Fife to Atholl, the main attack.",
        "Exchange 2 has been played. Exchange 3 is open.",
        "England plays 3 and Scotland plays 2. England is player 1.",
        "Wallace: Fife to Atholl (main attack)",
    ]
    place = 0
    for part in parts:
        place = shown.find(part, place)
        assert place >= 0, part
    assert "FOR PROGRAMS" not in shown


def test_every_word_for_the_program(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = at_prompt("help\nform\ncard 1\nclear\nlist\nreport\nquit\ncard 3\n", monkeypatch, capsys)
    assert "begin orders" in shown
    assert "Nothing is written yet." in shown
    assert shown.count("Now: 1297, turn 1, cards") == 2
    assert shown.count("send what you have written") == 2


@pytest.mark.ci
def test_faulty_orders_can_be_sent_all_the_same(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = at_prompt("card 2\nmoove\nsend\nsend\n", monkeypatch, capsys)
    assert "Exchange 2 has been played." in shown


@pytest.mark.ci
def test_a_whole_game_can_be_played(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A player who never says anything is beaten, and told so."""
    shown = at_prompt("send\n" * 400, monkeypatch, capsys, "--side", "england", "--against", "random")
    assert "Scotland wins" in shown or "England wins" in shown


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
        while not session.over and session.exchange < 12:
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


def typed(*lines: str) -> tuple[str, Session]:
    """What is written at a prompt at which these lines are typed, and the game."""
    start = Start(game="hammer", options={}, seed="3", side="scotland", bot="captain")
    session, given, written = Session(start), iter(lines), list[str]()
    play_at_prompt(session, lambda _: next(given, None), written.append)
    return "".join(written), session


def test_a_line_that_cannot_be_read_is_told_at_once() -> None:
    told, session = typed("moove Wallace", "undo", "card 2", "plan any:", "  fire", "end", "quit")
    assert told.count("('undo' takes the line back.)") == 1
    assert "no order begins with 'moove'" in told
    assert session.exchange == 2


def test_sending_tells_what_a_check_tells() -> None:
    """A remark, too, is told before anything is handed in; `send` once more hands it in."""
    told, session = typed("card 2", "card 3", "send")
    assert "line 1 plays the card 2, and only that line counts" in told
    assert session.exchange == 2
    told, session = typed("card 2", "card 3", "send", "send")
    assert session.exchange == 3
    assert typed("card 2", "send")[1].exchange == 3
