"""The sources of a restore in mails that still exist: the journal's records, and evidence of ledger heads.

Each record of the journal is a mail of its own to `sent_to`, ahead of all other mail. Which ledger heads were
sent out (protocol 18) is told by two kinds of mail:

- the judge's own sent mail. Every letter with a head has a name of its own, and the database knows the names
  of all letters that it has written. If a folder holds all letters that the database says were sent, and none
  that it does not know, then nothing was sent after the database's last head. A letter of a league's game
  tells of the league as well: the game begins with what the league has drawn.
- players' order files. Each names, signed, a head that its player says to have seen. A letter that nobody has
  answered does not show there, so alone they confirm nothing; and a player may sign what is not so, so alone
  they do not show that a backup is too old.

Reading changes nothing.
"""

from __future__ import annotations

import email
import mailbox
import re
import smtplib
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from email.message import EmailMessage
from email.policy import SMTP, default
from email.utils import format_datetime
from pathlib import Path

from pbem.errors import ConfigError, LedgerError, PbemError
from pbem.judge.book import Book, MissingReceipt
from pbem.judge.club import Club
from pbem.judge.intake.player_files import expected_file
from pbem.judge.leagues.book import ledger_of
from pbem.judge.tables.store import Record
from pbem.judge.upkeep import self_seal
from pbem.judge.upkeep.journal import Journal, JournalFault, accept, record_name
from pbem.mail.extract import MAX_HEAD_SIZE, MAX_MAIL_SIZE, extract
from pbem.mail.headers import OWN_IDS, OWN_MARKS, head_of, is_for_itself, read_head
from pbem.mail.sessions import answer_text, open_session
from pbem.mail.settings import MailSettings
from pbem.trust.faults import TrustFault
from pbem.trust.letters import NOTICE, REPORT
from pbem.trust.orderfile import Seen, is_late_reveal, open_orders, verify_late_reveal
from pbem.trust.sealing import SealKey, find_key

RECEIPT, SAID = "-receipt-", "-said-"
LEAGUE = "league."
AHEAD = 20
"""Number of exchanges after the last one in the backup for which orders are opened."""


@dataclass(frozen=True, slots=True)
class Witness:
    """A head that a player signed as seen, with the player and the exchange."""

    size: int
    head: str
    player: str
    exchange: int


@dataclass(slots=True)
class Heads:
    """The evidence that mails give about the heads of one game."""

    mails: int = 0
    letters: set[tuple[str, str]] = field(default_factory=set)
    """Pairs of person and name, one for each of the game's letters in the judge's sent mail."""
    receipts: set[MissingReceipt] = field(default_factory=set)
    """The game's receipts that are in the judge's sent mail."""
    seen: list[Witness] = field(default_factory=list)


def read_sent(games: Iterable[str], sent: Iterable[Path]) -> dict[str, Heads]:
    """Return what the heads of the judge's sent mail, read once, tell about some games."""
    found = {game: Heads() for game in games}
    named = re.compile("|".join(_begins(game) for game in found).encode())
    mails = 0
    for raw in read_mails(sent, MAX_HEAD_SIZE):
        mails += 1
        head = head_of(raw)
        if not found or named.search(head) is None:
            continue  # read no further: the ids of a game's letters name it
        told = read_head(head)
        for message_id in (told.message_id, *told.letters):
            _note_letter(message_id, found)
    for heads in found.values():
        heads.mails = mails
    return found


def _note_letter(message_id: str, found: dict[str, Heads]) -> None:
    """Note a letter with a head, or a receipt, for the games that its id may name."""
    for game in _games_in(message_id):
        league = next((one for one in found if _is_of_league(game, one)), "")
        if (game in found or league) and (letter := _letter(message_id, game)) is not None:
            if _has_head(letter.name):
                for one in {game, league} & found.keys():
                    found[one].letters.add((letter.player, letter.name))
            elif RECEIPT in letter.name and game in found:
                found[game].receipts.add(letter)


def _begins(game: str) -> str:
    """Return a pattern of how the ids of a game's or league's letters begin, to search raw mails for."""
    if not game.startswith(LEAGUE):
        return re.escape(f"{OWN_IDS}{game}.")
    return f"{re.escape(OWN_IDS)}(?:{re.escape(game)}[.]|{re.escape(game.removeprefix(LEAGUE))}-r)"


def _is_of_league(game: str, league: str) -> bool:
    """Tell whether a game's name is one that a league gives to its games."""
    name = re.escape(league.removeprefix(LEAGUE))
    return league.startswith(LEAGUE) and re.fullmatch(rf"{name}-r\d+-\d+", game) is not None


