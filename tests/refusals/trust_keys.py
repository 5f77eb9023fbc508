"""Which keys, signatures and seals are refused; OpenSSH's and age's formats also as the page reads them."""

from __future__ import annotations

import base64
import tempfile
from collections.abc import Callable
from pathlib import Path
from struct import pack

from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, SECP384R1, generate_private_key
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from pbem.trust import armor, keys, sealing, signature
from pbem.trust.identifiers import Namespace
from pbem.trust.keys import _move_new, check_private_mode, write_private_file
from pbem.trust.primitives import age, es256, native, openssh
from pbem.trust.times import find_zone
from tests.refusals.clauses import Row, changed
from tests.test_boundaries import armored
from tests.trust.envelopes import base64_of, sealed_by_hand
from tests.trust.primitives.test_vectors import CIPHERS, LOCKS
from tests.trust.test_sealing import KEY as SEAL
from tests.trust.test_sealing import TEXT
from tests.trust.test_signature import GOOD, KEY, forged, string

# -- public keys, and who may sign

LINE = KEY.public.line
SIGNERS = keys.render_signers(
    [keys.Signer(name="alice", game="hearth", namespaces=(Namespace.ORDERS,), key=KEY.public)]
).encode()
MIXED = keys.PublicKey((3).to_bytes(32, "little"))
PUBLIC = (
    *changed(
        lambda text: keys.parse_public(text.decode()),
        LINE.encode(),
        (LINE, "ssh-ed25519", "'ssh-ed25519' is not a public key line; one is"),
        (LINE, "ssh-ed25519 QUJ=", "its second word is not the usual base64"),
        like="public key",
    ),
    Row("is not a whole ssh-ed25519 key", lambda: keys.parse_blob(KEY.public.blob + b"x")),
    Row("is not a whole ssh-ed25519 key", lambda: keys.parse_blob(b"x" + KEY.public.blob[1:])),
    Row("its bytes are no point of the curve", lambda: keys.check_order(keys.PublicKey(b"\2" + bytes(31)))),
    Row("it is a small-order key", lambda: keys.check_order(keys.PublicKey(b"\1" + bytes(31)))),
    Row("no key generator makes such a key", lambda: keys.check_order(MIXED)),
    Row("cannot stand in a line of text", lambda: keys.generate("a\nb")),
    *changed(
        lambda text: keys.parse_signers(text.decode()),
        SIGNERS,
        (f"{LINE}\n", LINE, "does not end with a line's end"),
        like="signers",
    ),
)

# -- private keys

KIND = b"ssh-ed25519"
RAW = KEY.public.raw


def key_file(
    *,
    magic: bytes = b"openssh-key-v1\0",
    cipher: bytes = b"none",
    kdf: bytes = b"none",
    options: bytes = b"",
    count: int = 1,
    rest: bytes = b"",
    blob: bytes = KEY.public.blob,
    checks: bytes = b"same" * 2,
    kind: bytes = KIND,
    pair: bytes = KEY.seed + RAW,
    padding: bytes = b"\1\2\3\4\5",
) -> bytes:
    """A key file with one part of it as no program writes it."""
    private = checks + string(kind) + string(RAW) + string(pair) + string(b"") + padding
    head = magic + string(cipher) + string(kdf) + string(options) + pack(">I", count)
    text = base64.b64encode(head + string(blob) + string(private) + rest)
    return b"-----BEGIN OPENSSH PRIVATE KEY-----\n%s\n-----END OPENSSH PRIVATE KEY-----\n" % text


def paged(data: bytes, passphrase: bytes = b"") -> Callable[[], object]:
    """Read as the player's page does."""
    return lambda: openssh.read(data, passphrase, LOCKS)


def locked(salt: bytes, rounds: int) -> bytes:
    return key_file(cipher=b"aes256-ctr", kdf=b"bcrypt", options=string(salt) + pack(">I", rounds))


def in_folder(door: Callable[[Path], None]) -> Callable[[], None]:
    def opened() -> None:
        with tempfile.TemporaryDirectory() as folder:
            door(Path(folder))

    return opened


def nowhere(folder: Path) -> None:
    write_private_file(folder / "none" / "key", b"")


def twice(folder: Path) -> None:
    for _ in range(2):
        write_private_file(folder / "key", b"")


def renamed(folder: Path) -> None:
    """As where a file system has no hard links: the name is taken, and linking fails."""
    (folder / "key").touch()
    _move_new(folder / "none", folder / "key")


