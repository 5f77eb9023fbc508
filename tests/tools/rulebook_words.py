"""Recognise a run of ten words of a rulebook, without having the rulebook.

The rulebooks are their publishers' property, so their text is not here: only a hash of every ten
consecutive words, from which nobody reads the text back. Made anew, from a folder with the books:

    python -m tests.tools.rulebook_words FOLDER

A *word* is a run of letters or digits after NFKC and lower case; whatever stands between two words
(blanks, line ends, stops, comment signs, quotes) means nothing. Runs of numbers alone are left out:
tables are facts. The data file is the sorted hashes (BLAKE2b, six bytes each) one after another: with
fifty thousand of them a million innocent words meet one by chance once in some six thousand times.
"""

import html
import re
import sys
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from unicodedata import normalize

RUN_WORDS = 10
HASH_BYTES = 6
DATA = Path(__file__).parent.parent / "data/rulebook_shingles.bin"

WORD = re.compile(r"[^\W_]+")
TAG = re.compile(r"<[^<>]*>")
BROKEN_WORD = re.compile(r"(?<=\w)[-\u00ad]\s*\n\s*(?=[a-z])")


def runs(text: str) -> Iterator[tuple[int, bytes]]:
    """Every ten consecutive words: where they start in the normalised text, and their hash."""
    found = list(WORD.finditer(text))
    words = [match[0] for match in found]
    numbers = [word.isdecimal() for word in words]
    for first in range(len(words) - RUN_WORDS + 1):
        if not all(numbers[first : first + RUN_WORDS]):
            run = " ".join(words[first : first + RUN_WORDS]).encode()
            yield found[first].start(), blake2b(run, digest_size=HASH_BYTES).digest()


def normalised(text: str) -> str:
    """One spelling for letters that look or mean the same."""
    return normalize("NFKC", text).lower()


def readings(text: str) -> set[str]:
    """A book as its file has it, without markup, and with the words joined that a line's end broke."""
    plain = TAG.sub(" ", html.unescape(text))
    return {normalised(way) for way in (text, plain, BROKEN_WORD.sub("", plain))}


def known_runs(data: bytes) -> frozenset[bytes]:
    """The hashes in the data file."""
    return frozenset(data[start : start + HASH_BYTES] for start in range(0, len(data), HASH_BYTES))


def copied_lines(text: str, known: frozenset[bytes]) -> list[int]:
    """The numbers of the lines at which a run of ten words of a rulebook starts."""
    spelled = normalised(text)
    return sorted({spelled.count("\n", 0, start) + 1 for start, run in runs(spelled) if run in known})


def main(folder: Path) -> None:
    """Write the data file from every text below a folder."""
    books = [path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*")) if path.is_file()]
    hashes = {run for book in books for reading in readings(book) for _, run in runs(reading)}
    DATA.parent.mkdir(exist_ok=True)
    DATA.write_bytes(b"".join(sorted(hashes)))
    print(f"{len(books)} texts, {len(hashes)} runs of {RUN_WORDS} words, {DATA.stat().st_size} bytes")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
