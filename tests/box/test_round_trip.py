"""A judge, a real box and real homes: a game begins and goes on without a mail, whoever is killed."""

from __future__ import annotations

import shutil
import signal
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner

from pbem.box.folder import folder_name
from pbem.box.stores import acknowledged_number
from pbem.cli.group import pbem
from pbem.errors import ConfigError, PbemError
from pbem.judge.acts import extend
from pbem.judge.club import Club, create_club, open_club
from pbem.judge.newgame import new_game
from pbem.player import Home, answering, box_client, files
from pbem.player.answering import read_answering
from pbem.player.box_client import (
    BoxClient,
    BoxFault,
    Fetched,
    HomeBox,
    boxes_to_ask,
    fetch_letters,
    take_fetched,
)
from pbem.player.incoming.letters_in import box_of
from pbem.service.one_pass import Pass
from pbem.trust.keys import write_private_file
from pbem.trust.player_statements import read_join
from pbem.trust.times import utc_text
from tests.box.served import ServedBox, free_port
from tests.judge.table import GAME, TITLE

NAMES = ("alice", "bob")


@dataclass
class Party:
    """A club whose players have a key and no mail address, and their homes."""

    club: Club
    box: ServedBox
    homes: dict[str, Home]

    def run(self) -> None:
        assert [line.text for line in Pass(self.club).run() if line.trouble] == []

    def home_box(self, name: str) -> HomeBox:
        return HomeBox(self.homes[name], self.box.url, name)

    def fetch(self, name: str) -> list[str]:
        """The kinds of what has come."""
        box, kinds = self.home_box(name), []
        fetch_letters(box)
        for delivery, _ in take_fetched(box):
            assert delivery.faults == ()
            kinds += [arrival.kind for arrival in delivery.arrivals]
        return kinds

    def answer(self, name: str) -> None:
        """Post bare orders."""
        self.home_box(name).client().post(self.homes[name].seal(None, game=GAME).armor.encode())

    @property
    def judge(self) -> str:
        return self.club.key.public.fingerprint

    @property
    def exchange(self) -> int:
        current = self.club.book(GAME).history.current
        assert current is not None
        return current.number


@pytest.fixture
def party(tmp_path: Path) -> Iterator[Party]:
    box = ServedBox(tmp_path / "club" / "box", free_port())
    club = create_club(tmp_path / "club", "test")
    homes = {name: Home(tmp_path / name) for name in NAMES}
    seats = {}
    for name, side in zip(NAMES, TITLE.rules.sides({}), strict=False):
        club.add_player(name, homes[name].keygen(name))
        seats[side] = read_join(homes[name].join(GAME, player=name, judge=club.key.public.fingerprint))
    new_game(club, GAME, TITLE.name, dict(TITLE.excerpt or {}), seats)
    club.store.close()
    (tmp_path / "club" / "club.toml").write_text(f'name = "test"\ndays = 7\n[box]\nurl = "{box.url}"\n')
    made = Party(open_club(tmp_path / "club"), box, homes)
    box.path.mkdir()
    box.start()
    try:
        yield made
    finally:
        box.stop(signal.SIGKILL)
        made.club.store.close()


@pytest.mark.ci
def test_players_without_a_mail_address_play_by_the_box(party: Party) -> None:
    party.run()
    for name in NAMES:
        assert party.fetch(name) == ["report", "box"]
        assert box_of(party.homes[name].place(GAME)) == party.box.url
        party.answer(name)
    party.run()
    assert party.exchange == 2
    for name in NAMES:
        kinds = party.fetch(name)
        assert {"receipt", "words", "report"} <= set(kinds)
        assert party.fetch(name) == [], "it is fetched once"
        assert [status.trouble for status in party.homes[name].games()] == [""]


@pytest.mark.ci
def test_players_talk_and_agree_on_more_time_by_the_box(party: Party) -> None:
    settings = '[press]\nkind = "white"\n[rhythm]\nagreed_days = 1\n'
    with (party.club.path / "club.toml").open("a", encoding="utf-8") as toml:
        toml.write(settings)
    party.club = open_club(party.club.path)
    text = party.club.path.with_name("peace.txt")
    text.write_text("Peace?\n", encoding="utf-8")
    party.run()
    for name in NAMES:
        party.fetch(name)
    assert "it is in the post box" in command(party.homes["alice"], "press", GAME, str(text), "--to", "bob")
    party.run()
    assert party.fetch("bob") == ["press"]
    assert "Peace?" in command(party.homes["bob"], "press", GAME)

    exchange = party.club.book(GAME).history.exchanges[0]
    assert exchange.deadline is not None
    before, later = exchange.deadline, exchange.deadline + timedelta(days=1)
    words = ("sign", "consent", GAME, "1", "extend", utc_text(later), "--as")
    for name in NAMES:
        file = party.homes[name].path / "consent.txt"
        command(party.homes[name], *words, name, "--out", str(file))
        assert "is in the post box" in command(party.homes[name], "send", str(file))
        party.run()
        moved = party.club.book(GAME).history.exchanges[0].deadline
        assert moved == (before if name == "alice" else later)
        if name == "alice":
            assert party.fetch("bob") == ["press"]
            assert " ".join(words) in command(party.homes["bob"], "press", GAME)
    assert "notice" in party.fetch("alice")


