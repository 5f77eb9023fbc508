"""The store of one game or league in the player's home: a folder below `games/`.

    player                   the player's name, their key file and public key, one `<word> <rest>` a line
    join.txt                 the join file as it was signed
    chain-secret             the last link of their chain as hex: whoever has it knows all their reveals;
                             behind it the name that its links are hashed under, if that is not the game's
    chain-secret-2           that of their second chain, if the first was lost
    allowed_signers          who may sign what in this game, for ssh-keygen; the judge's key is pinned here,
                             and every key that has replaced it
    ledger.txt               the ledger, see game_papers; written last, so a letter in there is kept
    held/                    what the judge has signed: *.txt and *.txt.sig, as ssh-keygen verifies them:
        checkpoint-0006      heads
        receipt-0001         receipts, by their number
        fork-*/, fault-*/    evidence against the judge
        sealed/<sha256>.age  copies of other players' sealed orders
    reports/0003.txt         reports as the ledger hashes them, by exchange; 0003-20.txt a notice at entry 20
    addresses                where mails of this game go, by the judge's last letter
    box                      the judge's letter that names the post box, as it was signed
    echoes/0001.txt          the plain-words parts of receipts, by number
    forecasts/<sha256>.txt   the judge's forecasts, by the sealed files that they are about
    sent/0003-1.txt .sig .age   orders by exchange and revision: what was signed, its signature, what was sent
    sent/0003-reveal.txt ...    a reveal after the close
    notes/                   what the player notes for nobody else, see private_notes

Everything here is written once and never changed, but for `player`, `join.txt` and `allowed_signers`
before the game begins, `addresses`, `box`, `notes`, and `ledger.txt`, which grows.

The position that the player's program uses is that of a report which the ledger commits, and no other. When
an exchange is opened, it is that of the last exchange before it that counts. After a roll-back the judge's
notice shows it again, and is shown only if it says what the report said (`pbem.letter_checks`).

Of earlier orders doctrine, plans and winter lists may still answer. A follower is made of the files that
counted, each at the moment that the report before it showed. What of them has been carried out since then
only the judge knows; a report says what is left of them.
"""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from pbem.characters import nearest, split_lines, strip_blanks
from pbem.errors import PbemError
from pbem.letter_checks import difference, last_report, with_form_for
from pbem.orders.base import Follower, Language
from pbem.play.history import READY, Exchange
from pbem.player import files
from pbem.player.faults import Damaged, NotJoined
from pbem.player.store.game_papers import (
    Chronicle,
    Held,
    Proven,
    Sent,
    read_chronicle,
    read_ledger,
    write_ledger,
)
from pbem.reports.packing import shows_view, unpack_view
from pbem.rules.base import View
from pbem.trust import keys
from pbem.trust.chance import Chain, make_chain
from pbem.trust.faults import LedgerFault, TrustFault
from pbem.trust.identifiers import (
    JUDGE_NAMESPACES,
    PLAYER_NAMESPACES,
    check_game_id,
    is_hash,
    is_token,
    split_who,
)
from pbem.trust.keys import PublicKey, Signer, check_private_mode
from pbem.trust.letters import Addresses, OpenEntry, parse_addresses
from pbem.trust.orderfile import parse_orders

GM = "gm"
NOTES = "notes"


@dataclass(frozen=True, slots=True)
class Membership:
    """The player's part in a game: their name, key file and public key."""

    player: str
    key_file: str
    """The file of the player's key: below the home's `keys`, or anywhere if the path is absolute."""
    public: PublicKey

    @property
    def text(self) -> bytes:
        """Return the content of the file `player`, which keeps the player's part in the game."""
        return f"player {self.player}\nkey {self.key_file}\npublic {self.public.line}\n".encode()


class Secret(NamedTuple):
    """A chain's last link as a file holds it, and the name under which its links are hashed."""

    last: bytes
    under: str
    """The name under which the chain's links are hashed; "" if it is the ledger's."""


def game_folder(home: Path, game: str) -> GameFolder:
    """Return the folder that a game has or would have in the home at a given path."""
    return GameFolder(home / "games" / check_game_id(game))


def read_secret(path: Path) -> Secret | None:
    """Return a chain's last link from its file; None if there is no file.

    Raises:
        Damaged: the file is not as it was written.
    """
    if (data := files.read_file(path)) is None:
        return None
    check_private_mode(path)
    text, _, under = strip_blanks(data.decode("ascii", errors="replace")).partition(" ")
    if not is_hash(text) or (under and not is_token(under)):
        raise Damaged(f"{path} is damaged: it must hold 64 hex digits")
    return Secret(bytes.fromhex(text), under)


