"""Bech32, the encoding of BIP 173 in which age writes its keys, without its limit on length."""

from collections.abc import Iterable

from pbem.characters import lower, upper

_SIGNS = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"


def encode(prefix: str, data: bytes) -> str:
    """Return the bech32 encoding of `data` with a prefix, in lower case."""
    bits = int.from_bytes(data, "big")
    count = -(-len(data) * 8 // 5)
    bits <<= count * 5 - len(data) * 8
    values = [bits >> 5 * (count - 1 - place) & 31 for place in range(count)]
    check = _checksum([*_spread(prefix), *values, 0, 0, 0, 0, 0, 0]) ^ 1
    values += [check >> 5 * (5 - place) & 31 for place in range(6)]
    return f"{prefix}1{''.join(_SIGNS[value] for value in values)}"


def decode(text: str) -> bytes:
    """Return the bytes of a text that `encode` has written; its checksum is not looked at again."""
    return _bytes([_SIGNS.index(sign) for sign in text.rpartition("1")[2][:-6]])


def decode_checked(text: str) -> tuple[str, bytes]:
    """Return the prefix and the bytes of a text from outside, which must be in a single case.

    Raises:
        ValueError: the text is not in bech32, or a character in it is wrong.
    """
    if text not in {lower(text), upper(text)} or not text.isascii():
        raise ValueError("it mixes small and capital letters")
    prefix, _, coded = lower(text).rpartition("1")
    values = [_SIGNS.index(sign) for sign in coded]
    if not prefix or _checksum([*_spread(prefix), *values]) != 1:
        raise ValueError("its checksum is wrong")
    data = _bytes(values[:-6])
    if encode(prefix, data) != lower(text):  # nor has a text of fewer signs than a checksum its own writing
        raise ValueError("it has spare bits")
    return prefix, data


def _bytes(values: list[int]) -> bytes:
    bits = 0
    for value in values:
        bits = bits << 5 | value
    return (bits >> len(values) * 5 % 8).to_bytes(len(values) * 5 // 8, "big")


def _spread(prefix: str) -> list[int]:
    return [*(ord(sign) >> 5 for sign in prefix), 0, *(ord(sign) & 31 for sign in prefix)]


def _checksum(values: Iterable[int]) -> int:
    checksum = 1
    for value in values:
        top = checksum >> 25
        checksum = (checksum & 0x1FFFFFF) << 5 ^ value
        for place, generator in enumerate((0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)):
            checksum ^= generator if top >> place & 1 else 0
    return checksum
