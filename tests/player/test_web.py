"""What the page may ask of Python, natively: a home in memory, mail in, orders out, the home as a file."""

import base64
import io
import json
import subprocess
import sys
import zipfile
from collections.abc import Callable, Mapping
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


def test_a_key_that_another_tab_has_unlocked_signs_and_opens_here(
    api: Api, alice: Home, judge: Judge, tmp_path: Path
) -> None:
    """Natively its seed stands for itself; in the page something stands for it that asks the other tab."""
    from pbem.trust import keys

    seed = alice.keys.unlock("alice").seed
    locked = keys.load_private(alice.keys.unlock("alice").to_openssh("correct", rounds=4), "correct")
    (alice.path / "keys/alice").write_bytes(locked.to_openssh("correct", rounds=4))
    other = Api(alice.path, clock=lambda: START)
    with pytest.raises(Refused, match="is locked"):
        other.seed_of("alice")
    with pytest.raises(KeyFault, match="is not alice"):
        other.borrow("alice", base64.b64encode(keys.generate().seed).decode())
    assert not other.standing().keys[0].unlocked
    assert other.borrow("alice", base64.b64encode(seed).decode()).unlocked
    other.receive(given(judge.mail(judge.letter(0)).encode()))
    other.saved()
    assert other.seal(GAME, "").text
    assert "seed_of" not in CALLS


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


def test_a_link_never_replaces_the_judge_who_is_known(api: Api, alice: Home, judge: Judge) -> None:
    other, own = "SHA256:" + "B" * 43, judge.key.public.fingerprint
    assert api.judges("dunbar") == ()
    made = api.join("dunbar", "alice", JUDGE, linked=True)
    assert api.judges("dunbar") == (JUDGE,)
    before = {path: path.read_bytes() for path in homefile.held(alice.path)}
    with pytest.raises(Refused, match=f"of the judge with the key {JUDGE}.*{other}"):
        api.join("dunbar", "alice", other, linked=True)
    assert {path: path.read_bytes() for path in homefile.held(alice.path)} == before
    assert api.join("dunbar", "alice", JUDGE, linked=True) == made
    api.join("dunbar", "alice", other)  # what a player types may correct what they typed
    assert api.judges("dunbar") == (other,)

    api.receive(given(judge.mail(judge.letter(0)).encode()))
    assert api.judges(GAME) == (own,), "the first letter has brought it"
    with pytest.raises(Refused, match="a link does not change"):
        api.join(GAME, "alice", other, linked=True)
    assert api.judges(GAME) == (own,)


def test_what_was_sent_asks_quietly_for_the_home(api: Api, judge: Judge, tmp_path: Path) -> None:
    api.receive(given(judge.mail(judge.letter(0)).encode()))
    api.saved()
    made = api.seal(GAME, "")
    assert (api.standing().saved, api.standing().knows_sent) == (True, False)
    api.saved()
    assert api.standing().knows_sent
    sealed = api._home.folder(GAME).sent_files.orders()[0].sealed
    assert sealed is not None
    api.receive(given(judge.signed_receipt(judge.receipt(1, "alice", made.rev, sealed))))
    assert not api.standing().knows_sent
    api.seal(GAME, "")


def test_two_devices_seal_one_number(api: Api, judge: Judge, tmp_path: Path) -> None:
    """The home is carried to a telephone; the judge enters what the desk has sealed."""
    api.receive(given(judge.mail(judge.letter(0)).encode()))
    api.saved()
    telephone = Api(tmp_path / "telephone", clock=lambda: START)
    telephone.load_home(api.save_home())
    api.seal(GAME, "")
    telephone.seal(GAME, "note from the telephone")
    (file,) = api._home.folder(GAME).sent_files.orders()
    assert file.sealed is not None
    receipt = judge.signed_receipt(judge.receipt(1, "alice", 1, file.sealed))
    for device in (api, telephone):
        assert device.receive(given(receipt)).faults == ()
    assert [device.standing().games[0].state for device in (api, telephone)] == ["receipted", "another file"]
    assert "another file of yours" in telephone.standing().games[0].files[0]
    assert telephone.seal(GAME, "note from the telephone").rev == 2


def test_the_home_goes_out_and_comes_back(api: Api, alice: Home, tmp_path: Path) -> None:
    data = homefile.pack(alice.path)
    assert data == homefile.pack(alice.path), "the same home gives the same bytes"
    other = tmp_path / "other"
    assert homefile.unpack(data, other) == len(list(homefile.held(alice.path)))
    for path in homefile.held(alice.path):
        again = other / path.relative_to(alice.path)
        assert again.read_bytes() == path.read_bytes()
        assert again.stat().st_mode & 0o077 == 0


