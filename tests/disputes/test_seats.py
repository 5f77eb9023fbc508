"""A lost secret, a lost key, a player who leaves: the seat stays, and gets a new chain, key or person."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from pbem.judge.club import open_club
from pbem.judge.tables.database import wall_clock
from pbem.player import Home
from pbem.trust.sealing import to_armor
from tests.disputes.story import GAME, SIDES, WHY, Story
from tests.trust.sealed import orders_for, seal_orders

pytestmark = pytest.mark.ci


def rotation(story: Story, *more: object, home: str = "alice", exchange: int = 4) -> tuple[Path, str]:
    """A rotation of alice's seat, and what has to be consented to."""
    path = story.folder / f"{home}.rotation"
    words = ("--as", "alice", *story.genesis, "--out", path, *more)
    told = story.pbem("rotate", GAME, exchange, *words, home=home).err
    return path, told.partition(f"pbem sign consent {GAME} {exchange} ")[2].partition(" --as")[0]


def substitute(story: Story, *names: str, exchange: int = 4, status: int = 0) -> str:
    """Carol takes alice's seat, if these people consent."""
    story.pbem("keygen", "carol", home="carol")
    key = story.folder / "carol/keys/carol.pub"
    story.pbem("player", "add", "carol", key, "--address", "carol@example.org")
    old = next(line for line in story.pbem("player", "list").out.splitlines() if line.startswith("alice"))
    path, to = rotation(
        story, "--new", "carol", "--person", "carol", "--chain", 2, "--old-fingerprint", old.split()[1],
        home="carol", exchange=exchange,
    )  # fmt: skip
    given = story.consent(to, *names, exchange=exchange) if names else []
    done = story.pbem("replace-key", path, "--reason", "alice has no time", *given, status=status)
    return done.out + done.err


Wait = Callable[[float], None]


@pytest.fixture
def wait(monkeypatch: pytest.MonkeyPatch) -> Wait:
    """Sets the judge's clock so many days before the world's."""

    def ahead(days: float) -> None:
        monkeypatch.setattr(open_club, "__defaults__", (lambda: wall_clock() + timedelta(days=days), None))

    return ahead


IN_TURN = {3: "alice.1 +", 4: "alice.1 +", 5: "alice.1", 6: "alice.2 +"}
"""The shares of a seat whose new key counts from exchange 5 on."""


def shares(folder: Path) -> dict[int, str]:
    """Exchange -> how its mix names alice, and whether she contributed."""
    found = {}
    for path in folder.glob("mix/*.txt"):
        if ".secret" in path.name:
            continue
        (line,) = [line for line in path.read_text().splitlines() if line.startswith("player alice")]
        found[int(path.stem)] = line.split()[1] + ("" if line.split()[2] == "-" else " +")
    return dict(sorted(found.items()))


def test_a_new_chain_is_in_force_from_the_exchange_after_the_next_on(played: Story) -> None:
    path, _ = rotation(played, "--new", "alice", "--chain", 2)
    told = played.pbem("replace-key", path).out
    assert "with the same key from exchange 5 on, and reveals from alice.2 from exchange 6 on" in told
    assert "reveals from alice.2 from exchange 6 on" in played.receive("bob")
    for _ in range(3):  # 4: still the old chain; 5: none; 6: the new one
        played.exchange(alice="done\n", bob="done\n")
    for name in SIDES:
        assert "Exchange 6 has been played" in played.receive(name)
    for audience in ("public", "scotland", "all"):
        found = played.bundle(audience)
        assert "reveals from alice.2 from exchange 6 on" in played.audit
        assert shares(found) == {
            1: "alice.1 +", 2: "alice.1 +", 3: "alice.1 +", 4: "alice.1 +", 5: "alice.1", 6: "alice.2 +",
        }  # fmt: skip
    sheet = played.pbem("sheet", GAME, "--last", 7, home="alice").out.splitlines()
    assert [line.split()[1:3] for line in sheet if line.startswith("reveal")] == [
        ["alice.1", "1"], ["alice.1", "2"], ["alice.1", "3"], ["alice.1", "4"],
        ["alice.2", "6"], ["alice.2", "7"],
    ]  # fmt: skip


