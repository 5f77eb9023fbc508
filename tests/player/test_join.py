"""Joining: a signed file, the same one every time, and a secret that is never lost."""

import shutil
import stat
from pathlib import Path

import pytest

from pbem.errors import PbemError
from pbem.player import Home
from pbem.trust.player_statements import read_join
from tests.player.judge import GAME, Judge
from tests.player.tools import Stopped, folder, killed_at, tree
from tests.trust.stock import run


def test_the_join_file_names_key_chain_and_recovery_key(alice: Home) -> None:
    recovery, _ = alice.keygen_recovery("alice")
    join = read_join(alice.join(GAME, player="alice", judge=None))
    assert (join.game, join.player) == (GAME, "alice")
    assert join.key.fingerprint == alice.keys.public("alice").fingerprint
    assert join.recovery == recovery.fingerprint
    chain = alice.folder(GAME).chain("alice.1")
    assert chain is not None
    assert join.anchor is not None
    assert join.anchor.text == f"alice.1 0 {chain.anchor}"


def test_ssh_keygen_verifies_it(alice: Home, tmp_path: Path) -> None:
    body, mark, armor = alice.join(GAME, player="alice", judge=None).partition(
        b"-----BEGIN SSH SIGNATURE-----"
    )
    public = alice.keys.public("alice")
    (tmp_path / "signers").write_text(f"alice@{GAME} {public.line}\n")
    (tmp_path / "join.sig").write_bytes(mark + armor)
    command = ("ssh-keygen", "-Y", "verify", "-f", tmp_path / "signers", "-I", f"alice@{GAME}")
    run(*command, "-n", "pbem1-orders", "-s", tmp_path / "join.sig", stdin=body)


def test_joining_again_gives_the_same_file(alice: Home, bob: Home) -> None:
    signed = alice.join(GAME, player="alice", judge=None)
    before = tree(alice.path)
    assert alice.join(GAME, player="alice", judge=None) == signed
    assert tree(alice.path) == before
    judge = Judge()
    judge.begin(signed, bob.join(GAME, player="bob", judge=None))
    alice.receive(judge.mail(judge.letter(0)).encode())
    assert alice.join(GAME, player="alice", judge=None) == signed


def test_a_key_that_was_moved_is_found_where_join_says_that_it_lies(alice: Home, invited: Judge) -> None:
    """Once the invitation has come nothing else can change."""
    there = alice.path / "elsewhere"
    (alice.path / "keys/alice").rename(there)
    (alice.path / "keys/alice.pub").rename(there.with_suffix(".pub"))
    alice.join(GAME, player="alice", judge=None, key=str(there))
    assert alice.seal(None, game=GAME).sealed


def test_the_secret_is_the_owner_s_alone(alice: Home) -> None:
    alice.join(GAME, player="alice", judge=None)
    secret = folder(alice) / "chain-secret"
    assert stat.S_IMODE(secret.stat().st_mode) == 0o600
    secret.chmod(0o640)
    with pytest.raises(PbemError) as caught:
        alice.join(GAME, player="alice", judge=None)
    assert str(caught.value) == f"{secret} can be read by others (mode 0640); run chmod 600 on it"


def test_another_name_is_possible_until_the_invitation_comes(alice: Home, invited: Judge) -> None:
    alice.keygen("anne")
    with pytest.raises(PbemError) as caught:
        alice.join(GAME, player="anne", judge=None)
    fingerprint = alice.keys.public("alice").fingerprint
    assert str(caught.value) == (
        f"you play hearth as alice with the key {fingerprint}; after the invitation you cannot change that"
    )
    alice.join("dunbar", player="anne", judge=None)
    again = alice.join("dunbar", player="alice", judge=None)
    assert read_join(again).player == "alice"


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("Alice", "'Alice' is not a player name: use 1 to 64 small letters"),
        ("gm", "'gm' cannot be a player's name: it already means somebody else"),
    ],
)
def test_a_bad_name_is_told(alice: Home, name: str, told: str) -> None:
    with pytest.raises(PbemError) as caught:
        alice.join(GAME, player=name, judge=None)
    assert str(caught.value).startswith(told)
    assert not (alice.path / "games").exists()


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("write", [1, 2, 3])
def test_a_kill_loses_no_secret(alice: Home, write: int, after: bool) -> None:
    with pytest.raises(Stopped), killed_at(write, after=after):
        alice.join(GAME, player="alice", judge=None)
    secret = alice.path / f"games/{GAME}/chain-secret"
    before = secret.read_bytes() if secret.exists() else None
    signed = alice.join(GAME, player="alice", judge=None)
    assert before in (None, secret.read_bytes())
    assert signed == alice.join(GAME, player="alice", judge=None)


def test_a_home_can_be_moved(alice: Home, invited: Judge, tmp_path: Path) -> None:
    shutil.move(alice.path, tmp_path / "elsewhere")
    moved = Home(tmp_path / "elsewhere")
    assert moved.seal(None, game=GAME).exchange == 1
