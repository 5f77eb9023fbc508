"""One hash over how orders are read with each character in them: the same on every Python.

Run by itself it prints the hash, on any Python and without any library: `python -m tests.orders.every_sign`.
"""

from collections.abc import Iterator
from hashlib import sha256

from pbem.orders.lines import read_text, unknown_signs

LAST = 0x10FFFF
SURROGATES = range(0xD800, 0xE000)
STEP = 4096
"""Characters that are read as one text."""


def digest() -> str:
    """Return a hash over every character inside, before, after and between words of an order."""
    found = sha256()
    for begin in range(0, LAST + 1, STEP):
        found.update("\n".join(reading(begin)).encode())
    return found.hexdigest()


def reading(begin: int) -> Iterator[str]:
    """Yield all that is read of some characters; `repr` would ask the tables of the interpreter."""
    signs = (chr(number) for number in range(begin, begin + STEP) if number not in SURROGATES)
    read = read_text("\n".join(f"{one}a{one}1 {one} b{one}" for one in signs))
    for statement in read.statements:
        for token in statement.tokens:
            yield f"{token.word} {token.line} {token.column} {token.end}"
    for token, said in unknown_signs(read):
        yield f"{token.word} {token.line} {token.column} {said}"


if __name__ == "__main__":
    print(digest())  # noqa: T201
