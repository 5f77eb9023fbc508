"""Another program plays by lines of JSON: what it reads, what it may answer, and what it cannot do."""

from __future__ import annotations

import io
import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from pbem.cli import main
from pbem.errors import ConfigError
from pbem.practice.other_program import MAX_LINE_LENGTH, MAX_OFFERS, MAX_REFUSALS, answer_report, play_game
from pbem.practice.table import Session, Start
from pbem.reports.packing import unpack, unpack_asks
from pbem.trust.orderfile import parse_draft

DOCS = Path(__file__).parents[2] / "pbem/docs"
SCHEMA = Draft202012Validator(json.loads((DOCS / "bot.schema.json").read_text(encoding="utf-8")))
PAIRS = (("lords", "red"), ("first-war", "scots"), ("hammer", "england"))


def session(rules: str = "lords", side: str = "red", seed: str = "7") -> Session:
    return Session(Start(game=rules, options={}, seed=seed, side=side, bot="random"))


class Program:
    """Another program: it answers each line as it is told to, and keeps what it was written."""

    def __init__(self, answer: Callable[[dict[str, Any]], bytes]) -> None:
        self.lines: list[dict[str, Any]] = []
        self.answer = answer

    def read(self) -> bytes:
        return self.answer(self.lines[-1])

    def write(self, line: str) -> None:
        assert line.isascii()
        message = json.loads(line)
        SCHEMA.validate(message)
        self.lines.append(message)


def orders(text: str) -> bytes:
    return json.dumps({"orders": text}).encode() + b"\n"


def query(line: str, above: str = "") -> bytes:
    return json.dumps({"line": line, "above": above}).encode() + b"\n"


def first_answers(message: dict[str, Any]) -> bytes:
    """The first legal answer to each question, or the default."""
    return orders("".join(f"{[*one['legal'], one['default']][0]}\n" for one in message["questions"]))


def says_once(*lines: bytes) -> Callable[[dict[str, Any]], bytes]:
    """What a program says, line after line, and then nothing."""
    rest: Iterator[bytes] = iter(lines)
    return lambda _message: next(rest, b"")


@pytest.mark.ci
@pytest.mark.parametrize(("rules", "side"), PAIRS)
def test_a_game_to_its_end_by_legal_answers_alone(rules: str, side: str) -> None:
    program = Program(first_answers)
    play_game(session(rules, side), program.read, program.write)
    kinds = [one["type"] for one in program.lines]
    assert set(kinds[:-1]) == {"position"}, "a legal answer was refused"
    assert kinds[-1] == "end"
    numbers = [one["exchange"] for one in program.lines[:-1]]
    assert numbers == list(range(2, len(numbers) + 2))
    again = Program(first_answers)
    play_game(session(rules, side), again.read, again.write)
    assert again.lines == program.lines


@pytest.mark.parametrize(("rules", "side"), PAIRS)
def test_a_position_says_what_the_report_says_and_nothing_else(rules: str, side: str) -> None:
    """Whatever twins have in common in their reports they have in common here."""
    table = session(rules, side)
    program = Program(says_once())
    with pytest.raises(ConfigError, match="ended, and the game goes on"):
        play_game(table, program.read, program.write)
    found = unpack(table.report())
    assert found is not None
    [position] = program.lines
    assert (position.pop("view"), position.pop("events")) == found
    asked = [
        {"kind": one.kind, "rule": one.rule, "legal": list(one.legal), "default": one.default}
        for one in unpack_asks(table.report())
    ]
    assert position.pop("questions") == asked
    assert position.pop("form") == table.form()
    assert position == {
        "pbem-bot": 1,
        "type": "position",
        "game": "practice",
        "rules": rules,
        "exchange": 2,
        "side": side,
    }


NO_JSON = "this line is not JSON"
NO_ORDERS = 'a line reads {"orders": "..."}, or {"line": "...", "above": "..."}'


@pytest.mark.parametrize(
    ("line", "number", "text"),
    [
        (orders("recruit 9"), 1, "Recruits lie in slots 1 to 5"),
        (orders("recruit 1\nfly"), 2, "no order begins with 'fly'"),
        (orders("pbem1 orders\nside blue\n---\nrecruit 1"), 0, "for side blue, and those of side red"),
        (orders("pbem1 orders\ngame other\n---\nrecruit 1"), 0, "for game other, and those of game practice"),
        (orders("pbem1 orders\nexchange 9\n---\nrecruit 1"), 0, "for exchange 9, and those of exchange 2"),
        (orders("pbem1 orders"), 0, "the file has no line ---"),
        (b"recruit 1\n", 0, NO_JSON),
        (b"\xff\n", 0, NO_JSON),
        (b"[" * 100_000 + b"\n", 0, NO_JSON),
        (b"[]\n", 0, NO_ORDERS),
        (b'{"orders": 1}\n', 0, NO_ORDERS),
        (b'{"orders": "", "side": "blue"}\n', 0, NO_ORDERS),
        (b'{"line": ""}\n', 0, NO_ORDERS),
        (b'{"line": "", "above": 1}\n', 0, NO_ORDERS),
    ],
)
def test_what_does_not_count_is_refused_and_changes_nothing(line: bytes, number: int, text: str) -> None:
    clumsy, clean = (Program(says_once(*lines, orders("recruit 1"))) for lines in ((line,), ()))
    for program in (clumsy, clean):
        with pytest.raises(ConfigError, match="ended"):
            play_game(session(), program.read, program.write)
    before, refusal, after = clumsy.lines
    assert [before, after] == clean.lines
    [fault] = refusal["faults"]
    assert fault["line"] == number
    assert text in fault["text"]


