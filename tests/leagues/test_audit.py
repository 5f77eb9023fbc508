"""A league's bundle: the honest one is proven, and whatever a judge or a stranger may change is found."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from shutil import copy2
from typing import Any

import pytest

from pbem.audit import audit, leagues
from pbem.audit.bundle import Files, read_bundle
from pbem.audit.findings import Findings, State
from pbem.audit.leagues import GameBundles, audit_league
from pbem.judge.acts import act
from pbem.judge.club import create_club, open_club
from pbem.judge.export import export as export_game
from pbem.judge.leagues.export import export
from pbem.judge.newgame import Brought, new_game
from pbem.leagues.calls import seating_of
from pbem.leagues.entries import (
    Ended,
    Finished,
    GameAt,
    LeagueGenesis,
    Opened,
    Pairings,
    Said,
    parse_league_entry,
)
from pbem.leagues.statements import WITHDRAW
from pbem.rules import load
from pbem.trust import keys
from pbem.trust.act_entries import CONCEDE, Consent, sign_consent
from pbem.trust.entries import Entry, Open, Received, Resolve
from pbem.trust.player_statements import Join
from pbem.trust.proof import ONCE
from tests.judge.table import Clock
from tests.leagues.forging import (
    Edit,
    forged_entry,
    hidden_share,
    loaded,
    other_result,
    other_side,
    rewritten,
    swapped,
)
from tests.leagues.world import (
    Called,
    World,
    file_of,
    key_of,
    league_chain,
    make_world,
    play_round,
    sent_chain,
)

pytestmark = pytest.mark.ci


@dataclass
class Played:
    """A league that is over: its bundle, its games' bundles, the judge's key, and what a player kept."""

    bundle: Path
    games: Path
    held: Path
    judge: keys.PrivateKey


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Played:
    return play_cup(tmp_path_factory.mktemp("league"))


def play_cup(folder: Path) -> Played:
    """Four in a Swiss of two rounds with bids; one of them leaves out a share."""
    world = make_world(folder, file_of("swiss", more='[sides]\nby = "bids"'))
    with closing(world.club.store):
        world.enter("ann", "ben", "cat", "dan")
        world.after(31)
        world.answer(["ann", "ben", "cat"])
        world.after(6)
        world.seat()
        world.end_games()
        play_round(world)
        assert world.book.season.is_over
        found = Played(folder / "bundle", folder / "games", folder / "held", world.club.key)
        export(world.club, "cup", found.bundle)
        found.games.mkdir()
        for game in (entry.game for entry in world.book.entries if isinstance(entry, Opened)):
            export_game(world.club, game, "public", found.games / game)
        _keep_receipts(world, found.held)
    return found


def _keep_receipts(world: World, held: Path) -> None:
    """Ann's receipts, opened with her key."""
    from pbem.trust.armor import find_sealed
    from pbem.trust.sealing import open_sealed

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
    left_open = [row.claim for row in findings.rows if row.state == State.OPEN]
    of_games = [
        f"everything that the audit of cup-r{number} checks is shown"
        for number in ("1-1", "1-2", "2-1", "2-2")
    ]
    assert left_open == ["the league is the one whose first head was given", *of_games], (
        "public bundles of games are beside it"
    )
    assert "15 of 16 shares" in findings.shown
    pinned = audit(played.bundle, findings.rows[2].detail.split(" ")[-1], games=played.games)
    assert len(states(pinned, State.OPEN)) == len(of_games)


def forged(played: Played, edit: Edit) -> Files:
    """The bundle as a cheating judge would write it: entries changed or dropped, all signed anew."""
    return rewritten(read_bundle(played.bundle).known_files, played.judge, edit)


def once(kind: type[Entry], change: Callable[[Entry], Entry | None]) -> Edit:
    """Change the first entry of a kind, and no other."""
    done: list[Entry] = []

    def edit(entry: Entry) -> Entry | None:
        if isinstance(entry, LeagueGenesis):  # another ledger is gone through
            done.clear()
        if isinstance(entry, kind) and not done:
            done.append(entry)
            return change(entry)
        return entry

    return edit


