"""A pass that is killed at any instant loses nothing and repeats nothing.

The child process kills itself at its n-th database statement, for every n until a pass gets through;
the next pass must then leave the same ledger and the same letters as one that was never disturbed.
"""

from __future__ import annotations

import os
import shutil
from itertools import count
from pathlib import Path

import pytest

from pbem.judge.club import Club, open_club
from pbem.judge.intake import desk
from pbem.judge.letters import letter_files
from tests.judge.every_game import run_pass
from tests.judge.invariants import broken
from tests.judge.killing import die_at, is_killed
from tests.judge.table import GAME, Clock, Table

pytestmark = pytest.mark.ci


def whole_pass(club: Club) -> None:
    """What `pbem run` does."""
    desk.take_in_waiting(club)
    run_pass(club)
    letter_files.deliver(club)


def killed_pass(folder: Path, clock: Clock, statement: int) -> bool:
    """Run a pass in a child that kills itself at a database statement; whether it was killed."""

    def dying_pass() -> None:
        club = open_club(folder, clock)
        die_at(club, statement)
        whole_pass(club)

    return is_killed(dying_pass)


def outcome(folder: Path, clock: Clock) -> tuple[list[bytes], list[tuple[str, str]], list[str]]:
    """What must not depend on where a pass was killed. Reports follow from entries, seals are random.

    A letter that was written before the kill is, to the byte, the one that the database would send again.
    """
    club = open_club(folder, clock)
    whole_pass(club)
    entries = [row.text for row in club.store.entries(GAME)]
    letters = [(letter.player, letter.name) for letter in club.store.letters()]
    for letter in club.store.letters():
        assert (club.out / letter.player / letter.name).read_bytes() == letter.data, letter.name
    assert not club.store.unsent_letters()
    files = sorted(path.name for path in club.out.rglob("*.txt"))
    club.store.close()
    assert list(broken(folder)) == []
    return entries, letters, files


@pytest.mark.parametrize("step", [4, pytest.param(1, marks=pytest.mark.slow)])
def test_a_pass_killed_at_every_statement(table: Table, tmp_path: Path, step: int) -> None:
    """`step`: at each so-manieth of them."""
    table.go(1)
    with table.club.store.step():
        for name in ("alice", "bob"):
            table.club.store.add_incoming("2026-01-01T00:00:00Z", table.sealed(name, "card 1\n"), "")
    table.club.store.close()
    base, work = table.club.path, tmp_path / "work"

    shutil.copytree(base, work)
    expected = outcome(work, table.clock)

    for statement in count(1, step):
        shutil.rmtree(work)
        shutil.copytree(base, work)
        if not killed_pass(work, table.clock, statement):
            break
        assert outcome(work, table.clock) == expected, f"killed at statement {statement}"
    assert statement > 50


def test_two_passes_at_once(table: Table) -> None:
    table.go(1)
    for name in ("alice", "bob"):
        table.send(name, "card 1\n")
    table.club.store.close()
    children = []
    for _ in range(4):
        child = os.fork()
        if child == 0:
            whole_pass(open_club(table.club.path, table.clock))
            os._exit(0)
        children.append(child)
    assert [os.waitpid(child, 0)[1] for child in children] == [0, 0, 0, 0]
    club = open_club(table.club.path, table.clock)
    assert [row.text for row in club.store.entries(GAME)].count(b"close 2\nat 2026-01-01T12:00:00Z\n") == 1
    current = club.book(GAME).history.current
    assert current is not None
    assert current.number == 3
