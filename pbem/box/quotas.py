"""Limits how much may be posted: each reader's key has a lane, and everybody else shares a small one.

A known key is held to its own quota alone, wherever it posts from. What comes without one is counted by
address (IPv4; of IPv6 the first 64 bits, which one customer has to themselves), and in all. What a quota
refuses is its sender's matter: the judge waits for nobody because of it.
"""

from __future__ import annotations

import ipaddress
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

KEY_PER_HOUR, KEY_WAITING = 60, 32
"""Posts of one key in an hour, and that wait for the judge at once."""
ADDRESS_PER_HOUR, OPEN_PER_HOUR, OPEN_WAITING = 12, 240, 200
"""Posts without a known key: of one address and of all in an hour, and that wait at once."""
ASKS_PER_MINUTE = 120
"""Requests of one address by keys that the box does not know."""
MOST_COUNTED = 20_000
"""Addresses or keys that are counted at once; then those are forgotten that were counted first."""
EVERYBODY = ""


@dataclass
class Rate:
    """Counts what each name does in a span of time; begins anew with each span."""

    most: int
    seconds: float
    clock: Callable[[], float] = time.monotonic
    _counted: dict[str, tuple[int, int]] = field(default_factory=dict, repr=False)

    def take(self, name: str) -> bool:
        """Count one more of a name; return whether it may."""
        span = int(self.clock() / self.seconds)
        begun, count = self._counted.get(name, (span, 0))
        count = count if begun == span else 0
        if count >= self.most:
            return False
        self._counted.pop(name, None)
        self._counted[name] = (span, count + 1)
        while len(self._counted) > MOST_COUNTED:
            del self._counted[next(iter(self._counted))]
        return True


@dataclass
class Quotas:
    """The quotas of a box, and what waits in its folder, by who posted it."""

    by_key: Rate = field(default_factory=lambda: Rate(KEY_PER_HOUR, 3_600))
    by_address: Rate = field(default_factory=lambda: Rate(ADDRESS_PER_HOUR, 3_600))
    by_all: Rate = field(default_factory=lambda: Rate(OPEN_PER_HOUR, 3_600))
    asks: Rate = field(default_factory=lambda: Rate(ASKS_PER_MINUTE, 60))
    waiting: dict[str, str] = field(default_factory=dict)
    """Name of a post that waits -> fingerprint of its key, or `EVERYBODY`."""

    def may_post(self, key: str, address: str) -> bool:
        """Count a post of a known key, or of nobody known (`EVERYBODY`) from an address; tell if it may."""
        waiting = Counter(self.waiting.values())[key]
        if key:
            return waiting < KEY_WAITING and self.by_key.take(key)
        group = address_group(address)
        return waiting < OPEN_WAITING and self.by_address.take(group) and self.by_all.take(EVERYBODY)

    def forget_gone(self, there: set[str]) -> None:
        """Forget posts that the judge has taken."""
        for name in self.waiting.keys() - there:
            del self.waiting[name]


def address_group(address: str) -> str:
    """Return what an address is counted by; what is none is counted together."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return "?"
    if isinstance(found, ipaddress.IPv4Address):
        return str(found)
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(ipaddress.ip_network((int(found) >> 64 << 64, 64)))
