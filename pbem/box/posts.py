"""The store of posts until the judge takes them: one file for each post, named by the time at which it came.

    posts/20261128T030000Z-000001-9f86d081884c7d65.post
        {"received":"2026-11-28T03:00:00Z","lane":"key","key":"SHA256:..."}
        (the body as it was posted)

`lane` is `key` for a post that a reader's key has signed, else `open`, and `key` is then empty. The judge
believes nothing of it: whose a post is shows when it is opened. Only the judge removes posts.
"""

from __future__ import annotations

import json
import re
import secrets
import shutil
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

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
    """One post in the post box, with its time, lane and key."""

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
    """Return the names of posts that wait, the oldest first, and the number of names that are not of a post.

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
