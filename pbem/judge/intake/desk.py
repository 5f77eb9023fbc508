"""Takes in what arrives: raw bytes are stored first, then looked at, entered and receipted.

Who sent something is decided by the signature alone. Whatever tells a side's matters goes only to the
address enrolled for that player; whoever hands in a file learns no more than that it was received.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace

from pbem.errors import ConfigError, LedgerError, PbemError
from pbem.judge.agenda import Agenda, read_agendas
from pbem.judge.book import (
    Awaited,
    Book,
    Unconfirmed,
    check_restored,
    is_for_another,
    note_claim,
    note_newer,
    receipt_name,
)
from pbem.judge.club import Club
from pbem.judge.intake import apart
from pbem.judge.intake.received import due, late_reveal
from pbem.judge.tables.store import Unwritable
from pbem.play.exchange import Exchange
from pbem.records import dataclass
from pbem.trust import sealing, signature
from pbem.trust.armor import find_sealed
from pbem.trust.chains import Reveal
from pbem.trust.entries import AFTER_CLOSE, Received, Refused, Revealed
from pbem.trust.faults import SealFault, TrustFault
from pbem.trust.orderfile import (
    LATE,
    RECENT_EXCHANGES,
    check_counts,
    check_late,
    is_late_reveal,
    own_orders,
)
from pbem.trust.sealing import SealKey
from pbem.trust.times import utc_text

LARGEST_SUBMISSION = 1_000_000
Hints = Sequence[Sequence[str]]
LEAST_SEARCH = 500
"""So many keys may be tried for the files of one mail, however small the club is."""
AHEAD = 20
"""Of games that are hinted at, the keys of so many exchanges to come are tried last: only the judge can have
told them, so whoever has sealed to one has it from another folder."""
MOST_BOOKS = 50
"""So many ledgers are kept in memory."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of one file: accepted or not, and one line that anybody may read."""

    accepted: bool
    text: str
    game: str = ""
    player: str = ""
    """Whose orders it holds, by the key that it is sealed to; nobody else may read `text`."""
    person: str = ""
    """Who signs for that seat in the exchange that it is sealed to."""
    new: bool = False
    """Whether it was entered, so that a receipt goes out."""
    is_signed: bool = True
    """Has its player signed it? Of what nobody has signed anybody may be the sender."""
    is_elsewhere: bool = False
    """It is sealed to no key that is known here."""
    apart: str = ""
    """What went wrong when it was looked at: it is kept, and looked at again."""


@dataclass(slots=True)
class Search:
    """The keys that the files of one mail may be sealed to, and how many more may be tried.

    A mail may cost what an honest one does: to look for one file in all games, and as much again.
    """

    hints: Hints
    left: int


@dataclass(slots=True)
class Desk:
    """A club's desk for one pass. It keeps the ledgers that it has read while they are current."""

    club: Club
    agendas: Mapping[str, Agenda]
    books: dict[str, Book] = field(default_factory=dict, repr=False)
    most: int = field(init=False)
    """So many keys may be tried for the files of one mail."""

    def __post_init__(self) -> None:
        keys = sum(
            len(agenda.players) * min(RECENT_EXCHANGES, _last(agenda) - agenda.first + 1)
            for agenda in self.agendas.values()
        )
        self.most = max(LEAST_SEARCH, 2 * keys)

    def book(self, game: str) -> Book:
        """A game's ledger as it is now; only to be used within a step."""
        kept = self.books.get(game)
        if kept is not None and self.club.store.head(game) == (kept.size, kept.head):
            return kept
        self.books[game] = self.club.book(game)
        while len(self.books) > MOST_BOOKS:
            del self.books[next(iter(self.books))]
        return self.books[game]

    def search(self, hints: Hints = ()) -> Search:
        """What may be tried for the files of one mail; `hints`: games, the likeliest first."""
        return Search(hints, self.most)

    def keys(self, search: Search) -> Iterator[SealKey]:
        """The keys to try, as long as any may be: of the games that are hinted at, then of all others."""
        for key in self._ordered(search.hints):
            if search.left <= 0:
                raise SealFault(
                    "the game that it is for was not found; name the game in the subject, and send one file",
                    reason="not-found",
                )
            search.left -= 1
            yield key

    def _ordered(self, hints: Hints) -> Iterator[SealKey]:
        """Of each lot the open exchanges come first, then those that closed lately; last what is to come."""
        tried: set[str] = set()
        for games in self._lots(hints):
            new = [game for game in dict.fromkeys(games) if game in self.agendas and game not in tried]
            tried.update(new)
            for back in range(RECENT_EXCHANGES):
                for agenda in map(self.agendas.__getitem__, new):
                    if _last(agenda) - back >= agenda.first:
                        yield from self._keys(agenda, _last(agenda) - back)
        named = {game for games in hints for game in games if game in self.agendas}
        for agenda in (self.agendas[game] for game in sorted(named) if not self.agendas[game].over):
            for ahead in range(1, AHEAD + 1):
                yield from self._keys(agenda, _last(agenda) + ahead)

    def _lots(self, hints: Hints) -> Iterator[Sequence[str]]:
        """The games that are hinted at, and only when none of them has the key all others."""
        yield from hints
        yield sorted(self.agendas)

    def _keys(self, agenda: Agenda, exchange: int) -> Iterator[SealKey]:
        return (self.club.seal(agenda.game, exchange, player) for player in agenda.players)


