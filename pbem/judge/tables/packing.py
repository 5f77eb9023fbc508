"""Compresses letters, files and mails for the database, each content once.

Ciphertext does not shrink when it is packed, and most of a sealed letter is padding. So the database keeps a
letter unsealed, with the seed by which it is sealed (trust.sealing.seal_again). The letter has the same bytes
each time it is sealed, before and after it is sent, in a restored club too. Nothing is ever dropped.

Most of a letter's text often repeats a file that the database keeps anyway, such as a report, or orders that
are passed on; so does most of a mail that brings orders. This file is called the base of the letter or mail.
What the base contains takes no room again: it is the preset dictionary of zlib (RFC 1950, FDICT), which uses
the end of a long one. A mail is packed after it has been processed.

    a letter    01 | seed, 32 bytes | SHA-256 of its base, or 32 zeros | zlib of
                    <key that it is sealed to> LF
                    <bytes of its words> <size when filled up>:<bytes> ... LF      the last two for each part
                    words, and each part, as signed; of one that is a file, "@" and its SHA-256 for its bytes
    a file      01 | zlib of it, of what is no age file
    a mail      01 | SHA-256 of its base, or 32 zeros | zlib of it

Nothing else that is kept begins with 01: armor does not, nor a letter that zlib alone has packed, as they
were before, nor an age file, nor the texts that are signed. A mail may: one that does is packed at once.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from typing import NamedTuple

MARK = b"\x01"
_ZLIB = b"\x78"
"""First byte of data that zlib has packed (RFC 1950, 2.2, with a window of 32 kB), and never of armor."""
_SEED = 32
_NO_BASE = bytes(32)
_AGE = b"age-encryption.org/"


class Part(NamedTuple):
    """A part of a sealed letter: its text, and the size to which it is padded."""

    text: bytes
    size: int
    file: str = ""
    """The SHA-256 of the file in the database that has the part's text, which is then kept there alone."""

    @property
    def filled(self) -> bytes:
        """Return the part's text padded to its size, so that the sealed size does not show the text's."""
        from pbem.trust.sealing import pad  # a glance at the club does without it

        return pad(self.text, self.size)


class Unsealed(NamedTuple):
    """A letter before it is sealed: the reader's key, the parts, and the file that they largely repeat."""

    key: str
    """The public key that the letter is sealed to, as one line."""
    parts: tuple[Part, ...]
    base: str = ""
    """The SHA-256 of a file in the database whose text the letter repeats."""


class Stored(NamedTuple):
    """A letter as the database keeps it, with the seed by which it is sealed."""

    letter: Unsealed
    words: str
    """The letter's text in plain words, for people."""
    seed: bytes


class NotKept(ValueError):
    """Raised if a value in the database was changed since it was written; the message says how."""


def pack_letter(kept: Stored, base: bytes) -> bytes:
    """Compress a letter for the database; `base` is the text of the file that the letter repeats."""
    letter, words = kept.letter, kept.words.encode()
    sizes = " ".join(
        f"{part.size}:@{part.file}" if part.file else f"{part.size}:{len(part.text)}" for part in letter.parts
    )
    head = f"{letter.key}\n{len(words)} {sizes}\n".encode()
    body = b"".join([head, words, *(part.text for part in letter.parts if not part.file)])
    return MARK + kept.seed + _pack_against(body, letter.base, base)


def read_letter(data: bytes, base_of: Callable[[str], bytes]) -> Stored | None:
    """Read a letter that is kept unsealed; return None for one that is kept sealed, as it was sent.

    Raises:
        NotKept: the letter cannot be read.
    """
    if not data.startswith(MARK):
        return None
    seed = data[1 : 1 + _SEED]
    base, found = _split_packed(data[1 + _SEED :], base_of)
    try:
        head, sizes, rest = found.split(b"\n", 2)
        length, *others = sizes.decode().split(" ")
        words, rest = rest[: int(length)], rest[int(length) :]
        parts = tuple(_parts(others, rest, base_of))
        return Stored(Unsealed(head.decode(), parts, base), words.decode(), seed)
    except ValueError as problem:
        raise NotKept(str(problem)) from None


