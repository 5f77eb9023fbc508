"""What every backend of pbem.trust.primitives must do: published vectors, and files of other programs.

Runs natively and in the page's Python alike, so nothing is imported but pbem and the standard library.
`faults` is empty if all is well. Vectors of age: C2SP's CCTV (npm package cctv-age 0.2.0), those with an
X25519 identity and without armor.
"""

import base64
import hashlib
import json
import tomllib
import zlib
from collections.abc import Callable, Iterator
from itertools import chain, count
from pathlib import Path
from types import ModuleType

from pbem.trust import faults as said

HERE = Path(__file__).parent


def faults(of: ModuleType) -> list[str]:
    """All that the backend `of` does otherwise than it must."""
    data = tomllib.loads((HERE / "vectors.toml").read_text(encoding="utf-8"))
    checks = (_signatures(of, data), _agreements(of, data), _key_files(of, data))
    return [*chain(*checks), *_age_vectors(of), *_what_it_writes(of)]


def _raw(one: dict[str, str], name: str) -> bytes:
    return bytes.fromhex(one[name])


def _signatures(of: ModuleType, data: dict[str, list[dict[str, str]]]) -> Iterator[str]:
    for one in data["ed25519"]:
        seed, public, message = (_raw(one, name) for name in ("seed", "public", "message"))
        if of.public_of(seed) != public:
            yield f"another public key for {one['seed']}"
        if of.sign(seed, message) != _raw(one, "signature"):
            yield f"another signature by {one['seed']}"
        if not of.verifies(public, _raw(one, "signature"), message):
            yield f"a signature of {one['public']} is refused"
        for place in (0, 31, 32, 63):
            changed = bytearray(_raw(one, "signature"))
            changed[place] ^= 1
            if of.verifies(public, bytes(changed), message):
                yield f"a changed signature of {one['public']} is taken"
        if of.verifies(public, _raw(one, "signature")[:-1], message) or of.verifies(b"", b"", message):
            yield "a short signature or key is taken"
    for one in data["refused"]:
        if of.verifies(_raw(one, "public"), _raw(one, "signature"), _raw(one, "message")):
            yield f"a signature that OpenSSL refuses is taken, of {one['public']}"


def _agreements(of: ModuleType, data: dict[str, list[dict[str, str]]]) -> Iterator[str]:
    for one in data["x25519"]:
        if of.agree(_raw(one, "secret"), _raw(one, "share")) != _raw(one, "shared"):
            yield f"another agreement of {one['secret']}"
    for one in data["low_order"]:
        if of.agree(bytes(range(32)), _raw(one, "share")) is not None:
            yield f"the share {one['share']} is taken"


def _key_files(of: ModuleType, data: dict[str, list[dict[str, str]]]) -> Iterator[str]:
    for one in data["key_file"]:
        file, passphrase = one["file"].lstrip().encode(), one["passphrase"].encode()
        public = base64.b64decode(one["public"])[-32:]
        if of.public_of(of.read_key_file(file, passphrase)) != public:
            yield f"another key in the file of {one['public']}"
        if passphrase:
            yield from _expect(said.Locked, of.read_key_file, file, b"")
            yield from _expect(said.WrongPassphrase, of.read_key_file, file, b"wrong")
        yield from _expect(
            said.Unreadable, of.read_key_file, file[:200] + b"AAAA" + file[204:300], passphrase
        )
    for passphrase in (b"", b"correct horse"):
        seed = hashlib.sha256(passphrase).digest()
        if of.read_key_file(of.write_key_file(seed, passphrase, 4), passphrase) != seed:
            yield "a key file that it wrote holds another key"


def _age_vectors(of: ModuleType) -> Iterator[str]:
    for name, text in json.loads((HERE / "age_cctv.json").read_bytes()).items():
        head, _, file = base64.b64decode(text).partition(b"\n\n")
        fields = [line.split(": ", 1) for line in head.decode().splitlines()]
        told = dict(fields)
        if told.get("compressed") == "zlib":
            file = zlib.decompress(file)
        keys = [value for field, value in fields if field == "identity"]
        try:
            plain = of.age_open(file, keys)
        except (said.NoKeyFits, said.Broken, said.OddIdentity) as fault:
            if told["expect"] == "success":
                yield f"{name}: {type(fault).__name__}"
            continue
        if told["expect"] != "success":
            yield f"{name}: opened, expected was {told['expect']}"
        elif hashlib.sha256(plain).hexdigest() != told["payload"]:
            yield f"{name}: another text"


def _what_it_writes(of: ModuleType) -> Iterator[str]:
    seed = bytes(range(32))
    blob = b"\x00\x00\x00\x0bssh-ed25519\x00\x00\x00\x20" + of.public_of(seed)
    identity = "AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX"  # 32 times 0x42
    recipient = of.age_recipient(identity)
    of.check_age_recipient(recipient)
    yield from _expect(said.OddRecipient, of.check_age_recipient, recipient[:-1] + "q")
    line = f"ssh-ed25519 {base64.b64encode(blob).decode()}"
    for size in (0, 1, 65_536, 131_072, 131_073):
        text = bytes(place % 251 for place in range(size))
        sealed = of.age_seal(text, [recipient, line])
        again = [of.age_seal_drawing(text, [recipient, line], _counting()) for _ in range(2)]
        if again[0] != again[1]:
            yield f"{size} bytes: what is drawn alike gives two files"
        if of.age_open(again[0], [identity]) != text or of.age_open(again[0], [seed]) != text:
            yield f"{size} bytes come back otherwise from what is drawn"
        if of.age_open(sealed, [identity]) != text or of.age_open(sealed, [seed]) != text:
            yield f"{size} bytes come back otherwise"
        yield from _expect(said.NoKeyFits, of.age_open, sealed, [bytes(32)])
        yield from _expect(said.Broken, of.age_open, sealed[:-1] + bytes([sealed[-1] ^ 1]), [identity])
    yield from _expect(said.OddIdentity, of.age_open, sealed, ["AGE-SECRET-KEY-1"])
    yield from _expect(said.OddRecipient, of.age_seal, b"", ["ssh-ed25519 AAAA"])


def _counting() -> Callable[[int], bytes]:
    """Bytes that look drawn, and are the same each time."""
    places = count()
    return lambda size: hashlib.sha256(b"%d" % next(places)).digest()[:size]


def _expect(fault: type[Exception], call: Callable[..., object], *given: object) -> Iterator[str]:
    try:
        call(*given)
    except fault:
        return
    except Exception as other:  # noqa: BLE001 - whatever it is, it is told
        yield f"{call.__name__}: {type(other).__name__} instead of {fault.__name__}"
    else:
        yield f"{call.__name__}: no {fault.__name__}"