def test_a_chain_made_after_others_have_revealed_is_refused_before_its_time(played: Story) -> None:
    """The attack: whoever has alice's key makes a chain to suit the dice, and reveals from it at once."""
    path, _ = rotation(played, "--new", "alice", "--chain", 2)
    played.receive("alice")
    played.pbem("replace-key", path)
    assert "reveals the chain alice.2" not in played.receive("alice")
    told = _submit(played, "alice.2", 4)
    assert "the reveal is of the chain alice.2, where one of alice.1 is due" in told
    played.exchange(alice="done\n", bob="done\n")
    played.receive("alice")
    for who in ("alice.2", "alice.1"):
        assert "no chain of alice is in force in exchange 5" in _submit(played, who, 5)
    played.exchange(alice="done\n", bob="done\n")
    assert shares(played.bundle())[5] == "alice.1"


def _submit(story: Story, who: str, number: int) -> str:
    """Alice hands in orders that reveal from some chain; what is said to her."""
    home = Home(story.folder / "alice")
    folder = home.folder(GAME)
    chronicle, chain = folder.chronicle(), folder.chain(who)
    assert chronicle is not None
    assert chain is not None
    orders = orders_for(chronicle, "alice", chain, number, rev=9, body="pass\n")
    sealed = story.folder / "odd.age"
    sealed.write_bytes(to_armor(seal_orders(orders, home.keys.unlock("alice"))).encode())
    return story.pbem("submit", sealed, status=1).err


def test_a_lost_key_is_replaced_by_consent(played: Story, wait: Wait) -> None:
    """The laptop is gone, and there was no recovery key: a new home, a new key, a new chain."""
    old = _key(played)
    played.send("alice", "done\n")
    played.receive("bob")
    shutil.rmtree(played.folder / "alice")
    played.pbem("keygen", "alice2", home="alice")
    path, to = rotation(played, "--new", "alice2", "--lost", "--chain", 2, "--old-fingerprint", old)
    alone = played.pbem("replace-key", path, status=1)
    assert f"pbem sign consent {GAME} 4 {to}" in alone.err
    given = played.consent(to, "bob")
    assert "say why" in played.pbem("replace-key", path, *given, status=1).err
    told = played.pbem("replace-key", path, "--reason", "stolen on a train", *given).out
    assert "alice signs with a new key from exchange 6 on" in told
    assert "with the consent of bob (stolen on a train)" in played.receive("bob")
    letters = played.folder / "club/out/alice"
    (papers,) = letters.glob("*-seat-*")
    assert "Exchange 3 has been played" in played.pbem("receive", papers, home="alice").out
    played.read |= {f"alice/{path.name}" for path in letters.glob("*.txt")}
    for number in (4, 5):
        early = played.pbem("seal", "--bare", "--game", GAME, home="alice", status=1)
        assert "your new key counts only later" in early.err
        played.send("bob", "done\n")
        wait(8 * number)
        assert f"exchange {number} resolved" in played.pbem("run", "--after-gap").out
        assert f"Exchange {number} has been played" in played.receive("alice")
    played.exchange(alice="done\n", bob="done\n")
    shown = played.receive("alice")
    assert "Exchange 6 has been played" in shown
    assert "did not come" not in shown
    for audience in ("public", "england", "all"):
        assert shares(played.bundle(audience)).items() >= IN_TURN.items()
        assert "with the consent of bob (stolen on a train)" in played.audit


def test_a_new_key_by_consent_is_told_in_the_open_to_who_has_the_old_one(played: Story) -> None:
    """What is sealed to a lost key tells nobody anything."""
    substitute(played, "alice")
    (letter,) = (played.folder / "club/out").glob("*/*-new-key-*.txt")
    assert letter.parent.name == "alice"
    assert "If you have not asked for it, tell the game master" in letter.read_text()
    assert "BEGIN AGE" not in letter.read_text()


