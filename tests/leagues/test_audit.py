"""A league's bundle: the honest one is proven, and whatever a judge or a stranger may change is found."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from pbem.audit import league_replay
from pbem.audit.all_claims import audit
from pbem.audit.bundle import Files, read_bundle
from pbem.audit.findings import Findings, State
from pbem.audit.leagues import audit_league, read_games
from pbem.judge.export import export as export_game
from pbem.judge.leagues.export import export
from pbem.leagues.entries import Ended, Opened, Pairings, Said, parse_league_entry
from pbem.leagues.release import release_hash
from pbem.trust import keys, ledger
from pbem.trust.entries import Entry, NewRules, Received, Resolve
from tests.leagues.world import World, file_of, make_world, play_round


@dataclass
class Played:
    """A league that is over: its bundle, its games' bundles, the judge's key, and what a player kept."""

    bundle: Path
    games: Path
    held: Path
    judge: keys.PrivateKey


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Played]:
    """Four in a Swiss of two rounds with bids; one of them leaves out a share."""
    folder = tmp_path_factory.mktemp("league")
    world = make_world(folder, file_of("swiss", rounds="count = 2\ndays = 100", more='[sides]\nby = "bids"'))
    world.enter("ann", "ben", "cat", "dan")
    world.later(31)
    world.run()
    world.answer(["ann", "ben", "cat"])
    world.later(6)
    world.run()
    world.answer()
    world.run()
    world.play(world.open_pairs(), lambda pair: min(pair.players))
    world.run()
    play_round(world)
    assert world.book.season.over
    found = Played(folder / "bundle", folder / "games", folder / "held", world.club.key)
    export(world.club, "cup", found.bundle)
    found.games.mkdir()
    for game in (entry.game for entry in world.book.entries if isinstance(entry, Opened)):
        export_game(world.club, game, "public", found.games / game)
    _keep_receipts(world, found.held)
    yield found
    world.club.store.close()


def _keep_receipts(world: World, held: Path) -> None:
    """Ann's receipts, opened with her key."""
    from pbem.trust.armor import find_sealed
    from pbem.trust.sealing import open_sealed
    from tests.leagues.world import key_of

    held.mkdir()
    letters = [one for one in world.club.store.letters_to("league.cup", "ann") if "receipt" in one.name]
    for letter in letters:
        signed = open_sealed(find_sealed(letter.data)[0], [key_of("ann")])
        (held / letter.name).write_bytes(signed.rstrip(b"\n") + b"\n")
    assert letters


def states(findings: Findings, state: State) -> list[str]:
    return [str(row) for row in findings.rows if row.state == state]


def test_the_honest_league_is_proven(played: Played) -> None:
    findings = audit(played.bundle, None, played.held, games=played.games)
    assert states(findings, State.REFUTED) == []
    assert states(findings, State.MISSING) == []
    assert findings.status == 0
    assert [row.claim for row in findings.rows if row.state == State.OPEN] == [
        "the league is the one that was pinned"
    ]
    assert "15 of 16 shares" in findings.shown
    pinned = audit(played.bundle, findings.rows[2].detail.split(" ")[-1], games=played.games)
    assert states(pinned, State.OPEN) == []


Edit = Callable[[Entry], Entry | None]


def forged(played: Played, edit: Edit) -> Files:
    """The bundle as a cheating judge would write it: entries changed or dropped, all signed anew."""
    files = dict(read_bundle(played.bundle).known)
    entries = [parse_league_entry(files.pop(name)) for name in sorted(files) if name.endswith(".entry")]
    kept = [changed for entry in entries if (changed := edit(entry)) is not None]
    salts = [files.pop(name) for name in sorted(files) if name.endswith(".salt")]
    sizes = [int(name[12:16]) for name in files if name.startswith("checkpoints/") and name.endswith(".txt")]
    for name in [name for name in files if name.startswith("checkpoints/")]:
        del files[name]
    leaves = []
    for number, entry in enumerate(kept, 1):
        salt = salts[number - 1]
        files[f"log/{number:04d}.entry"], files[f"log/{number:04d}.salt"] = entry.text, salt
        leaves.append(ledger.leaf(salt.decode().strip(), entry.text))
    files["log/leaves"] = "".join(f"{number} {leaf}\n" for number, leaf in enumerate(leaves, 1)).encode()
    heads = ledger.fold("league.cup", leaves)
    for size in {*range(1, len(kept) + 1), *(size for size in sizes if size <= len(kept))}:
        checkpoint = ledger.Checkpoint(game="league.cup", size=size, head=heads[size - 1])
        files[f"checkpoints/{size:04d}.txt"] = checkpoint.text
        files[f"checkpoints/{size:04d}.sig"] = ledger.sign_statement(checkpoint, played.judge)
    return Files(files, ())


def once(kind: type[Entry], change: Callable[[Entry], Entry | None]) -> Edit:
    """Change the first entry of a kind, and no other."""
    done: list[Entry] = []

    def edit(entry: Entry) -> Entry | None:
        if isinstance(entry, kind) and not done:
            done.append(entry)
            return change(entry)
        return entry

    return edit


def swapped(entry: Entry) -> Entry:
    """Two opponents changed between the first two pairings."""
    assert isinstance(entry, Pairings)
    first, second, *rest = entry.pairs
    one = replace(first, seats=(first.seats[0], second.seats[0]))
    two = replace(second, seats=(first.seats[1], second.seats[1]))
    return replace(entry, pairs=(one, two, *rest))


