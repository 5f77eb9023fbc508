"""The notifier's rounds: each takes the wakes that wait, calls the webhooks, and removes what is done.

A wake that is not taken is tried again a few times, later each time, and then dropped: the letter came by
mail or lies in the box anyhow. An address that is gone, that redirects or that refuses what it is sent is not
called again until its owner signs another.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from pbem.notify.delivery import Delivery, Undelivered
from pbem.notify.spool import (
    OPEN,
    REMINDER,
    Wake,
    address_hash,
    read_refused,
    read_table,
    read_wakes,
    write_refused,
)

MAX_TRIES = 5
FIRST_RETRY_SECONDS = 60.0
MAX_IN_ROUND = 5
"""Maximum number of wakes of one reader that one round delivers."""
WORKERS = 8
_LATER = (408, 425, 429)


@dataclass(slots=True)
class _Try:
    """The tries that were made to deliver a wake."""

    count: int = 0
    after: float = 0


@dataclass(slots=True)
class Courier:
    """The notifier of one folder; `say` gets a line about each delivery, without the address."""

    folder: Path
    delivery: Delivery
    say: Callable[[str], None]
    clock: Callable[[], float] = time.monotonic
    _tries: dict[str, _Try] = field(default_factory=dict)

    def make_round(self) -> int:
        """Deliver what waits and is due; return how many wakes were delivered.

        Raises:
            ConfigError: the folder cannot be read.
            OSError: the folder cannot be written.
        """
        webhooks, refused, now = read_table(self.folder), read_refused(self.folder), self.clock()
        due: dict[str, list[tuple[Path, Wake]]] = {}
        waiting = read_wakes(self.folder)
        for path, wake in waiting:
            url = webhooks.get(wake.reader, "")
            if not url or address_hash(url) in refused:
                self._drop(path)
            elif self._tries.setdefault(path.name, _Try()).after <= now:
                due.setdefault(wake.reader, []).append((path, wake))
        names = {path.name for path, _ in waiting}
        self._tries = {name: one for name, one in self._tries.items() if name in names}
        with ThreadPoolExecutor(WORKERS) as pool:
            done = pool.map(lambda one: self._deliver(webhooks[one[0]], one[1][:MAX_IN_ROUND]), due.items())
            results = dict(zip(due, done, strict=True))
        gone = {address_hash(webhooks[reader]) for reader, (_, is_gone) in results.items() if is_gone}
        if gone:
            write_refused(self.folder, refused & set(map(address_hash, webhooks.values())) | gone)
        return sum(count for count, _ in results.values())

    def _deliver(self, url: str, wakes: list[tuple[Path, Wake]]) -> tuple[int, bool]:
        """Post one reader's wakes in turn; return how many were taken, and whether the address is gone."""
        for count, (path, wake) in enumerate(wakes):
            what = f"{wake.game}, exchange {wake.exchange}, to reader {wake.reader}"
            try:
                status = self.delivery.post(url, body_of(wake))
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
    """Return a webhook's JSON; Discord reads `content`, Slack `text`, and Matrix bridges `body`."""
    words = words_of(wake)
    fact = {"club": wake.club, "about": wake.about, "game": wake.game, "exchange": wake.exchange}
    fact |= {"deadline": wake.deadline, "content": words, "text": words, "body": words}
    return json.dumps(fact | {"allowed_mentions": {"parse": []}}).encode()


def words_of(wake: Wake) -> str:
    """Return the fact of a wake in one sentence."""
    until = f" until {wake.deadline[:10]} {wake.deadline[11:16]} UTC" if wake.deadline else ""
    if wake.about == OPEN:
        return f"{wake.game}: exchange {wake.exchange} is open{until}."
    if wake.about == REMINDER:
        return f"{wake.game}: exchange {wake.exchange} still waits for orders{until}."
    return f"{wake.game}: the game is over."
