"""What the game master may do, and what he cannot do alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbem.player.home import Home
from pbem.trust.act_entries import parse_consent
from pbem.trust.signature import split
from pbem.web.private_notes import NotesDesk
from tests.disputes.conftest import ATTACK
from tests.disputes.story import GAME, SIDES, WHY, Story

pytestmark = pytest.mark.ci


@pytest.mark.dated
def test_a_game_waits_while_it_is_on_hold_and_ends_when_a_player_concedes(played: Story) -> None:
    played.pbem("extend", GAME, 3, "--reason", "bob is ill")
    assert "Reason: bob is ill" in played.receive("alice")
    played.pbem("act", GAME, "hold", "--reason", "the judge moves house")
    for name in SIDES:
        assert "Reason: the judge moves house" in played.receive(name)
        played.send(name, "done\n")
    assert "resolved" not in played.pbem("run").out
    played.pbem("act", GAME, "resume", "--reason", "all boxes are unpacked")
    assert "exchange 4 resolved" in played.pbem("run").out
    played.bundle()
    assert "exchange 4: hold (the judge moves house)" in played.audit
    assert "exchange 4: resume (all boxes are unpacked)" in played.audit
    for name in SIDES:
        assert "Exchange 4 has been played" in played.receive(name)
    assert "open     the judge's secrets" in played.audit
    played.act("concede alice", "by letter", played.consent("concede alice", "alice", exchange=5))
    assert "alice has consented." in played.receive("bob")
    played.bundle()
    assert "concede alice, with the consent of alice (by letter)" in played.audit
    assert "(bob is ill)" in played.audit
    assert "open     the judge's secrets" not in played.audit  # the game is over: all is disclosed
    assert "stirling is over" in played.pbem("act", GAME, "hold", "--reason", "regret", status=1).err


@pytest.mark.dated
def test_a_draw_is_agreed_by_both(played: Story) -> None:
    both = played.consent("agree-draw")
    assert "bob has not consented" in played.act("agree-draw", "tired", both[:2], status=1).err
    played.act("agree-draw", "tired", both)
    played.bundle()
    assert "agree-draw, with the consent of alice, with the consent of bob (tired)" in played.audit


def test_a_roll_back_goes_on_with_new_exchanges_and_fresh_dice(played: Story) -> None:
    before = (played.bundle() / "dice/all.txt").read_text().splitlines()
    both = played.consent("roll-back 3")
    told = played.act("roll-back 3", "alice was sent a wrong map", both)
    assert "exchange 5 is open" in told.out
    assert "exchanges were made void; 5 is open" in played.pbem("report", GAME).err
    received = played.pbem("explain", GAME, "received", "--as", "public").out
    assert [line.endswith("; void") for line in received.splitlines() if "deadline" in line].count(True) == 4
    for name in SIDES:
        shown = played.receive(name)
        assert "Exchange 5 is open" in shown
        assert "the ledger says that you have consented to it" in shown
    played.exchange(**ATTACK)
    after = (played.bundle() / "dice/all.txt").read_text().splitlines()
    assert after[: len(before)] == before  # nothing is deleted
    first = "6 1297.1/battle-1/angus/round-1/wallace/die-1"
    assert [line.split()[0] for line in after if first in line] == ["3", "5"]  # rolled anew, with a new key
    assert "roll-back 3, with the consent of alice, with the consent of bob" in played.audit
    told = played.pbem("explain", GAME, *WHY, "exchange", 3, "angus", status=1)
    assert "exchange 3 of stirling is void" in told.err
    assert "alike in all 3 exchanges" in played.pbem("replay", GAME).out
    for name in SIDES:
        assert "Exchange 5 has been played" in played.receive(name)


def test_after_a_roll_back_orders_are_looked_at_by_where_the_game_stands(played: Story) -> None:
    """After the void exchange a card is asked, which nobody can leave open; before it the moves are."""
    played.receive("alice")
    notes = NotesDesk(Home(played.folder / "alice").folder(GAME))
    block = notes.shown().blocks[0]
    notes.mark(block.side, block.area, block.name, "is it Edward?")
    draft = played.folder / "draft.txt"
    draft.write_text(f"pbem1 orders\ngame {GAME}\n---\nask everything\n", encoding="utf-8")
    assert "both sides choose a card now" in played.pbem("check", draft, home="alice", status=1).out
    played.act("roll-back 3", "a wrong map", played.consent("roll-back 3"))
    played.receive("alice")
    assert [one.said for one in notes.shown().marks] == ["followed until exchange 3, which was taken back"]
    played.pbem("check", draft, home="alice")
    told = played.pbem("seal", draft, "--out", played.folder / "alice.age", home="alice").err
    assert "look at them again" not in told


@pytest.mark.parametrize("act", ["roll-back 2", "correct 1 bid=S1"])
def test_orders_for_a_void_exchange_come_too_late(fresh: Story, act: str) -> None:
    fresh.begin()
    fresh.exchange()
    fresh.receive("alice")
    late = fresh.folder / "late.age"
    fresh.pbem("seal", "--bare", "--game", GAME, "--out", late, home="alice")
    fresh.act(act, "x", fresh.consent(act, exchange=2))
    told = fresh.pbem("submit", late, status=1).err
    assert "exchange 2 of stirling is void; exchange" in told
    fresh.exchange(alice="card 2\n", bob="card 1\n")
    fresh.bundle()


def two_exchanges(fresh: Story) -> None:
    """A game with a second official, of which two exchanges have been played."""
    fresh.begin_with_official()
    fresh.exchange()
    fresh.exchange(alice="card 2\n", bob="card 1\n")


def test_the_second_official_may_consent_alone(fresh: Story) -> None:
    two_exchanges(fresh)
    fresh.act("roll-back 2", "cards misread", fresh.consent("roll-back 2", "olga", exchange=3))
    fresh.bundle()
    assert "roll-back 2, with the consent of olga (cards misread)" in fresh.audit
    assert "Exchange 4 is open" in fresh.receive("alice")


def test_a_house_rule_that_was_entered_wrongly_is_put_right(fresh: Story) -> None:
    """The players had bid; the game master forgot it when he opened the game."""
    fresh.begin()
    fresh.exchange()
    before = (fresh.bundle("public") / "log/leaves").read_text().splitlines()
    refused = fresh.act("correct 1 bid=S1", "the bid", status=1)
    assert "a consent is made with 'pbem sign consent stirling 2 correct 1 bid=S1'" in refused.err
    fresh.act("correct 1 bid=S1", "the bid was forgotten", fresh.consent("correct 1 bid=S1", exchange=2))
    for name in SIDES:
        shown = fresh.receive(name)
        assert "Exchange 3 replaces exchange 1. Exchange 4 is open" in shown
        assert "exchange 1 was played again as exchange 3" in shown
    fresh.exchange(alice="card 2\n", bob="card 1\n")
    bundle = fresh.bundle()
    assert (bundle / "log/leaves").read_text().splitlines()[: len(before)] == before
    assert "correct 1 bid=S1, with the consent of alice, with the consent of bob" in fresh.audit
    assert "proven   played again, every exchange is as the ledger says" in fresh.audit
    assert "alike in all 2 exchanges" in fresh.pbem("replay", GAME).out

    for source in (GAME, bundle):
        why = WHY if source == GAME else ()
        told = fresh.pbem("explain", source, *why, "exchange", 1, "draw", status=1).err
        assert "exchange 1 of stirling is void: correct 1 bid=S1; it was played again as exchange 3" in told
        told = fresh.pbem("explain", source, *why, "exchange", 3, "levy").out
        assert "exchange 3 (exchange 1, played again): " in told
        assert "sha256sum < mix/1.txt" in told
        told = fresh.pbem("what-if", source, *why, 3, "--option", "bid=none").out
        assert "bid is none, not S1" in told


def test_what_is_not_wrong_is_not_corrected(played: Story) -> None:
    """The attack: alice's friend has a battle fought again by a house rule that did not matter in it."""
    for of, change, why in (
        (3, "win_after_winter=true", "it would change nothing"),
        (3, "bid=S1", "the first exchange with another result is 1"),
        (3, "luck=yes", "no house rule called 'luck'"),
        (3, "bid=high", "bid"),
        (3, "rules=" + "d" * 64, "the installed release plays rules="),
    ):
        what = f"correct {of} {change}"
        assert why in played.act(what, "x", played.consent(what), status=1).err
    assert "correct" not in played.receive("bob")
    played.pbem("act", GAME, "correct", 3, "bid=S1", "bid=S2", "--reason", "x", status=2)


