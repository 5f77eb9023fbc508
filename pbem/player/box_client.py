"""The client of a post box: posts files, fetches letters, and says what has come.

    boxes/<hex>/through         the number up to which a key's letters of one box are here
    boxes/<hex>/fetched/*.eml   letters that have come and were not taken in, or were refused
    boxes/<hex>/named           box and key, as the player has named them: until a judge's letter names a box
    boxes/<hex>/fetch-key       a key that may fetch for the key and nothing else, without a passphrase

`<hex>` names key and box. A letter is stored here before it is taken in, and acknowledged after that:
whatever this is stopped in the middle of, nothing is lost, and what comes a second time changes nothing.
What a box answers is read as hostile: so many bytes, so long, and no redirection.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pbem.characters import strip_blanks
from pbem.errors import ConfigError, MailError
from pbem.player import files
from pbem.player.files import lock_folder
from pbem.player.incoming.letters_in import box_of
from pbem.trust.faults import KeyFault, TrustFault
from pbem.trust.identifiers import is_number, quote
from pbem.trust.keys import PrivateKey, generate, load_private
from pbem.trust.player_statements import FetchKey, sign_fetch_key
from pbem.trust.post_box import CLOCK, HEADER, Deed, check_box_url, make_request

if TYPE_CHECKING:
    from pbem.player.home import Home
    from pbem.player.incoming.receiving import Delivery
    from pbem.player.store.game_store import Folder

MAX_ANSWER_SIZE = 24_000_000
"""Maximum size in bytes of an answer of a post box."""
SECONDS = 30
"""Seconds that a post box has for each part of its answer."""
MAX_ROUNDS = 200
"""Maximum number of answers that are asked for in one fetch; the next fetch goes on from there."""


class BoxFault(MailError):
    """Raised if a post box cannot be reached, or does not do what a request asks."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """One letter as the post box gave it, with its number."""

    number: int
    mail: bytes


@dataclass
class BoxClient:
    """The client of one post box, with the key that signs its requests."""

    url: str
    key: PrivateKey
    clock: Callable[[], datetime]

    def post(self, body: bytes) -> str:
        """Post a sealed file or a signed statement; return its SHA-256, which the box has stored.

        Raises:
            BoxFault: the box has not stored the file.
        """
        said = self._ask(Deed.POST, body)
        if said.get("sha256") != (sha256 := hashlib.sha256(body).hexdigest()):
            raise BoxFault("the post box says that it has stored something else; send it by mail")
        return sha256

    def fetch(self, since: int) -> tuple[list[Fetched], bool]:
        """Return the letters of the box after the number `since`, and whether there are more.

        Raises:
            BoxFault: the box cannot be reached, or gives an answer that is none.
        """
        said = self._ask(Deed.FETCH, f"since {since}\n".encode())
        try:
            found = [_letter(row) for row in said["letters"]]
            more = bool(said["more"])
        except (KeyError, TypeError, ValueError, binascii.Error):
            raise BoxFault("the post box does not answer as one must") from None
        if [one.number for one in found] != sorted({one.number for one in found} - set(range(since + 1))):
            raise BoxFault("the post box gives its letters in a false order")
        return found, more and bool(found)

    def acknowledge(self, through: int) -> None:
        """Tell the post box that all letters up to a number have arrived in this home."""
        self._ask(Deed.ACKNOWLEDGE, f"through {through}\n".encode())

    def get_copy(self, since: int) -> tuple[object, object]:
        """Return generation and armor of the home's copy in the box; the armor is "" if `since` is newest."""
        said = self._ask(Deed.GET_COPY, f"since {since}\n".encode())
        try:
            armor = base64.b64decode(said["copy"], validate=True).decode("ascii")
            return said["generation"], armor
        except (KeyError, TypeError, ValueError, binascii.Error):
            raise BoxFault("the post box does not answer as one must") from None

    def put_copy(self, generation: int, armor: str) -> bool:
        """Store the next copy of the home in the box; return False if another device was faster."""
        body = f"generation {generation}\n{armor}".encode()
        return self._ask(Deed.PUT_COPY, body, refusal="generation").get("generation") == generation

    def _ask(self, deed: Deed, body: bytes, refusal: str = "") -> Mapping[str, Any]:
        """Return the answer of the box to a signed request; the fault `refusal` counts as an answer, too."""
        header = make_request(deed, check_box_url(self.url), body, self.clock(), self.key)
        status, answer = _request(f"{self.url}{deed}", body, header)
        try:
            said = json.loads(answer)
        except (ValueError, RecursionError):
            said = None
        if not isinstance(said, dict):
            raise BoxFault(f"{self.url} does not answer as a post box does")
        if status == 200 or (refusal and said.get("fault") == refusal):
            return said
        if said.get("fault") == CLOCK:
            raise BoxFault(
                f"the clock of this device is wrong: the post box has {quote(str(said.get('time')))}, and "
                f"here it is {self.clock():%Y-%m-%d %H:%M} UTC; set it and try again"
            )
        raise BoxFault(f"the post box says: {quote(str(said.get('text', '')), 200)}")