class Folder(ABC):
    """The folder of one ledger in the player's home, a game's or a league's."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.game = path.name
        """The name of the ledger."""
        self.sent_files = Sent(path / "sent")

    @property
    def judge_statements(self) -> Held:
        """The statements in this folder that the judge has signed."""
        return Held(self.path / "held", self.judges())

    @property
    @abstractmethod
    def player(self) -> str:
        """Return the name of the player who takes part from this home. Raises NotJoined if nobody does."""

    @property
    def expected_file(self) -> str:
        """Return the judge's fingerprint that joining has fixed; "" if the first letter brings it."""
        return ""

    @abstractmethod
    def chronicle(self) -> Proven | None:
        """Return the kept ledger, checked against the judge's signature; None before the first letter."""

    @abstractmethod
    def plays_from(self, chronicle: Proven) -> tuple[int, int]:
        """Return the exchange from which this home's key signs, and how many files earlier keys signed."""

    # Chains

    def secret_path(self, who: str) -> Path:
        """Return the path of the file for the last link of a chain."""
        generation = split_who(who)[1]
        return self.path / ("chain-secret" if generation == 1 else f"chain-secret-{generation}")

    def new_chain(self, who: str, secret: bytes, under: str = "") -> Chain:
        """Return the chain of a given name; make it, with the given last link, if there is none.

        `under`: the name under which the chain's links are hashed, if that is not the ledger's.
        """
        files.write_new(self.secret_path(who), strip_blanks(f"{secret.hex()} {under}").encode() + b"\n")
        kept = self.chain(who)
        assert kept is not None
        return kept

    def chain(self, who: str) -> Chain | None:
        """Return a chain of the player; None if the chain's secret is not in this home."""
        secret = read_secret(self.secret_path(who))
        return make_chain(secret.under or self.game, who, secret.last) if secret else None

    # The judge

    def is_judge(self, key: PublicKey) -> bool:
        """Tell whether a key is one of the judge's in the ledger of this folder."""
        return key.fingerprint == self.expected_file if self.expected_file else key in self.judges()

    def judge(self) -> PublicKey | None:
        """Return the judge's present key; None if no key is known."""
        judges = self.judges()
        return judges[-1] if judges else None

    def judges(self) -> tuple[PublicKey, ...]:
        """Return the judge's keys in order: the one in the first report, then those that replaced it."""
        return tuple(signer.key for signer in self._signers() if signer.name == GM)

    def _signers(self) -> tuple[Signer, ...]:
        path = self.path / "allowed_signers"
        if (data := files.read_file(path)) is None:
            return ()
        try:
            return keys.parse_signers(data.decode())
        except (TrustFault, UnicodeDecodeError):
            raise Damaged(f"{path} is damaged") from None

    def signers(self) -> bytes:
        """Return the content of the file allowed_signers for ssh-keygen; empty if there is none."""
        return files.read_file(self.path / "allowed_signers") or b""

    def pin_judge(self, judge: PublicKey, player: str, public: PublicKey) -> None:
        """Keep the judge's key, or one that has replaced it, beside the player's own."""
        own = Signer(name=player, game=self.game, namespaces=PLAYER_NAMESPACES, key=public)
        signers = self._signers() or (own,)
        if judge not in self.judges():
            signers += (Signer(name=GM, game=self.game, namespaces=JUDGE_NAMESPACES, key=judge),)
        if (data := keys.render_signers(signers).encode()) != self.signers():
            files.write(self.path / "allowed_signers", data)

    # The ledger

    def leaves(self) -> tuple[str, ...]:
        """Return the leaves of the kept ledger, unchecked."""
        return self.ledger()[0]

    def check_signed(self, chronicle: Proven) -> None:
        """Raise Damaged unless the judge has signed the head of a kept ledger."""
        signed = self.judge_statements.checkpoint(chronicle.size)
        if signed is None or signed.checkpoint.head != chronicle.head:
            raise Damaged(
                f"the ledger kept in {self._ledger_path} is damaged: "
                f"the judge has signed no such ledger of {chronicle.size} entries"
            )

    def keep_ledger(self, chronicle: Proven) -> bool:
        """Keep a ledger in place of the one before; return whether anything in it is new."""
        data = write_ledger(chronicle.leaves, chronicle.opened)
        if data == files.read_file(self._ledger_path):
            return False
        files.write(self._ledger_path, data)
        return True

    @property
    def _ledger_path(self) -> Path:
        return self.path / "ledger.txt"

    def ledger(self) -> tuple[tuple[str, ...], dict[int, OpenEntry]]:
        """Return the leaves and the entries of the kept ledger, unchecked."""
        try:
            return read_ledger(files.read_file(self._ledger_path) or b"")
        except Damaged as fault:
            raise Damaged(f"the ledger kept in {self._ledger_path} is damaged: {fault}") from None

    # Letters

    def keep_notice(self, exchange: int, size: int, text: str) -> bool:
        """Keep the first notice that came with a ledger of `size` entries; return whether its text is new."""
        return _keep_first(self.path / f"reports/{exchange:04}-{size}.txt", text)

    def notices(self, exchange: int) -> Iterator[str]:
        """Yield the notices about an exchange, the latest first."""
        paths = (self.path / "reports").glob(f"{exchange:04}-*.txt")
        for path in sorted(paths, key=lambda one: int(one.stem.partition("-")[2]), reverse=True):
            yield (files.read_file(path) or b"").decode()

    def echo(self, number: int) -> str | None:
        """Return the plain words of a receipt; None if this home does not have them."""
        data = files.read_file(self._echo(number))
        return None if data is None else data.decode()

    def keep_echo(self, number: int, words: bytes) -> bool:
        """Keep the plain words of a receipt, which names their hash; return whether they are new."""
        return files.write_once(self._echo(number), words)

    # Where mails go

    def addresses(self) -> Addresses:
        """Return the mail addresses in the judge's latest letter; none if the club does not play by mail."""
        return self._addresses()[1]

    def keep_addresses(self, size: int, addresses: Addresses) -> None:
        """Keep the mail addresses in a letter with a ledger of `size` entries, if no later ones are known."""
        known_size, known = self._addresses()
        if size >= known_size and addresses != known:
            lines = [f"size {size}", *addresses.lines]
            files.write(self.path / "addresses", "".join(f"{line}\n" for line in lines).encode())

    def _addresses(self) -> tuple[int, Addresses]:
        path = self.path / "addresses"
        data = files.read_file(path) or b""
        words = dict(line.partition(" ")[::2] for line in split_lines(data.decode(errors="replace")))
        try:
            return int(words.get("size", "0")), parse_addresses(words)
        except (ValueError, TrustFault):
            raise Damaged(f"{path} is damaged; remove it: the next letter writes it again") from None

    def _echo(self, number: int) -> Path:
        return self.path / f"echoes/{number:04}.txt"


