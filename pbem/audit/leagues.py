"""Checks a league's bundle offline, alone or with the bundles of its games.

The ledger is read once, entry by entry, as the season it tells; before each entry is taken in, it is held
against what the entries before it, the files that were sent and the joint dice give.

Its results are compared with the bundles of its games.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from functools import partial
from pathlib import Path

from pbem.audit.bundle import GENESIS, LEAGUE_FIRST, Files, read_bundle
from pbem.audit.evidence import Record, check_format, check_head, read_record
from pbem.audit.fairness import DRAWN_LATER
from pbem.audit.findings import (
    Finding,
    Findings,
    Missing,
    OtherRules,
    Refuted,
    State,
    Unprovable,
    compare_text,
)
from pbem.audit.game import audit_files
from pbem.audit.league_replay import GameDue, Replay
from pbem.audit.papers import KEPT, BundleFacts, check_held
from pbem.audit.replay import PUBLIC
from pbem.characters import split_lines
from pbem.errors import PbemError
from pbem.leagues import results_table
from pbem.leagues.calls import Keys
from pbem.leagues.config import LeagueFile
from pbem.leagues.earlier_results import CARRIED, Carried
from pbem.leagues.entries import BY_COUNT, CANCEL, Ended, Finished, Opened, Ruled, Said, parse_league_entry
from pbem.leagues.model import Ending, PreviousSeason
from pbem.leagues.season import Season
from pbem.leagues.standings import count_names, counts_of, places_by_count
from pbem.leagues.statements import read_statement
from pbem.play.adjudicate import game_places, setting_of
from pbem.play.history import History
from pbem.play.setting import rules_hash
from pbem.reports.packing import unpack_view
from pbem.rules.base import View
from pbem.trust import keys, ledger, sealing, signature
from pbem.trust.act_entries import is_forfeit
from pbem.trust.entries import GAME_OPTION, Close, Enrolled, Entry, Genesis, Open, Other, Received, Refused
from pbem.trust.faults import LedgerFault
from pbem.trust.identifiers import JUDGE_NAMESPACES, PLAYER_NAMESPACES, Namespace
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


def is_league(files: Files) -> bool:
    """Tell whether files are those of a league's bundle."""
    return (files.get("log/0001.entry") or b"").startswith(LEAGUE_FIRST)


def audit_league(
    files: Files,
    genesis: str | None = None,
    held: Path | None = None,
    games: Mapping[str, Files] | None = None,
    last: Sequence[Files] = (),
) -> Findings:
    """Return the findings of an audit of a league's bundle.

    `games`: the bundles of its games, by name; `last`: those of earlier seasons whose results it takes over.
    """
    check_format(files, parse_league_entry)
    findings = Findings()
    record = read_record(files, findings)
    if record is None:
        findings.shown = (
            "this shows that this copy is not what an honest judge writes; the rest was not checked"
        )
        return findings
    with findings.claim("the league is the one whose first head was given"):
        if genesis is None:
            raise Unprovable(f"no head was given to compare it with; it is {record.heads[0]}")
        if record.heads[0] != genesis:
            raise Refuted("the first head", genesis, record.heads[0])
    _check_keys(record, findings)
    _check_heads(record, findings)
    if record.file.last:
        with findings.claim("what comes from earlier seasons is what they ended with"):
            if taken_over(record.file, last).text != record.carried.text:
                raise Refuted(f"{CARRIED} is not what the earlier seasons ended with")
    _check_papers(record, findings)
    replay = Replay(record, game_ends(games or {}), game_seats(games or {}))
    replay.run(findings)
    if replay.whole:
        _check_files(record, replay, findings)
        _check_tables(record, replay, findings)
        check_games(record, replay, games or {}, findings)
    if held is not None:
        check_held(findings, _bundle_facts(record), held)
    findings.shown = _render_findings(findings, record, replay)
    return findings


def taken_over(file: LeagueFile, bundles: Sequence[Files]) -> Carried:
    """Return the results that a league takes over, by the audited bundles of the seasons in its file.

    Raises:
        Unprovable: the bundle of one season is not there, or the season goes on.
        Missing, OtherRules, Refuted: the audit of one season says so.
    """
    seasons = [_season_before(one, bundles) for one in file.last]
    return results_table.carry(seasons, game=file.rules, rank=file.rank)


