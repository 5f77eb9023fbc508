"""Compares the results of a league with the bundles of its games."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from pbem.audit.bundle import GENESIS, Files, read_bundle
from pbem.audit.fairness import DRAWN_LATER
from pbem.audit.findings import Finding, Findings, Missing, OtherRules, Refuted, State, Unprovable
from pbem.audit.game import audit_files
from pbem.audit.held_papers import KEPT
from pbem.audit.league_record import Record
from pbem.audit.league_replay import GameDue, Replay
from pbem.audit.replay import PUBLIC
from pbem.characters import split_lines
from pbem.errors import PbemError
from pbem.leagues.entries import BY_COUNT, Ended, Opened
from pbem.leagues.model import Ending
from pbem.leagues.standings import count_names, counts_of, places_by_count
from pbem.play.adjudicate import setting_of
from pbem.play.history import History
from pbem.play.outcome import game_places
from pbem.play.pinned import rules_hash
from pbem.reports.packing import unpack_view
from pbem.rules.base import View
from pbem.trust import ledger
from pbem.trust.act_entries import is_forfeit
from pbem.trust.entries import GAME_OPTION, Close, Enrolled, Entry, Genesis, Other
from pbem.trust.ledger import parse_entry
from pbem.trust.rotations import Rotation


class GameBundles(Mapping[str, Files]):
    """The bundles of games in a folder, by the names of the games; each bundle is read when it is needed."""

    def __init__(self, folder: Path) -> None:
        self._paths: dict[str, Path] = {}
        for path in sorted(folder.iterdir()):
            if path.is_dir() or path.name.endswith(".tar.gz"):
                genesis = read_bundle(path).get(GENESIS) or b""
                first = genesis.decode("utf-8", errors="replace").split("\n")[0]
                if first.startswith("genesis "):
                    self._paths[first.removeprefix("genesis ")] = path

    def __getitem__(self, name: str) -> Files:
        return read_bundle(self._paths[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._paths)

    def __len__(self) -> int:
        return len(self._paths)


def game_ends(games: Mapping[str, Files]) -> dict[str, datetime]:
    """Return the times at which games were over, by the last dated entry of their bundles before the end."""
    found = {}
    for name, files in games.items():
        with suppress(PbemError, KeyError, ValueError):  # what cannot be read is told by itself
            *before, last = (entry for _, entry in sorted(_entries(files).items()))
            dated = [at for one in before if (at := getattr(one, "at", None)) is not None]
            if isinstance(last, Other) and last.word == "over" and dated:
                found[name] = dated[-1]
    return found


def game_seats(games: Mapping[str, Files]) -> dict[str, dict[str, datetime]]:
    """Return, for each game, the people who have taken a seat and when, by the games' bundles."""
    found = {}
    for name, files in games.items():
        with suppress(PbemError, KeyError, ValueError):  # what cannot be read is told by itself
            entries = _entries(files).values()
            found[name] = {one.person: one.at for one in entries if isinstance(one, Rotation) and one.person}
    return found


def check_games(record: Record, replay: Replay, games: Mapping[str, Files], findings: Findings) -> None:
    """Check the claims that each result that was taken from a game agrees with the game's ledger."""
    opened = {entry.game: entry for entry in record.entries if isinstance(entry, Opened)}
    results = [entry for entry in record.entries if isinstance(entry, Ended) and entry.game is not None]
    lacking = sorted(opened.keys() - games.keys())
    for name in sorted(opened.keys() & games.keys()):
        files = games[name]
        checked = audit_files(files, opened[name].head)
        with findings.claim(f"{name} is the game that was opened, and its result is that of its ledger"):
            own = [one for one in results if one.game and one.game.game == name]
            _check_game(replay, opened[name], own, files, checked)
        _inherit(name, checked, findings)
    if lacking:
        with findings.claim("every result is that of its game"):
            more = f" and {len(lacking) - 1} more" if len(lacking) > 1 else ""
            raise Unprovable(f"the bundles of {lacking[0]}{more} were not given (--games)")


def gaps(checked: Findings) -> list[Finding]:
    """Return the findings that leave something open in the audit of a game: what is missing, else unproven.

    That nobody's papers were compared, and that a league's draw is shown elsewhere, leaves nothing open.
    """
    state = State.MISSING if checked.holds(State.MISSING) else State.OPEN
    return [row for row in checked.rows if row.state == state and row.claim not in (KEPT, DRAWN_LATER)]


def _inherit(game: str, checked: Findings, findings: Findings) -> None:
    """Add to the league's findings whatever is missing or open in the audit of a game."""
    lack: type[Exception] = OtherRules if checked.other_rules else Unprovable
    if checked.holds(State.MISSING):
        lack = Missing
    if rows := gaps(checked):
        more = f", and {len(rows) - 1} more" if len(rows) > 1 else ""
        with findings.claim(f"everything that the audit of {game} checks is shown"):
            raise lack(f"{rows[0].claim}: {rows[0].detail}{more}")


def _check_game(
    replay: Replay, opened: Opened, results: list[Ended], files: Files, checked: Findings
) -> None:
    if checked.is_refuted:
        raise Refuted(f"the bundle of {opened.game} is refuted: {checked.shown}")
    entries = _entries(files)
    leaves = [line.split(" ")[1] for line in split_lines(files.known_files["log/leaves"].decode())]
    heads = ledger.fold(opened.game, leaves)
    if heads[0] != opened.head:
        raise Refuted(f"the first head of {opened.game}", opened.head, heads[0])
    genesis = entries[1]
    assert isinstance(genesis, Genesis), "it was audited"
    if opened.game not in replay.games:
        raise Unprovable(f"who should play {opened.game} could not be worked out from the league's ledger")
    _check_begun(replay, genesis, replay.games[opened.game])
    for entry in results:
        assert entry.game is not None
        if entry.game.size > len(heads) or heads[entry.game.size - 1] != entry.game.head:
            raise Refuted(f"the head of {opened.game} at {entry.game.size}", entry.game.head)
        _check_result(replay, opened, entry, entries, files)


