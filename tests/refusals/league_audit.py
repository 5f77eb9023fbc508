"""What an audit refutes, misses or leaves open in the bundle of a league, and in those of its games."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from functools import cache, partial
from hashlib import sha256
from typing import Any

import pytest

from pbem.audit import league_replay
from pbem.audit.bundle import Files, read_bundle
from pbem.audit.game import audit_files
from pbem.audit.league_replay import SENT
from pbem.audit.leagues import GameBundles, audit_league
from pbem.judge.export import export as export_game
from pbem.judge.leagues.export import export
from pbem.leagues.earlier_results import Before, Carried
from pbem.leagues.entries import Ended, Finished, LeagueGenesis, Pairings, Said
from pbem.leagues.statements import WITHDRAW, Statement, read_statement, sign_statement
from pbem.trust import ledger
from pbem.trust.entries import Close, Entry, Open, Received, Refused, Resolve
from pbem.trust.formats import MAX_SEALED_REPLY_SIZE
from pbem.trust.proof import MIXES
from pbem.trust.sealing import sealed_name
from pbem.trust.signature import split
from tests.audit.stage import write
from tests.leagues.forging import Edit, rewritten, swapped
from tests.leagues.test_audit import FORGERIES, Played, checked_instead, once, play_cup
from tests.leagues.world import START, file_of, key_of, make_world
from tests.refusals.audit_game import A, Change, changed, cut, folder, longer, swap, upper
from tests.refusals.clauses import Row

LEAGUE = "league.cup"


@cache
def cup() -> Played:
    return play_cup(folder())


@cache
def whole() -> dict[str, bytes]:
    return dict(read_bundle(cup().bundle).known_files)


@cache
def games() -> dict[str, Files]:
    return dict(GameBundles(cup().games))


def told(files: Mapping[str, bytes], **more: Any) -> str:
    return "\n".join(map(str, audit_league(Files(dict(files), ()), **more).rows))


def bundle(changes: Mapping[str, Change], **more: Any) -> Callable[[], str]:
    return lambda: told(changed(whole(), changes), **more)


def forged(edit: Edit, changes: Mapping[str, Change] = {}, **more: Any) -> Callable[[], str]:
    """Entries changed or dropped, all signed anew; then files."""
    return lambda: told(changed(rewritten(whole(), cup().judge, edit).known_files, changes), **more)


def of_game(changes: Mapping[str, Change]) -> Callable[[], str]:
    """Something is otherwise in the bundle of the first game."""

    def door() -> str:
        own = Files(changed(games()["cup-r1-1"].known_files, changes), ())
        return told(whole(), games={**games(), "cup-r1-1": own})

    return door


def edit(kind: type[Entry], **parts: Any) -> Edit:
    """The first entry of a kind with other parts; functions make them of the old ones."""

    def change(entry: Entry) -> Entry:
        made = {name: one(getattr(entry, name)) if callable(one) else one for name, one in parts.items()}
        return replace(entry, **made)

    return once(kind, change)


def without(*kinds: type[Entry], call: int = 1) -> Edit:
    """A ledger without what there is of these kinds in one call."""
    return lambda one: None if isinstance(one, kinds) and getattr(one, "exchange", 0) == call else one


def until(kind: type[Entry]) -> Edit:
    """A ledger that ends before the first entry of a kind."""
    seen: list[Entry] = []

    def do(entry: Entry) -> Entry | None:
        if isinstance(entry, LeagueGenesis):
            seen.clear()
        seen.extend([entry] * isinstance(entry, kind))
        return None if seen else entry

    return do


def no_line(start: str, data: bytes) -> bytes:
    return b"".join(line for line in data.splitlines(keepends=True) if not line.startswith(start.encode()))


def later(days: int) -> Callable[[Any], Any]:
    return lambda at: at + timedelta(days=days)


SECOND = 2
"""The call that seats round 1."""


def unseated(change: Callable[[tuple[str, ...]], tuple[str, ...]]) -> Edit:
    def do(entry: Entry) -> Entry:
        is_it = isinstance(entry, Open) and entry.exchange == SECOND
        return replace(entry, extra=change(entry.extra)) if is_it else entry

    return do


def refused_instead(one: Entry) -> Entry:
    assert isinstance(one, Received)
    return Refused(
        exchange=one.exchange, player=one.player, of=one.exchange, sealed=one.sealed, reason="late", at=one.at
    )


LARGE = bytes(MAX_SEALED_REPLY_SIZE + 1)


def large(entry: Entry) -> Entry:
    return replace(entry, sealed=sealed_name(LARGE))  # type: ignore[call-arg]


def other_draw(entry: Entry) -> Entry:
    return swapped(entry) if isinstance(entry, Pairings) and entry.round == SECOND else entry


def drawn_by_another_release() -> str:
    """This one is another than that by which the league was run, and draws otherwise."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(league_replay, "release_hash", lambda: A)
        return forged(other_draw)()


