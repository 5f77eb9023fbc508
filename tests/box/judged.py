"""A judge with a post box in its folder, without the box's process: the test stores what that would."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from pbem.box.folder import ALIVE, Alive, folder_name, make_folder, write_file
from pbem.box.stores import (
    KEY_LANE,
    OPEN_LANE,
    Post,
    letter_numbers,
    letter_path,
    post_name,
    store_post,
    waiting_posts,
)
from pbem.service.one_pass import Line, Pass
from pbem.trust.keys import PublicKey
from tests.judge.table import Table, make_table

URL = "https://box.club.example/"


@dataclass
class Judged:
    """A table whose club has a box."""

    table: Table
    count: int = 0

    @property
    def path(self) -> Path:
        return self.table.club.path / "box"

    def settle(self, more: str = "", mail: str = "") -> None:
        """Write club.toml, and open the club anew."""
        text = f'name = "test"\ndays = 7\n{mail}\n[box]\nurl = "{URL}"\n{more}\n'
        (self.table.club.path / "club.toml").write_text(text)
        self.table.reopen()

    def beat(self, refused: datetime | None = None, since: datetime | None = None) -> None:
        """Let the box show that it runs."""
        alive = Alive(time=self.table.clock.now, since=since, refused=refused)
        write_file(make_folder(self.path) / ALIVE, alive.text)

    def post(self, body: bytes, key: PublicKey | None = None) -> str:
        """Let the box store a post."""
        self.count += 1
        name = post_name(self.table.clock.now, self.count)
        lane, fingerprint = (KEY_LANE, key.fingerprint) if key else (OPEN_LANE, "")
        store_post(
            self.path, name, Post(received=self.table.clock.now, lane=lane, key=fingerprint, body=body)
        )
        return name

    def post_orders(self, *names: str) -> None:
        """Let these players post orders for the open exchange."""
        for name in names:
            self.post(self.table.sealed(name), self.table.people[name].key.public)

    @property
    def waiting(self) -> list[str]:
        """The posts that wait for the judge."""
        return waiting_posts(self.path)[0]

    def run(self, *, beats: bool = True) -> list[Line]:
        """Make one pass, with a box that runs."""
        if beats:
            self.beat()
        return list(Pass(self.table.club).run())

    def letters(self, name: str) -> dict[int, bytes]:
        """The letters that wait for a player, by number."""
        reader = folder_name(self.table.people[name].key.public)
        numbers = letter_numbers(self.path, reader)
        return {number: letter_path(self.path, reader, number).read_bytes() for number in numbers}

    def names(self, name: str) -> list[str]:
        """The files attached to the letters that wait for a player."""
        found = []
        for mail in self.letters(name).values():
            found += [
                line.partition(b'filename="')[2].rstrip(b'"').decode()
                for line in mail.split(b"\r\n")
                if b'filename="demo-' in line and b".txt" in line
            ]
        return found


def make_judged(folder: Path, more: str = "", **options: object) -> Judged:
    """A club with a box and one game."""
    judged = Judged(make_table(folder, **options))  # type: ignore[arg-type]
    judged.settle(more)
    return judged
