"""Takes in what players send to a league: signed statements, and the sealed files for a call.

A statement is entered if its player may say it now; a sealed file is an order file (protocol, "The order
file"), entered as received or refused by the same rules as orders (protocol 3).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from pbem.errors import ConfigError, LedgerError
from pbem.judge.book import check_restored
from pbem.judge.club import Club
from pbem.judge.intake.player_files import Intake, Verdict, take_file
from pbem.judge.leagues.book import LeagueBook, load_league
from pbem.judge.leagues.letters import send_receipt, send_said, tell_left, tell_new_key
from pbem.leagues.calls import Call, Calls, reply_in
from pbem.leagues.entries import ENTRANT, Said
from pbem.leagues.round_drawing import ladder, may_challenge
from pbem.leagues.statements import (
    CHALLENGE,
    ENTER,
    NEW_KEY,
    SUBSTITUTE,
    WITHDRAW,
    Signed,
    Statement,
    meaning,
    read_statement,
)
from pbem.titles import load
from pbem.trust import keys, sealing, signature
from pbem.trust.entries import Received
from pbem.trust.faults import LedgerFault, SealFault, TrustFault
from pbem.trust.formats import MAX_SEALED_REPLY_SIZE
from pbem.trust.orderfile import ExpectedFile, OrderFile, Standing, own_orders
from pbem.trust.sealing import SealKey
from pbem.trust.times import check_made

RECENT_CALLS = 2
"""Number of calls before the open one whose seal keys are still tried."""


@dataclass(frozen=True, slots=True)
class Taken:
    """The result of taking in a file or statement for a league."""

    is_accepted: bool
    text: str
    league: str
    player: str
    new: bool = False
    remark: str = ""
    """A remark for the player on a statement that was entered; "" if there is none."""


def take_statement(club: Club, data: bytes, address: str = "", *, what_if: bool = False) -> Taken:
    """Enter a signed statement in a league's ledger; `address` is where an entrant's letters go.

    Raises:
        PbemError: the statement has the wrong signer, or cannot be made now; nothing is entered.
    """
    signed = read_statement(data)
    said = signed.statement
    with club.store.step():
        book = load_league(club, said.league)
        if said.sha256 in book.season.statement_hashes:
            return Taken(True, f"{said.player} has said this before", said.league, said.player)
        if said.say == NEW_KEY and not said.by and address:
            raise ConfigError(
                "where the old key is lost, the director enters the new one: hand them this file"
            )
        key = _signer(club, book, signed)
        with _explaining_old_keys(book, said.player):
            signed.verify(key)
        try:
            check_made(said.made, club.clock())
            book.season.check_said(said, book.time(club.clock()))
        except LedgerFault as fault:
            raise ConfigError(str(fault)) from None
        told = f"{book.file.name}: {said.player} says {' '.join(said.lines[:1])[4:]}"
        if what_if:
            told += f"; this would be entered as entry {book.size + 1}: {meaning(said)}{_in_vain(book, said)}"
            return Taken(True, told, said.league, said.player)
        if said.say in (ENTER, SUBSTITUTE):
            club.add_player(said.player, key, address)
        elif said.say == NEW_KEY and said.by:
            club.replace_key(said.player, key)
        club.store.add_sealed(said.sha256, signed.body + signed.armor)
        book.append(Said.of(said, club.clock()))
        book.sign()
        remark = _in_vain(book, said)
        send_said(book, said, key, remark)
        if said.say == NEW_KEY and said.by:
            tell_new_key(book, said.player)
        if said.say == WITHDRAW and said.player in book.season.members:
            tell_left(book, said.player)
    told += f"; entry {book.size}{remark}"
    return Taken(True, told, said.league, said.player, new=True, remark=remark)


def _in_vain(book: LeagueBook, said: Statement) -> str:
    """Return the reason why a challenge would not count if the next round were drawn now; "" if it would."""
    if said.say != CHALLENGE or not (order := ladder(book.season)):
        return ""
    why = may_challenge(order, said.player, said.of, book.file.reach)
    return f"; it does not count now: {why}" if why else ""


def _signer(club: Club, book: LeagueBook, signed: Signed) -> keys.PublicKey:
    """Return the key that must have signed a statement."""
    said = signed.statement
    if said.key is not None:
        return said.key
    if line := book.season.key_of(said.player):
        return keys.parse_public(line)
    line = club.store.key_line(said.player, dict(book.season.genesis.people).get(said.player, ""))
    if not line:
        raise ConfigError(f"{said.player} does not play in {book.file.name}")
    return keys.parse_public(line)


@contextmanager
def _explaining_old_keys(book: LeagueBook, player: str) -> Iterator[None]:
    """Explain a refusal within this context if the statement or file is signed with a replaced key."""
    try:
        yield
    except TrustFault as fault:
        named = book.season.keys.named_keys.get(player, [])
        if fault.reason == "wrong-key" and len(named) > (player in book.season.members):
            raise ConfigError(f"{fault}; {player} has another key in {book.file.name} now") from None
        raise


def _seals(books: Collection[LeagueBook]) -> Iterator[SealKey]:
    """Yield the keys to which files for leagues may be sealed: those of the last calls first.

    A file does not name its player: the keys of players who have sent nothing yet are tried first.
    """
    for back in range(1 + RECENT_CALLS):
        for book in books:
            for call in book.season.calls[-1 - back :][:1] if back < len(book.season.calls) else ():
                for player in dict.fromkeys((*call.waiting, *call.asked)):
                    yield book.seal(call.number, player)


def keys_of(club: Club, people: Collection[str]) -> Iterator[SealKey]:
    """Yield the keys to which files of these people may be sealed, in leagues that can be read."""
    for book in _books(club, []):
        for call in reversed(book.season.calls[-1 - RECENT_CALLS :]):
            yield from (book.seal(call.number, player) for player in people if player in call.seals)


def _books(club: Club, damaged: list[LedgerError]) -> list[LeagueBook]:
    """Return the running leagues; those that cannot be read are added to `damaged` with their fault."""
    books = []
    for row in club.store.leagues():
        if not row.over:
            try:
                books.append(load_league(club, row.name))
            except LedgerError as problem:  # it keeps no file from the others
                damaged.append(problem)
    return books


def find_reply(club: Club, sealed: bytes) -> tuple[SealKey, bytes] | None:
    """Return the key of a league that opens a file, and the opened content; None if none opens it.

    Raises:
        LedgerError: the ledger of a league for which the file may be cannot be read.
    """
    damaged = list[LedgerError]()
    try:
        return sealing.find_key(sealed, _seals(_books(club, damaged)))
    except SealFault as fault:
        if damaged:
            raise damaged[0] from None
        if fault.reason == "sealed-to-another":
            return None
        raise


def take_opened(club: Club, key: SealKey, plaintext: bytes, sealed: bytes) -> Verdict:
    """Take in an opened file for a league, within a transaction.

    Raises:
        PbemError: the file is not signed by its own player; nothing is entered.
    """
    if len(sealed) > MAX_SEALED_REPLY_SIZE:
        raise ConfigError(
            f"the file of {key.player} for {key.game} has {len(sealed):,} bytes; sealed files for a league "
            f"have {MAX_SEALED_REPLY_SIZE:,} at most"
        )
    check_restored(club.store, key.game)
    return take_file(LeagueIntake(club, load_league(club, key.game)), key, plaintext, sealed)


@dataclass(frozen=True, slots=True)
class LeagueIntake(Intake):
    """The intake of players' files for one league."""

    club: Club
    book: LeagueBook

    @property
    def life(self) -> Calls:
        """The history of the league's calls."""
        return self.book.season.call_log

    def expected_file(self, number: int, player: str) -> ExpectedFile:
        """Return the description of the file that an entrant is expected to send in a call."""
        return _due(self.book, number, player, self.book.season.key_of(player))

    def standing(self, number: int, player: str) -> Standing:
        """Return the facts in the ledger that decide whether an entrant's file for a call counts."""
        return self.life.standing_of(self.life.exchanges[number - 1], player, self.book.head_at)

    def person(self, number: int, player: str) -> str:
        """Return the player's own name, since everybody in a league signs for themselves."""
        return player

    def why_gone(self, player: str) -> str:
        """Return "", for the files of all who were asked are taken: they have a share in the call's dice."""
        return ""

    def late(self, number: int) -> str:
        """Return a line that says that a call takes no more files."""
        return f"call {number} of {self.book.file.title} is closed"

    def may_refuse(self, player: str) -> bool | None:
        """Return True, as every refused file is entered in a league's ledger; None if the league is over."""
        return None if self.book.season.is_over else True

    def answer(self, entry: Received, orders: OrderFile, sealed: bytes) -> str:
        """Send a receipt for a file that was entered for a call; return a line about the file."""
        send_receipt(self.book, entry, _words(self.book, self.life.exchanges[entry.exchange - 1], orders))
        return f"file of {entry.player} for call {entry.exchange} of {self.book.file.name}: received"

    def own(self, plaintext: bytes, wanted: ExpectedFile) -> OrderFile:
        """Return the order file, if signed by its own player; an error explains if that key was replaced."""
        with _explaining_old_keys(self.book, wanted.player):
            return own_orders(plaintext, wanted)


