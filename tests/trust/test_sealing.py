"""Seals: what age opens and we seal, what we open and age seals, and what opens for nobody else."""

import base64
import hashlib
import hmac
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.trust import keys, sealing
from pbem.trust.faults import IdentifierFault, SealFault, SignatureFault
from pbem.trust.identifiers import Namespace
from pbem.trust.primitives import age
from pbem.trust.sealing import LETTER_SIZE, unwraps
from pbem.trust.signature import verify_text
from tests.trust.envelopes import sealed_by_hand, sealed_for_two
from tests.trust.sealed import only_sealed
from tests.trust.stock import make_key, run, shell

ROOT = bytes(range(32))
KEY = sealing.seal_key(ROOT, "hearth", 3, "alice")
TEXT = b"pbem1 orders\n" * 20


@pytest.mark.parametrize("size", [0, 1, 700, 8_192, 65_535, 65_536, 65_537, 200_000])
def test_age_opens_our_seal(size: int, tmp_path: Path) -> None:
    text = bytes(index % 251 for index in range(size))
    (tmp_path / "key").write_text(f"{KEY.identity}\n")
    sealed = sealing.seal(text, [KEY.recipient])
    assert run("age", "-d", "-i", tmp_path / "key", stdin=sealed) == text
    assert run("age", "-d", "-i", tmp_path / "key", stdin=sealing.to_armor(sealed).encode()) == text
    assert sealing.open_sealed(sealed, [KEY], 300_000) == text


@pytest.mark.parametrize("form", [(), ("-a",)])
@pytest.mark.parametrize("size", [0, 700, 65_536, 200_000])
def test_we_open_the_seal_of_age(form: tuple[str, ...], size: int) -> None:
    text = b"x" * size
    sealed = only_sealed(run("age", *form, "-r", KEY.recipient, stdin=text))
    assert sealing.open_sealed(sealed, [KEY], 300_000) == text


def test_our_armor_is_that_of_age(tmp_path: Path) -> None:
    (tmp_path / "armor").write_bytes(run("age", "-a", "-r", KEY.recipient, stdin=TEXT))
    text = (tmp_path / "armor").read_text()
    assert sealing.to_armor(only_sealed(text.encode())) == text


def test_the_seal_key_is_what_age_keygen_makes_of_it(tmp_path: Path) -> None:
    (tmp_path / "key").write_text(KEY.identity)
    assert run("age-keygen", "-y", tmp_path / "key").decode().strip() == KEY.recipient
    secret = hmac.new(ROOT, b"pbem1 seal hearth 3 alice", hashlib.sha256).digest()
    assert KEY.identity == age.bech32_encode("age-secret-key-", secret).upper()


def test_bech32_agrees_with_published_examples() -> None:
    """BIP 173's own valid strings, whose data part is empty or whole bytes."""
    assert age.bech32_encode("a", b"") == "a12uel5l"
    address = "an83characterlonghumanreadablepartthatcontainsthenumber1andtheexcludedcharactersbio"
    assert age.bech32_encode(address, b"") == f"{address}1tt5tgs"


def test_each_exchange_and_player_and_game_has_a_key_of_its_own() -> None:
    whose = [("hearth", 3, "alice"), ("hearth", 4, "alice"), ("hearth", 3, "bob"), ("hearth2", 3, "alice")]
    found = {sealing.seal_key(ROOT, *who).recipient for who in whose}
    assert len(found) == len(whose)
    sealed = sealing.seal(TEXT, [KEY.recipient])
    with pytest.raises(SealFault, match="sealed to another key") as caught:
        sealing.open_sealed(sealed, [sealing.seal_key(ROOT, *who) for who in whose[1:]])
    assert caught.value.reason == "sealed-to-another"