def _entries(files: Files) -> dict[int, Entry]:
    """Return the entries of a game's bundle that can be opened, by number."""
    names = sorted(name for name in files.known_files if name.endswith(".entry"))
    return {int(name[4:-6]): parse_entry(files.known_files[name]) for name in names}


def _check_result(
    replay: Replay, opened: Opened, result: Ended, entries: Mapping[int, Entry], files: Files
) -> None:
    """Check that a result is the end of its game, or its title's count at the last date."""
    assert result.game is not None
    genesis = entries[1]
    assert isinstance(genesis, Genesis)
    history = History(genesis)
    for number in range(2, result.game.size + 1):
        history.add(entries.get(number))
    title = setting_of(genesis).title.name
    view = _last_view(title, history, files, opened.game)
    seats = {seat.side: seat.player for seat in opened.seats}
    ending, placed = Ending.ADJUDICATED, None
    if result.by == BY_COUNT:
        for number, entry in entries.items():
            if number > result.game.size and isinstance(entry, Close) and entry.at and entry.at < result.at:
                raise Refuted(f"{opened.game} had gone on to entry {number} when it was counted")
        found = places_by_count(title, view, replay.record.file.count) if view is not None else None
        placed = {seats[side]: place for side, place in found or ()}
    else:
        placed = dict(game_places(entries[result.game.size], seats))
        ending = Ending.FORFEITED if is_forfeit(history.ended_by) else Ending.PLAYED
    if (placed, ending) != (dict(result.places), result.ending):
        raise Refuted(f"the result of {opened.game}", (ending, placed), (result.ending, dict(result.places)))
    counted = counts_of(title, view) if view is not None else ()
    if counted != result.counts:
        replay.blame(f"what is counted in {opened.game}: expected {counted}, found {result.counts}")


def _last_view(title: str, history: History, files: Files, game: str) -> View | None:
    """Return the public's view in its last report, to which the ledger commits; None before one."""
    resolved = history.resolved
    reported = resolved[-1].reported if resolved else ()
    if not count_names(title) or not any(entry.audience == PUBLIC for entry in reported):
        return None
    name = f"reports/{PUBLIC}/{resolved[-1].number:04d}.txt"
    report = files.get(name)
    if report is None:
        raise Missing(f"{name} of {game} is missing")
    return unpack_view(report.decode())


def _check_begun(replay: Replay, genesis: Genesis, due: GameDue) -> None:
    """Check that a game has the players, keys, sides, shares, title and options that its league fixes."""
    found, expected = dict(genesis.options), dict(due.options)
    judge = replay.season.genesis.gm
    if genesis.gm != judge:
        raise Refuted(f"the judge of {genesis.game}", judge, genesis.gm)
    if found.get(GAME_OPTION) != expected[GAME_OPTION]:
        raise Refuted(f"the title of {genesis.game}", expected[GAME_OPTION], found.get(GAME_OPTION))
    if genesis.official is not None:
        raise Refuted(f"{genesis.game} has an official, {genesis.official[0]}; a league's game has none")
    _check_fixed(genesis, due)
    for side in sorted({player.side for player in (*due.players, *genesis.players)}):
        fixed, seated = (
            _seat([seat for seat in seats if seat.side == side]) for seats in (due.players, genesis.players)
        )
        if fixed != seated:
            replay.blame(f"the seat of {side} in {genesis.game}: expected {fixed}, found {seated}")
    if genesis.mode != due.mode:
        replay.blame(f"the mode of {genesis.game}: expected {due.mode}, found {genesis.mode}")
    for name in dict.fromkeys((*expected, *found)):
        wanted, has = expected.get(name), found.get(name)
        if wanted == has:
            continue
        if name not in due.named and genesis.rules != rules_hash(expected[GAME_OPTION]):
            raise OtherRules(f"the option {name} of {genesis.game} is not what this release gives it")
        replay.blame(f"the option {name} of {genesis.game}: expected {wanted}, found {has}")
    if genesis.exchanges != due.exchanges:
        told = f"expected {due.exchanges}, found {genesis.exchanges}"
        replay.blame(f"the number of exchanges of {genesis.game}: {told}")


def _check_fixed(genesis: Genesis, due: GameDue) -> None:
    """Check that the judge's chains in a game are those that the call fixed before anybody answered."""
    if genesis.drawn != due.drawn:
        raise Refuted(f"where the chains of {genesis.game} come from", due.drawn, genesis.drawn)
    if (genesis.anchor, genesis.secret_anchor) != due.anchors:
        raise Refuted(f"the judge's anchors in {genesis.game} are not those that its call has fixed")


def _seat(found: list[Enrolled]) -> str:
    """Return a line that describes a seat of a game, as the game's genesis has it, to compare it."""
    return (
        "; ".join(
            f"{one.name} with the key {one.fingerprint}, "
            + (
                f"chain {one.chain}, {one.anchor}, and the step {one.share} of its call"
                if one.anchor
                else "no share in the dice"
            )
            + (f", recovery key {one.recovery}" if one.recovery else "")
            for one in found
        )
        or "nobody"
    )
