"""An entrant's program is as careful as a player's: no step leaves early, and none after two histories."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from copy import deepcopy
from dataclasses import replace
from pathlib import Path

import pytest

from pbem.judge.leagues.desk import take_statement
from pbem.leagues.entries import RoundOver
from pbem.player.faults import Contradiction, Refused
from pbem.player.home import Home
from pbem.player.leagues.league import PlayersLeague
from pbem.trust import ledger
from pbem.trust.armor import find_sealed
from pbem.trust.entries import Entry
from pbem.trust.faults import LedgerFault
from pbem.trust.letters import NOTICE, OpenEntry, ReportLetter, sign_report
from pbem.trust.sealing import open_orders_with, pad, seal, to_armor
from tests.leagues.world import file_of, make_world

LEDGER = "league.cup"


class Table:
    """A league whose first call is open, and ann's home."""

    def __init__(self, folder: Path) -> None:
        self.world = make_world(folder, file_of("swiss", rounds="count = 2\ndays = 100"))
        self.home = Home(folder / "ann", clock=self.world.clock)
        self.key = self.home.keygen("ann")
        judge = self.world.club.key.public.fingerprint
        take_statement(self.world.club, self.league.enter("ann", judge=judge, now=self.world.clock()))
        self.world.enter("ben")
        self.world.later(31)
        self.world.run()
        self.receive()

    @property
    def league(self) -> PlayersLeague:
        return self.home.league("cup")

    def receive(self) -> None:
        """Everything that the judge has written to ann."""
        for letter in self.world.club.store.letters():
            if letter.player == "ann" and letter.data:
                self.home.receive(letter.data)

    def answer(self) -> None:
        """Both answer, ann from her home."""
        from pbem.judge.leagues.desk import take_reply

        (sealed,) = find_sealed(self.league.reply())
        with self.world.club.store.step():
            assert take_reply(self.world.club, sealed).accepted
        self.world.answer(["ben"])
        self.world.run()

    def lie(self, *entries: Entry, instead_of: int = 0) -> bytes:
        """A letter whose ledger goes on with these, in place of so many true entries at its end."""
        book = self.world.book
        size = book.size - instead_of
        head = self.league.kept().heads[size - 1]
        leaves, opened = [], []
        for number, entry in enumerate(entries, size + 1):
            leaf = ledger.leaf("0" * 64, entry.text)
            head = ledger.head(LEDGER, number, head, leaf)
            leaves.append((number, leaf))
            opened.append((number, OpenEntry("0" * 64, entry.text)))
        checkpoint = ledger.Checkpoint(game=LEDGER, size=size + len(entries), head=head)
        key = book.club.key
        letter = ReportLetter(
            kind=NOTICE,
            game=LEDGER,
            exchange=1,
            player="ann",
            audience="public",
            report="call\n",
            leaves=tuple(leaves),
            opened=tuple(opened),
            checkpoint=checkpoint,
            signature=ledger.sign_statement(checkpoint, key),
        )
        return to_armor(seal(pad(sign_report(letter, key), 16_384), [self.key])).encode()


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    made = Table(tmp_path)
    with closing(made.world.club.store):
        yield made


def test_a_call_that_comes_too_early_harvests_no_step(table: Table) -> None:
    """The judge signs that call 30 is open while call 1 is: step 30 would tell all before it."""
    call = table.world.book.season.call
    assert call is not None
    letter = table.lie(replace(call.opened, exchange=30))
    with pytest.raises(Contradiction, match="'open 30' cannot follow on what is said of call 1"):
        table.home.receive(letter)
    assert len(list((table.league.path / "evidence").iterdir())) == 1, "the judge's signature is kept"
    with pytest.raises(Refused, match="two histories"):
        table.league.reply()


def test_player_judge_and_audit_ask_one_rule_which_call_comes_next(table: Table) -> None:
    """The same entry that the player refuses is one that no season can have, with the same fault."""
    season = table.world.book.season
    assert season.call is not None
    for number in (1, 2, 30):
        entry = replace(season.call.opened, exchange=number)
        fault = f"'open {number}' cannot follow on what is said of call 1"
        with pytest.raises(LedgerFault, match=fault):
            deepcopy(season).add(entry)
        with pytest.raises(Contradiction, match=fault):
            table.home.receive(table.lie(entry))


@pytest.mark.parametrize("number", [1, 3])
def test_no_call_is_skipped_or_repeated_when_one_is_resolved(table: Table, number: int) -> None:
    table.answer()
    opened = table.world.book.season.calls[0].opened
    table.receive()
    last = [one for one in table.league.kept().entries if one.kind == "open"][-1]
    assert last.kind == "open"
    with pytest.raises(Contradiction):
        table.home.receive(table.lie(replace(opened, exchange=number)))


def test_after_two_signed_heads_nothing_more_is_signed(table: Table) -> None:
    """Once the letter was kept as evidence, and the next answer was signed."""
    assert table.league.reply()
    other = table.lie(RoundOver(round=1, at=table.world.clock()), instead_of=1)
    with pytest.raises(Contradiction, match="two heads"):
        table.home.receive(other)
    with pytest.raises(Refused, match="nothing more is signed for it"):
        table.league.reply()


def test_an_honest_league_is_answered_call_by_call(table: Table) -> None:
    """The step of each call leads back to what the ledger shows, also after a call without an answer."""
    for number in (1, 2):
        call = table.world.book.season.call
        assert call is not None
        assert call.number == number
        (sealed,) = find_sealed(table.league.reply())
        key = table.world.club.seal(LEDGER, number, "ann")
        assert f"reveal ann.1 {number} ".encode() in open_orders_with(sealed, key)
        if number == 1:
            table.world.answer(["ben"])
            table.world.later(6)
            table.world.run()
            table.receive()


def test_a_closed_call_gets_no_step(table: Table) -> None:
    """The judge has every step that was due then; the next call asks for the next one."""
    table.answer()
    kept = table.league.kept()
    assert kept.call is not None
    assert kept.call.exchange == 1, "as far as ann knows"
    table.receive()
    assert table.league.kept().call is not None