def test_the_right_key_is_found_among_many() -> None:
    keys_of_game = [sealing.seal_key(ROOT, "hearth", number, "alice") for number in range(1, 9)]
    for place in (0, 7, 4):
        sealed = sealing.seal(TEXT, [keys_of_game[place].recipient])
        assert sealing.find_key(sealed, keys_of_game) == (keys_of_game[place], TEXT)
    with pytest.raises(SealFault, match="sealed to another key"):
        sealing.find_key(sealed, keys_of_game[:4])
    with pytest.raises(SealFault, match="damaged"):
        sealing.find_key(sealed[:-1], keys_of_game)


def test_a_share_that_fits_every_key_opens_nothing() -> None:
    """A recipient line with a point of low order, for which every key would get the same secret."""
    sealed = sealing.seal(TEXT, [KEY.recipient])
    share = sealed.split(b"-> X25519 ")[1][:43]
    with pytest.raises(SealFault, match="sealed to another key"):
        sealing.find_key(sealed.replace(share, b"A" * 43), [KEY])


def test_a_file_for_two_is_no_order_file() -> None:
    other = sealing.seal_key(ROOT, "hearth", 3, "bob")
    with pytest.raises(SealFault, match="to one age1") as caught:
        sealing.find_key(sealing.seal(TEXT, [KEY.recipient, other.recipient]), [KEY, other])
    assert caught.value.reason == "odd-envelope"


@pytest.mark.ci
def test_what_pyrage_and_age_write_is_taken(tmp_path: Path) -> None:
    """Pyrage adds a stanza of random form; all of a few hundred must pass."""
    for _ in range(400):
        assert sealing.find_key(sealing.seal(TEXT, [KEY.recipient]), [KEY]) == (KEY, TEXT)
    for size in (0, 1, 24_576, 32_768):
        (tmp_path / "text").write_bytes(b"x" * size)
        run("age", "-r", KEY.recipient, "-o", tmp_path / "sealed", tmp_path / "text")
        sealed = (tmp_path / "sealed").read_bytes()
        (tmp_path / "sealed").unlink()
        assert sealing.find_key(sealed, [KEY]) == (KEY, b"x" * size)


FULL = base64.b64encode(b"x" * 48) + b"\n"


@pytest.mark.parametrize(
    ("body", "tag", "taken"),
    [
        (b"\n", b"odd-grease a", True),
        (FULL + b"\n", b"odd-grease a", True),
        (FULL + b"YQ\n", b"odd-grease", True),
        (FULL, b"odd-grease a", False),
        (FULL + FULL + FULL + b"\n", b"odd-grease a", False),
        (b"YR\n", b"odd-grease a", False),
        (b"YQ==\n", b"odd-grease a", False),
        (b"Y\n", b"odd-grease a", False),
        (b"\n", b"odd", False),
        (b"\n", b"ssh-rsa AAAA", False),
        (b"\n", b"X25519 AAAA", False),
        (b"\n", b"odd-grease a b c d e", False),
        (b"\n-> odd-grease a\n\n", b"odd-grease", False),
    ],
)
def test_one_stanza_of_grease_and_nothing_else_may_stand_beside_it(
    tmp_path: Path, body: bytes, tag: bytes, taken: bool
) -> None:
    """What is taken, stock age opens: pyrage alone reads a full last line without a short one after it."""
    sealed = sealed_by_hand(TEXT, KEY.recipient, after=[b"-> " + tag + b"\n" + body])
    if not taken:
        with pytest.raises(SealFault):
            sealing.find_key(sealed, [KEY])
        return
    assert sealing.find_key(sealed, [KEY]) == (KEY, TEXT)
    (tmp_path / "key").write_text(f"{KEY.identity}\n")
    (tmp_path / "sealed").write_bytes(sealed)
    assert run("age", "-d", "-i", tmp_path / "key", tmp_path / "sealed") == TEXT


