"""Takes in files and mails: raw bytes are stored first, then opened, entered and receipted.

Who sent something is decided by the signature alone. Whatever tells a side's matters goes only to the
address enrolled for that player; whoever hands in a file learns no more than that it was received.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from pbem.errors import ConfigError, LedgerError, PbemError
from pbem.judge.agenda import Agenda, read_agendas
from pbem.judge.book import Book, Unconfirmed, check_restored, note_newer
from pbem.judge.club import Club
from pbem.judge.intake import quarantine
from pbem.judge.intake.player_files import Intake, Verdict, expected_file, late_reveal, take_file
from pbem.judge.press import SEALED_ONLY, is_press
from pbem.judge.tables.database import Unwritable
from pbem.play.history import Exchange, History
from pbem.trust import sealing
from pbem.trust.armor import find_sealed
from pbem.trust.chance import Reveal
from pbem.trust.entries import AFTER_CLOSE, Received, Revealed
from pbem.trust.faults import SealFault
from pbem.trust.orderfile import (
    RECENT_EXCHANGES,
    ExpectedFile,
    OrderFile,
    Standing,
    check_late,
    is_late_reveal,
)
from pbem.trust.sealing import SealKey
from pbem.trust.times import utc_text

MAX_SUBMISSION_SIZE = 1_000_000
Hints = Sequence[Sequence[str]]
LEAST_SEARCH = 500
"""Minimum value, however small the club, of the limit on the keys tried for the files of one mail."""
AHEAD = 20
"""Number of exchanges after a game's last one whose seal keys are tried too, if the mail names the game.

Only the judge gives out keys, so a file sealed to one shows that another copy of the club's folder is ahead.
"""
BEHIND = 20
"""Number of exchanges before those still recognised whose seal keys are tried last, if the mail names the
game.

No ledger takes a file for one of them; its player is told which exchange the file was for.
"""
MAX_BOOKS = 50
"""Maximum number of ledgers that are kept in memory while files are taken in."""


@dataclass(slots=True)
class Search:
    """The search for the keys that open one mail's files, with the number of keys that may still be tried.

    A mail may cost what an honest one does: to look for one file in all games, and as much again.
    """

    hints: Hints
    left: int
    people: Sequence[str] = ()
    """The players at the mail's address; their leagues' keys are tried after the games that the mail
    names, before all others."""


@dataclass(slots=True)
class Desk:
    """The intake of a club's files in one pass: it finds their keys, and keeps ledgers in memory."""

    club: Club
    agendas: Mapping[str, Agenda]
    books: dict[str, Book] = field(default_factory=dict, repr=False)
    messages: int = 0
    """Number of messages between players that were taken in during the pass."""
    most: int = field(init=False)
    """Maximum number of keys that may be tried for the files of one mail."""

    def __post_init__(self) -> None:
        keys = sum(
            len(agenda.players) * min(RECENT_EXCHANGES, _last(agenda) - agenda.first + 1)
            for agenda in self.agendas.values()
        )
        self.most = max(LEAST_SEARCH, 2 * keys)

    def book(self, game: str) -> Book:
        """Return a game's present ledger, which may be used only within the same transaction."""
        kept = self.books.get(game)
        if kept is not None and self.club.store.head(game) == (kept.size, kept.head):
            return kept
        self.books[game] = self.club.book(game)
        while len(self.books) > MAX_BOOKS:
            del self.books[next(iter(self.books))]
        return self.books[game]

    def search(self, hints: Hints = (), people: Sequence[str] = ()) -> Search:
        """Return a search for the keys to a mail's files; `hints`: groups of games, the likeliest first."""
        return Search(hints, self.most, people)

    def keys(self, search: Search) -> Iterator[SealKey]:
        """Yield the seal keys to try on a mail's files, as many as the limit of the search allows.

        Raises:
            SealFault: the limit is reached.
        """
        for key in self._keys_to_try(search):
            if search.left <= 0:
                raise SealFault(
                    "the judge did not find its game; name the game in the subject, and send only one file",
                    reason="not-found",
                )
            search.left -= 1
            yield key

    def _keys_to_try(self, search: Search) -> Iterator[SealKey]:
        """Yield seal keys: of games the mail names, the sender's leagues, other games, far exchanges."""
        tried: set[str] = set()
        for games in search.hints:
            yield from self._recent(games, tried)
        if search.people and self.club.store.leagues():
            from pbem.judge.leagues.desk import keys_of

            yield from keys_of(self.club, search.people)
        yield from self._recent(sorted(self.agendas), tried)
        named = {game for games in search.hints for game in games if game in self.agendas}
        for agenda in (self.agendas[game] for game in sorted(named) if not self.agendas[game].over):
            for ahead in range(1, AHEAD + 1):
                yield from self._keys(agenda, _last(agenda) + ahead)
        for agenda in (self.agendas[game] for game in sorted(named)):
            for exchange in range(agenda.first - 1, max(0, agenda.first - 1 - BEHIND), -1):
                if search.left < len(agenda.players):
                    return  # the file is not known here, which says more than that the search had an end
                yield from self._keys(agenda, exchange)

    def _recent(self, games: Sequence[str], tried: set[str]) -> Iterator[SealKey]:
        """Yield the seal keys of the last exchanges of games, leaving out games that were tried before."""
        new = [game for game in dict.fromkeys(games) if game in self.agendas and game not in tried]
        tried.update(new)
        for back in range(RECENT_EXCHANGES):
            for agenda in map(self.agendas.__getitem__, new):
                if _last(agenda) - back >= agenda.first:
                    yield from self._keys(agenda, _last(agenda) - back)

    def _keys(self, agenda: Agenda, exchange: int) -> Iterator[SealKey]:
        return (self.club.seal(agenda.game, exchange, player) for player in agenda.players)


