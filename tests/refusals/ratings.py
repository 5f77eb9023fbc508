"""What a file of ratings, and the folder of a club that hands one out, are refused for."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

from pbem.ratings.merging import merge_clubs
from pbem.ratings.record import MAX_RATINGS_SIZE, RATINGS, KeyLink, Record, parse_ratings, ratings_file
from tests.ratings.test_club_ratings import game, key
from tests.refusals.clauses import Row

RECORD = Record(
    judges=frozenset({key("j")}),
    names=frozenset({(key("a"), "ann")}),
    links=frozenset({KeyLink(key("a"), key("c"), "f" * 64, "e" * 64)}),
    games=frozenset({game(1, "a", "b")}),
)
"""A file with a line of each kind."""


def changed(old: str, new: str) -> Callable[[], object]:
    """The file, with something else in it."""

    def do() -> object:
        text = ratings_file(RECORD).decode()
        assert old in text
        return parse_ratings(text.replace(old, new, 1).encode())

    return do


def merged(data: bytes | None = None) -> Callable[[], object]:
    """A club's folder with such a file, or with none."""

    def do() -> object:
        with tempfile.TemporaryDirectory() as folder:
            if data is not None:
                (Path(folder) / RATINGS).write_bytes(data)
            return merge_clubs([Path(folder)])

    return do


ODD = "cannot be a line of a file of ratings"
ROWS = (
    Row("has at most", lambda: parse_ratings(b"x" * (MAX_RATINGS_SIZE + 1))),
    Row("begins with the line 'pbem1 ratings'", lambda: parse_ratings(b"")),
    Row("begins with the line 'pbem1 ratings'", changed("pbem1", "pbem2")),
    Row("is not written as its format demands", changed("rating any - ", "\nrating any - ")),
    Row(ODD, changed("judge SHA256", "judge MD5")),
    Row(ODD, changed(" ann\n", " Ann\n")),
    Row(ODD, changed("e" * 64, "e" * 63)),
    Row(ODD, changed(f"{'0' * 63}1 ", f"{'0' * 62}1 ")),
    Row(ODD, changed(" played", " won")),
    Row(ODD, changed(" played", "")),
    Row(ODD, changed(f"{key('a')} 1", f"{key('a')} one")),
    Row("cannot be read: No such file", merged()),
    Row(f"{RATINGS}: a file of ratings begins", merged(b"")),
)
FOLDERS = ("ratings",)
