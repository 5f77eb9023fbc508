"""The notifier's rounds: each takes the waiting calls, makes them, and removes those that are done.

A pass writes the wakes of one exchange at the same time. Each is held for a while of its own, drawn by lot,
so that nobody can tell by the second who plays whom.

A wake that is not taken is tried again a few times, later each time, and then dropped: the letter came by
mail or lies in the box anyhow. An address that is gone, that redirects or that refuses what it is sent is not
called again until its owner signs another.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from pbem.notify.delivery import Delivery, Undelivered
from pbem.notify.spool import (
    CALL,
    DEVICE,
    DRAWN,
    ENTRIES,
    FINISHED,
    OF_LEAGUES,
    OPEN,
    REMINDER,
    RESULTS,
    PushKey,
    Wake,
    address_hash,
    make_push_key,
    read_refused,
    read_table,
    read_wakes,
    write_refused,
)

MAX_TRIES = 5
FIRST_RETRY_SECONDS = 60.0
SPREAD_SECONDS = 180.0
"""Seconds over which the notifier spreads the wakes that one pass of the judge wrote."""
MAX_IN_ROUND = 5
"""Maximum number of wakes that one round of the notifier delivers to one address."""
WORKERS = 8
_LATER = (408, 425, 429)
_AS_JSON = {"Content-Type": "application/json"}


@dataclass(slots=True)
class _Try:
    """The number of tries to deliver a wake, and the time of the next one."""

    count: int = 0
    after: float = 0


@dataclass(frozen=True, slots=True)
class _Sender:
    """The means to post one round's wakes: the delivery, the contact for push services, the club's key."""

    delivery: Delivery
    contact: str
    key: PushKey | None
    """The notifier's key for push services; None if the club wakes no devices."""

    def post(self, url: str, wake: Wake) -> int:
        """Post a wake to the address of a webhook or device; return the status of the answer."""
        if wake.about == DEVICE and self.key is not None:
            return self.delivery.post(url, b"", self.key.headers(url, self.contact, time.time()))
        return self.delivery.post(url, body_of(wake), _AS_JSON)


@dataclass(slots=True)
class Courier:
    """The notifier of one folder; `say` gets a line about each delivery, without the address."""

    folder: Path
    delivery: Delivery
    say: Callable[[str], None]
    clock: Callable[[], float] = time.monotonic
    spread: float = 0
    """Seconds over which the notifier spreads the wakes that one pass of the judge wrote."""
    _tries: dict[str, _Try] = field(default_factory=dict)

    def make_round(self) -> int:
        """Deliver the wakes that are due; return how many were delivered.

        Raises:
            ConfigError: the folder cannot be read.
            OSError: the folder cannot be written.
        """
        table, refused, now = read_table(self.folder), read_refused(self.folder), self.clock()
        key = make_push_key(self.folder) if table.contact else None
        sender = _Sender(self.delivery, table.contact, key)
        due: dict[str, list[tuple[Path, Wake]]] = {}
        waiting = read_wakes(self.folder)
        for path, wake in waiting:
            url = table.address_of(wake)
            if not url or address_hash(url) in refused:
                self._drop(path)
                continue
            if path.name not in self._tries:
                self._tries[path.name] = _Try(after=now + self.spread * random.SystemRandom().random())
            if self._tries[path.name].after <= now:
                due.setdefault(url, []).append((path, wake))
        names = {path.name for path, _ in waiting}
        self._tries = {name: one for name, one in self._tries.items() if name in names}
        with ThreadPoolExecutor(WORKERS) as pool:
            done = pool.map(lambda one: self._deliver(sender, one[0], one[1][:MAX_IN_ROUND]), due.items())
            results = dict(zip(due, done, strict=True))
        gone = {address_hash(url) for url, (_, is_gone) in results.items() if is_gone}
        if gone:
            write_refused(self.folder, refused & set(map(address_hash, table.addresses)) | gone)
        return sum(count for count, _ in results.values())

    def _deliver(self, sender: _Sender, url: str, wakes: list[tuple[Path, Wake]]) -> tuple[int, bool]:
        """Post an address's wakes in turn; return how many were accepted, and if the address is gone."""
        for count, (path, wake) in enumerate(wakes):
            what = f"{wake.game}, exchange {wake.exchange}, to reader {wake.reader}"
            if wake.about == DEVICE:
                what = f"the device of reader {wake.reader}"
            try:
                status = sender.post(url, wake)
            except Undelivered as problem:
                self._put_off(path, what, str(problem))
                return count, False
            if status >= 500 or status in _LATER:
                self._put_off(path, what, f"its answer was {status}")
                return count, False
            self._drop(path)
            if status >= 300 or status < 200:
                self.say(f"{what}: not taken: its answer was {status}; that address is not called again")
                return count, True
            self.say(f"{what}: told")
        return len(wakes), False

    def _put_off(self, path: Path, what: str, why: str) -> None:
        tries = self._tries[path.name]
        tries.count += 1
        tries.after = self.clock() + FIRST_RETRY_SECONDS * 4 ** (tries.count - 1)
        if tries.count >= MAX_TRIES:
            self._drop(path)
            self.say(f"{what}: not taken: {why}; it is not tried again")
        else:
            self.say(f"{what}: not taken: {why}; it is tried again")

    def _drop(self, path: Path) -> None:
        path.unlink(missing_ok=True)


def body_of(wake: Wake) -> bytes:
    """Return the JSON for a webhook; Discord reads its `content`, Slack `text`, and Matrix bridges `body`."""
    words = words_of(wake)
    fact: dict[str, object] = {"club": wake.club, "about": wake.about}
    if wake.about in OF_LEAGUES:
        fact |= {"league": wake.league, "round": wake.round}
    else:
        fact |= {"game": wake.game, "exchange": wake.exchange}
    fact |= {"deadline": wake.deadline, "content": words, "text": words, "body": words}
    return json.dumps(fact | {"allowed_mentions": {"parse": []}}).encode()


def words_of(wake: Wake) -> str:
    """Return a wake as a sentence about a game or a league."""
    until = f" until {wake.deadline[:10]} {wake.deadline[11:16]} UTC" if wake.deadline else ""
    if wake.about == OPEN:
        return f"{wake.game}: exchange {wake.exchange} is open{until}."
    if wake.about == REMINDER:
        return f"{wake.game}: exchange {wake.exchange} still waits for orders{until}."
    leagues = {
        ENTRIES: f"entries are open{until}",
        CALL: f"a call for round {wake.round} is open{until}",
        DRAWN: f"round {wake.round} is drawn and goes on{until} at the latest",
        RESULTS: f"results of round {wake.round} are entered",
        FINISHED: "the league is over",
    }
    if wake.about in leagues:
        return f"{wake.league}: {leagues[wake.about]}."
    return f"{wake.game}: the game is over."
