"""An entrant's program is as careful as a player's: no step leaves early, and none after two histories."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from copy import deepcopy
from dataclasses import replace
from functools import cache
from pathlib import Path
from shutil import copytree
from tempfile import TemporaryDirectory

import pytest

from pbem.audit.bundle import read_bundle
from pbem.audit.findings import State
from pbem.audit.leagues import audit_league
from pbem.cli import main
from pbem.judge.club import open_club
from pbem.judge.leagues import steps
from pbem.judge.leagues.desk import take_statement
from pbem.judge.leagues.export import export
from pbem.judge.leagues.steps import run_leagues
from pbem.leagues.calls import Call, mix_of, prove_call
from pbem.leagues.entries import Ended, LeagueGenesis, Opened, RoundOver, Substituted
from pbem.leagues.season import Season
from pbem.player.faults import Contradiction, NotOurs, Refused
from pbem.player.home import Home
from pbem.player.leagues.league import PlayersLeague
from pbem.trust import keys, ledger
from pbem.trust.armor import find_sealed
from pbem.trust.chance import Chain, Reveal, build_mix, die
from pbem.trust.entries import Entry, Received, Resolve
from pbem.trust.faults import LedgerFault
from pbem.trust.letters import NOTICE, OpenEntry, ReportLetter, sign_report
from pbem.trust.proof import SHARES, UniqueItems
from pbem.trust.sealing import open_orders_with, pad, seal, to_armor
from tests.conftest import chance
from tests.judge.table import Clock, is_the_same
from tests.leagues.forging import rewritten
from tests.leagues.world import World, file_of, make_world, take_reply

LEDGER = "league.cup"
Chains = Mapping[str, str]


@cache
def _made() -> tuple[TemporaryDirectory[str], keys.PublicKey, World]:
    """Where the table was made, the key of ann's, and the world, its club closed."""
    folder = TemporaryDirectory()
    with chance.of("a league and ann's home"):
        world = make_world(Path(folder.name), file_of("swiss"))
        home = Home(Path(folder.name, "ann"), clock=world.clock)
        key = home.keygen("ann")
        take_statement(world.club, home.league("cup").enter("ann", **world.which, now=world.clock()))
        world.enter("ben")
        world.after(31)
        receive(home, world)
    world.club.store.close()
    return folder, key, world


def receive(home: Home, world: World) -> None:
    """Everything that the judge has written to ann."""
    for letter in world.club.store.letters():
        if letter.player == "ann" and letter.data:
            home.receive(letter.data)


class Table:
    """A league whose first call is open, and ann's home: made once, then copied."""

    def __init__(self, folder: Path) -> None:
        made, self.key, world = _made()
        copytree(made.name, folder, dirs_exist_ok=True)
        is_the_same(folder / "club")
        clock = Clock(world.clock())
        self.world = World(open_club(folder / "club", clock), clock, [*world.done])
        self.home = Home(folder / "ann", clock=clock)

    @property
    def league(self) -> PlayersLeague:
        return self.home.league("cup")

    def receive(self) -> None:
        """Everything that the judge has written to ann."""
        receive(self.home, self.world)

    def answer(self) -> None:
        """Both answer, ann from her home."""
        (sealed,) = find_sealed(self.league.reply())
        assert take_reply(self.world.club, sealed).is_accepted
        self.world.answer(["ben"])
        self.world.run()

    def answer_alone(self) -> None:
        """Ann answers, and ben does not until the call is closed."""
        (sealed,) = find_sealed(self.league.reply())
        assert take_reply(self.world.club, sealed).is_accepted
        self.world.after(6)

    def play(self) -> None:
        """Ben loses the game of the round, and the next is called for."""
        (pair,) = self.world.open_pairs()
        self.world.concede(pair.game, "ben")
        self.world.run()
        self.receive()

    def lie(self, *entries: Entry, instead_of: int = 0) -> bytes:
        """A letter whose ledger goes on with these, in place of so many true entries at its end."""
        book = self.world.book
        size = book.size - instead_of
        head = self.league.kept_ledger().heads[size - 1]
        return judges_letter(self, entries, after=size, head=head)


