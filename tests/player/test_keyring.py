"""The player's keys: OpenSSH's own files, locked or not, and never readable by others."""

import stat
from pathlib import Path

import pytest

from pbem.errors import PbemError
from pbem.player import Home
from pbem.trust import keys, sealing
from tests.player.judge import GAME
from tests.player.tools import tree
from tests.trust.stock import make_key, run


def test_keygen_makes_what_ssh_keygen_reads(tmp_path: Path) -> None:
    home = Home(tmp_path)
    public = home.keygen("alice")
    assert run("ssh-keygen", "-l", "-f", tmp_path / "keys/alice").decode().split()[1] == public.fingerprint
    assert (tmp_path / "keys/alice.pub").read_text() == f"{public.line} alice\n"
    assert stat.S_IMODE((tmp_path / "keys/alice").stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "keys").stat().st_mode) == 0o700


def test_a_key_that_others_can_read_is_refused(alice: Home) -> None:
    path = alice.path / "keys/alice"
    path.chmod(0o644)
    with pytest.raises(PbemError) as caught:
        alice.join(GAME, player="alice", judge=None)
    assert str(caught.value) == f"{path} can be read by others (mode 0644); run chmod 600 on it"


def test_a_missing_key_is_told(tmp_path: Path) -> None:
    with pytest.raises(
        PbemError,
        match=r"^there is no key .*/keys/alice; pbem keygen makes one, and if you .* pbem sign rotation",
    ):
        Home(tmp_path).join(GAME, judge=None, player="alice")


@pytest.mark.parametrize("passphrase", ["", "correct horse"])
def test_a_key_of_ssh_keygen_serves_from_anywhere(tmp_path: Path, passphrase: str) -> None:
    path = make_key(tmp_path, "hearth_alice", passphrase)
    home = Home(tmp_path / "home", passphrase=passphrase)
    home.join(GAME, player="alice", judge=None, key=str(path))
    assert home.folder(GAME).membership().public == keys.parse_public(
        path.with_name("hearth_alice.pub").read_text()
    )


def test_the_recovery_key_is_not_kept(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.keygen("alice")
    public, private = home.keygen_recovery("alice")
    assert keys.load_private(private).public == public
    assert not [name for name, data in tree(tmp_path).items() if b"PRIVATE" in data and name != "keys/alice"]
    assert home.keys.names() == ("alice",)


def test_a_file_says_to_whom_it_is_sealed() -> None:
    one, other = keys.generate("one"), keys.generate("other")
    both = sealing.seal(b"for one", [one.public, keys.generate("third").public])
    assert sealing.is_sealed_to(both, one.public)
    assert not sealing.is_sealed_to(both, other.public)
