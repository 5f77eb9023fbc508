"""Private notes: they come back with the game and its next report, and nothing that leaves knows of them."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pbem.cli import main
from pbem.player import Home
from pbem.player.faults import Refused
from pbem.web import homefile
from pbem.web.api import Api
from pbem.web.private_notes import MAX_MARK_SIZE, MAX_MARKS, MAX_TEXT_SIZE, NotesOfGame, PrivateNotes
from tests.player.test_web_looking_back import GAME, Stage, stage_in
from tests.web.table import bot_orders

Pbem = Callable[..., tuple[str, str]]
NOON = datetime(2027, 1, 1, 12, tzinfo=UTC)
HOSTILE = "<b>Edward</b>\x1b[31m\u202e\u2066?\n"
CLEAN = "<b>Edward</b> [31m  ?\n"


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Stage:
    """A game whose exchange 4 is open; homes are copied before anything is done in them."""
    return stage_in(tmp_path_factory.getbasetemp())


@pytest.fixture
def api(stage: Stage, tmp_path: Path) -> Api:
    """The api to a copy of Alice's home."""
    return Api(shutil.copytree(stage.alice.home, tmp_path / "home"), clock=lambda: NOON)


def mark_first(api: Api, text: str) -> NotesOfGame:
    """Mark the first block that can be marked."""
    block = api.private_notes(GAME).blocks[0]
    return api.mark_block(GAME, block.side, block.area, block.name, text)


def test_a_note_is_text_and_is_in_the_file_of_the_home(api: Api, tmp_path: Path) -> None:
    assert api.private_notes(GAME).text == ""
    assert api.write_private_note(GAME, HOSTILE).text == CLEAN
    marked = mark_first(api, HOSTILE)
    assert [one.text for one in marked.marks] == [CLEAN]
    homefile.unpack(homefile.pack(tmp_path / "home"), tmp_path / "other")
    other = Api(tmp_path / "other", clock=lambda: NOON)
    assert other.private_notes(GAME) == marked
    assert other.write_private_note(GAME, "").text == ""


def test_a_marker_says_where_its_block_is_until_it_is_taken_back(api: Api) -> None:
    block = api.private_notes(GAME).blocks[0]
    (mark,) = mark_first(api, "I think this is Edward").marks
    assert mark.areas == (block.area,)
    assert (mark.about, mark.said) == (block.said, f"in {block.area}")
    assert [one.number for one in mark_first(api, "or the king").marks] == [1, 2]
    assert [one.number for one in api.remove_mark(GAME, 2).marks] == [1]
    assert [one.number for one in mark_first(api, "again").marks] == [1, 3], "no number is given twice"
    with pytest.raises(Refused, match="there is no marker 2"):
        api.remove_mark(GAME, 2)


@pytest.mark.ci
def test_a_marker_goes_on_with_the_next_report(stage: Stage, api: Api, tmp_path: Path) -> None:
    """A marker that was made by an earlier report says where its block can be by the last one."""
    reports = tmp_path / f"home/games/{GAME}/reports"
    last = max(reports.glob("0*.txt"))
    kept = last.read_bytes()
    last.unlink()
    blocks = api.private_notes(GAME).blocks
    for block in blocks:
        api.mark_block(GAME, block.side, block.area, block.name, "?")
    last.write_bytes(kept)
    marks = api.private_notes(GAME).marks
    assert len(marks) == len(blocks)
    enemies = Home(stage.bob.home).folder(GAME)
    assert enemies.reports()[-1] == 3
    for mark in marks:
        assert mark.areas or mark.said.startswith(("followed until exchange 3", "the last report"))


def test_a_report_that_is_missing_ends_a_marker(api: Api, tmp_path: Path) -> None:
    reports = tmp_path / f"home/games/{GAME}/reports"
    for name in ("0002.txt", "0003.txt"):
        (reports / name).rename(reports / f"away-{name}")
    mark_first(api, "?")
    (reports / "away-0003.txt").rename(reports / "0003.txt")
    (mark,) = api.private_notes(GAME).marks
    assert (mark.areas, mark.said) == ((), "followed until exchange 1, whose next report is not here")


def test_what_cannot_be_noted_is_refused_in_words(api: Api) -> None:
    block = api.private_notes(GAME).blocks[0]
    with pytest.raises(Refused, match="a marker needs a text"):
        mark_first(api, " \u200b ")
    with pytest.raises(Refused, match="shows no block to mark in Paris"):
        api.mark_block(GAME, block.side, "Paris", "", "?")
    with pytest.raises(Refused, match="choose a block"):
        api.mark_block(GAME, "", "", "", "?")
    with pytest.raises(Refused, match="at most 16,384 are kept"):
        api.write_private_note(GAME, "x" * 20_000)


def test_a_damaged_marker_is_left_out(api: Api, tmp_path: Path) -> None:
    notes = tmp_path / f"home/games/{GAME}/notes"
    mark_first(api, "one")
    for number, data in enumerate((b"", b"\xff\0---\n", b"side \narea\nexchange x\n---\n"), 2):
        (notes / f"{number:04}.txt").write_bytes(data)
    assert [one.text for one in api.private_notes(GAME).marks] == ["one\n"]