def _season_before(one: PreviousSeason, bundles: Sequence[Files]) -> Season:
    for files in bundles:
        record = read_record(files, Findings()) if is_league(files) else None
        if record is not None and record.heads[0] == one.genesis:
            break
    else:
        raise Unprovable(f"the bundle of {one.name} was not given (--last)")
    season = Season(record.genesis, record.file, record.heads[0], record.carried)
    for entry in record.entries[1:]:
        season.add(entry)
    if season.end_entry is None:
        raise Unprovable(f"in its bundle {record.file.name} is not over, so it does not show its end")
    if (record.file.name, record.heads[-1]) != (one.name, one.end):
        raise Refuted("the season before", one.text, f"{record.file.name}, which ends at {record.heads[-1]}")
    found = audit_league(files, one.genesis, last=bundles)
    for state, lack in ((State.REFUTED, Refuted), (State.MISSING, Missing)):
        for row in found.rows:
            if row.state is state:
                raise lack(f"{one.name}: {row.claim}: {row.detail}")
    if found.other_rules:
        raise OtherRules(f"another release ran {one.name}, so this one does not show its end")
    return season


def _check_keys(record: Record, findings: Findings) -> None:
    with findings.claim("the keys are those of the entries"):
        data = record.files.get("keys/allowed_signers")
        if data is None:
            raise Missing("keys/allowed_signers is missing")
        found, people = set[tuple[str, str]](), dict(record.genesis.people)
        for signer in keys.parse_signers(data.decode("ascii", errors="replace")):
            if signer.key.fingerprint == people.get(signer.name, signer.key.fingerprint):
                record.signers[signer.name] = signer.key
            found.add((signer.name, signer.key.fingerprint))
            expected = JUDGE_NAMESPACES if signer.name == "gm" else PLAYER_NAMESPACES
            if signer.namespaces != expected or signer.game != record.genesis.game:
                raise Refuted(f"the line of {signer.name} in keys/allowed_signers is not as it must be")
        named = {("gm", record.genesis.gm), *record.genesis.people}
        for entry in record.entries:
            if isinstance(entry, Said) and (key := entry.statement(record.genesis.game).key) is not None:
                named.add((entry.player, key.fingerprint))
        if beyond := sorted(found - named):
            name, fingerprint = beyond[0]
            due = [key for one, key in sorted(named) if one == name]
            raise Refuted(f"the key of {name}", " or ".join(due) or "nobody", fingerprint)
        if named - found:
            raise Missing(f"a key of {min(named - found)[0]} is missing")


def _check_heads(record: Record, findings: Findings) -> None:
    """Check the claims that the judge signed every head in the bundle, and the last covers all entries."""
    judge, sizes = record.signers.get("gm"), sorted(record.checkpoints())
    with findings.claim("every checkpoint is signed by the judge and fits the log"):
        if judge is None:
            raise Unprovable("the judge's key is not known")
        for size in sizes:
            name = f"checkpoints/{size:04d}"
            armor = record.files.get(f"{name}.sig")
            if armor is None:
                raise Missing(f"{name}.sig is missing")
            check_head(
                record.genesis.game,
                record.heads,
                size,
                (record.files.known_files[f"{name}.txt"], armor),
                judge,
            )
    with findings.claim("a signed head covers every entry"):
        due = [number for number, entry in enumerate(record.entries, 1) if isinstance(entry, Open | Finished)]
        if lacking := [number for number in due if number not in sizes]:
            raise Missing(f"the checkpoint at entry {lacking[0]} is missing")
        if not sizes or sizes[-1] < len(record.entries):
            raise Unprovable(f"no signed head covers entries after {sizes[-1] if sizes else 0} yet")


def _check_papers(record: Record, findings: Findings) -> None:
    """Check the claim that each statement was signed by the person who is said to have made it."""
    with findings.claim("everything that was said is signed by who said it"):
        people = dict(record.genesis.people)
        counting = Keys({name: key.line for name, key in record.signers.items() if name in people})
        said = [entry for entry in record.entries if isinstance(entry, Said)]
        for entry in record.entries:
            if not isinstance(entry, Said):
                counting.take(entry, record.genesis.game)
                continue
            body = record.files.get(f"papers/{entry.sha256}.txt")
            armor = record.files.get(f"papers/{entry.sha256}.sig")
            if body is None or armor is None:
                raise Missing(f"papers/{entry.sha256} of {entry.player} is missing")
            statement = entry.statement(record.genesis.game)
            if body != statement.text or read_statement(body + armor).statement != statement:
                raise Refuted(f"papers/{entry.sha256}.txt is not what the entry of {entry.player} says")
            counting.say(statement)
            if entry.player not in counting.current_keys:
                raise Missing(f"the key of {entry.player} is missing")
            key = statement.key or keys.parse_public(counting.current_keys[entry.player])
            signature.verify(armor, body, Namespace.ORDERS, key)
        names = {entry.sha256 for entry in said}
        for name in record.files.known_files:
            if name.startswith("papers/") and name[7:71] not in names:
                raise Refuted(f"no entry has the hash of {name}")