def test_a_refusal_names_the_rule_and_what_would_be_legal() -> None:
    program = Program(says_once(orders("recruit 9\nfly")))
    with pytest.raises(ConfigError, match="ended"):
        play_game(session(), program.read, program.write)
    slot, verb = program.lines[1]["faults"]
    assert slot["rule"] == "On Your Turn"
    assert "muster" in verb["legal"]


def test_a_program_that_only_floods_is_stopped() -> None:
    program = Program(lambda _message: b"flood\n")
    with pytest.raises(ConfigError, match="went on without orders that count in exchange 2"):
        play_game(session(), program.read, program.write)
    assert len(program.lines) == MAX_REFUSALS + 1


def test_a_program_that_only_asks_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    assert MAX_OFFERS == 10_000
    monkeypatch.setattr("pbem.practice.other_program.MAX_OFFERS", 5)
    program = Program(lambda _message: query(""))
    with pytest.raises(ConfigError, match="went on without orders that count in exchange 2"):
        play_game(session(), program.read, program.write)
    assert [one["type"] for one in program.lines] == ["position", *["offers"] * 5]


def test_a_line_is_offered_as_the_form_has_it_until_it_counts() -> None:
    program = Program(says_once(query(""), query("recruit "), query("recruit 1"), query("recruit 9")))
    with pytest.raises(ConfigError, match="ended"):
        play_game(session(), program.read, program.write)
    first, more, whole, wrong = program.lines[1:]
    assert {one["verb"] for one in first["offers"]} >= {"recruit", "muster"}
    assert "recruit 1" in [one["line"] for one in more["offers"]]
    assert [one["counts"] for one in (first, more, whole, wrong)] == [False, False, True, False]


def test_what_stands_above_a_line_is_heard() -> None:
    """In a plan another word may begin a line than outside."""
    program = Program(says_once(query(""), query("", "plan any:\n")))
    with pytest.raises(ConfigError, match="ended"):
        play_game(session("hammer", "england", "1"), program.read, program.write)
    outside, inside = ({one["verb"] for one in line["offers"]} for line in program.lines[1:])
    assert "card" in outside - inside


def test_a_line_without_end_is_not_read_on() -> None:
    program = Program(lambda _message: b"x" * MAX_LINE_LENGTH)
    with pytest.raises(ConfigError, match=r"a line of more than 1,048,576 bytes"):
        play_game(session(), program.read, program.write)
    assert len(program.lines) == 1


@pytest.mark.ci
def test_the_longest_line_that_ends_is_read() -> None:
    line = orders("recruit 1" + " " * (MAX_LINE_LENGTH - 24))[:-1].ljust(MAX_LINE_LENGTH - 1) + b"\n"
    program = Program(says_once(line))
    with pytest.raises(ConfigError, match="ended"):
        play_game(session(), program.read, program.write)
    assert [one["type"] for one in program.lines] == ["position", "position"]


def report_of_a_judge() -> str:
    """A report that asks England something, with the head that a judge's form has."""
    table = session("hammer", "england", "1")
    while not unpack_asks(table.report()):
        table.send("")
    head = "pbem1 orders\ngame hearth\nexchange 9\nside england\n---\n"
    return table.report().replace("begin orders\n", f"{head}begin orders\n")


def test_the_orders_for_one_report_come_as_a_file() -> None:
    program = Program(first_answers)
    answer_report(report_of_a_judge(), program.read, program.write)
    position, file = program.lines
    assert (position["game"], position["exchange"], position["side"]) == ("hearth", 9, "england")
    draft = parse_draft(file["text"])
    assert (draft.game, draft.exchange, draft.side) == ("hearth", 9, "england")
    assert draft.body.strip() == position["questions"][0]["legal"][0]


def test_the_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    class Standard:
        buffer = io.BytesIO(orders("done"))

    monkeypatch.setattr(sys, "stdin", Standard())
    report = tmp_path / "report.txt"
    report.write_text(report_of_a_judge())
    assert main(["tool", "bot", str(report), "--stdio"]) == 0
    position, file = map(json.loads, capsys.readouterr().out.splitlines())
    assert (position["type"], file["type"]) == ("position", "file")
    assert main(["tool", "bot", "--stdio", "--game", "lords", "--side", "red", "--seed", "7"]) == 1
    shown = capsys.readouterr()
    assert json.loads(shown.out)["type"] == "position"
    assert shown.err == "pbem: the program ended, and the game goes on\n"
    assert main(["tool", "bot"]) == 2
    assert "name a REPORT" in capsys.readouterr().err
    report.write_text("no report")
    assert main(["tool", "bot", str(report), "--stdio"]) == 1
    assert "not a report that asks" in capsys.readouterr().err


def play_in_javascript(rules: str, games: int) -> str:
    """What the documents' bot prints about games that it plays."""
    node: str = shutil.which("node") or pytest.skip("node is not installed")
    table = [sys.executable, "-m", "pbem", "tool", "bot", "--stdio", "--game", rules]
    words = [node, str(DOCS / "bot.mjs"), str(games), *table]
    done = subprocess.run(words, check=False, capture_output=True, text=True, timeout=1800)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.ci
@pytest.mark.parametrize("rules", ["lords", "first-war", "hammer"])
def test_the_bot_in_the_documents_plays(rules: str) -> None:
    assert play_in_javascript(rules, 1).endswith("0 orders were refused\n")


@pytest.mark.slow
@pytest.mark.parametrize("rules", ["lords", "first-war", "hammer"])
def test_the_bot_in_the_documents_plays_a_hundred_games(rules: str) -> None:
    lines = play_in_javascript(rules, 100).splitlines()
    assert len(lines) == 101
    assert lines[-1] == "0 orders were refused"
