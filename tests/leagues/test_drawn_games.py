"""A game that a league has drawn begins with the chains that were sent before, and with no others."""

# ruff: noqa: F811 - the fixture `table`
from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pbem.audit.bundle import read_bundle
from pbem.audit.findings import State
from pbem.audit.game import audit_files
from pbem.audit.leagues import audit_league
from pbem.judge import newgame
from pbem.judge.export import export as export_game
from pbem.judge.leagues.export import export
from pbem.judge.newgame import Brought
from pbem.leagues import round_drawing
from pbem.leagues.calls import Seating, Sent, parse_reply, seating_of
from pbem.leagues.entries import BY_GAME, Ended, GameAt, Opened
from pbem.leagues.model import Ending
from pbem.leagues.statements import CHALLENGE
from pbem.player.faults import Contradiction, Incomplete, NotOurs
from pbem.player.leagues.ledger import head_fault
from pbem.trust import proof
from pbem.trust.armor import find_sealed
from pbem.trust.chance import OPEN_CHAIN, Reveal
from pbem.trust.entries import Entry, Genesis
from pbem.trust.faults import LedgerFault
from pbem.trust.proof import STEPS
from tests.audit.script import verify_sh
from tests.leagues.test_player import Table, table  # noqa: F401 - a fixture
from tests.leagues.world import NAME, Called, Entered, file_of, sent_chain, take_reply


def answered(table: Table) -> None:
    """Both have answered; the call is not closed yet."""
    (sealed,) = find_sealed(table.league.reply())
    assert take_reply(table.world.club, sealed).is_accepted
    receipt = [one.data for one in table.world.club.store.letters() if "-receipt-" in one.name]
    table.home.receive(receipt[0])
    table.world.answer(["ben"])


def game_letter(table: Table) -> bytes:
    (letter,) = (
        one.data
        for one in table.world.club.store.letters()
        if one.player == "ann" and one.name.startswith("cup-r1-1-")
    )
    return letter


def test_a_home_finds_its_chain_when_the_game_begins(table: Table) -> None:
    """Its first letter is the first report; the same letter again changes nothing."""
    answered(table)
    table.world.run()
    (arrival,) = table.home.receive(game_letter(table))
    assert (arrival.kind, arrival.exchange, arrival.new) == ("report", 1, True)
    assert not table.home.receive(game_letter(table))[0].new
    assert table.home.folder("cup-r1-1").chain("ann.1") is not None
    assert "exchange 2" in table.home.form("cup-r1-1")


LIES = {
    "own anchor": "the judge's anchors in the genesis of cup-r1-1 are not those that call 1",
    "left out": "leaves out the chain of ann, for which the judge has given a receipt in call 1",
    "another chain": "genesis anchors another chain for ann",
    "another step": "what ben contributes to exchange 1 of cup-r1-1 is not their step of call 1",
}


@pytest.mark.parametrize("told", [False, True])
@pytest.mark.parametrize("lie", LIES)
def test_a_home_refuses_a_game_that_is_not_what_it_accepted(
    table: Table, monkeypatch: pytest.MonkeyPatch, lie: str, told: bool
) -> None:
    """Whether the league's ledger has told already what all have revealed, or not yet."""
    answered(table)
    honest, given = newgame._name_origin, round_drawing.chains_for

    def drawn(genesis: Genesis, brought: Brought) -> Genesis:
        return replace(honest(genesis, brought), secret_anchor="0" * 64)

    def chains(*asked: Any) -> Mapping[str, Sent]:
        found = given(*asked)
        match lie:
            case "left out":
                return {}
            case "another chain":
                return found | {"ann": found["ann"]._replace(anchor="0" * 64)}
            case _:
                return found | {"ben": found["ben"]._replace(share="0" * 64)}

    if lie == "own anchor":
        monkeypatch.setattr(newgame, "_name_origin", drawn)
    else:
        monkeypatch.setattr(round_drawing, "chains_for", chains)
    table.world.run()
    assert any(isinstance(one, Opened) for one in table.world.book.entries)
    if told:
        size = table.league.kept_ledger().size
        table.home.receive(
            table.lie(*table.world.book.entries[size:], instead_of=table.world.book.size - size)
        )
    with pytest.raises(NotOurs, match=LIES[lie]):
        table.home.receive(game_letter(table))