def read_orders(club: Club, game: str, incoming: Iterable[Path], found: Heads) -> None:
    """Collect the heads that players signed as seen, from the orders for one game in stored mails."""
    book = club.book(game)
    keys = _keys(club, book)
    for raw in read_mails(incoming):
        found.mails += 1
        for sealed in extract(raw).sealed_files:
            if (witness := _witness(club, book, keys, sealed)) is not None:
                found.seen.append(witness)


def settle(club: Club, game: str, found: Heads) -> tuple[int, str, str]:
    """Return the size and head at which a game can be confirmed, and the evidence for them.

    Raises:
        LedgerError: something was sent that this backup does not know.
        ConfigError: the mails do not suffice to confirm the game, or a player has signed otherwise.
    """
    book = ledger_of(club, game)
    rows = [row for row in club.store.letter_names(game) if _has_head(row[1])]
    drawn = (one for one in club.store.games() if _is_of_league(one, game))
    of_games = {(player, name) for one in drawn for player, name, _ in club.store.letter_names(one)}
    if unknown := sorted(found.letters - of_games - {(player, name) for player, name, _ in rows}):
        player, name = unknown[0]
        raise LedgerError(
            f"the backup of {game} is too old: {name} was sent to {player}, and the backup does not know "
            f"it; what came after it is lost, so the game cannot go on from this backup"
        )
    last = max(book.checkpoints(), key=lambda row: row.size)
    by_hand = f"pbem club confirm {game} {last.size} {last.head}"
    missing = sorted({(player, name) for player, name, left in rows if left} - found.letters)
    whole = bool(found.letters) and not missing
    known = f"all {len(found.letters)} letters of {game} in the sent mail are known"
    seen = sorted(found.seen, key=lambda one: one.size, reverse=True)
    for witness in seen:
        if (head := book.head_at(witness.size)) != witness.head:
            here = f"ends at entry {book.size}" if head is None else f"has another head there, {head}"
            sent = f"{known}, and none is missing there" if whole else "the mails do not show if it is"
            raise ConfigError(
                f"{witness.player} has signed, in exchange {witness.exchange}, to have seen a ledger of "
                f"{witness.size} entries of {game} with the head {witness.head}, and this backup {here}; "
                f"only a player says so, and it may be false: {sent}; ask {witness.player} for the "
                "newest checkpoint in the folder held of their game: if the judge's key has signed it, the "
                "game cannot go on from this backup; if there is none, enter the last head here: "
                f"{by_hand}"
            )
    if whole:
        return last.size, last.head, known
    lines = [f"the last head in this backup is that of {last.size} entries"]
    if found.letters:
        player, name = missing[0]
        lines.append(f"the sent mail lacks {name} to {player}, so it may lack later ones as well")
    if seen:
        lines.append(
            f"{seen[0].player}, in exchange {seen[0].exchange}, has seen a ledger of {seen[0].size} "
            f"entries; a letter without an answer would not be seen there"
        )
    raise ConfigError(
        f"{found.mails} mails do not say whether anything was sent after it: {'; '.join(lines)}; compare it "
        f"with the last letter of each player, and enter the highest: {by_hand}"
    )


def lost_receipts(club: Club, game: str, found: Heads) -> list[MissingReceipt]:
    """Return the receipts that were sent for orders that this backup does not have."""
    receipted = club.store.receipt_hashes(game)
    return sorted(one for one in found.receipts if not one.is_here(receipted))


def read_mails(paths: Iterable[Path], most: int = MAX_MAIL_SIZE) -> Iterator[bytes]:
    """Yield the first `most` bytes of each mail in Maildirs, mbox files and files of one mail."""
    for path in paths:
        if (path / "cur").is_dir():
            for folder in ("new", "cur"):
                for file in sorted((path / folder).iterdir()):
                    yield _first_bytes(file, most)
        elif path.is_dir():
            raise ConfigError(f"{path} is not a maildir: it has no folder cur")
        elif (first := _first_bytes(path, most)).startswith(b"From "):
            with closing(mailbox.mbox(path, create=False)) as box:
                yield from (box.get_bytes(key)[:most] for key in box.iterkeys())
        else:
            yield first


def _first_bytes(path: Path, most: int) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(most)
    except OSError as problem:
        raise ConfigError(f"{path} cannot be read: {problem.strerror}") from None


def _games_in(message_id: str) -> Iterator[str]:
    """Yield the games that a Message-ID of the judge may name, since each dot in it may be a border."""
    parts = message_id.removeprefix(f"<{OWN_IDS}").partition("@")[0].split(".")
    return (".".join(parts[:count]) for count in range(1, len(parts)))


