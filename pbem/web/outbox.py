"""The outbox of the page, and its messages to post boxes, which the page's own JavaScript sends.

    page/outbox-000007.json     what waits to be posted: a sealed file or what was signed, by its number
    page/pocket.json            {"<name of a key>": {"public": "<base64>", "games": ["hearth", ...]}}
    boxes/                      how far letters were fetched, and those that were refused: see
                                pbem.player.box_client, which does on a command line what this does here

What is sealed and what waits to be posted are kept in one transaction of the page's storage: a page that is
killed has both, or neither. An entry goes when the box has said which bytes it stored; the same bytes twice
are one file for the judge. What has no box is handed to a mail program.

A box is trusted with delivery alone: what it answers is bounded and read here, and a letter counts by the
judge's signature. Letters are kept in the same transaction as how far they were fetched, and acknowledged
after that. One that was refused, as when the one before it is still missing, is tried again with the next.

With the fetch key of a browser, a page whose keys are locked sees whether letters wait. It is made in the
browser as its own object, which signs and cannot be read out. A statement of the player names it to the judge
(pbem.trust.player_statements) and is posted as orders are; another one withdraws it. What it would sign is
handed out as bytes, and the signature comes back: the request is put together here.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeGuard

from pbem.errors import PbemError
from pbem.player import Home, SealedOrders, files
from pbem.player.box_client import Fetched, HomeBox, key_of, keys_of
from pbem.player.faults import Refused
from pbem.player.incoming.letters_in import box_of, push_key_of
from pbem.trust.identifiers import quote
from pbem.trust.keys import PrivateKey, PublicKey
from pbem.trust.letters import BOX
from pbem.trust.player_statements import FetchKey, sign_fetch_key
from pbem.trust.post_box import Deed, make_request
from pbem.trust.times import parse_utc, utc_text

if TYPE_CHECKING:
    from pbem.player.incoming.receiving import Delivery
    from pbem.player.store.game_store import Folder

MAX_LETTERS = 1_000
"""Maximum number of letters in one answer of a post box; an answer with more is refused."""
MAX_ANSWER_SIZE = 12_000_000
"""Maximum length in characters of a post box's answer; most have up to a million, but one letter may have
eight."""
MAX_KEPT_LETTERS = 100
"""Maximum number of a reader's refused letters that are kept for another try; the oldest are dropped."""
ODD = "the post box gave an answer that is not written as its format demands"


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """A file or signed text that waits to be posted."""

    number: int
    game: str
    box: str
    text: str
    exchange: int = 0
    """The exchange of an order file; 0 for anything else."""
    rev: int = 0
    signed: str = ""
    """The signed text's name in the table of signed texts; "" for orders and for a request to join."""


@dataclass(frozen=True, slots=True)
class BoxCall:
    """A request to a post box that the page's JavaScript is to send."""

    url: str
    header: str
    """The value of the header `Pbem-Request`; "" if nobody signs the request."""
    body: str


@dataclass(frozen=True, slots=True)
class Reader:
    """A key for which letters are fetched from a box."""

    box: str
    key: str