def test_a_substitute_takes_a_seat(played: Story) -> None:
    """Alice leaves; carol gets the last report at once, and plays from a home of her own."""
    told = substitute(played, "alice")
    assert "carol takes the seat of alice and signs with a new key from exchange 5 on" in told
    for name in SIDES:
        assert "with the consent of alice (alice has no time)" in played.receive(name)
    shown = played.receive("carol")
    assert "Exchange 3 has been played" in shown
    assert "tell the club" not in shown
    games = played.pbem("games", home="carol").out
    assert "alice plays scotland; exchange 4 is open" in games
    before = {path.name for path in (played.folder / "club/out/alice").iterdir()}
    played.pbem("seal", "--bare", "--game", GAME, "--out", played.folder / "alice.age", home="alice")
    played.pbem("submit", played.folder / "alice.age")  # exchange 4 is still alice's
    played.send("bob", "done\n")
    played.pbem("run")
    assert "Exchange 4 has been played" in played.receive("carol")
    for _ in range(2):
        played.send("carol", "done\n")
        played.send("bob", "done\n")
        played.pbem("run")
    shown = played.receive("carol")
    assert "Exchange 6 has been played" in shown
    assert "did not come" not in shown
    (receipt,) = {path for path in (played.folder / "club/out/alice").iterdir() if path.name not in before}
    assert (
        "receipt 4: the judge of stirling has your orders for exchange 4"
        in played.pbem("receive", receipt, home="alice").out
    )
    for audience in ("public", "scotland", "england", "all"):
        assert shares(played.bundle(audience)).items() >= IN_TURN.items()
        assert "carol takes the seat of alice" in played.audit
    assert "alike in all 6 exchanges" in played.pbem("replay", GAME).out


@pytest.mark.dated
def test_nobody_waits_for_a_player_who_has_vanished(played: Story, wait: Wait) -> None:
    """Alice sends nothing for exchange 4; in 5 bob gives her seat to carol, whose key counts from 7 on."""
    played.send("bob", "done\n")
    assert "resolved" not in played.pbem("run").out
    wait(8)
    assert "exchange 4 resolved" in played.pbem("run", "--after-gap").out
    substitute(played, "bob", exchange=5)
    played.receive("carol")
    for number in (5, 6):
        played.send("bob", "done\n")
        assert f"exchange {number} resolved" in played.pbem("run").out
    assert "The judge waits for orders from alice and bob." in played.receive("bob")
    played.send("bob", "done\n")
    assert "resolved" not in played.pbem("run").out
    shown = played.receive("carol")
    assert "Exchange 6 has been played" in shown
    assert "before its deadline" not in shown
    for audience in ("public", "england", "all"):
        played.bundle(audience)


def test_a_chain_that_is_not_in_this_home_is_told_before_it_is_missed(played: Story) -> None:
    """The seat's new key alone cannot reveal: whoever made its chain elsewhere must receive there."""
    substitute(played, "alice")
    (chain,) = (played.folder / "carol").rglob("chain-secret-2")
    chain.rename(chain.with_name("elsewhere"))
    (letter,) = (played.folder / "club/out/carol").glob("*seat*")
    told = played.pbem("receive", letter, home="carol", status=1).err
    assert "the ledger anchors a chain alice.2 that was not made in this home" in told
    chain.with_name("elsewhere").rename(chain)
    assert "Exchange 3 has been played" in played.receive("carol")


def test_who_takes_a_seat_after_a_roll_back_sees_what_that_side_sees(played: Story) -> None:
    """The last report of the seat is of a void exchange, and no other side's is shown instead."""
    played.act("roll-back 3", "a wrong map", played.consent("roll-back 3"))
    substitute(played, "alice", exchange=5)
    shown = played.receive("carol")
    assert "Exchange 5 is open now" in shown
    assert "Report to Scotland (alice)" in shown
    assert "Report to England" not in shown


