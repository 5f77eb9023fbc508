"""Writes a league's bundle, which anybody can check. Nothing of a league is hidden, so there is one kind.

What is in it stands in the page of the leagues' protocol, "The bundle".
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

from pbem.errors import ConfigError
from pbem.judge.club import GM, Club
from pbem.judge.leagues.book import LeagueBook, load_league
from pbem.judge.leagues.desk import signed_papers
from pbem.judge.upkeep.journal import check_accepted
from pbem.leagues import table
from pbem.leagues.carried import CARRIED
from pbem.trust import chance, keys
from pbem.trust.entries import Resolve
from pbem.trust.ledger import Checkpoint
from pbem.trust.namespaces import JUDGE_NAMESPACES, PLAYER_NAMESPACES

Files = Iterator[tuple[str, bytes]]


def export(club: Club, name: str, into: Path) -> int:
    """Write the bundle into a new folder; the number of files.

    Raises:
        ConfigError: the folder exists, or there is no such league.
    """
    if into.exists():
        raise ConfigError(f"{into} exists already; name a new folder")
    check_accepted(club)
    book = load_league(club, name)
    part = into.with_name(f"{into.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    count = 0
    for file, data in bundle(book):
        path = part / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        count += 1
    part.replace(into)
    return count


def bundle(book: LeagueBook) -> Files:
    """Every file of a league's bundle."""
    yield "log/leaves", "".join(f"{row.number} {row.leaf}\n" for row in book.rows).encode()
    for row in book.rows:
        yield f"log/{row.number:04d}.entry", row.text
        yield f"log/{row.number:04d}.salt", f"{row.salt}\n".encode()
    for checkpoint in book.club.store.league_checkpoints(book.name):
        text = Checkpoint(game=book.name, size=checkpoint.size, head=checkpoint.head).text
        yield f"checkpoints/{checkpoint.size:04d}.txt", text
        yield f"checkpoints/{checkpoint.size:04d}.sig", checkpoint.signature
    yield "league.toml", book.file.text
    if book.season.carried.people:
        yield CARRIED, book.season.carried.text
    yield "keys/allowed_signers", keys.render_signers(_signers(book)).encode()
    for sha256, body, armor in signed_papers(book.club, book):
        yield f"papers/{sha256}.txt", body
        yield f"papers/{sha256}.sig", armor
    yield from _calls(book)
    yield "standings.csv", table.standings_csv(book.season)
    yield "ratings.csv", table.ratings_csv(book.season)


def _signers(book: LeagueBook) -> Iterator[keys.Signer]:
    judge = book.club.judge_key(book.season.genesis.gm)
    yield keys.Signer(name=GM, game=book.name, namespaces=JUDGE_NAMESPACES, key=judge)
    lines = {name: list(said) for name, said in book.season.keys.said.items()}
    for name, fingerprint in book.season.genesis.people:
        lines.setdefault(name, []).append(book.club.store.key_line(name, fingerprint))
    for name in sorted(lines):
        for line in dict.fromkeys(lines[name]):
            key = keys.parse_public(line)
            yield keys.Signer(name=name, game=book.name, namespaces=PLAYER_NAMESPACES, key=key)


def _calls(book: LeagueBook) -> Files:
    for call in book.season.calls:
        names = {entry.sealed for entry in call.received} | {entry.sealed for entry in call.refused}
        for name in sorted(names):
            yield f"sealed/{name}.age", book.club.store.sealed(name)
        if call.resolved is None:
            continue
        for player in call.asked:
            identity = book.seal(call.number, player).identity
            yield f"keys/exchange-{call.number}.{player}.agekey", f"{identity}\n".encode()
        yield f"mix/{call.number}.txt", _mix(book, call.resolved).text


def _mix(book: LeagueBook, resolve: Resolve) -> chance.Mix:
    judge, *players = resolve.reveals
    chains = [(reveal.who, reveal) for reveal in players]
    absent = [(who, None) for who in resolve.absent]
    return chance.build_mix(book.name, resolve.exchange, gm=judge, players=[*chains, *absent])
