"""What the tests of the player's side share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

import pytest

from pbem.errors import PbemError
from pbem.player import Home, files
from pbem.trust.keys import write_private_file
from tests.player.judge import GAME, Judge
from tests.trust.stock import run

Play = Callable[[int], None]


def told(judge: Judge, exchange: int, *homes: Home, since: int = 0) -> Judge:
    """The judge, when these players have received the letter on an exchange."""
    for home in homes:
        home.receive(judge.mail(judge.letter(exchange, home.path.name, since=since)).encode())
    return judge


def tree(path: Path) -> dict[str, bytes]:
    """Every file below a folder."""
    return {
        file.relative_to(path).as_posix(): file.read_bytes()
        for file in sorted(path.rglob("*"))
        if file.is_file()
    }


def folder(home: Home) -> Path:
    """The game's folder in a home."""
    return home.folder(GAME).path


def refused(home: Home, data: bytes | str, **options: str) -> PbemError:
    """The error with which a home refuses a letter, having kept nothing but evidence of it."""
    before = tree(home.path)
    with pytest.raises(PbemError) as caught:
        home.receive(data.encode() if isinstance(data, str) else data, **options)
    after = tree(home.path)
    added = {name: data for name, data in after.items() if name not in before}
    assert {name: after[name] for name in before} == before
    assert all("/held/fork-" in name or "/held/fault-" in name for name in added), sorted(added)
    return caught.value


def stock_verifies(place: Path, name: str, namespace: str, signers: Path | None = None) -> None:
    """ssh-keygen accepts `name` with its `.sig` as the judge's."""
    principal = f"gm@{GAME}"
    run(
        *("ssh-keygen", "-Y", "verify", "-f", signers or place / "allowed_signers", "-I", principal),
        *("-n", namespace, "-s", place / f"{name}.sig"),
        stdin=(place / name).read_bytes(),
    )


class Stopped(BaseException):
    """The program was killed."""


def later(home: Home, when: datetime) -> Home:
    """The same home at another time."""
    return Home(home.path, clock=lambda: when)


@contextmanager
def killed_at(write: int, *, after: bool) -> Iterator[None]:
    """Kill the program at its n-th written file, before or after the file gets its name."""
    real, count = write_private_file, 0

    def counting(path: Path, data: bytes, *, replace: bool = False) -> None:
        nonlocal count
        count += 1
        if count == write and not after:
            raise Stopped
        real(path, data, replace=replace)
        if count == write:
            raise Stopped

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(files, "write_private_file", counting)
        yield
