"""Two devices of one player, a real box between them, and boxes that lie."""

from __future__ import annotations

import json
import shutil
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from pbem.errors import ConfigError
from pbem.player import Home, files
from pbem.player.box_client import BoxClient, BoxFault
from pbem.player.faults import Refused
from pbem.trust.armor import find_sealed
from pbem.trust.keys import generate
from pbem.trust.post_box import make_copy_key, seal_copy
from pbem.trust.sealing import to_armor
from pbem.web import homefile
from pbem.web.home_copy import HomeCopies
from tests.box.test_round_trip import NAMES, Party, command, party
from tests.judge.table import GAME

__all__ = ["party"]
URL = "https://box.club.example/"


# The real box, by commands


def second(party: Party, name: str) -> Home:
    """A device that has nothing but the player's key."""
    home = Home(party.homes[name].path.parent / "telephone")
    for kind in ("", ".pub"):
        target = home.path / f"keys/{name}{kind}"
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(party.homes[name].path / f"keys/{name}{kind}", target)
    return home


@pytest.mark.ci
def test_a_second_device_gets_the_home_and_both_stay_one(party: Party) -> None:
    party.run()
    desk = party.homes["alice"]
    for name in NAMES:
        command(party.homes[name], "fetch", "--box", party.box.url, "--as", name)
    assert "a new device needs your key" in command(desk, "sync")
    phone = second(party, "alice")
    command(phone, "sync", "--box", party.box.url, "--as", "alice")
    assert phone.games()[0].exchange == 1, "its games, and the secret of its chain"
    command(phone, "seal", "--game", GAME, "--bare")
    party.answer("bob")
    party.run()
    command(desk, "fetch")
    (status,) = desk.games()
    assert (status.exchange, status.remarks) == (2, ()), "no file came from elsewhere"
    assert desk.folder(GAME).sent_files.orders_of(1), "what the telephone has sealed is here"
    command(phone, "seal", "--game", GAME, "--bare")
    assert phone.folder(GAME).sent_files.orders_of(2), "it has taken the letters over before"
    command(desk, "sync")
    shared = [{path.relative_to(home.path) for path in homefile.held(home.path)} for home in (desk, phone)]
    assert shared[0] == shared[1]


@pytest.mark.ci
def test_a_device_that_is_not_the_newest_seals_nothing_while_the_box_is_away(party: Party) -> None:
    party.run()
    desk = party.homes["alice"]
    command(desk, "fetch", "--box", party.box.url, "--as", "alice")
    command(desk, "sync")
    phone = second(party, "alice")
    command(phone, "sync", "--box", party.box.url, "--as", "alice")
    party.box.stop(signal.SIGKILL)
    with pytest.raises(ConfigError, match="nothing is sealed before"):
        command(phone, "seal", "--game", GAME, "--bare")
    assert not phone.folder(GAME).sent_files.orders()
    assert "BEGIN AGE" in command(desk, "seal", "--game", GAME, "--bare"), "whoever was last goes on"
    command(phone, "sync", "--off")
    assert "BEGIN AGE" in command(phone, "seal", "--game", GAME, "--bare")


@pytest.mark.ci
def test_a_box_without_a_key_s_name_is_told(party: Party) -> None:
    assert "--box needs --as" in command(party.homes["alice"], "sync", "--box", party.box.url, status=2)
    with pytest.raises(ConfigError, match="name the post box that keeps the copy"):
        command(party.homes["alice"], "sync")


@pytest.mark.ci
def test_the_box_keeps_nothing_that_can_be_read(party: Party) -> None:
    party.run()
    desk = party.homes["alice"]
    command(desk, "fetch", "--box", party.box.url, "--as", "alice")
    command(desk, "sync")
    (copy,) = (party.box.path / "copies").iterdir()
    secret = (desk.folder(GAME).path / "chain-secret").read_bytes().strip()
    data = copy.read_bytes()
    (sealed,) = find_sealed(data.partition(b"\n")[2])
    assert secret not in data + sealed
    assert b"PK\x03" not in data + sealed


# A box in memory