def other_bids(entry: Entry) -> Entry:
    """A bid that nobody sent, from which the same sides and options follow."""
    assert isinstance(entry, Opened)
    return replace(entry, bids=((entry.seats[0].player, "e3"),))


def promoted(entry: Entry) -> Entry:
    assert isinstance(entry, Finished)
    return replace(entry, moves=(("ann", "up"),))


def more_fixed(entry: Entry) -> Entry:
    """The judge's part in one game more, from which they could have chosen after the draw."""
    if isinstance(entry, Open) and (seating := seating_of(entry)) is not None:
        more = replace(seating, games=(*seating.games, seating.games[-1]))
        return replace(entry, extra=(entry.extra[0], *more.lines))
    return entry


def more_asked(entry: Entry) -> Entry:
    """Everybody is asked for one chain more, from which the judge could have chosen."""
    if isinstance(entry, Open) and (seating := seating_of(entry)) is not None:
        return replace(entry, extra=(entry.extra[0], *replace(seating, chains=seating.chains + 1).lines))
    return entry


FORGERIES: dict[str, Edit] = {
    "one game more is fixed": more_fixed,
    "one chain more is asked for": more_asked,
    "somebody who goes up": once(Finished, promoted),
    "a swapped pairing": once(Pairings, swapped),
    "a loaded lot": once(Resolve, loaded),
    "a share that was left out": once(Resolve, hidden_share),
    "a forged entry": once(Said, forged_entry),
    "a changed result": once(Ended, other_result),
    "sides that nobody bid for": once(Opened, other_side),
    "a bid that nobody sent": once(Opened, other_bids),
}


EXPECTED = {
    "one game more is fixed": "part in 2 games, and 1 chains of each, not a call for seats of round 1 to ",
    "one chain more is asked for": "in 2 games, and 2 chains of each",
    "somebody who goes up": "who goes up or down: expected (), found",
    "a swapped pairing": "the pairings of round 1: expected",
    "a loaded lot": "the die draw-1/",
    "a share that was left out": "who contributed to exchange 1: ann is left out, whose file was received",
    "a forged entry": "has seen the head",
    "a changed result": "the result of cup-r1-",
    "sides that nobody bid for": "the sides of cup-r1-1",
    "a bid that nobody sent": "the bids of cup-r1-1 are not those that were sent",
}


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forgery_is_found_though_all_is_signed_anew(played: Played, name: str) -> None:
    findings = audit_league(forged(played, FORGERIES[name]), games=GameBundles(played.games))
    told = " | ".join(states(findings, State.REFUTED))
    assert findings.status == 3
    assert EXPECTED[name] in told, told


def test_writing_all_anew_refutes_nothing_by_itself(played: Played) -> None:
    findings = audit_league(forged(played, lambda entry: entry), games=GameBundles(played.games))
    assert states(findings, State.REFUTED) == []


def test_a_dropped_file_is_found_by_its_receipt(played: Played) -> None:
    def drop(entry: Entry) -> Entry | None:
        gone = isinstance(entry, Received) and entry.player == "ann" and entry.exchange == 1
        if isinstance(entry, Resolve) and entry.exchange == 1:
            kept = tuple(one for one in entry.reveals if one.who != "ann.1")
            return replace(entry, reveals=kept, absent=(*entry.absent, "ann.1"))
        return None if gone else entry

    findings = audit_league(forged(played, drop), held=played.held)
    told = states(findings, State.REFUTED)
    assert any("the ledger has not received them" in one for one in told), told


def test_a_file_that_is_entered_twice_is_found(played: Played) -> None:
    """The judge cannot use up what somebody may send, nor let a file answer two calls."""
    first: list[str] = []

    def again(entry: Entry) -> Entry | None:
        if isinstance(entry, Received) and entry.player == "ann":
            first.append(entry.sealed)
            return replace(entry, sealed=first[0])
        return entry

    refuted = {row.claim: row.detail for row in audit_league(forged(played, again)).rows}
    assert f"sealed/{first[0]}.age, received in exchange 2, was received before" in refuted[ONCE]


Opening = dict[str, Any]