def test_a_letter_of_a_league_is_taken_by_turn(
    table: Table, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its letters and a game's come from one club, and are saved alike."""
    monkeypatch.setenv("PBEM_HOME", str(table.home.path))
    letter = next(one.data for one in table.world.club.store.letters() if one.player == "ann" and one.data)
    saved = tmp_path / "letter.txt"
    saved.write_bytes(letter)
    assert main(["turn", str(saved)]) == 0
    shown = capsys.readouterr()
    assert shown.out.startswith("the judge has entered what you said about league.cup")
    assert "pbem: cup: call 1 waits for your answer until " in shown.err
    assert "pbem: next: pbem league reply cup\n" in shown.err
    table.answer()
    assert main(["turn", "--game", LEDGER]) == 0
    assert "cup: you have sealed your answer to call 1; when a mail has come: pbem turn MAIL" in (
        capsys.readouterr().err
    )
    table.home.league("spring").enter("ann", **table.world.which, now=table.world.clock())
    assert main(["turn", "--game", "league.spring"]) == 0
    assert "spring: nothing is asked of you; when a mail has come: pbem turn MAIL" in capsys.readouterr().err


def judges_letter(
    table: Table,
    entries: Sequence[Entry],
    *,
    after: int = 0,
    head: str = ledger.EMPTY_HEAD,
    torn: bool = False,
    **changed: object,
) -> bytes:
    """The judge's letter with a ledger from an entry on; `torn`: its last entry is not that of its leaf."""
    leaves, opened, rows = [], [], table.world.book.rows
    for number, entry in enumerate(entries, after + 1):
        salt = rows[number - 1].salt if number <= len(rows) else "0" * 64
        leaf = ledger.leaf(salt, entry.text)
        head = ledger.head(LEDGER, number, head, leaf)
        leaves.append((number, leaf))
        text = entries[0].text if torn and number == after + len(entries) else entry.text
        opened.append((number, OpenEntry(salt, text)))
    checkpoint = ledger.Checkpoint(game=LEDGER, size=after + len(entries), head=head)
    key = table.world.club.key
    made = ReportLetter(
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
    made = replace(made, **changed)  # type: ignore[arg-type]
    return to_armor(seal(pad(sign_report(made, key), 16_384), [table.key])).encode()


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    made = Table(tmp_path)
    with closing(made.world.club.store):
        yield made


@pytest.mark.parametrize(
    ("says", "told"),
    [
        ("entry {result}: pairing 1, conceded: ann beats ben", ""),
        ("entry {result}: pairing 1, conceded: ben beats ann", "pairing 1, conceded: ann beats ben"),
        ("entry {result}: pairing 2, conceded: ann beats ben", "pairing 1, conceded: ann beats ben"),
        ("entry 1: pairing 1, conceded: ann beats ben", "no result"),
        ("entry 999999: pairing 1, conceded: ann beats ben", "no result"),
        ("You meet ben in {game}.", ""),
        ("You meet cat in {game}.", "ben"),
        ("You meet ben and cat in {game}.", "ben"),
        ("You meet ben in cup-r9-1.", "nobody"),
    ],
)
def test_a_letter_that_tells_another_result_or_opponent_is_found(table: Table, says: str, told: str) -> None:
    table.answer()
    table.play()
    (place,) = [n for n, one in enumerate(table.world.book.entries, 1) if isinstance(one, Ended)]
    (game,) = {one.game for one in table.world.book.entries if isinstance(one, Opened)}
    text = f"The cup.\n{says.format(result=place, game=game)}\nNext: dinner.\n"
    letter = judges_letter(
        table, (), after=table.world.book.size, head=table.league.kept_ledger().head, report=text
    )
    if told:
        with pytest.raises(Contradiction, match=f"; there the ledger has .*{told}"):
            table.home.receive(letter)
    else:
        (arrival,) = table.home.receive(letter)
        assert arrival.text == text
    assert len(table.league.folder.judge_statements.evidence()) == bool(told)


def test_two_who_take_each_other_s_place_keep_no_reader_busy(table: Table) -> None:
    table.answer()
    table.play()
    (place,) = [n for n, one in enumerate(table.world.book.entries, 1) if isinstance(one, Ended)]
    now, size = table.world.clock(), table.world.book.size
    turns = [Substituted(player=one, of=other, at=now) for one, other in (("ann", "ben"), ("ben", "ann"))]
    text, head = f"entry {place}: pairing 1, ben won\n", table.league.kept_ledger().head
    with pytest.raises(Contradiction, match="there the ledger has pairing 1"):
        table.home.receive(judges_letter(table, turns, after=size, head=head, report=text))


def test_a_call_that_comes_too_early_harvests_no_step(table: Table) -> None:
    """The judge signs that call 30 is open while call 1 is: step 30 would tell all before it."""
    call = table.world.book.season.call
    assert call is not None
    letter = table.lie(replace(call.opened, exchange=30))
    with pytest.raises(Contradiction, match="call 2 must be opened next, when the last one"):
        table.home.receive(letter)
    assert len(table.league.folder.judge_statements.evidence()) == 1, "the judge's signature is kept"
    with pytest.raises(Refused, match="two histories"):
        table.league.reply()


def test_player_judge_and_audit_ask_one_rule_which_call_comes_next(table: Table) -> None:
    """The same entry that the player refuses is one that no season can have, with the same fault."""
    season = table.world.book.season
    assert season.call is not None
    for number in (1, 2, 30):
        entry = replace(season.call.opened, exchange=number)
        fault = "call 2 must be opened next, when the last one is resolved"
        with pytest.raises(LedgerFault, match=fault):
            deepcopy(season).add(entry)
        with pytest.raises(Contradiction, match=fault):
            table.home.receive(table.lie(entry))


@pytest.mark.parametrize("number", [1, 3])
def test_no_call_is_skipped_or_repeated_when_one_is_resolved(table: Table, number: int) -> None:
    table.answer()
    opened = table.world.book.season.calls[0].opened
    table.play()
    last = [one for one in table.league.kept_ledger().entries if one.kind == "open"][-1]
    assert last.kind == "open"
    with pytest.raises(Contradiction):
        table.home.receive(table.lie(replace(opened, exchange=number)))


def test_after_two_signed_heads_nothing_more_is_signed(table: Table) -> None:
    """Once the letter was kept as evidence, and the next answer was signed."""
    assert table.league.reply()
    other = table.lie(RoundOver(round=1, at=table.world.clock()), instead_of=1)
    with pytest.raises(Contradiction, match="two histories"):
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
            table.world.after(6)
            table.play()


def test_a_closed_call_gets_no_step(table: Table) -> None:
    """The judge has every step that was due then; the next call asks for the next one."""
    table.answer()
    kept = table.league.kept_ledger()
    assert kept.calls is not None
    assert [one.number for one in kept.calls.exchanges] == [1], "as far as ann knows"
    table.play()
    assert (calls := table.league.kept_ledger().calls) is not None
    assert calls.current is calls.last is not None


def resolved_by(table: Table) -> tuple[list[Entry], Resolve]:
    """What ann has not been told yet, up to the resolution of the call that both have answered; and that."""
    table.answer()
    entries = table.world.book.entries[table.league.kept_ledger().size :]
    place = next(number for number, one in enumerate(entries) if isinstance(one, Resolve))
    resolve = entries[place]
    assert isinstance(resolve, Resolve)
    return entries[:place], resolve


def left_out(resolve: Resolve) -> Resolve:
    """Without ann's share; mix and lots are those of the others' shares, and fit."""
    gm, ben = (one for one in resolve.reveals if one.who != "ann.1")
    mix = build_mix(LEDGER, resolve.exchange, gm=gm, players=[("ann.1", None), ("ben.1", ben)])
    dice = tuple(replace(one, value=die(mix.key, one.sides, one.label)) for one in resolve.dice)
    return replace(resolve, reveals=(gm, ben), absent=("ann.1",), mix=mix.name, dice=dice)


def test_the_ledger_of_another_league_of_that_name_is_not_taken(table: Table, tmp_path: Path) -> None:
    """The judge has opened it in another folder, and ann has entered this one: nothing of it is kept."""
    home, now = Home(tmp_path / "new", clock=table.world.clock), table.world.clock()
    table.key = home.keygen("ann")
    home.league("cup").enter("ann", judge=table.world.which["judge"], genesis="5" * 64, now=now)
    letter = judges_letter(table, table.world.book.entries)
    with pytest.raises(NotOurs, match=r"another league called league.cup, whose first head is"):
        home.receive(letter)
    assert home.league("cup").folder.chronicle() is None


LEFT_OUT = "who contributed to exchange 1: ann is left out, whose file was received"


def test_player_judge_and_audit_ask_one_rule_who_contributed(table: Table, tmp_path: Path) -> None:
    """A share that was received and is left out is refused by all, in the same sentence."""
    before, resolve = resolved_by(table)
    with pytest.raises(Contradiction, match=LEFT_OUT):
        table.home.receive(table.lie(*before, left_out(resolve), instead_of=lacking(table)))
    book = table.world.book
    season = Season(book.season.genesis, book.file, book.season.genesis_head)
    once = UniqueItems()
    for entry in table.world.book.entries[1 : table.league.kept_ledger().size + len(before)]:
        season.add(entry)
        once.take(entry)
    prove_call(season.call_log, once, resolve)
    with pytest.raises(LedgerFault, match=LEFT_OUT):
        prove_call(season.call_log, once, left_out(resolve))
    export(table.world.club, "cup", tmp_path / "bundle")
    forged = rewritten(
        read_bundle(tmp_path / "bundle").known_files,
        table.world.club.key,
        lambda entry: left_out(entry) if entry == resolve else entry,
    )
    refuted = {row.claim: row.detail for row in audit_league(forged).rows if row.state is State.REFUTED}
    assert LEFT_OUT in refuted[SHARES]


def lacking(table: Table) -> int:
    """How many entries ann has not been told."""
    return table.world.book.size - table.league.kept_ledger().size


def test_the_judge_enters_no_resolution_that_leaves_somebody_out(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A fault of the program's own that drops a share stops the league, and nothing is entered."""

    def forgetful(genesis: LeagueGenesis, call: Call, judge: Reveal, given: object, chains: Chains) -> object:
        assert given
        return mix_of(genesis, call, judge, {}, chains)

    monkeypatch.setattr(steps, "mix_of", forgetful)
    (sealed,) = find_sealed(table.league.reply())
    assert take_reply(table.world.club, sealed).is_accepted
    table.world.answer(["ben"])
    (done,) = run_leagues(table.world.club, {})
    assert done.is_stopped
    assert LEFT_OUT in done.text
    assert table.world.book.season.call is not None
    assert table.world.book.season.call.closed is None


def test_a_late_file_that_comes_twice_is_refused_once(table: Table) -> None:
    """It takes no second place among the files that its player may send."""
    late = table.world.reply("ben")
    table.answer_alone()
    first = take_reply(table.world.club, late)
    size = table.world.book.size
    second = take_reply(table.world.club, late)
    assert "is closed" in first.text
    assert second.text == f"this file of ben was refused before: {first.text}"
    assert table.world.book.size == size


@pytest.mark.parametrize("revision", [1, 2])
def test_a_file_stands_once_in_an_entrants_ledger(table: Table, revision: int) -> None:
    """The judge cannot use up somebody's room with one file, nor enter it under another revision."""
    before, _ = resolved_by(table)
    received = next(one for one in before if isinstance(one, Received))
    again = replace(received, rev=revision)
    with pytest.raises(Contradiction, match=r"received in exchange 1, was received before"):
        table.home.receive(table.lie(received, again, instead_of=lacking(table)))


def test_no_other_step_leaves_than_the_one_that_counts(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is signed is asked what the judge asks of it: a fault that takes step 30 bares nothing."""

    def other(name: str, chain: Chain, *_: object) -> Reveal:
        return Reveal(chain.who, 30, chain.reveal(30))

    monkeypatch.setattr("pbem.player.leagues.league.leaving_step", other)
    with pytest.raises(Refused, match=r"nothing is signed for league.cup.*reveals step 30, in exchange 1"):
        table.league.reply()
    assert not list((table.league.path).glob("sent/*"))