LOCKED = KEY.to_openssh("horse", rounds=4)
OTHER = generate_private_key(SECP256R1()).private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption())
UNKNOWN = key_file(cipher=b"rot13")
DAMAGED = "it is damaged"
AS_PEM = (Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
OTHER_CURVE = generate_private_key(SECP384R1()).private_bytes(*AS_PEM)
NO_CURVE = Ed25519PrivateKey.generate().private_bytes(*AS_PEM)
PRIVATE = (
    Row("it is not a key as PEM", lambda: es256.point_of(b"x")),
    Row("it is not a key of P-256", lambda: es256.point_of(NO_CURVE)),
    Row("it is not a key of P-256", lambda: es256.point_of(OTHER_CURVE)),
    Row("the key is locked, and no passphrase was given", lambda: keys.load_private(LOCKED)),
    Row("the passphrase does not open this key", lambda: keys.load_private(LOCKED, "cow")),
    Row("the key is not an ed25519 key", lambda: keys.load_private(OTHER)),
    Row("the private key file cannot be read", lambda: keys.load_private(key_file()[:200])),
    Row("the private key file cannot be read", lambda: keys.load_private(UNKNOWN)),
    Row("two halves do not belong", lambda: keys.load_private(key_file(pair=b"x" * 32 + RAW))),
    Row("too large for a private key", lambda: keys.load_private(bytes(16_385))),
    Row("this is a public key; the private", lambda: keys.load_private(LINE.encode())),
    Row("is not a private key file of OpenSSH; one begins", lambda: keys.load_private(b"x")),
    Row("it is not of OpenSSH's form", paged(key_file().partition(b"-----END")[0])),
    Row("it is not of OpenSSH's form", paged(key_file(magic=b"openssh-key-v2\0"))),
    Row(DAMAGED, paged(key_file().replace(b"\n", b"\n!", 1))),
    Row("it is cut short", paged(key_file(magic=b"openssh-key-v1\0\1"))),
    Row("it holds more than one key", paged(key_file(count=2))),
    Row("it holds more than one key", paged(key_file(rest=b"x"))),
    Row("Locked", paged(LOCKED)),
    Row("WrongPassphrase", paged(LOCKED, b"cow")),
    Row("it asks for 0 rounds", paged(locked(b"salt", 0), b"horse")),
    Row("it asks for 4,097 rounds", paged(locked(b"salt", 4_097), b"horse")),
    Row("it asks for 4 rounds", paged(locked(b"", 4), b"horse")),
    Row("it is locked in a way that is not read here", paged(UNKNOWN)),
    Row(DAMAGED, paged(key_file(checks=b"samesane"))),
    Row("OtherKind", paged(key_file(kind=b"ssh-dss"))),
    Row(DAMAGED, paged(key_file(blob=b""))),
    Row(DAMAGED, paged(key_file(padding=b"\1\2\3\4\6"))),
    Row("no such file", in_folder(lambda folder: check_private_mode(folder / "none"))),
    Row("is not a file", in_folder(check_private_mode)),
    Row("/proc/self/mem: input/output error", lambda: keys.load_private_file(Path("/proc/self/mem"))),
    Row("cannot be written: no such file", in_folder(nowhere)),
    Row("exists already; move it away", in_folder(twice)),
    Row("exists already; move it away", in_folder(renamed)),
)

# -- signatures


def blobbed(old: bytes, new: bytes) -> Callable[[], object]:
    """A signature with something else in its binary form."""
    blob = base64.b64decode(b"".join(GOOD.split(b"\n")[1:-2]))
    assert old in blob
    changed = base64.b64encode(blob.replace(old, new, 1))
    return lambda: signature.parse(signature.from_line(changed.decode()))


def parsed(armored: bytes) -> Callable[[], object]:
    return lambda: signature.parse(armored)


ED25519 = string(KIND) + pack(">I", 64)
BETWEEN = "it must stand between its BEGIN and END lines, and nothing else may"
SIGNATURES = (
    Row("it does not begin as an ssh signature does", blobbed(b"SSHSIG", b"SSHSAG")),
    Row("its version is not 1", parsed(forged(version=2))),
    Row("its reserved part is not empty", parsed(forged(reserved=b"x"))),
    Row("'sha1'; only sha512 and sha256 are accepted", parsed(forged(hash_name=b"sha1"))),
    Row("it is not an ed25519 signature", blobbed(ED25519, string(b"ssh-ed25518") + ED25519[-4:])),
    Row("its ed25519 part is not 64 bytes long", parsed(forged(change=lambda raw: raw[:-1]))),
    Row("made with a key of type 'ssh-rsa', not ssh-ed25519", parsed(forged(key_type=b"ssh-rsa"))),
    Row("its key is not 32 bytes long", parsed(forged(raw_key=b"x"))),
    Row("the signature counts for nothing: the key", parsed(forged(raw_key=MIXED.raw))),
    Row("its namespace is not plain text", blobbed(b"pbem1", b"pb\xffm1")),
    Row("it holds more bytes than it should", parsed(forged(after=b"x"))),
    Row("it is cut short", blobbed(string(b"sha512"), string(b"sha512") + b"\xff" * 4)),
    Row(BETWEEN, parsed(signature.BEGIN + b"\n" + signature.END + b"\n")),
    Row(BETWEEN, parsed(b"x" + GOOD)),
    Row(BETWEEN, parsed(GOOD + b"x")),
    Row("it is far too long", parsed(GOOD * 400)),
    Row("it is not base64", parsed(GOOD.replace(b"U1NI", b"U1N!", 1))),
    Row("its lines are not as ssh-keygen writes them", parsed(GOOD.replace(b"U1NI", b"U1N\nI", 1))),
    Row("a text must end with a line's end", lambda: signature.sign_text(KEY, Namespace.ORDERS, b"x")),
    Row("holds a signature already", lambda: signature.sign_text(KEY, Namespace.ORDERS, GOOD)),
    Row("the text is not signed: no line", lambda: signature.split(b"x\n")),
    Row("or its lines end in CR LF", lambda: signature.split(GOOD.replace(b"\n", b"\r\n"))),
    Row("something other than empty lines follows", lambda: signature.split(GOOD + b"x")),
)

# -- seals

SHARE = base64_of(native.agreement_public(b"s" * 32))
BODY = base64_of(bytes(32))
ODD_HEAD = "the file is not sealed as orders are"


def opened(
    *before: bytes, sealed: bytes = b"", text: bytes = TEXT, chunk: bool = False
) -> Callable[[], object]:
    """An age file as the page opens it."""
    data = sealed or sealed_by_hand(text, SEAL.recipient, before=before, empty_chunk=chunk)
    return lambda: age.unseal(data, [SEAL.identity], CIPHERS)


def stanza(*words: bytes, body: bytes = BODY) -> bytes:
    return b"-> %s\n%s\n" % (b" ".join((b"X25519", *words)), body)


def wrapped(recipient: str) -> Callable[[], object]:
    return lambda: age.seal(TEXT, [recipient], CIPHERS)


def ssh(blob: bytes, kind: str = "ssh-ed25519") -> str:
    return f"{kind} {base64.b64encode(blob).decode()}"


def found(sealed: bytes, *more: sealing.SealKey) -> Callable[[], object]:
    return lambda: sealing.find_key(sealed, [*more])


def spare() -> str:
    """A recipient whose last sign holds bits that are no part of it, under a right checksum."""
    values = [*[0] * 51, 1]
    sum_ = age._checksum([*age._spread("age"), *values, *[0] * 6]) ^ 1
    values += [sum_ >> 5 * (5 - place) & 31 for place in range(6)]
    return "age1" + "".join(age._SIGNS[value] for value in values)


WHOLE = sealed_by_hand(TEXT, SEAL.recipient)
ELSE = sealing.seal_key(bytes(32), "hearth", 9, "alice")
EMPTY = sealed_by_hand(TEXT, SEAL.recipient, empty_chunk=True)
HEAD = WHOLE.partition(b"\n--- ")[0]
MAC = len(HEAD) + 5
SEALS = (
    Row("Broken", opened(sealed=WHOLE[:MAC] + bytes([WHOLE[MAC] ^ 1]) + WHOLE[MAC + 1 :])),
    Row("NoKeyFits", lambda: age.unseal(WHOLE, [ELSE.identity], CIPHERS)),
    Row("Broken", opened(sealed=b"x" + WHOLE)),
    Row("Broken", opened(sealed=sealing.AGE_MAGIC + WHOLE[MAC - 4 :])),
    Row("Broken", opened(sealed=HEAD + b"\n")),
    Row("Broken", opened(sealed=WHOLE + b"x")),
    Row("Broken", opened(text=bytes(65_536), chunk=True)),
    Row("Broken", opened(stanza(SHARE, SHARE))),
    Row("Broken", opened(stanza(base64_of(bytes(31))))),
    Row("Broken", opened(stanza(SHARE, body=base64_of(bytes(31))))),
    Row("Broken", opened(stanza(base64_of(bytes(32))))),
    Row("Broken", opened(stanza(b"A"))),
    Row("Broken", opened(stanza(SHARE[:-1] + bytes([SHARE[-1] + 1])))),
    Row("its key is of low order", wrapped(age.bech32_encode("age", bytes(32)))),
    Row("it is not a public key line", wrapped("ssh-ed25519")),
    Row("it is not an ssh-ed25519 key", wrapped(ssh(KEY.public.blob, "ssh-rsa"))),
    Row("it is not an ssh-ed25519 key", wrapped(ssh(KEY.public.blob[:-3]))),
    Row("it is not an ssh-ed25519 key", wrapped(ssh(bytes(51)))),
    Row("its checksum is wrong", wrapped(SEAL.recipient[:-1] + "q")),
    Row("it is none of age's", wrapped(age.bech32_encode("aged", bytes(32)))),
    Row("it is none of age's", wrapped(age.bech32_encode("age", bytes(31)))),
    Row("OddIdentity", lambda: age.recipient_of("x", CIPHERS)),
    Row("OddIdentity", lambda: age.recipient_of(age.bech32_encode("age", bytes(32)), CIPHERS)),
    Row("OddIdentity", lambda: age.recipient_of(age.bech32_encode("age-secret-key-", bytes(31)), CIPHERS)),
    *changed(lambda text: age.bech32_decode_checked(text.decode()), SEAL.recipient.encode(), like="bech32"),
    Row("invalid", lambda: native.age_seal(TEXT, ["age1x"])),
    Row("NoKeyFits", lambda: native.age_open(WHOLE, [ELSE.identity])),
    Row("Broken", lambda: native.age_open(WHOLE + b"x", [SEAL.identity])),
    Row("a seal root has 32 bytes", lambda: sealing.seal_key(bytes(31), "hearth", 1, "alice")),
    Row("this is not an age identity; one begins with", lambda: sealing.recipient_of("x")),
    *changed(lambda text: sealing.check_recipient(text.decode()), SEAL.recipient.encode(), like="recipient"),
    Row("nothing can be sealed to nobody", lambda: sealing.seal(TEXT, [])),
    Row("nothing can be sealed to", lambda: sealing.seal(TEXT, [keys.PublicKey(b"\2" + bytes(31))])),
    Row("this is not an age identity", lambda: sealing.open_sealed(WHOLE, ["x"])),
    Row("this file is sealed to another key", lambda: sealing.open_sealed(WHOLE, [ELSE])),
    Row("damaged: it does not open", lambda: sealing.open_sealed(WHOLE + b"x", [SEAL])),
    Row("damaged: it does not open", found(EMPTY, SEAL)),
    Row("this file is sealed to another key", found(WHOLE, ELSE)),
    Row(ODD_HEAD, found(sealed_by_hand(TEXT, SEAL.recipient, before=[stanza(SHARE)]), SEAL)),
    Row(ODD_HEAD, found(sealed_by_hand(TEXT, SEAL.recipient, after=[b"-> x-grease\nYR\n"]), SEAL)),
    Row("the file is empty", found(b"", SEAL)),
    Row("are accepted at most", found(WHOLE.ljust(40_000), SEAL)),
    Row("does not begin as an age file does", found(b"x", SEAL)),
    Row("its head does not end", found(HEAD, SEAL)),
    Row("the file is empty", lambda: armor.find_sealed(b"\n")),
    Row("the file holds nothing sealed", lambda: armor.find_sealed(b"x")),
    Row("cut short", lambda: armor.find_sealed(armored(1)[:60].encode())),
    Row("too many sealed parts", lambda: armor.find_blocks(armored(66))),
    Row("there is no time zone 'Mars/Base'", lambda: find_zone("Mars/Base")),
)


ROWS = (*PUBLIC, *PRIVATE, *SIGNATURES, *SEALS)
UNREACHABLE = {
    "trust/sealing.py open_orders_with: "
    "len(sealed) != envelope.length + _NONCE + len(plaintext) + chunks * _TAG": (
        "no backend of today opens a file whose last chunk is empty"
    ),
    "trust/keys.py _order_fault: y >= _P": "none of the 19 points with two writings has the prime order",
}