class GameFolder(Folder):
    """The folder of one game in the player's home."""

    @property
    def player(self) -> str:
        """Return the name of the player who plays the game from this home."""
        return self.membership().player

    # Who plays

    def membership(self) -> Membership:
        """Return the player's part in this game.

        Raises:
            NotJoined: nobody plays the game from this home.
        """
        if (member := self.find_membership()) is None:
            others = [one.parent.name for one in self.path.parent.glob("*/player")]
            near = nearest(self.game, others, 1, 0.6)
            said = f"you have not joined {self.game} from this home; "
            raise NotJoined(said + (f"did you mean {near[0]}?" if near else f"pbem join {self.game} does it"))
        return member

    def find_membership(self) -> Membership | None:
        """Return the player's part in this game; None if nobody plays it from this home."""
        if (data := files.read_file(self.path / "player")) is None:
            return None
        words = dict(line.split(" ", 1) for line in split_lines(data.decode()) if " " in line)
        try:
            return Membership(words["player"], words["key"], keys.parse_public(words["public"]))
        except (KeyError, TrustFault):
            raise Damaged(f"{self.path / 'player'} is damaged") from None

    def enlist(self, member: Membership, join: bytes | None) -> None:
        """Keep the player's part in the game, and the join file if there is one."""
        if join is not None:
            files.write(self.path / "join.txt", join)
        files.write(self.path / "player", member.text)

    def join_file(self) -> bytes | None:
        """Return the join file as it was signed; None if there is none."""
        return files.read_file(self.path / "join.txt")

    def chronicle(self) -> Chronicle | None:
        """Return the kept ledger, checked against the judge's signature; None before the first report.

        Raises:
            Damaged: a file is not as it was stored.
        """
        try:
            chronicle = _chronicle(self.game, files.read_file(self._ledger_path) or b"")
        except (Damaged, LedgerFault) as fault:
            raise Damaged(f"the ledger kept in {self._ledger_path} is damaged: {fault}") from None
        if chronicle is not None:
            self.check_signed(chronicle)
        return chronicle

    def plays_from(self, chronicle: Proven) -> tuple[int, int]:
        """Return the exchange from which this home's key signs, and how many files earlier keys signed."""
        assert isinstance(chronicle, Chronicle)
        member = self.membership()
        first = chronicle.plays_from(member.player, member.public.fingerprint)
        return first, chronicle.received_before(member.player, first)

    # Reports

    def report(self, exchange: int) -> str | None:
        """Return the text of a kept report; None if this home does not have it."""
        data = files.read_file(self._report(exchange))
        return None if data is None else data.decode()

    def reports(self) -> tuple[int, ...]:
        """Return the exchanges whose reports are kept; 0 is the invitation."""
        found = (self.path / "reports").glob("[0-9][0-9][0-9][0-9].txt")
        return tuple(sorted(int(path.stem) for path in found))

    def keep_report(self, exchange: int, text: str) -> bool:
        """Keep a report; return whether it is new. The first invitation stays, as no entry commits to one."""
        if exchange == 0:
            return _keep_first(self._report(exchange), text)
        return files.write_once(self._report(exchange), text.encode())

    def keep_forecast(self, sealed: str, text: str) -> bool:
        """Keep the judge's first forecast of a sealed file; return whether the given forecast is new."""
        return _keep_first(self.path / f"forecasts/{sealed}.txt", text)

    def forecast(self, sealed: str) -> str:
        """Return the judge's forecast of a sealed file; "" if none came."""
        data = files.read_file(self.path / f"forecasts/{sealed}.txt") if is_hash(sealed) else None
        return (data or b"").decode(errors="replace")

    def _report(self, exchange: int) -> Path:
        return self.path / f"reports/{exchange:04}.txt"