def _last(agenda: Agenda) -> int:
    return agenda.exchange or agenda.first + RECENT_EXCHANGES - 1


def open_desk(club: Club) -> Desk:
    """The desk, as the club stands now."""
    return Desk(club, read_agendas(club, RECENT_EXCHANGES))


def submit(club: Club, raw: bytes, sender: str = "") -> list[Verdict]:
    """Store what arrived, then take it in."""
    with club.store.step():
        number = club.store.add_incoming(utc_text(club.clock()), raw[: LARGEST_SUBMISSION + 1], sender)
    return take_in(club, number, raw)


def take_in(club: Club, number: int, raw: bytes) -> list[Verdict]:
    """Look at something that has been stored. Looking twice changes nothing."""
    with club.store.step():
        if not club.store.is_waiting(number):
            return []
        try:
            with club.store.step():
                verdicts = _look(club, raw)
        except ConfigError:
            raise
        except Exception as bug:  # noqa: BLE001 - one file must not stop all others
            verdicts = [apart_verdict(bug)]
        keep_apart(club, number, verdicts)
        club.store.finish_incoming(number, "; ".join(verdict.text for verdict in verdicts))
    return verdicts


def apart_verdict(problem: Exception, key: SealKey | None = None, person: str = "") -> Verdict:
    """What is said of a file that could not be looked at. `key`: that opened it, if one did."""
    why = apart.in_words(problem)
    text = f"it is kept and looked at again, for something went wrong here: {why}; the game master is told"
    game, player = (key.game, key.player) if key else ("", "")
    return Verdict(False, text, game, player, person, is_signed=False, apart=why)


def keep_apart(club: Club, number: int, verdicts: Iterable[Verdict]) -> None:
    """Set what was stored under a number apart, if a file in it could not be looked at; else put it back."""
    for one in verdicts:
        if one.apart:
            whose = f"{one.player} in {one.game}: " if one.game else ""
            apart.set_apart(club, apart.FILE, number, f"{whose}{one.apart}")
            return
    apart.put_back(club, apart.FILE, number)


def take_in_waiting(club: Club) -> list[Verdict]:
    """Look at everything that was stored and, after a crash, not yet looked at."""
    return [verdict for row in club.store.waiting() for verdict in take_in(club, row.id, row.raw)]


def _look(club: Club, raw: bytes) -> list[Verdict]:
    if len(raw) > LARGEST_SUBMISSION:
        return [Verdict(False, f"the file has more than {LARGEST_SUBMISSION:,} bytes, too many for orders")]
    try:
        found = [raw] if raw.startswith(sealing.AGE_MAGIC) else list(find_sealed(raw))
    except PbemError as fault:
        return [Verdict(False, str(fault))]
    desk = Desk(club, _agendas(club))
    return [take_sealed(desk, sealed, desk.search([sorted(desk.agendas)])) for sealed in found]


def _agendas(club: Club) -> dict[str, Agenda]:
    """The agendas, within a step."""
    return read_agendas(club, RECENT_EXCHANGES)