class Outbox:
    """The outbox of a home: the files that wait to be posted, and the player's requests to post boxes."""

    def __init__(self, home: Home, clock: Callable[[], datetime]) -> None:
        self._home = home
        self._clock = clock
        self._folder = home.path / "page"

    # What waits

    def add(
        self, game: str, box: str, text: str, exchange: int = 0, rev: int = 0, *, signed: str = ""
    ) -> None:
        """Add a text to the end of those that wait to be posted; the same text is added only once."""
        waiting = self.waiting()
        if any((one.box, one.text) == (box, text) for one in waiting):
            return
        number = max((one.number for one in waiting), default=0) + 1
        entry = Waiting(
            number=number, game=game, box=box, text=text, exchange=exchange, rev=rev, signed=signed
        )
        files.write(self._place(number), json.dumps(asdict(entry)).encode())

    def waiting(self) -> tuple[Waiting, ...]:
        """Return the entries that wait to be posted, in order; one that is damaged is left out."""
        return tuple(self._read())

    def drop(self, game: str, exchange: int, rev: int) -> None:
        """Remove these orders from those that wait to be posted, because the player has mailed them."""
        for one in self.waiting():
            if (one.game, one.exchange, one.rev) == (game, exchange, rev):
                self._place(one.number).unlink()

    def request(self, number: int) -> BoxCall:
        """Return the request that posts the entry with this number, signed if its key is unlocked."""
        one = self._get(number)
        return self.call(Deed.POST, one.box, one.text, self._key_of(one.game))

    def posted(self, number: int, answer: str) -> Waiting:
        """Take in the answer of a post box that stored an entry; remove the entry and return it.

        Raises:
            Refused: the box has stored something else, or does not say what.
        """
        one = self._get(number)
        said = _answer(answer).get("sha256")
        if said != hashlib.sha256(one.text.encode()).hexdigest():
            raise Refused("the post box says that it stored something else than what was sent")
        self._place(number).unlink()
        return one

    def _read(self) -> Iterator[Waiting]:
        for path in sorted(self._folder.glob("outbox-*.json")):
            found = _load_file(path)
            try:
                one = Waiting(**found)
            except TypeError:
                continue
            kinds: dict[str, type] = dict.fromkeys(("game", "box", "text", "signed"), str)
            kinds |= dict.fromkeys(("exchange", "rev", "number"), int)
            if all(type(found[name]) is kinds[name] for name in found) and path == self._place(one.number):
                yield one

    def _get(self, number: int) -> Waiting:
        for one in self.waiting():
            if one.number == number:
                return one
        raise Refused("this does not wait to be sent any more")

    def _place(self, number: int) -> Path:
        return self._folder / f"outbox-{number:06}.json"

    # Letters

    def readers(self, boxes: Mapping[str, str]) -> tuple[Reader, ...]:
        """Return the keys for which letters may wait: unlocked keys of games, by the games' post boxes."""
        found = {
            Reader(box, name)
            for game, box in boxes.items()
            if box
            for name in self._keys_of(game)
            if self._is_unlocked(name)
        }
        return tuple(sorted(found, key=lambda one: (one.box, one.key)))

    def fetching(self, reader: Reader) -> BoxCall:
        """Return the request for the letters that a key's home does not have yet."""
        return self.call(Deed.FETCH, reader.box, f"since {self.since(reader)}\n", reader.key)

    def take(self, reader: Reader, answer: str) -> tuple[Delivery, BoxCall | None, bool]:
        """Take in the letters of an answer; return the result, the acknowledgement, and if more letters wait.

        Letters that were refused before are tried again with them.

        Raises:
            Refused: the text is no answer of a box.
        """
        box, letters = self._box(reader), letters_in(answer, self.since(reader))
        if not letters:
            return self._home.deliver({}), None, False
        box.keep([Fetched(number, mail) for number, mail in letters.items()])
        kept = {f"letter {int(Path(path).stem)}": (Path(path), mail) for path, mail in box.kept().items()}
        delivery = self._home.deliver({name: mail for name, (_, mail) in kept.items()})
        refused = [name for name in kept if any(name == one for one, _ in delivery.faults)]
        for name in kept.keys() - set(refused[-MAX_KEPT_LETTERS:]):
            kept[name][0].unlink()
        done = self.call(Deed.ACKNOWLEDGE, reader.box, f"through {max(letters)}\n", reader.key)
        return delivery, done, _answer(answer).get("more") is True

    def since(self, reader: Reader) -> int:
        """Return the number up to which the home has all letters of a key."""
        return self._box(reader).last_letter

    def _box(self, reader: Reader) -> HomeBox:
        return HomeBox(self._home, reader.box, reader.key)

    # Requests

    def call(self, deed: Deed, box: str, body: str, name: str) -> BoxCall:
        """Return a request to a post box, signed if the key of this name is unlocked."""
        header = ""
        if self._is_unlocked(name):
            header = make_request(deed, box, body.encode(), self._clock(), self._home.keys.unlock(name))
        return BoxCall(f"{box}{deed}", header, body)

    # The copy of the home

    def copy_in(self, answer: str) -> tuple[object, str]:
        """Return generation and armor of the home's copy in the answer of a post box.

        Raises:
            Refused: the text is no answer of a box.
        """
        said = _answer(answer)
        try:
            return said["generation"], base64.b64decode(said["copy"], validate=True).decode("ascii")
        except (KeyError, TypeError, ValueError):
            raise Refused(ODD) from None

    def generation_in(self, answer: str) -> int:
        """Return the generation of a copy that a post box says it has stored; 0 if its answer names none."""
        number = _answer(answer).get("generation")
        return number if _is_number(number) else 0

    # Inside

    def _key_of(self, game: str) -> str:
        try:
            return key_of(self._home, game)
        except PbemError:  # the game was forgotten, or its files are damaged
            return ""

    def _keys_of(self, game: str) -> tuple[str, ...]:
        """Return the names of the keys for which letters about a game or league may wait."""
        try:
            return keys_of(self._home, game)
        except PbemError:  # as in `_key_of`
            return ()

    def _is_unlocked(self, name: str) -> bool:
        return name in self._home.keys.names() and self._home.keys.is_unlocked(name)