def _due(book: LeagueBook, number: int, player: str, line: str) -> ExpectedFile:
    return ExpectedFile(
        game=book.name,
        exchange=number,
        player=player,
        side=ENTRANT,
        key=keys.parse_public(line),
        seal=book.seal(number, player).recipient,
    )


def opened_file(book: LeagueBook, call: Call, entry: Received) -> OrderFile:
    """Open a file again that was received for a call."""
    key = book.seal(call.number, entry.player)
    plaintext = sealing.open_orders_with(book.club.store.named_file(entry.sealed), key)
    return own_orders(plaintext, _due(book, call.number, entry.player, call.signing_keys[entry.sealed]))


def _words(book: LeagueBook, call: Call, orders: OrderFile) -> str:
    """Return the receipt's words on how the judge understood an answer to a call."""
    lines = [f"Your file for call {call.number} of {book.file.title} has come (revision {orders.rev})."]
    if call.seating is not None:
        reply, most = reply_in(orders), call.seating.chains
        games = "your game" if most == 1 else f"{min(most, len(reply.chains))} of your {most} games at most"
        if reply.chains:
            lines.append(f"You have a share in the dice of {games} in round {call.purpose.round}.")
        lines += [_bid(book, game, words) for game, words in reply.bids]
        lines += [f"This was not understood: {fault}" for fault in reply.faults]
    return "".join(f"{line}\n" for line in lines)


def _bid(book: LeagueBook, game: str, words: str) -> str:
    """Return the receipt's words on a player's bid for a game."""
    bidding = load(book.file.rules).bids if book.file.sides == "bids" else None
    if bidding is None:
        return f"You bid {words} in {game}, where nobody bids for sides: it does not count."
    if words not in bidding.words:
        known = ", ".join(bidding.words)
        return f"You bid {words} in {game}, which is not a bid and does not count; there are {known}."
    return f"You bid {words} in {game}."


def signed_papers(club: Club, book: LeagueBook) -> Iterator[tuple[str, bytes, bytes]]:
    """Yield hash, body and armor of every signed statement in a league's ledger."""
    for entry in book.entries:
        if isinstance(entry, Said):
            parts = signature.split(club.store.named_file(entry.sha256))
            yield entry.sha256, parts.body, parts.armor
