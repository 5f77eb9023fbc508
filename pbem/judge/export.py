"""Writes a game's bundle: a folder that anybody can check with stock tools, or with `pbem audit`.

    log/leaves                     "<n> <leaf>" per line
    log/0001.entry  .salt          each entry that the reader may open
    checkpoints/0006.txt  .sig     every head that the judge signed, named by size
    keys/allowed_signers           the judge and the players
    keys/exchange-3.alice.agekey   seal keys disclosed to the reader
    keys/roots                     when the game is over: the judge's four secrets of it
    sealed/<sha256>.age            every order file that the ledger names
    mix/3.txt                      the mix of each resolved exchange; mix/3.secret.txt where disclosed
    dice/all.txt                   "<exchange> <sides> <label> <value>", in order
    reports/<audience>/0003.txt    what was sent
    consents/<sha256>.txt  .sig    what players and the official have consented to
    rotations/<sha256>.txt         a new key, signed by itself (.new.sig), and by the old or recovery key
                                   (.by.sig) unless consents take its place
    keys/allowed_signers.from-5    who signs from exchange 5 on, for each exchange in which a new key starts

Three kinds: what one side may see, what the public may see, and everything so far (for the game master,
or for everybody once the game is over).
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from pbem.disputes.record import Record
from pbem.errors import ConfigError
from pbem.judge.acts import look
from pbem.judge.book import Book, LedgerBook
from pbem.judge.club import GM, Club
from pbem.judge.intake.player_files import counted_files, reveals
from pbem.judge.letters.letters_out import may_open
from pbem.judge.shown_games import public_book
from pbem.judge.upkeep.journal import check_accepted
from pbem.play.adjudicate import setting_of
from pbem.trust import chance, keys, signature
from pbem.trust.act_entries import Act
from pbem.trust.chance import DRAW_CHAIN, Reveal
from pbem.trust.entries import AFTER_CLOSE, Entry, Extend, Resolve
from pbem.trust.identifiers import (
    JUDGE_NAMESPACES,
    OFFICIAL_NAMESPACES,
    PLAYER_NAMESPACES,
    Namespace,
)
from pbem.trust.ledger import Checkpoint
from pbem.trust.rotations import Rotation, read_rotation

ALL = "all"
PUBLIC = "public"

Files = Iterator[tuple[str, bytes]]


def export(club: Club, game: str, audience: str, into: Path, reason: str = "") -> int:
    """Write a game's bundle for an audience (a side, "public", "all") to a new folder; return the file count.

    `reason`: why the game master must have what is not public of a running game; the ledger records it.

    Raises:
        ConfigError: no such audience, no reason, or the folder exists.
    """
    check_new(club, into)
    Bundle(club, club.book(game), audience)
    if audience == PUBLIC:
        return write_bundle(Bundle(club, public_book(club, game), audience).files(), into)
    look(club, game, GM if audience == ALL else audience, reason)
    return write_bundle(Bundle(club, club.book(game), audience).files(), into)


def check_new(club: Club, into: Path) -> None:
    """Raise ConfigError if the folder for a bundle exists already, or the journal is not in order."""
    if into.exists():
        raise ConfigError(f"{into} exists already; name a new folder")
    check_accepted(club)


def write_bundle(files: Files, into: Path) -> int:
    """Write a bundle, a game's or a league's, as a whole or not at all; return the number of files."""
    part = into.with_name(f"{into.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    count = 0
    for name, data in files:
        path = part / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        count += 1
    part.replace(into)
    return count


def log_files(book: LedgerBook, opens: Callable[[Entry], bool]) -> Files:
    """Yield the files of a ledger's log, with those entries that the reader may open."""
    yield "log/leaves", "".join(f"{row.number} {row.leaf}\n" for row in book.rows).encode()
    for row, entry in zip(book.rows, book.entries, strict=True):
        if opens(entry):
            yield f"log/{row.number:04d}.entry", row.text
            yield f"log/{row.number:04d}.salt", f"{row.salt}\n".encode()


def head_files(book: LedgerBook) -> Files:
    """Yield the files of all heads of a ledger that the judge has signed."""
    for row in book.checkpoints():
        checkpoint = Checkpoint(game=book.name, size=row.size, head=row.head)
        yield f"checkpoints/{row.size:04d}.txt", checkpoint.text
        yield f"checkpoints/{row.size:04d}.sig", row.signature


def mix_in(name: str, resolve: Resolve) -> chance.Mix:
    """Return the mix that decides the dice of an exchange or call."""
    judge, *players = resolve.reveals
    chains = [(reveal.who, reveal) for reveal in players]
    absent = [(who, None) for who in resolve.absent]
    return chance.build_mix(name, resolve.exchange, gm=judge, players=[*chains, *absent])