OTHER_GAMES: dict[str, tuple[Opening, str]] = {
    "a friend in somebody's seat": ({"player": "zoe"}, "the seat of .*, found zoe with the key"),
    "seats that were swapped": ({"swapped": True}, "the seat of .*: expected .* found "),
    "a key of the judge's own": ({"key": "zoe"}, "the seat of .* with the key .* with the key"),
    "a share that was left out": ({"bare": True}, "the seat of .*, found .* no share in the dice"),
    "a recovery key": ({"recovery": "zoe"}, "the seat of .*, recovery key SHA256"),
    "another title": ({"title": "first-war"}, "the title of .*hammer.*first-war"),
    "another scenario": (
        {"options": {"scenario": "the-bruce"}},
        "the option scenario of .*braveheart.*the-bruce",
    ),
    "another house rule": ({"options": {"final_winter": False}}, "the option final_winter of .*true.*false"),
    "another way to make dice": ({"mode": "after-close"}, "the mode of .*with-orders.*after-close"),
    "a game that may end early": ({"exchanges": 40}, "the number of exchanges of .*found 40"),
    "another judge": ({"judge": True}, "the judge of .*: expected SHA256:.*, found SHA256:"),
    "another chain of the judge's own": ({"anchors": True}, "the judge's anchors in .* are not those that"),
    "chains of another call": ({"call": 1}, "where the chains of .*league.cup"),
    "another chain of a player's": ({"chain": 2}, "the seat of .*, chain 1, .*, chain 2, "),
    "another step of a player's": ({"share": 1}, "the seat of .*, and the step .* of its call, found "),
    "an official": ({"official": "zoe"}, "has an official, zoe; a league.s game has none"),
}


def instead(played: Played, folder: Path, opening: Opening) -> tuple[Files, Files]:
    """The league with another game under its first one's name, of the same judge and result."""
    known = sorted(read_bundle(played.bundle).known_files.items())
    entries = [parse_league_entry(data) for name, data in known if name.endswith(".entry")]
    opened = next(one for one in entries if isinstance(one, Opened))
    ended = next(
        one for one in entries if isinstance(one, Ended) and (one.round, one.pairing) == opened.about
    )
    loser = next(player for player, place in ended.places if place == 2)
    for name in ("club", "other"):
        create_club(folder / name, "test").store.close()
    for name in () if "judge" in opening else ("gm", "gm.pub", "master"):
        copy2(played.bundle.parent / "club" / "keys" / name, folder / "club" / "keys" / name)
    club = open_club(folder / "club", Clock(opened.at))
    title, taken = opening.get("title", "hammer"), {}
    sent: dict[str, tuple[int, str, str]] = {}
    sides = load(title).sides(load(title).checked({}))
    seated = sorted(opened.seats, key=lambda one: one.side, reverse="swapped" in opening)
    for side, seat in zip(sides, seated, strict=True):
        changed = opening if seat.player == loser else {}
        name = changed.get("player", seat.player)
        key = key_of(changed.get("key", name))
        club.add_player(name, key.public)
        number = changed.get("chain", 1)
        chain = sent_chain("league.cup", opening.get("call", 2), name, number)
        if "bare" not in changed:
            share = league_chain("league.cup", name).reveal(changed.get("share", 2))
            sent[name] = (number, chain.anchor, share)
        recovery = key_of("spare").public.fingerprint if "recovery" in changed else None
        taken[side] = Join(game=opened.game, player=name, key=key.public, recovery=recovery)
        if seat.player == loser:
            signer = key
    if "official" in opening:
        club.add_player("zoe", key_of("zoe").public)
    options = {} if "title" in opening else {"scenario": "braveheart", **opening.get("options", {})}
    terms = {key: opening[key] for key in ("mode", "exchanges", "official") if key in opening}
    if "anchors" in opening:  # of a master that the judge has taken after the answers
        (club.path / "keys" / "master").write_bytes((folder / "other" / "keys" / "master").read_bytes())
        club.store.close()
        club = open_club(folder / "club", Clock(opened.at))
    brought = Brought("league.cup", opening.get("call", 2), sent)
    new_game(club, opened.game, title, options, taken, brought=brought, **terms)
    by = opening.get("player", loser)
    first = str(club.book(opened.game).head_at(1))
    to = f"{CONCEDE} {by}"
    consent = Consent(game=opened.game, genesis=first, seen=(1, first), exchange=2, by=by, to=to)
    given_up = sign_consent(consent, signer)
    act(club, opened.game, CONCEDE, by, reason="the game is lost", consents=[given_up])
    book = club.book(opened.game)
    export_game(club, opened.game, "public", folder / "game")
    head, at = book.head_at(1), GameAt(opened.game, book.size, book.head)
    assert head is not None
    club.store.close()

    def edit(entry: Entry) -> Entry:
        if entry == opened:
            return replace(opened, head=head)
        return replace(ended, game=at) if entry == ended else entry

    return forged(played, edit), read_bundle(folder / "game")