def loaded(entry: Entry) -> Entry:
    """The first lot falls otherwise."""
    assert isinstance(entry, Resolve)
    die, *rest = entry.dice
    return replace(entry, dice=(replace(die, value=die.value % die.sides + 1), *rest))


def hidden_share(entry: Entry) -> Entry:
    """A share that was sent is said to be missing."""
    assert isinstance(entry, Resolve)
    gm, first, *rest = entry.reveals
    return replace(entry, reveals=(gm, *rest), absent=(first.who, *entry.absent))


def forged_entry(entry: Entry) -> Entry:
    """Somebody's rating is another than they signed."""
    assert isinstance(entry, Said)
    made = replace(entry.statement("league.cup"), rating=2_400)
    return Said.of(made, entry.at)


def other_result(entry: Entry) -> Entry:
    assert isinstance(entry, Ended)
    places = tuple((player, 3 - place) for player, place in entry.places)
    return replace(entry, places=places)


def other_side(entry: Entry) -> Entry:
    assert isinstance(entry, Opened)
    one, two = entry.seats
    return replace(entry, seats=(replace(one, side=two.side), replace(two, side=one.side)))


FORGERIES: dict[str, Edit] = {
    "a swapped pairing": once(Pairings, swapped),
    "a loaded lot": once(Resolve, loaded),
    "a share that was left out": once(Resolve, hidden_share),
    "a forged entry": once(Said, forged_entry),
    "a changed result": once(Ended, other_result),
    "sides that nobody bid for": once(Opened, other_side),
}


EXPECTED = {
    "a swapped pairing": "the pairings of round 1: expected",
    "a loaded lot": "the die draw-1/",
    "a share that was left out": "the resolution of exchange 1 is wrong: its mix is",
    "a forged entry": "has seen the head",
    "a changed result": "the result of cup-r1-",
    "sides that nobody bid for": "the sides of cup-r1-1",
}


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forgery_is_found_though_all_is_signed_anew(played: Played, name: str) -> None:
    findings = audit_league(forged(played, FORGERIES[name]), games=read_games(played.games))
    told = " | ".join(states(findings, State.REFUTED))
    assert findings.status == 3
    assert EXPECTED[name] in told, told


def test_writing_all_anew_refutes_nothing_by_itself(played: Played) -> None:
    findings = audit_league(forged(played, lambda entry: entry), games=read_games(played.games))
    assert states(findings, State.REFUTED) == []


def test_of_a_ledger_that_breaks_off_nothing_more_is_claimed(played: Played) -> None:
    """Without its pairings, the rest of it cannot be read: it is refuted, and what was not read is open."""
    findings = audit_league(forged(played, once(Pairings, lambda entry: None)), games=read_games(played.games))
    unread = {row.claim for row in findings.rows if row.detail == "the ledger was not read to its end"}
    assert unread == {league_replay.SENT, league_replay.STEPS, league_replay.DRAWN, league_replay.RESULTS}
    assert any(league_replay.ORDER in one for one in states(findings, State.REFUTED))
    assert not any("follow from the results" in row.claim or "cup-r" in row.claim for row in findings.rows)


def test_a_dropped_file_is_found_by_its_receipt(played: Played) -> None:
    def drop(entry: Entry) -> Entry | None:
        gone = isinstance(entry, Received) and entry.player == "ann" and entry.exchange == 1
        if isinstance(entry, Resolve) and entry.exchange == 1:
            kept = tuple(one for one in entry.reveals if one.who != "ann.1")
            return replace(entry, reveals=kept, absent=(*entry.absent, "ann.1"))
        return None if gone else entry

    findings = audit_league(forged(played, drop), held=played.held)
    told = states(findings, State.REFUTED)
    assert any("had come, and the ledger does not have it" in one for one in told), told


def test_another_release_accuses_nobody(played: Played, monkeypatch: pytest.MonkeyPatch) -> None:
    """What another release draws otherwise is no proof against a judge."""
    other = hashlib.sha256(b"another").hexdigest()

    def older(entry: Entry) -> Entry | None:
        if getattr(entry, "rules", "") == release_hash() and not isinstance(entry, NewRules):
            return replace(entry, rules=other)  # type: ignore[call-arg]
        return swapped(entry) if isinstance(entry, Pairings) and entry.round == 2 else entry

    findings = audit_league(forged(played, older))
    assert any("another release" in one for one in states(findings, State.OPEN))
    del monkeypatch


@pytest.mark.parametrize("name", ["log/0003.entry", "league.toml", "standings.csv", "keys/allowed_signers"])
def test_a_changed_file_is_refuted_and_a_missing_one_is_missing(played: Played, name: str) -> None:
    files = dict(read_bundle(played.bundle).known)
    data = files.pop(name)
    assert audit_league(Files(dict(files), ())).status == 4
    files[name] = data.replace(b"1", b"2", 1)
    assert files[name] != data
    assert audit_league(Files(files, ())).status == 3


def test_the_files_of_a_league_do_not_belong_to_a_game(played: Played) -> None:
    from pbem.audit.all_claims import audit_files

    game = next(iter(read_games(played.games).values()))
    assert audit_files(game).status == 0
    assert audit_files(Files({**game.known, "standings.csv": b""}, ())).status == 3