@pytest.mark.ci
def test_the_same_file_by_box_and_by_hand_counts_once(party: Party) -> None:
    from pbem.judge.intake.desk import submit

    party.run()
    party.fetch("alice")
    sealed = party.homes["alice"].seal(None, game=GAME).armor.encode()
    party.home_box("alice").client().post(sealed)
    submit(party.club, sealed)
    party.run()
    (entry,) = party.club.book(GAME).history.exchanges[0].received
    assert entry.player == "alice"
    assert party.fetch("alice").count("receipt") == 1


@pytest.mark.ci
def test_two_devices_of_one_player_get_the_same_letters(party: Party, tmp_path: Path) -> None:
    party.run()
    party.fetch("alice")
    shutil.copytree(tmp_path / "alice", tmp_path / "other")
    other = HomeBox(Home(tmp_path / "other"), party.box.url, "alice")
    party.answer("alice")
    party.run()
    assert "receipt" in party.fetch("alice")
    fetch_letters(other)
    ((delivery, _),) = list(take_fetched(other))
    assert "receipt" in [arrival.kind for arrival in delivery.arrivals]


class Killed(BaseException):
    """The player's program was killed."""


@pytest.mark.ci
def test_a_player_who_is_killed_anywhere_loses_no_letter_and_gets_none_twice(party: Party) -> None:
    """Before and after each file that is written and each request that is made."""
    party.run()
    party.fetch("alice")
    party.answer("alice")
    party.run()
    home = party.homes["alice"]
    before = {path: path.read_bytes() for path in home.path.rglob("*") if path.is_file()}

    def restore() -> None:
        for path in [path for path in home.path.rglob("*") if path.is_file()]:
            path.unlink()
        for path, data in before.items():
            files.write(path, data)

    def played(at: int) -> tuple[set[str], int]:
        count = 0
        restore()

        def wrapped(real: Callable[..., object]) -> Callable[..., object]:
            def call(*values: object, **named: object) -> object:
                nonlocal count
                count += 1
                if count == at:
                    raise Killed
                found = real(*values, **named)
                count += 1
                if count == at:
                    raise Killed
                return found

            return call

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(files, "write_private_file", wrapped(write_private_file))
            patch.setattr(box_client, "_request", wrapped(box_client._request))
            with suppress(Killed):
                party.fetch("alice")
        party.fetch("alice")
        party.fetch("alice")
        there = {str(path.relative_to(home.path)) for path in home.path.rglob("*") if path.is_file()}
        assert not [name for name in there if "fetched" in name]
        return {name for name in there if not name.startswith("glances")}, count

    whole, count = played(0)
    assert any("receipt-0001" in name for name in whole)
    assert count > 10
    for at in range(1, count + 1):
        assert played(at)[0] == whole, at


# Boxes that lie


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ((200, b"x"), "does not answer as a post box does"),
        ((200, b"[]"), "does not answer as a post box does"),
        ((200, b"[" * 100_000), "does not answer as a post box does"),
        ((200, b"{}"), "does not answer as one must"),
        ((200, b'{"letters":[{"number":0,"mail":""}],"more":false}'), "does not answer as one must"),
        ((200, b'{"letters":[{"number":true,"mail":""}],"more":false}'), "does not answer as one must"),
        ((200, b'{"letters":[{"number":1,"mail":"!"}],"more":false}'), "does not answer as one must"),
        (
            (200, b'{"letters":[{"number":2,"mail":""},{"number":1,"mail":""}],"more":false}'),
            "in a false order",
        ),
        ((503, b'{"fault":"full","text":"no room"}'), "the post box says: 'no room'"),
        ((400, b'{"fault":"clock","time":"2020-01-01T00:00:00Z"}'), "the clock of this device is wrong"),
        ((302, b"{}"), "the post box says: ''"),
    ],
)
def test_what_a_box_must_not_answer_changes_nothing(
    alice: Home, monkeypatch: pytest.MonkeyPatch, answer: tuple[int, bytes], why: str
) -> None:
    monkeypatch.setattr(box_client, "_request", lambda *_: answer)
    box = HomeBox(alice, "https://box.club.example/", "alice")
    with pytest.raises(BoxFault, match=why):
        fetch_letters(box)
    assert not box.path.exists()
    with pytest.raises(BoxFault):
        box.client().post(b"x")


