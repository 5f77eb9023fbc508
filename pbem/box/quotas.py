"""Quotas for posts: each reader's key has a quota of its own, and everybody else shares a small one.

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
"""Maximum number of posts signed with one key: in an hour, and waiting for the judge at the same time."""
ADDRESS_PER_HOUR, OPEN_PER_HOUR, OPEN_WAITING = 12, 240, 200
"""Maximum number of posts without a known key: from one address in an hour, from all in an hour, and
waiting for the judge at the same time."""
ASKS_PER_MINUTE = 120
"""Maximum number of requests in a minute from one address by keys that the box does not know."""
MAX_COUNTED = 20_000
"""Maximum number of addresses or keys that are counted at a time; when there are more, the oldest are
forgotten."""
EVERYBODY = ""


@dataclass
class Rate:
    """A counter of the actions under each name within a span of time; each span starts at zero."""

    most: int
    seconds: float
    clock: Callable[[], float] = time.monotonic
    _counted: dict[str, tuple[int, int]] = field(default_factory=dict, repr=False)

    def take(self, name: str) -> bool:
        """Count one more action under a name, if the quota allows it; return whether it does."""
        span = int(self.clock() / self.seconds)
        begun, count = self._counted.get(name, (span, 0))
        count = count if begun == span else 0
        if count >= self.most:
            return False
        self._counted.pop(name, None)
        self._counted[name] = (span, count + 1)
        while len(self._counted) > MAX_COUNTED:
            del self._counted[next(iter(self._counted))]
        return True


@dataclass
class Quotas:
    """The quotas of a post box, and the posts that wait in its folder, with the keys that posted them."""

    by_key: Rate = field(default_factory=lambda: Rate(KEY_PER_HOUR, 3_600))
    by_address: Rate = field(default_factory=lambda: Rate(ADDRESS_PER_HOUR, 3_600))
    by_all: Rate = field(default_factory=lambda: Rate(OPEN_PER_HOUR, 3_600))
    asks: Rate = field(default_factory=lambda: Rate(ASKS_PER_MINUTE, 60))
    waiting: dict[str, str] = field(default_factory=dict)
    """A mapping from the names of waiting posts to the fingerprints of their keys, or to `EVERYBODY`."""

    def may_post(self, key: str, address: str) -> bool:
        """Count a post by a known key, or by `EVERYBODY` from an address; return whether it is allowed."""
        waiting = Counter(self.waiting.values())[key]
        if key:
            return waiting < KEY_WAITING and self.by_key.take(key)
        group = address_group(address)
        return waiting < OPEN_WAITING and self.by_address.take(group) and self.by_all.take(EVERYBODY)

    def forget_gone(self, there: set[str]) -> None:
        """Forget the waiting posts that are no longer in the folder."""
        for name in self.waiting.keys() - there:
            del self.waiting[name]


def address_group(address: str) -> str:
    """Return the group in which a network address is counted; texts that are not addresses form one group."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return "?"
    if isinstance(found, ipaddress.IPv4Address):
        return str(found)
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(ipaddress.ip_network((int(found) >> 64 << 64, 64)))