def letter_with(table: Table, change: Callable[[Entry], Entry], *more: Entry) -> bytes:
    """The judge's letter with what is new in the league's ledger, changed, and with more."""
    size = table.league.kept_ledger().size
    news = [change(entry) for entry in table.world.book.entries[size:]]
    return table.lie(*news, *more, instead_of=table.world.book.size - size)


def other_head(entry: Entry) -> Entry:
    return replace(entry, head="0" * 64) if isinstance(entry, Opened) else entry


@pytest.mark.parametrize("first", ["game", "league"])
def test_a_home_sees_two_games_under_one_name(table: Table, first: str) -> None:
    """One that is played, and one that the league's ledger names; whichever comes last is not taken."""
    answered(table)
    table.world.run()
    letters = [game_letter(table), letter_with(table, other_head)]
    before, last = letters if first == "game" else letters[::-1]
    table.home.receive(before)
    with pytest.raises(Contradiction if first == "game" else NotOurs, match=TWO_GAMES):
        table.home.receive(last)
    assert len(table.league.folder.judge_statements.evidence()) == (first == "game")


TWO_GAMES = "league.cup says that cup-r1-1 has the head 0000"


@pytest.mark.parametrize("size", [2, 900])
def test_a_home_sees_a_result_of_another_history(table: Table, size: int) -> None:
    """As far as it has the game; a result from beyond that is not known to be wrong."""
    answered(table)
    table.world.run()
    table.home.receive(game_letter(table))
    last = table.world.book.entries[-1]
    assert isinstance(last, Opened)
    places = tuple((seat.player, place) for place, seat in enumerate(last.seats, 1))
    at = GameAt("cup-r1-1", size, "0" * 64)
    result = Ended(round=1, pairing=1, game=at, ending=Ending.PLAYED, by=BY_GAME, places=places, at=last.at)
    letter = letter_with(table, lambda entry: entry, result)
    if size > 2:
        table.home.receive(letter)
    else:
        with pytest.raises(Contradiction, match=f"{TWO_GAMES}0* at entry 2"):
            table.home.receive(letter)