def take_sealed(desk: Desk, sealed: bytes, search: Search | None = None) -> Verdict:
    """Take in one sealed file, within a step. `search`: what may be tried for all files of one mail."""
    try:
        key, plaintext = _opened(desk, sealed, search or desk.search())
    except PbemError as fault:
        elsewhere = isinstance(fault, SealFault) and fault.reason == "sealed-to-another"
        if (answer := _for_league(desk.club, sealed, fault)) is not None:
            return answer
        return Verdict(False, str(fault), is_elsewhere=elsewhere)
    person = key.player
    try:
        with desk.club.store.step():
            person, _ = desk.book(key.game).history.seats.signer(key.player, key.exchange)
            return replace(_take(desk, key, plaintext, sealed), person=person)
    except Unwritable:
        raise
    except Unconfirmed:
        return Verdict(False, apart.kept_for(key.game), key.game, key.player, person)
    except LedgerError:
        desk.books.pop(key.game, None)
        text = f"{key.game} is held: its ledger needs the judge's hand"
        return Verdict(False, text, key.game, key.player, person)
    except PbemError as fault:
        desk.books.pop(key.game, None)
        return Verdict(False, str(fault), key.game, key.player, person, is_signed=False)
    except Exception as bug:  # noqa: BLE001 - one file must not stop all others
        desk.books.pop(key.game, None)
        return apart_verdict(bug, key, person)


def _for_league(club: Club, sealed: bytes, fault: PbemError) -> Verdict | None:
    """What became of a file that no game's key has opened, if it is for a league of the club."""
    if not isinstance(fault, SealFault) or not club.store.leagues():
        return None
    from pbem.judge.leagues.desk import take_reply

    try:
        with club.store.step():
            taken = take_reply(club, sealed)
    except Unwritable:
        raise
    except SealFault:
        return None
    except PbemError as problem:
        return Verdict(False, str(problem), is_signed=False)
    except Exception as bug:  # noqa: BLE001 - one file must not stop all others
        return apart_verdict(bug)
    return Verdict(taken.accepted, taken.text, taken.league, taken.player, taken.player, new=taken.new)


def _opened(desk: Desk, sealed: bytes, search: Search) -> tuple[SealKey, bytes]:
    """The key that opens a file, and what is in it."""
    return sealing.find_key(sealed, desk.keys(search))


def _take(desk: Desk, key: SealKey, plaintext: bytes, sealed: bytes) -> Verdict:
    """Take in one opened file: answer it, and enter it if it is its player's own (protocol 3)."""
    club, book = desk.club, desk.book(key.game)
    game, player = key.game, key.player
    check_restored(club.store, game)
    if key.exchange > (last := len(book.history.exchanges)):
        said = f"exchange {last} of {game} is the last here, and a file is sealed to exchange {key.exchange}"
        note_newer(club.store, game, f"{said}, whose key only this judge can have told")
        return Verdict(False, f"{said}; the game master is told", game, player, is_signed=False)
    exchange = book.history.exchanges[key.exchange - 1]
    if is_late_reveal(plaintext):
        return _take_reveal(club, book, exchange, key, sealed)
    if (verdict := _known_file(club, book, exchange, key, plaintext, sealed)) is not None:
        return verdict
    wanted = due(club, book, exchange.number, player)
    orders = own_orders(plaintext, wanted)
    if orders.seen is not None and orders.seen.size > book.size:
        note_claim(club.store, game, player, orders.seen.size)
    try:
        check_counts(orders, wanted, book.history.standing_of(exchange, player, book.head_at))
    except TrustFault as fault:
        text = _closed(book, exchange) if fault.reason == LATE else str(fault)
        return _refuse(club, book, key, sealed, fault.reason, text)
    if player in book.history.left:
        return Verdict(False, f"{player} plays no more in {game}", game, player)
    if not book.history.files_left(player)[0]:
        return Verdict(False, _too_many(book, player), game, player)
    name = sealing.sealed_name(sealed)
    person, _ = book.history.seats.signer(player, exchange.number)
    receipt = Awaited(person, receipt_name(game, book.history.received_of(player) + 1), name)
    if is_for_another(club.store, game, receipt):
        return Verdict(False, _send_first(receipt), game, player)
    club.store.add_sealed(name, sealed)
    entry = Received(
        exchange=exchange.number, player=orders.player, rev=orders.rev, sealed=name, at=club.clock()
    )
    book.append(entry)
    from pbem.judge.letters.echoes import acknowledge  # what was received before needs no words

    acknowledge(club, book, entry, orders, sealed)
    text = f"orders of {orders.player} for {game}, exchange {exchange.number}: received"
    return Verdict(True, text, game, player, new=True)


