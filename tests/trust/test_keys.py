"""Keys: ours are ssh-keygen's and ssh-keygen's are ours; weak, damaged and unprotected ones are refused."""

import base64
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.trust import keys
from pbem.trust.faults import KeyFault
from pbem.trust.identifiers import JUDGE_NAMESPACES, PLAYER_NAMESPACES, Namespace
from pbem.trust.keys import write_private_file
from tests.trust.stock import make_key, run

PRIME = 2**255 - 19


@pytest.mark.parametrize("passphrase", ["", "correct horse", "påss wörd"])
def test_a_key_of_ssh_keygen_loads(passphrase: str, tmp_path: Path) -> None:
    path = make_key(tmp_path, passphrase=passphrase)
    key = keys.load_private_file(path, passphrase)
    public = keys.parse_public(path.with_suffix(".pub").read_text())
    assert key.public == public
    assert public.comment == "alice hearth"
    assert public.file_line == path.with_suffix(".pub").read_text()
    assert keys.is_locked(path.read_bytes()) is bool(passphrase)
    assert public.fingerprint == run("ssh-keygen", "-l", "-f", path).decode().split()[1]


@pytest.mark.parametrize("passphrase", ["", "correct horse", "påss wörd"])
def test_ssh_keygen_reads_our_key(passphrase: str, tmp_path: Path) -> None:
    key = keys.generate("bob hearth")
    path = tmp_path / "bob"
    write_private_file(path, key.to_openssh(passphrase, rounds=4))
    assert (
        run("ssh-keygen", "-y", "-P", passphrase, "-f", path).decode().split()[:2] == key.public.line.split()
    )
    path.with_suffix(".pub").write_text(key.public.file_line)
    assert key.public.fingerprint in run("ssh-keygen", "-l", "-f", path.with_suffix(".pub")).decode()


def test_ssh_keygen_changes_the_passphrase_of_our_key(tmp_path: Path) -> None:
    key = keys.generate()
    path = tmp_path / "key"
    write_private_file(path, key.to_openssh("old", rounds=4))
    run("ssh-keygen", "-q", "-p", "-a", "4", "-P", "old", "-N", "new", "-f", path)
    assert keys.load_private_file(path, "new").public == key.public


def test_a_new_key_file_is_its_owners_alone_and_replaces_nothing(tmp_path: Path) -> None:
    path = tmp_path / "key"
    write_private_file(path, b"first")
    assert path.stat().st_mode & 0o777 == 0o600
    with pytest.raises(KeyFault, match="exists already"):
        write_private_file(path, b"second")
    assert path.read_bytes() == b"first"
    write_private_file(path, b"third", replace=True)
    assert path.read_bytes() == b"third"
    assert path.stat().st_mode & 0o777 == 0o600
    assert [found.name for found in tmp_path.iterdir()] == ["key"]


def test_a_new_key_is_on_the_disk_before_it_has_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else a machine that loses its power there would keep an empty file in the key's place."""
    path, synced = tmp_path / "key", []

    def sync(handle: int) -> None:
        synced.append((os.fstat(handle).st_size, path.exists()))

    monkeypatch.setattr(os, "fsync", sync)
    write_private_file(path, b"first")
    assert synced[0] == (len(b"first"), False)


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o602, 0o644])
def test_a_private_key_that_others_may_touch_is_refused(mode: int, tmp_path: Path) -> None:
    path = make_key(tmp_path)
    path.chmod(mode)
    with pytest.raises(KeyFault, match=f"mode {mode:04o}.; run chmod 600 on it"):
        keys.load_private_file(path)


SAMPLE = keys.load_private(keys.generate("alice hearth").to_openssh(), "needless")


def test_a_key_tells_why_it_does_not_open_and_never_prints_itself() -> None:
    locked = SAMPLE.to_openssh("correct horse", rounds=4)
    for passphrase, reason in (("", "locked"), ("battery staple", "wrong-passphrase")):
        with pytest.raises(KeyFault) as caught:
            keys.load_private(locked, passphrase)
        assert caught.value.reason == reason
    assert repr(SAMPLE) == f"PrivateKey({SAMPLE.public.fingerprint})"


def test_every_part_of_a_public_key_line_is_refused() -> None:
    line = SAMPLE.public.line
    for start in range(len(line)):
        for end in range(start, len(line) + 1):
            if (start, end) != (0, len(line)):
                with pytest.raises(KeyFault):
                    keys.parse_public(line[start:end])


@pytest.mark.ci
def test_every_changed_byte_of_a_public_key_line_is_another_key_or_none() -> None:
    line = SAMPLE.public.line
    for place in range(len(line)):
        for sign in "A/=+z0- \u00e9":
            changed = line[:place] + sign + line[place + 1 :]
            if changed != line:
                assert key_or_none(changed) != SAMPLE.public


def key_or_none(line: str) -> keys.PublicKey | None:
    try:
        return keys.parse_public(line)
    except KeyFault:
        return None