def test_what_leaves_is_the_same_with_and_without_notes(stage: Stage, tmp_path: Path) -> None:
    leaves = []
    for name in ("with", "without"):
        home = shutil.copytree(stage.alice.home, tmp_path / name)
        api = Api(home, clock=lambda: NOON)
        before = api.standing()
        if name == "with":
            api.write_private_note(GAME, "I shall attack")
            mark_first(api, "Edward")
            assert api.standing() == before, "a note does not make the saved file of the home old"
        api.saved()
        orders = bot_orders("hammer", "scotland", stage.alice.view)
        made = api.seal(GAME, orders)
        sent = sorted((home / f"games/{GAME}/sent").glob("0004-*.txt"))
        signed = [path.read_bytes() for path in sent]
        asked = api.more_time(GAME).text
        away = api.away(GAME, "2027-02-01", "2027-02-07").text
        leaves.append((signed, made.file, made.subject, asked, away, api.sheet(GAME, 4, 6)))
    assert leaves[0] == leaves[1]
    assert leaves[0][0]


@pytest.fixture
def pbem(
    api: Api, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Pbem:
    """Commands in the home that the api has."""
    monkeypatch.setenv("PBEM_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)

    def run(*words: str | Path, status: int = 0) -> tuple[str, str]:
        assert main([str(word) for word in words]) == status
        return capsys.readouterr()

    return run


def test_what_is_noted_at_the_command_line_is_in_the_page_and_back(api: Api, pbem: Pbem) -> None:
    """Both have one place and one rule; a terminal is told no control characters."""
    assert pbem("note", GAME)[1] == f"pbem: you have no notes about {GAME}\n"
    assert pbem("note", GAME, "he waits") == ("he waits\n", "")
    assert pbem("note", GAME, HOSTILE)[1] == "pbem: this takes the place of: he waits\n"
    assert api.private_notes(GAME).text == CLEAN
    blocks = api.private_notes(GAME).blocks
    assert pbem("note", GAME, "--blocks")[0].splitlines() == [block.said for block in blocks]
    out, _ = pbem("note", GAME, "Edward?", "--mark", blocks[0].area.upper())
    (mark,) = api.private_notes(GAME).marks
    assert (mark.text, mark.areas) == ("Edward?\n", (blocks[0].area,))
    assert out.splitlines()[-1] == f"1. Edward? ({mark.about}; now: {mark.said})"
    pbem("note", GAME, "--remove", "1")
    assert pbem("note", GAME, "") == (
        "",
        f"pbem: this takes the place of: {CLEAN.strip()}\npbem: you have no notes about {GAME}\n",
    )


def test_a_block_is_marked_by_its_name_its_area_or_the_words_of_the_list(api: Api, pbem: Pbem) -> None:
    blocks = api.private_notes(GAME).blocks
    areas = [one.area for one in blocks]
    named = [one for one in blocks if one.name and one.name not in areas]  # a noble bears an area's name
    assert named, "the report names a block"
    several = min(area for area in areas if areas.count(area) > 1)
    pbem("note", GAME, "by name", "--mark", named[0].name)
    assert f"{several} may be: " in pbem("note", GAME, "?", "--mark", several, status=1)[1]
    pbem("note", GAME, "as listed", "--mark", named[-1].said)
    assert [one.about for one in api.private_notes(GAME).marks] == [named[0].said, named[-1].said]
    assert "no block to mark that is called Paris" in pbem("note", GAME, "?", "--mark", "Paris", status=1)[1]
    assert "a marker needs a text" in pbem("note", GAME, "--mark", named[0].name, status=1)[1]


def test_notes_stand_beside_a_report_and_in_no_file_made_of_it(stage: Stage, pbem: Pbem) -> None:
    plain = pbem("show", GAME)
    pbem("note", GAME, "he waits")
    assert pbem("show", GAME) == (
        plain[0],
        f"pbem: your notes about {GAME}, which nobody else sees:\n  he waits\n",
    )
    letter = max(path for path in stage.alice.read if "report" in path.name)
    assert "which nobody else sees:\n  he waits" in pbem("receive", letter)[1]


def test_so_much_can_be_noted_and_no_more(tmp_path: Path) -> None:
    notes = PrivateNotes(tmp_path)
    notes.write("x" * (MAX_TEXT_SIZE - 1))
    with pytest.raises(Refused, match="this note has 16,385 bytes"):
        notes.write("x" * MAX_TEXT_SIZE)
    with pytest.raises(Refused, match="this note has 501 bytes"):
        notes.mark("england", "Fife", 1, "", "x" * MAX_MARK_SIZE)
    for _ in range(MAX_MARKS):
        notes.mark("england", "Fife", 1, "", "x" * (MAX_MARK_SIZE - 1))
    assert len(list(notes.marks())) == MAX_MARKS
    with pytest.raises(Refused, match="200 markers at most"):
        notes.mark("england", "Fife", 1, "", "x")