def test_a_recipient_line_that_fits_two_keys_opens_with_one() -> None:
    """ChaCha20-Poly1305 binds nobody to one key; the checksum over the head does, however one tries."""
    other = sealing.seal_key(ROOT, "hearth", 4, "alice")
    sealed = sealed_for_two(TEXT, KEY.recipient, other.recipient)
    envelope = sealing.read_envelope(sealed)
    for key in (KEY, other):
        assert unwraps(key.identity, envelope.share, envelope.wrapped)
    assert sealing.find_key(sealed, [KEY, other]) == sealing.find_key(sealed, [other, KEY]) == (KEY, TEXT)
    with pytest.raises(SealFault, match="damaged"):
        sealing.find_key(sealed, [other])


def test_a_stanza_before_its_own_or_a_chunk_too_many_is_not_taken() -> None:
    grease = b"-> odd-grease a\n\n"
    assert sealing.find_key(sealed_by_hand(TEXT, KEY.recipient, after=[grease]), [KEY]) == (KEY, TEXT)
    for odd in (
        sealed_by_hand(TEXT, KEY.recipient, before=[grease]),
        sealed_by_hand(TEXT, KEY.recipient, after=[grease, grease]),
        sealed_by_hand(TEXT, KEY.recipient, empty_chunk=True),
        sealed_by_hand(TEXT, KEY.recipient) + b"x",
    ):
        with pytest.raises(SealFault):
            sealing.find_key(odd, [KEY])


def test_a_recipient_is_read_back_as_it_was_written() -> None:
    for data in (bytes(32), b"\xff" * 32, ROOT):
        assert age.bech32_decode(age.bech32_encode("age-secret-key-", data)) == data


def test_a_seal_key_shows_no_secret_and_needs_a_whole_root() -> None:
    assert KEY.identity not in repr(KEY)
    with pytest.raises(SealFault, match="32 bytes"):
        sealing.seal_key(ROOT[:31], "hearth", 3, "alice")
    with pytest.raises(IdentifierFault):
        sealing.seal_key(ROOT, "hearth 3", 3, "alice")


@pytest.mark.parametrize("passphrase", ["", "correct horse"])
def test_a_report_sealed_to_a_players_key_opens_with_it(passphrase: str, tmp_path: Path) -> None:
    path = make_key(tmp_path, passphrase=passphrase)
    key = keys.load_private_file(path, passphrase)
    sealed = sealing.seal(TEXT, [key.public])
    assert sealing.open_sealed(sealed, [key]) == TEXT
    run("ssh-keygen", "-q", "-p", "-P", passphrase, "-N", "", "-f", path)
    assert run("age", "-d", "-i", path, stdin=sealed) == TEXT


def test_a_seal_that_is_made_again_has_the_same_bytes(tmp_path: Path) -> None:
    """And age opens it; another seed, text or key gives another file throughout."""
    path = make_key(tmp_path)
    key, other = keys.load_private_file(path, ""), keys.generate()
    sealed = sealing.seal_again(TEXT, key.public, b"s" * 32)
    assert sealing.seal_again(TEXT, key.public, b"s" * 32) == sealed
    assert run("age", "-d", "-i", path, stdin=sealed) == TEXT
    assert sealing.open_sealed(sealed, [key]) == TEXT
    others = (
        sealing.seal_again(TEXT, key.public, b"t" * 32),
        sealing.seal_again(TEXT[:-1] + b"!", key.public, b"s" * 32),
        sealing.seal_again(TEXT, other.public, b"s" * 32),
    )
    for one in others:
        heads = [(share.split(b"\n")[1], share.split(b"\n")[2]) for share in (sealed, one)]
        assert heads[0][0] != heads[1][0], "the share"
        assert heads[0][1] != heads[1][1], "the wrapped key"
        assert len(one) == len(sealed)


@pytest.mark.ci
def test_age_asks_for_the_passphrase_and_opens_our_seal(tmp_path: Path) -> None:
    """Stock age reads a passphrase from a terminal only; `script` lends it one."""
    path = make_key(tmp_path, passphrase="correct horse")
    public = keys.parse_public(path.with_suffix(".pub").read_text())
    (tmp_path / "sealed").write_bytes(sealing.seal(TEXT, [public]))
    command = f"age -d -i {path} -o {tmp_path / 'opened'} {tmp_path / 'sealed'}"
    run("script", "-qec", command, "/dev/null", stdin=b"correct horse\n")
    assert (tmp_path / "opened").read_bytes() == TEXT


