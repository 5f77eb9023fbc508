"""Flip any byte, cut anywhere, reorder anything: the bundle is refuted, or named as incomplete."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from pbem.audit.bundle import Files as Read
from pbem.audit.findings import State
from pbem.audit.game import audit_files
from pbem.errors import ConfigError
from pbem.trust.entries import Reported
from tests.audit.attack import Scene
from tests.audit.script import verify_sh
from tests.audit.stage import GAME, Files, Stage, write

pytestmark = pytest.mark.ci


def is_refuted(files: Files) -> bool:
    """Does pbem audit refute it? Of a format that it does not know it says nothing, good or bad."""
    try:
        return audit_files(Read(files, ())).is_refuted
    except ConfigError as fault:
        return "nothing can be said of this bundle" in str(fault)


def flipped(data: bytes, place: int, mask: int) -> bytes:
    """One byte changed."""
    return data[:place] + bytes([data[place] ^ mask]) + data[place + 1 :]


def test_a_flipped_byte_in_any_file(scene: Scene) -> None:
    files = scene.earlier
    chooser = random.Random("flips")
    for name, data in files.items():
        for place in {0, len(data) - 1, chooser.randrange(len(data))} if data else ():
            mask = 1 << chooser.randrange(8)
            assert is_refuted(files | {name: flipped(data, place, mask)}), (name, place, mask)


@pytest.mark.slow
def test_every_byte_flipped(fresh: Callable[..., Stage]) -> None:
    stage = fresh()
    stage.go()
    files = stage.bundle()
    chooser = random.Random("all flips")
    for name, data in files.items():
        for place in range(len(data)):
            mask = chooser.randrange(1, 256)
            assert is_refuted(files | {name: flipped(data, place, mask)}), (name, place, mask)


def test_a_byte_more_or_less_in_any_file(scene: Scene) -> None:
    for name, data in scene.earlier.items():
        for changed in (data + b"\n", data + b" ", b"\n" + data, data[:-1], data.replace(b"\n", b"\r\n", 1)):
            if changed != data:
                assert is_refuted(scene.earlier | {name: changed}), (name, changed[:40], changed[-40:])


@pytest.mark.parametrize(
    ("name", "like"),
    [
        ("keys/allowed_signers.from-2", "keys/allowed_signers"),
        (f"consents/{'a' * 64}.txt", "dice/all.txt"),
        (f"rotations/{'a' * 64}.by.sig", "dice/all.txt"),
        ("mix/1.txt", "log/leaves"),
        ("keys/exchange-1.carol.agekey", ""),
        ("keys/exchange-1.alice.agekey", ""),
    ],
)
def test_what_belongs_to_nothing_is_refuted(
    fresh: Callable[..., Stage], folder: Callable[[], Path], name: str, like: str
) -> None:
    """Where nothing of its kind is in the ledger yet, too; and a key is written in one way only."""
    stage = fresh()
    identity = stage.club.seal(GAME, 1, "alice").identity.lower().encode() + b"\n"
    files = stage.bundle("public")
    files |= {name: files.get(like, identity)}
    assert is_refuted(files)
    status, printed = verify_sh(write(files, folder()))
    assert status == 3, printed


def test_two_files_change_places(scene: Scene) -> None:
    files = scene.earlier
    for first, second in _neighbours(files):
        assert is_refuted(files | {first: files[second], second: files[first]}), (first, second)


def _neighbours(files: Files) -> Iterator[tuple[str, str]]:
    """Pairs of files of one kind that differ."""
    names = sorted(files, key=lambda name: (name.partition("/")[0], name.rpartition(".")[2], name))
    for first, second in pairwise(names):
        if first.partition("/")[0] == second.partition("/")[0] and files[first] != files[second]:
            yield first, second


def test_lines_of_the_leaves_change_places(scene: Scene) -> None:
    lines = scene.earlier["log/leaves"].decode().splitlines()
    leaves = [line.split()[1] for line in lines]
    for place in range(len(lines) - 1):
        for kind in (lines, leaves):
            swapped = list(kind)
            swapped[place], swapped[place + 1] = swapped[place + 1], swapped[place]
            text = "".join(
                f"{line if kind is lines else f'{number} {line}'}\n" for number, line in enumerate(swapped, 1)
            )
            assert is_refuted(scene.earlier | {"log/leaves": text.encode()}), place


def test_a_log_that_is_cut(scene: Scene) -> None:
    lines = scene.earlier["log/leaves"].splitlines(keepends=True)
    for size in range(len(lines)):
        assert is_refuted(scene.earlier | {"log/leaves": b"".join(lines[:size])}), size


def prefix(stage: Stage, size: int) -> Files:
    """The bundle as it would be if the ledger had only its first entries, and all else fitted them."""
    known = stage.book.entries[:size]
    exchanges = [exchange for exchange in stage.book.history.exchanges if exchange.opened_at <= size]
    resolved = {str(exchange.number) for exchange in exchanges if 0 < exchange.resolved_at <= size}
    told = {
        f"reports/{entry.audience}/{entry.exchange:04d}.txt" for entry in known if isinstance(entry, Reported)
    }
    sealed = {getattr(entry, "sealed", "") for entry in known}
    keys = {f"{exchange.number}" for exchange in exchanges}
    kept: Files = {}
    for name, data in stage.bundle().items():
        folder, _, rest = name.partition("/")
        number = rest.partition(".")[0]
        if name == "log/leaves":
            kept[name] = b"".join(data.splitlines(keepends=True)[:size])
        elif name == "dice/all.txt":
            kept[name] = b"".join(
                line for line in data.splitlines(keepends=True) if line.split()[0].decode() in resolved
            )
        elif (
            (folder in ("log", "checkpoints") and int(number) <= size)
            or (folder == "mix" and number in resolved)
            or (folder == "reports" and name in told)
            or (folder == "sealed" and number in sealed)
            or (folder == "keys" and number.removeprefix("exchange-") in (*keys, "allowed_signers"))
        ):
            kept[name] = data
    return kept


def test_any_prefix_is_named_as_incomplete(scene: Scene) -> None:
    for size in range(1, scene.skirmish.book.size):
        findings = audit_files(Read(prefix(scene.skirmish, size), ()))
        whole = next(row for row in findings.rows if row.claim == "the bundle is the whole game")
        assert whole.state == State.OPEN
        assert f"it ends at entry {size}; " in whole.detail


@pytest.mark.parametrize("size", [5, 24, 34])
def test_the_script_names_a_prefix_as_incomplete(scene: Scene, folder: Callable[[], Path], size: int) -> None:
    status, printed = verify_sh(write(prefix(scene.skirmish, size), folder()))
    assert status == 0, printed
    assert f"open     the bundle is the whole game: it ends at entry {size}; " in printed


def test_a_prefix_against_kept_papers(scene: Scene, folder: Callable[[], Path]) -> None:
    held = write(scene.skirmish.held, folder())
    for size in range(1, scene.skirmish.book.size, 7):
        findings = audit_files(Read(prefix(scene.skirmish, size), ()), held=held)
        assert any(
            "stale: this bundle is older than what was signed" in row.detail for row in findings.rows
        ), size