def box_known(folder: Folder, joined_at: str) -> str:
    """Return the post box that a game's judge names, or that to which the join was posted."""
    return box_of(folder) if (folder.path / BOX).exists() else joined_at


def push_known(folder: Folder) -> str:
    """Return the key by which a game's judge wakes devices; "" if it has none, or its letter is damaged."""
    try:
        return push_key_of(folder)
    except PbemError:
        return ""


def letters_in(answer: str, since: int) -> dict[int, bytes]:
    """Return the letters in a post box's answer by number; the numbers rise and are greater than `since`.

    Raises:
        Refused: the text is no answer of a box.
    """
    return dict(_letters(_answer(answer).get("letters"), since))


def _load_file(path: Path) -> dict[str, Any]:
    """Return the content of one of the page's own JSON files; an empty dictionary if it is damaged."""
    try:
        found = json.loads(files.read_file(path) or b"{}")
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _answer(text: str) -> dict[str, Any]:
    if len(text) > MAX_ANSWER_SIZE:
        raise Refused("the answer of the post box is too long")
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        raise Refused(ODD) from None
    if not isinstance(found, dict):
        raise Refused(ODD)
    return found


def _letters(said: object, since: int) -> Iterator[tuple[int, bytes]]:
    """Yield number and mail of each letter in a post box's answer, in order."""
    if not isinstance(said, list) or len(said) > MAX_LETTERS:
        raise Refused(ODD)
    for letter in said:
        number, mail = (letter.get("number"), letter.get("mail")) if isinstance(letter, dict) else (0, "")
        if not _is_number(number) or not isinstance(mail, str) or number <= since:
            raise Refused(f"{ODD}: after letter {since} comes {quote(str(number), 40)}")
        since = number
        try:
            yield number, base64.b64decode(mail, validate=True)
        except (binascii.Error, ValueError):
            raise Refused(f"{ODD}: letter {number} is not base64") from None


def _is_number(value: object) -> TypeGuard[int]:
    return type(value) is int and 0 <= value < 10**12


@dataclass(frozen=True, slots=True, kw_only=True)
class Outgoing:
    """One file to be handed to a mail program."""

    game: str
    file: str
    """The name for the file, with an ending that the browser's share dialog accepts."""
    text: str
    """The text that the mail must contain."""
    to: str = ""
    """The judge's mail address; "" if the letters name none."""
    copies: tuple[str, ...] = ()
    subject: str = ""
    eml: str = ""
    """The address (mailto:) that opens the whole mail as a draft; "" if no address is known."""
    exchange: int = 0
    rev: int = 0
    sealed: str = ""
    """The SHA-256 of the sealed file, by which receipt and ledger name the file."""
    remarks: tuple[str, ...] = ()


def orders_out(home: Home, orders: SealedOrders) -> Outgoing:
    """Return sealed orders as a file for a mail program, with address and subject."""
    from email import policy  # it takes long to import
    from email.parser import BytesParser

    what = f"revision-{orders.rev}" if orders.rev else "reveal"
    try:
        eml = home.mail(orders)
    except Refused:  # the club does not play by mail
        eml = b""
    read = BytesParser(policy=policy.default).parsebytes(eml, headersonly=True)
    return Outgoing(
        game=orders.game,
        file=f"{orders.game}-{orders.exchange:04}-{what}.txt",
        text=orders.armor,
        to=str(read["To"] or ""),
        copies=tuple(address.strip() for address in str(read["Cc"] or "").split(",") if address.strip()),
        subject=str(read["Subject"] or f"{orders.game} exchange {orders.exchange}: sealed orders"),
        eml=eml.decode(),
        exchange=orders.exchange,
        rev=orders.rev,
        sealed=orders.name,
        remarks=orders.remarks,
    )


@dataclass(frozen=True, slots=True)
class Peek:
    """A request to a post box that a fetch key has to sign."""

    box: str
    key: str
    """The name of the player's key whose letters the fetch key may fetch."""
    time: str
    message: str
    """The bytes that the fetch key has to sign, in base64."""


class PocketKey(PrivateKey):
    """A fetch key in the browser; `raw` is the signature that it has made, or zeros before that."""

    __slots__ = ("message", "raw")

    def __init__(self, public: PublicKey, raw: bytes = bytes(64)) -> None:
        self.public = public
        self.raw = raw
        self.message = b""

    def sign_raw(self, message: bytes) -> bytes:
        """Return the signature made by the browser, and keep the message that the browser must sign."""
        self.message = message
        return self.raw