def _last(agenda: Agenda) -> int:
    return agenda.exchange or agenda.first + RECENT_EXCHANGES - 1


def open_desk(club: Club) -> Desk:
    """Return the intake of files for one pass, with the next step of each game as it is now."""
    return Desk(club, read_agendas(club, RECENT_EXCHANGES))


def submit(club: Club, raw: bytes, sender: str = "") -> list[Verdict]:
    """Store a file or mail, then take it in; return the verdicts on its files."""
    with club.store.step():
        number = club.store.add_incoming(utc_text(club.clock()), raw[: MAX_SUBMISSION_SIZE + 1], sender)
    return take_in(club, number, raw)


def take_in(club: Club, number: int, raw: bytes) -> list[Verdict]:
    """Take in a stored file or mail, and return the verdicts on its files; a second time changes nothing."""
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
    """Return the verdict on a file that could not be read; `key` is the key that opened it, or None."""
    why = quarantine.in_words(problem)
    text = f"it is kept and tried again, because something went wrong here: {why}; the game master knows"
    game, player = (key.game, key.player) if key else ("", "")
    return Verdict(False, text, game, player, person, is_signed=False, apart=why)


def keep_apart(club: Club, number: int, verdicts: Iterable[Verdict]) -> None:
    """Put a stored file or mail in quarantine if a file in it could not be read; else take it out again."""
    for one in verdicts:
        if one.apart:
            whose = f"{one.player} in {one.game}: " if one.game else ""
            quarantine.set_apart(club, quarantine.FILE, number, f"{whose}{one.apart}")
            return
    quarantine.put_back(club, quarantine.FILE, number)


def take_in_waiting(club: Club) -> list[Verdict]:
    """Take in all stored files that a crash kept from being taken in."""
    return [verdict for row in club.store.waiting() for verdict in take_in(club, row.id, row.raw)]


def _look(club: Club, raw: bytes) -> list[Verdict]:
    if len(raw) > MAX_SUBMISSION_SIZE:
        return [Verdict(False, f"the file has more than {MAX_SUBMISSION_SIZE:,} bytes, too many for orders")]
    if raw.lstrip(b"\r\n ").startswith(b"pbem1 press\n"):
        return [Verdict(False, SEALED_ONLY, is_press=True)]
    try:
        found = [raw] if raw.startswith(sealing.AGE_MAGIC) else list(find_sealed(raw))
    except PbemError as fault:
        return [Verdict(False, str(fault))]
    desk = Desk(club, _agendas(club))
    return [take_sealed(desk, sealed, desk.search([sorted(desk.agendas)])) for sealed in found]