def test_age_seals_to_a_players_key_and_we_open_it(tmp_path: Path) -> None:
    path = make_key(tmp_path, passphrase="correct horse")
    sealed = run("age", "-R", path.with_suffix(".pub"), stdin=TEXT)
    assert sealing.open_sealed(sealed, [keys.load_private_file(path, "correct horse")]) == TEXT


def test_several_recipients_open_one_seal_each_alone() -> None:
    player = keys.generate()
    sealed = sealing.seal(TEXT, [KEY.recipient, player.public])
    assert sealing.open_sealed(sealed, [KEY]) == TEXT
    assert sealing.open_sealed(sealed, [player]) == TEXT
    assert sealing.open_sealed(sealed, [KEY.identity]) == TEXT


def test_every_changed_or_missing_byte_of_a_seal_is_refused() -> None:
    sealed = sealing.seal(b"move", [KEY.recipient])
    for place in range(len(sealed)):
        for damaged in (sealed[:place], sealed[:place] + bytes([sealed[place] ^ 1]) + sealed[place + 1 :]):
            with pytest.raises(SealFault):
                sealing.open_sealed(damaged, [KEY])
    with pytest.raises(SealFault):
        sealing.open_sealed(sealed + b"\0", [KEY])


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty"),
        (bytes(10_000_000), "too-large"),
        (bytes(1000), "not-sealed"),
        (b"move fife stirling", "not-sealed"),
        (sealing.AGE_MAGIC, "damaged"),
        (sealing.AGE_MAGIC + b"-> X25519 a\n" * 10_000 + b"---", "damaged"),
    ],
)
def test_what_is_no_seal_is_refused_unopened(data: bytes, reason: str) -> None:
    with pytest.raises(SealFault) as caught:
        sealing.open_sealed(data, [KEY])
    assert caught.value.reason == reason


@given(st.binary(max_size=300))
def test_no_bytes_break_the_opening_of_a_seal(data: bytes) -> None:
    for hostile in (data, sealing.AGE_MAGIC + data, sealing.AGE_MAGIC + data + b"\n--- " + data):
        with pytest.raises(SealFault):
            sealing.open_sealed(hostile, [KEY])


@pytest.mark.parametrize("unit", [sealing.ORDERS_UNIT, LETTER_SIZE])
def test_padding_fills_to_the_unit_with_line_ends(unit: int) -> None:
    for size in (0, 1, unit - 1, unit, unit + 1, 3 * unit):
        padded = sealing.pad(b"x" * size, unit)
        assert len(padded) % unit == 0
        assert len(padded) < size + unit
        assert padded.rstrip(b"\n") == b"x" * size


def test_a_signed_and_sealed_text_comes_back_from_its_signer_alone() -> None:
    judge, player = keys.generate(), keys.generate()
    sealed = sealing.seal_signed(b"report\n", judge, Namespace.REPORT, [player.public], LETTER_SIZE)
    assert LETTER_SIZE < len(sealed) < LETTER_SIZE + 1_000
    text = sealing.open_sealed(sealed, [player])
    assert verify_text(text, Namespace.REPORT, judge.public) == b"report\n"
    with pytest.raises(SignatureFault, match="was made with the key"):
        verify_text(text, Namespace.REPORT, player.public)
    with pytest.raises(SignatureFault, match="was made for"):
        verify_text(text, Namespace.RECEIPT, judge.public)


def test_the_stock_commands_name_a_sealed_file_as_we_do() -> None:
    sealed = sealing.seal(TEXT, [KEY.recipient])
    found = shell(
        "sed '/^-----/d' | base64 -d | sha256sum | cut -d' ' -f1", stdin=sealing.to_armor(sealed).encode()
    )
    assert found == sealing.sealed_name(sealed)