def test_a_box_that_is_not_there_is_told(alice: Home) -> None:
    box = HomeBox(alice, f"http://127.0.0.1:{free_port()}/", "alice")
    with pytest.raises(BoxFault, match="cannot be reached"):
        fetch_letters(box)


def test_a_box_that_says_it_has_more_and_gives_nothing_ends_the_fetch(
    alice: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(box_client, "_request", lambda *_: (200, b'{"letters":[],"more":true}'))
    assert fetch_letters(HomeBox(alice, "https://box.club.example/", "alice")) == 0


@pytest.mark.ci
def test_what_a_box_gives_that_is_no_letter_is_kept_and_told(party: Party) -> None:
    party.run()
    box = party.home_box("alice")
    box.keep([Fetched(1, b"not a letter")])
    ((delivery, _),) = list(take_fetched(box))
    assert len(delivery.faults) == 1
    assert list(box.kept().values()) == [b"not a letter"]


# Commands


def command(home: Home, *words: str, status: int = 0, typed: str = "") -> str:
    found = CliRunner().invoke(
        pbem, words, env={"PBEM_HOME": str(home.path)}, input=typed, catch_exceptions=False
    )
    assert found.exit_code == status, found.output
    return found.output


@pytest.mark.ci
def test_send_fetch_and_seal_use_the_box(
    party: Party, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    alice, bob = (party.homes[name] for name in NAMES)
    party.run()
    assert "uses the post box" in command(alice, "fetch", "--box", party.box.url, "--as", "alice")
    assert "uses the post box" in command(bob, "fetch", "--box", party.box.url, "--as", "bob")
    assert "it is in the post box of demo" in command(alice, "seal", "--game", GAME, "--bare")
    command(bob, "seal", "--game", GAME, "--bare", "--out", "bob.age")
    assert "waits for the judge" in command(bob, "send", "bob.age")
    party.run()
    assert party.exchange == 2
    assert "receipt 1" in command(alice, "fetch")
    assert "receipt 1" in command(bob, "fetch", GAME)
    party.box.stop(signal.SIGKILL)
    assert "cannot be reached" in command(alice, "fetch")
    assert "BEGIN AGE" in command(alice, "seal", "--game", GAME, "--bare"), "as without a box"


@pytest.mark.ci
def test_who_has_no_game_yet_names_the_box_once(party: Party, tmp_path: Path) -> None:
    """As somebody without a mail address who has only entered a league."""
    alice = party.homes["alice"]
    shutil.move(alice.path / "games", tmp_path / "games")
    party.run()
    (tmp_path / "said.txt").write_bytes(alice.absent("alice", "2090-01-01", "2090-01-02", judge=party.judge))
    with pytest.raises(ConfigError):
        command(alice, "send", str(tmp_path / "said.txt"))
    command(alice, "send", str(tmp_path / "said.txt"), "--box", party.box.url, "--as", "alice")
    command(alice, "send", str(tmp_path / "said.txt"))
    assert [(one.url, one.key_file) for one in boxes_to_ask(alice)] == [(party.box.url, "alice")]
    shutil.move(tmp_path / "games", alice.path / "games")
    files.write(
        HomeBox(alice, "https://other.example/", "alice").path / "named", b"https://other.example/ alice"
    )
    command(alice, "fetch", "--box", party.box.url, "--as", "alice")
    assert [one.url for one in boxes_to_ask(alice)] == [party.box.url], "the judge has named it since"
    for bad in (b"", b"x", b"x alice", b"https://other.example/ bob", b"\xff"):
        files.write(HomeBox(alice, "https://other.example/", "alice").path / "named", bad)
        shutil.rmtree(alice.path / "games", ignore_errors=True)
        assert [one.url for one in boxes_to_ask(alice)] == [party.box.url]


@pytest.mark.ci
def test_a_fetch_key_fetches_without_a_passphrase_until_it_is_withdrawn(party: Party) -> None:
    alice = party.homes["alice"]
    party.run()
    party.fetch("alice")
    assert "may fetch" in command(alice, "fetch-key")
    party.answer("alice")
    party.run()
    assert "letters have come" in command(alice, "fetch", "--keep")
    (box,) = boxes_to_ask(alice)
    assert box.kept()
    assert "receipt 1" in command(alice, "fetch")
    stolen = box.fetch_key()
    assert "is withdrawn" in command(alice, "fetch-key", "--withdraw")
    party.run()
    party.fetch("bob")
    party.answer("bob")
    party.run()
    assert stolen is not None
    found, _ = box.client(stolen).fetch(0)
    assert found == [], "a key that was stolen and withdrawn gets nothing"


# A box that hides or mixes up


@pytest.mark.ci
def test_a_letter_that_the_box_hides_shows_by_the_next_one(party: Party) -> None:
    party.run()
    for name in NAMES:
        party.fetch(name)
        party.answer(name)
    party.run()
    box = party.home_box("alice")
    reader = party.box.path / "letters" / folder_name(box.home.keys.public("alice"))
    (report,) = [path for path in reader.iterdir() if b"demo-0001-report.txt" in path.read_bytes()]
    report.unlink()
    assert "report" not in party.fetch("alice")
    extend(party.club, GAME, 1, "holiday")
    party.run()
    fetch_letters(box)
    ((delivery, _),) = list(take_fetched(box))
    assert ["receive the letters before it first" in str(fault) for _, fault in delivery.faults] == [True]
    assert box.kept(), "it is kept until the other has come"


@pytest.mark.ci
def test_what_was_taken_in_before_a_stop_is_acknowledged_by_the_next_fetch(party: Party) -> None:
    party.run()
    box = party.home_box("alice")
    reader = folder_name(box.home.keys.public("alice"))
    fetch_letters(box)
    next(take_fetched(box))  # it is stopped when it has taken the letters in
    assert acknowledged_number(party.box.path, reader) == 0
    assert party.fetch("alice") == []
    assert acknowledged_number(party.box.path, reader) == box.last_letter > 0


@pytest.mark.ci
def test_letters_of_another_reader_are_refused(party: Party) -> None:
    party.run()
    letters = party.box.path / "letters"
    alice, bob = (letters / folder_name(party.homes[name].keys.public(name)) for name in NAMES)
    for path in bob.iterdir():
        (alice / path.name).write_bytes(path.read_bytes())
    box = party.home_box("alice")
    fetch_letters(box)
    ((delivery, _),) = list(take_fetched(box))
    assert delivery.arrivals == ()
    assert all("sealed to somebody else" in str(fault) for _, fault in delivery.faults)


@pytest.mark.ci
def test_a_box_that_answers_without_end_is_not_read_to_it(
    party: Party, monkeypatch: pytest.MonkeyPatch
) -> None:
    party.run()
    monkeypatch.setattr(box_client, "MAX_ANSWER_SIZE", 1_000)
    with pytest.raises(BoxFault, match="more than there can be"):
        fetch_letters(party.home_box("alice"))


# Answering by itself


@pytest.mark.ci
def test_where_nothing_is_asked_the_command_answers_by_itself(
    party: Party, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only where its player has said yes, at the first hour, and once, also when the box was away then."""
    party.run()
    idle: list[str] = []
    while not idle:
        for name in NAMES:
            party.fetch(name)
            party.answer(name)
        party.run()
        for name in NAMES:
            party.fetch(name)
        assert party.exchange < 6
        idle = [name for name in NAMES if not party.homes[name].form(GAME)]
    name, exchange = idle[0], party.exchange
    home = party.homes[name]
    assert "no game answers by itself" in failed(home, "fetch", "--answer")
    assert "you give up the time in which you could write ahead" in command(
        home, "fetch", GAME, "--answer", status=1, typed="n\n"
    )
    assert not read_answering(home.folder(GAME)).is_on
    said = command(home, "fetch", GAME, "--answer", "--at", "08:00,18:00", typed="y\n")
    assert f"{GAME}: exchange {exchange} will be answered by itself at " in said
    assert not home.folder(GAME).sent_files.orders_of(exchange)

    monkeypatch.setattr(answering, "next_hour", lambda _, seen: seen)  # the hour has come
    monkeypatch.setattr(BoxClient, "post", away)
    assert "to be sent by mail or later by: pbem send" in command(home, "fetch", "--answer")
    monkeypatch.undo()
    assert f"exchange {exchange} is answered by itself" in command(home, "fetch", "--answer")
    assert "answered" not in command(home, "fetch", "--answer")
    party.run()
    received = [(one.player, one.rev) for one in party.club.book(GAME).history.exchanges[-1].received]
    assert received == [(name, 1)]
    assert "nothing is answered by itself" in command(home, "fetch", GAME, "--no-answer")
    assert not read_answering(home.folder(GAME)).is_on


def away(_: BoxClient, __: bytes) -> str:
    """A box that cannot be reached for a post."""
    raise BoxFault("the post box cannot be reached")


def failed(home: Home, *words: str) -> str:
    """What a command refuses."""
    with pytest.raises(PbemError) as caught:
        command(home, *words)
    return str(caught.value)


@pytest.mark.parametrize(
    "words",
    [
        ("--answer", "--keep"),
        ("--answer", "--box", "https://box.club.example/", "--as", "alice"),
        ("--at", "1"),
    ],
)
def test_what_cannot_go_together_is_told(alice: Home, words: tuple[str, ...]) -> None:
    assert "Usage" in command(alice, "fetch", *words, status=2)