# -- by a statement, a file or a season that is made up


@cache
def stranger() -> bytes:
    judge, genesis = cup().judge.public.fingerprint, A
    made = Statement(league=LEAGUE, player="zoe", say=WITHDRAW, made=START, judge=judge, genesis=genesis)
    return sign_statement(made, key_of("zoe"))


def said_by_nobody() -> str:
    """Somebody whose key stands nowhere says something."""
    said, (body, armor) = read_statement(stranger()).statement, parts_of(stranger())
    papers = {f"papers/{said.sha256}.txt": body, f"papers/{said.sha256}.sig": armor}
    return forged(once(Said, lambda entry: Said.of(said, entry.at)), papers)()  # type: ignore[attr-defined]


def parts_of(signed: bytes) -> tuple[bytes, bytes]:
    parts = split(signed)
    return parts.body, parts.armor


def receipt() -> str:
    """The judge has signed that a statement is an entry, which it is not."""
    made = ledger.SaidReceipt(game=LEAGUE, player="ann", said=A, entry=2, coming="it is over")
    held = {"r.txt": made.text, "r.txt.sig": ledger.sign_statement(made, cup().judge)}
    return told(whole(), held=write(held, folder()))


CARRIED = Carried({"ann": Before(key_of("ann").public.fingerprint, 0)})


def following(
    last: Callable[[], Files | None] = lambda: Files(whole(), ()), carried: Carried = CARRIED, end: str = ""
) -> Callable[[], str]:
    """The league says that it follows another, and takes over what that came to."""

    def door() -> str:
        before = last()
        lines = heads_of(before or Files(whole(), ()))
        named = f'\n[last]\nleagues = ["cup {lines[0]} {end or lines[-1]}"]\nclass = 1\n'
        toml = whole()["league.toml"] + named.encode()
        change = edit(LeagueGenesis, file=sha256(toml).hexdigest(), carried=carried.sha256)
        files = {"league.toml": toml, "carried.txt": carried.text or None}
        return forged(change, files, last=[before] if before else [])()

    return door


def heads_of(files: Files) -> list[str]:
    leaves = [line.split(" ")[1] for line in files.known_files["log/leaves"].decode().splitlines()]
    return ledger.fold(LEAGUE, leaves)


def beside(**parts: Any) -> str:
    """The first result names its game's ledger at another place; the games' bundles are there."""
    return forged(edit(Ended, game=lambda at: replace(at, **parts)), games=games())()


def without_report() -> str:
    """A game of which something is counted, and its last report is gone."""
    path = folder()
    world = make_world(path, file_of("swiss", count=1))
    with closing(world.club.store):
        world.enter("ann", "ben")
        world.after(31)
        world.seat()
        world.bots_play("cup-r1-1", "captain", exchanges=1)
        world.concede("cup-r1-1", "ben")
        world.run()
        export(world.club, "cup", path / "bundle")
        export_game(world.club, "cup-r1-1", "public", path / "games" / "cup-r1-1")
    (path / "games/cup-r1-1/reports/public/0002.txt").unlink()
    return told(read_bundle(path / "bundle").known_files, games=GameBundles(path / "games"))