class Bundle:
    """The files of one game's bundle that one audience may have."""

    def __init__(self, club: Club, book: Book, audience: str) -> None:
        self.club = club
        self.book = book
        self.history = book.history
        self.game = book.game
        self.audience = audience
        self.sides = setting_of(book.history.genesis).sides
        if audience not in (*self.sides, PUBLIC, ALL):
            known = ", ".join((*self.sides, PUBLIC, ALL))
            raise ConfigError(f"a bundle can be for {known}, not for {audience}")

    def files(self) -> Files:
        """Yield the name and content of every file in the bundle."""
        yield from log_files(self.book, self._may_open)
        yield from head_files(self.book)
        yield from self._keys()
        yield from self._order_files()
        yield from self._resolution_files()
        yield from self._consents()
        yield from self._rotations()
        if self.history.over and self.audience == ALL:
            yield "keys/roots", self.book.roots.text

    def _may_open(self, entry: Entry) -> bool:
        return self.audience == ALL or may_open(entry, self.audience)

    def _keys(self) -> Files:
        def signer(name: str, namespaces: tuple[Namespace, ...], key: keys.PublicKey) -> keys.Signer:
            return keys.Signer(name=name, game=self.game, namespaces=namespaces, key=key)

        signers = [signer(GM, JUDGE_NAMESPACES, self.club.judge_key(self.history.genesis.gm))]
        for player in self.history.genesis.players:
            line = self.club.store.key_line(player.name, player.fingerprint)
            signers.append(signer(player.name, PLAYER_NAMESPACES, keys.parse_public(line)))
        if self.history.genesis.official is not None:
            name, fingerprint = self.history.genesis.official
            line = self.club.store.key_line(name, fingerprint)
            signers.append(signer(name, OFFICIAL_NAMESPACES, keys.parse_public(line)))
        yield "keys/allowed_signers", keys.render_signers(signers).encode()
        for start in sorted({rotation.starts for rotation in self.history.seats.rotations}):
            later = [self._signer_after_rotations(one, start) for one in signers]
            yield f"keys/allowed_signers.from-{start}", keys.render_signers(later).encode()
        for exchange in self.history.exchanges:
            for player in self.history.genesis.players:
                closed = exchange.resolved or self.history.over
                if player.name in exchange.seals and closed and self.audience in (ALL, player.side):
                    seal = self.club.seal(self.game, exchange.number, player.name)
                    yield (
                        f"keys/exchange-{exchange.number}.{player.name}.agekey",
                        f"{seal.identity}\n".encode(),
                    )

    def _signer_after_rotations(self, signer: keys.Signer, exchange: int) -> keys.Signer:
        line = self.history.seats.key_line(signer.name, exchange)
        return replace(signer, key=keys.parse_public(line)) if line else signer

    def _rotations(self) -> Files:
        for rotation in self.history.seats.rotations:
            file = read_rotation(self.club.store.named_file(rotation.text_sha256))
            yield f"rotations/{rotation.text_sha256}.txt", file.change.text
            if file.by:
                yield f"rotations/{rotation.text_sha256}.by.sig", file.by
            yield f"rotations/{rotation.text_sha256}.new.sig", file.new

    def _order_files(self) -> Files:
        names = sorted(
            {entry.sealed for exchange in self.history.exchanges for entry in exchange.received}
            | {entry.sealed for exchange in self.history.exchanges for entry in exchange.revealed}
            | {entry.sealed for exchange in self.history.exchanges for entry in exchange.refused}
        )
        for name in names:
            yield f"sealed/{name}.age", self.club.store.named_file(name)

    def _resolution_files(self) -> Files:
        dice = []
        for exchange in self.history.exchanges:
            resolve = exchange.resolved
            if resolve is None:
                continue
            if not exchange.opened.again:
                yield from self._mixes(resolve)
            dice += [f"{die.text}\n" for die in resolve.dice]
        yield "dice/all.txt", "".join(dice).encode()
        for (number, audience), text in self.reports().items():
            yield f"reports/{audience}/{number:04d}.txt", text.encode()

    def _mixes(self, resolve: Resolve) -> Files:
        number, mix = resolve.exchange, mix_in(self.game, resolve)
        yield f"mix/{number}.txt", mix.text
        if self.audience == ALL:
            drawn = replace(mix, gm=self.club.secret_chain(self.game).reveal(number), secret=True)
            yield f"mix/{number}.secret.txt", drawn.text

    def _consents(self) -> Files:
        entries: list[Act | Extend | Rotation] = []
        for one in self.history.exchanges:
            entries += [*one.acts, *one.extended]
        for entry in [*entries, *self.history.seats.rotations]:
            for _, (sha256, _) in entry.consents:
                signed = signature.split(self.club.store.named_file(sha256))
                yield f"consents/{sha256}.txt", signed.body
                yield f"consents/{sha256}.sig", signed.armor

    def reports(self) -> dict[tuple[int, str], str]:
        """Return the reports that the bundle's audience may see, by exchange and audience."""
        return {
            (exchange.number, entry.audience): self.club.store.report(entry.sha256)
            for exchange in self.history.exchanges
            for entry in exchange.reported
            if self.audience in (ALL, entry.audience) or entry.audience == PUBLIC
        }


def read_record(club: Club, game: str, reader: str = ALL) -> Record:
    """Return a game's history, orders and secrets, as far as `reader` may know them, to explain it by."""
    book = public_book(club, game) if reader == PUBLIC else club.book(game)
    secret = club.secret_chain(game)
    sources = [book.history.source(exchange) for exchange in book.history.resolved]
    files, late = {}, {}
    for exchange in sources:
        number = exchange.number
        counted = counted_files(club, book, exchange)
        files.update({(number, player): file for player, file in counted.items()})
        if book.history.genesis.mode == AFTER_CLOSE:
            revealed = reveals(club, book, exchange, counted)
            late.update({(number, player): reveal for player, reveal in revealed.items()})
    record = Record(
        genesis=book.history.corrected,
        history=book.history,
        reader=ALL,
        files=files,
        late=late,
        secrets={
            exchange.number: Reveal(DRAW_CHAIN, exchange.number, secret.reveal(exchange.number))
            for exchange in sources
        },
    )
    if reader == ALL:
        return record
    return replace(record.narrow_to(reader), reports=Bundle(club, book, reader).reports())