class Pocket:
    """The fetch keys of this browser, and the requests that they have to sign."""

    def __init__(self, home: Home, outbox: Outbox, clock: Callable[[], datetime]) -> None:
        self._home = home
        self._outbox = outbox
        self._clock = clock
        self._path = home.path / "page/pocket.json"

    def names(self) -> tuple[str, ...]:
        """Return the names of the player's keys for which this browser has a fetch key."""
        return tuple(sorted(self._read()))

    def offer(self, name: str, public: str, box_of: Callable[[Any], str]) -> int:
        """Add to the outbox statements that name a fetch key to each judge who has a post box and lacks it.

        Return the number of games and leagues that the statements are for.
        """
        known = self._read()
        games = known.get(name, {}).get("games", []) if known.get(name, {}).get("public") == public else []
        fresh = tuple(self._statements(name, public, games, box_of, withdraws=False))
        if fresh:
            files.write(
                self._path,
                json.dumps(known | {name: {"public": public, "games": [*games, *fresh]}}).encode(),
            )
        return len(fresh)

    def withdraw(self, name: str, box_of: Callable[[Any], str]) -> None:
        """Add to the outbox statements that withdraw the fetch key of a player's key."""
        known = self._read()
        if (one := known.pop(name, None)) is not None:
            tuple(self._statements(name, one["public"], [], box_of, withdraws=True))
            files.write(self._path, json.dumps(known).encode())

    def questions(self, boxes: dict[str, str]) -> tuple[Peek, ...]:
        """Return the requests that the fetch keys have to sign, for the post boxes of these games."""
        time = self._clock().replace(microsecond=0)
        found = {
            (boxes[game], name): one["public"]
            for name, one in self._read().items()
            for game in one["games"]
            if boxes.get(game)
        }
        asked = []
        for (box, name), public in sorted(found.items()):
            key = PocketKey(_public(public))
            make_request(Deed.FETCH, box, self._body(box, name).encode(), time, key)
            asked.append(Peek(box, name, utc_text(time), base64.b64encode(key.message).decode()))
        return tuple(asked)

    def request(self, box: str, name: str, time: str, signature: str) -> BoxCall:
        """Return the request to a post box for letters, with the signature of the fetch key."""
        body = self._body(box, name)
        key = PocketKey(_public(self._read()[name]["public"]), _decode(signature, 64))
        return BoxCall(
            f"{box}fetch", make_request(Deed.FETCH, box, body.encode(), parse_utc(time), key), body
        )

    def count(self, box: str, name: str, answer: str) -> int:
        """Return the number of waiting letters in a post box's answer; the letters are not kept."""
        return len(letters_in(answer, self._outbox.since(Reader(box, name))))

    def _body(self, box: str, name: str) -> str:
        return f"since {self._outbox.since(Reader(box, name))}\n"

    def _statements(
        self, name: str, public: str, but: list[str], box_of: Callable[[Any], str], withdraws: bool
    ) -> Iterator[str]:
        """Add a signed statement for each judge with a post box to the outbox; yield the games concerned."""
        key, told = self._home.keys.unlock(name), set[tuple[str, str]]()
        folders = (*self._home.folders(), *self._home.league_folders())
        for folder in sorted(folders, key=lambda one: one.game not in but):
            try:
                judge, box, signs = folder.judge(), box_of(folder), key_of(self._home, folder.game) == name
            except PbemError:
                continue  # a game that is damaged says so itself
            if not signs or judge is None or not box:
                continue
            if (box, judge.fingerprint) not in told and folder.game not in but:
                said = FetchKey(
                    player=folder.player,
                    judge=judge.fingerprint,
                    key=_public(public),
                    is_withdrawn=withdraws,
                    made=self._clock().replace(microsecond=0),
                )
                self._outbox.add(folder.game, box, sign_fetch_key(said, key).decode(), signed="fetch-key")
            told.add((box, judge.fingerprint))
            if folder.game not in but:
                yield folder.game

    def _read(self) -> dict[str, dict[str, Any]]:
        try:
            found = json.loads(files.read_file(self._path) or b"{}")
        except (ValueError, RecursionError):
            return {}
        named = found.items() if isinstance(found, dict) else ()
        return {name: one for name, one in named if _is_pocket(one) and name in self._home.keys.names()}


def _is_pocket(one: object) -> bool:
    if not isinstance(one, dict) or one.keys() != {"public", "games"}:
        return False
    public, games = one["public"], one["games"]
    return (
        isinstance(public, str) and isinstance(games, list) and all(isinstance(game, str) for game in games)
    )


def _public(text: str) -> PublicKey:
    return PublicKey(_decode(text, 32))


def _decode(text: str, size: int) -> bytes:
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        data = b""
    if len(data) != size:
        raise Refused("this browser gave something that is not a key or a signature")
    return data