def test_every_changed_byte_of_a_private_key_file_is_refused_or_harmless() -> None:
    data = SAMPLE.to_openssh()
    for place in range(len(data)):
        changed = data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]
        try:
            read = keys.load_private(changed)
        except KeyFault:
            continue
        assert read.public == SAMPLE.public


def small_order_keys() -> list[bytes]:
    """Every encoding of a point of small order, the irregular ones included."""
    eight = int("7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7", 16)
    rows = [0, 1, PRIME - 1, PRIME, PRIME + 1, eight, PRIME - eight]
    return [(row | sign << 255).to_bytes(32, "little") for row in rows for sign in (0, 1)]


@pytest.mark.parametrize("raw", small_order_keys(), ids=bytes.hex)
def test_a_small_order_key_is_refused(raw: bytes) -> None:
    line = keys.PublicKey(raw).line
    with pytest.raises(
        KeyFault, match="small-order key, under which one signature fits every message"
    ) as caught:
        keys.parse_public(line)
    assert caught.value.reason == "weak-key"


def test_under_a_small_order_key_one_signature_would_fit_every_message() -> None:
    neutral = keys.PublicKey((1).to_bytes(32, "little"))
    forged = (1).to_bytes(32, "little") + bytes(32)
    assert neutral.verifies(forged, b"yes")
    assert neutral.verifies(forged, b"no")


def test_a_key_of_mixed_order_is_refused() -> None:
    mixed = keys._add(point_of(SAMPLE.public), (0, PRIME - 1, 1, 0))
    with pytest.raises(KeyFault, match="no key generator makes such a key"):
        keys.parse_public(keys.PublicKey(encoded(mixed)).line)


def point_of(key: keys.PublicKey) -> tuple[int, int, int, int]:
    number = int.from_bytes(key.raw, "little")
    point = keys._point(number & (2**255 - 1), number >> 255)
    assert point is not None
    return point


def encoded(point: tuple[int, int, int, int]) -> bytes:
    inverse = pow(point[2], -1, PRIME)
    x, y = point[0] * inverse % PRIME, point[1] * inverse % PRIME
    return (y | (x & 1) << 255).to_bytes(32, "little")


def test_our_curve_is_the_one_that_makes_keys() -> None:
    """Adding a key's point to itself and decoding what openssl made agree with its encoding."""
    for _ in range(20):
        key = keys.generate().public
        assert encoded(point_of(key)) == key.raw
        assert keys.parse_public(key.line) == key


@pytest.mark.ci
@given(st.binary(max_size=64))
def test_no_bytes_break_the_reading_of_a_key(blob: bytes) -> None:
    with pytest.raises(KeyFault):
        keys.parse_public(f"ssh-ed25519 {base64.b64encode(blob).decode()}")


@pytest.mark.ci
@given(st.text(max_size=100))
def test_no_text_breaks_the_reading_of_a_key(text: str) -> None:
    with pytest.raises(KeyFault):
        keys.parse_public(text)
    with pytest.raises(KeyFault):
        keys.parse_signers(f"{text}\n")


def signers() -> tuple[keys.Signer, ...]:
    judge, alice = keys.generate().public, keys.generate().public
    return (
        keys.Signer(name="gm", game="hearth", namespaces=JUDGE_NAMESPACES, key=judge),
        keys.Signer(name="alice", game="hearth", namespaces=PLAYER_NAMESPACES, key=alice),
    )


def test_allowed_signers_are_read_as_they_are_written() -> None:
    expected = signers()
    text = keys.render_signers(expected)
    assert keys.parse_signers(text) == expected
    assert text.splitlines()[1] == (
        f'alice@hearth namespaces="pbem1-orders,pbem1-rotate" {expected[1].key.line}'
    )
    assert keys.parse_signers("") == ()


def test_ssh_keygen_finds_the_principal_in_our_allowed_signers(tmp_path: Path) -> None:
    path = make_key(tmp_path)
    public = keys.parse_public(path.with_suffix(".pub").read_text())
    line = keys.Signer(name="alice", game="hearth", namespaces=(Namespace.ORDERS,), key=public)
    (tmp_path / "allowed").write_text(keys.render_signers([line]))
    (tmp_path / "text").write_text("move\n")
    run("ssh-keygen", "-q", "-Y", "sign", "-f", path, "-n", "pbem1-orders", tmp_path / "text")
    found = run(
        "ssh-keygen", "-Y", "find-principals", "-f", tmp_path / "allowed", "-s", tmp_path / "text.sig"
    )
    assert found == b"alice@hearth\n"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("hearth", "Hearth"),
        ('namespaces="', 'cert-authority,namespaces="'),
        ("@hearth", "@hearth,mallory@hearth"),
        ("\n", " a comment\n"),
        ("\n", "\r\n"),
        ("\n", "\n\n"),
    ],
)
def test_allowed_signers_of_another_form_are_refused(old: str, new: str) -> None:
    with pytest.raises(KeyFault):
        keys.parse_signers(keys.render_signers(signers()).replace(old, new, 1))
