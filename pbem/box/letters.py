"""The store of letters that wait for their readers, each as the mail that would leave, without addresses.

    letters/<hex of the key's SHA-256>/000000000001.eml     numbered by the judge, from 1 for each key
    acknowledged/<the same hex>                             the number up to which the reader has all

A number is never given twice, and an acknowledgement never goes back. The judge removes letters some days
after they were acknowledged; the box only reads them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from pbem.box.folder import UnreadableBox, make_folder, names_in, read_file, write_file

LETTERS, ACKNOWLEDGED = "letters", "acknowledged"
MAX_LETTER_SIZE = 8_000_000
"""Maximum size in bytes of one letter: the largest are a league's, with their attachments."""
MAX_LETTERS = 20_000
"""Maximum number of letters of one reader whose names are read."""
MAX_ANSWER_SIZE = 1_000_000
"""Maximum size in bytes of all letters in one answer; one letter alone may be longer."""
DIGITS = 12
_IS_NUMBER = re.compile(r"(0|[1-9][0-9]{0,11})\n").fullmatch
_IS_LETTER = re.compile(r"([0-9]{12})\.eml").fullmatch
_IS_READER = re.compile(r"[0-9a-f]{64}").fullmatch


@dataclass(frozen=True, slots=True)
class WaitingLetter:
    """A letter in the post box with its number, in the form in which its reader fetches it."""

    number: int
    mail: bytes


def letter_numbers(box: Path, reader: str) -> list[int]:
    """Return the numbers of a reader's letters, in order.

    Raises:
        UnreadableBox: the folder cannot be read.
    """
    names = names_in(box / LETTERS / _folder_name(reader), MAX_LETTERS)
    return [int(match[1]) for name in names if (match := _IS_LETTER(name))]


def letters_since(box: Path, reader: str, since: int) -> tuple[list[WaitingLetter], bool]:
    """Return a reader's letters after a number, as many as one answer holds, and whether there are more."""
    numbers = [number for number in letter_numbers(box, reader) if number > since]
    found: list[WaitingLetter] = []
    room = MAX_ANSWER_SIZE
    for number in numbers:
        data = read_file(letter_path(box, reader, number), MAX_LETTER_SIZE)
        if data is None:
            continue  # the judge has removed it meanwhile
        room -= len(data)
        if found and room < 0:
            return found, True
        found.append(WaitingLetter(number, data))
    return found, False


def letter_path(box: Path, reader: str, number: int) -> Path:
    """Return the path of the file of one letter in the post box."""
    return box / LETTERS / _folder_name(reader) / f"{number:0{DIGITS}d}.eml"


def put_letter(box: Path, reader: str, number: int, mail: bytes) -> None:
    """Put a letter in the post box, durably; the same letter a second time changes nothing.

    Raises:
        OSError: there is no room, or the disk fails.
    """
    path = letter_path(box, reader, number)
    make_folder(path.parent)
    write_file(path, mail)


def acknowledged_number(box: Path, reader: str) -> int:
    """Return the number up to which a reader acknowledged letters; 0 if none can be read."""
    try:
        data = read_file(box / ACKNOWLEDGED / _folder_name(reader), DIGITS + 1) or b"0\n"
    except UnreadableBox:
        return 0
    match = _IS_NUMBER(data.decode("ascii", errors="replace"))
    return int(match[1]) if match else 0


def acknowledge(box: Path, reader: str, through: int) -> None:
    """Store the number up to which a reader has all letters; it never decreases, nor passes the last letter.

    Raises:
        OSError: the number could not be stored.
    """
    through = min(through, max(letter_numbers(box, reader), default=0))
    if through > acknowledged_number(box, reader):
        write_file(make_folder(box / ACKNOWLEDGED) / _folder_name(reader), f"{through}\n".encode())


def _folder_name(reader: str) -> str:
    """Return the name of a reader's folder if it is valid, so that a text from outside never names a file."""
    if _IS_READER(reader) is None:
        raise UnreadableBox(f"{reader!r} does not name a reader of a box")
    return reader