class Box:
    """What a box keeps of one player, and a way to go back."""

    def __init__(self) -> None:
        self.generation, self.armor = 0, ""

    def get_copy(self, since: int) -> tuple[int, str]:
        return self.generation, "" if since == self.generation else self.armor

    def put_copy(self, generation: int, armor: str) -> bool:
        if generation != self.generation + 1:
            return False
        self.generation, self.armor = generation, armor
        return True


class Device:
    """A home, and its copy in that box."""

    def __init__(self, home: Home, box: Box) -> None:
        self.home, self.box = home, box
        self.copies = HomeCopies(home)
        self.copies.switch_on(URL, "alice")

    def take(self) -> tuple[str, ...]:
        return self.copies.take(*self.box.get_copy(self.copies.state.here.number)).said

    def give(self, *, hears: bool = True) -> bool:
        """Give a new copy; `hears`: whether the answer of the box comes through."""
        if self.copies.state.is_unsure:
            assert self.take() == ()
            assert not self.copies.state.is_unsure
        if (found := self.copies.put()) is None:
            return True
        stored = self.box.put_copy(*found)
        if stored and hears:
            self.copies.was_put(found[0])
        return stored

    def write(self, name: str, text: str) -> None:
        files.write(self.home.path / name, text.encode())

    def read(self, name: str) -> str | None:
        data = files.read_file(self.home.path / name)
        return None if data is None else data.decode()


@pytest.fixture
def devices(alice: Home, tmp_path: Path) -> tuple[Device, Device]:
    """A desk and a telephone that have the same home."""
    box = Box()
    other = Home(shutil.copytree(alice.path, tmp_path / "telephone"), clock=alice.now)
    desk = Device(alice, box)
    desk.write("games/hearth/ledger.txt", "1\n")
    assert desk.give()
    phone = Device(other, box)
    phone.take()
    return desk, phone


def test_changes_of_both_come_together(devices: tuple[Device, Device]) -> None:
    desk, phone = devices
    desk.write("games/hearth/sent/0002-1.txt", "desk")
    phone.write("games/braes/sent/0001-1.txt", "phone")
    assert desk.give()
    assert not phone.give(), "the desk was faster"
    assert phone.take() == ()
    assert phone.give()
    assert desk.take() == ()
    for one in devices:
        assert one.read("games/hearth/sent/0002-1.txt") == "desk"
        assert one.read("games/braes/sent/0001-1.txt") == "phone"
    assert desk.copies.put() is None, "nothing has changed since"
    assert phone.copies.put() is None


def test_the_longer_ledger_counts_and_no_key_changes(devices: tuple[Device, Device]) -> None:
    desk, phone = devices
    desk.write("games/hearth/ledger.txt", "leaf 1\nleaf 2\nleaf 3\n")
    phone.write("games/hearth/ledger.txt", "leaf 1\nleaf 2\n")
    desk.write("games/braes/ledger.txt", "leaf 1\nleaf 2\n")
    phone.write("games/braes/ledger.txt", "leaf 1\nentry 1\nleaf 2\n")
    key = phone.read("keys/alice.pub")
    desk.write("keys/alice.pub", "another")
    desk.write("boxes/x/through", "9\n")
    phone.write("boxes/x/through", "10\n")
    desk.give()
    phone.take()
    assert phone.read("games/hearth/ledger.txt") == "leaf 1\nleaf 2\nleaf 3\n"
    assert phone.read("games/braes/ledger.txt") == "leaf 1\nentry 1\nleaf 2\n", "it can open more"
    assert phone.read("boxes/x/through") == "10\n"
    assert phone.read("keys/alice.pub") == key
    phone.give()
    desk.take()
    assert desk.read("boxes/x/through") == "10\n"
    assert desk.read("games/braes/ledger.txt") == "leaf 1\nentry 1\nleaf 2\n"


def test_two_ledgers_that_differ_are_both_kept(devices: tuple[Device, Device]) -> None:
    desk, phone = devices
    desk.write("games/hearth/ledger.txt", "leaf 1 a\nleaf 2 b\nleaf 3\n")
    phone.write("games/hearth/ledger.txt", "leaf 1 a\nleaf 2 c\n")
    desk.give()
    assert len(phone.take()) == 1
    assert phone.read("games/hearth/ledger.txt") == "leaf 1 a\nleaf 2 c\n"
    assert phone.read("forgotten/drifted-2/games/hearth/ledger.txt") == "leaf 1 a\nleaf 2 b\nleaf 3\n"