def test_a_home_takes_no_game_of_a_call_that_it_does_not_know(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor is it seated without a share by a call that was never opened; the league's letter comes first."""
    answered(table)
    honest = newgame._name_origin

    def drawn(genesis: Genesis, brought: Brought) -> Genesis:
        return replace(honest(genesis, brought), drawn=("league.cup", 7))

    monkeypatch.setattr(newgame, "_name_origin", drawn)
    monkeypatch.setattr(round_drawing, "chains_for", lambda *_: {})
    table.world.run()
    with pytest.raises(Incomplete, match=r"drawn by call 7 of league\.cup, which has not come here yet"):
        table.home.receive(game_letter(table))


def test_another_club_s_game_of_the_same_name_accuses_nobody(table: Table) -> None:
    answered(table)
    table.world.run()
    table.home.receive(game_letter(table))
    chronicle = table.home.folder("cup-r1-1").chronicle()
    assert chronicle is not None
    opened = other_head(table.world.book.entries[-1])
    judge = chronicle.genesis.gm
    assert head_fault("league.cup", judge, [opened], {"cup-r1-1": chronicle}.get)
    assert not head_fault("league.cap", judge, [opened], {"cup-r1-1": chronicle}.get)
    assert not head_fault("league.cup", "SHA256:x", [opened], {"cup-r1-1": chronicle}.get)


def test_exchange_1_takes_what_was_revealed_in_the_call_and_nothing_else_of_the_players(table: Table) -> None:
    """Who answers last could choose a chain to suit what all others have sent; not the step that is due."""
    answered(table)
    table.world.run()
    (resolved,) = (one.resolved for one in table.world.book.season.calls)
    history = table.world.club.book("cup-r1-1").history
    first = history.exchanges[0].resolved
    assert resolved is not None
    assert first is not None
    told = {reveal.who: reveal.value for reveal in resolved.reveals if reveal.who != OPEN_CHAIN}
    assert {reveal.who: reveal.value for reveal in first.reveals if reveal.who != OPEN_CHAIN} == told
    assert [*told] == ["ann.1", "ben.1"]
    assert history.known("ben.1") == Reveal("ben.1", 0, sent_chain("league.cup", 1, "ben").anchor)


def test_no_more_games_are_drawn_than_the_call_has_fixed(table: Table) -> None:
    call = table.world.book.season.calls[0]
    assert call.seating is not None
    assert (call.seating.chains, len(call.seating.games)) == (1, 1)
    call.seating = Seating(1, ())
    answered(table)
    (done,) = table.world.run()
    assert done.is_stopped
    assert "fixes the judge's part in 0 games" in done.text
    with pytest.raises(LedgerFault, match="does not fix the games"):
        seating_of(replace(call.opened, extra=("for draw 1", "chains 1", "game 2 x y")))


def test_a_challenge_that_comes_while_a_round_is_drawn_finds_its_game_fixed(
    tmp_path: Path, called: Called
) -> None:
    """It counts in that round; the call has fixed as many games as may come of it."""
    world = called(file_of("ladder", count=1), "ann", "ben", "cat", "dan")
    for player, of in (("ann", "ben"), ("cat", "dan"), ("ben", "ann"), ("dan", "cat")):
        world.say(player, CHALLENGE, of=of)
    world.seat()
    assert world.open_pairs()
    export(world.club, NAME, tmp_path / "bundle")
    assert audit_league(read_bundle(tmp_path / "bundle")).status == 0


@pytest.mark.ci
@pytest.mark.parametrize("honest", [True, False])
def test_the_audit_and_the_script_see_what_exchange_1_is_thrown_with(
    tmp_path: Path, entered: Entered, monkeypatch: pytest.MonkeyPatch, honest: bool
) -> None:
    """The genesis says what everybody has revealed in the call; an exchange with other values is refuted."""
    world = entered(file_of("swiss"))
    with monkeypatch.context() as judge:
        if not honest:
            other = {name: Reveal(f"{name}.1", 1, "1" * 64) for name in ("ann", "ben")}
            judge.setattr(Brought, "shares", other)
            judge.setattr(proof, "_step_fault", lambda *_: "")
        world.enter("ann", "ben")
        world.after(31)
        world.seat()
        world.bots_play("cup-r1-1", "random", exchanges=2)
        export_game(world.club, "cup-r1-1", "public", tmp_path / "game")
    found = audit_files(read_bundle(tmp_path / "game"))
    status, told = verify_sh(tmp_path / "game")
    assert bool(found.is_refuted) is not honest
    assert (status, found.status) == ((0, 0) if honest else (3, 3)), told
    if not honest:
        refuted = {row.claim: row.detail for row in found.rows if row.state == State.REFUTED}
        name = refuted[STEPS].removeprefix("what ").partition(".")[0]
        assert name in ("ann", "ben"), "whoever is seated first"
        expected = genesis_share(tmp_path / "game", name)
        assert (
            refuted[STEPS]
            == f"what {name}.1 contributes to exchange 1: expected {expected}, found {'1' * 64}"
        )
        assert f"what {name}.1 contributes to exchange 1 is not what genesis says" in told


def genesis_share(bundle: Path, name: str) -> str:
    """What the genesis says of somebody's."""
    lines = (bundle / "log/0001.entry").read_text().splitlines()
    (share,) = (words[2] for words in map(str.split, lines) if words[:2] == ["share", name])
    return share


def test_of_two_lines_for_one_chain_the_first_counts_and_what_is_none_is_told() -> None:
    read = parse_reply(
        f"chain 1 {'a' * 64}\nchain 1 {'b' * 64}\nchain 0 {'a' * 64}\nchain 2 none\n", "c" * 64
    )
    assert read.chains == (Sent(1, "a" * 64, "c" * 64),)
    assert [fault.partition(":")[0] for fault in read.faults] == ["line 3", "line 4"]
    assert parse_reply(f"chain 1 {'a' * 64}\n", "").chains == (), "who reveals no step sends no chain"