def zip_of(files: Mapping[str, bytes], method: int = zipfile.ZIP_STORED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return out.getvalue()


def home_files(home: Home) -> dict[str, bytes]:
    return {path.relative_to(home.path).as_posix(): path.read_bytes() for path in homefile.held(home.path)}


def test_a_hostile_zip_writes_nothing_outside(alice: Home, tmp_path: Path) -> None:
    home = tmp_path / "deep/home"
    homefile.unpack(zip_of({f"../{name}": data for name, data in home_files(alice).items()}), home)
    assert home_files(Home(home)) == home_files(alice)
    assert list((tmp_path / "deep").iterdir()) == [home]


def damaged_deflate(alice: Home) -> bytes:
    """A home whose first file has a block of a type that deflate does not have."""
    data = bytearray(homefile.pack(alice.path))
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        place = 30 + len(archive.infolist()[0].filename)  # behind the head of the file
    data[place] = 0xFF
    return bytes(data)


BAD_HOMES: dict[str, Callable[[Home], bytes]] = {
    "a public key that is none": lambda alice: zip_of({**home_files(alice), "keys/alice.pub": b"garbage"}),
    "a private key that is none": lambda alice: zip_of({**home_files(alice), "keys/alice": b"garbage"}),
    "a folder of keys without one": lambda _: zip_of({"keys/notes.txt": b"none", "games/x": b""}),
    "a public key alone": lambda alice: zip_of(
        {"keys/alice.pub": home_files(alice)["keys/alice.pub"], "keys/bob": b""}
    ),
    "a key that is a folder": lambda alice: zip_of(
        {"keys/alice.pub": home_files(alice)["keys/alice.pub"], "keys/alice/x": b""}
    ),
    "a file that is a folder too": lambda alice: zip_of({**home_files(alice), "keys/alice/x": b""}),
    "damaged deflate": damaged_deflate,
    "another way to pack": lambda alice: zip_of(home_files(alice), zipfile.ZIP_LZMA),
}


@pytest.mark.parametrize("bad", BAD_HOMES.values(), ids=BAD_HOMES)
def test_a_home_that_cannot_be_used_is_refused_whole_and_the_true_one_is_then_taken(
    alice: Home, tmp_path: Path, bad: Callable[[Home], bytes]
) -> None:
    api = Api(tmp_path / "page/home")
    with pytest.raises(Refused, match=r"not a zip of a home|holds no keys|not taken as a home"):
        api.load_home(base64.b64encode(bad(alice)).decode())
    assert [path for path in tmp_path.glob("page/**/*") if path.is_file()] == []
    assert api.standing().keys == ()
    assert [key.name for key in api.load_home(base64.b64encode(homefile.pack(alice.path)).decode()).keys] == [
        "alice"
    ]


def test_what_the_page_has_noted_itself_cannot_stop_a_home(alice: Home, judge: Judge, tmp_path: Path) -> None:
    alice.receive(judge.mail(judge.letter(0)).encode())
    for noted in (b'{"seen": "x", "handed": 3}', b"[" * 100_000, b'{"seen": true}', b"\xff"):
        odd = {"page/saved/x": b"", "page/saved": b"\xff", f"page/{GAME}.json": noted}
        api = Api(tmp_path / f"{len(noted)}")
        api.load_home(base64.b64encode(zip_of({**home_files(alice), **odd})).decode())
        assert api.standing().saved
        assert api.standing().games[0].state == "draft"
        assert api.standing().games[0].new


@pytest.mark.parametrize("seen", [-7, 10**30, "9" * 5_000, 1.5])
def test_no_mark_of_what_was_seen_hides_a_report(
    alice: Home, judge: Judge, tmp_path: Path, seen: object
) -> None:
    alice.receive(judge.mail(judge.letter(0)).encode())
    noted = f'{{"seen": {seen}}}'.encode()
    api = Api(tmp_path / "other")
    odd = {f"page/{GAME}.json": noted}
    api.load_home(base64.b64encode(zip_of({**home_files(alice), **odd})).decode())
    assert api.show(GAME).exchange == 0
    assert api.standing().games[0].new == (seen != 10**30), "at worst it is not called new"


def test_a_home_is_removed_once_its_name_is_typed(api: Api, alice: Home) -> None:
    for wrong in ("", "bob", "alice.recovery"):
        with pytest.raises(Refused, match="type alice"):
            api.remove_home(wrong)
    whole = homefile.pack(alice.path)
    (alice.path / "keys/alice.pub").write_bytes(b"garbage")
    with pytest.raises(KeyFault):
        api.standing()
    assert api.names() == ("alice",)
    assert api.remove_home("alice").keys == ()
    assert not list(alice.path.iterdir())
    assert api.names() == ("home",)
    assert api.load_home(base64.b64encode(whole).decode()).keys


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


@pytest.mark.ci
def test_a_first_look_imports_neither_reports_nor_mails(tmp_path: Path) -> None:
    """Importing is a large part of the page's start; what comes next is imported while the player looks."""
    program = (
        "import sys, pathlib\nfrom pbem.web.door import Door\n"
        "door = Door(pathlib.Path(sys.argv[1]))\ndoor.fill({})\n"
        'door.ask(\'{"call": "standing", "given": {}}\')\n'
        "late = ('pbem.orders.kit', 'pbem.pages', 'pbem.web.reading', 'email.policy', 'jinja2')\n"
        "print([name for name in late if name in sys.modules])\n"
        'door.ask(\'{"call": "warm_up", "given": {}}\')\n'
        "print('pbem.web.reading' in sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, tmp_path / "home"], check=True, capture_output=True, text=True
    )
    assert done.stdout.split("\n")[:2] == ["[]", "True"]


def test_what_comes_next_is_imported_with_the_games_that_are_played(api: Api, judge: Judge) -> None:
    api.receive(given(judge.mail(judge.letter(0)).encode()))
    api.warm_up()
    api.show(GAME)