def test_what_both_have_sealed_is_put_away_and_told(devices: tuple[Device, Device]) -> None:
    desk, phone = devices
    desk.write("games/hearth/sent/0002-1.txt", "desk")
    phone.write("games/hearth/sent/0002-1.txt", "phone")
    desk.give()
    assert phone.take() == (
        "1 files were changed on two devices; those of this one are in forgotten/drifted-2",
    )
    assert phone.read("games/hearth/sent/0002-1.txt") == "desk"
    assert phone.read("forgotten/drifted-2/games/hearth/sent/0002-1.txt") == "phone"


def test_a_note_that_both_have_changed_is_put_away_and_not_lost(devices: tuple[Device, Device]) -> None:
    desk, phone = devices
    desk.write("games/hearth/notes/game.txt", "by the desk")
    desk.give()
    phone.write("games/hearth/notes/game.txt", "by the phone")
    assert len(phone.take()) == 1
    assert phone.read("games/hearth/notes/game.txt") == "by the desk"
    assert phone.read("forgotten/drifted-2/games/hearth/notes/game.txt") == "by the phone"


def test_what_was_removed_goes_but_for_what_was_signed(devices: tuple[Device, Device]) -> None:
    desk, phone = devices
    for name in ("page/hearth.json", "games/hearth/sent/0001-1.txt", "games/hearth/held/x"):
        desk.write(name, name)
    desk.give()
    phone.take()
    for name in ("page/hearth.json", "games/hearth/sent/0001-1.txt"):
        (desk.home.path / name).unlink()
    held = desk.home.path / "games/hearth/held/x"
    (desk.home.path / "forgotten/1").mkdir(parents=True)
    held.rename(desk.home.path / "forgotten/1/x")
    desk.give()
    phone.take()
    assert phone.read("page/hearth.json") is None
    assert phone.read("games/hearth/sent/0001-1.txt") is not None
    assert phone.read("games/hearth/held/x") is None, "it has gone elsewhere"
    assert phone.read("forgotten/1/x") == "games/hearth/held/x"


def test_a_copy_whose_answer_got_lost_is_known_again(devices: tuple[Device, Device]) -> None:
    desk, _ = devices
    desk.write("page/hearth-0002.txt", "move")
    assert desk.give(hears=False)
    desk.write("page/hearth-0002.txt", "move wallace")
    assert desk.give()
    assert desk.read("page/hearth-0002.txt") == "move wallace", "what was typed since stays"
    assert desk.box.generation == 3
    desk.write("page/hearth-0002.txt", "move wallace fife")
    assert desk.copies.put() is not None, "and is not given, because the network fails"
    assert desk.give()
    assert desk.read("page/hearth-0002.txt") == "move wallace fife"


def test_a_box_that_goes_back_takes_nothing_away(devices: tuple[Device, Device]) -> None:
    desk, phone = devices
    before = (desk.box.generation, desk.box.armor)
    desk.write("games/hearth/sent/0002-1.txt", "desk")
    desk.write("page/hearth.json", "new")
    desk.give()
    desk.box.generation, desk.box.armor = before
    (told,) = desk.take()
    assert "the post box has generation 1 of your home, and this device had 2 before" in told
    assert desk.read("games/hearth/sent/0002-1.txt") == "desk"
    assert desk.read("page/hearth.json") == "new"
    assert desk.give()
    phone.take()
    assert phone.read("games/hearth/sent/0002-1.txt") == "desk"
    desk.box.generation, desk.box.armor = 0, ""
    assert len(desk.take()) == 1
    assert desk.give(), "a box that has lost everything gets it again"
    assert desk.box.generation == 1