def _known_file(
    club: Club, book: Book, exchange: Exchange, key: SealKey, plaintext: bytes, sealed: bytes
) -> Verdict | None:
    """The answer to a file that was entered before, or whose text was: sealed anew, it is no other file."""
    body = _body(plaintext)
    for one in book.history.exchanges[exchange.number - 1 :]:
        entered = [(entry.sealed, entry.player, entry.exchange, True) for entry in one.received]
        entered += [(entry.sealed, entry.player, entry.of, False) for entry in one.refused]
        for name, player, of, is_received in entered:
            if (player, of) != (key.player, key.exchange):
                continue
            before = club.store.sealed(name)
            if before == sealed or body == _body(sealing.open_orders_with(before, key)):
                text = f"these orders of {player} were received before"
                if not is_received:
                    text = f"this file of {player} was refused before"
                return Verdict(is_received, text, key.game, player)
    return None


def _body(plaintext: bytes) -> bytes:
    """What was signed, if the text is signed at all."""
    try:
        return signature.split(plaintext).body
    except TrustFault:
        return plaintext


def _closed(book: Book, exchange: Exchange) -> str:
    """That an exchange takes nothing more, and what does."""
    current = book.history.current
    now = f"; exchange {current.number} is open" if current else "; the game is over"
    if current is exchange:
        now = "; reveals are awaited"
    return f"exchange {exchange.number} of {book.game} is {'void' if exchange.voided_by else 'closed'}{now}"


def _send_first(receipt: Awaited) -> str:
    """Why a file does not count yet: two receipts with one number would be two stories of the judge's."""
    return (
        "the judge was restored from a backup, and the file for which you have "
        f"{receipt.name} is not here any more: send that file once more, then these orders"
    )


def _too_many(book: Book, player: str) -> str:
    return (
        f"so many files of {player} have been entered that no more can be now (protocol 21); "
        f"what was received in exchange {book.history.exchanges[-1].number} counts"
    )


def _refuse(club: Club, book: Book, key: SealKey, sealed: bytes, reason: str, told: str) -> Verdict:
    """Enter why a player's own file does not count, while the game goes on and they have some left."""
    current = book.history.current
    if current is None:
        return Verdict(False, told, key.game, key.player)
    if key.player not in current.seals or not book.history.files_left(key.player)[1]:
        return Verdict(
            False, f"{told}; it is not entered, for too many of {key.player} were", key.game, key.player
        )
    name = sealing.sealed_name(sealed)
    club.store.add_sealed(name, sealed)
    book.append(
        Refused(
            exchange=current.number,
            player=key.player,
            of=key.exchange,
            sealed=name,
            reason=reason,
            at=club.clock(),
        )
    )
    return Verdict(False, told, key.game, key.player)


def _take_reveal(club: Club, book: Book, exchange: Exchange, key: SealKey, sealed: bytes) -> Verdict:
    """Take in a reveal after the close (protocol 20); one that does not hold is only answered."""
    where = f"{key.game}, exchange {exchange.number}"
    if any(entry.player == key.player for entry in exchange.revealed):
        return Verdict(
            True, f"the reveal of {key.player} for {where} was received before", key.game, key.player
        )
    if book.history.genesis.mode != AFTER_CLOSE:
        text = f"in {key.game} orders carry the reveal; a reveal alone is not taken"
        return Verdict(False, text, key.game, key.player, is_signed=False)
    if exchange is not book.history.current or exchange.closed is None:
        when = "was resolved before" if exchange.resolved or exchange.voided_by else "is open still"
        text = (
            f"exchange {exchange.number} of {key.game} {when}; a reveal is taken between its close and that"
        )
        return Verdict(False, text, key.game, key.player, is_signed=False)
    if len(sealed) > sealing.LARGEST_SEALED_REVEAL:
        return Verdict(False, "the reveal is too large", key.game, key.player, is_signed=False)
    late = late_reveal(club, book, exchange, key.player, sealed)
    who = book.history.seats.chain_of(key.player, exchange.number)
    if who is None:
        return Verdict(False, f"{key.player} has no share in the dice of {key.game}", key.game, key.player)
    check_late(late, exchange.closed_at, book.head_at, _known(book, who))
    name = sealing.sealed_name(sealed)
    club.store.add_sealed(name, sealed)
    book.append(Revealed(exchange=exchange.number, player=key.player, sealed=name, at=club.clock()))
    return Verdict(True, f"the reveal of {key.player} for {where}: received", key.game, key.player, new=True)


def _known(book: Book, who: str) -> Reveal:
    known = book.history.known(who)
    assert known is not None, "a chain in force has an anchor"
    return known