def _check_files(record: Record, replay: Replay, findings: Findings) -> None:
    """Check the claims that resolved calls have their seal keys, and that entries account for every file.

    Who sent nothing has a seal key too: a copy that they kept must open with it.
    """
    seals = {
        f"keys/exchange-{call.number}.{player}.agekey": recipient
        for call in replay.season.calls
        if call.resolved is not None
        for player, recipient in call.opened.seals
    }
    with findings.claim("every call that is resolved has its seal keys, as it named them"):
        for name, recipient in seals.items():
            data = record.files.get(name)
            if data is None:
                raise Missing(f"{name} is missing")
            identity = data.decode("ascii", errors="replace").removesuffix("\n")
            if data != f"{identity}\n".encode() or sealing.recipient_of(identity) != recipient:
                raise Refuted(f"{name} is not the key that was asked for")
    with findings.claim("every file in the bundle belongs to its ledger"):
        due = {"log/leaves", "league.toml", "keys/allowed_signers", "standings.csv", "ratings.csv", *seals}
        due |= {f"mix/{call.number}.txt" for call in replay.season.calls if call.resolved is not None}
        due |= {f"sealed/{one.sealed}.age" for one in record.entries if isinstance(one, Received | Refused)}
        due |= {f"checkpoints/{size:04d}.{kind}" for size in record.checkpoints() for kind in ("txt", "sig")}
        due |= {CARRIED} if record.carried.people else set()
        for number in range(1, len(record.entries) + 1):
            due |= {f"log/{number:04d}.entry", f"log/{number:04d}.salt"}
        for name in sorted(record.files.known_files.keys() - due):
            if not name.startswith("papers/"):  # which are held against the entries by themselves
                raise Refuted(f"{name} belongs to no entry")


def _check_tables(record: Record, replay: Replay, findings: Findings) -> None:
    """Check the claims that the tables of a league follow from the results."""
    season = replay.season
    tables = {"standings": results_table.standings_csv(season), "ratings": results_table.ratings_csv(season)}
    for name, expected in tables.items():
        with findings.claim(f"the {name} follow from the results"):
            data = record.files.get(f"{name}.csv")
            if data is None:
                raise Missing(f"{name}.csv is missing")
            replay.by_release(partial(compare_text, f"{name}.csv", expected.decode(), data))
            if season.end_entry is not None and results_table.sha256(expected) != getattr(
                season.end_entry, name
            ):
                replay.blame(f"{name}.csv is not what the last entry of the ledger names")
    if season.end_entry is not None and (season.end_entry.moves or season.file.format == "sections"):
        with findings.claim("who goes up or down follows from the standings"):
            if season.end_entry.moves != (due := results_table.moves(season)):
                replay.blame(f"who goes up or down: expected {due}, found {season.end_entry.moves}")
    if season.end_entry is None:
        with findings.claim("the bundle is the whole league"):
            raise Unprovable(f"it goes on; it ends here at entry {len(record.entries)}")


def _bundle_facts(record: Record) -> BundleFacts:
    """Return the facts in the bundle that players' papers can contradict."""
    entries, genesis = record.entries, record.genesis
    calls = sum(isinstance(one, Open) for one in entries)
    is_open = calls > sum(isinstance(one, Close) for one in entries)
    over = any(
        isinstance(one, Finished) or (isinstance(one, Ruled) and one.what == CANCEL) for one in entries
    )
    people = {fingerprint for _, fingerprint in genesis.people}
    for entry in entries:
        with suppress(LedgerFault):  # what nobody can say is refuted elsewhere
            if isinstance(entry, Said) and (key := entry.statement(genesis.game).key) is not None:
                people.add(key.fingerprint)
    return BundleFacts(
        name=genesis.game,
        what="the league",
        heads=record.heads,
        received=[one for one in entries if isinstance(one, Received)],
        takes_from=None if over else calls + (not is_open),
        judge_at=lambda _: genesis.gm,
        judges_in=lambda _: {genesis.gm},
        people=people,
        sealed={one.sealed for one in entries if isinstance(one, Received | Refused)},
        said={
            number: (one.player, one.sha256) for number, one in enumerate(entries, 1) if isinstance(one, Said)
        },
    )


def _render_findings(findings: Findings, record: Record, replay: Replay) -> str:
    if findings.is_refuted:
        first = next(row for row in findings.rows if row.state == "refuted")
        return f"this shows that this copy is not what an honest judge writes ({first.claim})"
    absent = sum(len(call.resolved.absent) for call in replay.season.calls if call.resolved is not None)
    asked = sum(len(call.asked) for call in replay.season.calls if call.resolved is not None)
    told = f"{asked - absent} of {asked} shares in its draws were given"
    return (
        f"this shows that {record.file.name} was drawn by its joint dice ({told}) and counted by its file; "
        "it does not show who withheld a share on purpose, or what was never entered"
    )
