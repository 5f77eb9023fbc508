"""What a statement or a reply costs the judge does not grow with the league."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pytest

from pbem.errors import LedgerError
from pbem.judge.book import check_rows
from pbem.judge.intake.desk import open_desk, take_sealed
from pbem.judge.leagues import book
from pbem.judge.leagues.book import load_league
from pbem.judge.leagues.desk import take_statement
from pbem.judge.tables.database import CheckpointRow, EntryRow
from pbem.leagues.entries import Said
from pbem.leagues.statements import APPEAL, WITHDRAW, read_statement
from pbem.trust import sealing
from pbem.trust.chance import Roots
from pbem.trust.entries import Entry, Open, Received
from pbem.trust.life import AskedExchange, ExchangeLife
from pbem.trust.proof import UniqueItems
from tests.leagues.world import START, Entered, World, file_of, take_reply

NAMES = ("ann", "ben", "cat", "dan")


@pytest.fixture
def world(entered: Entered) -> World:
    """Four have entered."""
    return entered(file_of("swiss", count=1), *NAMES)


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Each time that a league's ledger is read as a whole."""
    found: list[str] = []

    def counted(name: str, rows: list[EntryRow], checkpoints: Iterable[CheckpointRow], roots: Roots) -> None:
        found.append(name)
        check_rows(name, rows, checkpoints, roots)

    monkeypatch.setattr(book, "check_rows", counted)
    return found


def test_what_comes_for_a_league_reads_its_ledger_once(world: World, reads: list[str]) -> None:
    world.club.leagues.forget("league.cup")
    world.say("dan", WITHDRAW)
    world.after(31)
    world.seat()
    assert reads == ["league.cup"]
    assert world.book.season.is_seated
    assert len(world.book.season.rounds) == 1


def test_what_another_process_or_an_undone_step_has_left_is_read_anew(world: World, reads: list[str]) -> None:
    """A ledger in memory counts only if it is that of the database, in all its parts."""
    before = world.book.size
    withdrawal = world.statement("dan", WITHDRAW)
    with world.club.store.step(keep=False):
        take_statement(world.club, withdrawal)
        assert world.book.size == before + 1
    assert world.book.size == before
    assert not world.book.season.members["dan"].leaving_reason
    kept = world.book
    with pytest.raises(LedgerError):
        kept.season.add(kept.entries[1])  # refused, perhaps halfway: its season is not whole any more
    assert world.book is not kept
    world.club.store._change("UPDATE league_entry SET head = ? WHERE number = ?", "0" * 64, before)
    with pytest.raises(LedgerError, match="was changed after it was written"):
        load_league(world.club, "cup")
    assert len(reads) == 3


def test_a_season_counts_what_it_accepts_and_nothing_else(world: World) -> None:
    """An entry could once be appealed against by itself: it was counted before it was looked at."""
    season, size = world.book.season, world.book.size
    appeal = read_statement(world.statement("ann", APPEAL, entry=size + 1, reason="of itself")).statement
    with pytest.raises(LedgerError, match=f"no entry {size + 1} to appeal against"):
        season.check_said(appeal, world.clock())
    with pytest.raises(LedgerError, match=f"no entry {size + 1} to appeal against"):
        season.add(Said.of(appeal, world.clock()))
    assert season.size == size
    world.say("ann", APPEAL, entry=size, reason="of the one before")
    assert world.book.season.size == size + 1
    assert [*world.book.season.appeals] == [size + 1]


def test_each_entry_is_looked_through_once_for_what_may_not_repeat(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.after(31)
    taken: list[Entry | None] = []
    take = UniqueItems.take

    def counted(once: UniqueItems, entry: Entry | None) -> None:
        if once is world.book.unique_items:  # a game has its own
            taken.append(entry)
        take(once, entry)

    monkeypatch.setattr(UniqueItems, "take", counted)
    world.seat()
    assert len(taken) <= world.book.size


def test_the_keys_of_whom_nothing_has_come_are_tried_first(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file does not say whose it is."""
    world.after(31)
    tried: list[str] = []
    find = sealing.find_key

    def spied(sealed: bytes, keys: Iterable[sealing.SealKey]) -> tuple[sealing.SealKey, bytes]:
        return find(sealed, noted(keys))

    def noted(keys: Iterable[sealing.SealKey]) -> Iterator[sealing.SealKey]:
        for key in keys:
            tried.append(key.player)
            yield key

    monkeypatch.setattr(sealing, "find_key", spied)
    for count, name in enumerate(("ann", "ben", "cat")):
        tried.clear()
        assert take_reply(world.club, world.reply(name)).is_accepted
        assert len(tried) == 1, count
    tried.clear()
    assert take_reply(world.club, world.reply("ann", rev=2)).is_accepted
    assert tried == ["dan", "ann"]


class Looked(list[Received]):
    """Files that were received; whoever looks through all of them is counted."""

    looks = 0

    def __iter__(self) -> Iterator[Received]:
        Looked.looks += 1
        return super().__iter__()


def test_a_reply_is_taken_in_without_a_look_at_those_of_others(world: World) -> None:
    """Whose address it came from says whose key to try; what they sent before says if it is new."""
    world.after(31)
    call = world.book.season.call
    assert call is not None
    call.received = Looked()
    Looked.looks = 0
    at = open_desk(world.club)
    for name in ("ann", "ben"):
        file = world.reply(name)
        for words in ("received", "received before"):
            with world.club.store.step():
                verdict = take_sealed(at, file, at.search((), (name,)))
            assert verdict.is_accepted
            assert verdict.text.endswith(words)
    assert len(call.received) == 2
    assert Looked.looks == 0


class Name(str):
    """A player's name that counts what it is compared with."""

    __slots__ = ()
    compared = 0

    def __eq__(self, other: object) -> bool:
        Name.compared += 1
        return str.__eq__(self, other)

    __hash__ = str.__hash__


@pytest.mark.parametrize("count", [40, 160])
def test_a_file_of_a_call_is_compared_with_no_others(count: int) -> None:
    """As often in a call of 160 as in one of 40, for each of them."""
    names = [Name(f"player-{number}") for number in range(count)]
    life = ExchangeLife[AskedExchange]({}, 9, "call")
    opened = Open(exchange=1, seals=tuple((name, "age1") for name in names), deadline=START)
    life.exchanges.append(AskedExchange(1, opened, 1))
    assert life.exchanges[0].seals.keys() == {*names}
    Name.compared = 0
    for number, name in enumerate(names, 2):
        assert life.standing_in(life.exchanges[0], str(name), None, lambda _: None).revisions == frozenset()
        life.take(Received(exchange=1, player=name, rev=1, sealed="0" * 64, at=START), number)
        assert life.received_of(str(name)) == 1
    assert Name.compared < 12 * count