def _letter(row: Mapping[str, Any]) -> Fetched:
    number = row["number"]
    if type(number) is not int or not 0 < number < 10**12:
        raise ValueError
    return Fetched(number, base64.b64decode(row["mail"], validate=True))


def _request(url: str, body: bytes, header: str) -> tuple[int, bytes]:
    """Return HTTP status and bytes of the answer to a request, which goes to the given address and no other.

    Raises:
        BoxFault: there is no answer, or it is too long.
    """
    import http.client

    parts = urlsplit(url)
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    try:
        connection = kind(parts.hostname or "", parts.port, timeout=SECONDS)
        try:
            connection.request("POST", parts.path, body, {HEADER: header, "Connection": "close"})
            answer = connection.getresponse()
            data = answer.read(MAX_ANSWER_SIZE + 1)
        finally:
            connection.close()
    except (OSError, http.client.HTTPException, ValueError) as problem:
        why = strip_blanks(str(problem)).partition("\n")[0] or type(problem).__name__
        raise BoxFault(f"the post box {parts.hostname} cannot be reached: {why}") from None
    if len(data) > MAX_ANSWER_SIZE:
        raise BoxFault("the post box answers with more than there can be")
    return answer.status, data


# The home


@dataclass(frozen=True, slots=True)
class HomeBox:
    """A post box as one key of the home uses it."""

    home: Home
    url: str
    key_file: str

    @property
    def path(self) -> Path:
        """The folder for what the home knows of one post box and the key that it uses there."""
        public = self.home.keys.public(self.key_file)
        name = hashlib.sha256(f"{public.fingerprint} {self.url}".encode()).hexdigest()[:32]
        return self.home.path / "boxes" / name

    @property
    def last_letter(self) -> int:
        """The number up to which all letters of the post box have arrived in this home."""
        text = (files.read_file(self.path / "through") or b"0\n").decode("ascii", errors="replace")
        return int(text) if is_number(text.removesuffix("\n")) else 0

    def client(self, key: PrivateKey | None = None) -> BoxClient:
        """Return the client of the post box that signs with the home's own key, or with the one given."""
        return BoxClient(self.url, key or self.home.keys.unlock(self.key_file), self.home.now)

    def remember(self) -> None:
        """Note that the player has named this post box, for a key to which no judge has named one."""
        files.write(self.path / "named", f"{self.url} {self.key_file}\n".encode())

    def keep(self, found: list[Fetched]) -> None:
        """Store fetched letters as they came, before anything is done with them."""
        for one in found:
            files.write(self.path / "fetched" / f"{one.number:012d}.eml", one.mail)
        files.write(self.path / "through", f"{found[-1].number}\n".encode())

    def kept(self) -> dict[str, bytes]:
        """Return the bytes of the stored letters that were not taken in yet, by the paths of their files."""
        paths = sorted((self.path / "fetched").glob("*.eml"))
        return {str(path): data for path in paths if (data := files.read_file(path)) is not None}

    def fetch_key(self) -> PrivateKey | None:
        """Return the key that fetches letters without a passphrase; None if there is none."""
        data = files.read_file(self.path / "fetch-key")
        return load_private(data) if data is not None else None

    def name_fetch_key(self, player: str, judge: str) -> bytes:
        """Return the player's statement that names this home's fetch key, which is made if there is none."""
        if (key := self.fetch_key()) is None:
            key = generate("fetch")
            files.write_new(self.path / "fetch-key", key.to_openssh())
        return self._statement(player, judge, key, is_withdrawn=False)

    def withdraw_fetch_key(self, player: str, judge: str) -> bytes:
        """Return the player's statement that the fetch key of this home is no longer valid.

        Raises:
            ConfigError: this home has no fetch key.
        """
        if (key := self.fetch_key()) is None:
            raise ConfigError("this home has no fetch key")
        return self._statement(player, judge, key, is_withdrawn=True)

    def drop_fetch_key(self) -> None:
        """Remove the fetch key of this home, once its withdrawal was posted."""
        (self.path / "fetch-key").unlink(missing_ok=True)

    def _statement(self, player: str, judge: str, key: PrivateKey, *, is_withdrawn: bool) -> bytes:
        made = self.home.now()
        said = FetchKey(player=player, judge=judge, key=key.public, is_withdrawn=is_withdrawn, made=made)
        return sign_fetch_key(said, self.home.keys.unlock(self.key_file))


