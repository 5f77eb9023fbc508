"""The fetch key of a browser, with which a page whose keys are locked sees whether letters wait.

It is made in the browser as its own object, which signs and cannot be read out. A statement of the player
names it to the judge (pbem.trust.player_statements) and is posted as orders are; another one withdraws it.
What it would sign is handed out as bytes, and the signature comes back: the request is put together here.

    page/pocket.json    {"<name of a key>": {"public": "<base64>", "games": ["hearth", ...]}}
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pbem.errors import PbemError
from pbem.player import Home, files
from pbem.player.box_client import key_of
from pbem.player.faults import Refused
from pbem.trust.keys import PrivateKey, PublicKey
from pbem.trust.player_statements import FetchKey, sign_fetch_key
from pbem.trust.post_box import Deed, make_request
from pbem.trust.times import parse_utc, utc_text
from pbem.web.outbox import BoxCall, Outbox, Reader, letters_in


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
        """Add statements that name a fetch key to each judge with a post box who lacks it to the outbox.

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
        """Add statements that withdraw the fetch key of a player's key to the outbox."""
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
        """Add a signed statement to each judge with a post box to the outbox; yield the games it is about."""
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
