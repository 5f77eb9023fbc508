"""Writes a league's bundle, which anybody can check; as nothing in a league is hidden, there is one kind.

What is in it stands in the page of the leagues' protocol, "The bundle".
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pbem.judge.club import GM, Club
from pbem.judge.export import Files, check_new, head_files, log_files, mix_in, write_bundle
from pbem.judge.leagues.book import LeagueBook, load_league
from pbem.judge.leagues.desk import signed_papers
from pbem.leagues import results_table
from pbem.leagues.earlier_results import CARRIED
from pbem.trust import keys
from pbem.trust.identifiers import JUDGE_NAMESPACES, PLAYER_NAMESPACES


def export(club: Club, name: str, into: Path) -> int:
    """Write the bundle of a league into a new folder; return the number of files.

    Raises:
        ConfigError: the folder exists, or there is no such league.
    """
    check_new(club, into)
    return write_bundle(bundle(load_league(club, name)), into)


def bundle(book: LeagueBook) -> Files:
    """Yield the name and content of every file in a league's bundle."""
    yield from log_files(book, lambda _: True)
    yield from head_files(book)
    yield "league.toml", book.file.text
    if book.season.carried.people:
        yield CARRIED, book.season.carried.text
    yield "keys/allowed_signers", keys.render_signers(_signers(book)).encode()
    for sha256, body, armor in signed_papers(book.club, book):
        yield f"papers/{sha256}.txt", body
        yield f"papers/{sha256}.sig", armor
    yield from _calls(book)
    yield "standings.csv", results_table.standings_csv(book.season)
    yield "ratings.csv", results_table.ratings_csv(book.season)


def _signers(book: LeagueBook) -> Iterator[keys.Signer]:
    judge = book.club.judge_key(book.season.genesis.gm)
    yield keys.Signer(name=GM, game=book.name, namespaces=JUDGE_NAMESPACES, key=judge)
    lines = {name: list(said) for name, said in book.season.keys.named_keys.items()}
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
            yield f"sealed/{name}.age", book.club.store.named_file(name)
        if call.resolved is None:
            continue
        for player in call.asked:
            identity = book.seal(call.number, player).identity
            yield f"keys/exchange-{call.number}.{player}.agekey", f"{identity}\n".encode()
        yield f"mix/{call.number}.txt", mix_in(book.name, call.resolved).text