def _keep_first(path: Path, text: str) -> bool:
    """Keep a text under a file's name unless one is kept there; return False if the same text was kept."""
    return files.write_new(path, text.encode()) or files.read_file(path) != text.encode()


@lru_cache(maxsize=8)
def _chronicle(game: str, data: bytes) -> Chronicle | None:
    """Return the ledger in a file's bytes; None if it is empty. Cached for commands that look twice."""
    leaves, opened = read_ledger(data)
    return read_chronicle(game, leaves, opened) if leaves else None


def leaf_lines(leaves: tuple[str, ...]) -> bytes:
    """Return the content of a file of leaves, which has a line "<n> <leaf hex>" for each leaf."""
    return "".join(f"{number} {leaf}\n" for number, leaf in enumerate(leaves, 1)).encode()


def committed_report(folder: GameFolder, chronicle: Chronicle, exchange: Exchange) -> str | None:
    """Return the kept report of an exchange, if it is the one that the ledger commits to; else None."""
    text, player = folder.report(exchange.number), chronicle.enrolled_player(folder.player)
    if text is None or player is None:
        return None
    reported = chronicle.report_hash(exchange.number, player.side)
    return text if hashlib.sha256(text.encode()).hexdigest() == reported else None


def position_in(folder: GameFolder, chronicle: Chronicle, exchange: Exchange) -> str | None:
    """Return the report that orders for an exchange answer; None if it is not kept in this home."""
    if (last := last_report(chronicle.history, exchange)) is None:
        text = folder.report(0)
        return None if text is None or shows_view(text) else text
    if (report := committed_report(folder, chronicle, last)) is None:
        return None
    if last.number + 1 == exchange.number:
        return report
    for notice in folder.notices(exchange.number):
        if not shows_view(notice):
            continue
        if difference(chronicle.history, chronicle.heads, last, exchange, report, notice) == "":
            return notice
    return with_form_for(report, exchange.number)


def position(folder: GameFolder, chronicle: Chronicle) -> str | None:
    """Return the report with the game's present or last position; None if it is not kept in this home."""
    if (current := chronicle.history.current) is not None:
        return position_in(folder, chronicle, current)
    last = last_report(chronicle.history)
    return folder.report(0) if last is None else committed_report(folder, chronicle, last)


def earlier_orders(
    folder: GameFolder, side: str, exchange: int | None, language: Language
) -> Follower | None:
    """Return a follower that knows a side's orders for the exchanges before `exchange`, as far as in force.

    Without an exchange: before the open one. None if the orders are not kept in this folder.
    """
    if folder.find_membership() is None or (chronicle := folder.chronicle()) is None:
        return None
    player = next((one.name for one in chronicle.genesis.players if one.side == side), "")
    if player != folder.membership().player:
        return None
    history = chronicle.history
    sent = {file.name: file.text for file in folder.sent_files.orders()}
    follower = language.follower(side)
    for played in history.resolved:
        if played.number == READY or (exchange is not None and played.number >= exchange):
            continue
        counted = history.source(played).counted().get(player)
        view = _view(folder, chronicle, played)
        if counted is None or view is None or counted.sealed not in sent:
            continue
        try:
            body = parse_orders(sent[counted.sealed]).body
        except PbemError:
            continue  # damaged here: the judge has it whole
        follower.receive(language.parse(body, side).orders, view)
    return follower


def _view(folder: GameFolder, chronicle: Chronicle, exchange: Exchange) -> View | None:
    """Return the view with which an exchange was opened, or that of the exchange which it plays again."""
    text = position_in(folder, chronicle, chronicle.history.source(exchange))
    return None if text is None else unpack_view(text)
