"""The backend for a machine with Python: cryptography, bcrypt and pyrage."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

from cryptography.exceptions import InvalidSignature, InvalidTag, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey

from pbem.characters import lower
from pbem.trust.faults import (
    Broken,
    Locked,
    NoKeyFits,
    OddIdentity,
    OddRecipient,
    OtherKind,
    Unreadable,
    WrongPassphrase,
)

# Ed25519


def public_of(seed: bytes) -> bytes:
    """Return the Ed25519 public key of a seed of 32 bytes."""
    return _signing_key(seed).public_key().public_bytes_raw()


def sign(seed: bytes, message: bytes) -> bytes:
    """Return the 64 bytes of the Ed25519 signature of a message."""
    return _signing_key(seed).sign(message)


@lru_cache(maxsize=4_096)
def verifies(public: bytes, signature: bytes, message: bytes) -> bool:
    """Tell whether an Ed25519 signature of a message fits a given public key. Results are cached."""
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, message)
    except (InvalidSignature, ValueError):  # ValueError: the key has not 32 bytes
        return False
    return True


@lru_cache(maxsize=64)
def _signing_key(seed: bytes) -> Ed25519PrivateKey:
    return Ed25519PrivateKey.from_private_bytes(seed)


# X25519


def agree(secret: bytes, share: bytes) -> bytes | None:
    """Return the shared secret of X25519 from a secret and a share.

    Return None if the share is of low order, which gives the same shared secret with everybody.
    """
    try:
        return _agreement_key(secret).exchange(X25519PublicKey.from_public_bytes(share))
    except ValueError:
        return None


@lru_cache(maxsize=16_384)
def agreement_public(secret: bytes) -> bytes:
    """Return the X25519 share, or public key, of a secret."""
    return _agreement_key(secret).public_key().public_bytes_raw()


@lru_cache(maxsize=16_384)
def _agreement_key(secret: bytes) -> X25519PrivateKey:
    return X25519PrivateKey.from_private_bytes(secret)


# Ciphers


def chacha_seal(key: bytes, nonce: bytes, plain: bytes) -> bytes:
    """Encrypt bytes by ChaCha20-Poly1305; the tag stands at the end."""
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

    return ChaCha20Poly1305(key).encrypt(nonce, plain, None)


def chacha_open(key: bytes, nonce: bytes, sealed: bytes) -> bytes | None:
    """Decrypt bytes by ChaCha20-Poly1305; return None if the tag is wrong."""
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

    try:
        return ChaCha20Poly1305(key).decrypt(nonce, sealed, None)
    except InvalidTag:
        return None


def aes256_ctr(key: bytes, counter: bytes, data: bytes) -> bytes:
    """Encrypt or decrypt bytes by AES-256 in counter mode."""
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

    made = Cipher(algorithms.AES(key), modes.CTR(counter)).encryptor()
    return made.update(data) + made.finalize()


def bcrypt_kdf(passphrase: bytes, salt: bytes, size: int, rounds: int) -> bytes:
    """Return the key of `size` bytes that OpenSSH makes of a passphrase, by its bcrypt_pbkdf."""
    import bcrypt

    return bcrypt.kdf(passphrase, salt, size, rounds, ignore_few_rounds=True)


# Key files


def write_key_file(seed: bytes, passphrase: bytes, rounds: int) -> bytes:
    """Return an OpenSSH private key file with the key of a seed, locked if the passphrase is not empty."""
    from cryptography.hazmat.primitives import serialization

    lock: serialization.KeySerializationEncryption = serialization.NoEncryption()
    if passphrase:
        builder = serialization.PrivateFormat.OpenSSH.encryption_builder().kdf_rounds(rounds)
        lock = builder.build(passphrase)
    form = serialization.PrivateFormat.OpenSSH
    return _signing_key(seed).private_bytes(serialization.Encoding.PEM, form, lock)


def read_key_file(data: bytes, passphrase: bytes) -> bytes:
    """Return the seed in a private key file of OpenSSH. A passphrase for a file that has none is ignored.

    Raises:
        Locked, WrongPassphrase, OtherKind, Unreadable.
    """
    from cryptography.hazmat.primitives.serialization import load_ssh_private_key

    try:
        try:
            key = load_ssh_private_key(data, passphrase or None)
        except TypeError:
            if not passphrase:
                raise Locked from None
            key = load_ssh_private_key(data, None)
    except ValueError as problem:
        if passphrase and "checksum" in str(problem):
            raise WrongPassphrase from None
        raise Unreadable(str(problem)) from None
    except UnsupportedAlgorithm as problem:
        raise Unreadable(str(problem)) from None
    if not isinstance(key, Ed25519PrivateKey):
        raise OtherKind
    return key.private_bytes_raw()


# age files. pyrage is loaded where one is sealed or opened.


def age_seal(plaintext: bytes, recipients: Sequence[str]) -> bytes:
    """Return the binary age file for recipients: "age1...", or the line of an ssh-ed25519 key.

    Raises:
        OddRecipient: a recipient is neither of these.
    """
    import pyrage  # type: ignore[import-untyped]  # it ships no types; every result is annotated here

    try:
        handles = [
            pyrage.ssh.Recipient.from_str(text) if text.startswith("ssh-") else _recipient(text)
            for text in recipients
        ]
    except pyrage.RecipientError as problem:
        raise OddRecipient(str(problem)) from None
    sealed: bytes = pyrage.encrypt(plaintext, handles)
    return sealed


def age_seal_drawing(plaintext: bytes, recipients: Sequence[str], draw: Callable[[int], bytes]) -> bytes:
    """Return an age file whose random bytes `draw` gives, so that the same file can be made again.

    Raises:
        OddRecipient: a recipient is neither "age1..." nor the line of an ssh-ed25519 key.
    """
    from pbem.trust.primitives import age  # pyrage draws by itself

    ciphers = age.Ciphers(agree, agreement_public, chacha_seal, chacha_open, public_of)
    return age.seal(plaintext, recipients, ciphers, draw)


def age_open(sealed: bytes, keys: Sequence[str | bytes]) -> bytes:
    """Return the plaintext of an age file that a key opens: an age identity, or an ssh-ed25519 key's seed.

    Raises:
        OddIdentity, NoKeyFits, Broken.
    """
    import pyrage

    handles = [
        _identity(key)
        if isinstance(key, str)
        else pyrage.ssh.Identity.from_buffer(write_key_file(key, b"", 0))  # it reads no locked file
        for key in keys
    ]
    try:
        plaintext: bytes = pyrage.decrypt(sealed, handles)
    except pyrage.DecryptError as problem:
        if "no matching keys" in lower(str(problem)):
            raise NoKeyFits from None
        raise Broken from None
    return plaintext


def age_recipient(identity: str) -> str:
    """Return the recipient "age1..." of an age identity.

    Raises:
        OddIdentity: the text is not an age identity.
    """
    return str(_identity(identity).to_public())  # type: ignore[attr-defined]


def check_age_recipient(text: str) -> None:
    """Raise OddRecipient unless a text is a recipient "age1...".

    Raises:
        OddRecipient: the text is not such a recipient.
    """
    import pyrage

    try:
        _recipient(text)
    except pyrage.RecipientError as problem:
        raise OddRecipient(str(problem)) from None


def _recipient(text: str) -> object:
    import pyrage

    found: object = pyrage.x25519.Recipient.from_str(text)
    return found


def _identity(text: str) -> object:
    import pyrage

    try:
        found: object = pyrage.x25519.Identity.from_str(text if text.isascii() else "")
    except pyrage.IdentityError:
        raise OddIdentity from None
    return found