def test_the_second_official_may_correct(fresh: Story) -> None:
    two_exchanges(fresh)
    fresh.act("correct 1 bid=S1", "as bid", fresh.consent("correct 1 bid=S1", "olga", exchange=3))
    for of, why in ((4, "is not done: it would change nothing"), (2, "it would change nothing")):
        assert why in fresh.act(f"correct {of} bid=S1", "x", status=1).err
    told = fresh.act("roll-back 4", "x", fresh.consent("roll-back 4", "olga", exchange=5), status=1)
    assert "there is no exchange 4 to roll back" in told.err  # it is the set-up
    fresh.bundle("public")
    assert "correct 1 bid=S1, with the consent of olga (as bid)" in fresh.audit


def test_a_game_master_cannot_roll_back_in_his_friend_s_favour(played: Story) -> None:
    """The attack: the friend has lost a battle, and consents to fight it again."""
    told = played.act("roll-back 3", "bad dice", played.consent("roll-back 3", "alice"), status=1)
    assert "neither all players nor the second official" in told.err
    assert "roll-back" not in played.receive("bob")


def test_a_consent_names_the_newest_entry_that_its_writer_has(fresh: Story) -> None:
    """Who has no ledger, an official, names the genesis."""
    two_exchanges(fresh)
    fresh.receive("alice")
    chronicle = Home(fresh.folder / "alice").folder(GAME).chronicle()
    assert chronicle is not None
    for name, size in (("alice", chronicle.size), ("olga", 1)):
        _, path = fresh.consent("agree-draw", name, exchange=3)
        said = parse_consent(split(Path(str(path)).read_bytes()).body)
        assert said.seen == (size, chronicle.heads[size - 1])