@pytest.mark.dated
def test_a_player_who_is_there_is_waited_for_though_others_give_the_seat_away(played: Story) -> None:
    """The attack: bob and the judge give alice's seat away, and play at once, before she can."""
    substitute(played, "bob")
    played.send("bob", "done\n")
    assert "resolved" not in played.pbem("run").out
    played.send("alice", "done\n")
    assert "exchange 4 resolved" in played.pbem("run").out
    assert "The judge waits for orders from alice and bob." in played.receive("bob")
    played.send("bob", "done\n")
    assert "resolved" not in played.pbem("run").out


def test_who_has_left_neither_signs_nor_receives(played: Story) -> None:
    """The attack: alice plays on with the key that she still has."""
    played.receive("alice")
    substitute(played, "alice")
    played.receive("alice")
    played.exchange(bob="done\n")
    thief = _submit(played, "alice.1", 4)
    assert "exchange 4 of stirling is closed" in thief
    assert "Exchange 4" not in played.receive("alice")
    written = played.pbem("resend", GAME, "alice").out
    assert "out/carol" in written
    assert "out/alice" not in written
    letters = list((played.folder / "club/out/carol").glob("*.txt"))
    assert letters
    for letter in letters:
        told = played.pbem("receive", letter, home="alice", status=1)
        assert "sealed to somebody else" in told.err
        assert not told.out


def test_a_substitute_gets_nothing_that_was_sent_to_another(played: Story) -> None:
    """The attack: carol peeks into what alice was sent, and asks for it again."""
    substitute(played, "alice")
    played.receive("carol")
    for letter in sorted((played.folder / "club/out/alice").glob("*.txt")):
        if "-new-key-" in letter.name:
            continue  # in the open, for whoever has lost a key
        assert "sealed to somebody else" in played.pbem("receive", letter, home="carol", status=1).err
    chronicle = Home(played.folder / "carol").folder(GAME).chronicle()
    assert chronicle is not None
    opened = [entry.text.decode().split()[:3] for entry in chronicle.opened.values()]
    assert {who for kind, _, who in opened if kind in ("draw", "report")} == {"scotland", "public"}
    kept = sorted(path.name for path in (played.folder / f"carol/games/{GAME}/reports").iterdir())
    assert kept == ["0003.txt"]
    assert "out/alice" not in played.pbem("resend", GAME, "carol").out
    names = {path.name for path in (played.folder / "club/out/carol").iterdir()}
    assert all("-seat-" in name for name in names)
    found = played.bundle("scotland")
    assert not list(found.glob("reports/england/*"))
    assert not [path for path in found.glob("keys/*.agekey") if ".bob." in path.name]


@pytest.mark.parametrize("names", [(), ("carol",)])
def test_nobody_is_replaced_without_consent(played: Story, names: tuple[str, ...]) -> None:
    """The attack: the judge gives a seat to a friend, who consents to it himself."""
    told = substitute(played, *names, status=1)
    assert ("carol is neither a player" if names else "not without consent") in told
    assert "takes the seat" not in played.receive("bob")


def test_the_other_players_or_the_official_may_consent(fresh: Story) -> None:
    fresh.begin_with_official()
    told = substitute(fresh, "olga", exchange=1)
    assert "from exchange 3 on" in told
    assert "You are invited to the game stirling, as scotland." in fresh.receive("carol")
    fresh.bundle("public")
    assert "carol takes the seat of alice" in fresh.audit


def test_a_consent_to_one_new_key_serves_for_no_other(played: Story) -> None:
    """The attack: bob consented to alice's key, and the judge enters one of his own, or a later one."""
    old = _key(played)
    options = ("--lost", "--old-fingerprint", old)
    played.pbem("keygen", "alice2", home="alice")
    played.pbem("keygen", "mallory", home="mallory")
    _, to = rotation(played, "--new", "alice2", *options)
    given = played.consent(to, "bob")
    other, _ = rotation(played, "--new", "mallory", *options, home="mallory")
    told = played.pbem("replace-key", other, *WHY, *given, status=1)
    assert f"bob consents to '{to}' in exchange 4" in told.err
    played.exchange(alice="done\n", bob="done\n")
    later, to = rotation(played, "--new", "alice2", *options, exchange=5)
    told = played.pbem("replace-key", later, *WHY, *given, status=1)
    assert "in exchange 4 of stirling, not to" in told.err
    early = played.consent(to, "bob", exchange=4)
    told = played.pbem("replace-key", later, *WHY, *early, status=1)
    assert "in exchange 4 of stirling, not to" in told.err


