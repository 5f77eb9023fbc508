"""The log of a league's bundle is read as that of a game's: one reader, and what it refuses."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing

import pytest

from pbem.audit.bundle import Files
from pbem.audit.findings import State
from pbem.audit.leagues import audit_league
from pbem.errors import ConfigError
from pbem.judge.leagues.export import bundle
from tests.leagues.world import file_of, make_world

LEAVES, FIRST = "log/leaves", "log/0001.entry"


@pytest.fixture(scope="module")
def true(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, bytes]]:
    """A league that two have entered."""
    world = make_world(tmp_path_factory.mktemp("log"), file_of("swiss"))
    world.enter("ann", "ben")
    with closing(world.club.store):
        yield dict(bundle(world.book))


ODD: dict[str, tuple[str, Callable[[bytes], bytes], str]] = {
    "line ends of another kind": (LEAVES, lambda data: data.replace(b"\n", b"\r\n"), "log/leaves"),
    "no end of the last line": (LEAVES, lambda data: data[:-1], "log/leaves is not written as"),
}


@pytest.mark.parametrize("what", ODD)
def test_what_is_written_in_another_way_is_refuted(true: dict[str, bytes], what: str) -> None:
    """Of a game it was, of a league it was not: two verifiers could read one file as two."""
    name, change, told = ODD[what]
    findings = audit_league(Files(true | {name: change(true[name])}, ()))
    assert any(told in row.detail for row in findings.rows if row.state is State.REFUTED), findings.rows


def test_of_a_format_to_come_nothing_is_said(true: dict[str, bytes]) -> None:
    """An honest league of a later release was refuted."""
    files = true | {FIRST: true[FIRST].replace(b"\nformat ", b"\nformat 9")}
    with pytest.raises(ConfigError, match="nothing can be said of this bundle"):
        audit_league(Files(files, ()))


def test_every_changed_entry_is_named(true: dict[str, bytes]) -> None:
    files = true | {f"log/000{one}.entry": true[FIRST] for one in (2, 3)}
    (row,) = [row for row in audit_league(Files(files, ())).rows if row.state is State.REFUTED]
    assert "the leaf of entry 2" in row.detail
    assert "entries 3 as well" in row.detail