def _agendas(club: Club) -> dict[str, Agenda]:
    """Return the next steps of all games, within a transaction."""
    return read_agendas(club, RECENT_EXCHANGES)


def take_sealed(desk: Desk, sealed: bytes, search: Search | None = None) -> Verdict:
    """Take in one sealed file, within a transaction; `search` is shared by all files of one mail."""
    if is_press(desk.club, sealed):
        from pbem.judge.press.desk import take_message  # most passes have none

        desk.messages += 1
        return take_message(desk.club, sealed, desk.messages)
    try:
        key, plaintext = _open_file(desk, sealed, search or desk.search())
    except Unwritable:
        raise
    except LedgerError as problem:  # of a league whose calls cannot be read: it may be for that one
        return apart_verdict(problem)
    except PbemError as fault:
        elsewhere = isinstance(fault, SealFault) and fault.reason == "sealed-to-another"
        return Verdict(False, str(fault), is_elsewhere=elsewhere)
    except Exception as bug:  # noqa: BLE001 - one file must not stop all others
        return apart_verdict(bug)
    person = key.player
    try:
        with desk.club.store.step():
            if key.game.startswith("league."):
                from pbem.judge.leagues.desk import take_opened

                return replace(take_opened(desk.club, key, plaintext, sealed), person=person)
            person, _ = desk.book(key.game).history.seats.signer(key.player, key.exchange)
            return replace(_take(desk, key, plaintext, sealed), person=person)
    except Unwritable:
        raise
    except Unconfirmed:
        return Verdict(False, quarantine.kept_for(key.game), key.game, key.player, person)
    except LedgerError:
        desk.books.pop(key.game, None)
        text = f"{key.game} is held: the game master must look at its ledger"
        return Verdict(False, text, key.game, key.player, person)
    except PbemError as fault:
        desk.books.pop(key.game, None)
        return Verdict(False, str(fault), key.game, key.player, person, is_signed=False)
    except Exception as bug:  # noqa: BLE001 - one file must not stop all others
        desk.books.pop(key.game, None)
        return apart_verdict(bug, key, person)


def _open_file(desk: Desk, sealed: bytes, search: Search) -> tuple[SealKey, bytes]:
    """Return the key of a game or league that opens a file, and the opened content."""
    try:
        return sealing.find_key(sealed, desk.keys(search))
    except SealFault as fault:
        if not desk.club.store.leagues():
            raise
        from pbem.judge.leagues.desk import find_reply

        if (found := find_reply(desk.club, sealed)) is None:
            raise fault from None
        return found


def _take(desk: Desk, key: SealKey, plaintext: bytes, sealed: bytes) -> Verdict:
    """Take in one opened file: answer it, and enter it if its own player signed it (protocol 3)."""
    club, book = desk.club, desk.book(key.game)
    game, player = key.game, key.player
    check_restored(club.store, game)
    if key.exchange > (last := len(book.history.exchanges)):
        said = f"exchange {last} of {game} is the last here, but a file is sealed for exchange {key.exchange}"
        note_newer(club.store, game, f"{said}, and only this judge can have given out the key for it")
        return Verdict(False, f"{said}; the game master knows", game, player, is_signed=False)
    exchange = book.history.exchanges[key.exchange - 1]
    if is_late_reveal(plaintext):
        return _take_reveal(club, book, exchange, key, sealed)
    return take_file(GameIntake(club, book), key, plaintext, sealed)