def _parts(sizes: list[str], rest: bytes, base_of: Callable[[str], bytes]) -> Iterator[Part]:
    for each in sizes:
        size, _, length = each.partition(":")
        if length.startswith("@"):
            yield Part(_base(length[1:], base_of), int(size), length[1:])
            continue
        yield Part(rest[: int(length)], int(size))
        rest = rest[int(length) :]


def sealed(kept: Stored) -> bytes:
    """Return the sealed letter, as armor, that a stored unsealed letter makes: the same bytes each time."""
    from pbem.trust.keys import parse_public  # a glance at the club does without it
    from pbem.trust.sealing import seal_again, to_armor

    key = parse_public(kept.letter.key)
    parts = (to_armor(seal_again(part.filled, key, kept.seed)) for part in kept.letter.parts)
    return "\n".join(parts).encode()


def unpacked_letter(data: bytes) -> bytes:
    """Unpack a letter that the database stores sealed: as armor or, in older clubs, compressed by zlib.

    Raises:
        NotKept: the letter cannot be unpacked.
    """
    return _decompress(data) if data.startswith(_ZLIB) else data


def pack_file(data: bytes) -> bytes:
    """Compress a file for the database; ciphertext stays as it is."""
    return data if data.startswith(_AGE) else MARK + zlib.compress(data, 9)


def unpack_file(data: bytes) -> bytes:
    """Unpack a file of the database; a file from before files were compressed stays as it is.

    Raises:
        NotKept: the file cannot be unpacked.
    """
    return _decompress(data[1:]) if data.startswith(MARK) else data


def pack_mail(raw: bytes, name: str, base: bytes) -> bytes:
    """Compress an incoming mail; `base` is the text of the file of this name, if the mail repeats one."""
    return MARK + _pack_against(raw, name, base)


def read_mail(data: bytes, base_of: Callable[[str], bytes]) -> bytes:
    """Unpack an incoming mail to the bytes as they came.

    Raises:
        NotKept: the mail cannot be read.
    """
    return _split_packed(data[1:], base_of)[1] if data.startswith(MARK) else data


def base_words(file: bytes) -> bytes:
    """Return a file's bytes as a letter contains them: a sealed file (age) as armor, any other unchanged."""
    if not file.startswith(_AGE):
        return file
    from pbem.trust.sealing import to_armor

    return to_armor(file).encode()


def _pack_against(data: bytes, name: str, base: bytes) -> bytes:
    """Compress data against the file that it repeats, and put that file's name in front."""
    packer = zlib.compressobj(9, zdict=base) if base else zlib.compressobj(9)
    return b"".join([bytes.fromhex(name) if base else _NO_BASE, packer.compress(data), packer.flush()])


def _split_packed(packed: bytes, base_of: Callable[[str], bytes]) -> tuple[str, bytes]:
    """Return the unpacked bytes, and before them the SHA-256 of the file that served as their dictionary.

    The SHA-256 is "" if the bytes were packed without a dictionary. `base_of` finds a file by its SHA-256.
    """
    name = packed[: len(_NO_BASE)]
    if name == _NO_BASE:
        return "", _decompress(packed[len(name) :])
    return name.hex(), _decompress(packed[len(name) :], _base(name.hex(), base_of))


def _base(name: str, base_of: Callable[[str], bytes]) -> bytes:
    """Return the text of a file that a letter or a mail repeats."""
    if not (base := base_of(name)):
        raise NotKept(f"the file that it needs is missing: {name}")
    return base


def _decompress(packed: bytes, base: bytes = b"") -> bytes:
    """Unpack data that zlib has packed, with `base` as the preset dictionary unless it is empty.

    Raises:
        NotKept: the data is damaged or cut off, or something follows its end.
    """
    reader = zlib.decompressobj(zdict=base) if base else zlib.decompressobj()
    try:
        found = reader.decompress(packed)
    except zlib.error as problem:
        raise NotKept(str(problem)) from None
    if not reader.eof or reader.unused_data:
        raise NotKept("its end is missing, or something follows its end")
    return found