def boxes_to_ask(home: Home, game: str | None = None) -> list[HomeBox]:
    """Return the post boxes of the home's games and leagues, or of one; each box comes once for each key.

    If no judge has named a box for a key yet, as while its player's entry is under way, the box that the
    player has named is returned for this key.
    """
    if game is None:
        folders: tuple[Folder, ...] = (*home.folders(), *home.league_folders())
    else:
        folders = (home.place_of(game) if game.startswith("league.") else home.folder(game),)
    found = set(_told(home, folders))
    if game is None:
        keys = {key_file for _, key_file in (*found, *_told_entrants(home))}
        found |= {(url, key_file) for url, key_file in _named(home) if key_file not in keys}
    return [HomeBox(home, url, key_file) for url, key_file in sorted(found)]


def boxes_to_fetch(home: Home, game: str | None = None) -> list[HomeBox]:
    """Return the post boxes of `boxes_to_ask`, and those where letters of leagues wait for other keys."""
    found = {(one.url, one.key_file) for one in boxes_to_ask(home, game)} | set(_told_entrants(home, game))
    return [HomeBox(home, url, key_file) for url, key_file in sorted(found)]


def keys_of(home: Home, name: str) -> tuple[str, ...]:
    """Return the names of the keys for which letters of a game or league may wait."""
    if name.startswith("league."):
        return home.league(name).reading_names()
    return (home.place(name).membership().key_file,)


def key_of(home: Home, name: str) -> str:
    """Return the name of the key with which the player signs in a game, or a league by its ledger's name.

    Raises:
        KeyFault: the key that counts in the league is not in this home.
    """
    if name.startswith("league."):
        return home.league(name).signing_name()
    return home.place(name).membership().key_file


def _told(home: Home, folders: Iterable[Folder]) -> Iterator[tuple[str, str]]:
    """Yield each post box that a game's or league's judge has named, with the key by which it is asked."""
    for folder in folders:
        if url := box_of(folder):
            with suppress(KeyFault):  # it is lost; the league waits for a new one
                yield url, key_of(home, folder.game)


def _told_entrants(home: Home, game: str | None = None) -> Iterator[tuple[str, str]]:
    """Yield each post box that the judge of a league has named, with each key that may have letters there."""
    for folder in home.league_folders():
        if folder.game == (game or folder.game) and (url := box_of(folder)):
            yield from ((url, name) for name in keys_of(home, folder.game))


def _named(home: Home) -> Iterator[tuple[str, str]]:
    """Yield each post box that the player has named, with the key; what is damaged is left out."""
    for path in sorted((home.path / "boxes").glob("*/named")):
        url, _, key_file = (files.read_file(path) or b"").decode(errors="replace").strip().partition(" ")
        with suppress(TrustFault):
            if key_file in home.keys.names():
                yield check_box_url(url), key_file


def fetch_letters(box: HomeBox, key: PrivateKey | None = None) -> int:
    """Store all letters that wait in a box, asked with its key or the fetch key `key`; return how many came.

    Raises:
        BoxFault: the box cannot be reached, or gives an answer that is none.
    """
    client, count = box.client(key), 0
    for _ in range(MAX_ROUNDS):
        with lock_folder(box.home.path):
            found, more = client.fetch(box.last_letter)
            if found:
                box.keep(found)
        count += len(found)
        if not more:
            break
    return count


def take_fetched(box: HomeBox) -> Iterator[tuple[Delivery, int]]:
    """Take in a box's stored letters, then acknowledge them; yield the delivery and its count of files.

    A letter that is refused stays where it was stored.
    """
    if kept := box.kept():
        delivery = box.home.deliver(kept)
        refused = {source for source, _ in delivery.faults}
        for source in kept.keys() - refused:
            Path(source).unlink(missing_ok=True)
        yield delivery, len(kept)
    if through := box.last_letter:
        box.client().acknowledge(through)
