"""Laptops get stolen: a new key, signed by the old one or by the recovery key."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from pbem.player import Home
from pbem.trust.keys import generate, load_private_file
from pbem.trust.rotations import KeyChange, sign_rotation
from pbem.trust.sealing import to_armor
from tests.disputes.story import GAME, Story
from tests.trust.sealed import orders_for, seal_orders

pytestmark = pytest.mark.ci


def rotation(story: Story, *more: object, exchange: int = 4, status: int = 0) -> Path:
    """Alice makes a new key and signs that it replaces hers."""
    path = story.folder / "alice.rotation"
    story.pbem("keygen", "alice2", home="alice")
    story.pbem(
        "rotate", GAME, exchange, "--as", "alice", "--new", "alice2", "--out", path, *more,
        home="alice", status=status,
    )  # fmt: skip
    return path


@pytest.mark.dated
def test_a_new_key_counts_from_the_next_exchange_on(played: Story) -> None:
    told = played.pbem("replace-key", rotation(played)).out
    assert "the key is SHA256:" in told
    assert "from exchange 5 on" in told
    assert "alice signs with a new key from exchange 5 on" in played.receive("bob")
    played.exchange(alice="done\n", bob="done\n")  # exchange 4: the old key still
    played.exchange()  # exchange 5: the new one
    assert "Exchange 5 has been played" in played.receive("alice")  # sealed to the new key
    sealed = played.pbem("seal", "--bare", "--game", GAME, home="alice").err
    assert "signed with the key that took the place of your first one: SHA256:" in sealed
    bundle = played.bundle()
    assert "alice signs with a new key from exchange 5 on" in played.audit
    assert "after every new key the bundle says who signs from then on" in played.audit
    old, new = (
        next(line for line in (bundle / name).read_text().splitlines() if line.startswith("alice@"))
        for name in ("keys/allowed_signers", "keys/allowed_signers.from-5")
    )
    assert old != new


def test_the_recovery_key_replaces_a_stolen_one(fresh: Story) -> None:
    fresh.pbem("keygen", "alice", home="alice")
    paper = fresh.folder / "alice-recovery"
    fresh.pbem("keygen", "alice", "--recovery", "--out", paper, home="alice")
    fresh.begin()
    fresh.exchange()
    path = rotation(fresh, "--recovery", paper, exchange=2)
    fresh.pbem("replace-key", path)
    fresh.exchange(alice="card 2\n", bob="card 1\n")
    fresh.exchange()
    fresh.bundle()
    assert "alice signs with a new key from exchange 3 on" in fresh.audit
    sheet = fresh.pbem("sheet", GAME, "--last", "3", "--recovery", paper, home="alice").out
    assert "reveal alice.1 3 " in sheet
    assert paper.read_text() in sheet


def test_a_rotation_forged_by_a_thief_is_refused(played: Story) -> None:
    """The attack: bob signs that his own key replaces alice's."""
    played.pbem("keygen", "mallory", home="bob")
    shutil.copy(played.folder / "alice/keys/alice.pub", played.folder / "bob/keys/alice.pub")
    fingerprint = played.pbem("player", "list").out.split("\n")[0].split()[1]
    path = played.folder / "forged.rotation"
    played.pbem(
        "rotate", GAME, 4, "--as", "alice", "--new", "mallory", "--old", "bob",
        "--old-fingerprint", fingerprint, "--out", path, home="bob",
    )  # fmt: skip
    told = played.pbem("replace-key", path, status=1)
    assert "neither the old key nor the recovery key" in told.err


def test_what_a_thief_signs_with_the_old_key_is_refused(played: Story) -> None:
    """The attack: whoever stole alice's laptop orders in her name, for this exchange and for one before."""
    played.receive("alice")
    shutil.copytree(played.folder / "alice", played.folder / "thief")
    played.pbem("replace-key", rotation(played))
    played.exchange(alice="done\n", bob="done\n")
    played.receive("alice")
    sealed = played.folder / "thief.age"
    played.pbem("seal", "--bare", "--game", GAME, "--out", sealed, home="thief")
    assert "exchange 4 of stirling is closed" in played.pbem("submit", sealed, status=1).err
    sealed.write_bytes(_forged(played))
    assert "key" in played.pbem("submit", sealed, status=1).err
    played.exchange()
    played.bundle()


def _forged(story: Story) -> bytes:
    """Orders for exchange 5 with alice's own secret, signed by whatever key is given."""
    folder = Home(story.folder / "alice").folder(GAME)
    chronicle, chain = folder.chronicle(), folder.chain("alice.1")
    assert chronicle is not None
    assert chain is not None
    orders = orders_for(chronicle, "alice", chain, 5, body="pass\n")
    return to_armor(seal_orders(orders, load_private_file(story.folder / "thief/keys/alice"))).encode()


def test_a_rotation_for_another_game_of_that_name_is_refused(played: Story) -> None:
    """The attack: alice has signed it in another club, with the same key, at the same exchange."""
    old, new = Home(played.folder / "alice").keys.unlock("alice"), generate("alice2")
    ends = old.public.fingerprint, new.public.line
    change = KeyChange(game=GAME, genesis="e" * 64, player="alice", exchange=4, old=ends[0], new=ends[1])
    path = played.folder / "alice.rotation"
    path.write_bytes(sign_rotation(change, old, new))
    told = played.pbem("replace-key", path, status=1)
    assert f"another game that is called {GAME}: its first head is '{'e' * 64}'" in told.err


def test_who_has_no_letter_names_the_game_by_its_first_head(played: Story) -> None:
    played.pbem("keygen", "carol", home="carol")
    words: tuple[object, ...] = ("rotate", GAME, 4, "--as", "alice", "--new", "carol", "--person", "carol")
    words += ("--old-fingerprint", "SHA256:" + "A" * 43)
    assert "--genesis HEAD" in played.pbem(*words, home="carol", status=1).err
    assert f"genesis {played.genesis[1]}" in played.pbem(*words, *played.genesis, home="carol").out
    told = played.pbem(
        "rotate", GAME, 4, "--as", "alice", "--new", "alice", "--genesis", "e" * 64, home="alice", status=1
    )
    assert f"the first head of {GAME} is {played.genesis[1]} here" in told.err