def _letter(message_id: str, game: str) -> MissingReceipt | None:
    """Return the person, name and mark of a letter of a game by its Message-ID; None for other letters."""
    stem = message_id.removeprefix("<").partition("@")[0]
    start, between = f"{OWN_IDS}{game}.", f".{game}-"
    person, found, rest = stem.removeprefix(start).partition(between)
    if not stem.startswith(start) or not found:
        return None
    marks = OWN_MARKS.search(rest)
    assert marks is not None  # it finds nothing at the end at least
    return MissingReceipt(person, f"{game}-{rest[: marks.start()]}.txt", marks["mark"] or "")


def _has_head(name: str) -> bool:
    """Tell whether a letter, by its name, proves a head; a league statement's receipt names its entry."""
    return f"-{REPORT}" in name or f"-{NOTICE}" in name or (name.startswith("league.") and SAID in name)


def _keys(club: Club, book: Book) -> list[SealKey]:
    last = len(book.history.exchanges) + AHEAD
    names = [player.name for player in book.history.genesis.players]
    return [club.seal(book.game, number, name) for number in range(last, 0, -1) for name in names]


def _witness(club: Club, book: Book, keys: list[SealKey], sealed: bytes) -> Witness | None:
    """Return the head in a sealed order file of a game if its player signed the file, else None."""
    try:
        key, plaintext = find_key(sealed, keys)
        wanted = expected_file(club, book, key.exchange, key.player)
        seen: Seen | None
        if is_late_reveal(plaintext):
            seen = verify_late_reveal(plaintext, wanted).seen
        else:
            seen = open_orders(sealed, key, wanted).seen
    except (TrustFault, PbemError):
        return None
    if seen is None:
        return None
    return Witness(seen.size, seen.head, key.player, key.exchange)


SUBJECT = "journal"
LARGEST = 2 * self_seal.LARGEST


def mail_records(club: Club, settings: Journal, mail: MailSettings) -> None:
    """Mail the journal's records that are due, the oldest first.

    Raises:
        JournalFault: the server does not take a record.
        MailError: the server cannot be reached.
    """
    due = [record for record in club.store.pending_records() if not record.mailed]
    if not settings.mail or not mail.has_way_out or not due:
        return
    with open_session(mail) as server:
        for record in due:
            try:
                server.sendmail(mail.address, [mail.sent_to], _compose(club, record, mail).as_bytes())
            except smtplib.SMTPRecipientsRefused as problem:
                raise _fault(*problem.recipients[mail.sent_to]) from None
            except smtplib.SMTPResponseException as problem:
                raise _fault(problem.smtp_code, problem.smtp_error) from None
            accept(club.store, settings, record, mailed=True)


def _fault(code: int, said: bytes | str) -> JournalFault:
    return JournalFault(f"the mail server does not accept the journal for sent_to: {answer_text(code, said)}")


def _compose(club: Club, record: Record, mail: MailSettings) -> EmailMessage:
    name = record_name(record.era, record.number)
    message = EmailMessage(policy=SMTP)
    message["From"] = mail.address
    message["To"] = mail.sent_to
    message["Subject"] = f"{SUBJECT} {record.era} {record.number}"
    message["Date"] = format_datetime(club.clock())
    message["Message-ID"] = f"<{OWN_IDS}{name.removesuffix('.age')}@{mail.domain}>"
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(
        "A record of the judge's journal. Keep it until there is a newer backup: with that and the records\n"
        "since, pbem club restore brings the club back as it was.\n"
    )
    message.add_attachment(record.data, maintype="application", subtype="octet-stream", filename=name)
    return message


def read_records(paths: Iterable[Path]) -> Iterator[bytes]:
    """Yield the records in journal folders and files, Maildirs, mbox files and files of one mail."""
    mails = []
    for path in paths:
        if path.is_dir() and not (path / "cur").is_dir():
            yield from (file.read_bytes() for file in sorted(path.glob("journal-*.age")))
        elif path.suffix == ".age":
            yield path.read_bytes()
        else:
            mails.append(path)
    for raw in read_mails(mails, LARGEST):
        if is_for_itself(raw):
            yield from _attached_files(raw)


def _attached_files(raw: bytes) -> Iterator[bytes]:
    for part in email.message_from_bytes(raw, policy=default).walk():
        if (part.get_filename() or "").startswith("journal-"):
            data = part.get_payload(decode=True)
            if isinstance(data, bytes):
                yield data
