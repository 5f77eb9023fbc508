"""What the page may ask of Python, natively: a home in memory, mail in, orders out, the home as a file."""

import base64
import io
import json
import zipfile
from pathlib import Path

import pytest

from pbem import pages
from pbem.player import Home
from pbem.player.faults import Refused
from pbem.reports.words import Table
from pbem.trust.faults import KeyFault
from pbem.web import homefile
from pbem.web.api import Api
from pbem.web.door import CALLS, Door
from pbem.web.reading import shown as shown_section
from tests.player.judge import GAME, START, Judge

JUDGE = "SHA256:" + "A" * 43


def given(*data: bytes) -> list[tuple[str, str]]:
    return [("letter.txt", base64.b64encode(one).decode()) for one in data]


@pytest.fixture
def api(alice: Home) -> Api:
    """Of a player who has joined."""
    return Api(alice.path, clock=lambda: START)


def test_a_wrong_passphrase_unlocks_nothing(tmp_path: Path) -> None:
    home = tmp_path / "home"
    from pbem.trust import keys

    (home / "keys").mkdir(parents=True)
    key = keys.generate("carol")
    (home / "keys/carol").write_bytes(key.to_openssh("correct", rounds=4))
    (home / "keys/carol").chmod(0o600)
    (home / "keys/carol.pub").write_text(key.public.file_line, encoding="ascii")
    api = Api(home)
    assert not api.standing().keys[0].unlocked
    with pytest.raises(KeyFault, match="does not open this key"):
        api.unlock("carol", "wrong")
    assert not api.standing().keys[0].unlocked
    assert api.unlock("carol", "correct").unlocked
    assert api.standing().keys[0].unlocked


def test_from_the_invitation_to_the_receipt(api: Api, judge: Judge) -> None:
    received = api.receive(given(judge.mail(judge.letter(0)).encode()))
    assert [one["kind"] for one in received.arrivals] == ["report"]
    (line,) = api.standing().games
    assert (line.state, line.new, line.exchange) == ("draft", True, 1)
    api.looked(GAME, 0)
    assert not api.standing().games[0].new

    with pytest.raises(Refused, match="first save your home as a file"):
        api.seal(GAME, "")
    assert api.standing().games[0].state == "draft", "nothing was signed"
    api.saved()
    made = api.seal(GAME, "")
    assert made.text.startswith("-----BEGIN AGE ENCRYPTED FILE-----")
    assert (made.exchange, made.rev, made.file) == (1, 1, f"{GAME}-0001-revision-1.txt")
    assert api.standing().games[0].state == "sealed"
    assert api.last_sealed(GAME) == made
    assert api.handed(GAME, 1, 1).state == "handed over"


def test_what_is_wrong_is_told_in_the_words_of_the_command_line(api: Api, alice: Home, judge: Judge) -> None:
    """Of each file, though two have one name."""
    forged = judge.mail(judge.letter(0)).encode().replace(b"BEGIN AGE", b"BEGIN OLD")
    (fault,) = alice.deliver({"": forged}).faults
    received = api.receive(given(forged, forged))
    assert [said for _, said in received.faults] == [str(fault[1])] * 2
    assert received.arrivals == ()


def test_a_new_secret_asks_for_the_home_to_be_saved_again(api: Api) -> None:
    api.saved()
    assert api.standing().saved
    api.join("other", "alice", JUDGE)
    assert not api.standing().saved
    api.saved()
    api.keep_draft(GAME, "card 3") if api.standing().games[0].exchange else None
    assert api.standing().saved, "a draft is not a secret"


def test_the_home_goes_out_and_comes_back(api: Api, alice: Home, tmp_path: Path) -> None:
    data = homefile.pack(alice.path)
    assert data == homefile.pack(alice.path), "the same home gives the same bytes"
    other = tmp_path / "other"
    assert homefile.unpack(data, other) == len(list(homefile.held(alice.path)))
    for path in homefile.held(alice.path):
        again = other / path.relative_to(alice.path)
        assert again.read_bytes() == path.read_bytes()
        assert again.stat().st_mode & 0o077 == 0


def test_a_hostile_zip_writes_nothing_outside(tmp_path: Path) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("../keys/alice", b"x")
    home = tmp_path / "deep/home"
    homefile.unpack(out.getvalue(), home)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == [home / "keys/alice"]


def test_the_door_knows_the_api_and_nothing_else(tmp_path: Path) -> None:
    door = Door(tmp_path / "home")
    told = json.loads(door.ask(json.dumps({"call": "standing", "given": {}})))
    assert told["answer"]["keys"] == []
    for call in ("_open", "__init__", "exec", ""):
        assert "bug" in json.loads(door.ask(json.dumps({"call": call, "given": {}})))
    assert "bug" in json.loads(door.ask("no json"))
    assert "fault" in json.loads(door.ask(json.dumps({"call": "show", "given": {"game": "hearth"}})))
    assert {"show", "seal", "receive"} <= CALLS.keys()


def test_what_changed_is_told_until_it_is_kept_and_taken_back_if_it_is_not(
    alice: Home, tmp_path: Path
) -> None:
    kept = {path.relative_to(alice.path).as_posix(): path.read_bytes() for path in homefile.held(alice.path)}
    door = Door(tmp_path / "memory")
    door.fill(kept)
    assert door.changes() == ([], [])
    asked = json.dumps({"call": "join", "given": {"game": "other", "player": "alice", "judge": JUDGE}})
    assert "answer" in json.loads(door.ask(asked))
    written, gone = door.changes()
    assert written
    assert all(name.startswith("games/other/") for name, _ in written)
    assert not gone
    door.fill(kept)  # the storage was full: what is in memory is what is kept
    assert door.changes() == ([], [])
    assert not (tmp_path / "memory/games/other").exists()
    door.ask(asked)
    door.kept()
    assert door.changes() == ([], [])


def test_the_page_shows_a_report_without_the_form_and_the_command_that_reads_it() -> None:
    table = pages.Section("The map", (), Table("THE MAP", ("area", "side"), (("Fife", "red"),)))
    asked = pages.Section(
        "What is asked",
        (
            pages.Part("Needed now: a card."),
            pages.Part("Fill in this form."),
            pages.Part("begin orders", form=True),
        ),
        asked=True,
    )
    assert [part["said"] for part in shown_section(asked)["parts"]] == ["Needed now: a card."]
    assert shown_section(table)["parts"] == []
    assert shown_section(table)["table"]["rows"] == [["Fife", "red"]]
