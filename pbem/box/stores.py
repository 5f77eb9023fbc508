"""The files that a post box keeps: posts for the judge, letters for their readers, sealed copies of homes.

    posts/20261128T030000Z-000001-9f86d081884c7d65.post     named by the time at which it came
        {"received":"2026-11-28T03:00:00Z","lane":"key","key":"SHA256:..."}
        (the body as it was posted)

`lane` is `key` for a post that a reader's key has signed, else `open`, and `key` is then empty. The judge
believes nothing of it: whose a post is shows when it is opened. Only the judge removes posts.

    letters/<hex of the key's SHA-256>/000000000001.eml     numbered by the judge, from 1 for each key
    acknowledged/<the same hex>                             the number up to which the reader has all

A letter is the mail that would leave, without addresses. A number is never given twice, and an
acknowledgement never goes back. The judge removes letters some days after they were acknowledged; the box
only reads them.

    copies/<hex of the key's SHA-256>      "generation <n>", a LF, and the copy, which its reader can open

A reader's devices share one copy. It is stored only if its generation is the one after that which is there:
of two devices that write at once one is told, and fetches the other's first.
"""

from __future__ import annotations

import json
import re
import secrets
import shutil
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from threading import Lock

from pbem.box.folder import UnreadableBox, as_json, make_folder, names_in, read_file, settle, write_file
from pbem.errors import PbemError
from pbem.trust.identifiers import is_fingerprint
from pbem.trust.times import parse_utc, utc_text

POSTS = "posts"
MAX_POST_SIZE = 100_000
"""Maximum size in bytes of one post: three times that of the largest sealed file, in armor."""
MAX_POSTS = 20_000
"""Maximum number of file names that are read from the folder of posts."""
LEAST_SPACE = 50_000_000
"""Minimum number of bytes that stay free on the disk; a full disk would cost others their letters."""
KEY_LANE, OPEN_LANE = "key", "open"
_MAX_HEAD_SIZE = 256
_PLAIN = str.maketrans({":": "", "-": ""})
_IS_NAME = re.compile(r"[0-9]{8}T[0-9]{6}Z-[0-9]{6,9}-[0-9a-f]{16}\.post").fullmatch


@dataclass(frozen=True, slots=True, kw_only=True)
class Post:
    """A file or statement posted to the post box, with the time at which it came, its lane and its key."""

    received: datetime
    lane: str
    key: str
    """Fingerprint of the reader's key that signed the request; "" if no known key signed it."""
    body: bytes


def post_name(received: datetime, count: int) -> str:
    """Return a new name for a post; names of the same second sort by their counts."""
    stamp = utc_text(received).translate(_PLAIN)
    return f"{stamp}-{count % 1_000_000_000:06d}-{secrets.token_hex(8)}.post"


def store_post(box: Path, name: str, post: Post) -> None:
    """Store a post in the post box durably.

    Raises:
        OSError: there is no room, or the disk fails; nothing was stored.
    """
    folder = make_folder(box / POSTS)
    if shutil.disk_usage(folder).free < LEAST_SPACE:
        raise OSError("the disk is nearly full")
    head = as_json({"received": utc_text(post.received), "lane": post.lane, "key": post.key})
    write_file(folder / name, head + b"\n" + post.body)


def waiting_posts(box: Path) -> tuple[list[str], int]:
    """Return the names of the waiting posts, the oldest first, and how many other files are in their folder.

    Raises:
        UnreadableBox: the folder cannot be read, or holds more than a box can hold.
    """
    names = names_in(box / POSTS, MAX_POSTS + 1)
    if len(names) > MAX_POSTS:
        raise UnreadableBox(f"{box / POSTS} holds more than {MAX_POSTS} files")
    found = [name for name in names if _IS_NAME(name)]
    return found, len(names) - len(found)


def read_post(box: Path, name: str) -> Post:
    """Return a post that waits in the box.

    Raises:
        UnreadableBox: the file is not a post.
    """
    data = read_file(box / POSTS / name, MAX_POST_SIZE + _MAX_HEAD_SIZE)
    head, _, body = (data or b"").partition(b"\n")
    try:
        words = json.loads(head[:_MAX_HEAD_SIZE])
        received, lane, key = parse_utc(words["received"]), words["lane"], words["key"]
    except (ValueError, KeyError, TypeError, RecursionError, AttributeError, PbemError):
        raise UnreadableBox(f"{box / POSTS / name} is not a post") from None
    if lane not in (KEY_LANE, OPEN_LANE) or not isinstance(key, str) or (key and not is_fingerprint(key)):
        raise UnreadableBox(f"{box / POSTS / name} is not a post")
    return Post(received=received, lane=lane, key=key, body=body)


def remove_post(box: Path, name: str) -> None:
    """Remove a post that the judge has stored, or a file that is not a post, from the post box.

    Raises:
        OSError: the file cannot be removed.
    """
    (box / POSTS / name).unlink(missing_ok=True)
    settle(box / POSTS)


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


COPIES = "copies"
MAX_COPY_SIZE = 8_000_000
"""Maximum size in bytes of a sealed copy of a home, with its first line."""
_FIRST = re.compile(rb"generation ([1-9][0-9]{0,8})\n").match


@dataclass(frozen=True, slots=True)
class HomeCopy:
    """A sealed copy of the home of a player's program, with its generation: a number that grows by one."""

    generation: int
    sealed: bytes


_ALONE = Lock()
"""The lock that lets the post box store only one copy at a time."""
NO_COPY = HomeCopy(0, b"")
"""The copy of a home that stands for a missing one: it is empty, and its generation is 0."""


def parse_copy(data: bytes) -> tuple[int, bytes]:
    """Return the generation and the content of a home's stored copy; (0, b"") if it names no generation."""
    first = _FIRST(data)
    return (int(first[1]), data[first.end() :]) if first else (0, b"")


def read_copy(box: Path, reader: str) -> HomeCopy:
    """Return the sealed copy of a reader's home; `NO_COPY` if there is none."""
    data = read_file(box / COPIES / reader, MAX_COPY_SIZE)
    return HomeCopy(*parse_copy(data)) if data else NO_COPY


def put_copy(box: Path, reader: str, generation: int, sealed: bytes) -> bool:
    """Store the copy of a reader's home durably, if its generation is the next; return whether it was stored.

    Raises:
        OSError: there is no room, or the disk fails.
    """
    with _ALONE:
        if read_copy(box, reader).generation + 1 != generation:
            return False
        write_file(make_folder(box / COPIES) / reader, f"generation {generation}\n".encode() + sealed)
        return True