def by_another_release() -> str:
    """The season before has moved somebody, and this release cannot tell whether it had to."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(league_replay, "release_hash", lambda: A)
        return following(season(FORGERIES["somebody who goes up"]))()


def season(change: Edit, changes: Mapping[str, Change] = {}) -> Callable[[], Files]:
    """A season before that was otherwise."""
    return lambda: Files(changed(rewritten(whole(), cup().judge, change).known_files, changes), ())


def same(entry: Entry) -> Entry:
    return entry


NOT_ASKED, KEY = "is not the key that was asked for", "keys/exchange-1.ann.agekey"
DANS, OTHER_HASH = "keys/exchange-1.dan.agekey", "has another hash, or more than"
LINE = "in keys/allowed_signers is not as it must be"
NOTHING: Mapping[str, Change] = {}
FILES = (
    Row(
        "entry 3 is missing; in a league all entries are public",
        bundle({"log/0003.entry": None, "log/0003.salt": None}),
    ),
    Row("entry 1 is not the first entry of a league", forged(once(LeagueGenesis, lambda _: None))),
    Row("league.toml is missing", bundle({"league.toml": None})),
    Row("league.toml is not the file that the ledger names", bundle({"league.toml": longer})),
    Row("carried.txt is missing", forged(edit(LeagueGenesis, carried=A))),
    Row("carried.txt is not the file", forged(edit(LeagueGenesis, carried=A), {"carried.txt": CARRIED.text})),
    Row("no head was given to compare it with", bundle(NOTHING)),
    Row("the first head: expected aaa", bundle(NOTHING, genesis=A)),
    Row("keys/allowed_signers is missing", bundle({"keys/allowed_signers": None})),
    Row(LINE, bundle({"keys/allowed_signers": swap("pbem1-orders,", "")})),
    Row(LINE, bundle({"keys/allowed_signers": swap("ann@league.cup", "ann@league.cap")})),
    Row("the key of zed: expected nobody", bundle({"keys/allowed_signers": swap("ann@", "zed@")})),
    Row("a key of ann is missing", bundle({"keys/allowed_signers": partial(no_line, "ann@")})),
    Row("the judge's key is not known", bundle({"keys/allowed_signers": partial(no_line, "gm@")})),
    Row("incomplete: checkpoints/0002.sig is missing", bundle({"checkpoints/0002.sig": None})),
    Row(
        "the checkpoint at entry",
        lambda: told({name: data for name, data in whole().items() if not name.startswith("checkpoints")}),
    ),
    Row("no signed head covers entries after 0 yet", forged(until(Said), {"checkpoints/0001.txt": None})),
    Row("no signed head covers entries after 4 yet", forged(until(Open), {"checkpoints/0005.txt": None})),
    Row("incomplete: papers/", bundle({"papers/*.txt": None})),
    Row("incomplete: papers/", bundle({"papers/*.sig": None})),
    Row("is not what the entry of", bundle({"papers/*.txt": longer})),
    Row("the key of zoe is missing", said_by_nobody),
    Row(f"no entry has the hash of papers/{A}.txt", bundle({f"papers/{A}.txt": b""})),
    Row(f"{DANS} is missing", bundle({DANS: None})),
    Row(f"{DANS} {NOT_ASKED}", bundle({DANS: cut})),
    Row(f"{DANS} {NOT_ASKED}", bundle({DANS: lambda _: whole()[KEY]})),
    Row("mix/9.txt belongs to no entry", bundle({"mix/9.txt": b""})),
    Row("standings.csv is missing", bundle({"standings.csv": None})),
    Row("it goes on; it ends here at entry", forged(until(Open))),
)
REPLAYED = (
    Row("the ledger was not read to its end", forged(once(Pairings, lambda _: None))),
    Row("the pairings of round 1: expected", forged(FORGERIES["a swapped pairing"])),
    Row("by another release than this one: ", drawn_by_another_release),
    Row("what was sent for call 1 is not all in the bundle", bundle({KEY: None})),
    Row(OTHER_HASH, bundle({"sealed/*": longer})),
    Row(OTHER_HASH, forged(once(Received, large), {f"sealed/{sealed_name(LARGE)}.age": LARGE})),
    Row(f"{SENT}: incomplete: {KEY}", bundle({KEY: None})),
    Row("call 1 is open, and its files are still sealed", forged(until(Close), {KEY: None})),
    Row(f"{KEY} {NOT_ASKED}", forged(without(Close, call=SECOND), {KEY: lambda _: whole()[DANS]})),
    Row("a file of ann that counts was refused as late", forged(once(Received, refused_instead))),
    Row("the revision: expected 1, found 2", forged(edit(Received, rev=2))),
    Row("a call has a deadline", forged(edit(Open, deadline=None))),
    Row("there is no call to close", forged(without(Open, Received))),
    Row("there is no call to close", forged(edit(Close, at=None))),
    Row(f"{MIXES}: incomplete: mix/1.txt is missing", bundle({"mix/1.txt": None})),
    Row("mix/1.txt is not the mix that the entry names", bundle({"mix/1.txt": longer})),
    Row("call 1 is not open", forged(without(Open, Received, Close))),
    Row("call 2 is not open", forged(edit(Resolve, exchange=2))),
    Row("nothing was drawn", forged(without(Open, Received, Close, Resolve))),
    Row("nothing was drawn", forged(without(Resolve))),
    Row("has another time than the close of its call", forged(edit(Pairings, at=later(1)))),
    Row("the last date of round 1 is not that of the file", forged(edit(Pairings, until=later(1)))),
    Row("is opened before call 2 is resolved", forged(without(Resolve, call=SECOND))),
    Row("call 2 fixes nothing of the judge's part in cup-r1-1", forged(unseated(lambda lines: lines[:1]))),
    Row("call 2 fixes nothing of the judge's part in cup-r1-2", forged(unseated(lambda lines: lines[:-1]))),
)
GAMES = (
    Row("the bundles of cup-r1-1 and 3 more were not given", bundle(NOTHING)),
    Row("everything that the audit of cup-r1-1 checks is shown", of_game(NOTHING)),
    Row("the bundle of cup-r1-1 is refuted", of_game({"log/leaves": upper})),
    Row(
        "who should play cup-r1-1 could not",
        lambda: told(changed(whole(), {"keys/exchange-2.ann.agekey": None}), games=games()),
    ),
    Row("the head of cup-r1-", lambda: beside(size=999)),
    Row("the head of cup-r1-", lambda: beside(head=A)),
    Row("reports/public/0002.txt of cup-r1-1 is missing", without_report),
    Row("the judge of cup-r1-1", lambda: checked_instead(cup(), folder(), {"judge": True})),
)
SEASONS = (
    Row("is not what the earlier seasons ended with", following()),
    Row("the bundle of cup was not given (--last)", following(lambda: None)),
    Row("in its bundle cup is not over", following(season(until(Finished)))),
    Row("the season before: expected", following(end=A)),
    Row("cup: the standings follow from", following(season(same, {"standings.csv": longer}))),
    Row("another release ran cup", by_another_release),
)
ROWS = tuple(replace(row, heavy=True) for row in (*FILES, *REPLAYED, *GAMES, *SEASONS))
_AGAIN = "read_statement(body + armor).statement != statement"
_SAT = "not won and (not season.members[name].leaving_reason) and (sat is not None) and (sat < entry.at)"
ELSEWHERE = {
    f"audit/leagues.py _check_papers: {_AGAIN}": "a text that is the entry's is read as the entry's",
    f"audit/league_replay.py _check_seats_lost: {_SAT}": "leagues/test_substitutes.py",
}
"""What takes a story of its own -> the tests that tell it, or why there is none."""
OF_GAMES = (
    Row("there the ledger has what ann said", receipt, heavy=True),
    Row(
        "shows it, by its call",
        lambda: "\n".join(map(str, audit_files(games()["cup-r1-1"]).rows)),
        heavy=True,
    ),
)
"""What is asked of a league by what is asked of a game."""