def others(home: Home) -> dict[str, Callable[[], tuple[object, object]]]:
    """Answers of a box that are no copy of alice's."""
    data, key = homefile.pack(home.path), home.keys.unlock("alice")

    def copy(generation: int = 2, data: bytes = data, url: str = URL, **made: object) -> str:
        signer = made.get("key", key)
        sealed = seal_copy(data, url, generation, home.now(), signer, make_copy_key())  # type: ignore[arg-type]
        return to_armor(sealed)

    return {
        "another's": lambda: (2, copy(key=generate("bob"))),
        "of another box": lambda: (2, copy(url="https://other.example/")),
        "another generation": lambda: (3, copy()),
        "no zip": lambda: (2, copy(data=b"x")),
        "no copy": lambda: (2, "x"),
        "nothing": lambda: (2, ""),
        "two": lambda: (2, copy() + copy()),
        "a number that is true": lambda: (True, copy()),
        "a list": lambda: (2, [copy()]),
    }


@pytest.mark.parametrize("what", ["another's", "of another box", "another generation", "no zip", "no copy",
                                  "nothing", "two", "a number that is true", "a list"])  # fmt: skip
def test_what_is_no_copy_of_the_player_changes_nothing(what: str, devices: tuple[Device, Device]) -> None:
    desk, _ = devices
    before = {path: path.read_bytes() for path in desk.home.path.rglob("*") if path.is_file()}
    with pytest.raises(Refused):
        desk.copies.take(*others(desk.home)[what]())
    assert {path: path.read_bytes() for path in desk.home.path.rglob("*") if path.is_file()} == before


def test_a_box_that_answers_otherwise_is_told(alice: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    client = BoxClient(URL, alice.keys.unlock("alice"), alice.now)
    for answer in (b"{}", b'{"generation":1,"copy":1}', b'{"generation":1,"copy":"*"}'):
        monkeypatch.setattr("pbem.player.box_client._request", lambda *_, said=answer: (200, said))
        with pytest.raises(BoxFault, match="does not answer as one must"):
            client.get_copy(0)


DAMAGED: tuple[dict[str, object], ...] = (
    {"box": "x"},
    {"box": 1},
    {"key": 1},
    {"is_own": 1},
    {"here": 1},
    {"here": {"number": "1"}},
    {"here": {"zip_sha256": 1}},
    {"away": {"files": {"x": 1}}},
    {"away": {"files": []}},
    {"more": 1},
)


@pytest.mark.parametrize("bad", ["x", "[]", "{}", "[" * 9_000, *DAMAGED])
def test_a_damaged_note_keeps_no_copy(bad: str | dict[str, object], devices: tuple[Device, Device]) -> None:
    desk, _ = devices
    good = json.loads(desk.read("copying") or "")
    desk.write("copying", bad if isinstance(bad, str) else json.dumps(good | bad))
    assert not desk.copies.state.is_on


def test_a_device_that_others_are_always_faster_than_gives_up(
    devices: tuple[Device, Device], monkeypatch: pytest.MonkeyPatch
) -> None:
    desk, phone = devices
    desk.write("page/hearth.json", "x")
    monkeypatch.setattr(BoxClient, "get_copy", lambda _, since: desk.box.get_copy(since))
    monkeypatch.setattr(BoxClient, "put_copy", lambda *_: False)
    with pytest.raises(BoxFault, match="another device changes your home all the time"):
        desk.copies.give()
    monkeypatch.setattr(BoxClient, "put_copy", lambda _, *given: desk.box.put_copy(*given))
    assert desk.copies.give() == ()
    assert phone.take() == ()
    assert phone.read("page/hearth.json") == "x"


@pytest.mark.ci
def test_a_key_that_the_box_does_not_know_yet_is_told(party: Party) -> None:
    home = party.homes["alice"]
    home.keygen("carol")
    party.run()
    with pytest.raises(BoxFault, match="keeps no copy for your key yet"):
        command(home, "sync", "--box", party.box.url, "--as", "carol")
    party.club.add_player("carol", home.keys.public("carol"))
    party.run()
    assert "generation 1 of your home" in command(home, "sync")


def test_the_sheet_stays_the_same(devices: tuple[Device, Device]) -> None:
    desk, phone = devices
    assert desk.copies.sheet() == phone.copies.sheet()
    assert desk.copies.sheet().startswith("AGE-SECRET-KEY-1")


def test_another_key_for_the_same_box_is_the_one_from_then_on(devices: tuple[Device, Device]) -> None:
    desk, _ = devices
    desk.home.keygen("carol")
    desk.copies.switch_on(URL, "carol")
    assert desk.copies.state.key == "carol"