def checked_instead(played: Played, folder: Path, opening: Opening) -> str:
    """What the audit says of the first game, when another one is handed in for it."""
    league, game = instead(played, folder, opening)
    findings = audit_league(league, games={**GameBundles(played.games), "cup-r1-1": game})
    (row,) = [row for row in findings.rows if row.claim.startswith("cup-r1-1 ")]
    return f"{row.state}: {row.detail}"


def test_a_substitute_who_came_before_the_game_was_opened_plays_it(tmp_path: Path, called: Called) -> None:
    """Its genesis names them, its pairing whom they play for; the result is told by the pairing."""
    world = called(file_of("swiss", count=1), "ann", "ben")
    world.answer(["ben"])
    world.say("ann", WITHDRAW)
    world.admit("sue", "ann")
    world.after(6)
    world.concede("cup-r1-1", "ben")
    world.run()
    assert world.book.season.is_over
    export(world.club, "cup", tmp_path / "bundle")
    export_game(world.club, "cup-r1-1", "public", tmp_path / "games" / "cup-r1-1")
    findings = audit_league(read_bundle(tmp_path / "bundle"), games=GameBundles(tmp_path / "games"))
    assert findings.status == 0
    assert any(row.claim.startswith("cup-r1-1 ") and row.state == State.PROVEN for row in findings.rows)


def test_a_game_opened_just_so_is_the_leagues_own(played: Played, tmp_path: Path) -> None:
    assert checked_instead(played, tmp_path, {}) == "proven: "


@pytest.mark.parametrize("name", OTHER_GAMES)
def test_another_game_under_its_name_is_found(played: Played, tmp_path: Path, name: str) -> None:
    """Played by others or by other options, and handed in as that of the pairing."""
    opening, told = OTHER_GAMES[name]
    assert re.match(f"refuted: .*{told}", said := checked_instead(played, tmp_path, opening)), said


@pytest.mark.parametrize(
    ("option", "value", "state"), [("scenario", "the-bruce", "refuted"), ("final_winter", False, "open")]
)
def test_what_another_release_of_the_game_leaves_open(
    played: Played, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, option: str, value: object, state: str
) -> None:
    """Its own defaults accuse nobody; what the league's file names is so in every release."""
    monkeypatch.setattr(leagues, "rules_hash", lambda _: "0" * 64)
    said = checked_instead(played, tmp_path, {"options": {option: value}})
    assert said.startswith(f"{state}: the option {option} of cup-r1-1"), said


def test_a_file_of_a_call_that_is_missing_accuses_nobody(played: Played) -> None:
    """A share and a bid that cannot be read are neither made up nor left out."""
    known = dict(read_bundle(played.bundle).known_files)
    sealed = next(name for name in sorted(known) if name.startswith("sealed/"))
    for name in ("keys/exchange-1.ann.agekey", "keys/exchange-2.ann.agekey", "mix/2.txt", sealed):
        findings = audit_league(Files({one: known[one] for one in known if one != name}, ()))
        assert findings.status == 4, (name, states(findings, State.REFUTED))


def test_the_files_of_a_league_do_not_belong_to_a_game(played: Played) -> None:
    from pbem.audit.game import audit_files

    game = next(iter(GameBundles(played.games).values()))
    assert audit_files(game).status == 0
    assert audit_files(Files({**game.known_files, "standings.csv": b""}, ())).status == 3
