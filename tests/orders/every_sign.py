"""Hashes over how orders are read with each character in them: the same on every Python.

Run by itself it prints them, on any Python and without any library: `python -m tests.orders.every_sign`.
"""

from collections.abc import Iterator
from hashlib import sha256

from pbem.orders.lines import read_text, unknown_signs

LAST = 0x10FFFF
SURROGATES = range(0xD800, 0xE000)
STEP = 4096
"""Characters that are read as one text."""


def every_sign() -> Iterator[str]:
    """Yield a line for every `STEP` characters, and one for all that was read."""
    whole = sha256()
    for begin in range(0, LAST + 1, STEP):
        line = block(begin)
        whole.update(line.encode())
        yield line
    yield f"all {whole.hexdigest()}"


def block(begin: int) -> str:
    """Return a line with a hash over some characters inside, before, after and between words of an order."""
    return f"U+{begin:04X} {sha256(chr(10).join(_reading(begin)).encode()).hexdigest()[:16]}"


def _reading(begin: int) -> Iterator[str]:
    """Yield all that is read of some characters; `repr` would ask the tables of the interpreter."""
    signs = (chr(number) for number in range(begin, begin + STEP) if number not in SURROGATES)
    read = read_text("\n".join(f"{one}a{one}1 {one} b{one}" for one in signs))
    for statement in (*read.statements, *read.surplus):
        for token in statement.tokens:
            yield f"{token.word} {token.line} {token.column} {token.end}"
    for token, said in unknown_signs(read):
        yield f"{token.word} {token.line} {token.column} {said}"


if __name__ == "__main__":
    print(*every_sign(), sep="\n")  # noqa: T201