@dataclass(frozen=True, slots=True)
class GameIntake(Intake):
    """The intake of players' files for one game."""

    club: Club
    book: Book

    @property
    def life(self) -> History:
        """The history of the game's exchanges."""
        return self.book.history

    def expected_file(self, number: int, player: str) -> ExpectedFile:
        """Return the description of the file that a player is expected to send in an exchange."""
        return expected_file(self.club, self.book, number, player)

    def standing(self, number: int, player: str) -> Standing:
        """Return the facts in the ledger that decide whether a player's file for an exchange counts."""
        exchange = self.book.history.exchanges[number - 1]
        return self.book.history.standing_of(exchange, player, self.book.head_at)

    def person(self, number: int, player: str) -> str:
        """Return the person who signs for a seat in an exchange."""
        return self.book.history.seats.signer(player, number)[0]

    def why_gone(self, player: str) -> str:
        """Return the reason why a player's files are not taken any more; "" if they are taken."""
        return f"{player} no longer plays in {self.name}" if player in self.book.history.left else ""

    def late(self, number: int) -> str:
        """Return a line that says that an exchange takes no more files, and which exchange does."""
        return _closed_refusal(self.book, self.book.history.exchanges[number - 1])

    def may_refuse(self, player: str) -> bool | None:
        """Tell whether a player's refused file is entered in the ledger; None if the game is over."""
        current = self.book.history.current
        return None if current is None else player in current.seals

    def answer(self, entry: Received, orders: OrderFile, sealed: bytes) -> str:
        """Send a receipt for orders, and note that a forecast of them is due; return a line about it."""
        from pbem.judge.letters.order_explanations import (
            acknowledge,  # what was received before needs no words
        )

        acknowledge(self.club, self.book, entry, orders, sealed)
        return f"orders of {entry.player} for {self.name}, exchange {entry.exchange}: received"


def _closed_refusal(book: Book, exchange: Exchange) -> str:
    """Return a line that says that an exchange takes no more files, and which exchange does."""
    current = book.history.current
    now = f"; exchange {current.number} is open" if current else "; the game is over"
    if current is exchange:
        now = "; reveals are awaited"
    return f"exchange {exchange.number} of {book.game} is {'void' if exchange.voided_by else 'closed'}{now}"


def _take_reveal(club: Club, book: Book, exchange: Exchange, key: SealKey, sealed: bytes) -> Verdict:
    """Take in a reveal that came after the close (protocol 20); an invalid one is only answered."""
    where = f"{key.game}, exchange {exchange.number}"
    if known := [entry for entry in exchange.revealed if entry.player == key.player]:
        text = f"the reveal of {key.player} for {where} was received before"
        return Verdict(True, text, key.game, key.player, before=known[0].at, is_reveal=True)
    if book.history.genesis.mode != AFTER_CLOSE:
        text = f"in {key.game} the reveal is in the orders; send no reveal alone"
        return Verdict(False, text, key.game, key.player, is_signed=False)
    if exchange is not book.history.current or exchange.closed is None:
        when = "was resolved before" if exchange.resolved or exchange.voided_by else "is open still"
        text = (
            f"exchange {exchange.number} of {key.game} {when}; send a reveal after an exchange is closed "
            f"and before it is resolved"
        )
        return Verdict(False, text, key.game, key.player, is_signed=False)
    if len(sealed) > sealing.MAX_SEALED_REVEAL_SIZE:
        return Verdict(False, "the reveal is too large", key.game, key.player, is_signed=False)
    late = late_reveal(club, book, exchange, key.player, sealed)
    who = book.history.seats.chain_of(key.player, exchange.number)
    if who is None:
        return Verdict(False, f"{key.player} has no share in the dice of {key.game}", key.game, key.player)
    check_late(late, exchange.closed_at, book.head_at, _find_reveal(book, who))
    name = sealing.sealed_name(sealed)
    club.store.add_sealed(name, sealed)
    book.append(Revealed(exchange=exchange.number, player=key.player, sealed=name, at=club.clock()))
    return Verdict(True, f"the reveal of {key.player} for {where}: received", key.game, key.player, new=True)


def _find_reveal(book: Book, who: str) -> Reveal:
    known = book.history.known(who)
    assert known is not None, "a chain in force has an anchor"
    return known