def test_a_thief_cannot_undo_a_new_key(played: Story) -> None:
    """The attack: with alice's old key a thief enters one of his own while hers is on its way."""
    old = _key(played)
    shutil.copytree(played.folder / "alice", played.folder / "thief")
    played.pbem("keygen", "alice2", home="alice")
    path, to = rotation(played, "--new", "alice2", "--lost", "--old-fingerprint", old)
    played.pbem("replace-key", path, *WHY, *played.consent(to, "bob"))
    played.pbem("keygen", "thief", home="thief")
    path, _ = rotation(played, "--new", "thief", home="thief")
    assert "a new key of alice is on its way already" in played.pbem("replace-key", path, status=1).err


def test_where_reveals_come_after_the_close_nobody_waits_for_one_without_a_chain(fresh: Story) -> None:
    fresh.begin("--mode", "after-close", "--option", "scenario=braveheart")
    path, _ = rotation(fresh, "--new", "alice", "--chain", 2, exchange=1)
    fresh.pbem("replace-key", path)
    for number in (1, 2, 3):
        fresh.exchange()
        for name in SIDES:
            fresh.receive(name)
            sealed = fresh.folder / "reveal.age"
            if number == 2 and name == "alice":
                told = fresh.pbem("reveal", GAME, home=name, status=1)
                assert "you have no chain that counts in exchange 2" in told.err
                continue
            fresh.pbem("reveal", GAME, "--out", sealed, home=name)
            fresh.pbem("submit", sealed)
        assert f"exchange {number} resolved" in fresh.pbem("run").out
    assert shares(fresh.bundle()) == {1: "alice.1 +", 2: "alice.1", 3: "alice.2 +"}


def test_a_substitute_needs_a_chain_of_his_own(played: Story) -> None:
    """The attack: alice leaves, and goes on to foresee the seat's part of the dice."""
    played.pbem("keygen", "carol", home="carol")
    played.pbem("player", "add", "carol", played.folder / "carol/keys/carol.pub")
    path, to = rotation(
        played, "--new", "carol", "--person", "carol", "--old-fingerprint", _key(played), home="carol"
    )
    told = played.pbem("replace-key", path, *WHY, *played.consent(to, "alice"), status=1)
    assert "carol needs a chain of their own: alice knows the old one" in told.err


def _key(story: Story) -> str:
    """The fingerprint of alice's key, as the club knows it."""
    return story.pbem("player", "list").out.splitlines()[0].split()[1]


def test_a_key_by_consent_brings_its_own_recovery_key(played: Story) -> None:
    paper = played.folder / "alice2-recovery"
    played.pbem("keygen", "alice2", home="alice")
    played.pbem("keygen", "alice2", "--recovery", "--out", paper, home="alice")
    path, to = rotation(played, "--new", "alice2", "--lost")
    assert b"\nrecovery SHA256:" in path.read_bytes()
    played.pbem("replace-key", path, *WHY, *played.consent(to, "alice"))
    played.exchange(alice="done\n", bob="done\n")
    played.pbem("keygen", "alice3", home="alice")
    path, _ = rotation(played, "--new", "alice3", "--recovery", paper, exchange=5)
    played.pbem("replace-key", path)
    played.exchange(alice="done\n", bob="done\n")
    played.exchange(alice="done\n", bob="done\n")
    assert "Exchange 6 has been played" in played.receive("alice")
    assert shares(played.bundle("public"))[6] == "alice.1 +"
